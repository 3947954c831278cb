"""Does the tasks of the queue: those that are steps in transactions, a batch at a time, and those
that have an effect on the outside, under a lease.

A batch is one transaction. It locks a row, has the row's step do the next part of the task, moves
the row's place, finishes the batch and commits. Whichever process dies at whatever point, each part
is done once: the place and what the step writes commit together. Rows take turns, the newer first:
a huge one holds up another for one batch and the rest after it, which are less than a second.

An effect is claimed in a short transaction, done without one, and then settled by its lease. So it
is done at least once: again, if the process or the database dies before it is settled. Nobody else
does it until the lease ends. Where the other side is away, the job fails, and the effects stay as
they are.

A task that fails is tried again after growing pauses, and holds up no other.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from msgspec import json
from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.timers import Bell, Sleeps
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.runner import AWAY, plain
from contentsvc.framework.tasks.task_queue import Claimed, Effect, Task, TaskRow, encoded, kind_of

MOST = 100
"""Recipients of a batch: some milliseconds of the database, and of the reactor where all of them
have sockets here. More would cost a little less in all."""
LONG = 0.1
"""Seconds that a batch should take at most. After one that took longer the next are smaller."""
LONGEST_REST = 0.5
"""Between batches are pauses as long as the batch took, up to so many seconds. So others have the
database and the reactor for half of the time."""
FAREWELL: Final = 10.0
"""Seconds that effects under way may take when the process stops. Else they would be done again."""
SOON: Final = 60.0
"""After a pause of at most so many seconds, an independent task is tried at once, and not only with
the next check for all tasks."""

log = Logger()


class StepBatch(Protocol):
    """What a step says of the batch that it has done: how many recipients it has, and the place at
    which the next one begins. None is the end."""

    @property
    def size(self) -> int: ...
    @property
    def place(self) -> str | None: ...


B = TypeVar("B", bound=StepBatch)
Step = Callable[[Db, Any, str | None, int], Awaitable[B]]
"""Called with the transaction, the task, the place at which to begin (None at first), and the most
recipients that the batch may have. It may read and write; what it writes commits with the batch."""


class StepKind(NamedTuple, Generic[B]):
    """How one kind of task is done in steps."""

    task: type[Task]
    step: Step[B]


def kinds(*steps: tuple[type[Task], Step[B]]) -> dict[str, StepKind[B]]:
    """The kinds by their names."""
    return {kind_of(task): StepKind(task, step) for task, step in steps}


class StepRunner(Generic[B]):
    """Does the steps of these `kinds`; those of others stay. `finish` does with a batch what is the
    same for all kinds, in its transaction, as the last of it."""

    def __init__(
        self,
        clock: IReactorTime,
        db: Database,
        finish: Callable[[Db, B], Awaitable[None]],
        kinds: Mapping[str, StepKind[B]],
        *,
        most: int = MOST,
    ) -> None:
        self._clock = clock
        self._db = db
        self._finish = finish
        self._kinds = kinds
        self._names = list(kinds)
        self._most = self._size = most

    async def run(self) -> float | None:
        """Do one batch. Gives the pause until the next; None if no row has its turn.

        Raises what the database raises, unless it is the fault of one row.
        """
        began = self._clock.seconds()
        row = None
        try:
            async with self._db.transaction() as tx:
                row = await task_queue.take(tx, self._names)
                if row is not None:
                    await self._do(tx, row)
        except Exception as error:
            if row is None:
                raise
            await self._postpone(row, error)
        if row is None:
            return None
        took = self._clock.seconds() - began
        share = LONG / took if took > LONG else 2
        self._size = max(1, min(self._most, int(self._size * share)))
        return min(took, LONGEST_REST)

    async def _do(self, tx: Db, row: TaskRow) -> None:
        kind = self._kinds[row.kind]
        task = json.decode(row.task, type=kind.task)
        batch = await kind.step(tx, task, row.place, self._size)
        if batch.size > self._size:
            raise ValueError(f"{row.kind} gave {batch.size} recipients for {self._size}")
        if batch.place is None:
            await task_queue.finish(tx, row.id)
        else:
            await task_queue.move(tx, row.id, batch.place)
        await self._finish(tx, batch)

    async def _postpone(self, row: TaskRow, error: Exception) -> None:
        failure = plain(error)
        if not await task_queue.postpone(self._db, row.id, row.due, failure):
            return
        if failure == row.failure:
            return
        if isinstance(error, Unavailable):
            # Log: a task has failed, for example because somebody holds a lock. It is
            # tried again. Do: see docs/guides/monitoring.md#background-jobs.
            log.warn("Could not notify of {kind}: {error}", kind=row.kind, error=failure)
        else:
            log.failure("Could not notify of {kind}", Failure(error), kind=row.kind)


class Done(NamedTuple):
    """It is done, or given up. `write` is called in the transaction that says so, with the lease
    still held."""

    write: Callable[[Db], Awaitable[object]] | None = None


class Again(NamedTuple):
    """It is to be done once more, in so many seconds: at most the longest pause."""

    seconds: float


class PutOff(NamedTuple):
    """It has failed for this reason, and is tried again after a pause: at least so many seconds, if
    the other side has `asked` for that, but no more than the longest pause."""

    reason: str
    asked: float = 0.0


class PutLast(NamedTuple):
    """It is to be done, as this task, when no other of its kind waits. Effects of one turn are
    scheduled so many seconds after each other."""

    task: Effect
    spacing: float


Outcome = Done | Again | PutOff | PutLast


class EffectSession(NamedTuple):
    """Something that several effects use one after the other, for example a connection.

    `act` does an effect. It gets the task, the seconds that it has waited, and the moment of the
    process's clock at which the lease ends, well before which it must be done; over half of the
    lease is left. What it raises puts the effect off, and the job fails; Away, StorageUnavailable
    and Unavailable put nothing off. `lost` says whether the session is of no more use, and `quit`
    ends it.
    """

    act: Callable[[Any, float, float], Awaitable[Outcome]]
    lost: Callable[[], bool] = lambda: False
    quit: Callable[[], Awaitable[None]] | None = None


class EffectKind(NamedTuple):
    """How one kind of effect is done. A process begins one session for each `per_session` effects
    that are due, up to `sessions` at once, and each does `most` effects. The lease and the first
    and last pause are in seconds.

    The next check waits until all sessions have ended, so that a server is not asked for more of
    them. If they are `independent`, it does not, and one that takes long holds up no other.
    """

    task: type[Effect]
    begin: Callable[[], Awaitable[EffectSession]]
    lease: float
    first_pause: float
    last_pause: float
    sessions: int
    per_session: int = 1
    most: int = 100
    independent: bool = False


class EffectRunner:
    """Does the effects of one kind. `bell` begins the next check; independent ones need it."""

    def __init__(
        self, reactor: IReactorTime, db: Database, kind: EffectKind, bell: Bell | None = None
    ) -> None:
        self._reactor = reactor
        self._db = db
        self._kind = kind
        self._bell = bell or Bell(reactor)
        self._failure: Failure | None = None
        self._sleeps = Sleeps(reactor)
        self.queue = kind_of(kind.task)
        self._working = 0
        self._stopping = False
        self._ended = Bell(reactor)

    async def run(self) -> float | None:
        """Do the effects that are due, or begin to, if they are independent. None if there are
        none, or nothing is waited for. Raises the error of the first session that failed, of
        independent ones that of the last since."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            failure.raiseException()
        kind, each = self._kind, self._kind.per_session
        most = (kind.sessions - self._working) * each
        if most <= 0 or self._stopping:
            return None
        due = await task_queue.due(self._db, self.queue, most, kind.lease + kind.last_pause)
        begun = [Deferred.fromCoroutine(self._work()) for _ in range(0, min(due, most), each)]
        if kind.independent:
            for session in begun:
                session.addErrback(self._failed).addBoth(self._begin_next)
            return None
        # One that fails does not end the others.
        for _, result in await DeferredList(begun, consumeErrors=True):
            if isinstance(result, Failure):
                result.raiseException()
        return 0.0 if begun else None

    def _failed(self, failure: Failure) -> None:
        self._failure = failure

    def _begin_next(self, _: object = None) -> None:
        """Begin the next check: there may be more than this session was to do."""
        if not self._stopping:
            self._bell.ring()

    async def _begin_in(self, seconds: float) -> None:
        try:
            await self._sleeps.sleep(seconds)
        except CancelledError:
            return
        self._begin_next()

    async def stop(self) -> None:
        """Begin no more, and wait for those under way, but not for long."""
        self._stopping = True
        self._sleeps.stop()
        if self._working:
            self._ended.silence()
            await self._ended.wait(FAREWELL)

    async def _work(self) -> None:
        self._working += 1
        try:
            session = await self._kind.begin()
            try:
                await self._do_all(session)
            finally:
                if session.quit is not None:
                    await session.quit()
        finally:
            self._working -= 1
            if not self._working:
                self._ended.ring()

    async def _do_all(self, session: EffectSession) -> None:
        for _ in range(self._kind.most):
            until = self._reactor.seconds() + self._kind.lease
            claimed = None if self._stopping else await self._claim()
            if claimed is None:
                return
            if until - self._reactor.seconds() < self._kind.lease / 2:
                # The process stood still meanwhile, and the lease ends too soon.
                await task_queue.release(self._db, claimed.id, claimed.lease)
                continue
            await self._do(session, claimed, until)
            if session.lost():
                return

    async def _claim(self) -> Claimed | None:
        kind = self._kind
        return await task_queue.claim(self._db, self.queue, kind.lease, kind.last_pause)

    async def _do(self, session: EffectSession, claimed: Claimed, until: float) -> None:
        try:
            task = json.decode(claimed.task, type=self._kind.task)
            outcome = await session.act(task, claimed.waited, until)
        except AWAY:
            await task_queue.release(self._db, claimed.id, claimed.lease)
            raise
        except Exception as error:
            await self._settle(claimed, PutOff(plain(error)))
            raise
        await self._settle(claimed, outcome)

    async def _settle(self, claimed: Claimed, outcome: Outcome) -> None:
        """Write the outcome of an effect, unless others have claimed it since."""
        db, id, lease = self._db, claimed.id, claimed.lease
        match outcome:
            case Done(write) if write is not None:
                async with db.transaction() as tx:
                    if await task_queue.end(tx, id, lease):
                        await write(tx)
            case Done():
                await task_queue.end(db, id, lease)
            case Again(seconds):
                await task_queue.again(db, id, lease, seconds)
            case PutLast(task, spacing):
                await task_queue.put_last(db, id, lease, encoded(task).task, spacing)
            case PutOff(reason, asked):
                pauses = self._kind.first_pause, self._kind.last_pause, asked
                pause = await task_queue.put_off(db, id, lease, reason, *pauses)
                if not self._kind.independent or self._stopping:
                    return
                if pause is not None and pause <= SOON:
                    Deferred.fromCoroutine(self._begin_in(pause))
