"""What is under way on a site: its connections and requests, the memory that these take as they
arrive, and the wait for all of it at the end."""

from collections import Counter
from collections.abc import Callable
from typing import Any, Protocol

from twisted.internet.defer import Deferred, TimeoutError
from twisted.logger import Logger

from contentsvc.timers import timer
from contentsvc.web.errors import Problem, Unavailable
from contentsvc.web.tally import Tally

log = Logger()

_GRACE = 1.0
"""Seconds that a connection which waits for a request is kept while draining. One in use has that
request by then, and learns from its answer that the connection ends; closed at once, it would end
under the request, which a proxy must not send again if it is a POST."""
_PATIENCE = 5.0
"""Seconds after which a connection without a request gives way, when there are too many."""


class Holder(Protocol):
    """What bytes are held for: a body, headers that have not all come, what is behind a request or
    waits to be read."""

    held: int

    def refuse(self, problem: Problem) -> None:
        """Answer this, and give the bytes back."""


class Connection(Protocol):
    """A channel of the site."""

    transport: Any

    def rests(self) -> bool:
        """Whether no request of it is worked on, so that it can end."""

    def loseConnection(self) -> None:
        """End it after what has been written."""


class UnderWay(Protocol):
    """A request that is not answered."""

    channel: Any
    held: int

    def release(self) -> None:
        """Give back the bytes of its body."""


class Room:
    """So many bytes, for whatever arrives. When they are used up, what has been arriving longest
    makes room: the slowest, not the newest. What has arrived keeps its bytes until it is answered.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.held = 0
        self.arriving: dict[Holder, None] = {}

    def hold(self, holder: Holder, size: int) -> None:
        """Count `size` bytes more; the holder may be refused for that."""
        holder.held += size
        self.held += size
        while self.held > self.limit and holder.held:
            slowest = next(iter(self.arriving), holder)
            slowest.refuse(
                Unavailable("Too many request bodies arrive at once. Try again.", cause="limit")
            )

    def release(self, holder: Holder) -> None:
        """The holder's bytes are held no more."""
        self.arriving.pop(holder, None)
        self.held -= holder.held
        holder.held = 0


class Traffic:
    """The connections that are no sockets, and the requests that are not answered.

    `memory` bounds the bytes of all bodies together, of headers that have not all come, and of what
    comes behind a request under way or waits to be read: a quarter is for what is small, so that no
    upload is in the way of a log-in. `connections` bounds these and the sockets, of which there are
    `sockets()`.
    """

    def __init__(
        self, reactor: Any, *, memory: int, connections: int, sockets: Callable[[], int]
    ) -> None:
        self._reactor = reactor
        self._most = connections
        self._sockets = sockets
        self.waiting: dict[Connection, float] = {}
        """Connections of which no whole request has come, with the moment since when."""
        self._too_many = Tally(reactor, self._say)
        self.small, self.large = Room(memory // 4), Room(memory - memory // 4)
        self.draining = self.closed = False
        self.active: set[UnderWay] = set()
        self.channels: set[Connection] = set()
        self._over: Deferred[None] | None = None

    def full(self) -> bool:
        """Whether all connections are in use."""
        return len(self.channels) + self._sockets() >= self._most

    def admits(self) -> bool:
        """Whether there is room for one connection more. If need be, the one that has waited for a
        request for longest makes room, if that was long; so a balancer that asks for health gets
        in."""
        if not self.full():
            return True
        oldest = next(iter(self.waiting), None)
        now = self._reactor.seconds()
        admitted = oldest is not None and self.waiting[oldest] + _PATIENCE <= now
        if oldest is not None and admitted:
            del self.waiting[oldest]
            self.channels.discard(oldest)
            oldest.transport.abortConnection()
        self._too_many.count("gave way" if admitted else "closed")
        return admitted

    def _say(self, counts: Counter[str]) -> None:
        log.warn(
            "All {most} connections are in use: closed {closed} new, and {gone} old without a "
            "complete request",
            most=self._most,
            closed=counts["closed"],
            gone=counts["gave way"],
        )

    def opened(self, channel: Connection) -> None:
        """There is a new connection."""
        self.channels.add(channel)
        self.waiting[channel] = self._reactor.seconds()

    async def drain(self, timeout: float) -> None:
        """Wait until all connections have ended and all requests are done, at most `timeout`
        seconds: from now on each answer ends its connection. A request that comes when that is
        over gets no answer: its client may try it again elsewhere."""
        self.draining = True
        if self._busy():
            self._over = Deferred()
            try:
                with timer(self._reactor, min(_GRACE, timeout), self._end_waiting):
                    await self._over.addTimeout(timeout, self._reactor)
            except TimeoutError:
                if self.active:
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
        """A connection has ended, after all that was written to it."""
        self.channels.discard(channel)
        self.waiting.pop(channel, None)
        self._perhaps_over()

    def upgraded(self, request: UnderWay) -> None:
        """A request, and its connection with it, has become a socket."""
        self.channels.discard(request.channel)
        self.ended(request)

    def ended(self, request: UnderWay) -> None:
        """A request is answered, or will not be."""
        if request.held:
            request.release()
        self.active.discard(request)
        self._perhaps_over()
