"""The runner: what a process does by itself, over and over.

A job is a function, how often it runs, and how one process at a time does it. The last is the job's
own: its statement takes an advisory lock or a row's, and has nothing to do where another process
holds it. Each process runs all jobs.

A job that fails is tried again with growing pauses. It holds up no other.
"""

import re
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from random import Random, SystemRandom
from typing import Any, NamedTuple

from msgspec import Struct
from twisted.internet.defer import CancelledError, Deferred, DeferredList
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.request_timing import CURRENT, RequestTiming
from contentsvc.framework.core.timers import Backoff, Bell, Clock, Sleeps
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.mail.errors import Away
from contentsvc.framework.storage.bucket import BadStore, StorageUnavailable

FIRST_PAUSE = 1.0
"""Seconds until a job that failed is tried again. They double, up to the time between its runs."""
SLOW = 30.0
"""Seconds after which a run of a job is slow: it does some of the work, and should not take
long."""
UNRUNG = 300.0
"""Seconds after which a job runs whose bell should have been rung."""
REMINDER = 60.0
"""Seconds between two log lines about a job that goes on failing, each time for another reason."""

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
    condition finds. Its bell is rung while there is any (contentsvc.framework.tasks.queue_watch),
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
        elif isinstance(error, Unavailable | StorageUnavailable | Away):
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
    if not isinstance(error, Unavailable | StorageUnavailable | Away):
        # The driver's further lines have the statement with its values.
        text = text.partition("\n")[0]
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    text = _SECRETS.sub("***", " ".join(text.split()))
    return text if len(text) <= LENGTH else f"{text[: LENGTH - 1]}…"
