"""Who is signed in: accounts#me."""

from tests.spec.data import User
from tests.spec.harness import SpecCase
from tests.spec.shapes import ME


class MeTests(SpecCase):
    """GET /api/v1/me."""

    async def me(self, by: User) -> dict:
        """What the service says of the user to the user."""
        return await self.read("me", ME, by=by)

    async def test_player(self):
        """A player has no permissions."""
        user = await self.user()
        named = {"kind": "user", "id": user.id, "username": user.username, "guest": False}
        self.assertEqual({**named, "role": "player", "permissions": []}, await self.me(user))

    async def test_admin(self):
        """An admin has all permissions but that to write others' progress."""
        found = await self.me(await self.admin())
        self.assertEqual("admin", found["role"])
        others = ["events", "notify", "users.read"]
        self.assertEqual(["curate", "moderate", "administer", *others], found["permissions"])

    async def test_staff(self):
        """A curator may curate, a moderator may moderate too."""
        for role, may in (("curator", ["curate"]), ("moderator", ["curate", "moderate"])):
            found = await self.me(await self.member(role))
            self.assertEqual((role, may), (found["role"], found["permissions"]))
