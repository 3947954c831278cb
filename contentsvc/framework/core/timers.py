"""Waits: timers that can be cancelled, pauses that double, calls in the next turn of the reactor,
sleeps that end together, a bell that wakes. Every layer may import this leaf, the client's too."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall, IReactorTime
from twisted.internet.task import deferLater


def cancel(call: IDelayedCall | None) -> None:
    """Cancel a timer, if there is one and it has not fired."""
    if call is not None and call.active():
        call.cancel()


@contextmanager
def timer(
    reactor: IReactorTime, seconds: float, act: Callable[..., object], *args: object
) -> Iterator[None]:
    """Call `act` if the block has not ended after so many seconds."""
    call = reactor.callLater(seconds, act, *args)
    try:
        yield
    finally:
        cancel(call)


class Backoff:
    """Pauses that double from `first` to `last` seconds. With `random`, each is multiplied by 0.5
    to 1.5: clients that lost something at the same time then do not all come back at once."""

    def __init__(self, first: float, last: float, random: Random | None = None) -> None:
        self._first = first
        self._last = last
        self._random = random
        self._next = first

    def next(self, least: float = 0.0, *, doubled: bool = False) -> float:
        """The next pause, in seconds; at least `least`, which the other side asked for. `doubled`:
        the pauses after it double `least` too."""
        pause = self._next * self._times(0.5, 1.5)
        longest = max(self._next, least) if doubled else self._next
        self._next = min(2 * longest, self._last)
        return max(pause, least * self._times(1.0, 1.5))

    def _times(self, low: float, high: float) -> float:
        return 1.0 if self._random is None else self._random.uniform(low, high)

    def reset(self) -> None:
        """Start again with the first pause, after an attempt that succeeded."""
        self._next = self._first


class NextTurn:
    """Calls `act` once in the next turn of the reactor, however often it is asked for; with
    `seconds`, so long after it was asked for first."""

    def __init__(
        self, reactor: IReactorTime, act: Callable[[], object], seconds: float = 0.0
    ) -> None:
        self._reactor = reactor
        self._act = act
        self._seconds = seconds
        self._call: IDelayedCall | None = None

    @property
    def asked(self) -> bool:
        """Whether the call is still to come."""
        return self._call is not None

    def ask(self) -> None:
        """Ask for the call."""
        if self._call is None:
            self._call = self._reactor.callLater(self._seconds, self._come)

    def cancel(self) -> None:
        """Cancel the call, if it was asked for."""
        if self._call is not None:
            self._call.cancel()
            self._call = None

    def _come(self) -> None:
        self._call = None
        self._act()


class Sleeps:
    """The sleeps of one part of the service. They all end when that part stops."""

    def __init__(self, reactor: IReactorTime) -> None:
        self._reactor = reactor
        self._sleeps: set[Deferred[None]] = set()

    async def sleep(self, seconds: float) -> None:
        """Wait so long. Raises CancelledError if `stop` comes first."""
        sleep: Deferred[None] = deferLater(self._reactor, seconds)
        self._sleeps.add(sleep)
        try:
            await sleep
        finally:
            self._sleeps.discard(sleep)

    def stop(self) -> None:
        """End all present sleeps."""
        for sleep in list(self._sleeps):
            sleep.cancel()


class Bell:
    """Wakes the one coroutine that waits for it. If it was rung before, the coroutine does not
    wait."""

    def __init__(self, reactor: IReactorTime) -> None:
        self._reactor = reactor
        self._waiter: Deferred[None] | None = None
        self._rung = False

    def ring(self) -> None:
        """Wake the coroutine."""
        self._rung = True
        self._wake()

    def silence(self) -> None:
        """Forget that it was rung."""
        self._rung = False

    async def wait(self, seconds: float) -> bool:
        """Wait until it is rung, or the time has passed. Whether it was rung."""
        if not self._rung:
            self._waiter = Deferred()
            with timer(self._reactor, seconds, self._wake):
                await self._waiter
        rung, self._rung = self._rung, False
        return rung

    def _wake(self) -> None:
        if self._waiter is not None:
            waiter, self._waiter = self._waiter, None
            waiter.callback(None)


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
