"""HTTP, raw TCP and WebSocket clients that leave no connection behind."""

from __future__ import annotations

import http.client
import io
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import treq
import txaio
from autobahn.twisted.websocket import WebSocketClientFactory, WebSocketClientProtocol
from autobahn.websocket.types import ConnectionResponse
from treq.client import HTTPClient
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred, DeferredQueue
from twisted.internet.endpoints import HostnameEndpoint, TCP4ClientEndpoint, wrapClientTLS
from twisted.internet.error import ConnectionDone
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.protocol import Factory, Protocol
from twisted.internet.ssl import optionsForClientTLS
from twisted.python.failure import Failure
from twisted.web.client import Agent, HTTPConnectionPool
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgentEndpointFactory
from zope.interface import implementer

txaio.use_twisted()

DEADLINE = 20.0
"""Seconds that any one answer may take before the test fails."""

NOTHING: Any = object()


async def within(waited: Deferred[Any], what: str, seconds: float = DEADLINE) -> Any:
    """The result of `waited`; AssertionError naming `what` when it takes longer than `seconds`."""

    def late(result: Any, timeout: float) -> Any:
        if isinstance(result, Failure) and result.check(CancelledError):
            raise AssertionError(f"{what}: not within {timeout} s")
        return result

    return await waited.addTimeout(seconds, reactor, late)


def endpoint(url: str) -> IStreamClientEndpoint:
    """How to connect to an http, https, ws or wss URL."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    secure = parts.scheme in ("https", "wss")
    port = parts.port or (443 if secure else 80)
    if host.replace(".", "").isdigit():
        plain = TCP4ClientEndpoint(reactor, host, port)
    else:
        plain = HostnameEndpoint(reactor, host, port)
    return wrapClientTLS(optionsForClientTLS(host), plain) if secure else plain


@implementer(IAgentEndpointFactory)
class _Endpoints:
    def endpointForURI(self, uri: Any) -> IStreamClientEndpoint:
        return endpoint(uri.toBytes().decode())


class Response:
    """A whole HTTP response; header names in any case."""

    def __init__(self, asked: str, status: int, headers: Headers, body: bytes) -> None:
        self.asked = asked
        self.status = status
        self._headers = headers
        self.body = body

    def header(self, name: str) -> str | None:
        """The values of this header joined as a list; None if it is absent."""
        values = self._headers.getRawHeaders(name)
        return None if values is None else ", ".join(values)

    def listed(self, name: str) -> set[str]:
        """The members of a comma-separated header, in lower case."""
        return {item.strip().lower() for item in (self.header(name) or "").split(",") if item}

    def json(self) -> Any:
        """The body decoded."""
        return json.loads(self.body)

    def __repr__(self) -> str:
        return f"{self.asked} -> {self.status} {self.body[:600]!r}"


class Http:
    """A treq client whose connections live as long as one test, or (not `persistent`) as long as
    one request, so that each may reach another process.
    """

    def __init__(self, *, persistent: bool = True) -> None:
        self._pool = HTTPConnectionPool(reactor, persistent)
        # a request that is sent twice unasked would hide that the service dropped it
        self._pool.retryAutomatically = False
        self._client = HTTPClient(
            Agent.usingEndpointFactory(reactor, _Endpoints(), pool=self._pool)
        )

    async def request(
        self,
        method: str,
        url: str,
        *,
        body: Any = NOTHING,
        data: Any = None,
        query: Any = None,
        headers: dict[str, str] | None = None,
    ) -> Response:
        """One request: `body` as JSON, or `data` (bytes as they are, dict form-encoded)."""
        content = {"data": data} if body is NOTHING else {"json": body}
        asked = f"{method} {url}"

        async def exchange() -> Response:
            response = await self._client.request(
                method, url, headers=headers or {}, params=query, allow_redirects=False, **content
            )
            received = await treq.content(response)
            return Response(asked, response.code, response.headers, received)

        return await within(Deferred.fromCoroutine(exchange()), asked)

    async def close(self) -> None:
        """Close every connection."""
        await self._pool.closeCachedConnections()


class _Raw(Protocol):
    def __init__(self) -> None:
        self.received = b""
        self.ended: Deferred[bytes] = Deferred()

    def dataReceived(self, data: bytes) -> None:
        self.received += data

    def connectionLost(self, reason: Failure = Failure(ConnectionDone())) -> None:  # noqa: B008
        if not self.ended.called:
            self.ended.callback(self.received)


class _Reply:
    def __init__(self, received: bytes) -> None:
        self._received = received

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(self._received)


class Wire:
    """A TCP connection on which a test says what it likes."""

    def __init__(self, protocol: _Raw) -> None:
        self._protocol = protocol

    @classmethod
    async def open(cls, url: str) -> Wire:
        """Connect to the service."""
        return cls(await within(endpoint(url).connect(Factory.forProtocol(_Raw)), "connect"))

    @property
    def received(self) -> bytes:
        """The service's output so far."""
        return self._protocol.received

    def send(self, data: bytes) -> None:
        """Send these bytes."""
        self._protocol.transport.write(data)

    def send_all(self, pieces: Iterator[bytes]) -> None:
        """Send piece after piece for as long as no answer comes."""
        piece = next(pieces, None)
        if piece is not None and not self._protocol.received and not self._protocol.ended.called:
            self.send(piece)
            reactor.callLater(0, self.send_all, pieces)

    async def answer(self) -> Response:
        """The service's output until it closed the connection by itself."""
        try:
            received = await within(self._protocol.ended, "the answer's end")
        finally:
            self._protocol.transport.abortConnection()
        reply = http.client.HTTPResponse(_Reply(received))  # type: ignore[arg-type]
        reply.begin()
        headers = Headers()
        for name, value in reply.getheaders():
            headers.addRawHeader(name, value)
        return Response("raw request", reply.status, headers, reply.read())

    async def ended(self) -> None:
        """Wait until the service closes the connection, with or without an answer."""
        await within(self._protocol.ended, "the connection's end")

    async def vanish(self) -> None:
        """Close without waiting for an answer."""
        self._protocol.transport.loseConnection()
        await self.ended()


