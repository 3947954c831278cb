"""What is told of comments: extensions §4."""

from typing import Any

from tests.spec.data import Content, User
from tests.spec.players.base import PlayersCase


class CommentCase(PlayersCase):
    """Comments, and who hears of them."""

    async def published(self) -> Content:
        """Content of a fresh author."""
        return await self.content(await self.user())

    def of(self, kind: str, sender: User, on: Content, comment: int) -> dict[str, Any]:
        """What is told of a comment."""
        return {"kind": kind, "sender": sender.id, "content": on.id, "comment": comment}


class CommentTellingTests(CommentCase):
    """CommentOnContent and CommentReply."""

    async def test_comment(self):
        """extensions §4: the content's author is told CommentOnContent {sender, content, comment},
        by push too; the writer is not told."""
        made, writer = await self.published(), await self.user()
        socket = await self.socket(made.author)
        comment = await self.remark(made, writer)
        expected = [self.of("CommentOnContent", writer, made, comment)]
        self.assertEqual(expected, await self.told(made.author))
        self.assertEqual([], await self.told(writer))
        message = await self.pushed(socket)
        self.assertEqual([message["notification"]], await self.notifications(made.author))

    async def test_own_content(self):
        """extensions §4: the writer is never told, of a comment on their content neither."""
        made = await self.published()
        await self.remark(made, made.author)
        self.assertEqual([], await self.told(made.author))

    async def test_reply(self):
        """extensions §4: the parent's author is told CommentReply with the reply's id, and the
        content's author CommentOnContent; nobody else."""
        made, first, second, third = await self.published(), *await self.users(3)
        parent = await self.remark(made, first)
        await self.remark(made, third)
        before = await self.told(made.author)
        reply = await self.remark(made, second, parent)
        self.assertEqual([self.of("CommentReply", second, made, reply)], await self.told(first))
        expected = [*before, self.of("CommentOnContent", second, made, reply)]
        self.assertEqual(expected, await self.told(made.author))
        for nobody in (second, third):
            self.assertEqual([], await self.told(nobody))

    async def test_reply_wins(self):
        """extensions §4: to one user who is both, only the reply is told."""
        made, writer = await self.published(), await self.user()
        parent = await self.remark(made, made.author)
        reply = await self.remark(made, writer, parent)
        expected = [self.of("CommentReply", writer, made, reply)]
        self.assertEqual(expected, await self.told(made.author))

    async def test_reply_to_oneself(self):
        """extensions §4: who replies to their own comment is told nothing; the content's author
        is told CommentOnContent."""
        made, writer = await self.published(), await self.user()
        parent = await self.remark(made, writer)
        reply = await self.remark(made, writer, parent)
        self.assertEqual([], await self.told(writer))
        expected = [self.of("CommentOnContent", writer, made, n) for n in (parent, reply)]
        self.assertEqual(expected, await self.told(made.author))

    async def test_reply_by_the_author(self):
        """extensions §4: of a reply by the content's author only the parent's author is told."""
        made, writer = await self.published(), await self.user()
        parent = await self.remark(made, writer)
        before = await self.told(made.author)
        reply = await self.remark(made, made.author, parent)
        expected = [self.of("CommentReply", made.author, made, reply)]
        self.assertEqual(expected, await self.told(writer))
        self.assertEqual(before, await self.told(made.author))

    async def test_reply_to_a_reply(self):
        """extensions §4: the author of the parent is told, not those above."""
        made, one, two, three = await self.published(), *await self.users(3)
        first = await self.remark(made, one)
        second = await self.remark(made, two, first)
        before = await self.told(one)
        third = await self.remark(made, three, second)
        self.assertEqual([self.of("CommentReply", three, made, third)], await self.told(two))
        self.assertEqual(before, await self.told(one))

    async def test_reply_to_a_tombstone(self):
        """extensions §4: nobody is told of a reply to a comment that was deleted."""
        made, one, two = await self.published(), *await self.users(2)
        path = await self.comment(made, one)
        await self.delete(path, by=one, expect=204)
        before = await self.told(made.author)
        await self.remark(made, two, int(path.rpartition("/")[2]))
        self.assertEqual([], await self.told(one))
        self.assertEqual(before, await self.told(made.author))

    async def test_hidden(self):
        """extensions §4: the parent's author is told only if they see the content; its author sees
        it."""
        made, one = await self.published(), await self.user()
        parent = await self.remark(made, one)
        before = await self.told(made.author)
        await self.delete(made.path, by=made.author, expect=204)
        await self.remark(made, made.author, parent)
        await self.post(f"{made.path}/restore", by=made.author, expect=204)
        await self.moderate(made, "suspended")
        await self.remark(made, made.author, parent)
        admin = await self.admin()
        reply = await self.remark(made, admin, parent)
        self.assertEqual([], await self.told(one))
        told = [n for n in await self.told(made.author) if n["kind"] != "ContentSuspended"]
        self.assertEqual([*before, self.of("CommentOnContent", admin, made, reply)], told)
        await self.moderate(made, "active")
        later = await self.remark(made, made.author, parent)
        self.assertEqual([self.of("CommentReply", made.author, made, later)], await self.told(one))

    async def test_nothing_new(self):
        """extensions §4: a change of the text and what was refused tell nobody."""
        made, writer = await self.published(), await self.user()
        path = await self.comment(made, writer)
        before = await self.told(made.author)
        await self.amend(path, {"body": "other"}, by=writer, expect=204)
        for bad in ({"body": ""}, {"body": "x", "parentId": 2**40}):
            await self.post(f"{made.path}/comments", bad, by=writer)
        self.assertEqual(before, await self.told(made.author))

    async def test_at_once(self):
        """extensions: comments at the same time are each told, once."""
        made, writers = await self.published(), await self.users(6)
        parent = await self.remark(made, writers[0])
        await self.together(*(self.remark(made, one, parent) for one in writers[1:]))
        for user, kind, count in (
            (made.author, "CommentOnContent", 6),
            (writers[0], "CommentReply", 5),
        ):
            told = await self.told(user)
            self.assertEqual({kind}, {one["kind"] for one in told})
            self.assertEqual(count, len({one["comment"] for one in told}))
            self.assertEqual(count, len(told))


