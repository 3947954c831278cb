"""What people type differs from what was kept, and is taken: accounts#typed-text."""

import unicodedata

from tests.spec.accounts.base import AccountsCase
from tests.spec.data import User, name

COMPOSED = "Schlüssel für Zoë"
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)


class BlanksTests(AccountsCase):
    """Blanks at the ends of names and addresses."""

    async def test_register(self):
        """A registration keeps the name and the address without blanks at their ends."""
        username, email = name(), self.fresh()
        body = self.registration(f" {email}\u00a0", f"{username} ")
        await self.post("user", body, expect=201)
        found = await self.logged_in(username, email, body["password"])
        record = await self.record(found)
        self.assertEqual((record["username"], record["email"]), (username, email))
        again = self.registration(f"\t{email}")
        self.problem(await self.post("user", again), 409, "email_taken")

    async def test_log_in(self):
        """A log-in finds the account by a name or an address with blanks, at /oauth/token."""
        user = await self.user()
        for typed in (f"{user.username} ", f" {user.email}", f"\u3000{user.email}\ufeff"):
            response = await self.try_log_in(typed, user.password)
            self.assertEqual((200, user.id), (response.status, response.json().get("userId")))
        self.refused(await self.try_log_in("  ", user.password), "invalid_request")

    async def test_one_limit(self):
        """Failed log-ins with and without blanks are of one account."""
        nobody = name()
        for n in range(10):
            self.refused(await self.try_log_in(nobody + " " * (n % 2), "wrong"), "invalid_grant")
        self.refused(await self.try_log_in(f" {nobody}", "wrong"), "slow_down", 429)

    async def test_mails(self):
        """A reset is mailed, and an address changed, whatever blanks are typed."""
        user, address = await self.confirmed(), self.fresh()
        await self.ask_reset(f"{user.email} ")
        await self.mail(user.email, 2)
        await self.change(user, f" {address} ", expect=204)
        await self.confirm((await self.mail(address)).token)
        self.assertEqual((address, True), await self.address_of(user))

    async def test_lookup(self):
        """Moderators find an account by what they paste."""
        boss, user = await self.admin(), await self.user()
        for query in ({"email": f" {user.email} "}, {"name": f"{user.username}\u00a0"}):
            found = await self.get("moderation/users", query=query, by=boss, expect=200)
            self.assertEqual([user.id], [one["user"]["id"] for one in found.json()])


class PasswordTests(AccountsCase):
    """Characters of passwords that keyboards write in two ways."""

    async def typed(self, user: User, password: str) -> int:
        """The status of a log-in."""
        return (await self.try_log_in(user.username, password)).status

    async def test_both_forms(self):
        """A password is the same, composed or decomposed, whichever was first."""
        for first, second in ((COMPOSED, DECOMPOSED), (DECOMPOSED, COMPOSED)):
            body = self.registration(self.fresh()) | {"password": first}
            await self.post("user", body, expect=201)
            user = await self.logged_in(body["username"], body["email"], first)
            self.assertEqual(200, await self.typed(user, second))
            path, change = f"user/{user.id}/password", {"current": second, "new": f"{first}!"}
            await self.put(path, change, by=user, expect=204)
            self.assertEqual(200, await self.typed(user, f"{second}!"))

    async def test_proof(self):
        """It proves who somebody is in either form too, and a reset sets it in either."""
        user = await self.confirmed()
        await self.reset(await self.reset_token(user), DECOMPOSED, expect=204)
        user = await self.logged_in(user.username, user.email, COMPOSED)
        await self.leave(user, password=COMPOSED)

    async def test_counted_once(self):
        """A wrong password that is tried in both forms is one failure."""
        user = await self.user()
        for _ in range(10):
            self.assertEqual(400, await self.typed(user, DECOMPOSED))
        self.assertEqual(429, await self.typed(user, DECOMPOSED))
