"""The traffic of a site: its connections and requests, the memory that they need while they arrive,
and the wait for all of them at the end."""

from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

from twisted.internet.defer import Deferred, TimeoutError
from twisted.logger import Logger

from contentsvc.framework.core.timers import timer
from contentsvc.framework.http.errors import Problem, Unavailable
from contentsvc.framework.http.throttled_log import ThrottledLog

log = Logger()

_GRACE = 1.0
"""Seconds that a connection without a request is kept while draining. If it is in use, its next
request comes within this time, and the answer says that the connection ends. To close it at once
could cut off that request, and a proxy must not repeat a POST."""
_LEAST_IDLE = 5.0
"""When there are too many connections, one without a request gives way after so many seconds."""


class Holder(Protocol):
    """An owner of bytes: a body, incomplete headers, or input that came after a request or waits to
    be read."""

    held: int

    def refuse(self, problem: Problem) -> None:
        """Answer with this problem, and give the bytes back."""


class Connection(Protocol):
    """A channel of the site."""

    transport: Any

    def rests(self) -> bool:
        """Whether no request of it is in work, so that it can end."""

    def loseConnection(self) -> None:
        """End it after the data that has been written."""


class UnderWay(Protocol):
    """A request without an answer yet."""

    channel: Any
    held: int

    def release(self) -> None:
        """Give back the bytes of its body."""


class Room:
    """A budget of bytes for arriving data. When it is used up, the holder that has been arriving
    for the longest time makes room: the slowest, not the newest. Data that has arrived keeps its
    bytes until its answer."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self.arriving: dict[Holder, None] = {}

    def hold(self, holder: Holder, size: int) -> None:
        """Count `size` bytes more. The holder itself may be refused for that."""
        holder.held += size
        self.held += size
        while self.held > self.limit and holder.held:
            slowest = next(iter(self.arriving), holder)
            slowest.refuse(
                Unavailable("Too many request bodies arrive at once. Try again.", cause="limit")
            )

    def release(self, holder: Holder) -> None:
        """Give back the holder's bytes."""
        self.arriving.pop(holder, None)
        self.held -= holder.held
        holder.held = 0


class Traffic:
    """The connections that are not sockets, and the requests without an answer yet.

    `memory` limits the bytes of all bodies, incomplete headers and waiting input together. A
    quarter is for small ones, so that uploads do not block log-ins. `connections` limits these
    connections and the `sockets()` together.
    """

    def __init__(
        self, reactor: Any, *, memory: int, connections: int, sockets: Callable[[], int]
    ) -> None:
        self._reactor = reactor
        self._most = connections
        self._sockets = sockets
        self.waiting: dict[Connection, float] = {}
        """Connections that wait for a whole request, and since when."""
        self._too_many = ThrottledLog(reactor, self._say)
        self.small, self.large = Room(memory // 4), Room(memory - memory // 4)
        self.draining = self.closed = False
        self.active: set[UnderWay] = set()
        self.channels: set[Connection] = set()
        self._over: Deferred[None] | None = None

    def full(self) -> bool:
        """Whether all connections are in use."""
        return len(self.channels) + self._sockets() >= self._most

    def admits(self) -> bool:
        """Whether there is room for one more connection.

        If not, the connection that has waited longest for a request makes room, if it has waited
        long. So a balancer can always ask for health.
        """
        if not self.full():
            return True
        oldest = next(iter(self.waiting), None)
        now = self._reactor.seconds()
        admitted = oldest is not None and self.waiting[oldest] + _LEAST_IDLE <= now
        if oldest is not None and admitted:
            del self.waiting[oldest]
            self.channels.discard(oldest)
            oldest.transport.abortConnection()
        self._too_many.count("gave way" if admitted else "closed")
        return admitted

    def _say(self, counts: Counter[str]) -> None:
        # Log: `connections` is reached. Do: see docs/guides/install.md#connections-and-open-files.
        log.warn(
            "All {most} connections are in use: closed {closed} new, and {gone} old without a "
            "complete request",
            most=self._most,
            closed=counts["closed"],
            gone=counts["gave way"],
        )

    def opened(self, channel: Connection) -> None:
        """Take note of a new connection."""
        self.channels.add(channel)
        self.waiting[channel] = self._reactor.seconds()

    def progresses(self, channel: Connection) -> None:
        """Take note that a connection with a long body has sent some more of it. It then counts as
        one that has just begun to wait."""
        if self.waiting.pop(channel, None) is not None:
            self.waiting[channel] = self._reactor.seconds()

    async def drain(self, timeout: float) -> None:
        """Wait until all connections have ended and all requests are done, at most `timeout`
        seconds.

        From now on each answer ends its connection. A request that comes after this gets no answer:
        its client may try it again elsewhere.
        """
        self.draining = True
        if self._busy():
            self._over = Deferred()
            try:
                with timer(self._reactor, min(_GRACE, timeout), self._end_waiting):
                    await self._over.addTimeout(timeout, self._reactor)
            except TimeoutError:
                if self.active:
                    # Log: so many requests had not finished. Do: raise `drain_timeout`.
                    log.warn(
                        "Requests cut off at the stop, after drain_timeout: {n}", n=len(self.active)
                    )
        self.closed = True

    def _busy(self) -> bool:
        return bool(self.channels or self.active)

    def _end_waiting(self) -> None:
        for channel in list(self.channels):
            if channel.rests():
                channel.loseConnection()

    def _perhaps_over(self) -> None:
        if self._over is not None and not self._over.called and not self._busy():
            self._over.callback(None)

    def lost(self, channel: Connection) -> None:
        """Take note that a connection has ended, after everything that was written to it."""
        self.channels.discard(channel)
        self.waiting.pop(channel, None)
        self._perhaps_over()

    def upgraded(self, request: UnderWay) -> None:
        """Take note that a request, and its connection, has become a socket."""
        self.channels.discard(request.channel)
        self.ended(request)

    def ended(self, request: UnderWay) -> None:
        """Take note that a request has its answer, or will not get one."""
        if request.held:
            request.release()
        self.active.discard(request)
        self._perhaps_over()
