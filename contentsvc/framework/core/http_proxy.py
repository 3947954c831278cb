"""Proxies of HTTP, as the environment names them: HTTP_PROXY, HTTPS_PROXY and NO_PROXY.

A request over https, and a WebSocket, go through a tunnel (CONNECT, RFC 9110 §9.3.6), in which TLS
is with the host itself. A request over http is the proxy's own, with the whole URL.
"""

import os
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from twisted.internet.defer import CancelledError, Deferred, TimeoutError
from twisted.internet.endpoints import wrapClientTLS
from twisted.internet.error import ConnectError, ConnectingCancelledError
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.protocol import Protocol, connectionDone
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from zope.interface import directlyProvides, implementer, providedBy

from contentsvc.framework.core.connections import endpoint, reason, trusting
from contentsvc.framework.core.host_names import ascii_host, port_of

_MOST_HEAD: Final = 64 * 1024
"""Bytes of a proxy's answer to CONNECT."""
_VARIABLES: Final = {
    "http": "HTTP_PROXY",
    "ws": "HTTP_PROXY",
    "https": "HTTPS_PROXY",
    "wss": "HTTPS_PROXY",
}
_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([0-9]{3})(?: ([ -~]{0,100}))?")
_BLANK: Final = re.compile(rb"\n\r?\n")
_LOCAL: Final = ("localhost", ".localhost")


class ProxyError(ConnectError):
    """There is no connection through a proxy, so nothing has been sent. `str()` names the proxy,
    and has no password of it."""

    def __init__(self, text: str) -> None:
        super().__init__(None, text)  # type: ignore[no-untyped-call]
        self.text = text

    def __str__(self) -> str:
        return self.text


class Proxy(NamedTuple):
    """A proxy. `variable` names it, `host` is as `ascii_host` gives it, and `authorization` is the
    value of the header Proxy-Authorization."""

    variable: str
    secure: bool
    host: str
    port: int
    authorization: str | None

    def __str__(self) -> str:
        return f"the proxy {self.host}:{self.port} of {self.variable}"

    @property
    def headers(self) -> dict[str, str]:
        """What each request to the proxy itself has."""
        sent = self.authorization
        return {} if sent is None else {"Proxy-Authorization": sent}


class Proxies:
    """The proxies that `environ` names, by default that of the process. Names in lower case go
    before those in capitals.

    NO_PROXY has, with commas between them: names, which stand for all names below them too;
    addresses; networks; or `*` for everything. With `:PORT` after it, a name or an address counts
    for that port alone. This machine itself is never reached through a proxy.
    """

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        environ = os.environ if environ is None else environ
        self._urls = {name: _value(environ, name) for name in set(_VARIABLES.values())}
        self._direct = [*filter(None, re.split("[, ]+", _value(environ, "NO_PROXY").lower()))]

    def of(self, url: str) -> Proxy | None:
        """The proxy for requests to a URL; None if they go to its host. Raises ProxyError if the
        variable names none that is spoken here."""
        variable = self.named(url)
        return None if variable is None else _proxy(variable, self._urls[variable])

    def named(self, url: str) -> str | None:
        """The variable that names a proxy for a URL; None if none does."""
        parts = urlsplit(url)
        variable = _VARIABLES.get(parts.scheme)
        if variable is None or not self._urls[variable]:
            return None
        host = (parts.hostname or "").rstrip(".").lower()
        return None if self._is_direct(host, port_of(url)) else variable

    def ignored(self, url: str) -> str:
        """What an error says of a request that goes through no proxy; "" if none is named."""
        variable = self.named(url)
        return "" if variable is None else f"{variable} is set, and is not used for this"

    def _is_direct(self, host: str, port: int) -> bool:
        if host == _LOCAL[0] or host.endswith(_LOCAL[1]):
            return True
        address = _address(host)
        if address is not None and address.is_loopback:
            return True
        return any(_covers(word, host, port, address) for word in self._direct)


def _value(environ: Mapping[str, str], name: str) -> str:
    return (environ.get(name.lower()) or environ.get(name) or "").strip()


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _covers(word: str, host: str, port: int, address: Any) -> bool:
    """Whether a word of NO_PROXY means a host."""
    if word == "*":
        return True
    if address is not None:
        try:
            return address in ip_network(word, strict=False)
        except ValueError:
            pass
    named, colon, number = word.rpartition(":")
    if colon and number.isdigit():
        if int(number) != port:
            return False
        word = named.strip("[]")
    name = word.removeprefix("*").strip(".")
    return bool(name) and (host == name or host.endswith(f".{name}"))


