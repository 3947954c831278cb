"""Sends calls of a write to the database as one statement, with one commit.

A call goes at the end of its reactor turn, unless a statement of its kind is running. What comes
meanwhile goes together next. So a busy process sends few statements with many calls each: a row
that everybody writes is locked once for all of them, and they never wait for it on several
connections. A call that comes some time after the one before, while nobody waits, is alone. It does
not wait for statements of other rows, because nobody would share its own.

Somebody else may have locked a row, so that the statement takes long. Then calls that want the same
rows wait for it, and other calls pass it.

A call must not spoil the calls that it travels with. If the database refuses a batch, that is the
fault of one call: each half of the batch is tried by itself, and so on, until the call is found. If
a batch cannot have a lock, its rows are tried one by one. The rows that are found go apart for a
while: they share no statement with others. After any other error all calls of the batch fail, since
the batch may have been committed.

A procedure commits each call by itself (see contentsvc.db.procedure). So nothing that it was given
is given to it again, but for the calls after the one that failed, which were not tried. The others
have their answers at once.

If a row alone cannot have a lock, or takes too long, the calls that wait for it fail too, because
they would wait as long.
"""

from collections.abc import Awaitable, Callable, Iterable
from itertools import chain
from typing import NamedTuple, TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from contentsvc.core.request_timing import CURRENT, RequestTiming, Sharing
from contentsvc.db.errors import BadValue, Refused, Unavailable
from contentsvc.db.procedure import Outcome, outcomes
from contentsvc.db.statement import Batch, Row, Statement

MOST = 64
"""Calls of one statement."""
CHARACTERS = 1024 * 1024
"""The length of their texts at which a statement is full: its transmission holds up the reactor."""
LATE = 0.05
"""Seconds after which a statement takes long."""
ALONE = 0.002
"""Seconds. A call that comes so long after the one before is alone."""
PASSING = 4
"""While so many statements of one kind run, a call that is alone waits too: the database is slow,
and calls that share a statement cost it less."""
_TURN = 0.01
"""Seconds. A call that was sent sooner has waited for nobody."""

T = TypeVar("T")


class Call(NamedTuple):
    """A call that came at `since`. `row` is the row that it contends for."""

    args: Row
    row: Row
    since: float
    answer: Deferred[list[Row]]
    spent: RequestTiming | None


class _Line:
    """The calls of one statement that have not been sent, and the rows of the calls that run
    now."""

    def __init__(self, statement: Statement, batch: Batch) -> None:
        self.statement = statement
        places = {name: n for n, name in enumerate(statement.parameters)}
        self._row = [places[name] for name in batch.row]
        self._once = [places[name] for name in batch.once]
        self.fresh: list[Call] = []
        self.behind: dict[Row, list[Call]] = {}
        """The calls that wait for each row of a running statement."""
        self.apart: dict[Row, float] = {}
        """The rows that share no statement with others, and the time of their latest fault."""
        self.latest: tuple[list[Call], float] | None = None
        """The newest batch and the time when it was sent, while it runs."""
        self.running = 0
        self.alone = False
        """Whether the newest call came some time after the one before."""
        self._came = -ALONE

    def add(self, args: Row, now: float) -> Deferred[list[Row]]:
        answer: Deferred[list[Row]] = Deferred()
        row = tuple([args[place] for place in self._row])
        call = Call(args, row, now, answer, CURRENT.get())
        # The clock may have gone back.
        self.alone, self._came = not 0 <= now - self._came < ALONE, now
        waiting = self.behind.get(row)
        (self.fresh if waiting is None else waiting).append(call)
        return answer

    def take(self) -> list[Call]:
        """The next batch. Its rows count as running from now on."""
        taken: list[Call] = []
        left: list[Call] = []
        rows: dict[Row, list[Call]] = {}
        had: set[Row] = set()
        size = 0
        for place, call in enumerate(self.fresh):
            if len(taken) == MOST or size >= CHARACTERS:
                left += self.fresh[place:]
                break
            waiting = self.behind.get(call.row)
            if waiting is None and self.apart and taken and not self._may_share(taken[0], call):
                left.append(call)
                continue
            if waiting is None and self._once:
                value = tuple([call.args[place] for place in self._once])
                if value in had:
                    waiting = rows[call.row]
                had.add(value)
            if waiting is None:
                taken.append(call)
                rows.setdefault(call.row, [])
                size += sum([len(value) for value in call.args if type(value) is str])
            else:
                waiting.append(call)
        self.fresh = left
        self.behind.update(rows)
        return taken

    def _may_share(self, first: Call, other: Call) -> bool:
        return first.row == other.row or not (first.row in self.apart or other.row in self.apart)

    def may_send(self, now: float) -> bool:
        """Whether the calls that wait for no row may go."""
        if self.latest is None or self.latest[1] <= now - LATE:
            return True
        return self.alone and len(self.fresh) == 1 and self.running < PASSING

    def over(self, batch: list[Call]) -> None:
        """Note that the batch does not run any more."""
        self.running -= 1
        if self.latest is not None and self.latest[0] is batch:
            self.latest = None

    def release(self, rows: Iterable[Row]) -> list[Call]:
        """Note that these rows are free; the calls that waited for them."""
        return [call for row in rows for call in self.behind.pop(row)]


