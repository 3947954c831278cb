"""A connection: what is refused before it is a request, and who is at its other end."""

import re
from typing import Any

from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel
from twisted.web.http_headers import InvalidHeaderName, _nameEncoder

from contentsvc.timers import cancel
from contentsvc.web.common import Common
from contentsvc.web.errors import (
    HeadersTooLarge,
    MalformedRequest,
    Problem,
    RequestTimeout,
    UriTooLong,
)
from contentsvc.web.proxies import UNKNOWN, address_of
from contentsvc.web.request import ApiRequest
from contentsvc.web.unsent import unsent

_canonical = _nameEncoder.encode
AT_ONCE = 4
"""Requests of one connection that are answered in one turn of the reactor: of those that need no
wait, 64 KiB hold thousands."""
PIECE = 8 * 1024
LINES = 2000
"""Bytes that are read in one turn, of what has come with more lines than so many: of the smallest
chunks, 64 KiB hold 10,000."""
_CLOSE = re.compile(rb"(?i)(?<![^\s,])close(?![^\s,])")
_FRAMING = frozenset({b"Content-Length", b"Transfer-Encoding"})
_TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_NAME = 64
"""Bytes of a header's name; a longer one has no meaning here."""
_STRANGE = b"X-Strange"
"""Stands for those."""
_DIGITS = 18
"""Digits that are enough for any length."""
_HEADER = 200
"""Bytes that a header takes beside its text."""


class TurnedAway(Protocol):
    """A connection too many: it costs no more than to be closed."""

    def makeConnection(self, transport: Any) -> None:
        transport.loseConnection()


