"""The client's end of one session socket, with Autobahn."""

from typing import Any, Protocol

from autobahn.twisted.websocket import WebSocketClientFactory, WebSocketClientProtocol
from twisted.internet.protocol import connectionDone
from txaio.tx import make_logger

from contentsvc.client.connections import way_to
from contentsvc.client.http import MOST_ANSWER
from contentsvc.framework.core.autobahn_internals import use_timers_of
from contentsvc.framework.core.http_proxy import Proxies

HANDSHAKE_TIMEOUT = 10.0
"""Seconds for the handshake."""
MOST_HANDSHAKE = 64 * 1024
"""The most bytes of the answer to the handshake."""
ABNORMAL = 1006
"""The code of a connection that ended without a close (RFC 6455 §7.4.1)."""


class Listener(Protocol):
    """Receives the events of a socket."""

    def heard(self) -> None:
        """Some bytes came."""

    def message(self, data: bytes) -> None:
        """A whole text message came."""

    def closed(self, code: int, reason: str) -> None:
        """The connection has ended. Called once, whether or not it was ever open."""


class Socket(Protocol):
    """A socket, as the subscription uses it."""

    def send(self, data: bytes) -> None:
        """Send a text message. Does nothing if the socket is not open."""

    def close(self) -> None:
        """Close normally. `closed` is called afterwards, unless the service does not answer."""

    def abort(self) -> None:
        """Cut the connection. `closed` is called afterwards."""


class Connector(Protocol):
    """Opens sockets."""

    async def __call__(self, url: str, token: str, listener: Listener) -> Socket:
        """Connect, and begin the handshake. Raises the errors of the endpoint."""


class ClientProtocol(WebSocketClientProtocol):
    """One socket."""

    # Autobahn would log whole messages at debug and every lost connection at warn.
    log = make_logger("error")
    factory: "_Factory"
    transport: Any

    def dataReceived(self, data: bytes) -> None:
        self.factory.listener.heard()
        super().dataReceived(data)
        if self.state == self.STATE_CONNECTING and len(self.data) > MOST_HANDSHAKE:
            self.abort()

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        if not isBinary:
            self.factory.listener.message(payload)

    def onCloseFrame(self, code: int, reasonRaw: bytes) -> bool | None:
        violation: bool | None = super().onCloseFrame(code, reasonRaw)
        # The answer is written. RFC 6455 lets a client wait for the server to close first.
        self.transport.loseConnection()
        return violation

    def connectionLost(self, reason: Any = connectionDone) -> None:
        super().connectionLost(reason)
        code, said = self.remoteCloseCode, self.remoteCloseReason
        self.factory.listener.closed(code or ABNORMAL, said or self.wasNotCleanReason or "")

    def send(self, data: bytes) -> None:
        if self.state == self.STATE_OPEN:
            self.sendMessage(data)

    def close(self) -> None:
        if self.state == self.STATE_OPEN:
            self.sendClose(1000)
        elif self.state != self.STATE_CLOSING:
            self.abort()

    def abort(self) -> None:
        self.transport.abortConnection()


class _Factory(WebSocketClientFactory):
    protocol: Any = ClientProtocol
    noisy = False

    def __init__(self, reactor: Any, url: str, token: str, listener: Listener) -> None:
        super().__init__(
            url,
            headers={"Authorization": f"Bearer {token}"},
            useragent="contentsvc-client",
            reactor=reactor,
        )
        self.listener = listener
        use_timers_of(self, reactor)
        self.setProtocolOptions(
            openHandshakeTimeout=HANDSHAKE_TIMEOUT,
            maxMessagePayloadSize=MOST_ANSWER,
            maxFramePayloadSize=MOST_ANSWER,
            # The subscription has timers of its own for these.
            closeHandshakeTimeout=0,
            serverConnectionDropTimeout=0,
        )


class AutobahnConnector:
    """Opens sockets over TCP, or TLS for wss."""

    def __init__(self, reactor: Any, proxies: Proxies | None = None) -> None:
        self._reactor = reactor
        self._proxies = proxies or Proxies()

    async def __call__(self, url: str, token: str, listener: Listener) -> Socket:
        factory = _Factory(self._reactor, url, token, listener)
        protocol: Any = await way_to(self._reactor, url, self._proxies).endpoint.connect(factory)
        socket: Socket = protocol
        return socket
