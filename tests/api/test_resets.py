"""Lost passwords, where time and others decide."""

from __future__ import annotations

from contentsvc.api.emails import Emails
from contentsvc.tokens import RESET
from contentsvc.wire.accounts import PasswordChange, PasswordResetRequest
from tests.api.support import Caller
from tests.api.test_accounts import PASSWORD
from tests.api.test_emails import EmailCase
from tests.support.databases import guid, together


class ResetTests(EmailCase):
    async def test_at_once(self) -> None:
        """Of several uses of a link at once, one sets the password."""
        token = await self.token("reset")
        found = await together(*(self.reset(token, f"password {n}") for n in range(4)))
        self.assertEqual(sorted(found), ["done"] + ["invalid_token"] * 3)
        await self.log_in(f"password {found.index('done')}")

    async def test_sessions(self) -> None:
        """All sessions end, at once with the new password."""
        for _ in range(3):
            await self.log_in()
        token = await self.token("reset")
        await together(self.reset(token), *(self.outcome(self.log_in()) for _ in range(4)))
        ((left,),) = self.sql(
            "select count(*) from sessions where user_id = %s and revoked is null", self.ann
        )
        self.assertEqual(left, 0)
        self.assertGreaterEqual(len(self.endings.sids), 3)

    async def test_stranger(self) -> None:
        """Who registered with another's address has no way back in: what is linked goes, but not if
        the address was confirmed."""
        for confirmed, left in ((True, 1), (False, 0)):
            self.sql("update users set email_confirmed = %s where id = %s", confirmed, self.ann)
            self.sql(
                """insert into identities (user_id, issuer, subject) values (%s, 'issuer', %s)
                   on conflict do nothing""",
                *(self.ann, self.ann),
            )
            self.assertEqual(await self.reset(await self.token("reset")), "done")
            found = self.sql("select 1 from identities where user_id = %s", self.ann)
            self.assertEqual(len(found), left)

    async def test_expired(self) -> None:
        """A link whose time is over sets none."""
        token = await self.token("reset")
        self.sql("update mails set expires = now()")
        self.assertEqual(await self.reset(token), "invalid_token")

    async def test_cheap(self) -> None:
        """Nothing is hashed for who has no link."""
        self.emails = Emails(
            *(self.db, None, self.guard, self.endings, self.mail_tokens, None),  # type: ignore[arg-type]
        )
        for token in ("rubbish", self.mail_tokens.make(RESET, guid()), await self.token("change")):
            self.assertEqual(await self.reset(token), "invalid_token")

    async def test_ends_others(self) -> None:
        """It ends links that were asked for and not yet sent, and a new address that is not
        confirmed: who has asked for it may be the reason for the reset."""
        request = PasswordResetRequest(email=self.email.upper())
        await self.emails.ask_reset(Caller(), request)
        change = await self.token("change", email=f"{guid()}@x")
        self.assertEqual(await self.reset(await self.token("reset")), "done")
        self.assertEqual(self.sql("select id from mails where user_id is null"), [])
        self.assertEqual(await self.confirm(change), "invalid_token")

    async def test_change_ends(self) -> None:
        """So does a change of the password."""
        tokens = [await self.token("reset"), await self.token("change", email=f"{guid()}@x")]
        body = PasswordChange(current=PASSWORD, new="another password")
        await self.accounts.change_password(Caller(self.ann, session=guid()), self.ann, body)
        self.assertEqual(await self.reset(tokens[0]), "invalid_token")
        self.assertEqual(await self.confirm(tokens[1]), "invalid_token")

    async def test_first_password(self) -> None:
        """An account without a password gets its first one."""
        self.sql("update users set password_hash = null where id = %s", self.ann)
        self.assertEqual(await self.reset(await self.token("reset"), PASSWORD), "done")
        await self.log_in()

    async def test_limit(self) -> None:
        """A client's address asks for so many mails, whoever is to get them."""
        found = [
            await self.outcome(
                self.emails.ask_reset(
                    Caller(address="192.0.2.77"), PasswordResetRequest(email=f"{n}@x")
                )
            )
            for n in range(101)
        ]
        self.assertEqual(found, ["done"] * 100 + ["too_many_requests"])
