"""Does the tasks that have an effect on the outside, under a lease.

An effect is claimed in a short transaction, done without one, and then settled by its lease. So it
is done at least once: again, if the process or the database dies before it is settled. Nobody else
does it until the lease ends.

Where the other side is away, the job fails, and the effects stay as they are. One that is put off
is tried again after growing pauses, and holds up no other.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple

from msgspec import json
from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.python.failure import Failure

from contentsvc.framework.core.timers import Bell, Sleeps
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.mail.errors import Away
from contentsvc.framework.storage.bucket import StorageUnavailable
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.runner import plain
from contentsvc.framework.tasks.task import Effect, encoded, kind_of
from contentsvc.framework.tasks.task_queue import Claimed

FAREWELL: Final = 10.0
"""Seconds that effects under way may take when the process stops. Else they would be done again."""
SOON: Final = 60.0
"""After a pause of at most so many seconds, an independent task is tried at once, and not only with
the next check for all tasks."""
_AWAY = (Away, StorageUnavailable, Unavailable)
"""Errors that mean that the other side or the database is away: no effect is at fault."""


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
        """Do the effects that are due. None if there are none. Raises the error of the first
        session that failed."""
        if self._kind.independent:
            await self._begin_more()
            return None
        self._ended.silence()
        kind, each = self._kind, self._kind.per_session
        most, longest = kind.sessions * each, kind.lease + kind.last_pause
        due = min(await task_queue.due(self._db, self.queue, most, longest), most)
        if not due:
            return None
        begun = [Deferred.fromCoroutine(self._work()) for _ in range(0, due, each)]
        # One that fails does not end the others.
        for _, result in await DeferredList(begun, consumeErrors=True):
            if isinstance(result, Failure):
                result.raiseException()
        return 0.0

    async def _begin_more(self) -> None:
        """Begin sessions for the effects that are due. Raises the error of one that has failed
        since."""
        if self._failure is not None:
            failure, self._failure = self._failure, None
            failure.raiseException()
        kind = self._kind
        free = kind.sessions - self._working
        if free <= 0 or self._stopping:
            return
        due = await task_queue.due(self._db, self.queue, free, kind.lease + kind.last_pause)
        for _ in range(min(due, free)):
            Deferred.fromCoroutine(self._work()).addErrback(self._failed).addBoth(self._begin_next)

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
        except _AWAY:
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
