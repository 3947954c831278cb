"""Comments (social#blocks): what comes of several acts at once, and of one that fails."""

import msgspec

from contentsvc.api.content.comments import Comments
from contentsvc.store.notifications import notifications
from contentsvc.wire.comments import CommentCreate, CommentRemoval, CommentsLock
from tests.api.support import ApiCase, Caller, Notifier, acts
from tests.support.deferreds import together


class CommentTests(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.notifier = Notifier()
        self.family = Comments(self.db, self.notifier, acts(self.notifier), per_minute=20)
        self.owner, self.ann = [Caller(await self.user()) for _ in range(2)]
        self.admin = Caller(await self.user(admin=True), admin=True)
        self.game = await self.content(self.owner.user)

    async def write(self, by: Caller) -> int:
        """A comment's number."""
        made = await self.family.create_comment(by, self.game, CommentCreate(body="x"))
        return int(made.path.rpartition("/")[2])

    async def delete(self, by: Caller, comment: int) -> None:
        """Delete a comment."""
        await self.family.delete_comment(by, self.game, comment, CommentRemoval())

    async def told(self, user: Caller) -> list[dict[str, object]]:
        """The log of a user."""
        rows = await notifications.listed(self.db, user.user, 0, None, 99)
        return [msgspec.json.decode(row.data) for row in rows]

    async def test_removed_once(self) -> None:
        """Deleted again, or by several at once, it is told once."""
        comment = await self.write(self.ann)
        await together(*(self.delete(by, comment) for by in [self.owner, self.admin] * 4))
        await self.delete(self.admin, comment)
        self.assertEqual(len(await self.told(self.ann)), 1)

    async def test_not_removed(self) -> None:
        """Nothing is deleted if its author cannot be told."""
        comment = await self.write(self.ann)
        self.notifier.error = KeyError()
        with self.assertRaises(KeyError):
            await self.delete(self.owner, comment)
        found = await self.family.get_comment(self.ann, self.game, comment)
        self.assertFalse(found.deleted)
        self.assertEqual(await self.told(self.ann), [])

    async def test_not_counted(self) -> None:
        """What was refused since they were locked does not count as written."""
        self.family = Comments(self.db, self.notifier, acts(self.notifier), per_minute=2)
        for locked in (True, False):
            lock = CommentsLock(locked=locked)
            await self.family.set_comments_locked(self.owner, self.game, lock)
            if locked:
                for _ in range(3):
                    problem = await self.refused(self.write(self.ann))
                    self.assertEqual(problem.code, "comments_locked")
        for _ in range(2):
            await self.write(self.ann)
        problem = await self.refused(self.write(self.ann))
        self.assertEqual(problem.code, "too_many_requests")
