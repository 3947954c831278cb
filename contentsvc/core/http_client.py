"""Requests to other services, beside an Agent of Twisted: one that is quiet and bounds what it is
sent, the body of an answer up to a limit, and the reason why there is none.

Nothing here trusts the other side. It may be slow, hang, cut off, or send without end.
"""

import re
from collections.abc import Iterable
from functools import partial
from math import inf
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.endpoints import HostnameEndpoint, wrapClientTLS
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.protocol import Protocol, connectionDone
from twisted.protocols.policies import ProtocolWrapper, WrappingFactory
from twisted.python.failure import Failure
from twisted.web.client import (
    URI,
    Agent,
    BrowserLikePolicyForHTTPS,
    HTTPConnectionPool,
    ResponseDone,
)
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

CONNECT = 5.0
"""Seconds for a connection."""
HEADERS = 64 * 1024
"""Bytes of the headers of an answer. Twisted's client would keep any number of them, and read any
number of interim answers."""
MOST_ANSWERED = 8 * 1024 * 1024
"""Bytes of an answer with all that may come before and after its body, which has its own limit."""
PLAIN = (None, "", "identity")
"""Content-Encoding of the bytes themselves."""
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
) -> IAgent:
    """An Agent that writes no lines into the log for each connection, and takes answers of at most
    `most` bytes. With None only their headers are bounded. `connect` is in seconds."""
    endpoints = _Endpoints(reactor, connect, policy or BrowserLikePolicyForHTTPS(), most)
    made: IAgent = Agent.usingEndpointFactory(reactor, endpoints, pool)
    return made


@implementer(IAgentEndpointFactory)
class _Endpoints:
    """Where an Agent connects to, as its own endpoints do."""

    def __init__(
        self, reactor: Any, connect: float, policy: IPolicyForHTTPS, most: int | None
    ) -> None:
        self._reactor = reactor
        self._connect = connect
        self._policy = policy
        self._most = most

    def endpointForURI(self, uri: URI) -> "_Quiet":
        """The endpoint of this host. Raises SchemeNotSupported."""
        if uri.scheme not in (b"http", b"https"):
            raise SchemeNotSupported(f"Unsupported scheme: {uri.scheme!r}")
        host: Any = HostnameEndpoint(self._reactor, uri.host, uri.port, timeout=self._connect)
        if uri.scheme == b"https":
            host = wrapClientTLS(self._policy.creatorForNetloc(uri.host, uri.port), host)
        return _Quiet(host, self._most)


@implementer(IStreamClientEndpoint)
class _Quiet:
    def __init__(self, endpoint: Any, most: int | None) -> None:
        self._endpoint = endpoint
        self._most = most

    def connect(self, factory: Any) -> Deferred[Any]:
        bounding = WrappingFactory(factory)
        bounding.protocol = partial(_Bounded, most=self._most)
        bounding.noisy = factory.noisy = False
        connecting: Deferred[Any] = self._endpoint.connect(bounding)
        return connecting.addCallback(lambda bounded: bounded.wrappedProtocol)


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


@implementer(IAgent)
class Unpacked:
    """Takes no packed answers through this Agent: some unpack to a thousand times of what has come.
    One that is packed all the same stays so: treq would unpack it by its Content-Encoding."""

    def __init__(self, agent: IAgent) -> None:
        self._agent = agent

    def request(
        self,
        method: bytes,
        uri: bytes,
        headers: Headers | None = None,
        bodyProducer: IBodyProducer | None = None,
    ) -> Deferred[IResponse]:
        """As IAgent has it."""
        sent = Headers() if headers is None else headers.copy()
        sent.setRawHeaders("Accept-Encoding", ["identity"])

        def keep(response: IResponse) -> IResponse:
            found = response.headers.getRawHeaders("Content-Encoding") or []
            if any(coding not in PLAIN for coding in found):
                response.headers.removeHeader("Content-Encoding")
            return response

        asking: Deferred[IResponse] = self._agent.request(method, uri, sent, bodyProducer)
        return asking.addCallback(keep)


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


def reason(error: Exception) -> str:
    """The text of the innermost error."""
    reasons = getattr(error, "reasons", None)
    if reasons:
        return reason(reasons[0].value)
    text = " ".join(str(error).split())
    return text or type(error).__name__
