"""One file on its way to the store: one PUT, streamed from disk.

Twisted's own client cannot do this well. If an answer comes while the body is still being sent, it
shows the answer only after the whole body, and not at all if the connection is lost before. A
refusal comes at just that time.
"""

from collections.abc import Callable, Mapping, Sequence
from http.client import HTTPException, HTTPResponse, IncompleteRead
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionLost
from twisted.internet.interfaces import IPushProducer, IStreamClientEndpoint
from twisted.internet.protocol import Factory, connectionDone
from twisted.internet.protocol import Protocol as TwistedProtocol
from twisted.python.failure import Failure
from twisted.web.http_headers import Headers
from zope.interface import implementer

from contentsvc.client.connections import way_to
from contentsvc.client.errors import FileChanged, Unreachable
from contentsvc.client.files.local import CHUNK, Parts
from contentsvc.client.http import LOST, Exchange, LocalError, Response
from contentsvc.framework.core.disk import naming
from contentsvc.framework.core.http_proxy import Proxies, Proxy, ProxyError
from contentsvc.framework.images.metadata import Part

SILENCE = 60.0
"""Seconds without any progress after which a transfer counts as lost."""
SILENT = f"nothing moved for {SILENCE:g} s"
MOST_ANSWER = 64 * 1024
"""Bytes of an answer that are read. Answers to a PUT are small."""

_INFORMATIONAL = (b"HTTP/1.1 1", b"HTTP/1.0 1")
_GIVEN_BY_HTTP = frozenset({"host", "content-length", "connection"})


class Threads(Protocol):
    """Runs a function in a thread."""

    def __call__(self, function: Callable[..., Any], /, *arguments: Any) -> Deferred[Any]:
        """The result of the function."""


class Sender:
    """Sends files."""

    def __init__(self, reactor: Any, threads: Threads, proxies: Proxies | None = None) -> None:
        self._reactor = reactor
        self._threads = threads
        self._proxies = proxies or Proxies()

    async def put(
        self,
        url: str,
        headers: Mapping[str, str],
        file: Path,
        size: int,
        sent: Callable[[int], object],
        parts: Sequence[Part] | None = None,
    ) -> Response:
        """Send the first `size` bytes of a file, or of its `parts`, with exactly these headers.
        Returns the answer, whatever its status is. Calls `sent` with the number of bytes that have
        left so far.

        Raises Unreachable; FileChanged if the file has become shorter; OSError if it cannot be
        read; ValueError if the URL or a header is not valid; and what `sent` raises.
        """
        try:
            way = way_to(self._reactor, url, self._proxies)
        except ProxyError as error:
            raise Unreachable(f"PUT {_bare(url)}: {error}", maybe_done=False) from None
        head = _head(url, headers, size, way.proxy)
        whole = ((0, size),) if parts is None else parts
        body = Parts(await self._threads(open, file, "rb", 0), whole)
        exchange = Exchange(self._reactor, f"PUT {_bare(url)}", SILENCE, SILENT)
        sending = _Sending(self._threads, head, body, size, sent, exchange.alive)
        try:
            return await exchange.run(self._exchange(way.endpoint, sending))
        finally:
            sending.release()

    async def _exchange(self, to: IStreamClientEndpoint, sending: "_Sending") -> Response:
        factory = Factory.forProtocol(lambda: sending)
        await to.connect(factory)
        return await sending.answered


