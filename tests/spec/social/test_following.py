"""Following: social#following; and NewFollower: notifications#delivery."""

from tests.spec.data import User, guid
from tests.spec.shapes import USER_INFO
from tests.spec.social.support import SocialCase


class FollowingCase(SocialCase):
    """One who follows another."""

    async def unfollow(self, user: User, other: User) -> None:
        """DELETE following."""
        await self.delete(f"user/{user.id}/following/{other.id}", by=user, expect=204)

    async def both(self, user: User) -> tuple[list[str], list[str]]:
        """The ids of the user's followers, and of those that the user follows."""
        return await self.listed(user, "followers"), await self.listed(user, "following")


class FollowingTests(FollowingCase):
    """GET followers and following, PUT and DELETE of a following."""

    async def test_nobody(self):
        """social#following: both are empty arrays at first."""
        self.assertEqual(([], []), await self.both(await self.user()))

    async def test_follow(self):
        """social#following: a following shows in the one's list and in the other's."""
        user, other = await self.users(2)
        await self.follow(user, other)
        self.assertEqual(([], [other.id]), await self.both(user))
        self.assertEqual(([user.id], []), await self.both(other))

    async def test_elements(self):
        """social#following: the elements are UserInfo, as …/info gives it."""
        user, other = await self.users(2)
        sent = {"avatar": "a.png", "emblem": guid(), "publicProfile": {"profile": "hi"}}
        await self.put(f"user/{other.id}", sent | {"fullProfile": {}}, by=other, expect=204)
        await self.follow(user, other)
        await self.follow(other, user)
        info = await self.read(f"user/{other.id}/info", USER_INFO)
        for path in ("following", "followers"):
            found = await self.read(f"user/{user.id}/{path}", [USER_INFO], by=user)
            self.assertEqual([info], found)

    async def test_newest_first(self):
        """conventions#lists: both have the newest first, whole or in parts."""
        user, *others = await self.users(4)
        for other in others:
            await self.follow(user, other)
            await self.follow(other, user)
        newest = [other.id for other in reversed(others)]
        self.assertEqual((newest, newest), await self.both(user))
        for path in ("following", "followers"):
            pages = await self.pages(f"user/{user.id}/{path}?limit=2", [USER_INFO], by=user)
            self.assertEqual([2, 1], [len(page) for page in pages])
            self.assertEqual(newest, [one["id"] for page in pages for one in page])

    async def test_follow_twice(self):
        """social#following: following somebody again is 204 and changes nothing."""
        user, other = await self.user(), await self.someone()
        for _ in range(2):
            await self.follow(user, other)
        self.assertEqual([other.id], await self.listed(user, "following"))

    async def test_unfollow(self):
        """social#following: DELETE ends a following, and is 204 also where there is none."""
        user, other = await self.users(2)
        await self.follow(user, other)
        for _ in range(2):
            await self.unfollow(user, other)
        self.assertEqual(([], []), await self.both(user))
        self.assertEqual(([], []), await self.both(other))

    async def test_oneself(self):
        """social#following: following oneself is 422 cannot_follow_self."""
        user = await self.someone()
        self.problem(await self.follow(user, user, expect=None), 422, "cannot_follow_self")


class NewFollowerTests(FollowingCase):
    """What a followed user is told."""

    def of(self, *followers: User) -> list[tuple[str, str]]:
        """What is told of these."""
        return [("NewFollower", one.id) for one in followers]

    async def test_told(self):
        """The followed user is told, by push too; nobody else is."""
        user, other = await self.users(2)
        socket = await self.socket(other)
        await self.follow(user, other)
        self.assertEqual((self.of(user), []), (await self.told(other), await self.told(user)))
        message = await self.pushed(socket)
        self.assertEqual([message["notification"]], await self.notifications(other))

    async def test_once_a_day(self):
        """It is told once in 24 hours from the same user, whatever was undone meanwhile: by
        unfollowing, or by a block."""
        user, other = await self.users(2)
        for _ in range(2):
            await self.follow(user, other)
        await self.unfollow(user, other)
        await self.follow(user, other)
        for one, another in ((user, other), (other, user)):
            await self.block(one, another)
            await self.unblock(one, another)
            await self.follow(user, other)
        self.assertEqual([user.id], await self.listed(other, "followers"))
        self.assertEqual(self.of(user), await self.told(other))

    async def test_each_direction(self):
        """Each sender and each recipient have 24 hours of their own."""
        user, other, third = await self.users(3)
        for follower, followed in ((user, other), (other, user), (third, other), (user, third)):
            await self.follow(follower, followed)
        self.assertEqual(self.of(user, third), await self.told(other))
        self.assertEqual(self.of(other), await self.told(user))
        self.assertEqual(self.of(user), await self.told(third))

    async def test_beside_requests(self):
        """NewFollower and FriendRequest do not stand in for each other."""
        user, other = await self.users(2)
        await self.ask(user, other)
        await self.follow(user, other)
        kinds = [kind for kind, _ in await self.told(other)]
        self.assertEqual(["FriendRequest", "NewFollower"], kinds)

    async def test_at_once(self):
        """Repeats at the same time tell once."""
        user, other = await self.users(2)
        await self.together(*(self.follow(user, other) for _ in range(6)))
        self.assertEqual(self.of(user), await self.told(other))

    async def test_refused(self):
        """What was refused tells nobody, and the 24 hours do not begin with it."""
        user, other = await self.users(2)
        await self.block(other, user)
        self.problem(await self.follow(user, other, expect=None), 403, "blocked")
        self.assertEqual([], await self.told(other))
        await self.unblock(other, user)
        await self.follow(user, other)
        self.assertEqual(self.of(user), await self.told(other))
