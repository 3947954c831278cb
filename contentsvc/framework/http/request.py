"""Requests: they are judged when their head has arrived, their bodies are limited while they
arrive, and their answers are written here."""

import re
from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from io import BytesIO
from typing import Any, Literal, Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IAddress
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.http_headers import Headers
from twisted.web.server import Request

from contentsvc.framework.core.timers import cancel
from contentsvc.framework.core.twisted_internals import TurnWriter, raw_headers
from contentsvc.framework.http.backpressure import DeferredInput, Flow, framed
from contentsvc.framework.http.body_reader import SMALL
from contentsvc.framework.http.errors import (
    InternalError,
    PayloadTooLarge,
    Problem,
    RequestTimeout,
    UnsupportedMediaType,
)
from contentsvc.framework.http.proxies import Proxies, network
from contentsvc.framework.http.slow_clients import SlowClients
from contentsvc.framework.http.streamed_body import HeldBytes, Sink, StreamedBody
from contentsvc.framework.http.traffic import Room, Traffic

# Twisted has no phrase for 422, 426 and 429.
_STATUS = {
    status.value: b" %d %s\r\nServer: contentsvc\r\n" % (status, status.phrase.encode())
    for status in HTTPStatus
}

log = Logger()

_FRESH = 1.0
"""Seconds of a body's arrival after which its sender is judged again: the session may have
ended."""
_LINGER = 2.0
"""Seconds in which a refused request is still read, so that the client sees the answer: to close
with unread data resets the connection."""


Header = Literal[
    b"Accept",
    b"Accept-Encoding",
    b"Accept-Language",
    b"Access-Control-Request-Headers",
    b"Authorization",
    b"Connection",
    b"Content-Encoding",
    b"Content-Length",
    b"Content-Type",
    b"Cookie",
    b"Expect",
    b"Host",
    b"If-Match",
    b"If-None-Match",
    b"If-Range",
    b"If-Unmodified-Since",
    b"Origin",
    b"Range",
    b"Traceparent",
    b"User-Agent",
    b"X-Forwarded-For",
    b"X-Forwarded-Proto",
]
"""The headers of requests that are read, as Twisted writes them."""

_ABSOLUTE = re.compile(rb"https?://([^/?#]+)(.*)\Z", re.IGNORECASE)


class Common(Protocol):
    """The site, as its connections and requests see it.

    A request with a body is given to `judge` as soon as its head has arrived. `judge` returns how
    many bytes may follow, or raises the Problem to answer. `refuse` answers a request with a
    Problem, and the request goes no further. `body_timeout` is in seconds.
    """

    reactor: Any
    resource: Any
    body_timeout: float
    judge: Callable[[Any], int]
    refuse: Callable[[Any, Any], object]
    next_id: Callable[[], str]
    traffic: Traffic
    slow_clients: SlowClients
    backlog: DeferredInput
    held: HeldBytes
    proxies: Proxies
    writer: TurnWriter

    def date(self) -> bytes:
        """The header line Date of this second."""

    def log_request(self, request: Any, status: int) -> None:
        """Write the log line of a request, which was answered with this status."""


