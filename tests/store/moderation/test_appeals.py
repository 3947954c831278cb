"""Appeals, as time goes by (moderation#appeals)."""

from contentsvc.store.accounts import roles
from contentsvc.store.moderation import appeals, bans, decisions, old_reports, reports
from contentsvc.store.moderation.appeals import Decided, Outcome
from contentsvc.store.moderation.decisions import New, Subject
from contentsvc.wire.decisions import GroundBody
from tests.store.moderation.test_reports import ReportCase
from tests.support.databases import guid
from tests.support.deferreds import together


class AppealCase(ReportCase):
    """Decisions about a user, and reports of a castle."""

    async def decided(self, user: str, moderator: str | None = None) -> str:
        """A new decision."""
        ground = GroundBody(
            basis="terms", reference="3", explanation="x", source="own", automated="no"
        )
        about = Subject("user", user, None, user)
        new = New(guid(), "restrict", about, ground, "{}", '{"body": "x"}', what=["rate"])
        async with self.db.transaction() as tx:
            await decisions.take(tx, moderator or guid(), False, new)
        return new.id

    async def locked(self, user: str, decision: str) -> Decided | None:
        """What an appeal finds."""
        async with self.db.transaction() as tx:
            return await appeals.lock_decision(tx, user, decision)

    async def appeal(self, user: str, decision: str) -> str:
        """A new appeal."""
        async with self.db.transaction() as tx:
            await appeals.lock_decision(tx, user, decision)
            await appeals.open_author(tx, decision, "user", user, None, user, "No")
        ((id,),) = self.sql("select id from appeals where decision = %s", decision)
        return str(id)

    def age(self, table: str, days: int) -> None:
        """Make all rows of a table older."""
        self.sql(f"update {table} set created = created - make_interval(days => {days})")

    async def dismissed(self, reporter: str) -> None:
        """A report of the castle, and its dismissal."""
        await self.file(reporter)
        (newest, *_) = await self.listed()
        async with self.db.transaction() as tx:
            held = await reports.lock(tx, "content", self.castle, None)
            assert held is not None
            span = held.number, held.decided, newest.number
            await reports.decide(tx, *span, "dismissed", guid())

    async def outcome(self, reporter: str) -> Outcome | None:
        """What the appeal of a reporter finds."""
        async with self.db.transaction() as tx:
            return await appeals.lock_report(tx, reporter, "content", self.castle)

    async def object(self, reporter: str) -> Outcome:
        """A new appeal of a reporter."""
        async with self.db.transaction() as tx:
            found = await appeals.lock_report(tx, reporter, "content", self.castle)
            assert found is not None and found.number is not None and found.upto is not None
            about = found.kind, found.subject, None, None
            given = found.number, found.upto, *about, reporter, None, "No"
            await appeals.open_against(tx, "reporter", *given)
        return found


