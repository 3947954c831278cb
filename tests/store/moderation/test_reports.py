"""Reports: what is filed, and what stands in the queue (extensions §7)."""

from typing import Any

from contentsvc.db.query import Db
from contentsvc.store.moderation import reports
from contentsvc.store.rate_limits import DAY
from contentsvc.wire.moderation import Kind
from tests.support.databases import StoreCase, fresh, guid, together

END = (2**31 - 1, 2**63 - 1)
"""The place before the first subject of the queue."""


class ReportCase(StoreCase):
    """Each test has a queue of its own."""

    async def setUp(self) -> None:
        self._databases[type(self)] = fresh(self.server())
        await super().setUp()
        self.castle = guid()

    async def file(
        self,
        reporter: str | None = None,
        reason: str = "spam",
        *,
        subject: str | None = None,
        kind: Kind = "content",
        content: str | None = None,
        text: str = "",
        evidence: str = '{"name": "Castle"}',
        messages: str | None = None,
        most: int = 0,
        db: Db | None = None,
    ) -> int:
        """The wait of a report, by default one more user's of the castle."""
        about = kind, subject or self.castle, content, reporter or guid()
        given = reason, text, evidence, messages, most
        return await reports.file(db or self.db, *about, *given)

    async def listed(
        self, subject: str | None = None, kind: Kind = "content", **more: Any
    ) -> list[reports.Filed]:
        """All reports of a subject, by default the castle."""
        query = {"before": None, "limit": 200, "bytes": 2**22} | more
        return await reports.of_subject(self.db, kind, subject or self.castle, **query)

    async def queue(
        self,
        *kinds: Kind,
        reason: str = "",
        place: tuple[float, ...] = END,
        limit: int = 50,
    ) -> list[reports.Queued]:
        """A part of the queue."""
        most, before = place
        wanted: list[str] = [*(kinds or ("content", "comment", "user"))]
        return await reports.queue(self.db, wanted, reason, int(most), int(before), limit)


class FilingTests(ReportCase):
    async def test_filed(self) -> None:
        """A report is listed as it was given, and is open."""
        ann = guid()
        await self.file(ann, "abuse", text="rude", evidence='{"name": "Fort"}')
        (found,) = await self.listed()
        self.assertEqual(
            (found.reporter, found.reason, found.text, found.evidence, found.state),
            (ann, "abuse", "rude", '{"name": "Fort"}', "open"),
        )

    async def test_replaced(self) -> None:
        """A second one of the same reporter takes the place of the first, under a new id."""
        ann = guid()
        await self.file(ann)
        (first,) = await self.listed()
        for change in ({"reason": "abuse"}, {"text": "x"}, {"evidence": "{}"}, {"messages": "[]"}):
            await self.file(ann, **{"reason": "abuse", **change})
            (second,) = await self.listed()
            self.assertNotEqual(second.id, first.id)
            first = second
        (queued,) = await self.queue()
        self.assertEqual((queued.reports, queued.reasons), (1, {"abuse": 1}))
        self.assertEqual(queued.up_to, first.id)

    async def test_repeated(self) -> None:
        """The same one again takes the place of the first too, under a new id, and says the
        same."""
        ann = guid()
        for messages in (None, "[]"):
            await self.file(ann, messages=messages)
            (first,) = await self.listed()
            await self.file(ann, messages=messages)
            (second,) = await self.listed()
            self.assertNotEqual(second.id, first.id)
            self.assertEqual(
                first._replace(number=second.number, id=second.id, created=second.created), second
            )
            (queued,) = await self.queue()
            self.assertEqual((queued.reports, queued.up_to), (1, second.id))
            self.assertEqual(queued.reasons, {"spam": 1})

    async def test_repeated_often(self) -> None:
        """After 20 repeats by one user of one subject, in any order with replacements, the same one
        again changes nothing. Another one replaces it still; others' have a number of their own."""
        ann, ben, other = guid(), guid(), await self.pool()
        for reason in ("spam", "abuse"):
            await together(*(self.file(ann, reason, db=(self.db, other)[n % 2]) for n in range(11)))
        before = await self.listed()
        await together(*(self.file(ann, "abuse") for _ in range(3)))
        self.assertEqual(await self.listed(), before)
        await self.file(ann, "spam")
        (replaced,) = await self.listed()
        self.assertEqual(replaced.reason, "spam")
        await self.file(ann, "spam")
        self.assertEqual(await self.listed(), [replaced])
        self.assertEqual(
            self.sql("select count(*), count(*) filter (where repeats) from reports"), [(23, 20)]
        )
        for reporter, subject in ((ben, self.castle), (ann, guid())):
            ids = set()
            for _ in range(2):
                await self.file(reporter, subject=subject)
                ids.add((await self.listed(subject))[0].id)
            self.assertEqual(len(ids), 2)

    async def test_one_evidence(self) -> None:
        """What is the same of many reports is stored once."""
        for _ in range(5):
            await self.file()
        await self.file(evidence='{"name": "Fort"}')
        self.assertEqual(self.sql("select count(*) from report_evidence"), [(2,)])

    async def test_messages(self) -> None:
        """Messages are a part of the evidence."""
        await self.file(evidence='{"username": "ben"}', messages='[{"text": "x"}]')
        (found,) = await self.listed()
        self.assertEqual(found.evidence, '{"messages": [{"text": "x"}], "username": "ben"}')

    async def test_limit(self) -> None:
        """Beyond the limit of a day one waits. Replacements count, repeats do not, and one that is
        refused leaves nothing."""
        ann = guid()
        for reason in ("spam", "spam", "spam", "abuse", "abuse", "abuse"):
            self.assertEqual(await self.file(ann, reason, most=2), 0)
        refused = guid()
        self.assertTrue(DAY - 60 < await self.file(ann, subject=refused, most=2) <= DAY)
        self.assertTrue(await self.file(ann, "other", most=2))
        (before,) = await self.listed()
        for _ in range(20):
            self.assertEqual(await self.file(ann, "abuse", most=2), 0)
        (after,) = await self.listed()
        self.assertNotEqual(after.id, before.id)
        self.assertEqual(after.reason, "abuse")
        self.assertEqual(await self.file(guid(), most=2), 0)
        self.assertFalse(await reports.known(self.db, "content", refused))

    async def test_first_at_once(self) -> None:
        """The first reports of a subject, at once by two processes and one user, are one."""
        ann, other = guid(), await self.pool()
        for _ in range(10):
            made = guid()
            await together(*(self.file(ann, subject=made, db=db) for db in (self.db, other)))
            self.assertEqual(len(await self.listed(made)), 1)

    async def test_thousand_at_once(self) -> None:
        """A thousand users report one subject at once, by two processes, while others report
        several in any order: each report is there, and counted once."""
        other, fort = await self.pool(), guid()
        users = [guid() for _ in range(20)]
        await together(
            *(self.file(db=(self.db, other)[n % 2], most=50) for n in range(1000)),
            *(
                self.file(user, subject=subject, db=(self.db, other)[n % 2], most=50)
                for n, user in enumerate(users)
                for subject in ((fort, self.castle) if n % 2 else (self.castle, fort))
            ),
        )
        found = [(each.id, each.reports, each.reasons) for each in await self.queue()]
        self.assertEqual(found, [(self.castle, 1020, {"spam": 1020}), (fort, 20, {"spam": 20})])
        self.assertEqual(len({each.reporter for each in await self.listed(fort)}), 20)


