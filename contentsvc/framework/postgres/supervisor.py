"""Restarts the embedded Postgres when it ends, as long as the daemon runs."""

from collections.abc import Callable
from typing import Any, TypeVar

from attrs import define, field
from twisted.internet.defer import CancelledError, Deferred, fail
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.timers import Backoff
from contentsvc.framework.postgres.embedded import EmbeddedPostgres
from contentsvc.framework.postgres.errors import EmbeddedError

CHECK = 1.0
"""Seconds between two checks that the server runs."""
FIRST_PAUSE, LAST_PAUSE = 1.0, 30.0
"""Seconds before the next attempt after a start that failed. They double each time."""
REMINDER = 60
"""Checks between two lines of the log while the data are missing."""
MISSING_TIMEOUT = 120
"""Checks after which the supervisor gives up on missing data."""

T = TypeVar("T")
log = Logger()


class _NoThread(EmbeddedError):
    """The system has no thread left."""


@define(eq=False)
class Supervisor:
    """Starts the server again when it has ended, however it ended: killed, crashed or stopped.

    If its data have gone (a lost volume, or a folder that was moved, deleted or replaced), it waits
    for them, and never makes new ones. `give_up` is called with a reason if they stay away for two
    minutes. `there` says whether the data were there at the last check.
    """

    _reactor: Any
    _postgres: EmbeddedPostgres
    _give_up: Callable[[str], object]
    there: bool = field(default=True, init=False)
    _watching: Deferred[None] | None = field(default=None, init=False)

    async def start(self) -> str:
        """Start the server and begin to watch it. Gives its URL, which stays the same. Raises
        EmbeddedError."""
        url = await self._in_thread(self._postgres.start)
        self._watching = Deferred.fromCoroutine(self._watch())
        self._watching.addErrback(self._ended)
        return url

    async def stop(self) -> None:
        """Stop watching, and leave the server as `EmbeddedPostgres.stop` does."""
        if self._watching is not None:
            self._watching.cancel()
        # A start that is running in its thread finishes first.
        try:
            await self._in_thread(self._postgres.stop)
        except _NoThread:
            # Nobody is served any more, so it may block.
            self._postgres.stop()
        for folder in self._postgres.closed:
            # Log: Postgres has stopped, and the folder is as it was.
            log.info("Restored the mode of {folder}", folder=folder)

    async def _watch(self) -> None:
        while True:
            await deferLater(self._reactor, CHECK)
            try:
                if not await self._check():
                    return
            except _NoThread:
                continue  # until there is one

    async def _check(self) -> bool:
        """Check the server once, and start it if it has ended. False if its data stay away."""
        # Check twice: a folder may be renamed away and back.
        if not await self._check_data():
            await deferLater(self._reactor, CHECK)
            if not await self._check_data() and not await self._come_back():
                return False
        if not await self._in_thread(self._postgres.running):
            # Log: it crashed, or somebody stopped it. The daemon starts it again. Do: read
            # `data_dir/postgres/log`.
            log.warn("The embedded Postgres has ended: starting it again")
            await self._start_again()
        return True

    async def _check_data(self) -> bool:
        self.there = await self._in_thread(self._postgres.there)
        return self.there

    async def _come_back(self) -> bool:
        """Wait for the data. False if they stay away.

        It counts checks, not seconds: a process that was stopped meanwhile has not waited.
        """
        folder = self._postgres.folder
        for count in range(MISSING_TIMEOUT):
            if count % REMINDER == 0:
                # Log: the data are not in their folder. Do: see
                # docs/guides/database.md#a-missing-data-folder.
                log.error(
                    "The database is missing from {folder}. Has its volume gone, or was the folder "
                    "moved, deleted or replaced? Requests get 503 until it is back",
                    folder=folder,
                )
            if count == 0:
                try:
                    await self._in_thread(self._postgres.abandon)
                except EmbeddedError as error:
                    # Log: the old server still runs, and its commits may be lost. Do: end that
                    # Postgres process.
                    log.error("Cannot stop Postgres after its data have gone: {error}", error=error)
            await deferLater(self._reactor, CHECK)
            if await self._check_data():
                # Log: the data are in their folder again.
                log.warn("The database is back in {folder}", folder=folder)
                return True
        try:
            await self._in_thread(self._postgres.give_up)
        except EmbeddedError as error:
            # Log: the daemon could not leave `postgres.users` in the folder. Do: bring the data
            # back before the next start.
            log.error(
                "Cannot mark the data folder as used, so the next start may make a new database: "
                "{error}",
                error=error,
            )
        self._give_up(f"the database has been missing from {folder} for {MISSING_TIMEOUT} s")
        return False

    async def _start_again(self) -> None:
        pauses = Backoff(FIRST_PAUSE, LAST_PAUSE)
        while True:
            try:
                await self._in_thread(self._postgres.start)
            except EmbeddedError as error:
                if not await self._check_data():
                    return
                # Log: a new start failed. The daemon tries again after 1 to 30 s. Do: remove the
                # cause that the line names.
                log.error("Cannot start the embedded Postgres: {error}", error=error)
            else:
                # Log: it was started again after it had ended.
                log.info("The embedded Postgres runs again")
                return
            await deferLater(self._reactor, pauses.next())

    def _ended(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("The watch over the embedded Postgres failed", failure)

    def _in_thread(self, act: Callable[[], T]) -> Deferred[T]:
        try:
            return deferToThreadPool(self._reactor, self._reactor.getThreadPool(), act)
        except RuntimeError as error:  # Python's, if it cannot start another thread
            return fail(_NoThread(error))
