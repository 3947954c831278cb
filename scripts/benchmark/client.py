"""HTTP and WebSocket clients that cost little: for the load generator of sockets.py."""

import json
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure

_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10


class Broken(Exception):
    """The server closed, or answered what it should not have."""


class Http(Protocol):
    """One connection, kept open; one request at a time. `open` ends with it: a server closes what
    has been idle for long."""

    def __init__(self) -> None:
        self.open = True
        self._buffer = b""
        self._waiting: Deferred[tuple[int, bytes]] | None = None

    def request(
        self, method: str, path: str, token: str | None = None, body: dict[str, Any] | None = None
    ) -> Deferred[tuple[int, bytes]]:
        """Send a request, with JSON; fires with the status and the body of the answer."""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        data = b""
        if token is not None:
            head += f"Authorization: Bearer {token}\r\n"
        if body is not None:
            data = json.dumps(body).encode()
            head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
        head += "\r\n"
        self._waiting = Deferred()
        self.transport.write(head.encode() + data)
        return self._waiting

    def dataReceived(self, data: bytes) -> None:
        self._buffer += data
        head, end, rest = self._buffer.partition(b"\r\n\r\n")
        length = _length(head) if end else 0
        if end and len(rest) >= length and self._waiting is not None:
            self._buffer = rest[length:]
            waiting, self._waiting = self._waiting, None
            waiting.callback((int(head[9:12]), rest[:length]))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.open = False
        if self._waiting is not None:
            self._waiting.errback(Broken("an HTTP connection was closed"))


def _length(head: bytes) -> int:
    for line in head.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            return int(value)
    return 0


class Socket(Protocol):
    """A session socket, which gets what came after `resume`. `message` is called with each text;
    `hello` fires with the first.

    `lost` is called when the connection ends before `close` was called.
    """

    def __init__(
        self,
        token: str,
        message: Callable[[bytes], None],
        lost: Callable[[str], None],
        resume: int | None = None,
    ) -> None:
        self.hello: Deferred[None] = Deferred()
        self._token = token
        self._path = "/socket" if resume is None else f"/socket?resume={resume}"
        self._message = message
        self._lost = lost
        self._buffer = b""
        self._open = False
        self._closing = False

    def connectionMade(self) -> None:
        self.transport.setTcpNoDelay(True)
        self.transport.write(
            b"GET " + self._path.encode() + b" HTTP/1.1\r\n"
            b"Host: 127.0.0.1\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            b"Authorization: Bearer " + self._token.encode() + b"\r\n\r\n"
        )

    def dataReceived(self, data: bytes) -> None:
        buffer = self._buffer + data if self._buffer else data
        if not self._open:
            head, end, buffer_after = buffer.partition(b"\r\n\r\n")
            if not end:
                self._buffer = buffer
                return
            if not head.startswith(b"HTTP/1.1 101"):
                self._end(f"the handshake was answered {head[:40]!r}")
                return
            self._open, buffer = True, buffer_after
        self._buffer = self._frames(buffer)

    def _frames(self, buffer: bytes) -> bytes:
        """Deal with the whole frames; what is left over."""
        while len(buffer) >= 2:
            length, start = buffer[1] & 127, 2
            if length >= 126:
                start = 4 if length == 126 else 10
                length = int.from_bytes(buffer[2:start], "big") if len(buffer) >= start else 1 << 62
            if len(buffer) < start + length:
                break
            self._frame(buffer[0] & 15, buffer[start : start + length])
            buffer = buffer[start + length :]
        return buffer

    def _frame(self, kind: int, payload: bytes) -> None:
        if kind == _TEXT:
            if self.hello.called:
                self._message(payload)
            elif b'"hello"' in payload:
                self.hello.callback(None)
            else:
                self._end(payload.decode())
        elif kind == _PING:
            self._send(_PONG, payload)
        elif kind == _CLOSE:
            self._end(f"closed with {int.from_bytes(payload[:2], 'big')}")

    def _send(self, kind: int, payload: bytes) -> None:
        # A client must mask; a key of zeros leaves the payload as it is.
        self.transport.write(bytes([128 | kind, 128 | len(payload), 0, 0, 0, 0]) + payload)

    def close(self) -> None:
        """Say so, and go."""
        self._closing = True
        self._send(_CLOSE, b"\x03\xe8")
        self.transport.loseConnection()

    def _end(self, why: str) -> None:
        closing, self._closing = self._closing, True
        if not self.hello.called:
            self.hello.errback(Broken(why))
        elif not closing:
            self._lost(why)
        self.transport.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._end("the connection broke")


async def connected(reactor: Any, port: int, protocol: Any) -> Any:
    """The protocol, connected to a port of 127.0.0.1."""
    endpoint = TCP4ClientEndpoint(reactor, "127.0.0.1", port, timeout=30)
    return await connectProtocol(endpoint, protocol)
