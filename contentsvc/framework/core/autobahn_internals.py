"""All that the service touches of Autobahn which is private there.

It is kept as core.twisted_internals keeps Twisted's, and the same tests hold it. Autobahn has two
forms of each hook: the one with an underscore is for the framework, and makes log lines or
Deferreds around the other.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from autobahn.twisted.websocket import WebSocketServerProtocol
from twisted.internet.interfaces import IDelayedCall, IReactorTime

PRIVATE: Final[Mapping[str, tuple[str, ...]]] = {
    "autobahn.twisted.websocket.WebSocketServerProtocol": (
        "_closeConnection",
        "_connectionLost",
        "_connectionMade",
        "_invalid_payload",
        "_onOpen",
        "_wskey",
    ),
    "autobahn.twisted.websocket.WebSocketServerFactory": ("_batched_timer",),
    "autobahn.twisted.websocket.WebSocketClientFactory": ("_batched_timer",),
}
"""The private names, by the class that has them."""

UNDOCUMENTED: Final[Mapping[str, tuple[str, ...]]] = {
    "autobahn.twisted.websocket.WebSocketServerProtocol": (
        "CONFIG_ATTRS",
        "closeHandshakeTimeoutCall",
        "closedByMe",
        "consumeData",
        "current_frame",
        "current_frame_masker",
        "data",
        "dropConnection",
        "inside_message",
        "is_closed",
        "is_open",
        "localCloseCode",
        "processData",
        "sendCloseFrame",
        "send_queue",
        "state",
        "trafficStats",
        "utf8validator",
        "wasClean",
        "websocket_version",
    ),
    "autobahn.twisted.websocket.WebSocketClientProtocol": (
        "data",
        "onCloseFrame",
        "remoteCloseCode",
        "remoteCloseReason",
        "state",
        "wasNotCleanReason",
    ),
    "autobahn.twisted.websocket.WebSocketServerFactory": ("countConnections",),
}
"""Those without an underscore that its documentation does not promise."""

_HANDSHAKE = frozenset({"_wskey", "send_queue", "trafficStats", "utf8validator"})


class ServerProtocol(WebSocketServerProtocol):
    """Autobahn's server side, whose open sockets and ends need no Deferred."""

    transport: Any

    begin_handshake = WebSocketServerProtocol._connectionMade
    connection_over = WebSocketServerProtocol._connectionLost
    invalid_payload = WebSocketServerProtocol._invalid_payload
    """Ends the socket with the code 1007."""

    def _onOpen(self) -> None:
        self.onOpen()

    def _closeConnection(self, abort: bool = False) -> None:
        # Autobahn resets the connection even after a clean close, under the client's read.
        if abort and not self.wasClean:
            self.transport.abortConnection()
        else:
            self.transport.loseConnection()


class _Timers:
    def __init__(self, reactor: IReactorTime) -> None:
        self._reactor = reactor

    def call_later(self, delay: float, call: Callable[[], None]) -> IDelayedCall:
        return self._reactor.callLater(delay, call)


def use_timers_of(factory: Any, reactor: IReactorTime) -> None:
    """Have a factory's protocols use timers of this reactor. Autobahn's own are on the global
    one."""
    factory._batched_timer = _Timers(reactor)


def only_for_handshake(name: str) -> bool:
    """Whether the handshake sets this attribute on each protocol, and an open socket does not need
    it."""
    return name in _HANDSHAKE or name.startswith(("http_", "websocket_"))
