"""What is under way on a site: its connections and requests, and the wait for them at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from twisted.internet.defer import Deferred, TimeoutError
from twisted.logger import Logger

if TYPE_CHECKING:
    from contentsvc.web.channel import ApiChannel
    from contentsvc.web.request import ApiRequest

log = Logger()

_GRACE = 1.0
"""Seconds that a connection which waits for a request is kept while draining. One in use has that
request by then, and learns from its answer that the connection ends; closed at once, it would end
under the request, which a proxy must not send again if it is a POST."""


class Traffic:
    """The connections that are no sockets, and the requests that are not answered."""

    def __init__(self, reactor: Any) -> None:
        self._reactor = reactor
        self.draining = self.closed = False
        self.active: set[ApiRequest] = set()
        self.channels: set[ApiChannel] = set()
        self._over: Deferred[None] | None = None

    async def drain(self, timeout: float) -> None:
        """Wait until all connections have ended and all requests are done, at most `timeout`
        seconds: from now on each answer ends its connection. A request that comes when that is
        over gets no answer: its client may try it again elsewhere."""
        self.draining = True
        if self._busy():
            self._over = Deferred()
            grace = self._reactor.callLater(min(_GRACE, timeout), self._end_waiting)
            self._over.addTimeout(timeout, self._reactor)
            try:
                await self._over
            except TimeoutError:
                if self.active:
                    log.warn("{n} requests were cut off", n=len(self.active))
            if grace.active():
                grace.cancel()
        self.closed = True

    def _busy(self) -> bool:
        return bool(self.channels or self.active)

    def _end_waiting(self) -> None:
        for channel in list(self.channels):
            # Nor does it wait for a request line, or headers, that trickle.
            if channel.persistent and (channel._head is not None or not channel.requests):
                channel.loseConnection()

    def _perhaps_over(self) -> None:
        if self._over is not None and not self._over.called and not self._busy():
            self._over.callback(None)

    def lost(self, channel: ApiChannel) -> None:
        """A connection has ended, after all that was written to it."""
        self.channels.discard(channel)
        self._perhaps_over()

    def upgraded(self, request: ApiRequest) -> None:
        """A request, and its connection with it, has become a socket."""
        self.channels.discard(request.channel)
        self.ended(request)

    def ended(self, request: ApiRequest) -> None:
        """A request is answered, or will not be."""
        self.active.discard(request)
        self._perhaps_over()
