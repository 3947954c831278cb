"""Withdrawal (content#withdrawal): at the same time as a suspension, and the tasks that it puts."""

import msgspec

from contentsvc.api.content.items import Content
from contentsvc.api.content.publishing import Publishing
from contentsvc.api.content.withdrawal import Withdrawal
from contentsvc.store.tasks import DependencyChanged
from contentsvc.wire.content import StatusChange
from contentsvc.wire.searches import ClientQuery
from tests.api.support import (
    ApiCase,
    Caller,
    Notifier,
    Tasks,
    acts,
    no_platforms,
    no_types,
)


class WithdrawalCase(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.notifier = Notifier()
        self.queue = Tasks()
        self.family = Withdrawal(self.db, self.notifier, self.queue, changes_per_hour=0)
        kinds = no_types(self.db), no_platforms(self.db)
        publishing = Publishing(self.db, self.queue, (), 0, 0, None, *kinds)
        self.contents = Content(self.db, acts(self.notifier, self.queue), publishing, *kinds)
        self.author, self.other, self.admin = [await self.user() for _ in range(3)]
        self.by_author, self.by_other = Caller(self.author), Caller(self.other)
        self.by_admin = Caller(self.admin, admin=True)
        self.game = await self.content(self.author)

    async def decide(self, status: str) -> None:
        """An admin suspends or restores."""
        await self.contents.set_content_status(
            self.by_admin, self.game, StatusChange(status=status)
        )


class AtOnceTests(WithdrawalCase):
    async def test_at_once(self) -> None:
        """Restored while an admin suspends it, it is suspended, and its author is told once."""
        await self.family.delete_content(self.by_author, self.game)
        acts = [self.family.restore_content(self.by_author, self.game) for _ in range(4)]
        found = await self.statuses(*acts, *(self.decide("suspended") for _ in range(4)))
        self.assertEqual(found, ["done"] * 8)
        shown = await self.contents.get_content(self.by_admin, self.game, ClientQuery())
        self.assertEqual(shown.status, "suspended")
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
