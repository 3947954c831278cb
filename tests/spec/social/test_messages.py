"""Messages between friends: social#messages."""

from typing import Any

from tests.spec.data import User, guid
from tests.spec.shapes import CONVERSATION, MESSAGE, USER_INFO
from tests.spec.social.support import SocialCase

TEXT = "Meet me at the moat ✓\n🏰"


class MessageCase(SocialCase):
    """Friends who write to each other."""

    async def pair(self) -> tuple[User, User]:
        """Two friends."""
        user, other = await self.users(2)
        await self.befriend(user, other)
        return user, other

    async def messages_told(self, user: User) -> list[dict[str, Any]]:
        """What the user was told of messages."""
        return [one for one in await self.notifications(user) if one["kind"] == "FriendMessage"]


class MessageTests(MessageCase):
    """POST messages, and one message."""

    async def test_message(self):
        """It is 201 with a Location that GET answers with {id, sender, text, created,
        removed}, to both, each at their own path."""
        user, other = await self.pair()
        response = await self.say(user, other, TEXT)
        self.assertEqual(201, response.status, repr(response))
        location = response.header("Location") or ""
        self.assertRegex(location, f"^/api/v1/{self.letters(user, other)}/[0-9a-f-]{{36}}$")
        got = await self.read(location, MESSAGE, by=user)
        expected = {"id": location.rpartition("/")[2], "sender": user.id, "text": TEXT}
        self.assertEqual(expected | {"created": got["created"], "removed": False}, got)
        theirs = f"{self.letters(other, user)}/{got['id']}"
        self.assertEqual(got, await self.read(theirs, MESSAGE, by=other))

    async def test_told(self):
        """The other is told FriendMessage {sender, text, message}, by push too; who wrote is
        not."""
        user, other = await self.pair()
        sockets = [await self.socket(other), await self.socket(user)]
        id = await self.wrote(user, other, TEXT)
        (told,) = await self.messages_told(other)
        expected = {"sender": user.id, "text": TEXT, "message": id}
        self.assertEqual(expected, {member: told[member] for member in expected})
        self.assertEqual(told, (await self.pushed(sockets[0]))["notification"])
        await sockets[1].quiet()

    async def test_own_id(self):
        """`id` is the message's id; in upper case it is the same."""
        user, other = await self.pair()
        id = guid()
        self.assertEqual(id, await self.wrote(user, other, id=id))
        self.assertEqual(id, await self.wrote(user, other, id=id.upper()))
        self.assertEqual(1, len(await self.heard(user, other)))
        path = f"{self.letters(user, other)}/{id.upper()}"
        self.assertEqual(id, (await self.read(path, MESSAGE, by=user))["id"])

    async def test_repeat(self):
        """The same id again is 201 with the same Location, and tells and changes nothing, also with
        another text."""
        user, other = await self.pair()
        id = guid()
        first = await self.say(user, other, "first", id=id)
        before = await self.read(self.letters(user, other), [MESSAGE], by=user)
        for text in ("first", "second"):
            again = await self.say(user, other, text, id=id)
            self.assertEqual(201, again.status, repr(again))
            self.assertEqual(first.header("Location"), again.header("Location"))
        self.assertEqual(before, await self.read(self.letters(user, other), [MESSAGE], by=user))
        self.assertEqual(1, len(await self.messages_told(other)))

    async def test_repeats_at_once(self):
        """Repeats at the same time are one message."""
        user, other = await self.pair()
        id = guid()
        got = await self.together(*(self.say(user, other, "once", id=id) for _ in range(6)))
        self.assertEqual([201] * 6, [one.status for one in got])
        self.assertEqual(1, len({one.header("Location") for one in got}))
        self.assertEqual(["once"], await self.heard(other, user))
        self.assertEqual(1, len(await self.messages_told(other)))

    async def test_repeat_after_the_end(self):
        """A repeat is 201 also after the friendship has ended, and after a block; a new message is
        not."""
        user, other = await self.pair()
        id = guid()
        first = await self.say(user, other, id=id)
        await self.part(other, user)
        again = await self.say(user, other, id=id)
        self.assertEqual((201, first.header("Location")), (again.status, again.header("Location")))
        self.problem(await self.say(user, other, id=guid()), 403, "not_friends")
        await self.block(other, user)
        self.assertEqual(201, (await self.say(user, other, id=id)).status)
        self.problem(await self.say(user, other, id=guid()), 403, "blocked")
        self.assertEqual(1, len(await self.messages_told(other)))

    async def test_same_id_elsewhere(self):
        """The same GUID to somebody else, or from somebody else, is another message."""
        user, other = await self.pair()
        third = await self.user()
        await self.befriend(user, third)
        id = guid()
        for sender, recipient, text in (
            (user, other, "one"),
            (user, third, "two"),
            (other, user, "three"),
        ):
            self.assertEqual(id, await self.wrote(sender, recipient, text, id=id))
        self.assertEqual(["three", "one"], await self.heard(user, other))
        self.assertEqual(["three", "one"], await self.heard(other, user))
        self.assertEqual(["two"], await self.heard(third, user))
        for one, another, text in ((user, other, "one"), (other, user, "three")):
            got = await self.read(f"{self.letters(one, another)}/{id}", MESSAGE, by=one)
            self.assertEqual(text, got["text"])

    async def test_not_friends(self):
        """To who is no friend it is 403 not_friends: a stranger, one who was asked or has asked,
        one who was a friend."""
        user, other = await self.users(2)

        async def refused() -> None:
            for one, another in ((user, other), (other, user)):
                self.problem(await self.say(one, another), 403, "not_friends")

        await refused()
        await self.ask(user, other)
        await refused()
        await self.ask(other, user)
        await self.wrote(user, other)
        await self.part(other, user)
        await refused()
        self.assertEqual(1, len(await self.messages_told(other)))

    async def test_order_of_refusals(self):
        """400 comes before not_friends, and before 404."""
        user, other = await self.users(2)
        self.invalid(await self.say(user, other, ""), "/text")
        response = await self.post(f"user/{user.id}/friend/{guid()}/messages", {}, by=user)
        self.invalid(response, "/text")

    async def test_of_others(self):
        """A message that is not between the two is 404."""
        user, other = await self.pair()
        third = await self.user()
        await self.befriend(user, third)
        theirs = await self.wrote(user, third)
        response = await self.get(f"{self.letters(user, other)}/{theirs}", by=user)
        self.problem(response, 404, "message_not_found")

    async def test_text(self):
        """Any text of up to 4,096 characters comes back as it was sent."""
        user, other = await self.pair()
        texts = ["x", "🏰" * 4096, ' \t"\\\n', "\u202e\ufeff\u0001"]
        for text in texts:
            await self.wrote(user, other, text)
        data = b'{"text":"\\ud83c\\udff0"}'
        await self.post(self.letters(user, other), data=data, by=user, expect=201)
        texts.append("🏰")
        self.assertEqual(texts[::-1], await self.heard(other, user))
        self.assertEqual(texts, [one["text"] for one in await self.messages_told(other)])


