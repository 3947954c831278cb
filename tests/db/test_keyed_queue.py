"""Transactions that lock the same row first take turns."""

from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.db.database import LOOK
from contentsvc.db.errors import Unavailable
from contentsvc.db.keyed_queue import Turns
from tests.db.things import PoolCase


class TurnTests(SynchronousTestCase):
    """Who goes next."""

    def setUp(self) -> None:
        self.turns = Turns()
        self.order: list[int] = []

    def enter(self, row: str, came: float, number: int = 0) -> Deferred[None]:
        """A caller; `order` gets the number at its turn."""

        async def act() -> None:
            await self.turns.enter(row, came)
            self.order.append(number)

        return Deferred.fromCoroutine(act())

    def test_order(self) -> None:
        """The callers for one row go one after the other, in their order; those for another row
        do not wait for them."""
        for number in range(3):
            self.enter("a", 0, number)
        self.enter("b", 0, 9)
        self.assertEqual(self.order, [0, 9])
        self.turns.leave("a")
        self.assertEqual(self.order, [0, 9, 1])
        self.turns.leave("a")
        self.turns.leave("a")
        self.enter("a", 0, 3)
        self.assertEqual(self.order, [0, 9, 1, 2, 3])

    def test_late(self) -> None:
        """Who has waited too long fails, and the next goes on."""
        self.enter("a", 0)
        late, next = self.enter("a", 1), self.enter("a", 2, 1)
        self.turns.expire(2)
        self.assertEqual(self.failureResultOf(late, Unavailable).value.cause, "lock")
        self.turns.leave("a")
        self.successResultOf(next)

    def test_cancelled(self) -> None:
        """Who cancels goes at once, and gets no turn."""
        self.enter("a", 0)
        gone, next = self.enter("a", 0), self.enter("a", 0)
        gone.cancel()
        self.failureResultOf(gone, CancelledError)
        self.turns.leave("a")
        self.successResultOf(next)

    def test_stopped(self) -> None:
        """All who wait fail when the pool stops."""
        self.enter("a", 0)
        waiting = [self.enter("a", 0) for _ in range(3)]
        self.turns.fail(Unavailable("the service is stopping"))
        for each in waiting:
            self.failureResultOf(each, Unavailable)
        self.turns.leave("a")
        self.successResultOf(self.enter("a", 0))

    def test_many(self) -> None:
        """Any number of callers may leave at once."""

        async def act(number: int) -> None:
            await self.turns.enter("a", 0)
            await (first if number == 0 else succeed(None))
            self.turns.leave("a")

        first: Deferred[None] = Deferred()
        all = [Deferred.fromCoroutine(act(number)) for number in range(5000)]
        first.callback(None)
        for each in all:
            self.successResultOf(each)


class PoolTurnTests(PoolCase):
    """Transactions of a pool."""

    async def test_places(self) -> None:
        """However many wait for one row, one place is theirs. Others go on."""
        pool = await self.pool(size=4)
        await self.put(pool, 1)

        async def write(row: int) -> None:
            async with pool.transaction(f"thing {row}") as tx:
                await self.lock(tx, row)

        await self.put(pool, 2)
        async with pool.transaction() as tx:
            await self.lock(tx, 1)
            waiting = [Deferred.fromCoroutine(write(1)) for _ in range(10)]
            await write(2)
            self.assertEqual([each.called for each in waiting], [False] * 10)
        for each in waiting:
            await each

    async def test_late(self) -> None:
        """Who waits too long for its turn is told so, and the pool goes on."""
        clock = Clock()
        pool = await self.pool(size=4, wait=LOOK / 2, clock=clock)

        async def write(id: int) -> None:
            async with pool.transaction("things") as tx:
                await self.put(tx, id)

        async with pool.transaction("things") as tx:
            await self.put(tx, 1)
            late = Deferred.fromCoroutine(write(2))
            clock.advance(LOOK)
            await self.fails(Unavailable, late)
        await write(3)
        self.assertEqual(await self.stored(), [1, 3])
