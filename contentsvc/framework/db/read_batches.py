"""Sends the reads of one reactor turn to the database as one statement.

A statement costs the service and Postgres the same few dozen microseconds, whether it looks up one
row or eight. A busy service has many clients, whose requests arrive side by side. A lone call does
not wait for others. If the database fails or takes too long, all calls of one statement fail
together, as they might have failed alone. Writes go through contentsvc.framework.db.write_batches.
"""

from collections.abc import Awaitable, Callable

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.concurrency import Batcher, Call
from contentsvc.framework.core.request_timing import CURRENT, Sharing
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.statement import Row, Statement, parted

MOST = 8
"""The most calls in one statement. More would save little, and leave connections idle."""

Run = Callable[[Statement, Row], Awaitable[list[Row]]]


class _Read(Call[list[Row]]):
    """A call with these arguments, on behalf of the present request."""

    __slots__ = ("args", "timing")

    def __init__(self, args: Row) -> None:
        super().__init__()
        self.args = args
        self.timing = CURRENT.get()


class _Reads(Batcher[_Read]):
    """The calls of one statement, which go by the statement `several` if they are more than
    one."""

    def __init__(
        self, reactor: IReactorTime, statement: Statement, several: Statement, run: Run
    ) -> None:
        super().__init__(turn=reactor, most=MOST, outage=Unavailable)
        self._statement = statement
        self._several = several
        self._run = run

    async def run(self, batch: list[_Read]) -> None:
        """Give each call its rows."""
        if len(batch) == 1:
            (call,) = batch
            CURRENT.set(call.timing)
            call.result.callback(await self._run(self._statement, call.args))
            return
        several = self._several
        with Sharing([call.timing for call in batch]):
            rows = await self._run(several, several.several([call.args for call in batch]))
        for call, found in zip(batch, parted(rows, len(batch)), strict=True):
            call.result.callback(found)


class ReadBatches:
    """Collects the calls of statements that have a form for several. `run` runs one statement."""

    def __init__(self, reactor: IReactorTime, run: Run) -> None:
        self._reactor = reactor
        self._run = run
        self._reads: dict[Statement, _Reads] = {}

    def rows(self, statement: Statement, several: Statement, args: Row) -> Deferred[list[Row]]:
        """The rows of one call."""
        reads = self._reads.get(statement)
        if reads is None:
            reads = _Reads(self._reactor, statement, several, self._run)
            self._reads[statement] = reads
        call = _Read(args)
        reads.add(call)
        return call.result