class ConversationTests(MessageCase):
    """The lists of messages."""

    async def test_both_directions(self):
        """GET messages has both directions, newest first, the same for both."""
        user, other = await self.pair()
        self.assertEqual([], await self.heard(user, other))
        for n in range(6):
            await self.wrote(*((user, other) if n % 2 else (other, user)), f"{n}")
        self.assertEqual(list("543210"), await self.heard(user, other))
        path = self.letters(user, other)
        mine = await self.read(path, [MESSAGE], by=user)
        self.assertEqual([user.id, other.id] * 3, [one["sender"] for one in mine])
        self.assertEqual(mine, await self.read(self.letters(other, user), [MESSAGE], by=other))

    async def test_pages(self):
        """The parts together are the whole list, also while a message is added."""
        user, other = await self.pair()
        for n in range(5):
            await self.wrote(*((user, other) if n % 2 else (other, user)), f"{n}")
        path = f"{self.letters(user, other)}?limit=2"
        pages = await self.pages(path, [MESSAGE], by=user)
        self.assertEqual(["43", "21", "0"], ["".join(m["text"] for m in page) for page in pages])
        first = await self.get(path, by=user, expect=200)
        await self.wrote(other, user, "later")
        link = (first.header("Link") or "").partition(">")[0].removeprefix("<")
        rest = [m["text"] for page in await self.pages(link, [MESSAGE], by=user) for m in page]
        self.assertEqual(["2", "1", "0"], rest)

    async def test_after_the_end(self):
        """The messages stay, for both, after the friendship has ended, also by a block."""
        user, other = await self.pair()
        await self.wrote(user, other, "kept")
        for end in (self.part, self.block):
            await end(other, user)
            for one, another in ((user, other), (other, user)):
                (got,) = await self.read(self.letters(one, another), [MESSAGE], by=one)
                path = f"{self.letters(one, another)}/{got['id']}"
                self.assertEqual(got, await self.read(path, MESSAGE, by=one))
                path = f"user/{one.id}/messages"
                (found,) = await self.read(path, [CONVERSATION], by=one)
                self.assertEqual((another.id, got), (found["user"]["id"], found["last"]))

    async def test_latest(self):
        """GET user/messages has {user, last} of each conversation, that with the newest message
        first."""
        user, one = await self.pair()
        two = await self.user()
        await self.befriend(user, two)
        path = f"user/{user.id}/messages"
        self.assertEqual([], await self.read(path, [CONVERSATION], by=user))
        for sender, recipient, text in (
            (user, one, "a"),
            (two, user, "b"),
            (one, user, "c"),
            (user, one, "d"),
        ):
            await self.wrote(sender, recipient, text)
        found = await self.read(path, [CONVERSATION], by=user)
        expected = [(one.id, user.id, "d"), (two.id, two.id, "b")]
        got = [(c["user"]["id"], c["last"]["sender"], c["last"]["text"]) for c in found]
        self.assertEqual(expected, got)
        self.assertEqual(await self.read(f"user/{one.id}/info", USER_INFO), found[0]["user"])
        await self.wrote(user, two, "e")
        pages = await self.pages(f"{path}?limit=1", [CONVERSATION], by=user)
        self.assertEqual(["e", "d"], [c["last"]["text"] for page in pages for c in page])

    async def test_at_once(self):
        """Messages at the same time, both ways, are all there, in one order, which is that in which
        the other is told."""
        user, other = await self.pair()
        await self.together(
            *(self.wrote(user, other, f"a{n}") for n in range(10)),
            *(self.wrote(other, user, f"b{n}") for n in range(10)),
        )
        texts = await self.heard(user, other)
        self.assertEqual(20, len(set(texts)))
        self.assertEqual(texts, await self.heard(other, user))
        told = [one["text"] for one in await self.messages_told(other)]
        self.assertEqual([text for text in reversed(texts) if text[0] == "a"], told)
        (last,) = await self.read(f"user/{user.id}/messages", [CONVERSATION], by=user)
        self.assertEqual(texts[0], last["last"]["text"])
