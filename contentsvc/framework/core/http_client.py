"""Requests to other services, beside an Agent of Twisted: one that is quiet and bounds what it is
sent, the body of an answer up to a limit, and the reason why there is none.

Nothing here trusts the other side. It may be slow, hang, cut off, or send without end.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import partial
from math import inf
from typing import Any

from twisted.internet.defer import Deferred, fail, succeed
from twisted.internet.endpoints import wrapClientTLS
from twisted.internet.interfaces import IConsumer, IStreamClientEndpoint
from twisted.internet.protocol import Protocol, connectionDone
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from twisted.web.client import URI, Agent, HTTPConnectionPool, ProxyAgent, ResponseDone
from twisted.web.error import SchemeNotSupported
from twisted.web.http_headers import Headers
from twisted.web.iweb import (
    IAgent,
    IAgentEndpointFactory,
    IBodyProducer,
    IPolicyForHTTPS,
    IResponse,
)
from zope.interface import implementer

from contentsvc.framework.core.connections import LOOKUP_TIMEOUT, Trusting, endpoint, reason
from contentsvc.framework.core.host_names import ascii_host
from contentsvc.framework.core.http_proxy import (
    Proxies,
    Proxy,
    ProxyEndpoint,
    ProxyError,
    TunnelEndpoint,
)

__all__ = [
    "CONNECT",
    "PLAIN",
    "Reading",
    "agent_of",
    "at_once",
    "ignored_proxy",
    "reason",
    "request",
    "retry_after",
]

CONNECT = 5.0
"""Seconds for a connection."""
HEADERS = 64 * 1024
"""Bytes of the headers of an answer. Twisted's client would keep any number of them, and read any
number of interim answers."""
MOST_ANSWERED = 8 * 1024 * 1024
"""Bytes of an answer with all that may come before and after its body, which has its own limit."""
PLAIN = (None, "", "identity")
"""Content-Encoding of the bytes themselves."""
_SECONDS = re.compile(r"[0-9]{1,12}(\.[0-9]{1,6})?")
_BLANK = re.compile(rb"\n\r?\n")
"""The end of headers."""
_INTERIM = re.compile(rb"HTTP/1\.[01] 1")
"""The begin of an answer that is not the last."""


def agent_of(
    reactor: Any,
    pool: HTTPConnectionPool,
    connect: float = CONNECT,
    *,
    policy: IPolicyForHTTPS | None = None,
    most: int | None = MOST_ANSWERED,
    proxies: Proxies | None = None,
    lookup: float = LOOKUP_TIMEOUT,
) -> IAgent:
    """An Agent that writes no lines into the log for each connection, and takes answers of at most
    `most` bytes. With None only their headers are bounded. The addresses of a name may take
    `lookup` seconds, and a connection to one of them `connect`. Requests go through the `proxies`;
    without, errors say which variable of the environment is ignored."""
    endpoints = _Endpoints(reactor, connect, lookup, policy or Trusting(), most, proxies)
    return _Agent(reactor, pool, endpoints)


@implementer(IAgent)
class _Agent:
    """Sends requests to their hosts, or to a proxy."""

    def __init__(self, reactor: Any, pool: HTTPConnectionPool, endpoints: "_Endpoints") -> None:
        self._reactor = reactor
        self._pool = pool
        self._endpoints = endpoints
        self._direct = Agent.usingEndpointFactory(reactor, endpoints, pool)
        self._proxied: dict[Proxy, ProxyAgent] = {}
        """An Agent for each proxy: the pool distinguishes their connections by them."""

    def request(
        self,
        method: bytes,
        uri: bytes,
        headers: Headers | None = None,
        bodyProducer: IBodyProducer | None = None,
    ) -> Deferred[IResponse]:
        """As IAgent has it. Fails with BadHost and ProxyError too."""
        try:
            proxy = self._endpoints.proxy(uri)
            if proxy is None or uri[:6].lower() == b"https:":
                direct: Deferred[IResponse] = self._direct.request(
                    method, uri, headers, bodyProducer
                )
                return direct
            if proxy not in self._proxied:
                to = self._endpoints.of_proxy(proxy)
                self._proxied[proxy] = ProxyAgent(to, self._reactor, self._pool)
            sent = Headers() if headers is None else headers.copy()
            for name, value in proxy.headers.items():
                sent.setRawHeaders(name, [value])
            asking: Deferred[IResponse] = self._proxied[proxy].request(
                method, uri, sent, bodyProducer
            )
            return asking
        except (ProxyError, ValueError) as error:
            return fail(error)


@implementer(IAgentEndpointFactory)
class _Endpoints:
    """Where an Agent connects to, as its own endpoints do."""

    def __init__(
        self,
        reactor: Any,
        connect: float,
        lookup: float,
        policy: IPolicyForHTTPS,
        most: int | None,
        proxies: Proxies | None,
    ) -> None:
        self._reactor = reactor
        self._connect = connect
        self._lookup = lookup
        self._policy = policy
        self._most = most
        self._proxies = proxies

    def proxy(self, uri: bytes) -> Proxy | None:
        """The proxy for requests to a URL. Raises ProxyError."""
        return None if self._proxies is None else self._proxies.of(uri.decode("ascii"))

    def of_proxy(self, proxy: Proxy) -> "_Quiet":
        """The endpoint of a proxy."""
        return _Quiet(ProxyEndpoint(self._reactor, proxy, self._connect), self._most)

    def endpointForURI(self, uri: URI) -> "_Quiet":
        """The endpoint of this host. Raises SchemeNotSupported, BadHost, ProxyError."""
        if uri.scheme not in (b"http", b"https"):
            raise SchemeNotSupported(f"Unsupported scheme: {uri.scheme!r}")
        name = ascii_host(uri.host.decode("ascii"))
        proxy = self.proxy(uri.toBytes())
        host: Any = (
            endpoint(self._reactor, name, uri.port, timeout=self._connect, lookup=self._lookup)
            if proxy is None
            else TunnelEndpoint(self._reactor, proxy, name, uri.port, self._connect)
        )
        if uri.scheme == b"https":
            host = wrapClientTLS(self._policy.creatorForNetloc(uri.host, uri.port), host)
        return _Quiet(host, self._most, self._ignored(uri))

    def _ignored(self, uri: URI) -> str:
        return "" if self._proxies is not None else ignored_proxy(uri.toBytes().decode("ascii"))


@implementer(IStreamClientEndpoint)
class _Quiet:
    """An endpoint whose connections are bounded. `note` follows its errors."""

    def __init__(self, endpoint: Any, most: int | None, note: str = "") -> None:
        self._endpoint = endpoint
        self._most = most
        self._note = note

    def connect(self, factory: Any) -> Deferred[Any]:
        bounding = WrappingFactory(factory)
        bounding.protocol = partial(_Bounded, most=self._most)
        bounding.noisy = factory.noisy = False
        connecting: Deferred[Any] = self._endpoint.connect(bounding)
        return connecting.addCallbacks(lambda bounded: bounded.wrappedProtocol, self._failed)

    def _failed(self, failure: Failure) -> Failure:
        if self._note and failure.value is not None:
            failure.value.add_note(self._note)
        return failure


class _Bounded(ProtocolWrapper):
    """A connection that is closed if an answer goes on for too long."""

    transport: Any
    _came = 0
    _head: bytes | None = b""
    """What has come, until it has all headers of the answer."""

    def __init__(self, *made: Any, most: int | None) -> None:
        super().__init__(*made)
        self._most = inf if most is None else most

    def write(self, data: bytes) -> None:
        self._came, self._head = 0, b""
        self.transport.write(data)

    def writeSequence(self, iovec: Iterable[bytes]) -> None:
        self.write(b"".join(iovec))

    def dataReceived(self, data: bytes) -> None:
        self._came += len(data)
        if self._head is not None:
            self._head += data
            at = 0
            while (end := _BLANK.search(self._head, at)) and _INTERIM.match(self._head, at):
                at = end.end()
            if end:
                self._head = None
        if self._came > (self._most if self._head is None else HEADERS):
            self.abortConnection()
        else:
            self.wrappedProtocol.dataReceived(data)


@implementer(IBodyProducer)
class Body:
    """Bytes as the body of a request."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self.length = len(body)

    def startProducing(self, consumer: IConsumer) -> Deferred[None]:
        consumer.write(self._body)
        return succeed(None)

    def pauseProducing(self) -> None:
        """Everything is written."""

    resumeProducing = stopProducing = pauseProducing