@implementer(IPushProducer)
class _Sending(TwistedProtocol):
    """A connection for one PUT. An answer before the end of the file ends the sending."""

    transport: Any

    def __init__(
        self,
        threads: Threads,
        head: bytes,
        body: Parts,
        size: int,
        sent: Callable[[int], object],
        progress: Callable[[], object],
    ) -> None:
        self._threads = threads
        self._head = head
        self._body = body
        self._left = self._size = size
        self._sent = sent
        self._progress = progress
        self._received = b""
        self._reading = self._paused = self._over = False
        self.answered: Deferred[Response] = Deferred(lambda _: self._end())

    def release(self) -> None:
        """Stop, and close the file."""
        self._end()
        if not self._reading:
            self._body.close()

    # The connection.

    def connectionMade(self) -> None:
        if self._over:
            self.transport.abortConnection()
            return
        self.transport.write(self._head)
        self.transport.registerProducer(self, True)
        self._read()

    def dataReceived(self, data: bytes) -> None:
        if self._over:
            return
        self._progress()
        self._received = without_informational(self._received + data)
        if is_final(self._received):
            self._stop_sending()
        answer = parsed(self._received, whole=True)
        if answer is not None or len(self._received) > MOST_ANSWER:
            self._answer(answer or parsed(self._received, whole=False))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if not self._over:
            self._answer(parsed(self._received, whole=False), reason.value)

    def _answer(self, answer: Response | None, error: BaseException | None = None) -> None:
        self._end()
        if answer is not None:
            self.answered.callback(answer)
        elif isinstance(error, LOST):
            self.answered.errback(error)
        else:
            self.answered.errback(ConnectionLost(str(error or "the answer is not HTTP")))

    def _end(self) -> None:
        if not self._over:
            self._over = True
            self._stop_sending()
            if self.transport is not None:
                self.transport.abortConnection()

    # The file.

    def pauseProducing(self) -> None:
        self._paused = True

    def resumeProducing(self) -> None:
        self._paused = False
        self._progress()
        self._read()

    def stopProducing(self) -> None:
        """The connection is lost. connectionLost is called too."""
        self._left = 0

    def _read(self) -> None:
        if self._left and not (self._reading or self._paused or self._over):
            self._reading = True
            read = self._threads(self._next, min(CHUNK, self._left))
            read.addCallbacks(self._came, self._cannot)
            read.addErrback(self._cannot)

    def _next(self, size: int) -> bytes:
        with naming(self._body.name):
            return self._body.read(size)

    def _came(self, data: bytes) -> None:
        self._reading = False
        if self._over:
            self._body.close()
        elif not self._left:
            pass
        elif not data:
            raise FileChanged(self._body.name, "it has become shorter")
        else:
            self._progress()
            self._left -= len(data)
            self.transport.write(data)
            self._sent(self._size - self._left)
            if self._left:
                self._read()
            else:
                self._stop_sending()

    def _cannot(self, failure: Failure) -> None:
        self._reading = False
        if self._over:
            self._body.close()
        else:
            self._end()
            self.answered.errback(LocalError(failure.value))

    def _stop_sending(self) -> None:
        self._left = 0
        if self.transport is not None:
            self.transport.unregisterProducer()


def _head(url: str, headers: Mapping[str, str], size: int, proxy: Proxy | None) -> bytes:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if proxy is not None:
        target = f"{parts.scheme}://{parts.netloc}{target}"
        headers = {**headers, **proxy.headers}
    lines = [f"PUT {target} HTTP/1.1", f"Host: {parts.netloc.rpartition('@')[2]}"]
    lines += [f"Content-Length: {size}", "Connection: close"]
    lines += [f"{n}: {v}" for n, v in headers.items() if n.lower() not in _GIVEN_BY_HTTP]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("a header or the URL of an upload has a line break")
    return "\r\n".join([*lines, "", ""]).encode()


def _bare(url: str) -> str:
    """The URL without its signature, for messages."""
    return url.partition("?")[0]


class _Socket:
    """Gives HTTPResponse bytes to read, in place of a socket."""

    def __init__(self, data: bytes) -> None:
        self._data = data

    def makefile(self, mode: str) -> BytesIO:
        return BytesIO(self._data)


def is_final(data: bytes) -> bool:
    """Whether this is the beginning of an answer that is not informational (1xx)."""
    return len(data) >= 10 and not data.startswith(_INFORMATIONAL)


def without_informational(data: bytes) -> bytes:
    """The bytes after informational answers, such as 100 Continue."""
    while data.startswith(_INFORMATIONAL) and b"\r\n\r\n" in data:
        data = data.partition(b"\r\n\r\n")[2]
    return data


def parsed(data: bytes, *, whole: bool) -> Response | None:
    """The answer in these bytes, None if they are not one. With `whole` it is also None until all
    of the answer has come."""
    if b"\r\n\r\n" not in data:
        return None
    response = HTTPResponse(cast(Any, _Socket(data)), method="PUT")
    try:
        response.begin()
        if whole and response.length is None and not response.chunked:
            return None  # ends with the connection
        body = response.read()
    except IncompleteRead as error:
        if whole:
            return None
        body = error.partial
    except (HTTPException, ValueError):
        return None
    headers = Headers()
    for name, value in response.getheaders():
        headers.addRawHeader(name, value)
    return Response(response.status, headers, body)
