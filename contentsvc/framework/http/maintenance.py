"""Maintenance: while it is on, requests of players are refused (docs/guides/maintenance.md)."""

from math import ceil
from typing import Final

from msgspec import Struct
from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.http.errors import UnderMaintenance
from contentsvc.framework.http.permissions import Who

AGAIN: Final = 60
"""Most seconds of Retry-After: maintenance may end earlier than was announced."""
_READS: Final = frozenset({b"GET", b"HEAD"})


class Announced(Struct, frozen=True):
    """What an operator says: a text for players; when it ends by itself, in Unix seconds, and the
    seconds that are left until then; whether reads are answered. It began `age` seconds ago, which
    the database of an earlier release does not say."""

    message: str | None
    until: int | None
    reads: bool
    left: float | None
    age: float | None = None


class Maintenance:
    """Whether the service is closed, as this process knows it."""

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._announced: Announced | None = None
        self._ends: float | None = None
        self._began = 0.0
        self.on = False
        """Whether requests are refused, of whatever kind."""

    @property
    def closes_sockets(self) -> bool:
        """Whether sockets are refused too."""
        return self._announced is not None and not self._announced.reads

    def set(self, announced: Announced | None) -> None:
        """This is so now; None if the service is open."""
        if announced is not None and announced.age is not None:
            # This process may be younger, and others have given URLs since then.
            self._began = self._clock.seconds() - announced.age
        elif announced is not None and not self.on:
            self._began = self._clock.seconds()
        self._announced = announced
        self.on = announced is not None
        left = None if announced is None else announced.left
        self._ends = None if left is None else self._clock.seconds() + left

    @property
    def retry_after(self) -> int:
        """Seconds after which to try again."""
        if self._ends is None:
            return AGAIN
        return min(max(ceil(self._ends - self._clock.seconds()), 1), AGAIN)

    def check(self, method: bytes, caller: Who | None) -> None:
        """Raises UnderMaintenance unless this request is answered: those of staff and of services
        are."""
        announced = self._announced
        if announced is None or (announced.reads and method in _READS):
            return
        if caller is None or not (caller.service or caller.permissions):
            self.refuse()

    def check_signed(self, age: float) -> None:
        """Raises UnderMaintenance, unless a URL that was given so many seconds ago may be written
        to: since maintenance began, only staff and services get such URLs."""
        # The age is of whole seconds.
        if self.on and age + 1 >= self._clock.seconds() - self._began:
            self.refuse()

    def refuse(self) -> None:
        """Raises UnderMaintenance, if it is on."""
        if self._announced is not None:
            message, until = self._announced.message, self._announced.until
            raise UnderMaintenance(self.retry_after, message=message, until=until)