def request(
    agent: IAgent,
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes | None = None,
) -> Deferred[IResponse]:
    """The answer to a request: its body has still to be read. Redirects are answers like others, as
    they could lead anywhere. No cookies are kept. A packed answer is not asked for, and stays so:
    some unpack to a thousand times of what has come.

    The URL goes as it is, as it may be signed; see `ascii_url`. Fails with the errors of the
    connection, which `reason` explains.
    """
    sent = Headers({"Accept-Encoding": ["identity"]})
    for name, value in headers.items():
        sent.setRawHeaders(name, [value])
    try:
        uri = url.encode("ascii")
    except UnicodeError as error:
        return fail(error)
    return agent.request(method.encode(), uri, sent, None if body is None else Body(body))


class Reading(Protocol):
    """Takes the body of an answer, up to the limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.body = b""
        self.whole = True
        self._parts: list[bytes] = []
        self._size = 0
        self.done: Deferred[None] = Deferred(lambda done: self._leave())

    def dataReceived(self, data: bytes) -> None:
        if not self.whole:
            return
        self._parts.append(data)
        self._size += len(data)
        if self._size > self._limit:
            self.whole = False
            self._leave()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if self.done.called:
            return
        if self.whole and not reason.check(ResponseDone):
            self.done.errback(reason)
        else:
            self.body = b"".join(self._parts)[: self._limit]
            self.done.callback(None)

    def _leave(self) -> None:
        """Read no more, and do not use the connection again."""
        transport: Any = self.transport
        transport.stopProducing()


def at_once(inner: Deferred[Any]) -> Deferred[Any]:
    """A Deferred with the result of this one, which always ends with CancelledError when it is
    cancelled. The errors of a connection that was cancelled look like others."""
    cancelled = False

    def cancel(outer: Deferred[Any]) -> None:
        nonlocal cancelled
        cancelled = True
        inner.cancel()

    def deliver(result: Any) -> None:
        if not cancelled:
            outer.callback(result)

    outer: Deferred[Any] = Deferred(cancel)
    inner.addBoth(deliver)
    return outer


def retry_after(headers: Headers, now: float) -> float | None:
    """The seconds of the header Retry-After (RFC 9110 §10.2.3); None if it is absent, or says
    nothing. `now` is in Unix seconds. Where the answer has a Date, that counts: its clock is the
    same."""
    value = _last(headers, b"Retry-After")
    if _SECONDS.fullmatch(value):
        return float(value)
    until = _unix(value)
    if until is None:
        return None
    sent = _unix(_last(headers, b"Date"))
    return max(0.0, until - (now if sent is None else sent))


def _last(headers: Headers, name: bytes) -> str:
    """The last value of a header, of whatever bytes it is; "" without one."""
    values = headers.getRawHeaders(name)
    return values[-1].decode("latin-1").strip() if values else ""


def _unix(date: str) -> float | None:
    """A date of HTTP in Unix seconds; None if it is none."""
    try:
        when = parsedate_to_datetime(date)
        return when.replace(tzinfo=when.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def ignored_proxy(url: str) -> str:
    """What an error says of a request that goes through no proxy, though the environment names one;
    "" if it names none."""
    return Proxies().ignored(url)
