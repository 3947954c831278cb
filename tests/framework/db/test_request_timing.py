"""What the pool notes on behalf of a request, on a real Postgres."""

from collections.abc import Awaitable, Callable
from typing import Any

from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core.request_timing import CURRENT, RequestTiming
from contentsvc.framework.db.query import STATEMENTS
from contentsvc.framework.db.read_batches import ReadBatches
from contentsvc.framework.db.statement import Row, Statement
from contentsvc.framework.db.write_batches import WriteBatches
from contentsvc.store.accounts import users
from contentsvc.store.progress import progress
from tests.framework.db.things import PoolCase
from tests.support.timing import ran


def on_behalf_of(timing: RequestTiming, act: Callable[[], Awaitable[Any]]) -> Deferred[Any]:
    """The result of `act`, which runs for this request."""

    async def work() -> Any:
        CURRENT.set(timing)
        return await act()

    return Deferred.fromCoroutine(work())


class PoolTests(PoolCase):
    async def test_statements(self) -> None:
        """Each statement counts, and the COMMIT of a transaction; the slowest has its SQL without
        arguments."""
        pool, timing = await self.pool(), RequestTiming()

        async def act() -> None:
            await self.put(pool, 1)
            async with pool.transaction() as tx:
                await self.sleep(tx, 0.05)

        await on_behalf_of(timing, act)
        self.assertEqual(timing.statements, 3)
        self.assertIn("EXECUTE", timing.sql)
        self.assertIn("%s", timing.sql)
        self.assertLessEqual(timing.slowest, timing.database)
        self.assertLessEqual(set(timing.waits), {"pool"})

    async def test_pool(self) -> None:
        """A wait for a connection is told apart from the statement after it."""
        pool = await self.pool(size=1)
        first, second = RequestTiming(), RequestTiming()
        await gatherResults(
            [on_behalf_of(s, lambda: self.sleep(pool, 0.1)) for s in (first, second)]
        )
        self.assertEqual((first.waits, first.statements), ({}, 1))
        self.assertEqual((set(second.waits), second.statements), ({"pool"}, 1))

    async def test_turn(self) -> None:
        """A transaction that waits for another about the same row waits for its turn."""
        pool = await self.pool(size=4)
        first, second = RequestTiming(), RequestTiming()

        async def act() -> None:
            async with pool.transaction("pair") as tx:
                await self.sleep(tx, 0.05)

        await gatherResults([on_behalf_of(timing, act) for timing in (first, second)])
        self.assertGreater(second.waits["turn"], first.waits["turn"])


class Run:
    """Runs a statement in two seconds, on behalf of whoever it is for."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._gates: list[Deferred[None]] = []

    async def __call__(self, statement: Statement, args: Row, *since: float) -> list[Row]:
        gate: Deferred[None] = Deferred()
        self._clock.callLater(2.0, gate.callback, None)
        await gate
        ran(CURRENT.get(), statement.name, 2.0)
        return []


class SharedTests(SynchronousTestCase):
    modules = (progress, users)
    """Their statements are known once they are imported."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.timing = [RequestTiming() for _ in range(3)]

    def accounts(self) -> list[tuple[float, int, str]]:
        return [(timing.database, timing.statements, timing.sql) for timing in self.timing]

    def test_together(self) -> None:
        """Reads that go as one count for each caller; one that goes alone for its own."""
        batches, info = ReadBatches(self.clock, Run(self.clock)), STATEMENTS["users_info"]
        several = STATEMENTS["users_info_together"]

        async def ask() -> list[Row]:
            return await batches.rows(info, several, ("a",))

        both = [on_behalf_of(timing, ask) for timing in self.timing[:2]]
        self.clock.advance(0)
        alone = on_behalf_of(self.timing[2], ask)
        self.clock.advance(0)
        self.clock.advance(2)
        for answer in (*both, alone):
            self.successResultOf(answer)
        shared = (2.0, 1, "users_info_together")
        self.assertEqual(self.accounts(), [shared, shared, (2.0, 1, "users_info")])

    def test_batch(self) -> None:
        """Writes that go as one count for each caller. One that waits for their row has waited for
        its turn before its own statement."""
        write = STATEMENTS[name := "progress_put"]
        assert write.batch is not None
        batch, args = write.batch, tuple("a" for _ in write.parameters)
        batches = WriteBatches(self.clock, Run(self.clock))

        async def ask() -> list[Row]:
            return await batches.rows(write, batch._replace(once=()), args)

        first = [on_behalf_of(timing, ask) for timing in self.timing[:2]]
        self.clock.advance(0)
        self.clock.advance(0.5)
        last = on_behalf_of(self.timing[2], ask)
        for seconds in (0, 1.5, 0, 2.0, 0):
            self.clock.advance(seconds)
        for answer in (*first, last):
            self.successResultOf(answer)
        self.assertEqual(self.accounts(), [(2.0, 1, name)] * 3)
        self.assertEqual([timing.waits for timing in self.timing], [{}, {}, {"turn": 1.5}])
