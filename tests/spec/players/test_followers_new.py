"""NewFollower: extensions §4."""

from typing import Any

from tests.spec.data import User
from tests.spec.players.base import PlayersCase


class NewFollowerTests(PlayersCase):
    """What a followed user is told."""

    def of(self, *followers: User) -> list[dict[str, Any]]:
        """What is told of these."""
        return [{"kind": "NewFollower", "sender": one.id} for one in followers]

    async def unfollow(self, user: User, other: User) -> None:
        """DELETE following."""
        await self.delete(f"user/{user.id}/following/{other.id}", by=user, expect=204)

    async def test_told(self):
        """extensions §4: the followed user is told NewFollower {sender}, by push too; nobody else
        is told."""
        user, other = await self.users(2)
        socket = await self.socket(other)
        await self.follow(user, other)
        self.assertEqual(self.of(user), await self.told(other))
        self.assertEqual([], await self.told(user))
        message = await self.pushed(socket)
        self.assertEqual([message["notification"]], await self.notifications(other))

    async def test_once_a_day(self):
        """extensions §4: once per sender and recipient in 24 hours, whatever was undone meanwhile:
        by unfollowing, or by a block."""
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
        """extensions §4: each sender and each recipient have 24 hours of their own."""
        user, other, third = await self.users(3)
        for follower, followed in ((user, other), (other, user), (third, other), (user, third)):
            await self.follow(follower, followed)
        self.assertEqual(self.of(user, third), await self.told(other))
        self.assertEqual(self.of(other), await self.told(user))
        self.assertEqual(self.of(user), await self.told(third))

    async def test_beside_requests(self):
        """extensions §4: NewFollower and FriendRequest do not stand in for each other."""
        user, other = await self.users(2)
        await self.ask(user, other)
        await self.follow(user, other)
        kinds = [one["kind"] for one in await self.told(other)]
        self.assertEqual(["FriendRequest", "NewFollower"], kinds)

    async def test_at_once(self):
        """extensions §4: repeats at the same time tell once."""
        user, other = await self.users(2)
        await self.together(*(self.follow(user, other) for _ in range(6)))
        self.assertEqual(self.of(user), await self.told(other))

    async def test_refused(self):
        """extensions §4: what was refused tells nobody, and the 24 hours do not begin with it."""
        user, other = await self.users(2)
        await self.block(other, user)
        self.problem(await self.follow(user, other, expect=None), 403, "blocked")
        self.assertEqual([], await self.told(other))
        await self.unblock(other, user)
        await self.follow(user, other)
        self.assertEqual(self.of(user), await self.told(other))
