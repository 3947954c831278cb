"""Who is told of a comment, and of its deletion: notifications#delivery."""

from typing import Any

from tests.spec.client import Response
from tests.spec.data import Content, User
from tests.spec.shapes import COMMENT_REMOVED
from tests.spec.social.support import SocialCase


class CommentCase(SocialCase):
    """Comments, and who hears of them."""

    async def heard_of(self, user: User) -> list[tuple[str, Any]]:
        """The kinds of a user's notifications, and the numbers of their comments."""
        found = await self.notifications(user)
        self.assertEqual([], [one["kind"] for one in found if "comment" not in one])
        return [(one["kind"], one["comment"]) for one in found]

    async def commented(self) -> tuple[Content, User, int]:
        """A content, one who has commented on it, and the number of that comment."""
        made, writer = await self.content(await self.user()), await self.user()
        return made, writer, await self.remark(made, writer)


class CommentTests(CommentCase):
    """CommentOnContent and CommentReply."""

    async def test_content(self):
        """The content's author gets CommentOnContent {sender, content, comment}, by push too; the
        writer is not told."""
        author = await self.user()
        socket = await self.socket(author)
        made, writer = await self.content(author), await self.user()
        number = await self.remark(made, writer)
        (got,) = await self.notifications(author)
        expected = {"kind": "CommentOnContent", "sender": writer.id, "content": made.id}
        expected |= {"comment": number, "read": False}
        self.assertEqual(expected, {member: got[member] for member in expected})
        self.assertEqual(got, (await self.pushed(socket))["notification"])
        self.assertEqual([], await self.notifications(writer))

    async def test_reply(self):
        """The parent's author gets CommentReply; the content's hears of the comment, nobody else
        does."""
        made, parent, first = await self.commented()
        other, writer = await self.users(2)
        second = await self.remark(made, other)
        reply = await self.remark(made, writer, first)
        self.assertEqual([("CommentReply", reply)], await self.heard_of(parent))
        expected = [("CommentOnContent", number) for number in (first, second, reply)]
        self.assertEqual(expected, await self.heard_of(made.author))
        for nobody in (other, writer):
            self.assertEqual([], await self.heard_of(nobody))

    async def test_reply_wins(self):
        """Who would get both gets CommentReply alone; nobody hears of their own."""
        made, writer = await self.content(await self.user()), await self.user()
        first = await self.remark(made, made.author)
        reply = await self.remark(made, writer, first)
        await self.remark(made, made.author, first)
        self.assertEqual([("CommentReply", reply)], await self.heard_of(made.author))

    async def test_reply_to_oneself(self):
        """Who replies to their own comment is told nothing; the content's author hears of it."""
        made, writer, first = await self.commented()
        reply = await self.remark(made, writer, first)
        self.assertEqual([], await self.heard_of(writer))
        expected = [("CommentOnContent", number) for number in (first, reply)]
        self.assertEqual(expected, await self.heard_of(made.author))

    async def test_reply_by_the_author(self):
        """Of a reply by the content's author only the parent's author is told."""
        made, writer, first = await self.commented()
        reply = await self.remark(made, made.author, first)
        self.assertEqual([("CommentReply", reply)], await self.heard_of(writer))
        self.assertEqual([("CommentOnContent", first)], await self.heard_of(made.author))

    async def test_reply_to_a_reply(self):
        """The author of the parent is told, not those above."""
        made, one, first = await self.commented()
        two, three = await self.users(2)
        second = await self.remark(made, two, first)
        third = await self.remark(made, three, second)
        self.assertEqual([("CommentReply", third)], await self.heard_of(two))
        self.assertEqual([("CommentReply", second)], await self.heard_of(one))

    async def test_tombstone(self):
        """Nobody is told of a reply to a tombstone."""
        made, parent, first = await self.commented()
        await self.delete(f"{made.path}/comments/{first}", by=parent, expect=204)
        await self.remark(made, await self.user(), first)
        self.assertEqual([("CommentOnContent", first)], await self.heard_of(made.author))
        self.assertEqual([], await self.heard_of(parent))

    async def test_hidden(self):
        """The parent's author is told only if they see the content; its author sees it."""
        made, one, first = await self.commented()
        await self.delete(made.path, by=made.author, expect=204)
        await self.remark(made, made.author, first)
        await self.post(f"{made.path}/restore", by=made.author, expect=204)
        await self.moderate(made, "suspended")
        await self.remark(made, made.author, first)
        admin = await self.admin()
        reply = await self.remark(made, admin, first)
        self.assertEqual([], await self.heard_of(one))
        told = [n for n in await self.notifications(made.author) if n["kind"] != "ContentSuspended"]
        self.assertEqual(["CommentOnContent"] * 2, [n["kind"] for n in told])
        self.assertEqual((reply, admin.id), (told[1]["comment"], told[1]["sender"]))
        await self.moderate(made, "active")
        later = await self.remark(made, made.author, first)
        self.assertEqual([("CommentReply", later)], await self.heard_of(one))

    async def test_nothing_new(self):
        """A change of the text and what was refused tell nobody."""
        made, writer, first = await self.commented()
        path = f"{made.path}/comments"
        await self.amend(f"{path}/{first}", {"body": "other"}, by=writer, expect=204)
        await self.post(path, {"body": ""}, by=writer, expect=400)
        await self.post(path, {"body": "x", "parentId": 2**40}, by=writer, expect=422)
        self.assertEqual([("CommentOnContent", first)], await self.heard_of(made.author))

    async def test_at_once(self):
        """Comments at the same time are each told, once."""
        made, parent, first = await self.commented()
        writers = await self.users(5)
        numbers = await self.together(*(self.remark(made, one, first) for one in writers))
        expected = [("CommentReply", number) for number in numbers]
        self.assertCountEqual(expected, await self.heard_of(parent))
        expected = [("CommentOnContent", number) for number in (first, *numbers)]
        self.assertCountEqual(expected, await self.heard_of(made.author))


