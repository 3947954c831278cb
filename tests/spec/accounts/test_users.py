"""Users: accounts#userinfo, accounts#user-info, accounts#full-record and accounts#update."""

from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import USER, USER_INFO


class UserTests(SpecCase):
    """GET …/info, GET and PUT /api/v1/user/{userId}."""

    def change(self, **members) -> dict:
        """A body of PUT user."""
        empty = {"avatar": None, "emblem": None, "fullProfile": {}, "publicProfile": {}}
        return empty | members

    async def info(self, of: User) -> dict:
        """The user's public info."""
        return await self.read(f"user/{of.id}/info", USER_INFO)

    async def record(self, of: User) -> dict:
        """The user's full record."""
        return await self.read(f"user/{of.id}", USER, by=of)

    async def test_info(self):
        """accounts#user-info: 200 with the UserInfo; avatar and emblem are null when not set."""
        user = await self.user()
        expected = {"id": user.id, "username": user.username, "avatar": None, "emblem": None}
        self.assertEqual(expected, await self.info(user))

    async def test_record(self):
        """accounts#full-record: 200 with the full user record."""
        user = await self.user()
        found = await self.record(user)
        self.assertEqual((user.id, user.username), (found["id"], found["username"]))
        self.assertEqual(user.email, found["email"])

    async def test_update(self):
        """accounts#update: PUT is 204 and changes avatar, emblem and both profiles."""
        user = await self.user()
        sent = self.change(
            avatar="avatars/me.png",
            emblem=guid(),
            fullProfile={"profile": "I build castles"},
            publicProfile={"profile": "castles"},
        )
        await self.put(f"user/{user.id}", sent, by=user, expect=204)
        found = await self.record(user)
        self.assertEqual(sent, {member: found[member] for member in sent})

    async def test_public_profile(self):
        """accounts#userinfo: UserInfo's profile is present only if public."""
        user = await self.user()
        sent = self.change(fullProfile={"profile": "secret"})
        await self.put(f"user/{user.id}", sent, by=user, expect=204)
        self.assertNotIn("profile", await self.info(user))
        sent = self.change(fullProfile={"profile": "x"}, publicProfile={"profile": "x"})
        await self.put(f"user/{user.id}", sent, by=user, expect=204)
        self.assertEqual("x", (await self.info(user))["profile"])

    async def test_info_follows(self):
        """accounts#userinfo: UserInfo shows avatar and emblem as they were set."""
        user, emblem = await self.user(), guid()
        sent = self.change(avatar="avatars/me.png", emblem=emblem)
        await self.put(f"user/{user.id}", sent, by=user, expect=204)
        found = await self.info(user)
        self.assertEqual(("avatars/me.png", emblem), (found["avatar"], found["emblem"]))

    async def test_null_removes(self):
        """accounts#update: null as avatar or emblem removes it."""
        user = await self.user()
        for sent in (self.change(avatar="a.png", emblem=guid()), self.change()):
            await self.put(f"user/{user.id}", sent, by=user, expect=204)
        found = await self.record(user)
        self.assertEqual((None, None, {}), (found["avatar"], found["emblem"], found["fullProfile"]))

    async def test_name_and_email_stay(self):
        """accounts#update: username and email cannot be changed."""
        user = await self.user()
        sent = self.change(username="Other", email="other@example.com")
        await self.put(f"user/{user.id}", sent, by=user, expect=204)
        found = await self.record(user)
        self.assertEqual((user.username, user.email), (found["username"], found["email"]))

    async def test_subset_not_enforced(self):
        """accounts#update: that publicProfile is a subset of fullProfile is not enforced."""
        user = await self.user()
        sent = self.change(publicProfile={"profile": "only here"})
        await self.put(f"user/{user.id}", sent, by=user, expect=204)
        self.assertEqual(sent["publicProfile"], (await self.record(user))["publicProfile"])

    async def test_by_admin(self):
        """accounts#authentication: admins may update a user."""
        user = await self.user()
        sent = self.change(avatar="moderated.png")
        await self.put(f"user/{user.id}", sent, by=await self.admin(), expect=204)
        self.assertEqual("moderated.png", (await self.record(user))["avatar"])

    async def test_refused_update_changes_nothing(self):
        """A refused update leaves the record as it was."""
        user = await self.user()
        before = await self.record(user)
        bad = self.change(avatar="new.png", emblem="gold")
        await self.put(f"user/{user.id}", bad, by=user, expect=400)
        self.assertEqual(before, await self.record(user))
