"""Why answers are 503: a line in the log, once a second at most."""

from collections import Counter
from typing import Any

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

EVERY = 1.0
"""Seconds between two lines."""

log = Logger()


class Unavailability:
    """Counts the answers of this process that are 503, by cause."""

    def __init__(self, reactor: IReactorTime) -> None:
        self._reactor = reactor
        self._counts: Counter[str] = Counter()
        self._next: Any = None

    def count(self, cause: str) -> None:
        """An answer is 503. The first is said at once, others with those of their second."""
        self._counts[cause] += 1
        if self._next is None:
            self._say()

    def stop(self) -> None:
        """Say what has not been said yet."""
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if self._counts:
            self._write()

    def _say(self) -> None:
        self._next = None
        if self._counts:
            self._write()
            self._next = self._reactor.callLater(EVERY, self._say)

    def _write(self) -> None:
        counts, self._counts = self._counts, Counter()
        log.warn(
            "Answered 503: {reasons}",
            reasons=", ".join(f"{cause} {n}" for cause, n in counts.most_common()),
        )
