"""Taking a message away: social#unsending."""

from typing import Any

from tests.spec.client import Response
from tests.spec.data import User, guid
from tests.spec.moderation.support import ReportingCase
from tests.spec.shapes import CONVERSATION, MESSAGE
from tests.spec.social.test_messages import MessageCase


class UnsendCase(MessageCase):
    """Friends, of whom one takes back what they wrote."""

    async def unsend(self, user: User, other: User, id: str, expect: int | None = 204) -> Response:
        """DELETE a message."""
        path = f"{self.letters(user, other)}/{id}"
        return await self.delete(path, by=user, expect=expect)

    async def shown(self, user: User, other: User, id: str) -> list[tuple[str, bool]]:
        """Its text and `removed` wherever the user reads it: alone, in the list, as the newest."""
        path = self.letters(user, other)
        one = await self.read(f"{path}/{id}", MESSAGE, by=user)
        listed = await self.read(path, [MESSAGE], by=user)
        talks = await self.read(f"user/{user.id}/messages", [CONVERSATION], by=user)
        found = [one, *listed, *(talk["last"] for talk in talks)]
        return [(each["text"], each["removed"]) for each in found if each["id"] == id]


class UnsendTests(UnsendCase):
    """DELETE messages."""

    async def test_both_sides(self):
        """It is 204; both see it where it was, without its text, and it says so. Before it says
        false."""
        user, other = await self.pair()
        id = await self.wrote(user, other, "a secret")
        for one, friend in ((user, other), (other, user)):
            self.assertEqual([("a secret", False)] * 3, await self.shown(one, friend, id))
        await self.unsend(user, other, id)
        for one, friend in ((user, other), (other, user)):
            self.assertEqual([("", True)] * 3, await self.shown(one, friend, id))

    async def test_notification(self):
        """The notification stays in its place, without the text; `removed` was false before."""
        user, other = await self.pair()
        id = await self.wrote(user, other, "a secret")
        (before,) = await self.messages_told(other)
        self.assertIs(False, before["removed"])
        await self.unsend(user, other, id)
        (after,) = await self.messages_told(other)
        self.assertEqual(before | {"text": "", "removed": True}, after)

    async def test_socket(self):
        """The recipient's sockets get `state`, and one that comes later replays it without the
        text."""
        user, other = await self.pair()
        socket = await self.socket(other)
        id = await self.wrote(user, other, "a secret")
        seq = (await self.pushed(socket))["seq"]
        await self.unsend(user, other, id)
        said = await socket.next()
        self.assertEqual(("state", seq), (said["type"], said["seq"]))
        late = await self.socket(other, resume=seq - 1)
        replayed = (await self.pushed(late))["notification"]
        self.assertEqual(("", True), (replayed["text"], replayed["removed"]))

    async def test_again(self):
        """Again it is 204, as for one that there never was, and says nothing to anybody."""
        user, other = await self.pair()
        id = await self.wrote(user, other)
        await self.unsend(user, other, id.upper())
        socket = await self.socket(other)
        await self.unsend(user, other, id)
        await self.unsend(user, other, guid())
        await socket.quiet()

    async def test_strangers(self):
        """Between two who never had anything to do with each other it is 204, as to oneself; a user
        who does not exist is 404."""
        user, other = await self.users(2)
        for whom in (other, user):
            await self.unsend(user, whom, guid())
        response = await self.delete(
            f"user/{user.id}/friend/{guid()}/messages/{guid()}", by=user, expect=404
        )
        self.problem(response, 404, "user_not_found")

    async def test_theirs(self):
        """What only the other has sent is 403, and stays; with one id of both it is one's own."""
        user, other = await self.pair()
        id = await self.wrote(other, user, "mine")
        self.problem(await self.unsend(user, other, id, expect=403), 403, "forbidden")
        self.assertEqual(["mine"], await self.heard(user, other))
        await self.wrote(user, other, "yours", id=id)
        await self.unsend(user, other, id)
        self.assertEqual(["", "mine"], await self.heard(user, other))
        await self.unsend(user, other, id)
        self.assertEqual(["", "mine"], await self.heard(user, other))

    async def test_others_path(self):
        """At another's path it is 403, also for who is friends with both."""
        user, other = await self.pair()
        third = await self.user()
        id = await self.wrote(user, other, "stays")
        path = f"{self.letters(user, other)}/{id}"
        for by in (other, third, await self.admin()):
            await self.delete(path, by=by, expect=403)
        self.assertEqual(["stays"], await self.heard(other, user))

    async def test_friendship_over(self):
        """It can be taken away after the friendship has ended, and after a block of either."""
        user, other = await self.pair()
        ids = [await self.wrote(user, other) for _ in range(3)]
        await self.part(user, other)
        await self.unsend(user, other, ids[0])
        await self.block(other, user)
        await self.unsend(user, other, ids[1])
        await self.unblock(other, user)
        await self.block(user, other)
        await self.unsend(user, other, ids[2])
        self.assertEqual([""] * 3, await self.heard(other, user))

    async def test_sent_again(self):
        """Its id stays taken: to send with it again is a repeat, and brings nothing back."""
        user, other = await self.pair()
        id = await self.wrote(user, other, "a secret")
        await self.unsend(user, other, id)
        self.assertEqual(id, await self.wrote(user, other, "a secret", id=id))
        self.assertEqual([("", True)] * 3, await self.shown(other, user, id))
        self.assertEqual([""], [one["text"] for one in await self.messages_told(other)])

    async def test_same_id_to_another(self):
        """The message with the same id to somebody else stays."""
        user, other = await self.pair()
        third = await self.user()
        await self.befriend(user, third)
        id = await self.wrote(user, other, "a secret")
        await self.wrote(user, third, "stays", id=id)
        await self.unsend(user, other, id)
        self.assertEqual([("stays", False)] * 3, await self.shown(third, user, id))
        self.assertEqual(["stays"], [one["text"] for one in await self.messages_told(third)])

    async def test_muted(self):
        """Who has muted messages sees it removed in the list."""
        user, other = await self.pair()
        await self.put(
            f"user/{other.id}/notifications/settings",
            {"muted": ["FriendMessage"]},
            by=other,
            expect=204,
        )
        id = await self.wrote(user, other)
        await self.unsend(user, other, id)
        self.assertEqual([("", True)] * 3, await self.shown(other, user, id))

    async def test_validators(self):
        """The lists of both and of notifications have new validators."""
        user, other = await self.pair()
        id = await self.wrote(user, other)
        paths = {
            self.letters(user, other): user,
            self.letters(other, user): other,
            f"user/{other.id}/messages": other,
            f"user/{other.id}/notifications": other,
        }
        before = {path: (await self.get(path, by=by)).header("ETag") for path, by in paths.items()}
        await self.unsend(user, other, id)
        for path, by in paths.items():
            self.assertNotEqual(before[path], (await self.get(path, by=by)).header("ETag"), path)


