"""The numbers of `contentsvc status`, where they are estimates."""

from contentsvc.store import status
from contentsvc.store.moderation import reports
from contentsvc.store.notifications import notifications
from contentsvc.store.status import Count, Due, Oldest, Reported
from tests.support.databases import StoreCase, guid


class StatusCase(StoreCase):
    # It counts all there is, and asks what the planner knows, which is not emptied.
    anew = own = True

    async def setUp(self) -> None:
        await super().setUp()
        self.users = sorted([await self.user() for _ in range(4)])

    async def test_users(self) -> None:
        """Up to a limit users are counted; beyond it the number is the planner's, but no less than
        what was seen."""
        self.assertEqual(await status.users(self.db, 4), Count(4, False))
        self.assertEqual(await status.users(self.db, 2), Count(3, True))
        self.sql("analyze users")
        self.assertEqual(await status.users(self.db, 2), Count(4, True))

    async def test_oldest(self) -> None:
        """The oldest notification is that of all users, or of some, which it says."""
        self.assertEqual(await status.oldest_notification(self.db, 4), Oldest(None, False))
        for age, user in enumerate(self.users):
            for _ in range(2):
                await notifications.insert(self.db, user, "Debug", "{}")
            self.sql(
                "update notifications set created = to_timestamp(1000 - %s) where user_id = %s",
                age,
                user,
            )
        self.assertEqual(await status.oldest_notification(self.db, 4), Oldest(997, False))
        self.assertEqual(await status.oldest_notification(self.db, 2), Oldest(999, True))

    async def test_reports(self) -> None:
        """Subjects with open reports are counted up to a limit, with the age of the oldest report
        of these; what was decided does not count."""
        self.assertEqual(await status.reported(self.db, 2), Reported(0, False, 0))
        for subject in self.users:
            given = "user", subject, None, self.users[0], "spam", "", "{}", None
            await reports.file(self.db, *given, 0)
        self.sql("update reports set created = created - interval '100 s' where number = 1")
        four = await status.reported(self.db, 4)
        self.assertEqual((four.subjects, four.more, four.oldest // 10), (4, False, 10))
        two = await status.reported(self.db, 2)
        self.assertEqual((two.subjects, two.more), (2, True))
        async with self.db.transaction() as tx:
            held = await reports.lock(tx, "user", self.users[0], None)
            assert held is not None
            await reports.decide(tx, held.number, 0, 1, "upheld", guid())
        self.assertEqual((await status.reported(self.db, 4)).subjects, 3)

    async def test_due(self) -> None:
        """Subjects are counted up to a limit: those that wait, that are overdue, and with a notice
        of the abuse of children. Outcomes say how long after the first report of theirs they came;
        those of the day before do not count."""
        self.assertEqual(await status.due(self.db, 9), Due(0, 0, 0, None, None))
        for reporter in self.users[:2]:
            for subject in self.users:
                given = "user", subject, None, reporter, "spam", "", "{}", None
                await reports.file(self.db, *given, 0)
        self.sql("update reports set created = clock_timestamp() - number * interval '100 s'")
        self.sql(
            "insert into report_decisions (subject, upto, outcome) select subject, max(number), ''"
            " from reports group by subject order by subject limit 3"
        )
        found = await status.due(self.db, 9)
        self.assertEqual((found.open, found.overdue, found.child), (4, 0, 0))
        self.assertEqual([round((each or 0) / 100) for each in (found.half, found.most)], [2, 3])
        self.sql("update report_decisions set created = created - interval '1 day'")
        self.sql("update report_queue set due = now() - interval '1 s' where subject < 3")
        self.sql(
            "insert into report_queue select subject, 'child', kind, reports, newest, due"
            " from report_queue where subject = 1 and reason = ''"
        )
        self.assertEqual(await status.due(self.db, 9), Due(4, 2, 1, None, None))
        self.assertEqual((await status.due(self.db, 3)).open, 3)

    async def test_patience(self) -> None:
        """A lock does not hold up the command for long: its statements have a limit."""
        async with self.db.transaction() as tx:
            await status.server(tx)
            assert tx.connection is not None
            show = "select current_setting('statement_timeout')"
            cursor = await tx.connection.statement(show, None)
            self.assertEqual(cursor.fetchall(), [("10s",)])
