"""Notifications and the debug call: notifications#notifications, notifications#list,
notifications#debug and notifications#kinds."""

from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import DEBUG


class NotificationTests(SpecCase):
    """GET notifications, the read flag, POST debug/notify."""

    def path(self, user: User) -> str:
        """The path of the user's notifications."""
        return f"user/{user.id}/notifications"

    async def notified(self, *texts: str) -> User:
        """A new user with these Debug notifications."""
        user = await self.user()
        for text in texts:
            await self.notify(user, text)
        return user

    async def texts(self, user: User, **query: object) -> list[str]:
        """The texts listed."""
        return [one["text"] for one in await self.notifications(user, **query)]

    async def flags(self, user: User) -> list[bool]:
        """The read flags listed."""
        return [one["read"] for one in await self.notifications(user)]

    async def test_debug(self):
        """notifications#debug and notifications#kinds: POST debug/notify is 204 and makes a Debug
        with the text."""
        user = await self.notified("for you")
        (got,) = await self.read(self.path(user), [DEBUG], by=user)
        self.assertEqual(("for you", False), (got["text"], got["read"]))

    async def test_debug_to_oneself(self):
        """notifications#debug: the recipient may be anybody, oneself too."""
        user = await self.user()
        body = {"recipient": user.id, "text": "note"}
        await self.post("debug/notify", body, by=user, expect=204)
        self.assertEqual(["note"], await self.texts(user))

    async def test_debug_unknown_recipient(self):
        """A recipient who does not exist is 404 user_not_found."""
        body = {"recipient": guid(), "text": "hello?"}
        response = await self.post("debug/notify", body, by=await self.someone())
        self.problem(response, 404, "user_not_found")

    async def test_none(self):
        """notifications#list: without notifications it is an empty array."""
        self.assertEqual([], await self.texts(await self.user()))

    async def test_chronological(self):
        """notifications#list: in chronological order."""
        texts = [f"number {n}" for n in range(5)]
        self.assertEqual(texts, await self.texts(await self.notified(*texts)))

    async def test_since(self):
        """notifications#list: since leaves those that are strictly newer than it, in seconds."""
        user = await self.notified("now")
        created = (await self.notifications(user))[0]["created"]
        self.assertEqual(["now"], await self.texts(user, since=created - 1))
        self.assertEqual(["now"], await self.texts(user, since=created - 0.5))
        self.assertEqual([], await self.texts(user, since=created))
        self.assertEqual([], await self.texts(user, since=created + 0.5))
        self.assertEqual(["now"], await self.texts(user, since=0))

    async def test_after_sequence_number(self):
        """notifications#list: after is the number the socket shows: everything later is given."""
        user = await self.notified("a", "b", "c")
        self.assertEqual(["b", "c"], await self.texts(user, after=1))
        self.assertEqual(["a", "b", "c"], await self.texts(user, after=0))
        self.assertEqual([], await self.texts(user, after=3))

    async def test_after_id(self):
        """notifications#list: after may be a notification's id."""
        user = await self.notified("a", "b", "c")
        first = (await self.notifications(user))[0]["id"]
        self.assertEqual(["b", "c"], await self.texts(user, after=first))
        self.assertEqual(["b"], await self.texts(user, after=first, limit=1))

    async def test_pages(self):
        """conventions#lists: limit gives pages linked by rel=next, together the whole list."""
        texts = [f"number {n}" for n in range(5)]
        user = await self.notified(*texts)
        pages = await self.pages(f"{self.path(user)}?limit=2", [DEBUG], by=user)
        self.assertLessEqual(max(len(page) for page in pages), 2)
        self.assertEqual(texts, [one["text"] for page in pages for one in page])

    async def test_mark_read(self):
        """notifications#read-flags: a notification has a read flag, which PATCH sets either way."""
        user = await self.notified("a", "b")
        ids = [one["id"] for one in await self.notifications(user)]
        for read in (True, False):
            path = f"{self.path(user)}/{ids[0]}"
            await self.amend(path, {"read": read}, by=user, expect=204)
            self.assertEqual([read, False], await self.flags(user))

    async def test_unknown_notification(self):
        """A notification of nobody or of another is 404 notification_not_found."""
        user, other = await self.someone(), await self.notified("theirs")
        (theirs,) = await self.notifications(other)
        for unknown in (guid(), theirs["id"]):
            response = await self.amend(f"{self.path(user)}/{unknown}", {"read": True}, by=user)
            self.problem(response, 404, "notification_not_found")
        self.assertEqual([False], await self.flags(other))
