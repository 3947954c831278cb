"""A store that misbehaves: it answers each request with the bytes that a test gives it."""

from collections.abc import Iterable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import Factory, Protocol, connectionDone
from twisted.internet.ssl import PrivateCertificate
from twisted.python.failure import Failure
from zope.interface import implementer

HANG = b""
"""The answer of a store that says nothing."""


def answer(status: int = 200, body: bytes = b"", **headers: str) -> bytes:
    """A whole answer, as it should be."""
    named = {"Content_Length": str(len(body))} | headers
    lines = [f"{name.replace('_', '-')}: {value}\r\n" for name, value in named.items()]
    return f"HTTP/1.1 {status} X\r\n{''.join(lines)}\r\n".encode() + body


class Say:
    """An answer, and what comes after it: `then` is `close`, `endless` (for ever more of `body`),
    or `stay`."""

    def __init__(self, said: bytes, then: str = "stay", body: bytes = b"x" * 65_536) -> None:
        self.said = said
        self.then = then
        self.body = body


class BadStore(Factory):
    """`says` are the answers to the first requests, in their order; the last one goes on. With a
    `certificate` it speaks TLS."""

    def __init__(
        self, says: Iterable[bytes | Say], certificate: PrivateCertificate | None = None
    ) -> None:
        self._says = [say if isinstance(say, Say) else Say(say) for say in says]
        self.asked: list[bytes] = []
        self.connections: set[Talk] = set()
        self._waiters: list[tuple[int, Deferred[None]]] = []
        self._scheme = "http" if certificate is None else "https"
        self._port: Any = (
            reactor.listenTCP(0, self, interface="127.0.0.1")
            if certificate is None
            else reactor.listenSSL(0, self, certificate.options(), interface="127.0.0.1")
        )

    @property
    def url(self) -> str:
        """Where it is."""
        return f"{self._scheme}://127.0.0.1:{self._port.getHost().port}"

    async def stop(self) -> None:
        """Close everything."""
        await maybeDeferred(self._port.stopListening)
        while self.connections:
            talk = next(iter(self.connections))
            talk.gone = Deferred()
            talk.transport.abortConnection()
            await talk.gone

    async def requests(self, count: int) -> None:
        """Wait for so many requests."""
        if len(self.asked) < count:
            waiter: Deferred[None] = Deferred()
            self._waiters.append((count, waiter))
            await waiter

    def buildProtocol(self, address: object) -> "Talk":
        return Talk(self)

    def got(self, request: bytes) -> Say:
        """A request has come; the answer to it."""
        self.asked.append(request)
        for count, waiter in list(self._waiters):
            if len(self.asked) >= count:
                self._waiters.remove((count, waiter))
                waiter.callback(None)
        return self._says.pop(0) if len(self._says) > 1 else self._says[0]


@implementer(IPushProducer)
class Talk(Protocol):
    """A connection."""

    def __init__(self, store: BadStore) -> None:
        self._store = store
        self._buffer = b""
        self._paused = False
        self._body = b""
        self.gone: Deferred[None] | None = None
        self.sent = 0

    def connectionMade(self) -> None:
        self._store.connections.add(self)

    def dataReceived(self, data: bytes) -> None:
        self._buffer += data
        while b"\r\n\r\n" in self._buffer:
            request, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
            say = self._store.got(request)
            self.transport.write(say.said)
            if say.then == "close":
                self.transport.loseConnection()
            elif say.then == "endless":
                self._body = say.body
                self.transport.registerProducer(self, True)
                self.resumeProducing()

    def resumeProducing(self) -> None:
        """Send more."""
        self._paused = False
        while not self._paused and self.connected:
            self.sent += len(self._body)
            self.transport.write(self._body)

    def pauseProducing(self) -> None:
        """The client reads no more for now."""
        self._paused = True

    def stopProducing(self) -> None:
        """The client has gone."""
        self._paused = True

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._store.connections.discard(self)
        if self.gone is not None:
            self.gone.callback(None)
