"""Content from before an upgrade, of which something is still to be counted: a table has a row
while those with a number over `after`, up to `upto`, are.

Triggers count what changes. They leave out what is still to be counted, under a lock of the row: so
the count waits for those who change any of it.
"""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, maybe, none, one

NEXT: Final = """
    select content_id, number from content_ranks
    where number > :after and number <= :upto order by number limit :most
"""
"""The contents of a batch."""


class _Left(NamedTuple):
    after: int
    upto: int


class _Batch(NamedTuple):
    last: int | None
    size: int


@one(f"select max(number) as last, count(*) as size from ({NEXT}) next")
async def _batch(tx: Db, after: int, upto: int, most: int) -> _Batch:
    """The number of the last content of a batch, and how many it has."""


class Uncounted:
    """What is still to be counted by the row of this `table`. `count` counts a batch: what has a
    number over the first, up to the second, of at most so many."""

    def __init__(self, table: str, count: Callable[[Db, int, int, int], Awaitable[None]]) -> None:
        @maybe(
            f"""
            select after, coalesce(upto, (select last_value from listing_ids)) as upto
            from {table} for update
            """,
            name=f"{table}_lock",
        )
        async def lock(tx: Db) -> _Left | None:
            """Lock what is still to be counted."""

        @none(f"update {table} set after = :after, upto = :upto", name=f"{table}_go_on")
        async def go_on(tx: Db, after: int, upto: int) -> None:
            """Note how far the count has come."""

        @none(f"delete from {table}", name=f"{table}_end")
        async def end(tx: Db) -> None:
            """Note that all is counted."""

        self._lock, self._go_on, self._end, self._count = lock, go_on, end, count

    async def count_next(self, tx: Db, most: int) -> int:
        """Count a batch of at most so many. Gives their number; 0 if all are counted."""
        left = await self._lock(tx)
        if left is None:
            return 0
        batch = await _batch(tx, *left, most)
        if batch.last is None:
            await self._end(tx)
            return 0
        await self._count(tx, *left, most)
        await self._go_on(tx, batch.last, left.upto)
        return batch.size
