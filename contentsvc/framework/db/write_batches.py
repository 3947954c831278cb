"""Sends calls of a write to the database as one statement, with one commit.

A call is sent at the end of its reactor turn, unless a statement of its kind is running. Calls that
come meanwhile are sent together next. So a busy process sends few statements with many calls each:
a row that everybody writes is locked once for all of them, and they never wait for it on several
connections. A call that comes some time after the one before, while no other waits, is alone. It
does not wait for statements of other rows, because no other call would share its own.

Another transaction may have locked a row, so that the statement takes long. Then calls that want
the same rows wait for it, and other calls are sent before them.

A call must not make the other calls of its batch fail. If the database refuses a batch, that is the
fault of one call: each half of the batch is tried by itself, and so on, until the call is found. If
a batch cannot have a lock, its rows are tried one by one. The rows at fault are sent separately for
a while: they share no statement with others. After any other error all calls of the batch fail,
since the batch may have been committed.

If the statement of one row cannot have a lock, or takes too long, the calls that wait for the row
fail too, because they would wait as long.
"""

from collections.abc import Awaitable, Callable, Iterator
from itertools import chain
from typing import TypeVar

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.concurrency import Batcher, Call
from contentsvc.framework.core.request_timing import CURRENT, Sharing
from contentsvc.framework.db.errors import BadValue, Refused, Unavailable
from contentsvc.framework.db.statement import Batch, Row, Statement, parted

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
"""Seconds. A call that was sent sooner has not waited for others."""

T = TypeVar("T")
Run = Callable[[Statement, Row, float], Awaitable[list[Row]]]
Outcome = list[Row] | Exception
"""The rows of a call, or what it fails with."""


class _Write(Call[list[Row]]):
    """A call that came at `since`, on behalf of the present request. `row` is the row that it
    contends for."""

    __slots__ = ("args", "row", "since", "timing")

    def __init__(self, args: Row, row: Row, since: float) -> None:
        super().__init__()
        self.args = args
        self.row = row
        self.since = since
        self.timing = CURRENT.get()


class _Writes(Batcher[_Write]):
    """The calls of one statement, and the rows of those that run now."""

    def __init__(self, reactor: IReactorTime, statement: Statement, batch: Batch, run: Run) -> None:
        super().__init__(turn=reactor, most=MOST, outage=Unavailable)
        self._reactor = reactor
        self._statement = statement
        self._run = run
        places = {name: n for n, name in enumerate(statement.parameters)}
        self._row = [places[name] for name in batch.row]
        self._once = [places[name] for name in batch.once]
        self._behind: dict[Row, list[_Write]] = {}
        """The calls that wait for each row of a running statement."""
        self._separate: dict[Row, float] = {}
        """The rows that share no statement with others (see above), and the time of their latest
        fault."""
        self._latest: tuple[list[_Write], float] | None = None
        """The newest batch and the time when it was sent, while it runs."""
        self._alone = False
        """Whether the newest call came some time after the one before."""
        self._came = -ALONE

    def rows(self, args: Row) -> Deferred[list[Row]]:
        """The rows of one call."""
        now = self._reactor.seconds()
        call = _Write(args, tuple([args[place] for place in self._row]), now)
        # The clock may have gone back.
        self._alone, self._came = not 0 <= now - self._came < ALONE, now
        behind = self._behind.get(call.row)
        if behind is None:
            self.add(call)
        else:
            behind.append(call)
            self.hand_over()
        return call.result

    def expire(self, before: float) -> None:
        """Fail the calls that came before this time and still wait for a row. Forget the faults of
        before."""
        for waiting in self._behind.values():
            late = sum(call.since < before for call in waiting)
            gone, waiting[:] = waiting[:late], waiting[late:]
            for call in gone:
                _note_turn(call, self._reactor.seconds())
                self.settle(call, Unavailable("others write the same for too long", "lock"))
        self._separate = {row: fault for row, fault in self._separate.items() if fault >= before}

    def batches(self) -> Iterator[list[_Write]]:
        """Those whose rows are free, unless they wait for the newest."""
        now = self._reactor.seconds()
        if not self._may_send(now):
            return
        while batch := self._next_batch():
            if batch[0].row not in self._separate:
                self._latest = batch, now
            for call in batch:
                _note_turn(call, now)
            yield batch

    async def run(self, batch: list[_Write]) -> None:
        """Give each call its outcome, and let the calls go on that wait for its row."""
        rows = _by_row(batch)
        with Sharing([call.timing for call in batch]):
            found = await self._outcomes(batch, halve=len(rows) == 1)
        if self._latest is not None and self._latest[0] is batch:
            self._latest = None
        error = found[0]
        if isinstance(error, Exception) and (parts := self.split(batch, error)):
            self.again(parts)
            return
        done = [*zip(batch, found, strict=True)]
        waited = [call for row in rows for call in self._behind.pop(row)]
        slow = next(filter(_is_slow, found), None)
        if slow is None:
            # Ahead of the calls that have come since.
            self.waiting[:0] = waited
        else:
            for call in waited:
                _note_turn(call, self._reactor.seconds())
            done += [(call, slow) for call in waited]
        for call, outcome in done:
            if _is_refused(outcome) or _is_locked(outcome):
                self._separate[call.row] = self._reactor.seconds()
        for call, outcome in done:
            self.settle(call, outcome)

    def split(self, batch: list[_Write], error: Exception) -> list[list[_Write]]:
        """The parts in which the batch is tried again: none, if nobody knows whether it was
        committed, or if that would not find the row at fault."""
        rows = _by_row(batch)
        if len(rows) > 1 and _is_locked(error):
            return [*rows.values()]
        if len(rows) > 1 and _is_refused(error):
            return [[*chain(*half)] for half in _halves([*rows.values()])]
        return []

    def _may_send(self, now: float) -> bool:
        """Whether the calls that wait for no row may go."""
        if self._latest is None or self._latest[1] <= now - LATE:
            return True
        return self._alone and len(self.waiting) == 1 and self.running < PASSING

    def _next_batch(self) -> list[_Write]:
        """The next batch. Its rows count as running from now on."""
        batch: list[_Write] = []
        left: list[_Write] = []
        rows: dict[Row, list[_Write]] = {}
        had: set[Row] = set()
        size = 0
        for place, call in enumerate(self.waiting):
            if len(batch) == MOST or size >= CHARACTERS:
                left += self.waiting[place:]
                break
            behind = self._behind.get(call.row)
            if behind is None and self._separate and batch and not self._may_share(batch[0], call):
                left.append(call)
                continue
            if behind is None and self._once:
                value = tuple([call.args[place] for place in self._once])
                if value in had:
                    behind = rows[call.row]
                had.add(value)
            if behind is None:
                batch.append(call)
                rows.setdefault(call.row, [])
                size += sum([len(value) for value in call.args if type(value) is str])
            else:
                behind.append(call)
        self.waiting = left
        self._behind.update(rows)
        return batch

    def _may_share(self, first: _Write, other: _Write) -> bool:
        return first.row == other.row or not (
            first.row in self._separate or other.row in self._separate
        )

    async def _outcomes(self, calls: list[_Write], *, halve: bool) -> list[Outcome]:
        """The outcome of each of these calls. If they are refused, it may `halve` them to find the
        one whose fault it is."""
        form, arguments = self._statement.batched([call.args for call in calls])
        try:
            return [*parted(await self._run(form, arguments, calls[-1].since), len(calls))]
        except Exception as error:
            if len(calls) == 1 or not (halve and _is_refused(error)):
                return [error] * len(calls)
        found: list[Outcome] = []
        for half in _halves(calls):
            found += await self._outcomes(half, halve=True)
        return found


