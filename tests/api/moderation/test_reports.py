"""Reports: their evidence, and what a decision leaves."""

from typing import Any

from msgspec import json

from contentsvc.api.moderation.reports import Reports
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.task_queue import Task
from contentsvc.wire.moderation import (
    QueueQuery,
    ReportBody,
    ReportDecision,
    ReportsQuery,
    SenderQuery,
    UserReportBody,
)
from tests.api.support import ApiCase, Caller, Tasks
from tests.support.databases import guid
from tests.support.deferreds import together


class ReportCase(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.tasks = Tasks()
        self.family = Reports(self.db, self.tasks, per_day=50)
        self.ann, self.ben = await self.user(), await self.user()
        self.admin = Caller(await self.user(admin=True), admin=True)

    async def report(self, messages: list[str], by: str | None = None) -> None:
        """Ann, or another, reports Ben with these messages."""
        body = UserReportBody(reason="abuse", messages=messages)
        await self.family.report_user(Caller(by or self.ann), self.ben, body)

    async def evidence(self) -> dict[str, Any]:
        """That of the newest report of Ben."""
        found = await self.family.list_reports(self.admin, "user", self.ben, ReportsQuery())
        return json.decode(found.items[0].evidence)  # type: ignore[union-attr, no-any-return]


class MessageTests(ReportCase):
    def message(self, sender: str, recipient: str, text: str, id: str | None = None) -> str:
        """The id of a message that was sent."""
        self.sql(
            """insert into pairs (lesser, greater)
               values (least(%s::uuid, %s), greatest(%s::uuid, %s)) on conflict do nothing""",
            *(sender, recipient, sender, recipient),
        )
        id = id or guid()
        self.sql(
            """insert into messages (pair, sender, id, text)
               select number, %s, %s, %s from pairs
               where lesser = least(%s::uuid, %s) and greater = greatest(%s::uuid, %s)""",
            *(sender, id, text, sender, recipient, sender, recipient),
        )
        return id

    async def test_received(self) -> None:
        """Messages that the reported user has sent to the reporter are kept, oldest first, each
        once."""
        first, second = (self.message(self.ben, self.ann, text) for text in ("one", "two"))
        await self.report([second, first, second])
        found = (await self.evidence())["messages"]
        self.assertEqual(
            [(each["id"], each["text"]) for each in found], [(first, "one"), (second, "two")]
        )

    async def test_others(self) -> None:
        """One's own messages, and those to others, are unknown; each is named, and nothing is
        filed."""
        good = self.message(self.ben, self.ann, "hi")
        own = self.message(self.ann, self.ben, "hi")
        foreign = self.message(self.ben, await self.user(), "hi")
        problem = await self.refused(self.report([good, own, foreign]))
        self.assertEqual(problem.code, "unknown_message")
        self.assertEqual(set(problem.members["messages"]), {own, foreign})
        self.assertEqual(self.sql("select 1 from reports where reporter = %s", self.ann), [])

    async def test_same_id(self) -> None:
        """If both have sent a message with one id, that of the reported user counts."""
        id = self.message(self.ann, self.ben, "mine")
        self.message(self.ben, self.ann, "theirs", id)
        await self.report([id])
        (found,) = (await self.evidence())["messages"]
        self.assertEqual(found["text"], "theirs")


class DecisionTests(ReportCase):
    async def decide(self, outcome: str = "upheld") -> None:
        """An admin decides about all reports of Ben."""
        found = await self.family.list_reports(self.admin, "user", self.ben, ReportsQuery())
        body = ReportDecision(outcome=outcome, up_to=found.items[0].id, note="seen")  # type: ignore
        await self.family.resolve_reports(self.admin, "user", self.ben, body, SenderQuery())

    def acts(self) -> list[tuple[Any, ...]]:
        """What admins have done to Ben."""
        return self.sql(
            "select admin, action, subject_kind, reason from moderation_actions where subject = %s"
            " order by number",
            self.ben,
        )

    async def test_act(self) -> None:
        """A decision that closes anything leaves an act with the note, and wakes the runner."""
        await self.report([])
        await self.decide()
        self.assertEqual(self.acts(), [(self.admin.user, "report_upheld", "user", "seen")])
        self.assertEqual(self.tasks.woken, 1)
        await self.report([], await self.user())
        await self.decide("dismissed")
        acts = [act for _, act, _, _ in self.acts()]
        self.assertEqual(acts, ["report_upheld", "report_dismissed"])

    async def test_not_decided(self) -> None:
        """Where the decision fails, those who reported are not told."""
        await self.report([])
        put = self.tasks.put

        async def breaks(tx: Db, task: Task) -> None:
            await put(tx, task)
            raise KeyError("x")

        self.patch(self.tasks, "put", breaks)
        with self.assertRaises(KeyError):
            await self.decide()
        told = "select 1 from tasks where kind = 'ReportsResolved' and task like %s"
        self.assertEqual((self.sql(told, f"%{self.ben}%"), self.acts()), ([], []))

    async def test_no_act(self) -> None:
        """One that closes nothing leaves none, and tells nobody."""
        await self.report([])
        await together(*(self.decide() for _ in range(3)))
        await self.decide("dismissed")
        self.assertEqual(len(self.acts()), 1)
        self.assertEqual(self.tasks.woken, 1)

    async def test_gone(self) -> None:
        """The reports of a user who is gone, and of the content of theirs that went too, stay in
        the queue, are listed and can be decided."""
        made = await self.content(self.ben)
        await self.family.report_content(Caller(self.ann), made, ReportBody(reason="spam"))
        await self.report([])
        self.sql("delete from users where id = any(%s::uuid[])", [self.ben, self.ann])
        queue = await self.family.list_reported_subjects(self.admin, QueueQuery(limit=200))
        there = {each.subject.id for each in queue.items}  # type: ignore[union-attr]
        self.assertLessEqual({made, self.ben}, there)
        await self.decide()
        self.assertEqual(len(self.acts()), 1)

    async def test_evidence_long(self) -> None:
        """A part of the list ends when its evidence is long, and the next goes on."""
        self.family = Reports(self.db, self.tasks, per_day=0, part=10)
        made = await self.content(self.ben)
        for _ in range(3):
            body = ReportBody(reason="spam")
            await self.family.report_content(Caller(await self.user()), made, body)
        numbers: list[str] = []
        after = None
        for _ in range(3):
            query = ReportsQuery(after=after)
            found = await self.family.list_reports(self.admin, "content", made, query)
            self.assertEqual(len(found.items), 1)
            numbers += [found.items[0].id]  # type: ignore[union-attr]
            after = found.after
        self.assertEqual(len(set(numbers)), 3)
