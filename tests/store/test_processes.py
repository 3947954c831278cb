"""Processes report themselves, and are forgotten when they have died."""

from typing import Any

from msgspec import structs

from contentsvc.framework.tasks.runner import Failing
from contentsvc.store import processes
from contentsvc.store.processes import DEAD, SUSPECT, Others, Report
from tests.support.databases import StoreCase, guid


class ProcessTests(StoreCase):
    anew = True  # The list has all there are.

    async def setUp(self) -> None:
        await super().setUp()
        self.id = guid()

    async def beat(self, id: str | None = None, **changes: Any) -> Others:
        report = Report(id or self.id, "one", 7, "1", 3, 2, [])
        return await processes.beat(self.db, structs.replace(report, **changes))

    async def beside(self, *silent: float) -> Others:
        """What a process hears beside others that have been silent for so many seconds."""
        for pid, seconds in enumerate(silent):
            await self.beat(guid(), pid=pid)
            self.sql(
                "update processes set seen = now() - make_interval(secs => %s) where pid = %s",
                seconds,
                pid,
            )
        return await self.beat(pid=len(silent))

    async def test_report(self) -> None:
        """A process is listed as it was when it last reported."""
        await self.beat()
        await self.beat(sockets=5, users=4, failing=[Failing("sweep", 9, "away")])
        ((found),) = await processes.listed(self.db)
        self.assertEqual((found.host, found.pid, found.version), ("one", 7, "1"))
        self.assertEqual((found.sockets, found.users), (5, 4))
        self.assertEqual(found.failing, [Failing("sweep", 9, "away")])

    async def test_times(self) -> None:
        """Its times are those of its first and its last report."""
        await self.beat()
        self.sql(
            "update processes set started = started - interval '1 h', seen = seen - interval '9 s'"
        )
        ((found),) = await processes.listed(self.db)
        self.assertTrue(3600 <= found.up < 3700 and 9 <= found.seen < 60)
        await self.beat()
        ((found),) = await processes.listed(self.db)
        self.assertTrue(3600 <= found.up < 3700 and found.seen < 9)

    async def test_alone(self) -> None:
        """One that is alone suspects nobody."""
        self.assertEqual(await self.beside(), (0, 0, SUSPECT, "{}"))

    async def test_fresh(self) -> None:
        """Those that were heard of lately are not suspect. How long that lasts is the time that the
        oldest of them has left."""
        alive, silent, left, _ = await self.beside(1, 6, 3)
        self.assertEqual((alive, silent), (3, 0))
        self.assertTrue(0 < left <= 2)

    async def test_suspect(self) -> None:
        """Those that have been silent for too long are suspect, and not those that are forgotten;
        so are those that were heard of before the clock was set back."""
        others = await self.beside(SUSPECT, DEAD - 2, DEAD + 1, -30, -2 * DEAD)
        self.assertEqual(others, (0, 4, SUSPECT, "{}"))

    async def test_maintenance(self) -> None:
        """A beat reads whether the service is closed."""
        self.sql("insert into maintenance (message, reads) values ('Soon', false)")
        self.assertIn('"Soon"', str((await self.beside()).maintenance))

    async def test_leave(self) -> None:
        """One that ends is not listed any more."""
        await self.beat(guid(), pid=8)
        await self.beat()
        await processes.leave(self.db, self.id)
        self.assertEqual([each.pid for each in await processes.listed(self.db)], [8])

    async def test_dead(self) -> None:
        """One that has not reported for long is forgotten, also if its last report is in the
        future, from before the clock was set back."""
        for pid, seen in enumerate([0, -DEAD + 20, -DEAD - 1, DEAD + 20]):
            await self.beat(guid(), pid=pid)
            self.sql(
                "update processes set seen = now() + make_interval(secs => %s) where pid = %s",
                seen,
                pid,
            )
        self.assertEqual(await processes.forget_dead(self.db), 2)
        self.assertEqual([each.pid for each in await processes.listed(self.db)], [0, 1])
