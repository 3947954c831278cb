"""Comments: what is told of them, and refused (extensions §4)."""

import msgspec

from contentsvc.api.content.comments import Comments
from contentsvc.store.notifications import notifications
from contentsvc.wire.content import CommentCreate, CommentRemoval, CommentsLock, CommentUpdate
from contentsvc.wire.notifications import CommentOnContent, CommentRemoved
from tests.api.support import ApiCase, Caller, Notifier
from tests.support.databases import together


class CommentTests(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.notifier = Notifier()
        self.family = Comments(self.db, self.notifier, per_minute=20)
        self.owner, self.ann, self.ben = [Caller(await self.user()) for _ in range(3)]
        self.admin = Caller(await self.user(admin=True), admin=True)
        self.game = await self.content(self.owner.user)

    async def write(self, by: Caller, parent: int | None = None) -> int:
        """A comment's number."""
        made = await self.family.create_comment(
            by, self.game, CommentCreate(body="x", parent_id=parent)
        )
        return int(made.path.rpartition("/")[2])

    async def delete(self, by: Caller, comment: int, reason: str = "") -> None:
        """Delete a comment."""
        await self.family.delete_comment(by, self.game, comment, CommentRemoval(reason=reason))

    async def told(self, user: Caller) -> list[dict[str, object]]:
        """The log of a user."""
        rows = await notifications.listed(self.db, user.user, 0, None, 99)
        return [msgspec.json.decode(row.data) for row in rows]

    def block(self) -> None:
        """The owner blocks Ann."""
        lesser, greater = sorted((self.owner.user, self.ann.user))
        side = "lesser" if lesser == self.owner.user else "greater"
        self.sql(
            f"insert into pairs (lesser, greater, {side}_blocks) values (%s, %s, 1)",
            lesser,
            greater,
        )

    async def test_told(self) -> None:
        """What is stored of a comment is pushed."""
        comment = await self.write(self.ann)
        self.assertEqual(self.notifier.sent, [(self.owner.user, "CommentOnContent")])
        expected = CommentOnContent(sender=self.ann.user, content=self.game, comment=comment)
        self.assertEqual(
            await self.told(self.owner), [msgspec.json.decode(msgspec.json.encode(expected))]
        )

    async def test_both(self) -> None:
        """Of a reply, the parent's author and the content's are told."""
        parent = await self.write(self.ann)
        await self.write(self.ben, parent)
        self.assertEqual(
            sorted(self.notifier.sent[1:]),
            sorted([(self.owner.user, "CommentOnContent"), (self.ann.user, "CommentReply")]),
        )

    async def test_changed(self) -> None:
        """Nobody is told of a changed comment."""
        comment = await self.write(self.ann)
        await self.family.update_comment(self.ann, self.game, comment, CommentUpdate(body="y"))
        self.assertEqual(len(self.notifier.sent), 1)

    async def test_blocked(self) -> None:
        """A block is 403, also where the comments are locked and the parent is unknown; nobody is
        told."""
        comment = await self.write(self.ann)
        self.block()
        for parent in (None, comment, 99_999):
            for locked in (False, True):
                await self.family.set_comments_locked(
                    self.owner, self.game, CommentsLock(locked=locked)
                )
                problem = await self.refused(self.write(self.ann, parent))
                self.assertEqual((problem.status, problem.code), (403, "blocked"))
        self.assertEqual(len(self.notifier.sent), 1)

    async def test_changed_blocked(self) -> None:
        """Words of before a block can be deleted, but not changed; that comes before locked
        comments and deleted ones."""
        comment = await self.write(self.ann)
        self.block()
        for locked in (False, True):
            await self.family.set_comments_locked(
                self.owner, self.game, CommentsLock(locked=locked)
            )
            for _ in range(2):
                change = CommentUpdate(body="y")
                act = self.family.update_comment(self.ann, self.game, comment, change)
                problem = await self.refused(act)
                self.assertEqual((problem.status, problem.code), (403, "blocked"))
            await self.delete(self.ann, comment)

    async def test_removed(self) -> None:
        """The author is told by whomever else the comment is deleted, with the reason."""
        for by, reason in ((self.owner, "spam"), (self.admin, "")):
            comment = await self.write(self.ann)
            await self.delete(by, comment, reason)
            expected = CommentRemoved(content=self.game, comment=comment, reason=reason)
            (*_, told) = await self.told(self.ann)
            self.assertEqual(told, msgspec.json.decode(msgspec.json.encode(expected)))
            self.assertEqual(self.notifier.sent[-1], (self.ann.user, "CommentRemoved"))

    async def test_removed_by_author(self) -> None:
        """Nobody is told of a comment that its author deletes, not even if they are an admin or
        the content's author."""
        for by in (self.ann, self.owner, self.admin):
            comment = await self.write(by)
            sent = len(self.notifier.sent)
            await self.delete(by, comment, "mine")
            self.assertEqual(len(self.notifier.sent), sent)

    async def test_removed_once(self) -> None:
        """Deleted again, or by several at once, it is told once."""
        comment = await self.write(self.ann)
        await together(*(self.delete(by, comment) for by in [self.owner, self.admin] * 4))
        await self.delete(self.admin, comment)
        self.assertEqual(len(await self.told(self.ann)), 1)

    async def test_removed_after(self) -> None:
        """Nobody is told of a deletion where the author has deleted it before."""
        comment = await self.write(self.ann)
        await self.delete(self.ann, comment)
        await self.delete(self.owner, comment, "late")
        self.assertEqual(await self.told(self.ann), [])

    async def test_not_removed(self) -> None:
        """Nothing is deleted if its author cannot be told."""
        comment = await self.write(self.ann)
        self.notifier.error = KeyError()
        with self.assertRaises(KeyError):
            await self.delete(self.owner, comment)
        found = await self.family.get_comment(self.ann, self.game, comment)
        self.assertFalse(found.deleted)
        self.assertEqual(await self.told(self.ann), [])

    async def test_forbidden(self) -> None:
        """Who may not delete a comment tells nobody."""
        comment = await self.write(self.ann)
        problem = await self.refused(self.delete(self.ben, comment))
        self.assertEqual(problem.code, "forbidden")
        self.assertEqual(await self.told(self.ann), [])
