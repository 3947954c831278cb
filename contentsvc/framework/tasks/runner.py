"""The runner: what a process does by itself, over and over.

A job is a function, how often it runs, and how one process at a time does it. The last is the job's
own: its statement takes an advisory lock or a row's, and has nothing to do where another process
holds it. Each process runs all jobs.

A job that fails is tried again with growing pauses. It holds up no other.
"""

import re
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Sequence
from contextlib import suppress
from functools import cache
from itertools import islice
from random import Random, SystemRandom
from typing import Any, Generic, NamedTuple, TypeVar
from zlib import crc32

from msgspec import Struct
from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.request_timing import CURRENT, RequestTiming
from contentsvc.framework.core.timers import Backoff, Bell, Clock, Sleeps
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db, Statements
from contentsvc.framework.mail.errors import Away
from contentsvc.framework.storage.bucket import BadStore, StorageUnavailable
from contentsvc.framework.tasks.task_queue import STEPS

FIRST_PAUSE = 1.0
"""Seconds until a job that failed is tried again. They double, up to the time between its runs."""
SLOW = 30.0
"""Seconds after which a run of a job is slow: it does some of the work, and should not take
long."""
UNRUNG = 300.0
"""Seconds after which a job runs whose bell should have been rung."""
REMINDER = 60.0
"""Seconds between two log lines about a job that goes on failing, each time for another reason."""
AWAY = (Away, StorageUnavailable, Unavailable)
"""Errors that mean that the other side or the database is away: nothing here is at fault."""

log = Logger()


class Failing(Struct):
    """A job that fails in a process: its name in plain words, since when in Unix seconds, and the
    last error."""

    name: str
    since: int
    error: str


class Job(NamedTuple):
    """A job. `name` says what it does in plain words: "delete old data".

    `run` does some of it, and gives the seconds until it is to go on, None if it is done for now.
    It runs again `every` seconds after that. A job with a `bell` also runs at the start, and when
    the bell is rung. `stop` is waited for when the process ends, before the database is closed.

    A job with a `queue` does its tasks, or, if it `waits` for something else, what that SQL
    condition finds. Its bell is rung while there is any (`watch`),
    and `every` is only the longest pause after it has failed. Where the condition depends on what
    this process knows already, it has `{known}` for what `known` gives.
    """

    name: str
    every: float
    run: Callable[[], Awaitable[float | None]]
    bell: Bell | None = None
    stop: Callable[[], Coroutine[Any, Any, None]] | None = None
    queue: str | None = None
    waits: str | None = None
    known: Callable[[], str | None] | None = None


