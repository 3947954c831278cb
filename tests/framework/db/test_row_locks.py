"""Transactions that lock the same row first take turns."""

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from contentsvc.framework.db.database import CHECK
from contentsvc.framework.db.errors import Unavailable
from tests.framework.db.things import PoolCase


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
        pool = await self.pool(size=4, wait=CHECK / 2, clock=clock)

        async def write(id: int) -> None:
            async with pool.transaction("things") as tx:
                await self.put(tx, id)

        async with pool.transaction("things") as tx:
            await self.put(tx, 1)
            late = Deferred.fromCoroutine(write(2))
            clock.advance(CHECK)
            error = await self.fails(Unavailable, late)
            assert isinstance(error, Unavailable)
            self.assertEqual(error.cause, "lock")
        await write(3)
        self.assertEqual(await self.stored(), [1, 3])
