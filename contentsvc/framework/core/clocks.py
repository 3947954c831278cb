"""The two clocks of a process.

Durations run on the monotonic clock, which nobody can set: `reactor.seconds()`, and with it each
timer. Stamps run on the wall clock: what is sent, stored, or compared with a stamp of another
process, as the times in a token are.
"""

import time
from typing import Any, Protocol


class Clock(Protocol):
    """Either of the two."""

    def seconds(self) -> float:
        """Seconds; for the wall clock, those since 1970."""


class WallClock:
    """The time of day, as the system has it; it may jump, and back too."""

    def seconds(self) -> float:
        """Unix seconds."""
        return time.time()


def run_monotonic(reactor: Any) -> None:
    """Have all timers of the reactor, those that are set already too, run on the monotonic clock.

    Twisted's own are on the wall clock: set back by two minutes, it fires nothing for as long.
    """
    shift = time.monotonic() - reactor.seconds()
    # Before those that follow: a timer keeps the function that it was made with.
    reactor.seconds = time.monotonic
    for call in reactor.getDelayedCalls():
        call.time += shift
        call.seconds = time.monotonic
