"""A connection: its input up to a whole request, its refusals, and its client's address."""

import re
from typing import Any

from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure

from contentsvc.framework.core.timers import cancel
from contentsvc.framework.core.twisted_internals import Channel, unsent
from contentsvc.framework.http.errors import (
    HeadersTooLarge,
    MalformedRequest,
    Problem,
    RequestTimeout,
    UriTooLong,
)
from contentsvc.framework.http.proxies import UNKNOWN, address_of
from contentsvc.framework.http.request import ApiRequest, Common

AT_ONCE = 4
"""Most requests of one connection that are answered in one turn of the reactor. 64 KiB can hold
thousands that need no wait."""
PIECE = 8 * 1024
LINES = 2000
"""Input with more than LINES lines is read PIECE bytes a turn: 64 KiB hold 10,000 of the smallest
chunks."""
_CLOSE = re.compile(rb"(?i)(?<![^\s,])close(?![^\s,])")
_HEADER = 200
"""Bytes of memory that a header needs beside its text."""


class TurnedAway(Protocol):
    """One connection too many. It is closed at once."""

    def makeConnection(self, transport: Any) -> None:
        transport.loseConnection()


class ApiChannel(Channel):
    """A connection of the site, until it ends or becomes a socket."""

    site: Common
    transport: Any
    address = UNKNOWN
    """The peer's address."""
    trusted = False
    """Whether the peer is a trusted proxy."""
    _peer: IAddress | None = None
    _host: IAddress | None = None
    refused = False
    doomed: ApiRequest | None = None
    """A request that its head already shows to be refused. Set only while the piece of input with
    the head is read."""
    held = 0
    """Bytes that `site.traffic` counts for this connection: incomplete headers, or input that came
    after a request."""
    answered: ApiRequest | None = None
    """A request with a written answer, of which the client must read more before the next
    request."""
    later = b""
    """Input to read in later turns."""
    held_back = False
    """Whether nothing more is read for now: there is no room for the body that is arriving."""
    _head: Any = None
    """The timer of incomplete headers."""
    _answered = 0
    """Requests answered within the present piece of input."""
    _left = 0
    """The unread bytes at the last time-out."""

    def connectionMade(self) -> None:
        super().connectionMade()
        self.site.traffic.opened(self)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._stop_timer()
        self.release()
        self.site.backlog.leave(self)
        super().connectionLost(reason)
        self.site.slow_clients.forget(self)
        self.site.traffic.lost(self)

    def pauseProducing(self) -> None:
        """The transport's buffer is over its size. Called at each write that leaves it so."""
        super().pauseProducing()
        self.site.slow_clients.full(self)

    def resumeProducing(self) -> None:
        """The transport's buffer is empty."""
        self.site.slow_clients.resumed(self)
        super().resumeProducing()
        if self.held_back:
            self.reading.pauseProducing()
        if self.answered is not None:
            request, self.answered = self.answered, None
            self.requestDone(request)

    def timeoutConnection(self) -> None:
        """There was no request for a minute. A client that still reads an answer gets another
        minute."""
        left = unsent(self.transport)
        if left and left != self._left:
            self._left = left
            self.setTimeout(self.timeOut)
        else:
            super().timeoutConnection()

    def rests(self) -> bool:
        """Whether no request of it is in work. There may be the beginning of a request, which may
        trickle, or an answer that waits to be read."""
        waits = self._head is not None or self.answered is not None
        return bool(self.persistent) and (waits or not self.requests)

    def cut_off(self) -> None:
        """End the connection at once, so that the client does not take half an answer for the
        whole."""
        self.transport.abortConnection()

    def getPeer(self) -> IAddress:
        """The peer's address. It is first needed for a request; a header of the PROXY protocol, if
        any, has been read by then."""
        if self._peer is None:
            self._peer = self.transport.getPeer()
            self.address = address_of(self._peer)
            self.trusted = self.site.proxies.trusts(self.address)
        return self._peer

    def getHost(self) -> IAddress:
        """The local address. It is needed for each request, but the system is asked only once."""
        if self._host is None:
            self._host = self.transport.getHost()
        return self._host

    def dataReceived(self, data: bytes) -> None:
        if self.parsing:
            self.add_input(data)
        elif self.later or (
            len(data) > PIECE and not self._goes_on(len(data)) and data.count(b"\r\n") > LINES
        ):
            self._read_later(self.later + data)
        else:
            self._read(data)

    def _goes_on(self, size: int) -> bool:
        """Whether so much input is only a part of one body, which goes on to a sink."""
        streamed = self.requests[-1].streamed_body if self.requests else None
        return streamed is not None and streamed.left >= size

    def hold_back(self, hold: bool) -> None:
        """Read nothing more, or read on."""
        self.held_back = hold
        if hold:
            self.reading.pauseProducing()
        elif not self.unread:
            self.reading.resumeProducing()

    def _read(self, data: bytes) -> None:
        """Twisted's time-out starts again with each byte. The one of headers does not."""
        self._answered = 0
        super().dataReceived(data)
        if self.doomed is not None:
            self.doomed.end_early()
            self.doomed = None
        if not (self.line_mode and (self.pending or self.requests)):
            if self._head is not None:
                self._stop_timer()
        elif not self.refused:
            room = self.site.traffic.small
            if self._head is None:
                reactor, seconds = self.site.reactor, self.site.body_timeout
                self._head = reactor.callLater(seconds, self.refuse, RequestTimeout())
                room.arriving[self] = None
            size = self.head_size + len(self.pending)
            size += _HEADER * self.head_count + len(self.later)
            room.hold(self, size - self.held)

    def requestDone(self, request: ApiRequest) -> None:
        """A request is answered, and the next may have come with it. Twisted would answer that too,
        however much of the answers is unread."""
        if self.unread and self.persistent:
            self.answered = request
            self.reading.pauseProducing()
            return
        self._answered += 1
        if self.held:
            self.release()
        self.site.traffic.waiting[self] = self.site.reactor.seconds()
        if self.later and self.persistent:
            # It came after the part of the next request that is there.
            later = b"".join((*self.early, self.later))
            self.early.clear()
            super().requestDone(request)
            self._read_later(later)
        else:
            super().requestDone(request)
        if self._answered >= AT_ONCE and self.pending and self.persistent and not self.paused:
            self.paused = True
            self._read_later(self.later)

    def _read_later(self, data: bytes) -> None:
        """Hold this input for later turns. Meanwhile the kernel holds further input, which slows
        the client down."""
        self.later = data
        self.reading.pauseProducing()
        self.site.backlog.join(self)
        room = self.site.traffic.small
        room.arriving[self] = None
        size = len(data) + len(self.pending) + sum(map(len, self.early))
        room.hold(self, size - self.held)

    def read_on(self) -> None:
        """Read some of the input that waits. If a request is in work, wait for its answer."""
        data = b""
        if self.paused:
            self.paused = False
        elif self.in_work:
            return
        else:
            data, self.later = self.later[:PIECE], self.later[PIECE:]
        if self.refused:
            data = self.later = b""
        if not (self.unread or self.held_back):
            self.reading.resumeProducing()
        self._read(data)
        if self.later:
            self._read_later(self.later)
        elif self._head is None and not self.in_work:
            self.release()

    def _stop_timer(self) -> None:
        if self._head is not None:
            cancel(self._head)
            self._head = None
            self.release()
            if self.requests:
                self.requests[-1].arrived = self.site.reactor.seconds()

    def release(self) -> None:
        """Give back the bytes of headers, or of input after a request."""
        self.site.traffic.small.release(self)

    # Twisted itself answers a bare 400, and nothing to a line that is too long.

    def bad_head(self, too_large: bool) -> None:
        self.refuse(HeadersTooLarge() if too_large else MalformedRequest())

    def lineLengthExceeded(self, line: bytes) -> None:
        """A line is over 16 KiB."""
        self.refuse(HeadersTooLarge() if self.requests else UriTooLong())

    def refuse(self, problem: Problem) -> None:
        """Answer the request that has begun to come with this problem, and read no more of it."""
        self._stop_timer()
        self.release()
        self.later = b""
        if self.in_work:
            # The earlier request gets its answer, and then the connection ends.
            self.early.clear()
            self.persistent = False
            return
        if not self.requests:
            self.requests.append(self.requestFactory(self))
        if not self.requests[-1].refused:
            self.requests[-1].refuse(problem)
        self.refused = True
        self.setRawMode()

    def checkPersistence(self, request: ApiRequest, version: bytes) -> bool:
        """Whether another request may follow."""
        said = request.header_values(b"Connection")
        if version != b"HTTP/1.1":
            return False
        return not said or _CLOSE.search(b",".join(said)) is None

    def allHeadersReceived(self) -> None:
        """The next request may begin in the same piece of data."""
        self._stop_timer()
        request: ApiRequest = self.requests[-1]
        version = self.version
        self.persistent = self.checkPersistence(request, version)
        if self.trusted:
            forwarded = request.header_values(b"X-Forwarded-For")
            request.client = self.site.proxies.client(self.address, forwarded)
        hosts = request.header_values(b"Host")
        old = version == b"HTTP/1.0"
        if len(hosts) > 1 or not (hosts or old):
            self.refuse(MalformedRequest("A request must have one Host header."))
        elif len(request.header_values(b"Authorization")) > 1:
            self.refuse(MalformedRequest("A request must not have two Authorization headers."))
        elif old and self.length is None:
            self.refuse(MalformedRequest("An HTTP/1.0 request must not have a chunked body."))
        elif not request.addressed(self.command, self.target):
            self.refuse(MalformedRequest("The request target must be a path or a whole URL."))
        else:
            request.gotLength(self.length)
            # Without a body, no client waits for permission to send it (RFC 9110 §10.1.1).
            if self.length != 0 and not (
                request.refused or request.problem or request.streamed_body
            ):
                self.permit(request)

    def permit(self, request: ApiRequest) -> None:
        """Let the client send the body, if it asks before it does."""
        expected = request.header_values(b"Expect")
        if expected and expected[0].lower() == b"100-continue" and self.version != b"HTTP/1.0":
            self.send_continue()

    def rawDataReceived(self, data: bytes) -> None:
        """A part of a body, or input after a request."""
        if self.refused:
            return
        if self.in_work:
            room = self.site.traffic.small
            if self.persistent:
                room.arriving[self] = None
                room.hold(self, len(data))
            if not self.persistent:
                # It will not be read.
                self.reading.pauseProducing()
                return
        super().rawDataReceived(data)
