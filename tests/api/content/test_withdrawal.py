"""Withdrawal (extensions §1): who may, what they are told, and what it leaves of a content."""

import msgspec

from contentsvc.api.content.comments import Comments
from contentsvc.api.content.dependents import Dependents
from contentsvc.api.content.items import Content
from contentsvc.api.content.publishing import Publishing
from contentsvc.api.content.withdrawal import Withdrawal
from contentsvc.store.tasks import DependencyChanged
from contentsvc.web.call import Viewer
from contentsvc.wire.base import Part
from contentsvc.wire.content import (
    ClientQuery,
    CommentCreate,
    CommentRemoval,
    CommentsLock,
    CommentUpdate,
    ContentQuery,
    StatusChange,
)
from tests.api.support import ApiCase, Caller, Notifier, Tasks, infos_of, no_types
from tests.support.databases import guid


class Stranger(Caller):
    """Somebody without a token."""

    def __init__(self) -> None:
        super().__init__()
        self.viewer = Viewer(None, False)


class WithdrawalCase(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.notifier = Notifier()
        self.queue = Tasks()
        self.family = Withdrawal(self.db, self.queue, changes_per_hour=0)
        publishing = Publishing(self.db, self.queue, (), 0, 0, None, no_types(self.db))
        self.contents = Content(self.db, self.notifier, self.queue, publishing, no_types(self.db))
        self.author, self.other, self.admin = [await self.user() for _ in range(3)]
        self.by_author, self.by_other = Caller(self.author), Caller(self.other)
        self.by_admin = Caller(self.admin, admin=True)
        self.game = await self.content(self.author)

    async def status(self, by: Caller) -> str:
        """The status in the detail, or the code of its refusal."""
        try:
            return (await self.contents.get_content(by, self.game, ClientQuery())).status
        except Exception as error:
            return str(getattr(error, "code", error))

    async def decide(self, status: str) -> None:
        """An admin suspends or restores."""
        await self.contents.set_content_status(
            self.by_admin, self.game, StatusChange(status=status)
        )


class WhoTests(WithdrawalCase):
    async def test_author(self) -> None:
        """Its author withdraws and restores, as often as they like."""
        for act, status in (
            (self.family.delete_content, "deleted"),
            (self.family.restore_content, "active"),
        ):
            for _ in range(2):
                await act(self.by_author, self.game)
                self.assertEqual(await self.status(self.by_author), status)

    async def test_seen(self) -> None:
        """Deleted content is there for its author and admins, for nobody else."""
        await self.family.delete_content(self.by_author, self.game)
        for by, expected in (
            (self.by_author, "deleted"),
            (self.by_admin, "deleted"),
            (self.by_other, "content_not_found"),
            (Stranger(), "content_not_found"),
        ):
            self.assertEqual(await self.status(by), expected)

    async def test_others(self) -> None:
        """Others may not, admins neither; where they do not see it, it is not there."""
        for by, hidden in ((self.by_other, "content_not_found"), (self.by_admin, "forbidden")):
            for act in (self.family.delete_content, self.family.restore_content):
                self.assertEqual((await self.refused(act(by, self.game))).code, "forbidden")
                await self.family.delete_content(self.by_author, self.game)
                self.assertEqual((await self.refused(act(by, self.game))).code, hidden)
                await self.family.restore_content(self.by_author, self.game)
                self.assertEqual((await self.refused(act(by, guid()))).code, "content_not_found")

    async def test_suspended(self) -> None:
        """Content that an admin suspended while it was deleted is suspended when it is restored.
        Its author is told of the suspension."""
        await self.family.delete_content(self.by_author, self.game)
        await self.decide("suspended")
        self.assertEqual(await self.status(self.by_author), "deleted")
        self.assertEqual(self.notifier.sent, [(self.author, "ContentSuspended")])
        await self.family.restore_content(self.by_author, self.game)
        self.assertEqual(await self.status(self.by_author), "suspended")
        await self.decide("active")
        self.assertEqual(self.notifier.sent[1:], [(self.author, "ContentRestored")])
        self.assertEqual(await self.status(self.by_other), "active")

    async def test_at_once(self) -> None:
        """Restored while an admin suspends it, it is suspended, and its author is told once."""
        await self.family.delete_content(self.by_author, self.game)
        acts = [self.family.restore_content(self.by_author, self.game) for _ in range(4)]
        found = await self.statuses(*acts, *(self.decide("suspended") for _ in range(4)))
        self.assertEqual(found, ["done"] * 8)
        self.assertEqual(await self.status(self.by_admin), "suspended")
        self.assertEqual(self.notifier.sent, [(self.author, "ContentSuspended")])


class TaskTests(WithdrawalCase):
    """The tasks for the authors of dependents."""

    def tasks(self) -> list[DependencyChanged]:
        """Those that were put."""
        rows = self.sql(
            "select task from tasks where task like %s and kind <> 'LibraryChanged' order by id",
            f"%{self.game}%",
        )
        return [msgspec.json.decode(task, type=DependencyChanged) for (task,) in rows]

    def task(self, status: str, actor: str) -> DependencyChanged:
        """An expected one."""
        return DependencyChanged(
            dependency=self.game, status=status, actor=actor, by_author=actor == self.author
        )

    async def test_each_act(self) -> None:
        """Each act that changes one of the flags puts a task, with the status that the content
        shows since: `deleted` while its author has withdrawn it."""
        self.sql("insert into subscriptions values (%s, %s)", self.admin, self.game)
        expected = []
        for act, status, actor in (
            (self.decide("suspended"), "suspended", self.admin),
            (self.family.delete_content(self.by_author, self.game), "deleted", self.author),
            (self.decide("active"), "deleted", self.admin),
            (self.decide("suspended"), "deleted", self.admin),
            (self.family.restore_content(self.by_author, self.game), "suspended", self.author),
            (self.decide("active"), "active", self.admin),
        ):
            await act
            expected.append(self.task(status, actor))
            self.assertEqual(self.tasks(), expected)
        # And one for those who keep the content.
        topic = f"library {self.game}"
        kept = self.sql("select count(*) from tasks where topic = %s", topic)
        self.assertEqual((kept, self.queue.woken), ([(len(expected),)], 2 * len(expected)))

    async def test_repeats(self) -> None:
        """An act that changes nothing puts none, nor does one that is refused."""
        await self.family.restore_content(self.by_author, self.game)
        await self.decide("active")
        await self.refused(self.family.delete_content(self.by_other, self.game))
        self.assertEqual(self.tasks(), [])
        found = [self.family.delete_content(self.by_author, self.game) for _ in range(8)]
        self.assertEqual(await self.statuses(*found), ["done"] * 8)
        self.assertEqual(self.tasks(), [self.task("deleted", self.author)])

    async def test_admin_of_own(self) -> None:
        """What an admin decides of their own content is an act of an admin."""
        by = Caller(self.author, admin=True)
        await self.contents.set_content_status(by, self.game, StatusChange(status="suspended"))
        (task,) = self.tasks()
        self.assertEqual((task.actor, task.by_author), (self.author, False))


class ListTests(WithdrawalCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.gone = await self.content(self.author)
        await self.family.delete_content(self.by_author, self.gone)

    async def listed(self, by: Caller, status: str | None = None) -> list[str]:
        """The ids in the list of spec §4.3."""
        query = ContentQuery(status=status, limit=50)
        answer = await self.contents.list_user_content(by, self.author, query)
        return [info.id for info in infos_of(answer)]

    async def test_left_out(self) -> None:
        """Deleted content is in no list of a user's content, for its author neither."""
        for by in (self.by_author, self.by_other, self.by_admin, Stranger()):
            self.assertEqual(await self.listed(by), [self.game])

    async def test_status(self) -> None:
        """Admins find it by its status, and among all; of others the filter is ignored."""
        for status, expected in (
            ("deleted", [self.gone]),
            ("all", [self.gone, self.game]),
            ("deleted,active", [self.gone, self.game]),
            ("active,suspended", [self.game]),
        ):
            self.assertEqual(await self.listed(self.by_admin, status), expected)
            for by in (self.by_author, self.by_other):
                self.assertEqual(await self.listed(by, status), [self.game])
        problem = await self.refused(self.listed(self.by_admin, "withdrawn"))
        self.assertEqual(problem.code, "invalid_query")
        self.assertIn("deleted", problem.members["errors"][0]["detail"])

    async def test_deleted(self) -> None:
        """The list of deleted content has a cursor; of a user who does not exist there is none."""
        games = [await self.content(self.author) for _ in range(3)]
        for game in games:
            await self.family.delete_content(self.by_author, game)
        part = await self.family.list_deleted_content(self.by_author, self.author, Part(limit=3))
        self.assertEqual([info.id for info in part.items], games[::-1])
        rest = await self.family.list_deleted_content(
            self.by_author, self.author, Part(limit=3, after=part.after)
        )
        self.assertEqual(([info.id for info in rest.items], rest.after), ([self.gone], None))
        nothing = await self.family.list_deleted_content(self.by_admin, self.other, Part())
        self.assertEqual((nothing.items, nothing.after), ([], None))
        problem = await self.refused(
            self.family.list_deleted_content(self.by_admin, guid(), Part())
        )
        self.assertEqual(problem.code, "user_not_found")

    async def test_cursor(self) -> None:
        """A cursor that was made up is refused."""
        for asked in (
            self.family.list_deleted_content(self.by_author, self.author, Part(after="x")),
            Dependents(self.db).list_dependents(self.by_author, self.game, Part(after="x")),
        ):
            self.assertEqual((await self.refused(asked)).code, "invalid_query")


class CommentTests(WithdrawalCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.comments = Comments(self.db, Notifier(), per_minute=20)
        made = await self.comments.create_comment(self.by_other, self.game, CommentCreate(body="b"))
        self.comment = int(made.path.rpartition("/")[2])

    async def lock(self, by: Caller, locked: bool = True) -> None:
        """Lock or unlock."""
        await self.comments.set_comments_locked(by, self.game, CommentsLock(locked=locked))

    async def test_locked(self) -> None:
        """While they are locked nobody writes or changes one, not even to an unknown parent;
        deletions go on."""
        await self.lock(self.by_author)
        for by in (self.by_other, self.by_author, self.by_admin):
            for parent in (None, 99_999):
                body = CommentCreate(body="x", parent_id=parent)
                problem = await self.refused(self.comments.create_comment(by, self.game, body))
                self.assertEqual((problem.status, problem.code), (403, "comments_locked"))
        change = self.game, self.comment, CommentUpdate(body="x")
        problem = await self.refused(self.comments.update_comment(self.by_other, *change))
        self.assertEqual(problem.code, "comments_locked")
        problem = await self.refused(self.comments.update_comment(self.by_admin, *change))
        self.assertEqual(problem.code, "forbidden")
        await self.comments.delete_comment(self.by_other, self.game, self.comment, CommentRemoval())
        detail = await self.contents.get_content(self.by_other, self.game, ClientQuery())
        self.assertEqual((detail.comments_locked, detail.comment_count), (True, 0))
        await self.lock(self.by_admin, False)
        await self.comments.create_comment(self.by_other, self.game, CommentCreate(body="x"))
        self.assertFalse(
            (
                await self.contents.get_content(self.by_other, self.game, ClientQuery())
            ).comments_locked
        )

    async def test_not_counted(self) -> None:
        """What was refused since they were locked does not count as written."""
        self.comments = Comments(self.db, Notifier(), per_minute=2)
        await self.lock(self.by_author)
        body = CommentCreate(body="x")
        for _ in range(3):
            await self.refused(self.comments.create_comment(self.by_other, self.game, body))
        await self.lock(self.by_author, False)
        await self.comments.create_comment(self.by_other, self.game, body)
        problem = await self.refused(self.comments.create_comment(self.by_other, self.game, body))
        self.assertEqual(problem.code, "too_many_requests")

    async def test_who(self) -> None:
        """Others may not lock them; hidden content is not there for them."""
        self.assertEqual((await self.refused(self.lock(self.by_other))).code, "forbidden")
        await self.family.delete_content(self.by_author, self.game)
        problem = await self.refused(self.lock(self.by_other))
        self.assertEqual(problem.code, "content_not_found")
        for by in (self.by_admin, self.by_author):
            await self.lock(by)

    async def test_hidden(self) -> None:
        """Comments on deleted content are there for its author and admins, who may still write;
        for nobody else, whether they are locked or not."""
        await self.family.delete_content(self.by_author, self.game)
        body = CommentCreate(body="x")
        for by in (self.by_author, self.by_admin):
            await self.comments.create_comment(by, self.game, body)
        for locked in (False, True):
            await self.lock(self.by_author, locked)
            problem = await self.refused(
                self.comments.create_comment(self.by_other, self.game, body)
            )
            self.assertEqual(problem.code, "content_not_found")
            change = self.game, self.comment, CommentUpdate(body="x")
            problem = await self.refused(self.comments.update_comment(self.by_other, *change))
            self.assertEqual(problem.code, "comment_not_found")
