"""The message `state` of the socket: extensions §5."""

from collections.abc import Awaitable, Callable

from tests.spec.client import Socket
from tests.spec.content.test_lifecycle import TwoDaemonsCase
from tests.spec.data import User, guid
from tests.spec.players.test_notification_state import NotedCase


class StateCase(NotedCase):
    """Changes of flags, and what sockets say of them."""

    async def settles(self, socket: Socket, seq: int, unread: int) -> None:
        """Read states, of which several may be one, until one says this."""
        for _ in range(100):
            if await self.stated(socket) == (seq, unread):
                return
        self.fail("the states do not end")

    def changes(self, user: User, ids: list[str]) -> list[tuple[int, Callable[[], Awaitable]]]:
        """Changes of four notifications, and how many are unread after each."""
        at = f"user/{user.id}/notifications"
        more = {"by": user, "expect": 204}
        return [
            (3, lambda: self.amend(f"{at}/{ids[0]}", {"read": True}, **more)),
            (4, lambda: self.amend(f"{at}/{ids[0]}", {"read": False}, **more)),
            (2, lambda: self.post(f"{at}/read", {"upTo": ids[1]}, **more)),
            (1, lambda: self.post(f"{at}/read", {"upTo": 3}, **more)),
            (0, lambda: self.delete(f"{at}/{ids[3]}", **more)),
            (0, lambda: self.delete(f"{at}?upTo=4", **more)),
        ]


class StateTests(StateCase):
    """On one process."""

    async def test_each_change(self):
        """extensions §5: after any change of flags and any deletion `state` {seq, unread} comes, to
        all sockets of the user."""
        user = await self.noted(4)
        ids = await self.ids(user)
        sockets = [
            await self.socket(user),
            await self.socket(user),
            await self.socket(user, via="portal"),
        ]
        for unread, change in self.changes(user, ids):
            await change()
            for socket in sockets:
                self.assertEqual((4, unread), await self.stated(socket))

    async def test_only_own(self):
        """extensions §5: only the user's sockets get it, and nothing that was refused makes it."""
        user, other = await self.noted(1), await self.noted(1)
        socket = await self.socket(other)
        (id,) = await self.ids(user)
        await self.amend(self.at(user, f"/{id}"), {"read": True}, by=user, expect=204)
        await self.drop(user, id)
        for path in (self.at(other, f"/{id}"), self.at(other, f"/{guid()}")):
            await self.amend(path, {"read": True}, by=other, expect=404)
        await self.delete(self.at(other, f"?upTo={id}"), by=other, expect=404)
        await self.amend(self.at(other, f"/{id}"), {"read": True}, by=user, expect=403)
        await socket.quiet()

    async def test_not_of_new_ones(self):
        """extensions §5: a new notification is no change of flags: it comes as it does."""
        user = await self.user()
        socket = await self.socket(user)
        await self.notify(user, "x")
        self.assertEqual(1, (await self.pushed(socket))["seq"])
        await socket.quiet()

    async def test_among_notifications(self):
        """extensions §5: the numbers go on: a state takes none."""
        user = await self.noted(2)
        socket = await self.socket(user)
        (first, _) = await self.ids(user)
        await self.drop(user, first)
        self.assertEqual((2, 1), await self.stated(socket))
        await self.notify(user, "x")
        self.assertEqual(3, (await self.pushed(socket))["seq"])
        await self.drop_to(user, 3)
        self.assertEqual((3, 0), await self.stated(socket))
        await socket.quiet()

    async def test_many_at_once(self):
        """extensions §5: of many changes at once the last state is what holds."""
        user = await self.noted(20)
        ids = await self.ids(user)
        sockets = [await self.socket(user) for _ in range(2)]
        await self.together(*(self.drop(user, id) for id in ids[:10]))
        await self.together(
            *(
                self.amend(self.at(user, f"/{id}"), {"read": True}, by=user, expect=204)
                for id in ids[10:19]
            )
        )
        for socket in sockets:
            await self.settles(socket, 20, 1)
            await socket.quiet()

    async def test_while_resuming(self):
        """extensions §5: a socket that resumes gets all notifications, and the state that holds
        then or later."""
        user = await self.noted(30)
        ids = await self.ids(user)
        opening, *_ = await self.together(
            self.socket(user, resume=0), *(self.drop(user, id) for id in ids[:15])
        )
        seqs, unread = [], opening.hello["unread"]
        while len(seqs) < 30:
            message = await opening.next()
            if message["type"] == "state":
                unread = message["unread"]
            else:
                seqs.append(message["seq"])
        self.assertEqual(list(range(1, 31)), seqs)
        while unread != 15:
            _, unread = await self.stated(opening)


class TwoDaemonsStateTests(StateCase, TwoDaemonsCase):
    """With two daemons on one database."""

    async def test_on_every_process(self):
        """extensions §5: sockets on every process get it, whichever made the change."""
        user = await self.noted(4)
        ids = await self.ids(user)
        sockets = []
        for service in (self.first, self.second):
            self.use(service)
            sockets.append(await self.socket(user))
        for n, (unread, change) in enumerate(self.changes(user, ids)):
            self.use((self.first, self.second)[n % 2])
            await change()
            for socket in sockets:
                self.assertEqual((4, unread), await self.stated(socket))

    async def test_many_at_once(self):
        """extensions §5: of many changes on both at once the last state on each is what holds."""
        user = await self.noted(12)
        ids = await self.ids(user)
        sockets = []
        for service in (self.first, self.second):
            self.use(service)
            sockets.append(await self.socket(user))
        drops = []
        for n, id in enumerate(ids[:11]):
            self.use((self.first, self.second)[n % 2])
            url = self.address(self.at(user, f"/{id}"))
            headers = {"Authorization": f"Bearer {user.token}"}
            drops.append(self._http.request("DELETE", url, headers=headers))
        for response in await self.together(*drops):
            self.assertEqual(204, response.status)
        for socket in sockets:
            await self.settles(socket, 12, 1)
