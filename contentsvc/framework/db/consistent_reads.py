"""The statements of one answer that has several: none of them sees less than those before.

A whole list has a validator and many pages. No item may be older than the validator: a client that
holds an old item under a new validator would keep it. Each statement on the primary sees what those
before have seen, and so does each on the replica. But the replica may show a commit before the
primary does: between its flush and its end there, which may take long where it waits for a standby.
So the pages follow their validator to the replica. They come back to the primary only when all that
the validator may have seen has ended there.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.query import Db
from contentsvc.framework.db.statement import Row, Statement


class Mark(NamedTuple):
    """What a read on a replica has seen at most: up to this place in the log of the timeline, and
    of the transactions before `xid`."""

    timeline: int
    lsn: int
    xid: str


class ReplicaReads(Protocol):
    """A replica on which reads can be made."""

    async def rows(self, statement: Statement, args: Row) -> list[Row] | None:
        """The rows of a read; None if it cannot be made there now. Raises Unavailable: it takes too
        long."""

    async def begin(self, statement: Statement, args: Row) -> tuple[list[Row], Mark] | None:
        """The same, and what the read has seen."""

    async def go_on(self, mark: Mark, statement: Statement, args: Row) -> list[Row] | None:
        """The rows of a read that sees at least as much; None if it cannot be made there."""

    async def ended(self, mark: Mark) -> None:
        """Wait until the primary shows as much. Raises Unavailable: that takes too long."""


class ConsistentReads:
    """Runs the statements of one answer on the database `primary`, or from the first of the lane
    WHOLE on at its replica."""

    def __init__(self, primary: Db, place: ReplicaReads) -> None:
        self._primary = primary
        self._place = place
        self._mark: Mark | None = None

    async def run(self, statement: Statement, args: Row) -> list[Row]:
        """Run one statement and give all its rows. Raises Unavailable."""
        if self._mark is not None:
            rows = await self._place.go_on(self._mark, statement, args)
            if rows is not None:
                return rows
            await self._place.ended(self._mark)
            self._mark = None
        elif statement.lane == WHOLE:
            begun = await self._place.begin(statement, args)
            if begun is not None:
                rows, self._mark = begun
                return rows
        return await self._primary.run(statement, args)

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call at once: these are reads."""
        callback()
