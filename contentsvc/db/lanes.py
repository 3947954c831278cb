"""Who may use a database connection next.

A pool has so many places. Each statement has a lane, and a lane has at most a share of the places,
so that no kind of work has them all: neither searches, which take long, nor what reads or writes
things that somebody has locked. Lanes that are slow now have a share for all of them together.

Those who wait do so in their lane, in order, and the lanes take turns.
"""

from collections import OrderedDict
from collections.abc import Set
from typing import Final

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from contentsvc.db.errors import Cause, Unavailable

SEARCHES: Final = "searches"
"""The lane of statements that look through much to find little, and that anybody may ask for."""
WHOLE: Final = "whole lists"
"""The lane of statements that read all of a long list, for its validator."""
_WAITING = 100
"""Searches that wait at most; whoever would wait for longer than these take had better come again.
Others are bounded by how long they wait."""
_LOOKS = 8
"""Looks for which a lane is still taken for slow: those who come after a time-out wait like those
before it."""


class Lane:
    """One kind of work. `slow` says that some of it takes long now."""

    __slots__ = ("cause", "limit", "most", "running", "slow", "waiters")

    def __init__(self, limit: int, most: float, cause: Cause) -> None:
        self.limit = limit
        self.most = most
        self.cause: Cause = cause
        self.running = 0
        self.slow = 0
        self.waiters: OrderedDict[Deferred[None], float] = OrderedDict()
        """In order, and when each came."""


class Lanes:
    """`size` places, and those who wait for one."""

    def __init__(self, size: int) -> None:
        self.free = size
        self.withheld = 0
        self._share = max(1, size - max(1, size // 4))
        self._slow_share = max(1, size // 2)
        self._slow = 0
        """Places that slow lanes have."""
        self._lanes = {SEARCHES: Lane(max(1, size // 4), _WAITING, SEARCHES)}
        self._waiting: OrderedDict[Lane, None] = OrderedDict()
        """The lanes in which somebody waits; the first has its turn next."""
        self._handing_on = False

    @property
    def wanting(self) -> bool:
        """Whether somebody waits, or would if they came."""
        return bool(self._waiting) or self.free <= 0

    def lane(self, name: str) -> Lane:
        """The lane of this name."""
        found = self._lanes.get(name)
        if found is None:
            found = self._lanes[name] = Lane(self._share, float("inf"), "pool")
        return found

    def enter(self, lane: Lane) -> bool:
        """Take a place if there is one for this lane, and nobody waits for it."""
        if lane.waiters or not self._may(lane):
            return False
        self._take(lane)
        return True

    def wait(self, lane: Lane, now: float) -> Deferred[None]:
        """Wait for a place. Who cancels that leaves at once.

        Raises Unavailable: too many wait.
        """
        if len(lane.waiters) >= lane.most:
            raise Unavailable("too many requests wait for a database connection", lane.cause)
        waiter: Deferred[None] = Deferred(lambda waiter: self._gone(lane, waiter))
        lane.waiters[waiter] = now
        self._waiting[lane] = None
        return waiter

    def leave(self, lane: Lane) -> None:
        """Give a place back."""
        lane.running -= 1
        if lane.slow:
            self._slow -= 1
        self.free += 1
        if self._waiting:
            self._hand_on()

    def withhold(self, lane: Lane) -> None:
        """Give a place back that nobody is to have before `restore`."""
        self.free -= 1
        self.withheld += 1
        self.leave(lane)

    def restore(self) -> None:
        """Have all places that there are."""
        self.free += self.withheld
        self.withheld = 0
        self._hand_on()

    def look(self, late: Set[Lane]) -> None:
        """Some of the work in these lanes takes long, and none in others."""
        for lane in self._lanes.values():
            was = lane.slow
            lane.slow = _LOOKS if lane in late else max(0, was - 1)
            if bool(was) != bool(lane.slow):
                self._slow += lane.running if lane.slow else -lane.running
        self._hand_on()

    def expire(self, before: float) -> None:
        """Who came before then has waited too long; they fail with Unavailable."""
        for lane in list(self._waiting):
            while lane.waiters and next(iter(lane.waiters.values())) < before:
                waiter, _ = lane.waiters.popitem(last=False)
                if not lane.waiters:
                    del self._waiting[lane]
                waiter.errback(Unavailable("every database connection is busy", lane.cause))

    def fail(self, error: Exception) -> None:
        """Nobody who waits now will have a place."""
        lanes, self._waiting = self._waiting, OrderedDict()
        for lane in lanes:
            waiters, lane.waiters = lane.waiters, OrderedDict()
            for waiter in waiters:
                waiter.errback(Failure(error))

    def _may(self, lane: Lane) -> bool:
        return (
            self.free > 0
            and lane.running < lane.limit
            and not (lane.slow and self._slow >= self._slow_share)
        )

    def _take(self, lane: Lane) -> None:
        self.free -= 1
        lane.running += 1
        if lane.slow:
            self._slow += 1

    def _gone(self, lane: Lane, waiter: Deferred[None]) -> None:
        if lane.waiters.pop(waiter, None) is not None and not lane.waiters:
            del self._waiting[lane]

    def _hand_on(self) -> None:
        # Never within itself: whoever is done at once would hand on one level deeper.
        if self._handing_on:
            return
        self._handing_on = True
        while (lane := next(filter(self._may, self._waiting), None)) is not None:
            waiter, _ = lane.waiters.popitem(last=False)
            if lane.waiters:
                self._waiting.move_to_end(lane)
            else:
                del self._waiting[lane]
            self._take(lane)
            waiter.callback(None)
        self._handing_on = False