class Runner:
    """Runs jobs. `wall` is the clock of stamps."""

    def __init__(self, reactor: IReactorTime, wall: Clock, random: Random | None = None) -> None:
        self._reactor = reactor
        self._wall = wall
        self._random = random or SystemRandom()
        self._sleeps = Sleeps(reactor)
        self._bells: list[Bell] = []
        self.names: list[str] = []
        """The jobs that it runs."""
        self._failing: dict[str, Failing] = {}
        self._said: dict[str, float] = {}
        self._stopped = False
        self._stops: list[Callable[[], Coroutine[Any, Any, None]]] = []

    def start(self, jobs: Sequence[Job]) -> None:
        """Begin with these jobs."""
        for job in jobs:
            bell = job.bell or Bell(self._reactor)
            if job.bell is not None:
                bell.ring()
            self._bells.append(bell)
            self.names.append(job.name)
            if job.stop is not None:
                self._stops.append(job.stop)
            Deferred.fromCoroutine(self._keep(job, bell)).addErrback(self._ended)

    def stop(self) -> Deferred[Any]:
        """Begin nothing more. The result comes when the jobs have stopped."""
        self._stopped = True
        self._sleeps.stop()
        for bell in self._bells:
            bell.ring()
        return DeferredList([Deferred.fromCoroutine(stop()) for stop in self._stops])

    @property
    def failing(self) -> list[Failing]:
        """The jobs that fail at present."""
        return list(self._failing.values())

    async def _keep(self, job: Job, bell: Bell) -> None:
        backoff = Backoff(min(FIRST_PAUSE, job.every), job.every, self._random)
        every = job.every if job.queue is None else UNRUNG
        # Jobs that began together would each need a connection, each time.
        wait = every * self._random.uniform(0.5, 1.5)
        pause = None
        while not self._stopped:
            if pause is None:
                await bell.wait(wait)
                wait = every
            else:
                await self._sleeps.sleep(pause)
            if self._stopped:
                break
            spent, began = RequestTiming(), self._reactor.seconds()
            CURRENT.set(spent)
            try:
                pause = await job.run()
            except Exception as error:
                pause = backoff.next()
                if not self._stopped:  # otherwise the database is being closed
                    self._failed(job.name, error)
            else:
                backoff.reset()
                self._works(job.name)
            if (seconds := self._reactor.seconds() - began) > SLOW:
                # Log: one run of a background job took over 30 s. Do: look at the database, or at
                # the place of files.
                log.warn(
                    "Slow job: it took {seconds:.1f} s to {job}, of this {database:.1f} s in "
                    "{statements} statements of the database",
                    seconds=seconds,
                    job=job.name,
                    database=spent.database,
                    statements=spent.statements,
                )

    def _failed(self, name: str, error: Exception) -> None:
        if isinstance(error, Unavailable) and error.cause == "restoring":
            return  # one line says so for all jobs, and nobody can read what fails
        now, text = self._reactor.seconds(), plain(error)
        before = self._failing.get(name)
        since = int(self._wall.seconds()) if before is None else before.since
        self._failing[name] = Failing(name, since, text)
        if before is not None and (before.error == text or now - self._said[name] < REMINDER):
            return
        self._said[name] = now
        if isinstance(error, BadStore):
            # Log: a background job fails for a reason that does not go by itself, for example: the
            # S3 store fails its test, or the folder of files is missing. Do: see
            # docs/guides/storage.md#the-test-at-the-start and
            # docs/guides/storage.md#a-missing-folder-of-files.
            log.error("Could not {job}: {error}", job=name, error=text)
        elif isinstance(error, AWAY):
            # Log: the database or the place of files did not answer this background job, or the
            # mail server took no mail. It is tried again. Do: look at the database, the place of
            # files, or the mail server, see docs/guides/monitoring.md#background-jobs.
            log.warn("Could not {job}: {error}", job=name, error=text)
        else:
            log.failure("Could not {job}", Failure(error), job=name)

    def _works(self, name: str) -> None:
        if self._failing.pop(name, None) is not None:
            # Log: a background job that had failed has succeeded.
            log.info("Recovered: {job}", job=name)

    def _ended(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("A job has ended", failure)


LENGTH = 300
"""Most characters of a text."""
_SECRETS = re.compile(r"(?<=//)[^/@\s]+(?=@)|(?<=password=)('[^']*'|\S+)", re.IGNORECASE)
"""What a URL or a DSN says before its host, and a password."""


def plain(error: Exception) -> str:
    """One line that says what went wrong, without secrets."""
    text = str(error).strip()
    if not isinstance(error, AWAY):
        # The driver's further lines have the statement with its values.
        text = text.partition("\n")[0]
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    text = _SECRETS.sub("***", " ".join(text.split()))
    return text if len(text) <= LENGTH else f"{text[: LENGTH - 1]}…"


_TASKS = """
    select queue from unnest(:queues::text[]) as named (queue)
    where exists (select from tasks t where t.queue = named.queue)
"""
_Find = Callable[[Db, Sequence[str], Sequence[str | None]], Awaitable[list[str]]]


@cache
def _declared(sql: str) -> _Find:
    """The statement that finds which of these queues have tasks, due or not, and what else
    waits."""

    @Statements().many(sql, name=f"pending_work_{crc32(sql.encode())}")
    async def filled(db: Db, queues: Sequence[str], known: Sequence[str | None]) -> list[str]: ...

    return filled


class PendingWork:
    """What waits for these jobs, also of what other processes have put or left. It is one statement
    for all jobs: nearly all of its cost is to wake a process of Postgres."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        conditions = {job.queue: job for job in jobs if job.queue and job.waits}
        self._conditions = list(conditions.values())
        self.queues = sorted({job.queue for job in jobs if job.queue} - conditions.keys())
        """The queues of tasks."""
        parts = [_TASKS]
        for number, job in enumerate(self._conditions, 1):
            condition = (job.waits or "").replace("{known}", f"(:known::text[])[{number}]")
            parts.append(f"select '{job.queue}' where {condition}")
        self._filled = _declared(" union all ".join(parts))

    async def find(self, db: Db) -> list[str]:
        """The queues in which something waits."""
        known = [None if job.known is None else job.known() for job in self._conditions]
        return await self._filled(db, self.queues, known)


def watch(db: Db, jobs: Sequence[Job], bell: Bell, *, every: float, often: float) -> Job:
    """The job that rings the bells of those of `jobs` for which something waits. If it cannot read,
    as while somebody has locked one of the tables, it rings all bells: each job then checks itself.

    It checks every so many seconds, `often` while there are steps, and at once when `bell` is rung.
    """
    bells = [(job.queue, job.bell) for job in jobs if job.queue and job.bell]
    pending = PendingWork(jobs)

    async def run() -> float | None:
        found: Sequence[str | None] = [queue for queue, _ in bells]
        try:
            found = await pending.find(db)
        finally:
            for queue, each in bells:
                if queue in found:
                    each.ring()
        return often if STEPS in found else None

    return Job("look for tasks", every, run, bell)


K = TypeVar("K", bound=Hashable)


class WriteBehind(Generic[K]):
    """What this process has counted by key, and the database does not have yet. It is written
    together, at most `most` keys in one `write`, so that no request waits for a transaction. What
    could not be written is written the next time; a process that is killed loses it."""

    def __init__(self, write: Callable[[Counter[K]], Awaitable[object]], most: int) -> None:
        self._write = write
        self._most = most
        self._counts: Counter[K] = Counter()

    def count(self, key: K, number: int = 1) -> None:
        """Add a number to the count of a key."""
        if number:
            self._counts[key] += number

    async def write(self) -> None:
        """Write what there is. What is counted meanwhile waits for the next time."""
        counts, self._counts = self._counts, Counter()
        while some := Counter(dict(islice(counts.items(), self._most))):
            try:
                await self._write(some)
            except BaseException:
                self._counts = counts + self._counts
                raise
            counts -= some

    async def stop(self) -> None:
        """Write what there is. A database that is away misses it."""
        with suppress(Unavailable):
            await self.write()

    def job(self, name: str, every: float) -> Job:
        """The job that writes it every so many seconds, and at the end of the process."""
        return Job(name, every, self.write, stop=self.stop)
