"""POST /user/{user}/email/verification, PUT /user/email/verification: extensions §8."""

from __future__ import annotations

from contextlib import closing

import psycopg2
from twisted.trial.unittest import SkipTest

from tests.spec.accounts.base import LINK, SENDER, AccountsCase
from tests.spec.accounts.test_password_reset import foreign
from tests.spec.data import User, guid, name
from tests.spec.shapes import USER


class VerificationTests(AccountsCase):
    """The first mail, the next ones, and what their tokens do."""

    def again(self, user: User) -> str:
        """The path of another mail."""
        return f"user/{user.id}/email/verification"

    async def another(self, user: User) -> str:
        """The token of another mail."""
        count = len(self.mails.mails(user.email)) + 1
        await self.post(self.again(user), by=user, expect=204)
        return (await self.mail(user.email, count)).token

    async def test_registering(self):
        """§8: registering sends the first mail; the full record has emailVerified, false."""
        user = await self.user()
        mail = await self.mail(user.email)
        self.assertIn(f"{LINK}?token={mail.token}", mail.text.split())
        self.assertEqual((SENDER, user.email), (mail.sender, str(mail.message["To"])))
        found = await self.record(user)
        self.assertIs(False, found["emailVerified"])
        self.shape(found, USER | {"emailVerified": bool})

    async def test_confirm(self):
        """§8: {token} confirms: 204, and emailVerified is true on each process."""
        user = await self.user()
        await self.confirm((await self.mail(user.email)).token)
        for _ in range(4):
            self.assertEqual((user.email, True), await self.address_of(user))

    async def test_public(self):
        """Extensions: the public record stays exactly as it is."""
        user = await self.confirmed()
        found = (await self.get(f"user/{user.id}/info", expect=200)).json()
        self.assertNotIn("emailVerified", found)
        self.assertNotIn(user.email, str(found))

    async def test_goes_on(self):
        """§8: it ends no session, and confirms nothing else."""
        user, other = await self.user(), await self.known()
        await self.confirm((await self.mail(user.email)).token)
        await self.goes_on(user)
        self.assertEqual((other.email, False), await self.address_of(other))

    async def test_again(self):
        """§8: POST sends the mail again, with a token that confirms."""
        user = await self.known()
        await self.confirm(await self.another(user))
        self.assertEqual((user.email, True), await self.address_of(user))

    async def test_both(self):
        """§8: a token that was used does not confirm what comes later."""
        user = await self.user()
        token = (await self.mail(user.email)).token
        await self.confirm(token)
        address = self.fresh()
        await self.change(user, address, expect=204)
        await self.confirm((await self.mail(address)).token)
        again = await self.confirm(token, expect=None)
        self.assertIn(again.status, (204, 400), repr(again))
        self.assertEqual((address, True), await self.address_of(user))

    async def test_already(self):
        """choices: POST is 204 too where the address is verified."""
        user = await self.confirmed()
        await self.post(self.again(user), by=user, expect=204)
        self.assertEqual((user.email, True), await self.address_of(user))

    async def test_anyone(self):
        """§8: PUT is for anyone: a token says whose address it is, not who sends it."""
        user, other = await self.user(), await self.known()
        body = {"token": (await self.mail(user.email)).token}
        await self.put("user/email/verification", body, by=other, expect=204)
        self.assertEqual((user.email, True), await self.address_of(user))
        self.assertEqual((other.email, False), await self.address_of(other))

    async def test_invalid(self):
        """§8: 400 invalid_token for whatever is no token of such a mail."""
        user = await self.user()
        token = (await self.mail(user.email)).token
        for wrong in foreign(token):
            self.problem(await self.confirm(wrong, expect=400), 400, "invalid_token")
        for wrong in (user.token, user.refresh_token, await self.reset_token(user)):
            self.problem(await self.confirm(wrong, expect=400), 400, "invalid_token")
        self.assertEqual((user.email, False), await self.address_of(user))
        await self.confirm(token)

    async def test_after_leaving(self):
        """§8: the token of somebody who has left is none, also for the address's next owner."""
        user = await self.user()
        token = (await self.mail(user.email)).token
        await self.leave(user)
        self.problem(await self.confirm(token, expect=400), 400, "invalid_token")
        sent = {"username": name(), "email": user.email, "password": guid()}
        await self.post("user", sent, expect=201)
        next_one = await self.logged_in(**sent)
        self.problem(await self.confirm(token, expect=400), 400, "invalid_token")
        self.assertEqual((user.email, False), await self.address_of(next_one))

    async def test_many(self):
        """choices: fifty users of one address register, and each gets a mail."""
        addresses = [self.fresh() for _ in range(50)]
        for email in addresses:
            sent = {"username": name(), "email": email, "password": guid()}
            await self.post("user", sent, expect=201)
        for email in addresses:
            await self.mail(email)


class SquattingTests(AccountsCase):
    """§8: an address that nobody has confirmed for 7 days keeps nobody from it."""

    def age(self, user: User, days: float) -> None:
        """Let the account have had its address for so long."""
        folder = self.daemon and self.daemon.socket_folder()
        if not folder:
            raise SkipTest("needs the daemon's own Postgres")
        with closing(psycopg2.connect(host=folder, user="postgres", dbname="contentsvc")) as db:
            db.autocommit = True
            with db.cursor() as cursor:
                sql = "update users set email_since = now() - %s * interval '1 day' where id = %s"
                cursor.execute(sql, (days, user.id))

    async def register(self, email: str, expect: int | None = 201) -> User | None:
        """Another user with this address."""
        sent = {"username": name(), "email": email, "password": guid()}
        response = await self.post("user", sent, expect=expect)
        return await self.logged_in(**sent) if response.status == 201 else None

    async def test_after(self):
        """§8: after 7 days another registers with it, and it is theirs."""
        first = await self.known()
        self.age(first, 7.01)
        second = await self.register(first.email.upper())
        assert second is not None
        self.assertEqual((first.email.upper(), False), await self.address_of(second))
        self.assertNotEqual(first.email, (await self.address_of(first))[0])
        got = await self.try_log_in(first.email, second.password, expect=200)
        self.assertEqual(second.id, got.json()["userId"])
        await self.try_log_in(first.username, first.password, expect=200)
        await self.goes_on(first)

    async def test_before(self):
        """§8: before that it is taken."""
        first = await self.known()
        self.age(first, 6.9)
        sent = {"username": name(), "email": first.email, "password": guid()}
        self.problem(await self.post("user", sent), 409, "email_taken")

    async def test_confirmed(self):
        """§8: a confirmed one stays taken."""
        first = await self.confirmed()
        self.age(first, 400)
        sent = {"username": name(), "email": first.email, "password": guid()}
        self.problem(await self.post("user", sent), 409, "email_taken")

    async def test_late(self):
        """§8: whoever comes late may still confirm it, where nobody else has it by then."""
        first = await self.user()
        token = await self.reset_token(first) if await self.mail(first.email) else ""
        self.age(first, 30)
        await self.reset(token, expect=204)
        sent = {"username": name(), "email": first.email, "password": guid()}
        self.problem(await self.post("user", sent), 409, "email_taken")

    async def test_lost(self):
        """§8: who has lost it confirms it no more, by neither token."""
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
        """§8: of several who take it at once, one gets it."""
        first = await self.known()
        self.age(first, 8)
        got = await self.together(*(self.register(first.email, None) for _ in range(4)))
        self.assertEqual(1, sum(one is not None for one in got))
