"""What goes of reports and notices when they are old (notices#retention)."""

from contentsvc.store.moderation import notices, old_reports, reports
from tests.store.moderation.test_reports import ReportCase
from tests.support.databases import guid

EVIDENCE = '{"name": "Castle"}'


class OldCase(ReportCase):
    """Reports of a castle, and notices."""

    def age(self, table: str, column: str, days: int) -> None:
        """Make all rows of a table older."""
        self.sql(f"update {table} set {column} = {column} - make_interval(days => {days})")

    async def notice(self, *, email: str = "mira@example.com") -> str:
        """A notice of the castle."""
        sent = "illegal", "x", None, "Mira", email, None
        about = ["content"], [self.castle], [None], [None], [None], [EVIDENCE], [None]
        async with self.db.transaction() as tx:
            return await notices.file(tx, *sent, *about)

    async def decided(self, outcome: str = "upheld") -> None:
        """Close what is open of the castle."""
        (newest, *_) = await self.listed()
        async with self.db.transaction() as tx:
            held = await reports.lock(tx, "content", self.castle, None)
            assert held is not None
            await reports.decide(tx, held.number, held.decided, newest.number, outcome, guid())

    async def delete(self, most: int = 200) -> list[int]:
        """Delete what was closed 10 days ago; the rows of each batch."""
        found = []
        while True:
            async with self.db.transaction() as tx:
                batch = await old_reports.delete(tx, 10, most)
            if not batch.more:
                return found
            found.append(batch.rows)


class DeleteTests(OldCase):
    """Closed reports."""

    async def test_old(self):
        """They go with their evidence; what was closed later, or is open, stays."""
        user = guid()
        await self.file(user)
        await self.file(user, "abuse")  # it replaces the first
        await self.file(evidence='{"name": "Tower"}')
        await self.decided()
        self.age("report_decisions", "created", 11)
        await self.file(evidence='{"name": "Tower"}')
        self.assertEqual(await self.delete(), [3])
        self.assertEqual([each.state for each in await self.listed()], ["open"])
        self.assertEqual(self.sql("select count(*) from report_evidence"), [(1,)])
        self.assertEqual((await self.queue())[0].reports, 1)

    async def test_young(self):
        """What was closed lately stays."""
        await self.file()
        await self.decided()
        self.assertEqual(await self.delete(), [])
        self.assertEqual(len(await self.listed()), 1)

    async def test_batches(self):
        """Many go in batches."""
        for _ in range(3):
            await self.file()
        await self.decided()
        self.age("report_decisions", "created", 11)
        self.assertEqual(await self.delete(2), [2, 1])

    async def test_notice(self):
        """What was decided of a notice stays when its report goes."""
        notice = await self.notice()
        await self.decided("dismissed")
        self.age("report_decisions", "created", 11)
        self.assertEqual(await self.delete(), [1])
        (subject,) = await notices.subjects(self.db, notice)
        self.assertEqual(subject.state, "dismissed")


class EraseTests(OldCase):
    """Who has sent a notice."""

    async def test_erase(self):
        """Name, address and signature are erased once, and nothing else."""
        old = await self.notice()
        self.age("notices", "created", 11)
        young = await self.notice()
        self.assertEqual(await old_reports.erase_notices(self.db, 10), 1)
        self.assertEqual(await old_reports.erase_notices(self.db, 10), 0)
        found = await notices.of_id(self.db, old)
        self.assertEqual((found.name, found.email, found.explanation), (None, None, "x"))
        self.assertEqual((await notices.of_id(self.db, young)).email, "mira@example.com")


class AnswerTests(OldCase):
    """What is told to who has sent a notice."""

    async def test_once(self):
        """It is told once, when all is decided."""
        notice = await self.notice()
        async with self.db.transaction() as tx:
            self.assertIsNone(await notices.answer(tx, notice))
        await self.decided()
        async with self.db.transaction() as tx:
            found = await notices.answer(tx, notice)
            self.assertEqual(found, ("upheld", "mira@example.com"))
            self.assertIsNone(await notices.answer(tx, notice))
