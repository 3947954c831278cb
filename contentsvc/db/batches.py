"""Sends calls of a write to the database as one statement, with one commit.

The calls of one reactor turn go together. Calls that contend for the same row never wait for it on
several connections: while a statement with some of them runs, the other calls of this process wait
here, and go together next. So a row that everybody writes is locked once for many calls. A lone
call does not wait for others.

If a batch fails because the database cannot serve, all its calls fail. Any other error is the fault
of one call: each half of the batch is tried alone, and so on, until the call is found. After a lock
or a time-out, the calls that wait for the same rows fail too, because they would wait as long.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from contentsvc.db.errors import Unavailable
from contentsvc.db.query import Batch, Row, Statement, parted

MOST = 64
"""Calls of one statement."""


class Call(NamedTuple):
    """A call that came at `since`. `row` is the row that it contends for."""

    args: Row
    row: Row
    since: float
    answer: Deferred[list[Row]]


class _Line:
    """The calls of one statement that have not been sent, and the rows of the calls that run
    now."""

    def __init__(self, statement: Statement, batch: Batch) -> None:
        self.statement = statement
        self._places = [statement.parameters.index(name) for name in batch.row]
        self._repeats = batch.repeats
        self.fresh: list[Call] = []
        self.behind: dict[Row, list[Call]] = {}
        """The calls that wait for each row of a running statement."""

    def add(self, args: Row, now: float) -> Deferred[list[Row]]:
        answer: Deferred[list[Row]] = Deferred()
        row = tuple([args[place] for place in self._places])
        call = Call(args, row, now, answer)
        waiting = self.behind.get(row)
        (self.fresh if waiting is None else waiting).append(call)
        return answer

    def take(self) -> list[Call]:
        """The next batch. Its rows count as running from now on."""
        taken: list[Call] = []
        rows: dict[Row, list[Call]] = {}
        for place, call in enumerate(self.fresh):
            if len(taken) == MOST:
                self.fresh = self.fresh[place:]
                break
            waiting = self.behind.get(call.row)
            if waiting is None and call.row in rows and not self._repeats:
                waiting = rows[call.row]
            if waiting is None:
                taken.append(call)
                rows.setdefault(call.row, [])
            else:
                waiting.append(call)
        else:
            self.fresh = []
        self.behind.update(rows)
        return taken

    def done(self, batch: list[Call]) -> list[Call]:
        """Note that the batch has been answered; the calls that waited for it."""
        return [call for row in {call.row: None for call in batch} for call in self.behind.pop(row)]


class Batches:
    """Collects the calls of statements that have a batch. `run` runs one statement."""

    def __init__(
        self, reactor: IReactorTime, run: Callable[[Statement, Row], Awaitable[list[Row]]]
    ) -> None:
        self._reactor = reactor
        self._run = run
        self._lines: dict[Statement, _Line] = {}
        self._due: dict[_Line, None] = {}

    def rows(self, statement: Statement, batch: Batch, args: Row) -> Deferred[list[Row]]:
        """The rows of one call."""
        line = self._lines.get(statement)
        if line is None:
            line = self._lines[statement] = _Line(statement, batch)
        self._send_at_end_of_turn(line)
        return line.add(args, self._reactor.seconds())

    def expire(self, before: float) -> None:
        """Fail the calls that came before this time and still wait behind others."""
        for line in self._lines.values():
            for waiting in line.behind.values():
                late = sum(call.since < before for call in waiting)
                gone, waiting[:] = waiting[:late], waiting[late:]
                _fail(gone, Unavailable("others write the same for too long", "lock"))

    def _send_at_end_of_turn(self, line: _Line) -> None:
        if not self._due:
            self._reactor.callLater(0, self._turn_ended)
        self._due[line] = None

    def _turn_ended(self) -> None:
        due, self._due = self._due, {}
        for line in due:
            while batch := line.take():
                Deferred.fromCoroutine(self._send(line, batch))

    async def _send(self, line: _Line, batch: list[Call]) -> None:
        failed = await self._answer(line.statement, batch)
        waited = line.done(batch)
        if failed is not None and failed.cause in {"lock", "time-out"}:
            _fail(waited, failed)
        elif waited:
            # Ahead of the calls that have come since.
            line.fresh[:0] = waited
            self._send_at_end_of_turn(line)

    async def _answer(self, statement: Statement, calls: list[Call]) -> Unavailable | None:
        """Run the calls as one statement, and answer each. Gives the error if the database could
        not serve."""
        try:
            rows = await self._run(statement, statement.several([call.args for call in calls]))
        except Unavailable as error:
            _fail(calls, error)
            return error
        except Exception:
            if len(calls) == 1:
                calls[0].answer.errback()
                return None
            half = len(calls) // 2
            failed = await self._answer(statement, calls[:half])
            return await self._answer(statement, calls[half:]) or failed
        for call, found in zip(calls, parted(rows, len(calls)), strict=True):
            call.answer.callback(found)
        return None


def _fail(calls: list[Call], error: Unavailable) -> None:
    for call in calls:
        call.answer.errback(Unavailable(str(error), error.cause))
