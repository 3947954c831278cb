"""Requests and their site: limits on bodies while they arrive, request ids, the log line."""

import secrets
from collections.abc import Callable
from http import HTTPMethod, HTTPStatus
from io import BytesIO
from itertools import count
from typing import Any

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.protocol import connectionDone
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel, datetimeToString
from twisted.web.resource import IResource
from twisted.web.server import Request, Site

from contentsvc.web.errors import (
    HeadersTooLarge,
    MalformedRequest,
    PayloadTooLarge,
    Problem,
    RequestTimeout,
    UriTooLong,
)

log = Logger()

# Twisted knows no phrase for 422, 426 and 429.
_STATUS = {
    status.value: b" %d %s\r\nServer: contentsvc\r\n" % (status, status.phrase.encode())
    for status in HTTPStatus
}

_METHODS = {method.encode(): method.value for method in HTTPMethod}
"""What the log has of a method; others may hold anything."""

KIB = 1024
BODY_LIMIT = 256 * KIB
"""Bytes of a body unless the route says otherwise."""
_LINGER = 2.0
"""Seconds that a refused request is still read for, so that the client gets to see the answer:
closing with data unread resets the connection."""
_GRACE = 1.0
"""Seconds that a connection which waits for a request is kept while draining. One in use has that
request by then, and learns from its answer that the connection ends; closed at once, it would end
under the request, which a proxy must not send again if it is a POST."""


class ApiRequest(Request):
    """A request whose body is bounded in size and time as it arrives.

    Twisted's own parsing of query and form is left out: `web.decode` does that. So is its way of
    writing: the whole answer goes out in one piece.
    """

    site: "ApiSite"
    method = uri = path = b""
    clientproto = b"HTTP/1.1"
    route: str = "-"
    caller: str = "-"
    gone = False
    _refused = False
    _whole = False
    _limit = BODY_LIMIT
    _timer: Any = None

    channel: Any
    content: BytesIO

    def __init__(self, channel: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(channel, *args, **kwargs)
        self.site = channel.site
        self.request_id = self.site.next_id()
        self.started = self.site.reactor.seconds()
        self.fields: dict[bytes, bytes] = {}
        self.site.active.add(self)

    def gotLength(self, length: int | None) -> None:
        """The headers are here, `length` bytes of body follow, None if they are chunked."""
        channel = self.channel
        self.method, self.clientproto = channel._command, channel._version
        self.uri = _origin_form(channel._path)
        self.path = self.uri.partition(b"?")[0]
        self.content = BytesIO()
        self._size = 0
        if length is not None and self._is_over(length):
            # Else the channel would answer the Expect after the refusal.
            self.requestHeaders.removeHeader(b"Expect")
            self.refuse(self._too_large())
        elif length != 0:
            self._timer = self.site.reactor.callLater(
                self.site.body_timeout, self.refuse, RequestTimeout()
            )

    def handleContentChunk(self, data: bytes) -> None:
        """Some of the body is here."""
        if self._refused:
            return
        self._size += len(data)
        if self._is_over(self._size):
            self.refuse(self._too_large())
        else:
            self.content.write(data)

    def _is_over(self, size: int) -> bool:
        if size > self._limit == BODY_LIMIT:  # few need to be looked up
            self._limit = self.site.limit_of(self.method, self.path)
        return size > self._limit

    def _too_large(self) -> Problem:
        return PayloadTooLarge(f"The body is over {self._limit} bytes.", limit=self._limit)

    def refuse(self, problem: Problem) -> None:
        """Answer this before the whole request is here, and drop what still comes of it."""
        self._stop_timer()
        self._refused = True
        self.content = BytesIO()
        self.channel.persistent = False
        self.site.refuse(self, problem)

    def _stop_timer(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        """All of the body is here."""
        self._stop_timer()
        if self._refused or self.site.closed:
            self.channel.loseConnection()
            return
        self._whole = True
        # Twisted closes the file when the client goes.
        self._body = self.content.getvalue()
        self.args = {}
        self.process()

    def process(self) -> None:
        """Have the site's resource answer; there is no tree of them to look it up in."""
        self.site.resource.render(self)

    def connectionLost(self, reason: Failure) -> None:
        """The client has gone; what it asked for goes on, its answer is dropped."""
        self._stop_timer()
        self.gone = True
        if not self._whole:
            self.site.ended(self)
        super().connectionLost(reason)

    def header(self, name: bytes) -> str | None:
        """A header's last value, whatever its bytes."""
        value = self.getHeader(name)
        return None if value is None else value.decode("latin-1")

    def body(self) -> bytes:
        """The whole body."""
        return self._body

    def setHeader(self, name: bytes, value: bytes) -> None:
        """Give the answer this header; in the place of another value of the same `name`."""
        self.fields[name] = value

    def answer(self, status: int, media: bytes | None, body: bytes, fields: bytes = b"") -> None:
        """Write the whole answer and end the request; into the void if the client has gone.

        `fields` are whole header lines, besides those of setHeader, Content-Type `media`, and
        what every answer has.
        """
        if self.gone:
            self.site.log_request(self, status)
            self.site.ended(self)
            return
        if self.site.draining:
            self.channel.persistent = False
        head = [self.clientproto, _STATUS[status], self.site.date(), fields]
        for name, value in self.fields.items():
            head += (name, b": ", b" ".join(value.splitlines()), b"\r\n")
        if media is not None:
            head += (b"Content-Type: ", media, b"\r\n")
        if status not in {204, 304}:
            head.append(b"Content-Length: %d\r\n" % len(body))
        if not self.channel.persistent:
            head.append(b"Connection: close\r\n")
        head.append(b"\r\n")
        if self.method != b"HEAD":
            head.append(body)
        self.code, self.startedWriting = status, 1
        if self._refused:
            self._write_early(b"".join(head))
        else:
            self.channel.write(b"".join(head))
            self.finish()

    def _write_early(self, answer: bytes) -> None:
        transport = self.channel.transport
        transport.write(answer)
        # TLS has no half-close.
        getattr(transport, "loseWriteConnection", lambda: None)()
        self.site.log_request(self, self.code)
        self._timer = self.site.reactor.callLater(_LINGER, self.channel.loseConnection)

    def finish(self) -> None:
        """The answer is written, by us or by twisted.web itself."""
        super().finish()
        self.site.ended(self)


class ApiChannel(HTTPChannel):
    """A connection that its site knows of, until it ends or becomes a socket."""

    site: "ApiSite"
    _refused = False

    def connectionMade(self) -> None:
        super().connectionMade()
        self.site.channels.add(self)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        super().connectionLost(reason)
        self.site.lost(self)

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
        self.requests[-1].refuse(problem)
        self._refused = True
        self.setRawMode()

    def rawDataReceived(self, data: bytes) -> None:
        """Some of a body, or what comes behind a request."""
        if not self._refused:
            super().rawDataReceived(data)


def _origin_form(target: bytes) -> bytes:
    """The path and query of a request target, which may be a whole URL (RFC 9112 §3.2.2)."""
    if not target.startswith((b"http://", b"https://")):
        return target
    return b"/" + target.partition(b"://")[2].partition(b"/")[2]


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
            if channel.persistent and not channel.requests:
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
