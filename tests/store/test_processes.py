"""Processes report themselves, and are forgotten when they have died."""

from typing import Any

from contentsvc.store import processes
from contentsvc.store.processes import DEAD, Failing
from tests.support.databases import StoreCase, fresh, guid


class ProcessTests(StoreCase):
    async def setUp(self) -> None:
        # Of its own: the list has all there are.
        self._databases[type(self)] = fresh(self.server())
        await super().setUp()
        self.id = guid()

    async def report(self, id: str | None = None, **changes: Any) -> None:
        given: dict[str, Any] = {"host": "one", "pid": 7, "version": "1", "sockets": 3, "users": 2}
        await processes.report(self.db, id or self.id, **{**given, "failing": [], **changes})

    async def test_report(self) -> None:
        """A process is listed as it was when it last reported."""
        await self.report()
        await self.report(sockets=5, users=4, failing=[Failing("sweep", 9, "away")])
        ((found),) = await processes.listed(self.db)
        self.assertEqual((found.host, found.pid, found.version), ("one", 7, "1"))
        self.assertEqual((found.sockets, found.users), (5, 4))
        self.assertEqual(found.failing, [Failing("sweep", 9, "away")])

    async def test_times(self) -> None:
        """Its times are those of its first and its last report."""
        await self.report()
        self.sql(
            "update processes set started = started - interval '1 h', seen = seen - interval '9 s'"
        )
        ((found),) = await processes.listed(self.db)
        self.assertTrue(3600 <= found.up < 3700 and 9 <= found.seen < 60)
        await self.report()
        ((found),) = await processes.listed(self.db)
        self.assertTrue(3600 <= found.up < 3700 and found.seen < 9)

    async def test_leave(self) -> None:
        """One that ends is not listed any more."""
        await self.report(guid(), pid=8)
        await self.report()
        await processes.leave(self.db, self.id)
        self.assertEqual([each.pid for each in await processes.listed(self.db)], [8])

    async def test_dead(self) -> None:
        """One that has not reported for long is forgotten, also if its last report is in the
        future, from before the clock was set back."""
        for pid, seen in enumerate([0, -DEAD + 20, -DEAD - 1, DEAD + 20]):
            await self.report(guid(), pid=pid)
            self.sql(
                "update processes set seen = now() + make_interval(secs => %s) where pid = %s",
                seen,
                pid,
            )
        self.assertEqual(await processes.forget_dead(self.db), 2)
        self.assertEqual([each.pid for each in await processes.listed(self.db)], [0, 1])
