"""PUT /moderation/users/{user}/email: moderation#accounts."""

from typing import Any

from tests.spec.accounts.base import AccountsCase
from tests.spec.data import User
from tests.spec.shapes import ACTION


class EmailCase(AccountsCase):
    async def give(
        self, user: User, email: str, by: User | None = None, *, expect: int | None = 204
    ) -> Any:
        """An admin gives a user an address."""
        body = {"email": email, "reason": "lost the mailbox"}
        path = f"moderation/users/{user.id}/email"
        return await self.put(path, body, by=by or await self.admin(), expect=expect)

    async def acts(self, user: User) -> list[tuple[str, str]]:
        """What was done to a user."""
        path = f"moderation/actions?subject={user.id}"
        found = await self.read(path, [ACTION], by=await self.admin())
        return [(each["action"], each["reason"]) for each in found]


class EmailTests(EmailCase):
    async def test_change(self):
        """The address changes at once, is not confirmed, and all log-ins end; it is noted."""
        user, address = await self.confirmed(), self.fresh()
        await self.give(user, address)
        await self.is_over(user)
        again = await self.logged_in(address, address, user.password)
        self.assertEqual((address, False), await self.address_of(again))
        self.assertEqual([("email_changed", "lost the mailbox")], await self.acts(user))

    async def test_mails(self):
        """The address before is told, without the new one; the new one gets a link that confirms
        it."""
        user, address = await self.confirmed(), self.fresh()
        await self.give(user, address)
        told = await self.mail(user.email, 2)
        self.assertIn(user.email, told.text)
        self.assertNotIn(address, told.text)
        await self.confirm((await self.mail(address)).token)
        again = await self.logged_in(address, address, user.password)
        self.assertEqual((address, True), await self.address_of(again))

    async def test_links(self):
        """Links that were mailed before are good for nothing: of a reset, of a change, of the
        registration."""
        user, wanted, address = await self.user(), self.fresh(), self.fresh()
        confirming = (await self.mail(user.email)).token
        resetting = await self.reset_token(user)
        await self.change(user, wanted, expect=204)
        changing = (await self.mail(wanted)).token
        await self.give(user, address)
        for token in (confirming, changing):
            self.problem(await self.confirm(token, None), 400, "invalid_token")
        self.problem(await self.reset(resetting), 400, "invalid_token")

    async def test_reset(self):
        """Who gets mail at the new address can set a password, which confirms it."""
        user, address = await self.known(), self.fresh()
        await self.give(user, address)
        await self.ask_reset(address)
        await self.reset((await self.mail(address, 2)).token, "another password", expect=204)
        again = await self.logged_in(address, address, "another password")
        self.assertEqual((address, True), await self.address_of(again))

    async def test_again(self):
        """The present address again changes nothing, ends nothing, and is not noted."""
        user, address = await self.known(), self.fresh()
        await self.give(user, address)
        again = await self.logged_in(address, address, user.password)
        await self.give(user, address)
        await self.goes_on(again)
        self.assertEqual(1, len(await self.acts(user)))

    async def test_case(self):
        """Another case of the same address stays confirmed, and nobody is mailed."""
        user = await self.confirmed()
        await self.give(user, user.email.upper())
        again = await self.logged_in(user.email, user.email, user.password)
        self.assertEqual((user.email.upper(), True), await self.address_of(again))

    async def test_taken(self):
        """An address that another user keeps is 409 `email_taken`, and nothing changes."""
        user, other = await self.known(), await self.known()
        response = await self.give(user, other.email.upper(), expect=None)
        self.problem(response, 409, "email_taken")
        await self.goes_on(user)
        self.assertEqual([], await self.acts(user))

    async def test_roles(self):
        """A moderator may not, and an admin neither for another admin, nor for themself."""
        user, admin, other = await self.known(), await self.admin(), await self.member("admin")
        moderator = await self.member("moderator")
        response = await self.give(user, self.fresh(), moderator, expect=None)
        self.problem(response, 403, "forbidden")
        for each in (admin, other):
            response = await self.give(each, self.fresh(), admin, expect=None)
            self.problem(response, 403, "protected_user")
        await self.give(moderator, self.fresh(), admin)

    async def test_bad(self):
        """A text that is no address is 400, and so is no reason; nobody is 404."""
        user, by = await self.known(), await self.admin()
        path = f"moderation/users/{user.id}/email"
        for body in (
            {"email": "ada", "reason": "x"},
            {"email": self.fresh()},
            {"email": self.fresh(), "reason": ""},
        ):
            self.problem(await self.put(path, body, by=by), 400, "invalid_body")
        gone = User("00000000-0000-4000-8000-000000000000", "", "", "", "", "")
        self.problem(await self.give(gone, self.fresh(), expect=None), 404, "user_not_found")
