"""Addresses, where time and others decide."""

from __future__ import annotations

from collections.abc import Awaitable

from msgspec import Raw

from contentsvc.api.accounts.authentication import Authenticator
from contentsvc.api.accounts.credentials import Accounts
from contentsvc.api.accounts.reauthentication import Given
from contentsvc.framework.identity.subject import Verifiers
from contentsvc.store import status
from contentsvc.store.accounts import addresses, deletion
from contentsvc.store.accounts.mails import Mails
from contentsvc.store.rate_limits import CONFIRMATIONS
from contentsvc.tokens import EMAIL, RESET, Key, Keys, MailTokens
from contentsvc.wire.accounts import (
    EmailChange,
    EmailChangeBySubject,
    EmailConfirmation,
    PasswordReset,
    PasswordResetRequest,
    Registration,
)
from tests.api.accounts.test_accounts import PASSWORD, AccountCase
from tests.api.support import Caller
from tests.framework.identity.fakes import ADA, GOOD, KIND, FakeVerifier
from tests.support.databases import guid
from tests.support.deferreds import together


class Body:
    """Stands for a body of which several kinds are possible."""

    def __init__(self, body: EmailChange | EmailChangeBySubject) -> None:
        self._body = body

    def decode(self, kind: type) -> object:
        """This kind of it."""
        if kind is not Given:
            return self._body
        return Given() if isinstance(self._body, EmailChange) else Given(Raw(b'""'))


