"""Reads and connections that failed and are tried again: when, and what the log says."""

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.db.errors import Unavailable

FIRST_PAUSE, LAST_PAUSE = 0.1, 2.0
"""Seconds before what failed is tried again. They double each time."""
REMINDER = 60.0
"""Seconds between equal log lines about a database that is away."""

log = Logger()


def report(what: str, error: Exception) -> None:
    """Log why `what` failed. An unavailable database takes one line, anything else a traceback."""
    if isinstance(error, Unavailable):
        # Log: the database did not answer: to listen to other processes, or to read notifications
        # for sockets. It is tried again. Do: look at the database.
        log.warn("Could not {what}: {error}", what=what, error=error)
    else:
        log.failure("Could not {what}", Failure(error), what=what)


class Reports:
    """The reports of tasks that run as long as the process."""

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._said: dict[str, float] = {}

    def failed(self, what: str, error: Exception) -> None:
        """Log a failure. An unavailable database is logged at most once in REMINDER seconds."""
        now = self._clock.seconds()
        if isinstance(error, Unavailable) and now - self._said.get(what, -REMINDER) < REMINDER:
            return
        self._said[what] = now
        report(what, error)

    def works(self, what: str) -> None:
        """Log the next failure at once, after a success."""
        self._said.pop(what, None)