class ApiRequest(Request):
    """A request whose body has limits of size and time while it arrives.

    Twisted's own parsing of query and form is not used: `http.decode` does that. Nor is its way of
    writing: the whole answer is written at once, see TurnWriter.
    """

    site: Common  # type: ignore[assignment]  # Twisted declares its own type
    method = uri = path = b""
    clientproto = b"HTTP/1.1"
    route: str = "-"
    caller: str = "-"
    client: str
    """The client's address (http.proxies). Until the headers have arrived, it is the peer's."""
    whole = False
    """Whether all of it has arrived."""
    arrived: float | None = None
    """When all of it had arrived. None if it came at once."""
    note = ""
    """Further words for the log line, each after a blank."""
    changes = ""
    """The id of the content that it is to change."""
    asked = 0.0
    """Seconds for which it has waited because its client asked it to: no time of the answer."""
    gone = False
    refused = False
    judged: Any = None
    """The result of `site.judge`, for the code that carries the request out."""
    problem: Problem | None = None
    """The refusal that the head alone has shown."""
    doubt: Deferred[Problem | None] | None = None
    """The refusal of its caller, or None, where the head alone does not show it."""
    personal: bool = False
    """Whether its path takes a token: the answer is its caller's alone, and no cache keeps it."""
    same_origin: bool = False
    """Whether its path is for pages of the service's own origin alone."""
    own_token: str | None = None
    """The token of it that opens its operation alone."""
    length: int | None = 0
    """The bytes of its body, by its headers; None if it is chunked."""
    sink: Sink | None = None
    """Where its body goes, if that is not memory. Set by `site.judge`."""
    streamed_body: StreamedBody | None = None
    held = 0
    """Bytes of its body that `_room` counts."""
    _room: Room | None = None
    _authority: bytes | None = None
    _size = 0
    _limit = 0
    _timer: Any = None
    _flow: Flow | None = None

    channel: Any
    content: BytesIO

    __eq__, __hash__ = object.__eq__, object.__hash__  # Twisted has slower ones, in Python

    def __init__(self, channel: Any, *args: Any, **kwargs: Any) -> None:
        # Twisted's own __init__ is not called. It also prepares cookies, sessions and adapters, and
        # takes longer than everything else before the headers.
        self.channel, self.transport = channel, channel.transport
        channel.getPeer()
        self.host = channel.getHost()
        self.requestHeaders, self.responseHeaders = Headers(), Headers()
        self.notifications = []
        self.queued = False
        self.site = channel.site
        self.client = channel.address
        self.request_id = self.site.next_id()
        self.started = self.site.reactor.seconds()
        self.fields: dict[bytes, bytes] = {}
        self.site.traffic.active.add(self)

    @property
    def network(self) -> str:
        """The network that limits count by: the client's address, or the /64 of an IPv6 address."""
        return network(self.client)

    def addressed(self, command: bytes, target: bytes) -> bool:
        """Take the method and target of the request line. False if the target (RFC 9112 §3.2)
        cannot be one of this service."""
        self.method = command
        if not target.startswith(b"/"):
            if target == b"*":
                if command != b"OPTIONS":
                    return False
            else:
                absolute = _ABSOLUTE.match(target)
                if absolute is None:
                    return False
                self._authority, path = absolute.groups()
                target = path if path.startswith(b"/") else b"/" + path
        self.uri = target
        self.path = target.partition(b"?")[0]
        return True

    def gotLength(self, length: int | None) -> None:
        """The headers have arrived. `length` bytes of body follow; None if it is chunked."""
        channel = self.channel
        self.clientproto = channel.version
        self.content = BytesIO()
        self.length = length
        if length == 0:
            return
        self.problem = self._judge(length)
        if self.problem is not None:
            channel.doomed = self
        elif self.sink is not None and length is not None:
            self.streamed_body = StreamedBody(self, self.sink, length)
            self.streamed_body.begin()
        elif length is None or length > len(channel.pending):
            self._timer = self.site.reactor.callLater(
                self.site.body_timeout, self.refuse, RequestTimeout()
            )

    def end_early(self) -> None:
        """Refuse it without its body, unless the whole body came together with the headers."""
        if self.doubt is None:
            self._end_early(self.problem)
        elif self.problem is not None:
            self.doubt.addCallback(lambda refusal: self._end_early(refusal or self.problem))

    def _end_early(self, problem: Problem | None) -> Problem | None:
        if problem is not None and not (self.whole or self.refused or self.gone):
            self.refuse(problem)
        return problem

    def ask(self, check: Awaitable[None], problem: Callable[[Exception], Problem]) -> None:
        """Have `check` say whether its caller is refused: by what it raises, of which `problem`
        makes the answer. If it is refused before the body has come, it gets the answer at once."""

        async def refusal() -> Problem | None:
            try:
                await check
            except Exception as error:
                return problem(error)
            return None

        self.doubt = Deferred.fromCoroutine(refusal()).addCallback(self._end_early)

    async def settled(self) -> None:
        """Wait for what its head alone does not show. Raises the refusal."""
        if self.doubt is not None:
            problem = await self.doubt or self.problem
            if problem is not None:
                raise problem
            self.refuse_coded()

    def _judge(self, length: int | None) -> Problem | None:
        try:
            self._limit = self.site.judge(self)
        except Problem as problem:
            return problem
        except Exception:
            log.failure("Request {id} failed", id=self.request_id)
            return InternalError()
        return self._too_large() if length is not None and length > self._limit else None

    def admitted(self) -> None:
        """Have the client send the body, if it waits for a `100 Continue`."""
        self.channel.permit(self)

    def handleContentChunk(self, data: bytes) -> None:
        """A part of the body has arrived."""
        if self.streamed_body is not None:
            self.streamed_body.received(data)
            return
        if self.refused or self.problem is not None:
            return
        size = self._size = self._size + len(data)
        if size > self._limit:
            self.refuse(self._too_large())
            return
        traffic = self.site.traffic
        room = traffic.small if size <= SMALL else traffic.large
        if room is not self._room:
            self.release()
            self._room = room
            if self._timer is not None:
                room.arriving[self] = None
        room.hold(self, size - self.held)
        if not self.refused:
            self.content.write(data)

    def release(self) -> None:
        """Give back the memory of its body."""
        if self._room is not None:
            self._room.release(self)

    def _too_large(self) -> Problem:
        return PayloadTooLarge(f"The body is larger than {self._limit} bytes.", limit=self._limit)

    def refuse(self, problem: Problem) -> None:
        """Answer this before the whole request has arrived, and drop the rest of it."""
        self._stop_timer()
        self.release()
        self.refused = True
        if self.streamed_body is not None:
            self.streamed_body.stop()
        self.method = getattr(self.channel, "command", b"")
        self.content = BytesIO()
        self.channel.persistent = False
        if self.channel.length is None:
            # The rest of a chunked body need not be parsed.
            self.channel.refused = True
        self.site.refuse(self, problem)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            cancel(self._timer)
            self._timer = None

    def requestReceived(self, command: bytes, path: bytes, version: bytes) -> None:
        """The whole body has arrived."""
        self._stop_timer()
        if self.refused or self.site.traffic.closed:
            self.channel.loseConnection()
            return
        self.whole = True
        self.site.traffic.waiting.pop(self.channel, None)
        if self.length != 0:
            self.arrived = self.site.reactor.seconds()
        if self.judged is not None and self.streamed_body is None and self.arrived is not None:
            if self._room is not None:
                self._room.arriving.pop(self, None)
            if self.arrived - self.started > _FRESH:
                self.judged = None
        # Twisted closes the file when the client goes.
        self._body = self.content.getvalue()
        self.args = {}
        self.process()

    def process(self) -> None:
        """Let the site's resource answer. There is only one, and no tree of resources."""
        self.site.resource.render(self)

    def connectionLost(self, reason: Failure) -> None:
        """The client has gone. Its request goes on, and the answer is dropped."""
        self._stop_timer()
        self.gone = True
        if self._flow is not None:
            self._flow.stopProducing()
        if not self.whole:
            if self.streamed_body is not None and not self.refused:
                self.streamed_body.stop()
                self.note += " cut-off"
                self.site.log_request(self, 408)
            self.site.traffic.ended(self)
        super().connectionLost(reason)

    def getClientAddress(self) -> IAddress:
        """The peer's address."""
        peer: IAddress = self.channel.getPeer()
        return peer

    @property
    def scheme(self) -> str:
        """http or https: that of the connection, or of the connection to a trusted proxy."""
        if self.isSecure():
            return "https"
        believed = self.channel is not None and self.channel.trusted
        said = self.header(b"X-Forwarded-Proto") if believed else None
        return "https" if (said or "").rpartition(",")[2].strip().lower() == "https" else "http"

    @property
    def authority(self) -> str:
        """The requested host, with its port. The host of a target that is a whole URL comes before
        the Host header (RFC 9112 §3.2.2)."""
        if self._authority is not None:
            return self._authority.decode("latin-1")
        return self.header(b"Host") or ""

    def header(self, name: Header) -> str | None:
        """A header's last value, whatever its bytes."""
        values = self.header_values(name)
        return values[-1].decode("latin-1") if values else None

    def header_values(self, name: Header) -> Sequence[bytes]:
        """The values of a header, in their order."""
        return raw_headers(self.requestHeaders).get(name, ())

    def refuse_coded(self) -> None:
        """Raises UnsupportedMediaType if its body has a coding: nothing unpacks bodies, and packed
        ones would be taken for what they are not. The answer says which coding would have been
        taken (RFC 9110 §12.5.3, §15.5.16)."""
        codings = b",".join(self.header_values(b"Content-Encoding")).lower().split(b",")
        if self.length != 0 and not {coding.strip() for coding in codings} <= {b"", b"identity"}:
            raise UnsupportedMediaType(
                "The body must come as it is, without a Content-Encoding.",
                headers={"Accept-Encoding": "identity"},
            )

    def body(self) -> bytes:
        """The whole body."""
        return self._body

    def setHeader(self, name: bytes, value: bytes) -> None:
        """Set a header of the answer. It replaces an earlier value of the same `name`."""
        self.fields[name] = value

    def answer(self, status: int, media: bytes | None, body: bytes, fields: bytes = b"") -> None:
        """Write the whole answer and end the request. Nothing is written if the client has gone.

        `fields` are whole header lines. Those of setHeader, Content-Type `media` and those of every
        answer are added.
        """
        if self.gone:
            self.site.log_request(self, status)
            self.site.traffic.ended(self)
            return
        length = None if status in {204, 304} else b"Content-Length: %d\r\n" % len(body)
        head = self._head(status, media, fields, length)
        if self.method != b"HEAD":
            head.append(body)
        if self.refused:
            self._write_early(b"".join(head))
        else:
            self.site.writer.write(self.channel.transport, b"".join(head))
            self.finish()

    def _head(
        self, status: int, media: bytes | None, fields: bytes, length: bytes | None
    ) -> list[bytes]:
        self.code, self.startedWriting = status, 1
        if self.site.traffic.draining:
            self.channel.persistent = False
        head = [self.clientproto, _STATUS[status], self.site.date(), fields]
        for name, value in self.fields.items():
            head += (name, b": ", b" ".join(value.splitlines()), b"\r\n")
        if media is not None:
            head += (b"Content-Type: ", media, b"\r\n")
        if length is not None:
            head.append(length)
        if not self.channel.persistent:
            head.append(b"Connection: close\r\n")
        head.append(b"\r\n")
        return head

    async def stream(
        self, media: bytes, fields: bytes, more: Callable[[], Awaitable[bytes]], brackets: bytes
    ) -> None:
        """Write an answer of 200 whose body is the pieces of `more` with commas between them, in
        `brackets`. It is otherwise as that of `pour`."""
        chunked = self.clientproto == b"HTTP/1.1"
        if not chunked:
            self.channel.persistent = False
        coding = b"Transfer-Encoding: chunked\r\n" if chunked else None
        await self.pour(200, media, fields, coding, framed(more, brackets, chunked))

    async def pour(
        self,
        status: int,
        media: bytes,
        fields: bytes,
        length: bytes | None,
        more: Callable[[], Awaitable[bytes]],
    ) -> None:
        """Write an answer whose body comes in pieces, and end the request.

        `length` is the header line that says where the body ends. Each call of `more` gives a
        piece, and nothing at the end. It is called when the client has read the earlier pieces. If
        it raises, the connection is cut off, without the end of the body, and the error is raised.
        """
        if self.gone:
            self._vanished(status)
            return
        self.channel.write(b"".join(self._head(status, media, fields, length)))
        if self.method == b"HEAD":
            self.finish()
            return
        flow = self._flow = Flow(self.channel)
        try:
            # No piece stays in memory here while the client reads it.
            while await flow.ready() and (piece := await more()):
                if flow.stopped:
                    break
                self.channel.write(piece)
                piece = b""
        except Exception:
            if not flow.stopped:
                self.note += " cut-off"
                self.channel.cut_off()
                self.gone = True
            self._vanished(status)
            raise
        if flow.stopped:
            self._vanished(status)
            return
        self.channel.unregisterProducer()
        self.finish()

    def _vanished(self, status: int) -> None:
        self.site.log_request(self, status)
        self.site.traffic.ended(self)

    def _write_early(self, answer: bytes) -> None:
        transport = self.channel.transport
        transport.write(answer)
        if not self.channel.isSecure():
            # TLS has no such method. It would find that of the transport below, which cuts TLS off.
            getattr(transport, "loseWriteConnection", lambda: None)()
        self.site.log_request(self, self.code)
        self._timer = self.site.reactor.callLater(_LINGER, self.channel.loseConnection)

    def finish(self) -> None:
        """The answer has been written, by us or by twisted.web itself."""
        super().finish()
        self.site.traffic.ended(self)
