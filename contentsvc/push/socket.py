"""One client's WebSocket (socket#the-session-socket), from the handshake to the close, and the
factory of a process's sockets, with the options that they share."""

import socket
from collections import deque
from collections.abc import Collection
from contextlib import suppress
from typing import Any

from autobahn.twisted.websocket import WebSocketServerFactory
from msgspec import DecodeError, Struct, ValidationError, field, json
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer, IReactorTime
from twisted.internet.protocol import connectionDone
from txaio.tx import make_logger
from zope.interface import implementer

from contentsvc.framework.core.autobahn_internals import use_timers_of
from contentsvc.framework.core.twisted_internals import TurnWriter
from contentsvc.framework.sockets.frame_limits import RATE, WINDOW, FrameLimits
from contentsvc.framework.sockets.heartbeat import INTERVAL
from contentsvc.framework.sockets.shared_attributes import SharedAttributes
from contentsvc.push.hub import Hub
from contentsvc.push.resource import INVALID, Handshake, position
from contentsvc.push.statistics import GONE
from contentsvc.push.stream import OVERLOADED, REVOKED, SLOW_CONSUMER, Close, SocketPosition, encode
from contentsvc.tokens import InvalidToken, Tokens
from contentsvc.wire.socket import ErrorMessage, GoodbyeMessage, Message, PongMessage

HANDSHAKE_TIMEOUT = 5.0
"""Seconds for the handshake. The resource hands over a whole request: only a bug takes long."""
AUTH_TIMEOUT = 5.0
"""Seconds within which the `auth` message must come."""
CLOSE_TIMEOUT = 5.0
"""Seconds within which the client must answer a close."""
MESSAGE_BYTES = 4096
"""The largest message from a client."""
QUEUE_FRAMES = 256
QUEUE_BYTES = 256 * 1024
"""The queue for a slow consumer, beyond the transport's own buffer of 64 KiB."""
UNSENT = 64 * 1024
"""Bytes that the kernel takes in advance, before it has sent them."""
STALL = 30
"""Seconds that the transport's buffer may stay unsent, up to one heartbeat more or less."""

_PONG = encode(PongMessage())
_PING_FRAME = b"\x89\x00"
_INVALID_RESUME = ErrorMessage(
    "invalid_resume",
    "resume must be an integer of at least 0. resumeId must be a GUID, and needs resume.",
)


class Incoming(Struct):
    """Any message from a client, before its members are checked."""

    type: str
    token: Any = None
    resume: Any = None
    resume_id: Any = field(name="resumeId", default=None)


_decoder = json.Decoder(Incoming)


class _Resolved:
    """Takes the place of the Deferreds that Autobahn would make for every socket."""

    def callback(self, result: object) -> None:
        pass


