"""What the log says of reads and connections that failed, and are tried again."""

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.db.errors import Unavailable

REMINDER = 60.0
"""Seconds between the lines of the log that say the same of a database that is away."""

log = Logger()


def report(what: str, error: Exception) -> None:
    """Log why `what` failed. An unavailable database takes one line, anything else a traceback."""
    if isinstance(error, Unavailable):
        log.warn("Could not {what}: {error}", what=what, error=error)
    else:
        log.failure("Could not {what}", Failure(error), what=what)


class Reports:
    """The reports of what goes on for as long as the process does."""

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._said: dict[str, float] = {}

    def failed(self, what: str, error: Exception) -> None:
        """Log it, but of an unavailable database at most once in REMINDER seconds."""
        now = self._clock.seconds()
        if isinstance(error, Unavailable) and now - self._said.get(what, -REMINDER) < REMINDER:
            return
        self._said[what] = now
        report(what, error)

    def works(self, what: str) -> None:
        """The next failure is news."""
        self._said.pop(what, None)
