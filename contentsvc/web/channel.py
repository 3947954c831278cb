"""A connection: what is refused before it is a request, and who is at its other end."""

from typing import TYPE_CHECKING, Any

from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import connectionDone
from twisted.python.failure import Failure
from twisted.web.http import HTTPChannel

from contentsvc.web.errors import (
    HeadersTooLarge,
    MalformedRequest,
    Problem,
    RequestTimeout,
    UriTooLong,
)
from contentsvc.web.proxies import UNKNOWN, address_of

if TYPE_CHECKING:
    from contentsvc.web.site import ApiSite


class ApiChannel(HTTPChannel):
    """A connection that its site knows of, until it ends or becomes a socket."""

    site: "ApiSite"
    transport: Any
    address = UNKNOWN
    """The peer's."""
    trusted = False
    """Whether the peer is a proxy that is believed."""
    _peer: IAddress | None = None
    _refused = False
    _head: Any = None
    """The timer of a request whose headers have not all come."""

    def connectionMade(self) -> None:
        super().connectionMade()
        self.site.traffic.channels.add(self)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._stop_timer()
        super().connectionLost(reason)
        self.site.traffic.lost(self)

    def getPeer(self) -> IAddress:
        """Asked first when there is a request: where the peer comes with the PROXY protocol, that
        has been read by then."""
        if self._peer is None:
            self._peer = self.transport.getPeer()
            self.address = address_of(self._peer)
            self.trusted = self.site.proxies.trusts(self.address)
        return self._peer

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