class EmailCase(AccountCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.mail_tokens = MailTokens(Keys([Key("k", b"k" * 32)]))
        queue = Mails(lambda: None)
        parts = (self.db, self.passwords, self.auth, self.revocation)
        self.emails = self.accounts = Accounts(*parts, self.mail_tokens, queue, registration=True)
        self.email = f"{self.name}@x"

    async def register(self, email: str) -> str:
        """The id of a new user with this address."""
        sent = Registration(username=f"u{guid()[:8]}", email=email, password=PASSWORD)
        created = await self.accounts.register_user(Caller(), sent)
        return str(created.path.rpartition("/")[2])

    def lapse(self, user: str, days: int = addresses.KEPT) -> None:
        """The user's address is so old."""
        self.sql(
            """update users set email_since = now() - make_interval(days => %s) where id = %s""",
            *(days, user),
        )

    def address(self, user: str) -> tuple[str | None, bool]:
        """A user's address, and whether it is confirmed."""
        ((email, confirmed),) = self.sql(
            "select email, email_confirmed from users where id = %s", user
        )
        return email, confirmed

    def sent(self, purpose: str, user: str | None = None) -> list[str]:
        """The addresses that mails of this purpose go to, the oldest first."""
        rows = self.sql(
            "select email from mails where purpose = %s and user_id = %s order by created",
            *(purpose, user or self.ann),
        )
        return [email for (email,) in rows]

    async def token(self, purpose: str, user: str | None = None, email: str | None = None) -> str:
        """The token of a mail that was sent."""
        user = user or self.ann
        given = email or self.address(user)[0]
        ((id,),) = self.sql(
            """insert into mails (purpose, user_id, email, expires)
               values (%s, %s, %s, now() + interval '1 minute') returning id""",
            *(purpose, user, given),
        )
        return self.mail_tokens.make(RESET if purpose == "reset" else EMAIL, id)

    async def reset(self, token: str, new: str = "a new password") -> str:
        """What becomes of a reset."""
        return await self.outcome(
            self.emails.reset_password(Caller(), PasswordReset(token=token, new=new))
        )

    async def confirm(self, token: str) -> str:
        """What becomes of a confirmation."""
        return await self.outcome(
            self.emails.verify_email(Caller(), EmailConfirmation(token=token))
        )

    async def change(self, email: str, user: str | None = None, **caller: str) -> str:
        """What becomes of a request for a new address."""
        user = user or self.ann
        return await self.ask(Body(EmailChange(email=email, password=PASSWORD)), user, **caller)

    async def ask(self, body: object, user: str, **caller: str) -> str:
        """The same, with this body."""
        call = Caller(user, **caller)  # type: ignore[arg-type]
        return await self.outcome(self.emails.change_email(call, user, body))  # type: ignore[arg-type]

    async def outcome(self, act: Awaitable[object]) -> str:
        """The word "done", or the code of the problem."""
        problem: Exception | None = None
        try:
            await act
        except Exception as error:
            problem = error
        if problem is None:
            return "done"
        constraint = getattr(problem, "constraint", None)
        return str(constraint or getattr(problem, "code", repr(problem)))


class LapseTests(EmailCase):
    async def test_kept(self) -> None:
        """For 7 days nobody else gets an address; a confirmed one is kept for ever."""
        self.lapse(self.ann, addresses.KEPT - 1)
        self.assertEqual(await self.outcome(self.register(self.email)), "users_email")
        self.lapse(self.ann, 1000)
        await self.confirm(await self.token("confirm"))
        self.assertEqual(await self.outcome(self.register(self.email)), "users_email")
        self.assertEqual(self.address(self.ann), (self.email, True))

    async def test_lapsed(self) -> None:
        """After that, an address that nobody has confirmed goes to who registers with it. The
        account before has none, and none of its links are good."""
        self.lapse(self.ann)
        tokens = [await self.token("confirm"), await self.token("reset")]
        ben = await self.register(self.email.upper())
        self.assertEqual(self.address(self.ann), (None, False))
        self.assertEqual(self.address(ben), (self.email.upper(), False))
        self.assertEqual(await self.confirm(tokens[0]), "invalid_token")
        self.assertEqual(await self.reset(tokens[1]), "invalid_token")
        await self.log_in()

    async def test_name_taken(self) -> None:
        """A registration that fails takes no address away."""
        self.lapse(self.ann)
        sent = Registration(username=self.name, email=self.email, password=PASSWORD)
        refused = await self.outcome(self.accounts.register_user(Caller(), sent))
        self.assertEqual(refused, "users_username")
        self.assertEqual(self.address(self.ann), (self.email, False))

    async def test_at_once(self) -> None:
        """Of several that register with it at once, one has it."""
        self.lapse(self.ann)
        found = await together(*(self.outcome(self.register(self.email)) for _ in range(4)))
        self.assertEqual(sorted(found), ["done"] + ["users_email"] * 3)

    async def test_confirmed_at_once(self) -> None:
        """Who confirms it while another registers with it keeps it, or comes too late."""
        for _ in range(5):
            email = f"{guid()}@x"
            ann = await self.register(email)
            self.lapse(ann)
            token = await self.token("confirm", ann)
            found = await together(self.confirm(token), self.outcome(self.register(email)))
            self.assertIn(found, (["done", "users_email"], ["invalid_token", "done"]))

    async def test_changed(self) -> None:
        """An address that another does not keep any more can be asked for and confirmed."""
        ben = await self.register(f"{guid()}@x")
        self.assertEqual(await self.change(self.email, ben), "email_taken")
        self.lapse(self.ann)
        self.assertEqual(await self.change(self.email, ben), "done")
        self.assertEqual(await self.confirm(await self.token("change", ben, self.email)), "done")
        self.assertEqual(self.address(self.ann), (None, False))
        self.assertEqual(self.address(ben), (self.email, True))

    async def test_crosswise(self) -> None:
        """Two who take each other's address at once do not wait for each other for ever."""
        for _ in range(5):
            users = [await self.register(f"{guid()}@x") for _ in range(2)]
            emails = [self.address(user)[0] for user in users]
            for user in users:
                self.lapse(user)
            tokens = [await self.token("change", users[n], emails[1 - n]) for n in range(2)]
            found = await together(*(self.confirm(token) for token in tokens))
            self.assertIn("done", found)
            self.assertLessEqual(set(found), {"done", "users_email"})


class DeletedTests(EmailCase):
    async def test_kept(self) -> None:
        """The address of a user whom an operator has deleted is kept for 30 days, then free. That
        of one who leaves is free at once."""
        for keep, found in ((True, "users_email"), (False, "done")):
            email = f"{guid()}@x"
            user = await self.register(email)
            ((encoded,),) = self.sql("select password_hash from users where id = %s", user)
            async with self.db.transaction() as tx:
                await deletion.leave(tx, user, encoded, keep_address=keep)
            self.assertEqual(await self.outcome(self.register(email.upper())), found)
            changed = await self.change(email)
            self.assertEqual(changed, "email_taken")
            if keep:
                self.sql("update departures set departed = departed - interval '30 days'")
                self.assertEqual(await self.outcome(self.register(email)), "done")


class ChangeTests(EmailCase):
    async def test_told(self) -> None:
        """The address before is told if it was confirmed."""
        first, second = f"{guid()}@x", f"{guid()}@x"
        for email in (first, second):
            self.assertEqual(await self.confirm(await self.token("change", email=email)), "done")
            self.assertEqual(self.address(self.ann), (email, True))
            self.sql("update mails set ended = true where purpose = 'change'")
        self.assertEqual(self.sent("changed"), [first])

    async def test_limit(self) -> None:
        """A user asks for so many mails in an hour, then again."""
        found = [
            await self.change(f"{guid()}@x", address=f"192.0.2.{n + 9}")
            for n in range(CONFIRMATIONS.most + 1)
        ]
        self.assertEqual(found, ["done"] * CONFIRMATIONS.most + ["too_many_requests"])
        self.assertEqual(len(self.sent("change")), CONFIRMATIONS.most)
        good = self.sql("select id from mails where user_id = %s and not ended", self.ann)
        self.assertEqual(len(good), 1)
        self.sql("update rate_limits set expires = expires - interval '1 hour'")
        self.assertEqual(await self.change(f"{guid()}@x"), "done")

    async def test_overtaken(self) -> None:
        """A reset that comes while the password is checked is not undone by a change."""
        token = await self.token("reset")
        act = together(self.change(f"{guid()}@x"), self.reset(token))
        found = await act
        self.assertEqual(found[1], "done")
        self.assertIn(found[0], ("done", "wrong_password"))
        if found[0] == "done":
            rows = self.sql(
                "select ended from mails where purpose = 'change' and user_id = %s", self.ann
            )
            self.assertEqual(rows, [(True,)])

    async def test_again(self) -> None:
        """What is to be confirmed is sent again; an account without an address gets none."""
        await self.emails.request_email_verification(Caller(self.ann), self.ann)
        self.assertEqual(self.sent("confirm"), [self.email])
        self.sql("update users set email = null where id = %s", self.ann)
        await self.emails.request_email_verification(Caller(self.ann), self.ann)
        self.assertEqual(self.sent("confirm"), [self.email])
        new = f"{guid()}@x"
        await self.change(new)
        await self.emails.request_email_verification(Caller(self.ann), self.ann)
        self.assertEqual(self.sent("change"), [new] * 2)

    async def test_operators(self) -> None:
        """The queue says how many mails wait."""
        self.sql("delete from tasks")
        await self.register(f"{guid()}@x")
        self.sql("update tasks set tries = 1, created = now() - interval '9 s'")
        found = await status.waiting(self.db, ["SendMail"], True)
        self.assertEqual((found.rows, found.failing), (1, 1))
        self.assertGreaterEqual(found.oldest, 9)


class SubjectTests(EmailCase):
    """Of an account without a password, to which one elsewhere may be linked."""

    async def setUp(self) -> None:
        await super().setUp()
        limits = {"most_of_address": 100, "mails_of_address": 100}
        verifiers = Verifiers([FakeVerifier()])
        auth = Authenticator(self.db, self.passwords, self.tokens, verifiers, **limits)
        queue = Mails(lambda: None)
        parts = (self.db, self.passwords, auth, self.revocation)
        self.emails = Accounts(*parts, self.mail_tokens, queue, registration=True)
        self.new = f"{guid()}@x"
        self.sql("delete from identities")

    async def prove(self, token: str = GOOD) -> str:
        """What becomes of a request for a new address, with a token of another service."""
        body = EmailChangeBySubject(email=self.new, subject_token=token, subject_token_type=KIND)
        return await self.ask(Body(body), self.ann)

    def link(self, user: str) -> None:
        """Link the account elsewhere to a user."""
        self.sql(
            """insert into identities (user_id, issuer, subject, linked)
               values (%s, %s, %s, now() - interval '3 days')""",
            *(user, ADA.issuer, ADA.subject),
        )

    async def test_first_address(self) -> None:
        """It gets its first address with a token of the account that is linked to it."""
        self.sql("update users set password_hash = null, email = null where id = %s", self.ann)
        self.link(self.ann)
        self.assertEqual(await self.prove(), "done")
        self.assertEqual(self.sent("change"), [self.new])
        self.assertEqual(await self.change(self.new), "wrong_password")

    async def test_young(self) -> None:
        """One that was linked less than 3 days ago proves nothing."""
        self.sql("update users set password_hash = null, email = null where id = %s", self.ann)
        self.link(self.ann)
        self.sql("update identities set linked = linked + interval '1 minute'")
        self.assertEqual(await self.prove(), "wrong_password")

    async def test_not_linked(self) -> None:
        """Another token proves nothing."""
        self.sql("update users set password_hash = null where id = %s", self.ann)
        self.link(await self.register(f"{guid()}@x"))
        self.assertEqual(await self.prove(), "wrong_password")
        self.assertEqual(await self.prove("rubbish"), "wrong_password")

    async def test_has_password(self) -> None:
        """An account with a password needs that."""
        self.link(self.ann)
        self.assertEqual(await self.prove(), "wrong_password")

    async def test_deleted(self) -> None:
        """The session of an account that has just been deleted has ended, as with a password."""
        self.sql("delete from users where id = %s", self.ann)
        self.assertEqual(await self.prove(), "invalid_token")
        self.assertEqual(await self.change(self.new), "invalid_token")


class UnavailableTests(EmailCase):
    async def test_unavailable(self) -> None:
        """A service that sends no mail says so; links that were sent go on working."""
        parts = (self.db, self.passwords, self.auth, self.revocation)
        self.emails = Accounts(*parts, self.mail_tokens, None, registration=True)
        ask = PasswordResetRequest(email=self.email)
        for act in (
            self.emails.request_password_reset(Caller(), ask),
            self.emails.request_email_verification(Caller(self.ann), self.ann),
        ):
            self.assertEqual(await self.outcome(act), "mail_unavailable")
        self.assertEqual(await self.change(f"{guid()}@x"), "mail_unavailable")
        self.assertEqual(await self.confirm(await self.token("confirm")), "done")
        self.assertEqual(await self.reset(await self.token("reset")), "done")