class QueueTests(ReportCase):
    async def test_order(self) -> None:
        """What most users have reported comes first; among equals, what was reported last."""
        few, many, late = guid(), guid(), guid()
        for subject in (few, many, late, many):
            await self.file(subject=subject)
        self.assertEqual([each.id for each in await self.queue()], [many, late, few])

    async def test_members(self) -> None:
        """A subject has its counts, the times of its first and last report, and the last's id."""
        ann = guid()
        for reporter, reason in ((ann, "spam"), (guid(), "abuse"), (guid(), "spam")):
            await self.file(reporter, reason, kind="comment", subject="7", content=self.castle)
        self.sql("update reports set created = to_timestamp(1000 + number)")
        last, _, first = await self.listed("7", "comment")
        (found,) = await self.queue()
        self.assertEqual(
            found,
            (
                *(3, last.number, "comment", "7", self.castle, {"spam": 2, "abuse": 1}),
                *(first.created, last.created, last.id),
            ),
        )
        await self.file(ann, "other", kind="comment", subject="7", content=self.castle)
        (found,) = await self.queue()
        self.assertEqual(found.first, first.created + 1)

    async def test_filters(self) -> None:
        """A kind, and a reason, leave out all others."""
        await self.file(reason="spam", subject="a")
        await self.file(reason="abuse", subject="a")
        await self.file(reason="abuse", subject="b", kind="user")
        await self.file(reason="spam", subject="7", kind="comment")

        async def ids(*kinds: Kind, reason: str = "") -> list[str]:
            return [each.id for each in await self.queue(*kinds, reason=reason)]

        self.assertEqual(await ids("content"), ["a"])
        self.assertEqual(await ids("user"), ["b"])
        self.assertEqual(await ids(reason="abuse"), ["a", "b"])
        self.assertEqual(await ids(reason="spam"), ["a", "7"])
        self.assertEqual(await ids("comment", reason="spam"), ["7"])
        self.assertEqual(await ids("comment", reason="abuse"), [])

    async def test_parts(self) -> None:
        """Parts have each subject once, in order."""
        for n in range(12):
            for _ in range(n % 3 + 1):
                kind: Kind = "user" if n % 2 else "content"
                await self.file(subject=f"s{n}", kind=kind)
        whole = await self.queue()
        found: list[reports.Queued] = []
        while part := await self.queue(limit=5, place=found[-1].place if found else END):
            found += part
        self.assertEqual(found, whole)
        self.assertEqual(len({each.id for each in found}), 12)

    async def test_reason_gone(self) -> None:
        """A subject whose last report for a reason is replaced is found by the new one only."""
        ann = guid()
        await self.file(ann, "spam")
        await self.file(ann, "abuse")
        self.assertEqual(await self.queue(reason="spam"), [])
        self.assertEqual(len(await self.queue(reason="abuse")), 1)


class ListTests(ReportCase):
    async def test_parts(self) -> None:
        """The newest come first, and a part goes on before the last of the part before."""
        for _ in range(5):
            await self.file()
        whole = await self.listed()
        numbers = [each.number for each in whole]
        self.assertEqual(numbers, sorted(numbers, reverse=True))
        first = await self.listed(limit=2)
        rest = await self.listed(before=first[-1].number)
        self.assertEqual(first + rest, whole)
        self.assertEqual(await self.listed(before=numbers[-1]), [])

    async def test_bytes(self) -> None:
        """A part ends with the report by which its evidence has so many bytes."""
        for _ in range(5):
            await self.file(evidence='"éé"')
        self.assertEqual(len(await self.listed(bytes=7)), 2)
        self.assertEqual(len(await self.listed(bytes=6)), 1)

    async def test_never(self) -> None:
        """What was never reported is not known, not even if its id is that of another kind."""
        await self.file()
        self.assertTrue(await reports.known(self.db, "content", self.castle))
        self.assertFalse(await reports.known(self.db, "user", self.castle))
        self.assertEqual(await self.listed(kind="user"), [])