def _proxy(variable: str, value: str) -> Proxy:
    wrong = f"{variable} is not a URL like http://proxy.example:3128"
    try:
        parts = urlsplit(value if "://" in value else f"http://{value}")
        host, port = ascii_host(parts.hostname or ""), parts.port
    except ValueError:
        # Without the value: it may have a password.
        raise ProxyError(wrong) from None
    if parts.scheme not in {"http", "https"}:
        raise ProxyError(f"{wrong}: {parts.scheme} is not spoken")
    secure = parts.scheme == "https"
    authorization = None
    if parts.username is not None:
        pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = f"Basic {b64encode(pair.encode()).decode()}"
    return Proxy(variable, secure, host, port or (443 if secure else 80), authorization)


@implementer(IStreamClientEndpoint)
class ProxyEndpoint:
    """Where a proxy itself listens. What keeps a connection from it is a ProxyError."""

    def __init__(self, reactor: Any, proxy: Proxy, timeout: float) -> None:
        plain = endpoint(reactor, proxy.host, proxy.port, timeout=timeout)
        self._proxy = proxy
        self._endpoint: Any = wrapClientTLS(trusting(proxy.host), plain) if proxy.secure else plain

    def connect(self, factory: Any) -> Deferred[Any]:
        """As IStreamClientEndpoint has it."""
        connecting: Deferred[Any] = self._endpoint.connect(factory)
        return connecting.addErrback(self._failed)

    def _failed(self, failure: Failure) -> Any:
        error: Any = failure.value
        if isinstance(error, CancelledError | ConnectingCancelledError):
            return failure
        raise ProxyError(f"{self._proxy}: {reason(error)}")


@implementer(IStreamClientEndpoint)
class TunnelEndpoint:
    """Where a host listens, through a proxy, which has `timeout` seconds for its answer."""

    def __init__(self, reactor: Any, proxy: Proxy, host: str, port: int, timeout: float) -> None:
        self._reactor = reactor
        self._proxy = proxy
        self._to = ProxyEndpoint(reactor, proxy, timeout)
        name = f"[{host}]" if ":" in host else host
        lines = [f"CONNECT {name}:{port} HTTP/1.1", f"Host: {name}:{port}"]
        lines += [f"{name}: {value}" for name, value in proxy.headers.items()]
        self._head = "\r\n".join([*lines, "", ""]).encode()
        self._timeout = timeout

    def connect(self, factory: Any) -> Deferred[Any]:
        """As IStreamClientEndpoint has it. What keeps a tunnel from being made is a ProxyError."""
        wrapping = WrappingFactory(factory)
        wrapping.noisy = False
        wrapping.protocol = partial(_Tunnel, head=self._head, proxy=self._proxy)
        connecting: Deferred[Any] = self._to.connect(wrapping)

        def opened(tunnel: "_Tunnel") -> Deferred[Any]:
            tunnel.ready.addTimeout(self._timeout, self._reactor)
            return tunnel.ready.addErrback(late)

        def late(failure: Failure) -> None:
            # So it is plain, also of what was cancelled, that nothing has been sent.
            failure.trap(TimeoutError, CancelledError)
            raise ProxyError(f"{self._proxy} has not answered in {self._timeout:g} s")

        return connecting.addCallback(opened)


class _Tunnel(ProtocolWrapper):
    """A connection that is the wrapped protocol's from the proxy's answer on. `ready` fires with
    that protocol, and fails with ProxyError."""

    transport: Any
    wrappedProtocol: Any

    def __init__(self, *made: Any, head: bytes, proxy: Proxy) -> None:
        super().__init__(*made)
        self._sent = head
        self._proxy = proxy
        self._came = b""
        self._open = False
        self.ready: Deferred[Any] = Deferred(lambda _: self.transport.abortConnection())

    def makeConnection(self, transport: Any) -> None:
        directlyProvides(self, providedBy(transport))
        Protocol.makeConnection(self, transport)
        self.factory.registerProtocol(self)
        transport.write(self._sent)

    def dataReceived(self, data: bytes) -> None:
        if self._open:
            self.wrappedProtocol.dataReceived(data)
            return
        if self.ready.called:
            return
        self._came += data
        end = _BLANK.search(self._came)
        if end is None and len(self._came) <= _MOST_HEAD:
            return
        status = _STATUS.match(self._came)
        if end is None or status is None:
            self._fail("its answer is not HTTP")
        elif not 200 <= int(status[1]) < 300:
            words = (status[2] or b"").decode("ascii").strip()
            self._fail(f"it refuses the connection with {status[1].decode()} {words}".strip())
        else:
            rest, self._came = self._came[end.end() :], b""
            self._open = True
            self.wrappedProtocol.makeConnection(self)
            self.ready.callback(self.wrappedProtocol)
            if rest:
                self.wrappedProtocol.dataReceived(rest)

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if self._open:
            super().connectionLost(reason)  # type: ignore[no-untyped-call]
            return
        self.factory.unregisterProtocol(self)
        if not self.ready.called:
            self._fail("it has closed the connection")

    def _fail(self, why: str) -> None:
        self.ready.errback(ProxyError(f"{self._proxy}: {why}"))
        self.transport.abortConnection()
