"""The site: its connections, request ids, the log line, and the wait for all of it at the end."""

import secrets
from collections.abc import Callable
from http import HTTPMethod
from itertools import count
from typing import Any

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.protocol import connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, datetimeToString
from twisted.web.resource import IResource
from twisted.web.server import Site

from contentsvc.web.errors import (
    HeadersTooLarge,
    MalformedRequest,
    Problem,
    RequestTimeout,
    UriTooLong,
)
from contentsvc.web.request import ApiRequest

log = Logger()

_METHODS = {method.encode(): method.value for method in HTTPMethod}
"""What the log has of a method; others may hold anything."""

_GRACE = 1.0
"""Seconds that a connection which waits for a request is kept while draining. One in use has that
request by then, and learns from its answer that the connection ends; closed at once, it would end
under the request, which a proxy must not send again if it is a POST."""


class ApiChannel(HTTPChannel):
    """A connection that its site knows of, until it ends or becomes a socket."""

    site: "ApiSite"
    _refused = False
    _head: Any = None
    """The timer of a request whose headers have not all come."""

    def connectionMade(self) -> None:
        super().connectionMade()
        self.site.channels.add(self)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._stop_timer()
        super().connectionLost(reason)
        self.site.lost(self)

    def dataReceived(self, data: bytes) -> None:
        """Twisted's time-out begins anew with each byte, that of the headers does not."""
        super().dataReceived(data)
        if not (self.line_mode and (self._buffer or self.requests)):
            if self._head is not None:
                self._stop_timer()
        elif self._head is None:
            reactor, seconds = self.site.reactor, self.site.body_timeout
            self._head = reactor.callLater(seconds, self._refuse, RequestTimeout())

    def _stop_timer(self) -> None:
        if self._head is not None and self._head.active():
            self._head.cancel()
        self._head = None

    # Twisted's own ways are a bare 400, and none for a line that is too long.

    def _respondToBadRequestAndDisconnect(self) -> None:
        size, count = self._receivedHeaderSize, self._receivedHeaderCount
        over = size > self.totalHeadersSize or count > self.maxHeaders
        self._refuse(HeadersTooLarge() if over else MalformedRequest())

    def lineLengthExceeded(self, line: bytes) -> None:
        """A line is over 16 KiB."""
        self._refuse(HeadersTooLarge() if self.requests else UriTooLong())

    def _refuse(self, problem: Problem) -> None:
        if not self.requests:
            self.requests.append(self.requestFactory(self))
        if not self.requests[-1].refused:
            self.requests[-1].refuse(problem)
        self._refused = True
        self.setRawMode()

    def allHeadersReceived(self) -> None:
        """The next request may begin in the same piece of data."""
        self._stop_timer()
        super().allHeadersReceived()

    def rawDataReceived(self, data: bytes) -> None:
        """Some of a body, or what comes behind a request."""
        if not self._refused:
            super().rawDataReceived(data)


class ApiSite(Site):
    """A site of ApiRequests. `limit_of` gives the bytes that a method and path take as a
    body, where that may be over BODY_LIMIT; `refuse` answers a request that goes no further;
    `body_timeout` is in seconds."""

    noisy = False
    protocol: Any = ApiChannel
    requestFactory = ApiRequest

    def __init__(
        self,
        resource: IResource,
        reactor: Any,
        *,
        limit_of: Callable[[bytes, bytes], int],
        refuse: Callable[[ApiRequest, Problem], object],
        body_timeout: float,
    ) -> None:
        super().__init__(resource, reactor=reactor, timeout=60)
        self.reactor = reactor
        self.limit_of = limit_of
        self.refuse = refuse
        self.body_timeout = body_timeout
        self.draining = self.closed = False
        self.active: set[ApiRequest] = set()
        self.channels: set[ApiChannel] = set()
        self._over: Deferred[None] | None = None
        self._second, self._date = -1, b""
        prefix, numbers = secrets.token_hex(6), count(1)
        self.next_id: Callable[[], str] = lambda: f"{prefix}-{next(numbers):x}"

    def date(self) -> bytes:
        """The header line Date, as it is this second."""
        second = int(self.reactor.seconds())
        if second != self._second:
            self._second, self._date = second, b"Date: %s\r\n" % datetimeToString(second)
        return self._date

    def acceptableProtocols(self) -> list[bytes]:
        """HTTP/1.1 over TLS too, whatever is installed: bodies are bounded in its channel."""
        return [b"http/1.1"]

    async def drain(self, timeout: float) -> None:
        """Wait until all connections have ended and all requests are done, at most `timeout`
        seconds: from now on each answer ends its connection. A request that comes when that is
        over gets no answer: its client may try it again elsewhere."""
        self.draining = True
        if self._busy():
            self._over = Deferred()
            grace = self.reactor.callLater(min(_GRACE, timeout), self._end_waiting)
            self._over.addTimeout(timeout, self.reactor)
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

    def lost(self, channel: "ApiChannel") -> None:
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

    def log(self, request: Any) -> None:
        """Called by twisted.web when a request has been answered."""
        self.log_request(request, request.code)

    def log_request(self, request: ApiRequest, status: int) -> None:
        """One line per request. The route, not the path or the query, which may hold what
        does not belong in a log."""
        milliseconds = (self.reactor.seconds() - request.started) * 1000
        log.info(
            "{method} {route} {status} {ms:.1f}ms user={user} request={request_id}",
            method=_METHODS.get(request.method, "-"),
            route=request.route,
            status=status,
            ms=milliseconds,
            user=request.caller,
            request_id=request.request_id,
        )