class RemovedTests(CommentCase):
    """CommentRemoved."""

    async def remove(self, path: str, by: User, **query: str) -> Response:
        """DELETE a comment."""
        return await self.delete(path, by=by, query=query, expect=204)

    async def test_removed(self):
        """Who deletes another's comment may say why; its author is told, once, by push too."""
        made, writer = await self.content(await self.user()), await self.user()
        socket, admin = await self.socket(writer), await self.admin()
        reasons = [(made.author, "spam & more ✓"), (made.author, ""), (admin, None)]
        for by, reason in reasons:
            path = await self.comment(made, writer)
            query = {} if reason is None else {"reason": reason}
            for _ in range(2):
                await self.remove(path, by, **query)
            pushed = (await self.pushed(socket))["notification"]
            self.assertEqual((await self.notifications(writer))[-1], pushed)
            self.assertEqual(int(path.rpartition("/")[2]), pushed["comment"])
        await socket.quiet()
        found = await self.read(f"user/{writer.id}/notifications", [COMMENT_REMOVED], by=writer)
        self.assertEqual(
            [(made.id, "spam & more ✓"), (made.id, ""), (made.id, "")],
            [(one["content"], one["reason"]) for one in found],
        )

    async def test_by_author(self):
        """Nobody is told of a comment that its author deletes."""
        made, writer, first = await self.commented()
        await self.remove(f"{made.path}/comments/{first}", writer, reason="mine")
        self.assertEqual([], await self.heard_of(writer))
        self.assertEqual([("CommentOnContent", first)], await self.heard_of(made.author))

    async def test_again(self):
        """A repeat is 204 and tells nothing, whoever deleted before."""
        made, writer = await self.content(await self.user()), await self.user()
        admin = await self.admin()
        for first in (made.author, writer):
            path = await self.comment(made, writer)
            await self.remove(path, first, reason="one")
            for by in (admin, made.author):
                await self.remove(path, by, reason="two")
        told = await self.notifications(writer)
        self.assertEqual(["one"], [one["reason"] for one in told])

    async def test_at_once(self):
        """Deletions at the same time tell once."""
        made, writer = await self.content(await self.user()), await self.user()
        path = await self.comment(made, writer)
        admin = await self.admin()
        await self.together(*(self.remove(path, by) for by in (admin, made.author) * 3))
        self.assertEqual(1, len(await self.heard_of(writer)))

    async def test_bad_reason(self):
        """conventions#limits: the reason has up to 4,096 characters; with another one nothing is
        deleted."""
        made, writer = await self.content(await self.user()), await self.user()
        path = await self.comment(made, writer)
        for bad in ("reason=" + "x" * 4097, "reason=a%00b", "reason=a&reason=b", "reason=%ff"):
            self.invalid_query(await self.delete(f"{path}?{bad}", by=made.author), "reason")
        self.assertFalse((await self.get(path, expect=200)).json()["deleted"])
        self.assertEqual([], await self.heard_of(writer))
        await self.remove(path, made.author, reason="x" * 4096)
