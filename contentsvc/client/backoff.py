"""How long to wait before the next attempt."""

from random import Random


class Backoff:
    """Waits that double from `first` to `last` seconds, each times 0.5 to 1.5, so that the
    clients of a process that stopped do not all come back at once."""

    def __init__(self, random: Random, first: float, last: float) -> None:
        self._random = random
        self._first = first
        self._last = last
        self._next = first

    def next(self, least: float = 0.0) -> float:
        """Seconds; `least` is what the service asked for, and is never undercut."""
        wait = self._next * self._random.uniform(0.5, 1.5)
        self._next = min(2 * self._next, self._last)
        return max(wait, least * self._random.uniform(1.0, 1.5))

    def reset(self) -> None:
        """An attempt succeeded."""
        self._next = self._first
