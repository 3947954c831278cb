"""A proxy as companies have them: requests with whole URLs, and tunnels (CONNECT). Whatever name is
asked for, it connects to this machine."""

from base64 import b64encode
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.protocol import ClientFactory, Factory, Protocol, connectionDone
from twisted.internet.ssl import PrivateCertificate
from twisted.python.failure import Failure
from twisted.web.proxy import Proxy, ProxyClientFactory, ProxyRequest

HERE = "127.0.0.1"


class _Here:
    """A reactor for which all hosts are this machine."""

    def connectTCP(self, host: str, *rest: Any) -> Any:
        return reactor.connectTCP(HERE, *rest)


class _Upstream(ProxyClientFactory):
    noisy = False


class _Request(ProxyRequest):
    protocols = {b"http": _Upstream}

    def __init__(self, *made: Any, **more: Any) -> None:
        super().__init__(*made, **more)
        self.reactor = _Here()


class _Channel(Proxy):
    requestFactory = _Request


class ForwardProxy(Factory):
    """`asked` are the first lines of what it is asked. With `user` it wants a log-in. It answers
    CONNECT with `answer`, if there is one; "" is none at all. With a certificate it speaks TLS."""

    noisy = False

    def __init__(
        self, user: str | None = None, certificate: PrivateCertificate | None = None
    ) -> None:
        self.asked: list[str] = []
        self.heads: list[bytes] = []
        self.answer: bytes | None = None
        self.wanted = None if user is None else b"Basic " + b64encode(user.encode())
        self.open: set[_Talk | _Pipe] = set()
        self._port: Any = (
            reactor.listenTCP(0, self, interface=HERE)
            if certificate is None
            else reactor.listenSSL(0, self, certificate.options(), interface=HERE)
        )

    @property
    def address(self) -> str:
        """Host and port."""
        return f"{HERE}:{self._port.getHost().port}"

    def buildProtocol(self, address: object) -> "_Talk":
        return _Talk(self)

    def lost(self, each: "_Talk | _Pipe") -> None:
        """A connection is gone."""
        self.open.discard(each)
        if each.gone is not None:
            each.gone.callback(None)

    async def stop(self) -> None:
        """Close everything."""
        await maybeDeferred(self._port.stopListening)
        while self.open:
            each = next(iter(self.open))
            each.gone = Deferred()
            each.transport.abortConnection()
            await each.gone


class _Talk(Protocol):
    transport: Any
    gone: Deferred[None] | None = None

    def __init__(self, proxy: ForwardProxy) -> None:
        self._proxy = proxy
        self.pipe: _Pipe | None = None
        self._came = b""
        self._to: Any = None

    def connectionMade(self) -> None:
        self._proxy.open.add(self)

    def dataReceived(self, data: bytes) -> None:
        if self._to is not None:
            self._to(data)
            return
        self._came += data
        if b"\r\n\r\n" in self._came:
            self._begin(self._came.partition(b"\r\n\r\n")[0])

    def _begin(self, head: bytes) -> None:
        line = head.partition(b"\r\n")[0].decode()
        self._proxy.asked.append(line)
        self._proxy.heads.append(head)
        wanted = self._proxy.wanted
        if wanted is not None and b"\r\nProxy-Authorization: " + wanted not in head:
            self._say(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        elif not line.startswith("CONNECT "):
            channel = _Channel()
            channel.makeConnection(self.transport)
            self._to = channel.dataReceived
            channel.dataReceived(self._came)
        elif self._proxy.answer is not None:
            self._say(self._proxy.answer)
        else:
            port = int(line.split()[1].rpartition(":")[2])
            factory = ClientFactory()
            factory.noisy = False
            factory.buildProtocol = lambda _: _Pipe(self._proxy, self)  # type: ignore[method-assign]
            factory.clientConnectionFailed = self._failed  # type: ignore[method-assign]
            reactor.connectTCP(HERE, port, factory)

    def _say(self, answer: bytes) -> None:
        self._came = b""
        if answer:
            self.transport.write(answer)

    def _failed(self, *about: object) -> None:
        self._say(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")

    def opened(self, pipe: "_Pipe") -> None:
        """The tunnel is there."""
        self.pipe, self._to = pipe, pipe.transport.write
        self.transport.write(b"HTTP/1.1 200 Connection established\r\n\r\n")

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._proxy.lost(self)
        if self.pipe is not None:
            self.pipe.transport.loseConnection()


class _Pipe(Protocol):
    transport: Any
    gone: Deferred[None] | None = None

    def __init__(self, proxy: ForwardProxy, talk: _Talk) -> None:
        self._proxy = proxy
        self._talk = talk

    def connectionMade(self) -> None:
        self._proxy.open.add(self)
        self._talk.opened(self)

    def dataReceived(self, data: bytes) -> None:
        self._talk.transport.write(data)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._proxy.lost(self)
        self._talk.transport.loseConnection()
