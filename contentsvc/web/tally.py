"""Things that may happen often, and that the log has a line for once a second at most."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from twisted.internet.interfaces import IReactorTime

EVERY = 1.0
"""Seconds between two lines."""


class Tally:
    """Counts them by name. `say` is called with the counts since it was called last: at once for
    the first, then once a second as long as there are some."""

    def __init__(self, reactor: IReactorTime, say: Callable[[Counter[str]], object]) -> None:
        self._reactor = reactor
        self._say = say
        self._counts: Counter[str] = Counter()
        self._next: Any = None

    def count(self, name: str) -> None:
        """It has happened once more."""
        self._counts[name] += 1
        if self._next is None:
            self._go_on()

    def stop(self) -> None:
        """Say what has not been said yet."""
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
