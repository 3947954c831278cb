"""Friend requests that wait for an answer: extensions §4."""

from tests.spec.players.base import PlayersCase
from tests.spec.shapes import FRIEND_REQUEST, USER_INFO


class FriendRequestTests(PlayersCase):
    """GET friend-requests."""

    async def test_none(self):
        """extensions §4: without requests it is an empty array."""
        self.assertEqual([], await self.requests(await self.user()))

    async def test_directions(self):
        """extensions §4: one sees it as outgoing, the other as incoming."""
        user, other = await self.users(2)
        await self.ask(user, other)
        self.assertEqual([("outgoing", other.id)], await self.requests(user))
        self.assertEqual([("incoming", user.id)], await self.requests(other))

    async def test_elements(self):
        """extensions §4: {user, direction, created}, with the user as …/info gives it."""
        user, other = await self.users(2)
        await self.ask(user, other)
        (got,) = await self.read(f"user/{other.id}/friend-requests", [FRIEND_REQUEST], by=other)
        self.assertEqual(await self.read(f"user/{user.id}/info", USER_INFO), got["user"])
        (told,) = await self.notifications(other)
        self.assertTrue(abs(got["created"] - told["created"]) <= 1)

    async def test_order(self):
        """extensions: newest first, both directions together."""
        user, *others = await self.users(5)
        expected = []
        for n, other in enumerate(others):
            await (self.ask(user, other) if n % 2 else self.ask(other, user))
            expected.insert(0, ("outgoing" if n % 2 else "incoming", other.id))
        self.assertEqual(expected, await self.requests(user))

    async def test_direction(self):
        """extensions §4: query `direction` leaves those of one direction."""
        user, one, two = await self.users(3)
        await self.ask(user, one)
        await self.ask(two, user)
        for direction, other in (("outgoing", one), ("incoming", two)):
            found = await self.requests(user, direction=direction)
            self.assertEqual([(direction, other.id)], found)

    async def test_pages(self):
        """extensions: limit and after, with a direction and without; together the whole list."""
        user, *others = await self.users(6)
        for n, other in enumerate(others):
            await (self.ask(user, other) if n % 2 else self.ask(other, user))
        for more, expected in (
            ("", list(reversed(others))),
            ("&direction=incoming", others[4::-2]),
            ("&direction=outgoing", others[3::-2]),
        ):
            path = f"user/{user.id}/friend-requests?limit=1{more}"
            pages = await self.pages(path, [FRIEND_REQUEST], by=user)
            self.assertLessEqual(max(len(page) for page in pages), 1)
            found = [one["user"]["id"] for page in pages for one in page]
            self.assertEqual([other.id for other in expected], found)

    async def test_answered(self):
        """extensions §4: what was accepted, turned down or taken back waits no more."""
        user, one, two, three = await self.users(4)
        for other in (one, two, three):
            await self.ask(user, other)
        await self.ask(one, user)
        await self.part(two, user)
        await self.part(user, three)
        for each in (user, one, two, three):
            self.assertEqual([], await self.requests(each))

    async def test_made_again(self):
        """extensions §4: a request that was taken back and made again is the newest."""
        user, one, two = await self.users(3)
        for other in (one, two):
            await self.ask(user, other)
        await self.part(user, one)
        await self.ask(user, one)
        found = await self.requests(user)
        self.assertEqual([("outgoing", one.id), ("outgoing", two.id)], found)

    async def test_repeat_stays(self):
        """extensions: a repeat moves no request to the front."""
        user, one, two = await self.users(3)
        for other in (one, two, one):
            await self.ask(user, other)
        found = await self.requests(user)
        self.assertEqual([("outgoing", two.id), ("outgoing", one.id)], found)