class CommentRemovedTests(CommentCase):
    """DELETE of a comment, with a reason."""

    async def test_by_others(self):
        """extensions §4: who deletes another's comment may say `reason`; its author gets
        CommentRemoved {content, comment, reason}, by push too."""
        made, writer = await self.published(), await self.user()
        socket, expected = await self.socket(writer), []
        for by, reason in ((made.author, "off topic & rude ✓"), (await self.admin(), "rules")):
            path = await self.comment(made, writer)
            await self.delete(path, by=by, query={"reason": reason}, expect=204)
            comment = int(path.rpartition("/")[2])
            told = {"kind": "CommentRemoved", "content": made.id, "comment": comment}
            expected.append(told | {"reason": reason})
            message = await self.pushed(socket)
            self.assertEqual((await self.notifications(writer))[-1], message["notification"])
        self.assertEqual(expected, await self.told(writer))

    async def test_without_reason(self):
        """extensions §4: without `reason` it is "", and so is an empty one."""
        made, writer = await self.published(), await self.user()
        for more in ("", "?reason="):
            path = await self.comment(made, writer)
            await self.delete(path + more, by=made.author, expect=204)
        self.assertEqual(["", ""], [one["reason"] for one in await self.told(writer)])

    async def test_own(self):
        """extensions §4: who deletes a comment of their own is not told."""
        made, writer = await self.published(), await self.user()
        path = await self.comment(made, writer)
        await self.delete(f"{path}?reason=mine", by=writer, expect=204)
        self.assertEqual([], await self.told(writer))
        self.assertEqual(["CommentOnContent"], [n["kind"] for n in await self.told(made.author)])

    async def test_again(self):
        """extensions: a repeat is 204 and tells nothing, whoever deleted before."""
        made, writer = await self.published(), await self.user()
        admin = await self.admin()
        for first in (made.author, writer):
            path = await self.comment(made, writer)
            await self.delete(f"{path}?reason=one", by=first, expect=204)
            for by in (admin, made.author):
                await self.delete(f"{path}?reason=two", by=by, expect=204)
        self.assertEqual(["one"], [one["reason"] for one in await self.told(writer)])

    async def test_at_once(self):
        """extensions: deletions at the same time tell once."""
        made, writer = await self.published(), await self.user()
        path = await self.comment(made, writer)
        admin = await self.admin()
        await self.together(
            *(self.delete(path, by=by, expect=204) for by in (admin, made.author) * 3)
        )
        self.assertEqual(1, len(await self.told(writer)))

    async def test_bad_reason(self):
        """choices: a reason with a NUL, or two of them, are 400, and nothing is deleted."""
        made, writer = await self.published(), await self.user()
        path = await self.comment(made, writer)
        for query in ("reason=a%00b", "reason=a&reason=b", "reason=%ff"):
            response = await self.delete(f"{path}?{query}", by=made.author)
            self.problem(response, 400, "invalid_query")
        self.assertFalse((await self.get(path)).json()["deleted"])
        self.assertEqual([], await self.told(writer))
