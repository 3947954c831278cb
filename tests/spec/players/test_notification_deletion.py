"""Notifications that are deleted: extensions §5."""

from typing import Any

from tests.spec.client import Socket
from tests.spec.data import guid
from tests.spec.players.test_notification_state import NotedCase
from tests.spec.shapes import DELETED, NOTIFICATION


class DeletionTests(NotedCase):
    """DELETE of one, and of all up to one, as REST shows it."""

    async def test_one(self):
        """extensions §5: a deleted notification is in no list any more; the others are."""
        user = await self.noted(3)
        before = await self.notifications(user)
        for _ in range(2):
            await self.drop(user, before[1]["id"])
        self.assertEqual([before[0], before[2]], await self.notifications(user))

    async def test_any_guid(self):
        """extensions §5: DELETE is 204 for any GUID; another's notification stays."""
        user, other = await self.noted(1), await self.noted(1)
        (theirs,) = await self.ids(other)
        for id in (guid(), theirs, theirs.upper()):
            await self.drop(user, id)
        self.assertEqual(([theirs], (1, 1, 1)), (await self.ids(other), await self.state(other)))
        self.assertEqual((1, 1, 1), await self.state(user))
        response = await self.delete(self.at(user, "/7"), by=user)
        self.problem(response, 400, "invalid_path")
        (mine,) = await self.ids(user)
        await self.drop(user, mine.upper())
        self.assertEqual([], await self.ids(user))

    async def test_flag(self):
        """extensions §5: PATCH of a deleted one is 404."""
        user = await self.noted(1)
        (id,) = await self.ids(user)
        await self.drop(user, id)
        for read in (True, False):
            response = await self.amend(self.at(user, f"/{id}"), {"read": read}, by=user)
            self.problem(response, 404, "notification_not_found")
        self.assertEqual((1, 1, 0), await self.state(user))

    async def test_up_to(self):
        """extensions §5: DELETE with upTo takes this one and all before it, by id or number."""
        for by_id in (True, False):
            user = await self.noted(4)
            up_to = (await self.ids(user))[1].upper() if by_id else 2
            for _ in range(2):
                await self.drop_to(user, up_to)
            self.assertEqual(["3", "4"], await self.texts(user))
            self.assertEqual((4, 1, 2), await self.state(user))

    async def test_up_to_all(self):
        """extensions §5: a number above the newest means all, and not what comes later; 0 is before
        the first."""
        user = await self.noted(2)
        await self.drop_to(user, 0)
        self.assertEqual(["1", "2"], await self.texts(user))
        await self.drop_to(user, 10**30)
        self.assertEqual([], await self.texts(user))
        await self.notify(user, "3")
        self.assertEqual(["3"], await self.texts(user))
        nobody = await self.user()
        await self.drop_to(nobody, 5)
        self.assertEqual((0, 1, 0), await self.state(nobody))

    async def test_up_to_deleted(self):
        """extensions §5: upTo accepts a deleted one, of DELETE and of POST read."""
        user = await self.noted(4)
        ids = await self.ids(user)
        await self.drop(user, ids[1])
        await self.post(self.at(user, "/read"), {"upTo": ids[1]}, by=user, expect=204)
        self.assertEqual([True, False, False], [n["read"] for n in await self.notifications(user)])
        await self.drop_to(user, ids[1])
        self.assertEqual(["3", "4"], await self.texts(user))

    async def test_up_to_unknown(self):
        """extensions §5: an id that is unknown, or another's, is 404, and nothing is deleted."""
        user, other = await self.noted(1), await self.noted(1)
        for unknown in (guid(), *await self.ids(other)):
            response = await self.delete(self.at(user, f"?upTo={unknown}"), by=user)
            self.problem(response, 404, "notification_not_found")
        self.assertEqual((["1"], ["1"]), (await self.texts(user), await self.texts(other)))

    async def test_after(self):
        """extensions §5: `after` accepts a deleted one, by its id and by its number."""
        user = await self.noted(4)
        ids = await self.ids(user)
        for id in (ids[1], ids[2]):
            await self.drop(user, id)
        for after in (1, 2, 3, *ids[1:3]):
            self.assertEqual(["4"], await self.texts(user, after=after))
            self.assertEqual(["4"], await self.texts(user, after=after, limit=1))
        self.assertEqual(["1", "4"], await self.texts(user, after=0))

    async def test_pages(self):
        """extensions §5: pages go on over what is deleted, however much that is."""
        user = await self.noted(9)
        ids = await self.ids(user)
        for id in ids[1:7]:
            await self.drop(user, id)
        pages = await self.pages(self.at(user, "?limit=2"), [NOTIFICATION], by=user)
        self.assertEqual(["1", "8", "9"], [one["text"] for page in pages for one in page])
        await self.drop(user, ids[8])
        pages = await self.pages(self.at(user, "?limit=1"), [NOTIFICATION], by=user)
        self.assertEqual(["1", "8"], [one["text"] for page in pages for one in page])

    async def test_page_that_is_deleted(self):
        """extensions §5: a cursor stays good after what it names was deleted."""
        user = await self.noted(4)
        first = await self.get(self.at(user, "?limit=2"), by=user, expect=200)
        link = (first.header("Link") or "").partition(">")[0].removeprefix("<")
        await self.drop_to(user, 2)
        pages = await self.pages(link, [NOTIFICATION], by=user)
        self.assertEqual(["3", "4"], [one["text"] for page in pages for one in page])


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
        """extensions §5: the socket replays {id, kind: Deleted, created, read: true}, so that the
        numbers have no holes."""
        user = await self.noted(4)
        before = await self.notifications(user)
        for one in before[1:3]:
            await self.drop(user, one["id"])
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
        """extensions §5: nothing of what it was is left, whatever it was."""
        user, other = await self.noted(0), await self.user()
        await self.befriend(other, user)
        await self.wrote(other, user, "a secret")
        await self.drop_to(user, 99)
        socket = await self.socket(user, resume=0)
        for message in await self.replayed(socket, 2):
            self.shape(message["notification"], DELETED)
        self.assertEqual(["a secret"], await self.heard(user, other))

    async def test_resume_at_deleted(self):
        """extensions §5: a client resumes after a deleted one: number and id are still the same."""
        user = await self.noted(3)
        ids = await self.ids(user)
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
        """extensions §5: what is deleted while a socket replays it comes once, in its place, as it
        was or as Deleted; what comes then goes on from there."""
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
