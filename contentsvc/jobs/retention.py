"""Deletes old notifications and expired sessions.

Every process tries every half minute; the database lets one process work at a time. A round checks
the logs of a thousand users, and the next round continues with the next thousand. With a million
users, each log's turn comes three times a day.
"""

from collections.abc import Awaitable, Callable

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.db.errors import Unavailable
from contentsvc.db.query import Db
from contentsvc.store import retention
from contentsvc.timers import Sleeps

EVERY = 30.0
"""Seconds between two rounds."""
PAUSE = 0.2
"""Seconds between two batches of a round, in which others can use the database."""
MARGIN = 24 * 3600
"""Seconds that a session is kept after its last refresh token has expired. It is more than the life
of an access token, for which the end of a session matters."""

log = Logger()


class Retention:
    """Deletes notifications older than `days` (0: none), and expired sessions."""

    def __init__(self, reactor: IReactorTime, db: Db, days: int) -> None:
        self._db = db
        self._days = days
        self._start = retention.FIRST
        self._stopped = False
        self._sleeps = Sleeps(reactor)

    def start(self) -> None:
        """Begin. The first round is EVERY seconds from now."""
        Deferred.fromCoroutine(self._run()).addErrback(self._failed)

    def stop(self) -> None:
        """Begin no further batch."""
        self._stopped = True
        self._sleeps.stop()

    async def _run(self) -> None:
        while not self._stopped:
            await self._sleeps.sleep(EVERY)
            if self._days:
                await self._look("old notifications", self._notifications)
            await self._look("expired sessions", self._sessions)

    async def _notifications(self) -> tuple[int, bool]:
        step = await retention.trim_notifications(self._db, self._days, self._start)
        if step.ours:
            self._start = step.next or retention.FIRST
        return step.deleted, step.again

    async def _sessions(self) -> tuple[int, bool]:
        batch = await retention.trim_sessions(self._db, MARGIN)
        return batch.sessions, batch.tokens == retention.TOKENS

    async def _look(self, what: str, act: Callable[[], Awaitable[tuple[int, bool]]]) -> None:
        """Delete batches until one is not full."""
        total, again = 0, True
        try:
            while again and not self._stopped:
                deleted, again = await act()
                total += deleted
                if again:
                    await self._sleeps.sleep(PAUSE)
        except Unavailable as error:
            if not self._stopped:  # else the database is being closed
                log.warn("Could not delete {what}: {error}", what=what, error=error)
        except CancelledError:
            raise
        except Exception:
            log.failure("Could not delete {what}", what=what)
        if total:
            log.info("Deleted {what}: {total}", what=what, total=total)

    def _failed(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("Automatic deletion failed", failure)
