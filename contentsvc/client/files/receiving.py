"""One file on its way here: one GET, for all of it or for the rest, streamed to disk."""

import os
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO, cast

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IPushProducer
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from twisted.web.client import ResponseDone, ResponseFailed
from twisted.web.http import PotentialDataLoss
from twisted.web.http_headers import Headers
from twisted.web.iweb import IAgent, IResponse

from contentsvc.client.files.local import CHUNK, arrive
from contentsvc.client.files.sending import MOST_ANSWER, SILENCE, SILENT, Threads
from contentsvc.client.http import LOST, Exchange, LocalError, Response
from contentsvc.framework.core.disk import naming

if os.name == "posix":
    from fcntl import LOCK_EX, LOCK_NB, flock


_MOST_WAITING = 2 * CHUNK
"""The most bytes that wait for the disk. Reading from the connection pauses above that."""


class Incoming:
    """The first bytes of a file, in a partial file until all have come. A second file beside it has
    their ETag, so that a later process can go on from there. Where the system locks files, another
    download of the same file at the same time uses a partial file of another name.

    All methods raise OSError.
    """

    def __init__(self, threads: Threads, path: Path, size: int) -> None:
        self._threads = threads
        self._first = path
        self.path = path
        self.size = size
        self.there = 0
        """How many bytes have come."""
        self.etag: str | None = None
        self._file: BinaryIO | None = None
        self._lock: BinaryIO | None = None
        # A write may still be under way when its attempt has been given up.
        self._turn = Lock()

    async def open(self) -> None:
        """Find what came earlier."""
        await self._threads(self._open)

    def _open(self) -> None:
        with self._turn, naming(self._first):
            self._find()

    def _find(self) -> None:
        for number in count(1):
            self.path = (
                self._first
                if number == 1
                else self._first.with_name(f"{self._first.name}-{number}")
            )
            # Another download that ended may just have deleted the folder.
            self.path.parent.mkdir(exist_ok=True)
            # A link would lead out of the folder.
            flags = os.O_RDWR | os.O_CREAT
            flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            opened = os.open(self.path, flags, 0o666)
            if os.fstat(opened).st_nlink > 1:
                # An earlier process died after it gave the file a name: a write would change both.
                self.path.unlink(missing_ok=True)
            elif _is_mine(opened, self.path):
                break
            os.close(opened)
        # On POSIX a file can be renamed while it is open, so its lock lasts until it has its names.
        if os.name == "posix":
            self._lock = os.fdopen(os.dup(opened), "rb", 0)
        self._file = os.fdopen(opened, "r+b", 0)
        self.there = os.fstat(self._file.fileno()).st_size
        self.etag = None
        with suppress(FileNotFoundError, UnicodeDecodeError):
            self.etag = self._tag_path.read_text().strip() or None
        # A complete file needs no ETag: its digest is checked next.
        if self.there > self.size or (self.there < self.size and self.etag is None):
            self._empty(self._file, None)

    @property
    def _tag_path(self) -> Path:
        return self.path.with_name(self.path.name + ".etag")

    async def restart(self, etag: str | None) -> None:
        """Drop the bytes that came earlier. The bytes that come now have this ETag."""
        await self._threads(self._restart, etag)

    def _restart(self, etag: str | None) -> None:
        with self._turn, naming(self.path):
            if self._file is not None:
                self._empty(self._file, etag)

    def _empty(self, file: BinaryIO, etag: str | None) -> None:
        file.truncate(0)
        self.there, self.etag = 0, etag
        self._tag_path.unlink(missing_ok=True)
        if etag is not None:
            self._tag_path.write_text(etag)

    def write(self, data: bytes) -> Deferred[Any]:
        """Add bytes at the end."""
        return self._threads(self._write, data)

    def _write(self, data: bytes) -> None:
        with self._turn, naming(self.path):
            if self._file is None:
                return
            self._file.seek(self.there)
            view = memoryview(data)
            while view:
                view = view[self._file.write(view) :]
            self.there += len(data)

    async def sync(self) -> None:
        """Close the file when its bytes are on disk. Its lock stays."""
        await self._threads(self._close_file, True)

    def _close_file(self, sync: bool) -> None:
        with self._turn, naming(self.path):
            if self._file is not None:
                if sync:
                    os.fsync(self._file.fileno())
                self._file.close()
                self._file = None

    async def close(self) -> None:
        """Close the file and give up its lock. The bytes that have come stay."""
        await self._threads(self._close)

    def _close(self) -> None:
        self._close_file(False)
        with self._turn:
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    async def delete(self) -> None:
        """Close the file, and delete it with its ETag."""
        await self._threads(self._delete)

    def _delete(self) -> None:
        self._close_file(False)
        self.path.unlink(missing_ok=True)
        self._tag_path.unlink(missing_ok=True)
        self._close()

    async def arrive(self, targets: list[Path]) -> None:
        """Give the complete file its names. Its bytes are on disk already."""
        await self._threads(self._arrive, targets)

    def _arrive(self, targets: list[Path]) -> None:
        # First: once the file has left its place, another download may have one there.
        self._tag_path.unlink(missing_ok=True)
        arrive(self.path, targets)
        self._close()


def _is_mine(opened: int, path: Path) -> bool:
    """Whether nobody else receives into the file, and it is still at this path."""
    if os.name != "posix":
        return True
    try:
        flock(opened, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # this file system has no locks
    try:
        return os.path.samestat(os.fstat(opened), path.lstat())
    except FileNotFoundError:
        return False


class Receiver:
    """Receives files."""

    def __init__(self, reactor: Any, agent: IAgent) -> None:
        self._reactor = reactor
        self._agent = agent

    async def get(self, url: str, into: Incoming, came: Callable[[int], object]) -> Response:
        """GET the missing bytes of a file. Returns the answer, whatever its status is; the body of
        200 and 206 goes into the file. Calls `came` with the number of bytes that are in the file.

        Raises Unreachable if the connection ends before all bytes have come; the next call goes on
        from there. Raises OSError if the file cannot be written.
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
        # No token, and no encoding that changes the bytes.
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
    """The body of an error. Only its first part is read."""

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
    """The body of a file. Reading from the connection pauses while the disk is behind."""

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