class ProofTests(UnsendCase, ReportingCase):
    """What reports have of it."""

    async def exported(self, user: User) -> Any:
        """All that the service holds of a user."""
        return (await self.get(f"user/{user.id}/export", by=user, expect=200)).json()

    async def test_before_and_after(self):
        """A report that names it has the text, whether it was made before or after."""
        user, other = await self.pair()
        third = await self.user()
        await self.befriend(user, third)
        ids = [await self.wrote(user, each, "a threat") for each in (other, third)]
        await self.report(f"user/{user.id}", other, "abuse", messages=[ids[0]])
        for each, id in zip((other, third), ids, strict=True):
            await self.unsend(user, each, id)
        await self.report(f"user/{user.id}", third, "abuse", messages=[ids[1]])
        texts = [
            [one["text"] for one in report["evidence"]["messages"]]
            for report in await self.reports("user", user.id)
        ]
        self.assertEqual([["a threat"], ["a threat"]], texts)

    async def test_exports(self):
        """No export has the text: neither of the two, nor of who has reported it."""
        user, other = await self.pair()
        secret = f"secret {guid()}"
        id, stays = await self.wrote(user, other, secret), await self.wrote(user, other, "stays")
        await self.report(f"user/{user.id}", other, "abuse", messages=[id, stays])
        await self.unsend(user, other, id)
        for each in (user, other):
            found = await self.exported(each)
            self.assertNotIn(secret, repr(found))
            self.assertIn((id, "", True), self.messages_of(found))
            self.assertIn((stays, "stays", False), self.messages_of(found))
        (report,) = found["reports"]
        self.assertEqual(["", "stays"], [one["text"] for one in report["messages"]])

    def messages_of(self, found: Any) -> list[tuple[str, str, bool]]:
        """The messages in an export."""
        return [(one["id"], one["text"], one["removed"]) for one in found["messages"]]
