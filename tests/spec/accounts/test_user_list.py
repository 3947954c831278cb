"""Several users at once: GET /user (accounts#user-info)."""

from tests.spec.data import guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import USER_INFO


class UserListTests(SpecCase):
    """GET /api/v1/user with ids."""

    async def listed(self, *ids: str, **more) -> list[str]:
        """The ids of the users that GET user lists for these."""
        query = {"ids": ",".join(ids)}
        found = await self.read("user", [USER_INFO], query=query, **more)
        return [one["id"] for one in found]

    async def test_order(self):
        """Anyone gets the users of ids, in that order."""
        one, two = await self.user(), await self.user()
        self.assertEqual([two.id, one.id], await self.listed(two.id, one.id))
        self.assertEqual([one.id, two.id], await self.listed(one.id, two.id, by=one))

    async def test_elements(self):
        """The elements are UserInfo, as …/info gives it."""
        user = await self.user()
        sent = {"avatar": "a.png", "emblem": guid(), "publicProfile": {"profile": "hi"}}
        await self.put(f"user/{user.id}", sent | {"fullProfile": {}}, by=user, expect=204)
        info = await self.read(f"user/{user.id}/info", USER_INFO)
        found = await self.read("user", [USER_INFO], query={"ids": user.id})
        self.assertEqual([info], found)

    async def test_missing(self):
        """Those that do not exist are left out."""
        user = await self.someone()
        self.assertEqual([user.id], await self.listed(guid(), user.id, guid()))
        self.assertEqual([], await self.listed(guid()))

    async def test_any_case(self):
        """conventions#requests: GUIDs are taken in any case and given in lower case, each
        once."""
        user = await self.someone()
        self.assertEqual([user.id], await self.listed(user.id.upper(), user.id))

    async def test_limits(self):
        """`ids` is required: 1 to 100 GUIDs; none, 101 and others are 400."""
        user = await self.someone()
        self.assertEqual([user.id], await self.listed(*(guid() for _ in range(99)), user.id))
        self.invalid_query(await self.get("user"), "ids")
        for ids in ("", "me", f"{user.id},me", ",".join(guid() for _ in range(101)), "a\0b"):
            self.invalid_query(await self.get("user", query={"ids": ids}), "ids")
