"""Reports: what is filed, and what stands in the queue (moderation#reports)."""

from typing import Any

from contentsvc.framework.db.query import Db
from contentsvc.store.moderation import reports
from contentsvc.wire.moderation import ReportedKind
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

END = (2**31 - 1, 2**63 - 1)
"""The place before the first subject of the queue."""


class ReportCase(StoreCase):
    """Each test has a queue of its own."""

    anew = True

    async def setUp(self) -> None:
        await super().setUp()
        self.castle = guid()

    async def file(
        self,
        reporter: str | None = None,
        reason: str = "spam",
        *,
        subject: str | None = None,
        kind: ReportedKind = "content",
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
        self, subject: str | None = None, kind: ReportedKind = "content", **more: Any
    ) -> list[reports.Filed]:
        """All reports of a subject, by default the castle."""
        query = {"user": None, "before": None, "limit": 200, "bytes": 2**22} | more
        return await reports.of_subject(self.db, kind, subject or self.castle, **query)

    async def queue(
        self,
        *kinds: ReportedKind,
        reason: str = "",
        place: tuple[float, ...] = END,
        limit: int = 50,
        bytes: int = 2**22,
    ) -> list[reports.Queued]:
        """A part of the queue."""
        most, before = place
        wanted: list[str] = [*(kinds or ("content", "comment", "user"))]
        return await reports.queue(self.db, wanted, reason, int(most), int(before), limit, bytes)


class FilingTests(ReportCase):
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
            (found.reports, found.newest, found.kind, found.id, *found[6:]),
            (
                *(3, last.number, "comment", "7", self.castle, None),
                *(0, {"spam": 2, "abuse": 1}),
                *(first.created, last.created, last.id, None, None, None),
            ),
        )
        await self.file(ann, "other", kind="comment", subject="7", content=self.castle)
        (found,) = await self.queue()
        self.assertEqual(found.first, first.created + 1)

    async def test_bytes(self) -> None:
        """A part ends with the subject by which the profiles of the authors have so many bytes."""
        for _ in range(4):
            user = await self.user()
            self.sql("update users set public_profile = 'éé' where id = %s", user)
            await self.file(kind="user", subject=user)
        for bytes, length in ((4, 1), (5, 2), (8, 2), (9, 3), (17, 4)):
            self.assertEqual(len(await self.queue(bytes=bytes)), length)


class ListTests(ReportCase):
    async def test_bytes(self) -> None:
        """A part ends with the report by which its evidence has so many bytes."""
        for _ in range(5):
            await self.file(evidence='"éé"')
        self.assertEqual(len(await self.listed(bytes=7)), 2)
        self.assertEqual(len(await self.listed(bytes=6)), 1)
