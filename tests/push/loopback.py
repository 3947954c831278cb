"""Sockets over real TCP on 127.0.0.1, with the log in memory and the time in the test's hands."""

from typing import Any

from autobahn.twisted.websocket import WebSocketClientFactory, WebSocketClientProtocol
from autobahn.websocket.compress import PerMessageDeflateOffer
from msgspec import json
from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredQueue
from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.internet.task import Clock
from twisted.web.resource import Resource
from twisted.web.server import Request, Site

from contentsvc.push.resource import SocketResource
from contentsvc.push.socket import SocketFactory, SocketProtocol
from contentsvc.tokens import Key, Keys, Tokens
from tests.push.fakes import make


class Turns(Clock):
    """The test's time; but what is for the next turn of the reactor comes in that, while `turning`
    is true."""

    turning = True

    def callLater(self, delay: float, *args: Any, **kwargs: Any) -> Any:
        if delay == 0 and self.turning:
            reactor.callLater(0, self.advance, 0)
        return super().callLater(delay, *args, **kwargs)


class Server:
    """The resource of the socket on a port, and what stands behind it."""

    def __init__(self, *origins: str, **limits: int) -> None:
        self.clock = Turns()
        _, self.log, self.hub = make(clock=self.clock, **limits)
        self.tokens = Tokens(Keys([Key("k", b"k" * 32)]), self.clock)
        self.factory = SocketFactory(self.clock, self.hub, self.tokens, origins or ("*",))
        self.hub.start()
        self.gone: DeferredQueue[Any] = DeferredQueue()
        forget = self.hub.closed

        def closed(socket: Any) -> None:
            forget(socket)
            self.gone.put(socket)

        self.hub.closed = closed  # type: ignore[method-assign]
        root = Resource()
        root.putChild(b"socket", SocketResource(self.factory, refuse))
        self.port = reactor.listenTCP(0, Site(root), interface="127.0.0.1")
        self.url = f"ws://127.0.0.1:{self.port.getHost().port}/socket"
        self._clients: list[Client] = []

    def token(self, user: str = "ann", session: str = "s1", client: str = "game") -> str:
        return self.tokens.issue_socket(user, session, client)

    async def connect(self, token: str | None = None, query: str = "", **headers: str) -> "Client":
        """Open a socket; the handshake has succeeded when this is done."""
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        factory = WebSocketClientFactory(self.url + query, headers=headers, reactor=reactor)
        factory.protocol = Client
        factory.setProtocolOptions(
            # As browsers and most libraries do.
            perMessageCompressionOffers=[PerMessageDeflateOffer()],
            # These timers would outlive the test.
            openHandshakeTimeout=0,
            closeHandshakeTimeout=0,
            serverConnectionDropTimeout=0,
        )
        endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", self.port.getHost().port)
        client: Client = await endpoint.connect(factory)
        self._clients.append(client)
        await client.is_open
        return client

    async def hello(self, *args: Any, **kwargs: Any) -> "Client":
        """Open a socket that is signed in, and read its hello."""
        client = await self.connect(self.token(*args, **kwargs))
        assert (await client.message())["type"] == "hello"
        return client

    @property
    def protocol(self) -> SocketProtocol:
        """The server's end of the only socket."""
        (protocol,) = self.hub.sockets
        assert isinstance(protocol, SocketProtocol)
        return protocol

    async def stop(self) -> None:
        self.hub.stop()
        for client in self._clients:
            client.transport.abortConnection()
            await client.closed
        while self.hub.sockets:
            await self.gone.get()
        await self.port.stopListening()
        assert not self.clock.getDelayedCalls(), self.clock.getDelayedCalls()


class Client(WebSocketClientProtocol):  # type: ignore[misc]
    """A client that keeps what it is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: DeferredQueue[dict[str, Any]] = DeferredQueue()
        self.pings: DeferredQueue[bytes] = DeferredQueue()
        self.closed: Deferred[None] = Deferred()
        self.code: int | None = None
        self.clean = False

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        self.messages.put(json.decode(payload))

    def onPing(self, payload: bytes) -> None:
        self.pings.put(payload)
        super().onPing(payload)

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:
        self.clean, self.code = wasClean, code
        self.messages.put({"type": "closed", "code": code})  # for a test that expects more
        if not self.closed.called:
            self.closed.callback(None)

    def message(self) -> Deferred[dict[str, Any]]:
        """The next message."""
        return self.messages.get()

    async def take(self, count: int) -> list[dict[str, Any]]:
        return [await self.message() for _ in range(count)]

    def say(self, **message: Any) -> None:
        self.sendMessage(json.encode(message))

    async def close_code(self) -> int | None:
        """Wait for the close."""
        await self.closed
        return self.code


def refuse(request: Request, status: int, code: str) -> bytes:
    """As the service's problem+json, but for its members."""
    request.setResponseCode(status)
    return code.encode()
