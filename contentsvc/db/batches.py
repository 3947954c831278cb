"""Sends calls of a write to the database as one statement, with one commit.

A call goes at the end of its reactor turn, unless a statement of its kind is running. What comes
meanwhile goes together next. So a lone call waits for nobody, and a busy process sends few
statements with many calls each: a row that everybody writes is locked once for all of them, and
they never wait for it on several connections.

Somebody else may have locked a row, so that the statement takes long. Then calls that want the same
rows wait for it, and other calls pass it.

If the database refuses a batch, that is the fault of one call: each half of the batch is tried
alone, and so on, until the call is found. After any other error all calls of the batch fail, since
the batch may have been committed. After a lock or a time-out, the calls that wait for the same rows
fail too, because they would wait as long.
"""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from contentsvc.db.errors import BadValue, Refused, Unavailable
from contentsvc.db.statement import Batch, Row, Statement, parted

MOST = 64
"""Calls of one statement."""
LATE = 0.05
"""Seconds after which a statement takes long."""

Outcome = list[Row] | Exception
"""The rows of a call, or what it fails with."""


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
        self.latest: tuple[list[Call], float] | None = None
        """The newest batch and the time when it was sent, while it runs."""

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
        """Note that the batch has been answered; the calls that waited for its rows."""
        if self.latest is not None and self.latest[0] is batch:
            self.latest = None
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
        """The rows of one call. Raises TypeError: it has not as many arguments as the statement."""
        if len(args) != len(statement.parameters):
            raise TypeError(f"{statement.name} does not take {len(args)} arguments")
        line = self._lines.get(statement)
        if line is None:
            line = self._lines[statement] = _Line(statement, batch)
        answer = line.add(args, self._reactor.seconds())
        self._at_end_of_turn(line)
        return answer

    def look(self, before: float) -> None:
        """Let calls pass a statement that takes long. Fail the calls that came before this time and
        still wait for a row."""
        for line in self._lines.values():
            self._at_end_of_turn(line)
            for waiting in line.behind.values():
                late = sum(call.since < before for call in waiting)
                gone, waiting[:] = waiting[:late], waiting[late:]
                for call in gone:
                    _tell(call, Unavailable("others write the same for too long", "lock"))

    def _at_end_of_turn(self, line: _Line) -> None:
        if line.fresh:
            if not self._due:
                self._reactor.callLater(0, self._turn_ended)
            self._due[line] = None

    def _turn_ended(self) -> None:
        due, self._due = self._due, {}
        now = self._reactor.seconds()
        for line in due:
            if line.latest is None or line.latest[1] <= now - LATE:
                while batch := line.take():
                    line.latest = batch, now
                    Deferred.fromCoroutine(self._send(line, batch))

    async def _send(self, line: _Line, batch: list[Call]) -> None:
        outcomes = await self._outcomes(line.statement, [call.args for call in batch])
        waited = line.done(batch)
        slow = next(filter(_is_slow, outcomes), None)
        if slow is None:
            # Ahead of the calls that have come since.
            line.fresh[:0] = waited
        self._at_end_of_turn(line)
        for call, outcome in zip(batch, outcomes, strict=True):
            _tell(call, outcome)
        if slow is not None:
            for call in waited:
                _tell(call, slow)

    async def _outcomes(self, statement: Statement, calls: list[Row]) -> list[Outcome]:
        """What becomes of each of these calls, which are given by their arguments."""
        try:
            return [*parted(await self._run(statement, statement.several(calls)), len(calls))]
        except Exception as error:
            if len(calls) == 1 or not _refused(error):
                return [error] * len(calls)
        half = len(calls) // 2
        outcomes = await self._outcomes(statement, calls[:half])
        return [*outcomes, *await self._outcomes(statement, calls[half:])]


def _refused(error: Exception) -> bool:
    """Whether this is the database's answer to the statement, so that nothing was committed."""
    return isinstance(error, Refused | BadValue) or getattr(error, "pgcode", None) is not None


def _is_slow(outcome: Outcome) -> bool:
    """Whether the call failed because its statement took too long."""
    return isinstance(outcome, Unavailable) and outcome.cause in {"lock", "time-out"}


def _tell(call: Call, outcome: Outcome) -> None:
    if isinstance(outcome, Unavailable):
        # Each call raises its own.
        call.answer.errback(Unavailable(str(outcome), outcome.cause))
    elif isinstance(outcome, Exception):
        call.answer.errback(outcome)
    else:
        call.answer.callback(outcome)
