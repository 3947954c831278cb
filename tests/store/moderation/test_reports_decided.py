"""What admins decide about reports (moderation#the-queue)."""

from contentsvc.framework.db.database import Database
from contentsvc.store.moderation import reports
from contentsvc.store.rate_limits import DAY
from tests.store.moderation.test_reports import ReportCase
from tests.support.databases import guid
from tests.support.deferreds import together

MONTH = 30 * DAY


class DecisionTests(ReportCase):
    async def decide(self, upto: str, outcome: str = "upheld", db: Database | None = None) -> bool:
        """Whether a decision about the castle has closed anything."""
        async with (db or self.db).transaction() as tx:
            held = await reports.lock(tx, "content", self.castle, None)
            assert held is not None
            number = await reports.number_of(tx, held.number, upto)
            assert number is not None
            return await reports.decide(tx, held.number, held.decided, number, outcome, guid())

    async def states(self) -> list[str]:
        """Those of the castle's reports, oldest first."""
        return [each.state for each in reversed(await self.listed())]

    async def ids(self) -> list[str]:
        """Those of the castle's reports, oldest first."""
        return [each.id for each in reversed(await self.listed())]

    async def test_part(self) -> None:
        """A decision closes the reports up to that one; later ones stay in the queue."""
        for reason in ("spam", "abuse", "spam"):
            await self.file(reason=reason)
        ids = await self.ids()
        self.assertTrue(await self.decide(ids[1]))
        self.assertEqual(await self.states(), ["upheld", "upheld", "open"])
        (found,) = await self.queue()
        self.assertEqual((found.reports, found.reasons, found.up_to), (1, {"spam": 1}, ids[2]))
        self.assertEqual(await self.queue(reason="abuse"), [])
        self.assertTrue(await self.decide(ids[2], "dismissed"))
        self.assertEqual(await self.states(), ["upheld", "upheld", "dismissed"])
        for reason in ("", "spam", "abuse"):
            self.assertEqual(await self.queue(reason=reason), [])

    async def test_repeated(self) -> None:
        """So does the id of one that was repeated. The last repeat stays open until its own id is
        given. After that there can be as many again."""
        ann = guid()
        await self.file()
        await self.file(ann)
        _, old = await self.ids()
        for _ in range(20):
            await self.file(ann)
        _, last = await self.ids()
        self.assertTrue(await self.decide(old))
        self.assertEqual(await self.states(), ["upheld", "open"])
        await self.file(ann)
        self.assertEqual((await self.ids())[1], last)
        self.assertTrue(await self.decide(last))
        self.assertEqual(await self.states(), ["upheld", "upheld"])
        ids = set()
        for _ in range(22):
            await self.file(ann)
            ids.add((await self.ids())[2])
        self.assertEqual(len(ids), 21)

    async def test_dismissed_before(self) -> None:
        """After 30 days it opens one again; also if the dismissal is of a time to come, because the
        clock was set back."""
        for change in (f"- interval '{MONTH} seconds'", "+ interval '1 hour'"):
            self.castle, ann = guid(), guid()
            await self.file(ann)
            await self.decide((await self.ids())[0], "dismissed")
            self.sql(f"update report_decisions set created = clock_timestamp() {change}")
            await self.file(ann)
            self.assertEqual(await self.states(), ["dismissed", "open"])

    async def test_dismissed_still(self) -> None:
        """A minute before the 30 days are over it opens nothing."""
        ann = guid()
        await self.file(ann)
        await self.decide((await self.ids())[0], "dismissed")
        self.sql(f"update report_decisions set created = now() - interval '{MONTH - 60} seconds'")
        await self.file(ann)
        self.assertEqual(await self.states(), ["dismissed"])

    async def test_while_filing(self) -> None:
        """Whatever falls together, of reports, replacements and decisions: the counts are those of
        the reports that are open, and each reporter has one of them."""
        other = await self.pool()
        users = [guid() for _ in range(12)]
        await self.file(users[0])
        for turn in range(8):
            last = (await self.listed())[0].id
            await together(
                *(
                    self.file(user, ("spam", "abuse")[n % 2], text=f"{turn}", db=db)
                    for n, user in enumerate(users)
                    for db in (self.db, other)
                ),
                self.decide(last, db=self.db),
                self.decide(last, db=other),
            )
            open_ = [each for each in await self.listed() if each.state == "open"]
            self.assertEqual(len({each.reporter for each in open_}), len(open_))
            (queued,) = await self.queue()
            self.assertEqual(queued.reports, len(open_))
            reasons = [each.reason for each in open_]
            self.assertEqual(queued.reasons, {each: reasons.count(each) for each in set(reasons)})
            self.assertEqual(queued.up_to, open_[0].id)

    async def test_reporters(self) -> None:
        """Those whose reports a decision has closed are named once, not who has replaced theirs."""
        ann, ben, cat = guid(), guid(), guid()
        for user in (ann, ben, cat):
            await self.file(user)
        last = (await self.ids())[-1]
        await self.file(ann, "abuse")
        async with self.db.transaction() as tx:
            held = await reports.lock(tx, "content", self.castle, None)
            assert held is not None
            upto = await reports.number_of(tx, held.number, last)
            assert upto is not None
            self.assertTrue(
                await reports.decide(tx, held.number, held.decided, upto, "upheld", guid())
            )
            given = held.number, held.decided, upto
            found = await reports.reporters(tx, *given, 10)
            self.assertEqual([each.user_id for each in found], [ben, cat])
            (first,) = await reports.reporters(tx, *given, 1)
            rest = await reports.reporters(tx, held.number, first.number, upto, 10)
            self.assertEqual([each.user_id for each in rest], [cat])
