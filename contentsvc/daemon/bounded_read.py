"""A value that takes a while to read, for somebody who must not wait long."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Generic, TypeVar

from twisted.internet.defer import TimeoutError
from twisted.internet.interfaces import IReactorTime

from contentsvc.core.concurrency import SingleFlight

T = TypeVar("T")


class BoundedRead(Generic[T]):
    """Reads a value at most every `keep` seconds, and one reading at a time. A reading that fails
    gives no value. Nobody waits longer than `patience` seconds: then the value of before counts,
    until it is `old`."""

    def __init__(
        self,
        clock: IReactorTime,
        read: Callable[[], Awaitable[T]],
        *,
        keep: float,
        patience: float,
        old: float,
    ) -> None:
        self._clock = clock
        self._read = read
        self._keep = keep
        self._patience = patience
        self._old = old
        self._reading = SingleFlight(self._take)
        self._value: T | None = None
        self._at: float | None = None

    async def latest(self) -> T | None:
        """The value; None if there is none that is not old."""
        if self._at is None or self._clock.seconds() - self._at >= self._keep:
            asked = self._reading.ask()
            with suppress(TimeoutError):
                await asked.addTimeout(self._patience, self._clock)
        if self._at is None or self._clock.seconds() - self._at > self._old:
            return None
        return self._value

    async def _take(self) -> None:
        try:
            self._value = await self._read()
        except Exception:
            # Whatever it is, the one who asks sees that there is no value.
            self._value = None
        self._at = self._clock.seconds()
