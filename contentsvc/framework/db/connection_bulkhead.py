"""Decides who may use a database connection next.

A pool has a fixed number of places. Each statement belongs to a lane, and a lane may use only a
share of the places. So no kind of work takes them all: neither searches, which take long, nor
statements that wait for somebody's lock. All lanes that are slow at the moment share one further
limit.

Callers wait within their lane, in order. The lanes take turns. Before its lane, a search waits for
its client's turn: clients, by their network, take turns too, and leave a place to others, so that
one with many searches delays its own.
"""

from collections import Counter
from collections.abc import Callable, Set
from math import inf
from typing import Final

from contentsvc.framework.core.concurrency import Bulkhead, Full
from contentsvc.framework.db.errors import Cause, Unavailable

SEARCHES: Final = "searches"
"""The lane of statements that read much to find little, and that anybody may ask for."""
WHOLE: Final = "whole lists"
"""The lane of statements that read a whole long list, for its validator."""
_WAITING = 100
"""The most searches that may wait. A caller beyond it would wait too long and should come again: it
is one of the client that has the most. Other lanes have no such limit: the time limit bounds
them."""
_LATELY = 10.0
"""Seconds for which a client that has searched counts as another one that is there."""
_SLOW_CHECKS = 8
"""Checks for which a lane still counts as slow after its last slow statement. So callers after a
time-out wait like those before it."""


class Lane:
    """One kind of work. `slow` is above 0 while some of it takes long."""

    __slots__ = ("cause", "limit", "running", "slow")

    def __init__(self, limit: int, cause: Cause) -> None:
        self.limit = limit
        self.cause: Cause = cause
        self.running = 0
        self.slow = 0


class _Clients(Bulkhead[str]):
    """The places of searches. Clients take turns, and the last free place is for one who has none,
    while there are others: so no client has all of them, and alone it has."""

    def __init__(self, size: int, most: int) -> None:
        super().__init__(size, most)
        self._having: Counter[str] = Counter()
        self._latest: tuple[str, float] = ("", -inf)
        self._other: tuple[str, float] = ("", -inf)
        """The client that came last, and the last one before it that is another, with the times."""

    def came(self, client: str, now: float) -> None:
        """Note that a client asks for a search."""
        if client != self._latest[0]:
            self._other = self._latest
        self._latest = client, now

    def may(self, key: str) -> bool:
        """Whether a search of this client may have a place now."""
        if self.free > 1 or not self._having[key]:
            return self.free > 0
        other = self._other if key == self._latest[0] else self._latest
        return self.free > 0 and self._latest[1] - other[1] > _LATELY

    def leave(self, key: str) -> None:
        """Give a place back."""
        self._having[key] -= 1
        if not self._having[key]:
            del self._having[key]
        super().leave(key)

    def _take(self, key: str) -> None:
        self._having[key] += 1
        super()._take(key)


class ConnectionBulkhead(Bulkhead[Lane]):
    """`size` places, and the callers that wait for one. Of these, searches may have a quarter, or
    `searches`."""

    def __init__(self, size: int, searches: int | None = None) -> None:
        super().__init__(size)
        self.withheld = 0
        self._share = max(1, size - max(1, size // 4))
        self._slow_share = max(1, size // 2)
        self.slow = 0
        """Places that slow lanes use now."""
        searches = searches or max(1, size // 4)
        self._lanes = {SEARCHES: Lane(searches, SEARCHES)}
        self._clients = _Clients(searches, _WAITING)

    @property
    def running(self) -> int:
        """How many places are in use."""
        return sum(lane.running for lane in self._lanes.values())

    @property
    def wanting(self) -> bool:
        """Whether somebody waits for a place, or a new caller would have to."""
        return bool(self.queues) or self.free <= 0

    def lane(self, name: str) -> Lane:
        """The lane of this name."""
        found = self._lanes.get(name)
        if found is None:
            found = self._lanes[name] = Lane(self._share, "pool")
        return found

    def may(self, lane: Lane) -> bool:
        """Whether the lane may have a place now."""
        return (
            self.free > 0
            and lane.running < lane.limit
            and not (lane.slow and self.slow >= self._slow_share)
        )

    @property
    def waiting(self) -> int:
        """How many callers wait."""
        return super().waiting + self._clients.waiting

    async def enter_search(self, client: str, came: float) -> None:
        """Wait for the turn of a search of this client, which `came` at this time. Raises
        Unavailable: too many wait, or it has waited too long."""
        self._clients.came(client, came)
        try:
            await self._clients.take(client, came)
        except Full:
            reason = "too many requests wait for a database connection"
            raise Unavailable(reason, SEARCHES) from None

    def leave_search(self, client: str) -> None:
        """A search of this client has ended."""
        self._clients.leave(client)

    def expire(self, before: float, error: Callable[[Lane], Exception]) -> None:
        """Fail all callers that came before this time."""
        super().expire(before, error)
        self._clients.expire(before, lambda client: error(self._lanes[SEARCHES]))

    def leave(self, lane: Lane) -> None:
        """Give a place back."""
        # Each statement comes by here and by `_take`: a call of the base class would cost more.
        lane.running -= 1
        if lane.slow:
            self.slow -= 1
        self.free += 1
        if self.queues:
            self._wake()

    def withhold(self, lane: Lane) -> None:
        """Give a place back, but keep it from others until `restore`."""
        self.free -= 1
        self.withheld += 1
        self.leave(lane)

    def restore(self) -> None:
        """Make all withheld places available again."""
        self.free += self.withheld
        self.withheld = 0
        self._wake()

    def note_slow(self, late: Set[Lane]) -> None:
        """Note which lanes have slow work at the moment; all others have none."""
        for lane in self._lanes.values():
            was = lane.slow
            lane.slow = _SLOW_CHECKS if lane in late else max(0, was - 1)
            if bool(was) != bool(lane.slow):
                self.slow += lane.running if lane.slow else -lane.running
        self._wake()

    def _take(self, lane: Lane) -> None:
        self.free -= 1
        lane.running += 1
        if lane.slow:
            self.slow += 1


def busy(lane: Lane) -> Unavailable:
    """The error of a caller that has waited too long."""
    return Unavailable("every database connection is busy", lane.cause)