class DecisionTests(AppealCase):
    """Decisions."""

    async def test_late(self) -> None:
        """After 184 days it is too late, and its token is good no more."""
        ann = await self.user()
        id = await self.decided(ann)
        self.age("decisions", 183)
        found = await self.locked(ann, id)
        self.assertEqual((found and found.late, found and found.text), (False, None))
        self.assertTrue(await appeals.is_young(self.db, ann, id))
        self.age("decisions", 1)
        found = await self.locked(ann, id)
        self.assertTrue(found and found.late)
        self.assertFalse(await appeals.is_young(self.db, ann, id))

    async def test_left(self) -> None:
        """Who has left does not appeal."""
        ann = await self.user()
        id = await self.decided(ann)
        self.sql("delete from users where id = %s", ann)
        self.assertIsNone(await self.locked(ann, id))
        self.assertFalse(await appeals.is_young(self.db, ann, id))

    async def test_facts(self) -> None:
        """Facts stay, and what can be given back, while an appeal is open."""
        ann, ben = await self.user(), await self.user()
        waiting, other = await self.decided(ann), await self.decided(ben)
        appeal = await self.appeal(ann, waiting)
        self.age("decisions", 185)
        self.assertEqual(await decisions.forget_facts(self.db), 1)
        found = await decisions.get(self.db, waiting)
        self.assertEqual((found and found.facts, found and len(found.appeals)), ("{}", 1))
        known = await decisions.known(self.db, other)
        self.assertIsNone(known and known.taken)
        async with self.db.transaction() as tx:
            await appeals.answer(tx, appeal, guid(), "confirmed", "x")
        found = await decisions.get(self.db, waiting)
        self.assertIsNone(found and found.facts)
        self.assertEqual(await decisions.forget_facts(self.db), 1)

    async def test_at_once(self) -> None:
        """Of an appeal and a reversal at once either the appeal is answered, or it finds that it is
        too late."""
        for _ in range(10):
            ann = await self.user()
            id = await self.decided(ann)
            known = await decisions.known(self.db, id)
            assert known is not None
            db = await self.pool()

            async def reverse(known=known, db=db) -> None:
                async with db.transaction() as tx:
                    given = known.number, known.about, "x"
                    await decisions.reverse(tx, guid(), False, *given)

            async def appeal(ann=ann, id=id) -> None:
                async with self.db.transaction() as tx:
                    found = await appeals.lock_decision(tx, ann, id)
                    if found is not None and not found.reversed:
                        await appeals.open_author(tx, id, "user", ann, None, ann, "No")

            await together(reverse(), appeal())
            query = "select state from appeals where decision = %s"
            self.assertIn(self.sql(query, id), ([], [("reversed",)]))

    async def test_others(self) -> None:
        """Another who could answer has the role, and is not banned."""
        ann, ben = await self.user(), await self.user()
        roles_of_staff = ["moderator", "admin"]
        for user in (ann, ben):
            async with self.db.transaction() as tx:
                await roles.put(tx, user, "moderator")
        self.assertTrue(await appeals.others(self.db, roles_of_staff, [ann]))
        self.assertFalse(await appeals.others(self.db, roles_of_staff, [ann, ben]))
        self.assertFalse(await appeals.others(self.db, ["admin"], [ann]))
        async with self.db.transaction() as tx:
            await bans.put(tx, None, ben, "x", None)
        self.assertFalse(await appeals.others(self.db, roles_of_staff, [ann]))


class OutcomeTests(AppealCase):
    """Outcomes of reports."""

    async def test_late(self) -> None:
        """After 184 days it is too late."""
        ann = guid()
        await self.dismissed(ann)
        found = await self.outcome(ann)
        self.assertEqual((found and found.outcome, found and found.late), ("dismissed", False))
        self.age("report_decisions", 184)
        found = await self.outcome(ann)
        self.assertTrue(found and found.late)

    async def test_retention(self) -> None:
        """Reports are not deleted while an appeal is open against their outcome, or against one
        before it."""
        ann, ben = guid(), guid()
        await self.dismissed(ann)
        found = await self.object(ann)
        await self.dismissed(ben)
        self.age("report_decisions", 11)
        async with self.db.transaction() as tx:
            self.assertFalse((await old_reports.delete(tx, 10)).more)
            assert found.number is not None and found.upto is not None
            given = found.number, found.upto, guid(), "confirmed", "x"
            await appeals.answer_all_against(tx, *given)
            self.assertTrue((await old_reports.delete(tx, 10)).more)

    async def test_reopened(self) -> None:
        """What is open has its counts again, and a repeat of it is a repeat."""
        ann, ben = guid(), guid()
        await self.file(ben)
        await self.dismissed(ann)
        found = await self.object(ann)
        assert found.number is not None and found.upto is not None
        async with self.db.transaction() as tx:
            await appeals.lock_subject(tx, found.number)
            self.assertEqual(await appeals.reopen(tx, found.number, found.upto), 2)
        async with self.db.transaction() as tx:
            self.assertEqual(await appeals.reopen(tx, found.number, found.upto), 0)
        (queued,) = await self.queue()
        self.assertEqual((queued.reports, queued.reasons), (2, {"spam": 2}))
        await self.file(ann)
        (queued,) = await self.queue()
        self.assertEqual((queued.reports, len(await self.listed())), (2, 2))
        self.assertEqual({one.state for one in await self.listed()}, {"open"})
