"""Counting things that happen often, so that the log has at most one line a second."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

EVERY = 1.0
"""Seconds between two lines."""


class ThrottledLog:
    """Counts events by name, and calls `say` with the counts since its last call.

    It calls `say` at once for the first event, and then once a second while there are more.
    """

    def __init__(self, reactor: IReactorTime, say: Callable[[Counter[str]], object]) -> None:
        self._reactor = reactor
        self._say = say
        self._counts: Counter[str] = Counter()
        self.totals: Counter[str] = Counter()
        """All events since the start."""
        self._next: Any = None

    def count(self, name: str) -> None:
        """Count one event."""
        self.totals[name] += 1
        self._counts[name] += 1
        if self._next is None:
            self._go_on()

    def stop(self) -> None:
        """Call `say` for the rest."""
        if self._next is not None:
            self._next.cancel()
            self._next = None
        if self._counts:
            self._write()

    def _go_on(self) -> None:
        self._next = None
        if self._counts:
            self._write()
            self._next = self._reactor.callLater(EVERY, self._go_on)

    def _write(self) -> None:
        counts, self._counts = self._counts, Counter()
        self._say(counts)


log = Logger()


def unavailability(reactor: IReactorTime) -> ThrottledLog:
    """Counts the answers of this process that are 503, by cause."""
    return ThrottledLog(reactor, _say)


def _say(counts: Counter[str]) -> None:
    # Log: clients got 503: the causes, and how often. Do: see docs/guides/logs.md#answers-with-503.
    log.warn(
        "Answered 503: {reasons}",
        reasons=", ".join(f"{cause} {n}" for cause, n in counts.most_common()),
    )
