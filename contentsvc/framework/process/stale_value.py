"""A value that takes a while to read, for somebody who must not wait long."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Generic, TypeVar

from attrs import define, field
from twisted.internet.defer import TimeoutError
from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.concurrency import SingleFlight

T = TypeVar("T")


@define(eq=False)
class StaleValue(Generic[T]):
    """Reads a value at most every `keep` seconds, and one reading at a time. A reading that fails
    gives no value. Nobody waits longer than `patience` seconds: then the value of before counts,
    until it is `old`."""

    _clock: IReactorTime
    _read: Callable[[], Awaitable[T]]
    _keep: float = field(kw_only=True)
    _patience: float = field(kw_only=True)
    _old: float = field(kw_only=True)
    _reading: SingleFlight[None] = field(init=False)
    _value: T | None = field(default=None, init=False)
    _at: float | None = field(default=None, init=False)

    def __attrs_post_init__(self) -> None:
        self._reading = SingleFlight(self._take)

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
