"""What each permission allows, where a content decides."""

from collections.abc import Awaitable

from contentsvc.api.content.comments import Comments
from contentsvc.roles import ADMINISTER, CURATE, MODERATE, Permission
from contentsvc.wire.content import CommentCreate, CommentRemoval, CommentsLock, ContentQuery
from tests.api.content.test_revisions import RevisionCase
from tests.api.support import Caller, Notifier, infos_of


class PermissionTests(RevisionCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.comments = Comments(self.db, Notifier(), per_minute=0)

    def having(self, *permissions: Permission) -> Caller:
        """Bob, with these permissions."""
        return Caller(self.bob, permissions=permissions)

    async def outcome(self, act: Awaitable[object]) -> str:
        """`done`, or the code of the refusal."""
        (found,) = await self.statuses(act)
        return found

    async def test_change(self) -> None:
        """Only who may administer changes another's content. Who may moderate sees what is hidden:
        they are refused, where for others it is not there."""
        missing, refused = "content_not_found", "forbidden"
        for permissions, active, hidden in (
            ((), refused, missing),
            ((CURATE,), refused, missing),
            ((MODERATE,), refused, refused),
            ((ADMINISTER,), "done", missing),
            ((MODERATE, ADMINISTER), "done", "done"),
        ):
            for suspended, expected in ((False, active), (True, hidden)):
                self.flag(self.game, suspended=suspended)
                act = self.choose(self.first, self.having(*permissions))
                self.assertEqual(await self.outcome(act), expected, permissions)

    async def test_comments(self) -> None:
        """Who may moderate deletes and locks others' comments; no other permission is enough."""
        made = await self.comments.create_comment(self.by_ann, self.game, CommentCreate(body="x"))
        comment = int(made.path.rpartition("/")[2])
        for permission, expected in (
            (CURATE, "forbidden"),
            (ADMINISTER, "forbidden"),
            (MODERATE, "done"),
        ):
            by = self.having(permission)
            for act in (
                self.comments.set_comments_locked(by, self.game, CommentsLock(locked=True)),
                self.comments.delete_comment(by, self.game, comment, CommentRemoval()),
            ):
                self.assertEqual(await self.outcome(act), expected, permission)

    async def test_status_filter(self) -> None:
        """Who may moderate lists hidden content by its status; others' filter is ignored."""
        self.flag(self.game, suspended=True)
        query = ContentQuery(status="suspended", limit=9)
        for permission, seen in ((CURATE, 0), (ADMINISTER, 0), (MODERATE, 1)):
            found = await self.contents.list_user_content(self.having(permission), self.ann, query)
            self.assertEqual(len(infos_of(found)), seen, permission)
