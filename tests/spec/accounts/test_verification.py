"""POST /user/{user}/email/verification, PUT /user/email/verification: accounts#mail."""

from __future__ import annotations

from contextlib import closing

import psycopg2

from tests.spec.accounts.base import AccountsCase
from tests.spec.accounts.test_password_reset import foreign
from tests.spec.data import User
from tests.spec.shapes import USER


class VerificationTests(AccountsCase):
    """The first mail, the next ones, and what their tokens do."""

    async def test_registering(self):
        """Registering sends a mail; the address is not verified yet."""
        user = await self.user()
        await self.mail(user.email)
        found = await self.record(user)
        self.assertIs(False, found["emailVerified"])
        self.shape(found, USER)

    async def test_confirm(self):
        """Its token confirms the address on each process; a second use changes nothing."""
        user = await self.user()
        token = (await self.mail(user.email)).token
        for _ in range(2):
            await self.confirm(token)
            for _ in range(4):
                self.assertEqual((user.email, True), await self.address_of(user))

    async def test_public(self):
        """The public record shows neither the address nor whether it is verified."""
        user = await self.confirmed()
        found = (await self.get(f"user/{user.id}/info", expect=200)).json()
        self.assertNotIn("emailVerified", found)
        self.assertNotIn(user.email, str(found))

    async def test_goes_on(self):
        """To confirm ends no session, and confirms nothing else."""
        user, other = await self.user(), await self.known()
        await self.confirm((await self.mail(user.email)).token)
        await self.goes_on(user)
        self.assertEqual((other.email, False), await self.address_of(other))

    async def test_again(self):
        """POST sends another mail, whose token is as good as the first. Once one was used, it is
        204 and sends nothing."""
        user, other = await self.user(), await self.known()
        first = (await self.mail(user.email)).token
        second = await self.another(user)
        await self.confirm(second)
        self.assertEqual((user.email, True), await self.address_of(user))
        await self.confirm(first)
        await self.post(f"user/{user.id}/email/verification", by=user, expect=204)
        await self.another(other)
        self.assertEqual(2, len(self.mails.mails(user.email)))

    async def test_anyone(self):
        """PUT is for anyone: a token says whose address it is, not who sends it."""
        user, other = await self.user(), await self.known()
        body = {"token": (await self.mail(user.email)).token}
        await self.put("user/email/verification", body, by=other, expect=204)
        self.assertEqual((user.email, True), await self.address_of(user))
        self.assertEqual((other.email, False), await self.address_of(other))

    async def test_invalid(self):
        """What is no token of such a mail is 400 `invalid_token`."""
        user = await self.user()
        token = (await self.mail(user.email)).token
        resetting = await self.reset_token(user)
        for wrong in (
            *foreign(token),
            *(user.token, user.refresh_token, resetting, resetting.replace("reset", "email")),
        ):
            self.problem(await self.confirm(wrong, expect=400), 400, "invalid_token")
        self.assertEqual((user.email, False), await self.address_of(user))
        await self.confirm(token)

    async def test_after_leaving(self):
        """The token of somebody who has left is none, also for the address's next owner."""
        user = await self.user()
        token = (await self.mail(user.email)).token
        await self.leave(user)
        self.problem(await self.confirm(token, expect=400), 400, "invalid_token")
        sent = self.registration(user.email)
        await self.post("user", sent, expect=201)
        next_one = await self.logged_in(**sent)
        self.problem(await self.confirm(token, expect=400), 400, "invalid_token")
        self.assertEqual((user.email, False), await self.address_of(next_one))

    async def test_operator(self):
        """Whom the operator has added is confirmed."""
        self.assertIs(True, (await self.record(await self.admin()))["emailVerified"])

    async def test_many(self):
        """50 users of one client's address register, and each gets a mail."""
        addresses = [self.fresh() for _ in range(50)]
        for email in addresses:
            await self.post("user", self.registration(email), expect=201)
        for email in addresses:
            await self.mail(email)


class SquattingTests(AccountsCase):
    """An address that nobody has confirmed for 7 days keeps nobody from it."""

    def age(self, user: User, days: float) -> None:
        """Let the account have had its address for so long."""
        assert self.daemon is not None
        folder = self.daemon.socket_folder()
        with closing(psycopg2.connect(host=folder, user="postgres", dbname="contentsvc")) as db:
            db.autocommit = True
            with db.cursor() as cursor:
                sql = "update users set email_since = now() - %s * interval '1 day' where id = %s"
                cursor.execute(sql, (days, user.id))

    async def register(self, email: str, expect: int | None = 201) -> User | None:
        """Another user with this address."""
        sent = self.registration(email)
        response = await self.post("user", sent, expect=expect)
        return await self.logged_in(**sent) if response.status == 201 else None

    async def taken(self, email: str) -> None:
        """Assert that nobody can register with this address."""
        self.problem(await self.post("user", self.registration(email)), 409, "email_taken")

    async def test_after(self):
        """After 7 days another registers with it, and it is theirs."""
        first = await self.known()
        self.age(first, 7.01)
        second = await self.register(first.email.upper())
        assert second is not None
        self.assertEqual((first.email.upper(), False), await self.address_of(second))
        self.assertEqual(("", False), await self.address_of(first))
        got = await self.try_log_in(first.email, second.password, expect=200)
        self.assertEqual(second.id, got.json()["userId"])
        await self.try_log_in(first.username, first.password, expect=200)
        await self.goes_on(first)

    async def test_before(self):
        """Before that it is taken."""
        first = await self.known()
        self.age(first, 6.9)
        await self.taken(first.email)

    async def test_confirmed(self):
        """A confirmed one stays taken."""
        first = await self.confirmed()
        self.age(first, 400)
        await self.taken(first.email)

    async def test_late(self):
        """Whoever comes late may still confirm it, where nobody else has it by then."""
        first = await self.known()
        token = await self.reset_token(first)
        self.age(first, 30)
        await self.reset(token, expect=204)
        await self.taken(first.email)

    async def test_lost(self):
        """Who has lost it confirms it no more, by neither token."""
        first = await self.user()
        tokens = [(await self.mail(first.email)).token, await self.reset_token(first)]
        self.age(first, 8)
        second = await self.register(first.email)
        assert second is not None
        self.problem(await self.confirm(tokens[0], expect=400), 400, "invalid_token")
        self.problem(await self.reset(tokens[1]), 400, "invalid_token")
        self.assertEqual((first.email, False), await self.address_of(second))
        await self.try_log_in(second.username, second.password, expect=200)

    async def test_one_of_many(self):
        """Of several who take it at once, one gets it."""
        first = await self.known()
        self.age(first, 8)
        got = await self.together(*(self.register(first.email, None) for _ in range(4)))
        self.assertEqual(1, sum(one is not None for one in got))