class ApiChannel(HTTPChannel):
    """A connection that its site knows of, until it ends or becomes a socket."""

    site: Common
    transport: Any
    address = UNKNOWN
    """The peer's."""
    trusted = False
    """Whether the peer is a proxy that is believed."""
    _peer: IAddress | None = None
    _host: IAddress | None = None
    refused = False
    doomed: ApiRequest | None = None
    """A request that its head has shown to go no further, while the piece of data that this came in
    is read."""
    held = 0
    """Bytes of headers that have not all come, or of what has come behind a request, as counted in
    `site.traffic`."""
    answered: ApiRequest | None = None
    """A request whose answer is written, and has not been taken so far that another may follow."""
    _head: Any = None
    """The timer of a request whose headers have not all come."""
    _answered = 0
    """Requests answered while this piece of data is read."""
    _later = b""
    """What has come and is to be read in turns that follow."""
    _left = 0
    """The bytes that were not taken at the last time-out."""

    def connectionMade(self) -> None:
        super().connectionMade()
        self.site.traffic.opened(self)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._stop_timer()
        self.release()
        self.site.backlog.leave(self)
        super().connectionLost(reason)
        self.site.unsent.taken(self)
        self.site.traffic.lost(self)

    def pauseProducing(self) -> None:
        """The transport's buffer is over its size; called at each write that leaves it so."""
        super().pauseProducing()
        self.site.unsent.full(self)

    def resumeProducing(self) -> None:
        """The transport's buffer is empty."""
        self.site.unsent.resumed(self)
        super().resumeProducing()
        if self.answered is not None:
            request, self.answered = self.answered, None
            self.requestDone(request)

    def timeoutConnection(self) -> None:
        """Nothing has been asked for a minute. Who still takes an answer has another one."""
        left = unsent(self.transport)
        if left and left != self._left:
            self._left = left
            self.setTimeout(self.timeOut)
        else:
            super().timeoutConnection()

    def rests(self) -> bool:
        """Whether no request of it is worked on: there is none, or no more than the beginning of
        one, which may trickle, or one whose answer waits to be taken."""
        waits = self._head is not None or self.answered is not None
        return bool(self.persistent) and (waits or not self.requests)

    def cut_off(self) -> None:
        """End the connection at once, so that nobody takes half an answer for a whole one."""
        self.transport.abortConnection()

    def getPeer(self) -> IAddress:
        """Asked first when there is a request: where the peer comes with the PROXY protocol, that
        has been read by then."""
        if self._peer is None:
            self._peer = self.transport.getPeer()
            self.address = address_of(self._peer)
            self.trusted = self.site.proxies.trusts(self.address)
        return self._peer

    def getHost(self) -> IAddress:
        """Asked for each request, and the system for each connection only."""
        if self._host is None:
            self._host = self.transport.getHost()
        return self._host

    def dataReceived(self, data: bytes) -> None:
        if self._busyReceiving:
            self._buffer += data
        elif self._later or (len(data) > PIECE and data.count(b"\r\n") > LINES):
            self._read_later(self._later + data)
        else:
            self._read(data)

    def _read(self, data: bytes) -> None:
        """Twisted's time-out begins anew with each byte, that of the headers does not."""
        self._answered = 0
        super().dataReceived(data)
        if self.doomed is not None:
            self.doomed.end_early()
            self.doomed = None
        if not (self.line_mode and (self._buffer or self.requests)):
            if self._head is not None:
                self._stop_timer()
        elif not self.refused:
            room = self.site.traffic.small
            if self._head is None:
                reactor, seconds = self.site.reactor, self.site.body_timeout
                self._head = reactor.callLater(seconds, self.refuse, RequestTimeout())
                room.arriving[self] = None
            size = self._receivedHeaderSize + len(self._buffer)
            size += _HEADER * self._receivedHeaderCount + len(self._later)
            room.hold(self, size - self.held)

    def requestDone(self, request: ApiRequest) -> None:
        """A request is answered; the next may have come with it. Twisted would answer that too,
        however much of the answers is not taken."""
        if self._waitingForTransport and self.persistent:
            self.answered = request
            self._networkProducer.pauseProducing()
            return
        self._answered += 1
        if self.held:
            self.release()
        self.site.traffic.waiting[self] = self.site.reactor.seconds()
        if self._later and self.persistent:
            # It came behind what is there of the next request.
            later, self._dataBuffer = b"".join((*self._dataBuffer, self._later)), []
            super().requestDone(request)
            self._read_later(later)
        else:
            super().requestDone(request)
        if self._answered >= AT_ONCE and self._buffer and self.persistent and not self.paused:
            self.paused = True
            self._read_later(self._later)

    def _read_later(self, data: bytes) -> None:
        """Keep this for the turns that follow; what the system holds meanwhile slows the client
        down."""
        self._later = data
        self._networkProducer.pauseProducing()
        self.site.backlog.join(self)
        room = self.site.traffic.small
        room.arriving[self] = None
        size = len(data) + len(self._buffer) + sum(map(len, self._dataBuffer))
        room.hold(self, size - self.held)

    def read_on(self) -> None:
        """Read some of what waits for that. Behind a request under way it waits for the answer."""
        data = b""
        if self.paused:
            self.paused = False
        elif self._handlingRequest:
            return
        else:
            data, self._later = self._later[:PIECE], self._later[PIECE:]
        if self.refused:
            data = self._later = b""
        if not self._waitingForTransport:
            self._networkProducer.resumeProducing()
        self._read(data)
        if self._later:
            self._read_later(self._later)
        elif self._head is None and not self._handlingRequest:
            self.release()

    def _stop_timer(self) -> None:
        if self._head is not None:
            cancel(self._head)
            self._head = None
            self.release()

    def release(self) -> None:
        """Give back the bytes of headers, or of what has come behind a request."""
        self.site.traffic.small.release(self)

    # Twisted's own ways are a bare 400, and none for a line that is too long.

    def _respondToBadRequestAndDisconnect(self) -> None:
        size, count = self._receivedHeaderSize, self._receivedHeaderCount
        over = size > self.totalHeadersSize or count > self.maxHeaders
        self.refuse(HeadersTooLarge() if over else MalformedRequest())

    def lineLengthExceeded(self, line: bytes) -> None:
        """A line is over 16 KiB."""
        self.refuse(HeadersTooLarge() if self.requests else UriTooLong())

    def refuse(self, problem: Problem) -> None:
        """Answer what has begun to come with this, and read no more of it."""
        self._stop_timer()
        self.release()
        self._later = b""
        if self._handlingRequest:
            # The request before is answered, and then the connection ends.
            self._dataBuffer.clear()
            self.persistent = False
            return
        if not self.requests:
            self.requests.append(self.requestFactory(self))
        if not self.requests[-1].refused:
            self.requests[-1].refuse(problem)
        self.refused = True
        self.setRawMode()

    def headerReceived(self, line: bytes) -> bool:
        """Twisted's way takes twice as long, and remembers 10,000 names however long they are."""
        name, colon, value = line.partition(b":")
        value = value.strip(b" \t")
        try:
            header = _canonical(name) if len(name) <= _NAME else _STRANGE
        except InvalidHeaderName:
            colon = b""
        if (
            not colon
            or (b"\0" in value or b"\r" in value or b"\n" in value)
            or (header is _STRANGE and _TOKEN.fullmatch(name) is None)
        ):
            self._respondToBadRequestAndDisconnect()
            return False
        if header in _FRAMING and not self._maybeChooseTransferDecoder(header, value):
            return False
        self.requests[-1].requestHeaders._rawHeaders.setdefault(header, []).append(value)
        self._receivedHeaderCount += 1
        if self._receivedHeaderCount > self.maxHeaders:
            self._respondToBadRequestAndDisconnect()
            return False
        return True

    def _maybeChooseTransferDecoder(self, header: bytes, data: bytes) -> bool:
        if header == b"Transfer-Encoding":
            if data.lower() != b"chunked":
                # Twisted takes "identity", which is no coding any more, and others may understand
                # it in another way (RFC 9112 §6.1).
                return bool(self._failChooseTransferDecoder())
        elif len(data) > _DIGITS and data.isdigit():
            # Python makes no number of over 4,300 digits. This one is over any limit, too.
            data = data.lstrip(b"0")[:_DIGITS] or b"0"
        return bool(super()._maybeChooseTransferDecoder(header, data))

    def checkPersistence(self, request: ApiRequest, version: bytes) -> bool:
        """Whether another request may follow."""
        said = request.requestHeaders.getRawHeaders(b"Connection")
        if version != b"HTTP/1.1":
            return False
        return not said or _CLOSE.search(b",".join(said)) is None

    def allHeadersReceived(self) -> None:
        """The next request may begin in the same piece of data."""
        self._stop_timer()
        request: ApiRequest = self.requests[-1]
        headers = request.requestHeaders
        self.persistent = self.checkPersistence(request, self._version)
        if self.trusted:
            forwarded = headers.getRawHeaders(b"X-Forwarded-For", ())
            request.client = self.site.proxies.client(self.address, forwarded)
        hosts = headers.getRawHeaders(b"Host", ())
        old = self._version == b"HTTP/1.0"
        if len(hosts) > 1 or not (hosts or old):
            self.refuse(MalformedRequest("A request must have one Host header."))
        elif old and self.length is None:
            self.refuse(MalformedRequest("An HTTP/1.0 request must not have a chunked body."))
        elif not request.addressed(self._command, self._path):
            self.refuse(MalformedRequest("The request target must be a path or a whole URL."))
        else:
            request.gotLength(self.length)
            # Where no body follows, nobody waits for leave to send it (RFC 9110 §10.1.1).
            if self.length != 0 and not (old or request.refused or request.problem):
                expected = headers.getRawHeaders(b"Expect")
                if expected and expected[0].lower() == b"100-continue":
                    self._send100Continue()

    def rawDataReceived(self, data: bytes) -> None:
        """Some of a body, or what comes behind a request."""
        if self.refused:
            return
        if self._handlingRequest:
            room = self.site.traffic.small
            if self.persistent:
                room.arriving[self] = None
                room.hold(self, len(data))
            if not self.persistent:
                # It will not be looked at.
                self._networkProducer.pauseProducing()
                return
        super().rawDataReceived(data)