class Socket(WebSocketClientProtocol):
    """A game client's side of the session socket: the messages received, in order. Those of
    announcements, which other tests may make, and of the library are apart."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: Deferred[None] = Deferred()
        self.code: int | None = None
        self.hello: dict[str, Any] = {}
        self.headers: dict[str, str] = {}
        self._received: DeferredQueue[Any] = DeferredQueue()
        self._announced: DeferredQueue[Any] = DeferredQueue()
        self._kept: DeferredQueue[Any] = DeferredQueue()
        self._closed: Deferred[None] = Deferred()

    def onConnect(self, response: ConnectionResponse) -> None:
        self.headers = response.headers

    def onOpen(self) -> None:
        self.opened.callback(None)

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        message = json.loads(payload)
        apart = {"announcements": self._announced, "library": self._kept}
        apart.get(message["type"], self._received).put(message)

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:
        if self.code is not None:
            return
        self.code = code or 1006
        self._received.put(self.code)
        self._closed.callback(None)
        if not self.opened.called:
            self.opened.errback(AssertionError(f"handshake refused: {reason}"))

    def say(self, **message: Any) -> None:
        """Send one message as JSON."""
        self.sendMessage(json.dumps(message).encode())

    def shout(self, text: str) -> None:
        """Send a text message that need not be JSON."""
        self.sendMessage(text.encode())

    async def next(self) -> dict[str, Any]:
        """The next message; AssertionError if the socket closes or stays silent instead."""
        message = await within(self._received.get(), "a message on the socket")
        if isinstance(message, int):
            raise AssertionError(f"the socket was closed with {message}")
        return dict(message)

    async def announced(self) -> dict[str, Any]:
        """The next message `announcements`."""
        return dict(await within(self._announced.get(), "a message of announcements"))

    async def kept(self) -> dict[str, Any]:
        """The next message `library`."""
        return dict(await within(self._kept.get(), "a message of the library"))

    @property
    def untold(self) -> bool:
        """Whether no message `library` waits."""
        return not self._kept.pending

    async def quiet(self) -> None:
        """Assert that nothing was sent before the answer to a ping."""
        self.say(type="ping")
        message = await self.next()
        assert message == {"type": "pong"}, message

    async def closed(self) -> int:
        """Wait for the end of the connection and return the close code."""
        if self.code is None:
            await within(self._closed, "the socket's close")
        assert self.code is not None
        return self.code

    async def close(self) -> None:
        """Close normally if still open."""
        if self.code is None:
            self.sendClose(1000)
            await self.closed()


async def open_socket(url: str, headers: dict[str, str], origin: str | None) -> Socket:
    """Connect and finish the handshake."""
    factory = WebSocketClientFactory(url, origin=origin, headers=headers, reactor=reactor)
    factory.protocol = Socket
    factory.setProtocolOptions(failByDrop=False)
    factory.noisy = False
    socket: Socket = await within(endpoint(url).connect(factory), f"connect {url}")
    await within(socket.opened, f"handshake {url}")
    return socket