class Batches:
    """Collects the calls of statements that have a batch. `run` runs one statement, for calls of
    which the last came at the time that it is given."""

    def __init__(
        self,
        reactor: IReactorTime,
        run: Callable[[Statement, Row, float], Awaitable[list[Row]]],
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
        still wait for a row. Forget the faults of before."""
        for line in self._lines.values():
            self._at_end_of_turn(line)
            for waiting in line.behind.values():
                late = sum(call.since < before for call in waiting)
                gone, waiting[:] = waiting[:late], waiting[late:]
                for call in gone:
                    _note_turn(call, self._reactor.seconds())
                    _tell(call, Unavailable("others write the same for too long", "lock"))
            line.apart = {row: fault for row, fault in line.apart.items() if fault >= before}

    def _at_end_of_turn(self, line: _Line) -> None:
        if line.fresh:
            if not self._due:
                self._reactor.callLater(0, self._turn_ended)
            self._due[line] = None

    def _turn_ended(self) -> None:
        due, self._due = self._due, {}
        now = self._reactor.seconds()
        for line in due:
            if line.may_send(now):
                while batch := line.take():
                    if batch[0].row not in line.apart:
                        line.latest = batch, now
                    for call in batch:
                        _note_turn(call, now)
                    self._send(line, batch)

    def _send(self, line: _Line, batch: list[Call]) -> None:
        line.running += 1
        Deferred.fromCoroutine(self._serve(line, batch))

    async def _serve(self, line: _Line, batch: list[Call]) -> None:
        statement, rows = line.statement, _by_row(batch)
        with Sharing([call.spent for call in batch]):
            found = await self._outcomes(statement, batch, halve=len(rows) == 1)
        line.over(batch)
        if len(found) == len(batch) and (parts := _parts(statement, rows, found[0])):
            for part in parts:
                self._send(line, part)
            self._at_end_of_turn(line)
            return
        done = [*zip(batch, found, strict=False)]
        slow = {call.row: outcome for call, outcome in done if _is_slow(outcome)}
        left = _by_row(batch[len(found) :])
        done += [(call, slow[row]) for row in slow for call in left.pop(row, ())]
        waited = line.release(row for row in rows if row not in left)
        late = [(call, slow[call.row]) for call in waited if call.row in slow]
        for call, _ in late:
            _note_turn(call, self._reactor.seconds())
        done += late
        # Ahead of the calls that have come since.
        line.fresh[:0] = [call for call in waited if call.row not in slow]
        for call, outcome in done:
            if _is_refused(statement, outcome) or _is_locked(outcome):
                line.apart[call.row] = self._reactor.seconds()
        for part in left.values() if slow else [[*chain(*left.values())]] if left else []:
            self._send(line, part)
        self._at_end_of_turn(line)
        for call, outcome in done:
            _tell(call, outcome)

    async def _outcomes(
        self, statement: Statement, calls: list[Call], *, halve: bool
    ) -> list[Outcome]:
        """The outcome of each of these calls that was tried. If they are refused, it may `halve`
        them to find the one whose fault it is."""
        form, arguments = statement.batched([call.args for call in calls])
        try:
            return outcomes(await self._run(form, arguments, calls[-1].since), len(calls))
        except Exception as error:
            if len(calls) == 1 or not (halve and _is_refused(statement, error)):
                return [error] * len(calls)
        found: list[Outcome] = []
        for half in _halves(calls):
            some = await self._outcomes(statement, half, halve=True)
            found += some
            if len(some) < len(half):
                break
        return found


def _by_row(calls: list[Call]) -> dict[Row, list[Call]]:
    """The calls for each row, in their order."""
    rows: dict[Row, list[Call]] = {}
    for call in calls:
        rows.setdefault(call.row, []).append(call)
    return rows


def _parts(statement: Statement, rows: dict[Row, list[Call]], outcome: Outcome) -> list[list[Call]]:
    """The parts in which these rows are to be tried again: none, if it would not find the row
    whose fault the outcome is."""
    if len(rows) > 1 and _is_locked(outcome):
        return [*rows.values()]
    if len(rows) > 1 and _is_refused(statement, outcome):
        return [[*chain(*half)] for half in _halves([*rows.values()])]
    return []


def _halves(items: list[T]) -> list[list[T]]:
    half = len(items) // 2
    return [items[:half], items[half:]]


def _is_refused(statement: Statement, outcome: Outcome) -> bool:
    """Whether this is the database's answer to the statement, so that nothing was committed. Of a
    procedure, only its arguments are refused like this."""
    if statement.procedure:
        return isinstance(outcome, BadValue)
    return isinstance(outcome, Refused | BadValue) or getattr(outcome, "pgcode", None) is not None


def _is_locked(outcome: Outcome) -> bool:
    """Whether the statement could not have a lock. Nothing was committed then, either."""
    return isinstance(outcome, Unavailable) and outcome.cause == "lock"


def _is_slow(outcome: Outcome) -> bool:
    """Whether the call failed because its statement took too long."""
    return isinstance(outcome, Unavailable) and outcome.cause in {"lock", "time-out"}


def _note_turn(call: Call, now: float) -> None:
    """Note how long it has waited for others. The end of a turn of the reactor is no wait."""
    if call.spent is not None and now - call.since > _TURN:
        call.spent.waited("turn", now - call.since)


def _tell(call: Call, outcome: Outcome) -> None:
    if isinstance(outcome, Unavailable):
        # Each call raises its own.
        call.answer.errback(Unavailable(str(outcome), outcome.cause))
    elif isinstance(outcome, Exception):
        call.answer.errback(outcome)
    else:
        call.answer.callback(outcome)
