"""The state of one's notifications: extensions §5."""

from typing import Any

from tests.spec.data import User, guid
from tests.spec.players.base import PlayersCase


class NotedCase(PlayersCase):
    """Users with Debug notifications."""

    async def noted(self, count: int) -> User:
        """A fresh user with notifications "1", "2" and so on, which have these numbers."""
        user = await self.user()
        for n in range(1, count + 1):
            await self.notify(user, f"{n}")
        return user

    async def ids(self, user: User) -> list[str]:
        """The ids of the user's notifications."""
        return [one["id"] for one in await self.notifications(user)]

    async def texts(self, user: User, **query: Any) -> list[str]:
        """The texts of the user's notifications."""
        return [one["text"] for one in await self.notifications(user, **query)]

    def at(self, user: User, more: str = "") -> str:
        """A path below the user's notifications."""
        return f"user/{user.id}/notifications{more}"

    async def drop(self, user: User, id: str) -> None:
        """DELETE one notification."""
        await self.delete(self.at(user, f"/{id}"), by=user, expect=204)

    async def drop_to(self, user: User, up_to: object) -> None:
        """DELETE this one and all before it."""
        await self.delete(self.at(user, f"?upTo={up_to}"), by=user, expect=204)


class StateTests(NotedCase):
    """GET notifications/state, and POST read, which takes numbers too."""

    async def test_none(self):
        """extensions §5: 0, 1, 0 where there was none yet."""
        self.assertEqual((0, 1, 0), await self.state(await self.user()))

    async def test_some(self):
        """extensions §5: the numbers are those of the socket: its hello says the same."""
        user = await self.noted(3)
        self.assertEqual((3, 1, 3), await self.state(user))
        hello = (await self.socket(user)).hello
        self.assertEqual((3, 3), (hello["seq"], hello["unread"]))

    async def test_read(self):
        """extensions §5: `unread` follows the flags, both ways, and counts a repeat once."""
        user = await self.noted(3)
        ids = await self.ids(user)
        for read, unread in ((True, 2), (True, 2), (False, 3), (False, 3)):
            await self.amend(self.at(user, f"/{ids[1]}"), {"read": read}, by=user, expect=204)
            self.assertEqual((3, 1, unread), await self.state(user))
        await self.post(self.at(user, "/read"), {"upTo": ids[1]}, by=user, expect=204)
        self.assertEqual((3, 1, 1), await self.state(user))

    async def test_read_by_number(self):
        """extensions §5: POST read takes a number too; one above the newest means all."""
        user = await self.noted(3)
        for number, unread in ((2, 1), (1, 1), (0, 1), (10**30, 0)):
            await self.post(self.at(user, "/read"), {"upTo": number}, by=user, expect=204)
            self.assertEqual((3, 1, unread), await self.state(user))
        await self.notify(user, "4")
        self.assertEqual((4, 1, 1), await self.state(user))

    async def test_bad_read(self):
        """extensions §5: upTo is an id or a number; an id that is unknown is 404."""
        user = await self.noted(1)
        path = self.at(user, "/read")
        for bad in ("x", "", -1, 1.5, None, True, [1]):
            self.invalid(await self.post(path, {"upTo": bad}, by=user), "/upTo")
        response = await self.post(path, {"upTo": guid()}, by=user)
        self.problem(response, 404, "notification_not_found")
        self.assertEqual((1, 1, 1), await self.state(user))

    async def test_deleted(self):
        """extensions §5: a deletion takes away what was unread, and moves neither `newest` nor
        `oldest`."""
        user = await self.noted(4)
        ids = await self.ids(user)
        await self.post(self.at(user, "/read"), {"upTo": 1}, by=user, expect=204)
        for id, unread in ((ids[0], 3), (ids[3], 2), (ids[3], 2)):
            await self.drop(user, id)
            self.assertEqual((4, 1, unread), await self.state(user))
        await self.drop_to(user, 99)
        self.assertEqual((4, 1, 0), await self.state(user))
        await self.notify(user, "5")
        self.assertEqual((5, 1, 1), await self.state(user))

    async def test_at_once(self):
        """extensions §5: changes at the same time are all counted, each once."""
        user = await self.noted(10)
        ids = await self.ids(user)
        flag, body = [self.at(user, f"/{id}") for id in ids], {"read": True}
        await self.together(
            *(self.amend(path, body, by=user) for path in flag[:5] * 2),
            *(self.delete(path, by=user, expect=204) for path in flag[3:8] * 2),
            *(self.notify(user) for _ in range(5)),
        )
        newest, oldest, unread = await self.state(user)
        self.assertEqual((15, 1), (newest, oldest))
        left = await self.notifications(user)
        self.assertEqual(10, len(left))
        self.assertEqual(sum(not one["read"] for one in left), unread)
        self.assertEqual(7, unread)
