"""Requests to an S3 store: signed, bounded in number, time and size, and repeated where that helps.

Nothing here trusts the store. It may be slow, hang, cut off, send without end, or send elsewhere.
Redirects are not followed: another host would get what was signed for this one.
"""

import re
from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, NamedTuple

from twisted.internet.defer import (
    CancelledError,
    Deferred,
    DeferredSemaphore,
    succeed,
)
from twisted.internet.endpoints import HostnameEndpoint, wrapClientTLS
from twisted.internet.interfaces import IConsumer, IStreamClientEndpoint
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
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgent, IAgentEndpointFactory, IBodyProducer, IResponse
from zope.interface import implementer

from contentsvc.bucket.bucket import BadStore, StorageUnavailable
from contentsvc.bucket.patience import within
from contentsvc.bucket.sigv4 import Signer
from contentsvc.clocks import WallClock
from contentsvc.timers import Backoff, Sleeps

CONNECT = 5.0
"""Seconds for a connection."""
WHOLE = 15.0
"""Seconds for a request, from the connection to the last byte of its answer."""
TRIES = 3
"""Attempts of a request that the store does not answer, or answers with a 5xx."""
FIRST_PAUSE, LAST_PAUSE = 0.1, 1.0
"""Seconds before the next attempt; they double."""
MOST = 32
"""Requests at once. The others wait. All answers may come in one turn of the reactor, and each
costs it some 0.2 ms."""
ERROR = 16 * 1024
"""Bytes that are read of an answer that is an error."""
HEADERS = 64 * 1024
"""Bytes of the headers of an answer. Twisted's client would keep any number of them, and read any
number of interim answers."""
MOST_ANSWERED = 8 * 1024 * 1024
"""Bytes of an answer with all that may come before and after its body, which has its own limit."""
_IDLE = 30
"""Seconds that a connection is kept for the next request."""
_LATE = "the store cannot be reached: no whole answer"
_BLANK = re.compile(rb"\n\r?\n")
"""The end of headers."""
_INTERIM = re.compile(rb"HTTP/1\.[01] 1")
"""The begin of an answer that is not the last."""
_CODE = re.compile(rb"<Code>([A-Za-z0-9.]{1,64})</Code>")


class Answer(NamedTuple):
    """An answer. `whole` is false if its body went on beyond the limit; the rest was not read."""

    status: int
    headers: Headers
    body: bytes
    whole: bool

    def header(self, name: str) -> str | None:
        """The header's value; the last one, if there are several."""
        values = self.headers.getRawHeaders(name.encode())
        return values[-1].decode("latin-1") if values else None

    @property
    def length(self) -> int | None:
        """Content-Length of an answer to HEAD; other answers say it by their body."""
        value = self.header("Content-Length") or ""
        return int(value) if re.fullmatch("[0-9]{1,18}", value) else None

    def unexpected(self, what: str) -> StorageUnavailable:
        """The error that says that this is no answer to a request as `what`: "GET of a list"."""
        found = _CODE.search(self.body)
        code = f" {found[1].decode()}" if found else ""
        text = f"the store answers a {what} with {self.status}{code}"
        # 408 and 429 are the client errors that a client cannot help; 501 does not go away.
        waits = self.status in {408, 429} or (self.status >= 500 and self.status != 501)
        return StorageUnavailable(text) if waits else BadStore(text)


