"""What those who have reported something are told (extensions §7)."""

from typing import Any

from msgspec import json

from contentsvc.jobs.handlers import KINDS
from contentsvc.store.moderation import reports
from contentsvc.store.tasks import ReportsResolved
from contentsvc.wire.moderation import ReportedSubject
from tests.jobs.support import TellerCase
from tests.support.databases import guid, together


class ReportsTests(TellerCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.teller = self.telling(self.db, kinds=KINDS, most=2)
        self.castle = guid()
        self.users = [await self.user() for _ in range(5)]

    async def file(self, reporter: str, text: str = "") -> None:
        """Report the castle."""
        about = "content", self.castle, None, reporter
        await reports.file(self.db, *about, "spam", text, "{}", None, 0)

    async def decide(self, outcome: str, upto: int = 0) -> None:
        """Close the reports up to the one at this place of the list, the newest by default."""
        given = "content", self.castle, None, 200, 2**22
        listed = await reports.of_subject(self.db, *given)
        async with self.db.transaction() as tx:
            held = await reports.hold(tx, "content", self.castle)
            assert held is not None
            number, after = listed[upto].number, held.decided
            await reports.decide(tx, held.number, after, number, outcome)
            task = ReportsResolved(
                subject=ReportedSubject("content", self.castle),
                number=held.number,
                after=after,
                upto=number,
                outcome=outcome,
            )
            await self.queue.put(tx, task)

    def heard(self, user: str) -> list[dict[str, Any]]:
        """What the user was told."""
        rows = self.sql("select data from notifications where user_id = %s order by seq", user)
        return [json.decode(data) for (data,) in rows]

    async def test_all(self) -> None:
        """Each of them is told once, over all batches and processes."""
        for user in self.users:
            await self.file(user)
        await self.decide("upheld")
        other = self.telling(await self.pool(), kinds=KINDS, most=2)
        await together(self.work(), self.work(other))
        await self.work()
        subject = {"kind": "content", "id": self.castle}
        told = {"kind": "ReportResolved", "subject": subject, "outcome": "upheld"}
        self.assertEqual([self.heard(user) for user in self.users], [[told]] * 5)
        self.assertEqual(self.left(), [])

    async def test_gone(self) -> None:
        """Reporters who are gone, or have muted the kind, are left out."""
        for user in (guid(), *self.users[:3]):
            await self.file(user)
        self.sql(
            "insert into notification_counters (user_id, seq, unread, muted)"
            " values (%s, 0, 0, '{ReportResolved}')",
            self.users[0],
        )
        await self.decide("upheld")
        await self.work()
        self.assertEqual([len(self.heard(user)) for user in self.users], [0, 1, 1, 0, 0])
