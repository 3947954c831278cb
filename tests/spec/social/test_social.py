"""Following: spec §4.9 and §4.10."""

from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import USER_INFO


class FollowingTests(SpecCase):
    """GET followers and following, PUT and DELETE of a following."""

    async def follow(self, user: User, other: User) -> None:
        """Let `user` follow `other`."""
        await self.put(f"user/{user.id}/following/{other.id}", by=user, expect=204)

    async def following(self, user: User) -> list[str]:
        """The ids of those that the user follows."""
        found = await self.read(f"user/{user.id}/following", [USER_INFO], by=user)
        return [one["id"] for one in found]

    async def followers(self, user: User) -> list[str]:
        """The ids of the user's followers."""
        found = await self.read(f"user/{user.id}/followers", [USER_INFO], by=user)
        return [one["id"] for one in found]

    async def test_nobody(self):
        """Spec §4.9 and §4.10: both are empty arrays at first."""
        user = await self.user()
        self.assertEqual(([], []), (await self.followers(user), await self.following(user)))

    async def test_follow(self):
        """Spec §4.9 and §4.10: a following shows in the one's list and in the other's."""
        user, other = await self.user(), await self.user()
        await self.follow(user, other)
        self.assertEqual([other.id], await self.following(user))
        self.assertEqual([user.id], await self.followers(other))
        self.assertEqual(([], []), (await self.followers(user), await self.following(other)))

    async def test_elements(self):
        """Spec §4.9 and §4.10: the elements are UserInfo, as …/info gives it."""
        user, other = await self.user(), await self.user()
        sent = {"avatar": "a.png", "emblem": guid(), "publicProfile": {"profile": "hi"}}
        await self.put(f"user/{other.id}", sent | {"fullProfile": {}}, by=other, expect=204)
        await self.follow(user, other)
        await self.follow(other, user)
        info = await self.read(f"user/{other.id}/info", USER_INFO)
        for path in ("following", "followers"):
            found = await self.read(f"user/{user.id}/{path}", [USER_INFO], by=user)
            self.assertEqual([info], found)

    async def test_newest_first(self):
        """choices: both lists have the newest first."""
        user, others = await self.user(), [await self.user() for _ in range(3)]
        for other in others:
            await self.follow(user, other)
            await self.follow(other, user)
        newest = [other.id for other in reversed(others)]
        self.assertEqual(newest, await self.following(user))
        self.assertEqual(newest, await self.followers(user))

    async def test_follow_twice(self):
        """choices: following somebody again is 204 and changes nothing."""
        user, other = await self.user(), await self.someone()
        for _ in range(2):
            await self.follow(user, other)
        self.assertEqual([other.id], await self.following(user))

    async def test_unfollow(self):
        """choices: DELETE ends a following, and is 204 also where there is none."""
        user, other = await self.user(), await self.user()
        await self.follow(user, other)
        for _ in range(2):
            await self.delete(f"user/{user.id}/following/{other.id}", by=user, expect=204)
        self.assertEqual(([], []), (await self.following(user), await self.followers(other)))

    async def test_oneself(self):
        """choices: following oneself is 422 cannot_follow_self."""
        user = await self.someone()
        response = await self.put(f"user/{user.id}/following/{user.id}", by=user)
        self.problem(response, 422, "cannot_follow_self")

    async def test_pages(self):
        """choices: limit gives pages linked by rel=next, together the whole list."""
        user, others = await self.user(), [await self.user() for _ in range(3)]
        for other in others:
            await self.follow(user, other)
            await self.follow(other, user)
        newest = [other.id for other in reversed(others)]
        for path in ("following", "followers"):
            pages = await self.pages(f"user/{user.id}/{path}?limit=2", [USER_INFO], by=user)
            self.assertLessEqual(max(len(page) for page in pages), 2)
            self.assertEqual(newest, [one["id"] for page in pages for one in page])
