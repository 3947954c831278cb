"""Lost passwords, where time and others decide."""

from __future__ import annotations

from typing import Any

from contentsvc.api.accounts.credentials import Accounts
from contentsvc.store.accounts import identities
from contentsvc.tokens import RESET
from contentsvc.wire.accounts import PasswordChange, PasswordResetRequest
from tests.api.accounts.test_accounts import PASSWORD
from tests.api.accounts.test_emails import EmailCase
from tests.api.support import Caller
from tests.support.databases import guid
from tests.support.deferreds import together


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
        self.assertGreaterEqual(len(self.revocation.sids), 3)

    async def test_expired(self) -> None:
        """A link whose time is over sets none."""
        token = await self.token("reset")
        self.sql("update mails set expires = now()")
        self.assertEqual(await self.reset(token), "invalid_token")

    async def test_cheap(self) -> None:
        """Nothing is hashed for who has no link."""
        parts: Any = (self.db, None, self.auth, self.revocation, self.mail_tokens, None)
        self.emails = Accounts(*parts, registration=True)
        for token in ("rubbish", self.mail_tokens.make(RESET, guid()), await self.token("change")):
            self.assertEqual(await self.reset(token), "invalid_token")

    async def test_ends_others(self) -> None:
        """It ends links that were asked for and not yet sent, and a new address that is not
        confirmed: who has asked for it may be the reason for the reset."""
        request = PasswordResetRequest(email=self.email.upper())
        await self.emails.request_password_reset(Caller(), request)
        change = await self.token("change", email=f"{guid()}@x")
        self.assertEqual(await self.reset(await self.token("reset")), "done")
        waiting = "select id from mails where user_id is null and lower(email) = %s"
        self.assertEqual(self.sql(waiting, self.email.lower()), [])
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
                self.emails.request_password_reset(
                    Caller(address="192.0.2.77"), PasswordResetRequest(email=f"{n}@x")
                )
            )
            for n in range(101)
        ]
        self.assertEqual(found, ["done"] * 100 + ["too_many_requests"])


class LinkedTests(EmailCase):
    """What is linked when the password is reset."""

    async def setUp(self) -> None:
        await super().setUp()
        self.new = f"{guid()}@x"

    async def link(self, subject: str) -> None:
        """Link an account elsewhere to Ann."""
        self.assertTrue(await identities.link(self.db, self.ann, f"https://{subject}", subject))

    def left(self) -> list[str]:
        """The subjects that are linked to Ann, the oldest first."""
        rows = self.sql(
            "select subject from identities where user_id = %s order by number", self.ann
        )
        return [subject for (subject,) in rows]

    async def confirmed(self) -> None:
        """Ann confirms her address."""
        self.assertEqual(await self.confirm(await self.token("confirm")), "done")

    async def moved(self) -> None:
        """Ann gets another address."""
        self.new = f"{guid()}@x"
        self.assertEqual(await self.confirm(await self.token("change", email=self.new)), "done")

    async def again(self) -> None:
        """Ann sets a new password by mail."""
        self.assertEqual(await self.reset(await self.token("reset")), "done")

    async def test_stranger(self) -> None:
        """Who registered with another's address has no way back in."""
        await self.link("stranger")
        await self.again()
        self.assertEqual(self.left(), [])

    async def test_confirmed_by_mistake(self) -> None:
        """Nor if its owner has confirmed it before, and moved to another."""
        await self.link("stranger")
        await self.confirmed()
        await self.moved()
        await self.again()
        self.assertEqual(self.left(), [])

    async def test_since(self) -> None:
        """What was linked since the last proof that Ann gets the mail goes, whichever that was."""
        for proof in (self.confirmed, self.moved, self.again):
            await proof()
            await self.link("thief")
            await self.again()
            self.assertEqual(self.left(), [], proof)

    async def test_before(self) -> None:
        """What was linked before that, and after the first one, stays, then and later."""
        await self.confirmed()
        await self.link("mine")
        await self.moved()
        await self.link("thief")
        for _ in range(2):
            await self.again()
            self.assertEqual(self.left(), ["mine"])
        await self.link("thief")
        await self.again()
        self.assertEqual(self.left(), ["mine"])

    async def test_twice(self) -> None:
        """The same link once more is no proof."""
        token = await self.token("confirm")
        self.assertEqual(await self.confirm(token), "done")
        await self.link("thief")
        self.assertEqual(await self.confirm(token), "done")
        await self.again()
        self.assertEqual(self.left(), [])

    async def test_first(self) -> None:
        """The one that the account was made with stays, also if the account never had a confirmed
        address."""
        self.ann = await identities.join(self.db, f"u{guid()[:8]}", "https://first", guid())
        first = self.left()
        await self.link("before")
        await self.moved()
        await self.link("after")
        await self.again()
        self.assertEqual(self.left(), first)

    async def test_of_others(self) -> None:
        """What is linked to others stays."""
        other = await identities.join(self.db, f"u{guid()[:8]}", "https://first", guid())
        await identities.link(self.db, other, "https://other", guid())
        await self.again()
        ((count,),) = self.sql("select count(*) from identities where user_id = %s", other)
        self.assertEqual(count, 2)

    async def test_told(self) -> None:
        """A mail says what was unlinked, if anything was."""
        await self.again()
        for subject in ("b", "a"):
            await self.link(subject)
        await self.again()
        rows = self.sql(
            "select email, issuers from mails where user_id = %s and purpose = 'unlinked'", self.ann
        )
        self.assertEqual(rows, [(self.email, "https://a\nhttps://b")])
