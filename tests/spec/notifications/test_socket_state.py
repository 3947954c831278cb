"""What a socket says of flags that change and of deletions: the message `state`, and what it
replays of deleted ones (notifications#read-flags)."""

from typing import Any

from tests.spec.client import Socket
from tests.spec.data import guid
from tests.spec.notifications.support import NotedCase
from tests.spec.shapes import DELETED, NOTIFICATION


class StateTests(NotedCase):
    """The message `state`."""

    async def settles(self, socket: Socket, seq: int, unread: int) -> None:
        """Read states, of which several may be one, until one says this."""
        for _ in range(100):
            if await self.stated(socket) == (seq, unread):
                return
        self.fail("the states do not end")

    async def test_each_change(self):
        """After any change of flags and any deletion it comes to all sockets of the user."""
        user, ids = await self.noted(4)
        sockets = [
            await self.socket(user),
            await self.socket(user),
            await self.socket(user, via="portal"),
        ]
        for unread, change in self.changes(user, ids):
            await change()
            for socket in sockets:
                self.assertEqual((4, unread), await self.stated(socket))

    async def test_no_change(self):
        """What changes nothing is not told, and a new notification comes as it does."""
        user, ids = await self.noted(2)
        await self.drop(user, ids[0])
        socket = await self.socket(user)
        await self.flag(user, ids[1], read=False)
        await self.read_to(user, 1)
        await self.drop_to(user, 1)
        await self.drop(user, ids[0])
        await self.drop(user, guid())
        await self.mute(user)
        await self.notify(user, "3")
        self.assertEqual("3", (await self.pushed(socket))["notification"]["text"])
        await socket.quiet()

    async def test_only_own(self):
        """Only the user's sockets get it, and nothing that was refused makes it."""
        user, (id,) = await self.noted(1)
        other, _ = await self.noted(1)
        socket = await self.socket(other)
        await self.flag(user, id)
        await self.drop(user, id)
        for path in (self.path(other, f"/{id}"), self.path(other, f"/{guid()}")):
            await self.amend(path, {"read": True}, by=other, expect=404)
        await self.delete(self.path(other, f"?upTo={id}"), by=other, expect=404)
        await self.amend(self.path(other, f"/{id}"), {"read": True}, by=user, expect=403)
        await socket.quiet()

    async def test_among_notifications(self):
        """The numbers go on: a state takes none."""
        user, ids = await self.noted(2)
        socket = await self.socket(user)
        await self.drop(user, ids[0])
        self.assertEqual((2, 1), await self.stated(socket))
        await self.notify(user, "3")
        self.assertEqual(3, (await self.pushed(socket))["seq"])
        await self.drop_to(user, 3)
        self.assertEqual((3, 0), await self.stated(socket))
        await socket.quiet()

    async def test_many_at_once(self):
        """Of many changes at once the last state is what holds."""
        user, ids = await self.noted(20)
        sockets = [await self.socket(user) for _ in range(2)]
        await self.together(*(self.drop(user, id) for id in ids[:10]))
        await self.together(*(self.flag(user, id) for id in ids[10:19]))
        for socket in sockets:
            await self.settles(socket, 20, 1)
            await socket.quiet()

    async def test_while_resuming(self):
        """A socket that resumes gets all notifications, and the state that holds then or later."""
        user, ids = await self.noted(30)
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


class ReplayTests(NotedCase):
    """What a socket replays of deleted ones."""

    async def replayed(self, socket: Socket, count: int) -> list[dict[str, Any]]:
        """The next messages, which are this many notifications, without states among them."""
        found: list[dict[str, Any]] = []
        while len(found) < count:
            message = await socket.next()
            if message["type"] != "state":
                self.assertIsNone((await self.contract()).wrong_message(message))
                found.append(message)
        return found

    async def test_deleted(self):
        """It replays {id, kind: Deleted, created, read: true}, so that the numbers have no
        holes."""
        user, ids = await self.noted(4)
        before = await self.notifications(user)
        for id in ids[1:3]:
            await self.drop(user, id)
        socket = await self.socket(user, resume=0)
        got = await self.replayed(socket, 4)
        self.assertEqual([1, 2, 3, 4], [message["seq"] for message in got])
        for message, one in zip(got, before, strict=True):
            told = message["notification"]
            if one in before[1:3]:
                self.shape(told, DELETED)
                self.assertEqual((one["id"], one["created"]), (told["id"], told["created"]))
            else:
                self.assertEqual(one, told)
        await socket.quiet()

    async def test_of_all_kinds(self):
        """Nothing of what it was is left, whatever it was; a message stays."""
        user, other = await self.users(2)
        await self.befriend(other, user)
        await self.wrote(other, user, "a secret")
        await self.drop_to(user, 99)
        socket = await self.socket(user, resume=0)
        for message in await self.replayed(socket, 2):
            self.shape(message["notification"], DELETED)
        self.assertEqual(["a secret"], await self.heard(user, other))

    async def test_resume_at_deleted(self):
        """A client resumes after a deleted one: number and id are still the same."""
        user, ids = await self.noted(3)
        await self.drop_to(user, 3)
        socket = await self.socket(user, resume=2, resume_id=ids[1])
        self.assertEqual((2, ids[1]), (socket.hello["seq"], socket.hello["id"]))
        (message,) = await self.replayed(socket, 1)
        self.assertEqual((3, ids[2]), (message["seq"], message["notification"]["id"]))
        self.shape(message["notification"], DELETED)
        await socket.quiet()
        socket = await self.socket(user)
        self.assertEqual((3, ids[2]), (socket.hello["seq"], socket.hello["id"]))
        self.assertEqual(0, socket.hello["unread"])

    async def test_amid_a_replay(self):
        """What is deleted while a socket replays it comes once, in its place, as it was or as
        Deleted; what comes then goes on from there."""
        user = await self.user()
        for _ in range(10):
            await self.together(*(self.notify(user, "old") for _ in range(20)))
        before = {one["id"] for one in await self.notifications(user)}
        sockets: list[Socket] = await self.together(
            *(self.socket(user, resume=0) for _ in range(2)),
            *(self.drop_to(user, up_to) for up_to in (50, 150, 200)),
            self.socket(user, resume=0),
        )
        await self.notify(user, "new")
        for socket in (*sockets[:2], sockets[-1]):
            got = await self.replayed(socket, 201)
            self.assertEqual(list(range(1, 202)), [message["seq"] for message in got])
            self.assertEqual(before, {message["notification"]["id"] for message in got[:200]})
            for message in got[:200]:
                self.shape(message["notification"], (*NOTIFICATION, DELETED))
            self.assertEqual("new", got[200]["notification"]["text"])
        self.assertEqual(["new"], await self.texts(user))
        socket = await self.socket(user, resume=0)
        got = await self.replayed(socket, 201)
        self.assertEqual({"Deleted"}, {message["notification"]["kind"] for message in got[:200]})