class Calls:
    """Asks a store. `random` is for the pauses between attempts; `connect`, `whole` and `tries` are
    CONNECT, WHOLE and TRIES. All methods raise StorageUnavailable."""

    def __init__(
        self,
        reactor: Any,
        wall: WallClock,
        random: Random,
        signer: Signer,
        *,
        connect: float = CONNECT,
        whole: float = WHOLE,
        tries: int = TRIES,
        agent: IAgent | None = None,
    ) -> None:
        self._reactor = reactor
        self._wall = wall
        self._random = random
        self._signer = signer
        self._whole = whole
        self._tries = tries
        self._slots = DeferredSemaphore(MOST)
        self._sleeps = Sleeps(reactor)
        self._pool = HTTPConnectionPool(reactor)
        self._pool.maxPersistentPerHost = MOST
        self._pool.cachedConnectionTimeout = _IDLE
        self._agent = agent or agent_of(reactor, self._pool, connect)

    async def stop(self) -> None:
        """Close the idle connections, and end the pauses."""
        self._sleeps.stop()
        await self._pool.closeCachedConnections()

    async def ask(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        limit: int = ERROR,
        tries: int | None = None,
        whole: float | None = None,
    ) -> Answer:
        """Send a signed request without body, as often as it takes to get an answer below 500,
        or 501. `limit` is the most bytes of a body that are read, `whole` the seconds that each
        attempt may take."""
        backoff = Backoff(FIRST_PAUSE, LAST_PAUSE, self._random)
        left = tries or self._tries
        while True:
            left -= 1
            url, sent = self._signer.sign(
                method, path, at=self._wall.seconds(), query=query, headers=headers
            )
            try:
                answer = await self.send(method, url, sent, limit=limit, whole=whole)
                if answer.status >= 500 and answer.status != 501:
                    raise answer.unexpected(method)
                return answer
            except StorageUnavailable:
                if not left:
                    raise
            await self._sleeps.sleep(backoff.next())

    async def send(
        self,
        method: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None = None,
        *,
        limit: int = ERROR,
        whole: float | None = None,
    ) -> Answer:
        """Send this request once."""
        await self._slots.acquire()
        try:
            exchange = self._exchange(method, url, headers, body, limit)
            return await within(whole or self._whole, self._reactor, exchange, _LATE)
        except (CancelledError, StorageUnavailable):
            raise
        except Exception as error:
            raise StorageUnavailable(f"the store cannot be reached: {_reason(error)}") from None
        finally:
            self._slots.release()

    async def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, limit: int
    ) -> Answer:
        sent = Headers({name: [value] for name, value in headers.items()})
        # Not treq's client: it encodes the URL anew, keeps cookies, and unpacks what is gzipped.
        response: IResponse = await _at_once(
            self._agent.request(
                method.encode(),
                url.encode(),
                sent,
                None if body is None else _Body(body),
            )
        )
        reading = _Reading(limit)
        # No body was asked for, or none can come.
        if method != "HEAD" and response.code not in {204, 304}:
            response.deliverBody(reading)
            await reading.done
        return Answer(response.code, response.headers, reading.body, reading.whole)


def agent_of(reactor: Any, pool: HTTPConnectionPool, connect: float = CONNECT) -> IAgent:
    """An Agent that writes no lines into the log for each connection."""
    made: IAgent = Agent.usingEndpointFactory(reactor, _Endpoints(reactor, connect), pool)
    return made


@implementer(IAgentEndpointFactory)
class _Endpoints:
    """Where an Agent connects to, as its own endpoints do."""

    def __init__(self, reactor: Any, connect: float) -> None:
        self._reactor = reactor
        self._connect = connect
        self._policy = BrowserLikePolicyForHTTPS()

    def endpointForURI(self, uri: URI) -> "_Quiet":
        """The endpoint of this host."""
        host = HostnameEndpoint(self._reactor, uri.host, uri.port, timeout=self._connect)
        if uri.scheme == b"https":
            return _Quiet(wrapClientTLS(self._policy.creatorForNetloc(uri.host, uri.port), host))
        return _Quiet(host)


@implementer(IStreamClientEndpoint)
class _Quiet:
    def __init__(self, endpoint: Any) -> None:
        self._endpoint = endpoint

    def connect(self, factory: Any) -> Deferred[Any]:
        bounding = WrappingFactory(factory)
        bounding.protocol = _Bounded
        bounding.noisy = factory.noisy = False
        connecting: Deferred[Any] = self._endpoint.connect(bounding)
        return connecting.addCallback(lambda bounded: bounded.wrappedProtocol)


class _Bounded(ProtocolWrapper):
    """A connection that is closed if an answer goes on for too long."""

    transport: Any
    _came = 0
    _head: bytes | None = b""
    """What has come, until it has all headers of the answer."""

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
        if self._came > (MOST_ANSWERED if self._head is None else HEADERS):
            self.abortConnection()
        else:
            self.wrappedProtocol.dataReceived(data)


class _Reading(Protocol):
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


@implementer(IBodyProducer)
class _Body:
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


def _at_once(inner: Deferred[Any]) -> Deferred[Any]:
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


def _reason(error: Exception) -> str:
    """The text of the innermost error."""
    reasons = getattr(error, "reasons", None)
    if reasons:
        return _reason(reasons[0].value)
    text = " ".join(str(error).split())
    return text or type(error).__name__