# | direction | message                                                                    |
# |-----------|----------------------------------------------------------------------------|
# | ->        | auth {token, resume?, resumeId?}  first, unless the handshake had a token  |
# | <-        | hello {seq, id, unread, heartbeat}  notifications after seq follow         |
# | <-        | notification {seq, notification}                                           |
# | <-        | state {seq, unread}  read flags have changed, or deletions                 |
# | <-        | announcements {within}  they have changed: read them again             |
# | <-        | library {}  the user's library may have changed: read the map          |
# | -> / <-   | ping / pong  at any time, before auth too                                  |
# | <-        | error {code, detail}  log_changed has seq and id, too                      |
# | <-        | goodbye {reason, retryAfter}, then the close                               |
#
# | error                       | when                                     | then         |
# |-----------------------------|------------------------------------------|--------------|
# | invalid_token, auth_timeout | no good token within 5 s                 | close 4401   |
# | origin_not_allowed          | a portal's socket from another origin    | close 4409   |
# | invalid_resume              | resume is no integer, or resumeId is no  | stays open   |
# |                             | GUID or comes alone: starts at newest    |              |
# | seq_ahead                   | resume is above newest: starts at newest | stays open   |
# | log_changed                 | resumeId is not resume's id, or the log  | stays open   |
# |                             | has gone back: goes on after newest      |              |
# | trimmed                     | some after resume are no longer kept     | stays open   |
# | already_authenticated       | auth on a socket that is signed in       | stays open   |
# | malformed_message           | no JSON text message with a type         | stays open   |
# | rate_limited                | above 60 frames in 10 s                  | close 1008   |
#
# | close with goodbye | reason        |    | close without | why                          |
# |--------------------|---------------|    |---------------|------------------------------|
# | 1001               | draining      |    | 1009          | message above 4 KiB          |
# | 1013               | overloaded,   |    | 1002, 1007    | broken WebSocket or UTF-8    |
# | 4403               | revoked       |    | none (1006)   | 25 s of silence              |
# | 4408               | slow_consumer |    |
# | 4410               | replaced      |    |
@implementer(IPushProducer)
class SocketProtocol(FrameLimits):
    """The server's end of one socket: a Subscriber of the hub."""

    # Autobahn would log every mistake of a client at warn, and whole requests at debug.
    log = make_logger("error")
    peer = ""
    is_open = is_closed = _Resolved()

    factory: "SocketFactory"
    transport: Any
    handshake = Handshake()
    user = session = client = ""
    asked_by: str | None = None
    turn = heard = 0
    _paused_at: int | None = None
    _queue: deque[bytes] | None = None
    _queued = 0
    _drained: Deferred[None] | None = None
    _owed_pong: bytes | None = None
    _owed_state: bytes | None = None
    _owed_library: bytes | None = None
    _auth_call: Any = None

    def __init__(self) -> None:
        # Autobahn's would make Deferreds and tables that nothing here uses.
        self.position = SocketPosition()

    # From the transport. Autobahn's own methods format a log line for each chunk of data.

    def connectionMade(self) -> None:
        self.heard = self.factory.hub.heartbeat.tick
        self.turn = self.heard % INTERVAL
        # Both calls fail without TCP, the second one also with TLS.
        with suppress(AttributeError, OSError):
            self.transport.setTcpNoDelay(True)
            # A pong waits until the kernel has sent all that it holds, which can be megabytes.
            option = socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT  # not on every system
            self.transport.getHandle().setsockopt(*option, UNSENT)
        self.begin_handshake()

    def dataReceived(self, data: bytes) -> None:
        self.heard = self.factory.hub.heartbeat.tick
        super().dataReceived(data)

    def connectionLost(self, reason: Any = connectionDone) -> None:
        if self.closeHandshakeTimeoutCall is not None:
            self.closeHandshakeTimeoutCall.cancel()
            self.closeHandshakeTimeoutCall = None
        self._cancel_auth_call()
        self._stop_reading()
        self.connection_over(reason)

    def pauseProducing(self) -> None:
        """The transport's buffer is full."""
        self._paused_at = self.factory.hub.heartbeat.tick

    def resumeProducing(self) -> None:
        """The transport's buffer is empty."""
        self._paused_at = None
        # Reading a long backlog is a sign of life, and no other is needed.
        self.heard = self.factory.hub.heartbeat.tick
        if self._owed_pong is not None:
            pong, self._owed_pong = self._owed_pong, None
            self.sendPong(pong)
        while self._queue and self._paused_at is None:
            frame = self._queue.popleft()
            self._queued -= len(frame)
            self.transport.write(frame)
        if self._paused_at is None:
            self._queue = None
            if self._owed_state is not None:
                state, self._owed_state = self._owed_state, None
                self.send(state)
            if self._owed_library is not None:
                library, self._owed_library = self._owed_library, None
                self.send(library)
            self._wake()

    def stopProducing(self) -> None:
        """The transport has gone; connectionLost follows."""

    # From Autobahn.

    def onConnect(self, request: Any) -> tuple[None, dict[str, str]]:
        request_id = self.handshake.request_id
        return None, {} if request_id is None else {"X-Request-Id": request_id}

    def onOpen(self) -> None:
        handshake = self.handshake
        self.factory.shared.slim(self)
        # The HTTP channel registered itself, and would live as long as the socket.
        self.transport.unregisterProducer()
        self.transport.registerProducer(self, True)
        refusal = self.factory.hub.opened(self)
        if refusal is not None:
            self.end(refusal)
        elif handshake.token is not None:
            self._authenticate(handshake.token, handshake)
        else:
            self.handshake = handshake
            self._auth_call = self.factory.reactor.callLater(AUTH_TIMEOUT, self._auth_timed_out)

    def _too_many_frames(self) -> None:
        self._refuse(
            "rate_limited", f"You sent more than {RATE} frames within {WINDOW} seconds.", 1008
        )

    def onMessage(self, payload: bytes, isBinary: bool) -> None:
        if self.state != self.STATE_OPEN:
            return
        if isBinary:
            self._malformed("A message must be text, not binary.")
            return
        try:
            message = _decoder.decode(payload.decode())
        except UnicodeDecodeError:
            self.invalid_payload("A text message must be UTF-8.")  # RFC 6455 §8.1
        except (ValidationError, RecursionError):
            self._malformed("A message must be a JSON object with a string `type`.")
        except DecodeError:
            self._malformed("A message must be valid JSON: an object with a string `type`.")
        else:
            if message.type == "ping":
                self.send(_PONG)
            elif message.type == "auth":
                self._auth_received(message)

    def _malformed(self, detail: str) -> None:
        self._answer(ErrorMessage("malformed_message", detail))

    def sendCloseFrame(
        self, code: int | None = None, reasonUtf8: bytes | None = None, isReply: bool = False
    ) -> None:
        """Every close passes here: the client's, Autobahn's and ours."""
        self._cancel_auth_call()
        self.factory.hub.detach(self)
        self._queue = None  # the client gets the rest of it when it resumes
        super().sendCloseFrame(code, reasonUtf8, isReply)
        self._wake()

    def onClose(self, wasClean: bool, code: int | None, reason: str | None) -> None:
        self.factory.hub.closed(self)
        if self.closedByMe:
            self.factory.hub.counts.closed(self.client, "server", self.localCloseCode)
        elif self.wasClean:
            self.factory.hub.counts.closed(self.client, "client", code)
        else:
            self.factory.hub.counts.closed(self.client, "nobody", GONE)
        self._queue = None
        self._wake()

    def onPing(self, payload: bytes) -> None:
        if self._paused_at is None:
            self.sendPong(payload)
        else:
            # A client that pings and never reads must not fill the buffer with pongs, and only
            # the newest ping needs one (RFC 6455 §5.5.3).
            self._owed_pong = payload

    # Signing in.

    def _auth_received(self, message: Incoming) -> None:
        if self._auth_call is None:
            detail = "This socket is already signed in."
            self._answer(ErrorMessage("already_authenticated", detail))
            return
        self._cancel_auth_call()
        handshake, self.handshake = self.handshake, Handshake()
        if message.resume is not None or message.resume_id is not None:
            resume = position(message.resume, message.resume_id)
            handshake = handshake._replace(resume=resume)
        self._authenticate(message.token if isinstance(message.token, str) else "", handshake)

    def _authenticate(self, token: str, handshake: Handshake) -> None:
        try:
            grant = self.factory.tokens.verify_socket(token)
        except InvalidToken:
            detail = "The token is malformed, has expired or is not for sockets."
            self._refuse("invalid_token", f"{detail} Get one from session/connect.", 4401)
            return
        ended = self.factory.tokens.revoked
        if grant.session in ended or grant.asked_by in ended:
            self.end(REVOKED)
            return
        if not self.factory.tokens.revoked.complete:
            self.end(OVERLOADED)
            return
        allowed = self.factory.origins
        if grant.client == "portal" and not {handshake.origin, "*"} & {None, *allowed}:
            detail = f"This service does not allow portal sockets from {handshake.origin}."
            self._refuse("origin_not_allowed", detail, 4409)
            return
        self.user, self.session = grant.user, grant.session
        if grant.asked_by is not None:
            self.asked_by = grant.asked_by
        self.client = self.factory.hub.counts.signed_in(grant.client)
        if handshake.resume == INVALID:
            self.factory.hub.attach(self, None, _INVALID_RESUME)
        else:
            self.factory.hub.attach(self, handshake.resume, None)

    def _auth_timed_out(self) -> None:
        self._auth_call = None
        self._refuse(
            "auth_timeout", f"No auth message came within {AUTH_TIMEOUT:.0f} seconds.", 4401
        )

    def _cancel_auth_call(self) -> None:
        if self._auth_call is not None:
            self._auth_call.cancel()
            self._auth_call = None

    # From the hub and the heartbeat.

    def send(self, frame: bytes) -> None:
        if self.state != self.STATE_OPEN:
            return
        if self._paused_at is None:
            self.factory.writer.write(self.transport, frame)
            return
        if self._queue is None:
            self._queue, self._queued = deque(), 0
        self._queued += len(frame)
        if len(self._queue) < QUEUE_FRAMES and self._queued <= QUEUE_BYTES:
            self._queue.append(frame)
        else:
            self.end(SLOW_CONSUMER)

    def push_state(self, frame: bytes) -> None:
        if self._paused_at is None:
            self.send(frame)
        else:
            self._owed_state = frame

    def push_library(self, frame: bytes) -> None:
        if self._paused_at is None:
            self.send(frame)
        else:
            self._owed_library = frame

    def drained(self) -> Deferred[None] | None:
        if self._paused_at is None or self.state != self.STATE_OPEN:
            return None
        self._drained = Deferred()
        return self._drained

    def end(self, close: Close) -> None:
        goodbye = GoodbyeMessage(close.reason, close.retry_after)
        self._close(goodbye, close.code, close.reason)

    def drop(self) -> None:
        # Not dropConnection, which does nothing while a close waits for its last bytes.
        self.transport.abortConnection()

    def ping(self) -> None:
        if self._paused_at is None:
            if self.state == self.STATE_OPEN:
                self.transport.write(_PING_FRAME)
        elif self.factory.hub.heartbeat.tick - self._paused_at >= STALL:
            self.end(SLOW_CONSUMER)

    def _answer(self, message: Message) -> None:
        self.send(encode(message))

    def _refuse(self, code: str, detail: str, close_code: int) -> None:
        self._close(ErrorMessage(code, detail), close_code, code)

    def _close(self, last: Message, code: int, reason: str) -> None:
        if self.state == self.STATE_OPEN:
            self.transport.write(encode(last))
            # Autobahn's sendClose refuses 1001, 1008 and 1013.
            self.sendCloseFrame(code, reason.encode())

    def _wake(self) -> None:
        if self._drained is not None:
            drained, self._drained = self._drained, None
            drained.callback(None)


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