class WriteBatches:
    """Collects the calls of statements that have a batch. `run` runs one statement, for calls of
    which the last came at the time that it is given."""

    def __init__(self, reactor: IReactorTime, run: Run) -> None:
        self._reactor = reactor
        self._run = run
        self._writes: dict[Statement, _Writes] = {}

    def rows(self, statement: Statement, batch: Batch, args: Row) -> Deferred[list[Row]]:
        """The rows of one call. Raises TypeError: it has not as many arguments as the statement."""
        if len(args) != len(statement.parameters):
            raise TypeError(f"{statement.name} does not take {len(args)} arguments")
        writes = self._writes.get(statement)
        if writes is None:
            writes = _Writes(self._reactor, statement, batch, self._run)
            self._writes[statement] = writes
        return writes.rows(args)

    def check(self, before: float) -> None:
        """Let calls pass a statement that takes long. Fail the calls that came before this time and
        still wait for a row. Forget the faults of before."""
        for writes in self._writes.values():
            writes.hand_over()
            writes.expire(before)


def _by_row(calls: list[_Write]) -> dict[Row, list[_Write]]:
    """The calls for each row, in their order."""
    rows: dict[Row, list[_Write]] = {}
    for call in calls:
        rows.setdefault(call.row, []).append(call)
    return rows


def _halves(items: list[T]) -> list[list[T]]:
    half = len(items) // 2
    return [items[:half], items[half:]]


def _is_refused(outcome: Outcome) -> bool:
    """Whether this is the database's answer to the statement, so that nothing was committed."""
    return isinstance(outcome, Refused | BadValue) or getattr(outcome, "pgcode", None) is not None


def _is_locked(outcome: Outcome) -> bool:
    """Whether the statement could not have a lock. Nothing was committed then, either."""
    return isinstance(outcome, Unavailable) and outcome.cause == "lock"


def _is_slow(outcome: Outcome) -> bool:
    """Whether the call failed because its statement took too long."""
    return isinstance(outcome, Unavailable) and outcome.cause in {"lock", "time-out"}


def _note_turn(call: _Write, now: float) -> None:
    """Note how long it has waited for others. The end of a turn of the reactor is no wait."""
    if call.timing is not None and now - call.since > _TURN:
        call.timing.waited("turn", now - call.since)
