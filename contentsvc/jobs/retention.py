"""Deletes what has been kept long enough: notifications, and sessions that are over.

Every process tries, every half a minute; the database lets one at a time. A try looks at the logs
of a thousand users and goes on with the next thousand another time: with a million users each
log's turn comes three times a day.
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
"""Seconds between looks for what is old enough."""
PAUSE = 0.2
"""Seconds between the batches of one look, in which others have the database."""
MARGIN = 24 * 3600
"""Seconds that a session is kept after its last refresh token has expired: more than an access
token lives, and the end of a session matters."""

log = Logger()


class Retention:
    """Deletes notifications older than `days`, 0 for none, and sessions that are over."""

    def __init__(self, reactor: IReactorTime, db: Db, days: int) -> None:
        self._db = db
        self._days = days
        self._start = retention.FIRST
        self._stopped = False
        self._sleeps = Sleeps(reactor)

    def start(self) -> None:
        """Begin; the first look is EVERY seconds from now."""
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
        """Delete batches as long as there are full ones."""
        total, again = 0, True
        try:
            while again and not self._stopped:
                deleted, again = await act()
                total += deleted
                if again:
                    await self._sleeps.sleep(PAUSE)
        except Unavailable as error:
            if not self._stopped:  # then the database is being closed under it
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
