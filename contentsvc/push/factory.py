"""The factory of a process's sockets, and the options that they share."""

from collections.abc import Collection
from typing import Any

from autobahn.twisted.websocket import WebSocketServerFactory
from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.autobahn_internals import use_timers_of
from contentsvc.framework.core.twisted_internals import TurnWriter
from contentsvc.framework.sockets.shared_attributes import SharedAttributes
from contentsvc.push.hub import Hub
from contentsvc.push.socket import CLOSE_TIMEOUT, HANDSHAKE_TIMEOUT, MESSAGE_BYTES, SocketProtocol
from contentsvc.tokens import Tokens


class SocketFactory(WebSocketServerFactory):
    """Makes the protocols. A portal may connect from one of `origins`; "*" allows all."""

    def __init__(
        self, reactor: IReactorTime, hub: Hub, tokens: Tokens, origins: Collection[str]
    ) -> None:
        super().__init__(server="contentsvc", reactor=reactor)
        self.hub = hub
        self.tokens = tokens
        self.origins = origins
        self.writer = TurnWriter()
        use_timers_of(self, reactor)
        self.setProtocolOptions(
            versions=[13],
            webStatus=False,
            # Whole messages are decoded anyway; the incremental check costs memory per socket.
            utf8validateIncoming=False,
            maxFramePayloadSize=MESSAGE_BYTES,
            maxMessagePayloadSize=MESSAGE_BYTES,
            failByDrop=False,
            openHandshakeTimeout=HANDSHAKE_TIMEOUT,
            closeHandshakeTimeout=CLOSE_TIMEOUT,
            allowNullOrigin=True,
        )
        self.shared = SharedAttributes(self, SocketProtocol)
        self.protocol: Any = self.shared.protocol
