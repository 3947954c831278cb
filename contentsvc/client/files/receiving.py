"""A file on its way here: one GET, or the rest of one, streamed to disk."""

from collections.abc import Callable
from typing import Any, cast

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from twisted.web.client import ResponseDone, ResponseFailed
from twisted.web.http import PotentialDataLoss
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgent, IResponse

from contentsvc.client.exchange import LOST, Exchange, LocalError
from contentsvc.client.files.incoming import Incoming
from contentsvc.client.files.sending import CHUNK, MOST_ANSWER, SILENCE, SILENT
from contentsvc.client.http import Response

_MOST_WAITING = 2 * CHUNK
"""Bytes that wait for the disk before no more are read from the connection."""


class Receiver:
    """Receives files."""

    def __init__(self, reactor: Any, agent: IAgent) -> None:
        self._reactor = reactor
        self._agent = agent

    async def get(self, url: str, into: Incoming, came: Callable[[int], object]) -> Response:
        """GET what is missing of a file. The answer, whatever its status is; the body of 200 and
        206 is in the file. `came` is told how many bytes are there.

        Raises Unreachable if not all comes; the next call goes on from there. Raises OSError if the
        file cannot be written.
        """
        request = f"GET {url.partition('?')[0]}"
        exchange = Exchange(self._reactor, request, SILENCE, SILENT)

        def progress() -> None:
            exchange.alive()
            came(into.there)

        return await exchange.run(self._exchange(url, into, exchange.alive, progress))

    async def _exchange(
        self,
        url: str,
        into: Incoming,
        alive: Callable[[], object],
        progress: Callable[[], object],
    ) -> Response:
        # Nothing that is not asked for: no token, and no encoding that changes the bytes.
        headers = Headers({"Accept-Encoding": ["identity"]})
        if into.there and into.etag is not None:
            headers.addRawHeader("Range", f"bytes={into.there}-")
            headers.addRawHeader("If-Range", into.etag)
        response = await self._agent.request(b"GET", url.encode(), headers)
        if response.code not in {200, 206}:
            return await self._small(response)
        try:
            if response.code == 200 or not _continues(response, into):
                await _on_disk(into.restart(_strong_etag(response)))
                if response.code == 206:
                    # The next attempt asks for all.
                    raise OSError("the part that came is not the one that was asked for")
            progress()
        except BaseException:
            _abandon(response)
            raise
        receiving = _Receiving(into, alive, progress)
        response.deliverBody(receiving)
        await receiving.ended
        return Response(response.code, response.headers, b"")

    async def _small(self, response: IResponse) -> Response:
        reading = _Small()
        response.deliverBody(reading)
        return Response(response.code, response.headers, await reading.ended)


async def _on_disk(work: Any) -> None:
    try:
        await work
    except OSError as error:
        raise LocalError(error) from None


def _strong_etag(response: IResponse) -> str | None:
    values = response.headers.getRawHeaders("ETag") or [""]
    return values[-1] if values[-1].startswith('"') else None


def _continues(response: IResponse, into: Incoming) -> bool:
    values = response.headers.getRawHeaders("Content-Range") or [""]
    return into.there > 0 and values[-1].startswith(f"bytes {into.there}-")


def _abandon(response: IResponse) -> None:
    small = _Small()
    small.ended.addErrback(lambda _: None)
    response.deliverBody(small)
    small.ended.cancel()


class _Small(Protocol):
    """The body of an error, of which no more than the first part matters."""

    def __init__(self) -> None:
        self._data = b""
        self.ended: Deferred[bytes] = Deferred(lambda _: self._stop())

    def _stop(self) -> None:
        if self.transport is not None:
            cast(IPushProducer, self.transport).stopProducing()

    def dataReceived(self, data: bytes) -> None:
        self._data += data
        if len(self._data) > MOST_ANSWER:
            self._stop()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if not self.ended.called:
            self.ended.callback(self._data)


class _Receiving(Protocol):
    """The body of a file. While the disk is behind, the connection is not read."""

    def __init__(
        self, into: Incoming, alive: Callable[[], object], progress: Callable[[], object]
    ) -> None:
        self._into = into
        self._alive = alive
        self._progress = progress
        self._waiting: list[bytes] = []
        self._bytes = 0
        self._expected = into.size - into.there
        self._writing = self._paused = False
        self._lost: Failure | None = None
        self.ended: Deferred[None] = Deferred(lambda _: self._stop())

    @property
    def _producer(self) -> IPushProducer:
        return cast(IPushProducer, self.transport)

    def _stop(self) -> None:
        self._waiting.clear()
        if self.transport is not None and self._lost is None:
            self._producer.stopProducing()

    def dataReceived(self, data: bytes) -> None:
        if self.ended.called:
            return
        self._expected -= len(data)
        if self._expected < 0:
            self.ended.errback(OSError("more bytes came than the file has"))
            self._stop()
            return
        self._waiting.append(data)
        self._bytes += len(data)
        self._alive()
        if self._bytes > _MOST_WAITING and not self._paused:
            self._paused = True
            self._producer.pauseProducing()
        self._write()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._lost = reason
        self._write()

    def _write(self) -> None:
        if self._writing or self.ended.called:
            return
        last = self._lost is not None or self._expected == 0
        if self._waiting and (last or self._paused or self._bytes >= CHUNK):
            self._flush()
        elif self._lost is not None:
            self._finish(self._lost)

    def _flush(self) -> None:
        data = b"".join(self._waiting)
        self._waiting.clear()
        self._bytes = 0
        self._writing = True
        self._into.write(data).addCallback(self._written).addErrback(self._cannot)

    def _written(self, _: object) -> None:
        self._writing = False
        self._progress()
        if self._paused:
            self._paused = False
            self._producer.resumeProducing()
        self._write()

    def _cannot(self, failure: Failure) -> None:
        self._writing = False
        if not self.ended.called:
            self.ended.errback(LocalError(failure.value))
            self._stop()

    def _finish(self, reason: Failure) -> None:
        whole = self._expected == 0
        if whole and reason.check(ResponseDone, PotentialDataLoss):
            self.ended.callback(None)
        elif reason.check(ResponseDone, PotentialDataLoss):
            self.ended.errback(OSError("fewer bytes came than the file has"))
        elif reason.check(*LOST):
            self.ended.errback(reason)
        else:
            self.ended.errback(ResponseFailed([reason]))
