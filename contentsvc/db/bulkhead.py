"""Decides who may use a database connection next.

A pool has a fixed number of places. Each statement belongs to a lane, and a lane may use only a
share of the places. So no kind of work takes them all: neither searches, which take long, nor
statements that wait for somebody's lock. All lanes that are slow at the moment share one further
limit.

Callers wait within their lane, in order. The lanes take turns.
"""

from collections import OrderedDict
from collections.abc import Set
from typing import Final

from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from contentsvc.db.errors import Cause, Unavailable

SEARCHES: Final = "searches"
"""The lane of statements that read much to find little, and that anybody may ask for."""
WHOLE: Final = "whole lists"
"""The lane of statements that read a whole long list, for its validator."""
_WAITING = 100
"""The most searches that may wait. A caller beyond it would wait too long and should come again.
Other lanes have no such limit: the time limit bounds them."""
_LOOKS = 8
"""Checks for which a lane still counts as slow after its last slow statement. So callers after a
time-out wait like those before it."""


class Lane:
    """One kind of work. `slow` is above 0 while some of it takes long."""

    __slots__ = ("cause", "limit", "most", "running", "slow", "waiters")

    def __init__(self, limit: int, most: float, cause: Cause) -> None:
        self.limit = limit
        self.most = most
        self.cause: Cause = cause
        self.running = 0
        self.slow = 0
        self.waiters: OrderedDict[Deferred[None], float] = OrderedDict()
        """The callers that wait, in order, with the time at which each came."""


class Lanes:
    """`size` places, and the callers that wait for one. Of these, searches may have a quarter, or
    `searches`."""

    def __init__(self, size: int, searches: int | None = None) -> None:
        self.free = size
        self.withheld = 0
        self._share = max(1, size - max(1, size // 4))
        self._slow_share = max(1, size // 2)
        self.slow = 0
        """Places that slow lanes use now."""
        self._lanes = {SEARCHES: Lane(searches or max(1, size // 4), _WAITING, SEARCHES)}
        self.waiting: OrderedDict[Lane, None] = OrderedDict()
        """The lanes in which somebody waits; the first has its turn next."""
        self._handing_on = False

    @property
    def running(self) -> int:
        """How many places are in use."""
        return sum(lane.running for lane in self._lanes.values())

    @property
    def waiters(self) -> int:
        """How many callers wait."""
        return sum(len(lane.waiters) for lane in self.waiting)

    @property
    def wanting(self) -> bool:
        """Whether somebody waits for a place, or a new caller would have to."""
        return bool(self.waiting) or self.free <= 0

    def lane(self, name: str) -> Lane:
        """The lane of this name."""
        found = self._lanes.get(name)
        if found is None:
            found = self._lanes[name] = Lane(self._share, float("inf"), "pool")
        return found

    def enter(self, lane: Lane) -> bool:
        """Take a place if the lane may have one and nobody in it waits. Whether it was taken."""
        if lane.waiters or not self.may(lane):
            return False
        self._take(lane)
        return True

    def wait(self, lane: Lane, came: float) -> Deferred[None]:
        """Wait for a place, for work that `came` at this time. A caller that cancels the Deferred
        leaves at once.

        Raises Unavailable: too many wait.
        """
        if len(lane.waiters) >= lane.most:
            raise Unavailable("too many requests wait for a database connection", lane.cause)
        waiter: Deferred[None] = Deferred(lambda waiter: self._gone(lane, waiter))
        lane.waiters[waiter] = came
        self.waiting[lane] = None
        return waiter

    def leave(self, lane: Lane) -> None:
        """Give a place back."""
        lane.running -= 1
        if lane.slow:
            self.slow -= 1
        self.free += 1
        if self.waiting:
            self._hand_on()

    def withhold(self, lane: Lane) -> None:
        """Give a place back, but keep it from others until `restore`."""
        self.free -= 1
        self.withheld += 1
        self.leave(lane)

    def restore(self) -> None:
        """Make all withheld places available again."""
        self.free += self.withheld
        self.withheld = 0
        self._hand_on()

    def look(self, late: Set[Lane]) -> None:
        """Note which lanes have slow work at the moment; all others have none."""
        for lane in self._lanes.values():
            was = lane.slow
            lane.slow = _LOOKS if lane in late else max(0, was - 1)
            if bool(was) != bool(lane.slow):
                self.slow += lane.running if lane.slow else -lane.running
        self._hand_on()

    def expire(self, before: float) -> None:
        """Fail all callers that came before this time with Unavailable."""
        for lane in list(self.waiting):
            late = [waiter for waiter, came in lane.waiters.items() if came < before]
            for waiter in late:
                del lane.waiters[waiter]
            if late and not lane.waiters:
                del self.waiting[lane]
            for waiter in late:
                waiter.errback(Unavailable("every database connection is busy", lane.cause))

    def fail(self, error: Exception) -> None:
        """Fail all callers that wait."""
        lanes, self.waiting = self.waiting, OrderedDict()
        for lane in lanes:
            waiters, lane.waiters = lane.waiters, OrderedDict()
            for waiter in waiters:
                waiter.errback(Failure(error))

    def may(self, lane: Lane) -> bool:
        return (
            self.free > 0
            and lane.running < lane.limit
            and not (lane.slow and self.slow >= self._slow_share)
        )

    def _take(self, lane: Lane) -> None:
        self.free -= 1
        lane.running += 1
        if lane.slow:
            self.slow += 1

    def _gone(self, lane: Lane, waiter: Deferred[None]) -> None:
        if lane.waiters.pop(waiter, None) is not None and not lane.waiters:
            del self.waiting[lane]

    def _hand_on(self) -> None:
        # Not recursively: work that ends at once would hand on one level deeper each time.
        if self._handing_on:
            return
        self._handing_on = True
        while (lane := next(filter(self.may, self.waiting), None)) is not None:
            waiter, _ = lane.waiters.popitem(last=False)
            if lane.waiters:
                self.waiting.move_to_end(lane)
            else:
                del self.waiting[lane]
            self._take(lane)
            waiter.callback(None)
        self._handing_on = False
