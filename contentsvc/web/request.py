"""Requests: limits on their bodies while they arrive, and the writing of their answers."""

from http import HTTPStatus
from io import BytesIO
from typing import TYPE_CHECKING, Any

from twisted.internet.interfaces import IAddress
from twisted.python.failure import Failure
from twisted.web.server import Request

from contentsvc.web.errors import PayloadTooLarge, Problem, RequestTimeout

if TYPE_CHECKING:
    from contentsvc.web.site import ApiSite

# Twisted knows no phrase for 422, 426 and 429.
_STATUS = {
    status.value: b" %d %s\r\nServer: contentsvc\r\n" % (status, status.phrase.encode())
    for status in HTTPStatus
}

KIB = 1024
BODY_LIMIT = 256 * KIB
"""Bytes of a body unless the route says otherwise."""
FORM_LIMIT = 16 * KIB
"""Bytes of a form. While a body arrives, its route is looked up only if it is larger than this."""
_LINGER = 2.0
"""Seconds that a refused request is still read for, so that the client gets to see the answer:
closing with data unread resets the connection."""


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
    client: str
    """The client's address (web.proxies); until the headers are here, that of the peer."""
    note = ""
    """What else the log's line is to say, each word after a blank."""
    gone = False
    refused = False
    _whole = False
    _limit = FORM_LIMIT
    _timer: Any = None

    channel: Any
    content: BytesIO

    def __init__(self, channel: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(channel, *args, **kwargs)
        self.site = channel.site
        self.client = channel.address
        self.request_id = self.site.next_id()
        self.started = self.site.reactor.seconds()
        self.fields: dict[bytes, bytes] = {}
        self.site.traffic.active.add(self)

    def gotLength(self, length: int | None) -> None:
        """The headers are here, `length` bytes of body follow, None if they are chunked."""
        channel = self.channel
        self.method, self.clientproto = channel._command, channel._version
        self.uri = _origin_form(channel._path)
        self.path = self.uri.partition(b"?")[0]
        if channel.trusted:
            forwarded = self.requestHeaders.getRawHeaders(b"X-Forwarded-For", ())
            self.client = self.site.proxies.client(channel.address, forwarded)
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
        if self.refused:
            return
        self._size += len(data)
        if self._is_over(self._size):
            self.refuse(self._too_large())
        else:
            self.content.write(data)

    def _is_over(self, size: int) -> bool:
        if size > self._limit == FORM_LIMIT:
            self._limit = self.site.limit_of(self.method, self.path)
        return size > self._limit

    def _too_large(self) -> Problem:
        return PayloadTooLarge(f"The body is over {self._limit} bytes.", limit=self._limit)

    def refuse(self, problem: Problem) -> None:
        """Answer this before the whole request is here, and drop what still comes of it."""
        self._stop_timer()
        self.refused = True
        self.method = getattr(self.channel, "_command", b"")
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
        if self.refused or self.site.traffic.closed:
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
            self.site.traffic.ended(self)
        super().connectionLost(reason)

    def getClientAddress(self) -> IAddress:
        """The peer's."""
        peer: IAddress = self.channel.getPeer()
        return peer

    @property
    def scheme(self) -> str:
        """http or https: as the connection is, or as a trusted proxy says that its own is."""
        if self.isSecure():
            return "https"
        said = self.header(b"x-forwarded-proto") if self.channel.trusted else None
        nearest = (said or "").rpartition(",")[2].strip().lower()
        return nearest if nearest == "https" else "http"

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
            self.site.traffic.ended(self)
            return
        if self.site.traffic.draining:
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
        if self.refused:
            self._write_early(b"".join(head))
        else:
            self.channel.write(b"".join(head))
            self.finish()

    def _write_early(self, answer: bytes) -> None:
        transport = self.channel.transport
        transport.write(answer)
        if not self.channel.isSecure():
            # TLS has none; what it would find is that of the transport below, which cuts it off.
            getattr(transport, "loseWriteConnection", lambda: None)()
        self.site.log_request(self, self.code)
        self._timer = self.site.reactor.callLater(_LINGER, self.channel.loseConnection)

    def finish(self) -> None:
        """The answer is written, by us or by twisted.web itself."""
        super().finish()
        self.site.traffic.ended(self)


def _origin_form(target: bytes) -> bytes:
    """The path and query of a request target, which may be a whole URL (RFC 9112 §3.2.2)."""
    if not target.startswith((b"http://", b"https://")):
        return target
    return b"/" + target.partition(b"://")[2].partition(b"/")[2]
