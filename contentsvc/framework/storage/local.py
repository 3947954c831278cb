"""Files in a folder, which the daemon itself serves (files#sending). All work on the disk is done
in threads that do nothing else."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

from attrs import define, field
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.python.threadpool import ThreadPool

from contentsvc.framework.core import concurrency
from contentsvc.framework.core.request_timing import waiting
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.storage.bucket import (
    ListedFile,
    SignedDownload,
    SignedUpload,
    StorageUnavailable,
    StoredFile,
)
from contentsvc.framework.storage.folder import (
    FULL,
    Astray,
    Folder,
    Missing,
    OutOfSpace,
    PartialFile,
)
from contentsvc.framework.storage.links import Links
from contentsvc.framework.storage.paths import media_type_of

T = TypeVar("T")

THREADS: Final = 4
"""Threads that write, as many that read, and as many that make files visible: each kind of work
waits for itself only."""


Choose = Callable[[bool], Awaitable[str]]
"""Assigns the folder to a database that knows of none, and gives its id. The argument says whether
there ought to be files in it. Raises Astray, OSError."""
Settle = Callable[[Choose], Awaitable[str | None]]
"""Gives the id of the folder that the database knows, None if it has none. Raises Unavailable."""


@define(eq=False)
class Local:
    """A Bucket in a folder. `media_url` is where players read media, None for the daemon itself.

    Call `start` first and `stop` last.
    """

    _reactor: Any
    _folder: Folder
    links: Links
    _settle: Settle
    _media_url: str | None = field(default=None, kw_only=True)
    _writers: ThreadPool = field(factory=lambda: concurrency.pool(THREADS, "files-in"), init=False)
    _readers: ThreadPool = field(factory=lambda: concurrency.pool(THREADS, "files-out"), init=False)
    _enders: ThreadPool = field(factory=lambda: concurrency.pool(THREADS, "files-end"), init=False)
    _arriving: set["UploadStream"] = field(factory=set, init=False)
    _trouble: str | None = field(default=None, init=False)

    async def start(self) -> None:
        """Begin to use the folder. A new one is made; one that is away may come back. Raises
        OSError if it cannot be made."""
        self.begin()
        try:
            await self._find()
            await self._read(self._folder.open)
        except Astray as error:
            self._trouble = str(_away(error))
        except (StorageUnavailable, Unavailable) as error:
            self._trouble = str(error)

    def begin(self) -> None:
        """Start the threads, and nothing else."""
        self._writers.start()
        self._readers.start()
        self._enders.start()

    async def _find(self) -> None:
        """Ask the database which folder it is. Raises Unavailable, OSError."""

        async def choose(stored: bool) -> str:
            return await self._run(self._readers, self._folder.choose, stored)

        self._folder.expect(await self._settle(choose))

    async def verify(self) -> None:
        """Raise StorageUnavailable unless this is the folder that the database knows."""
        try:
            await self._find()
        except OSError as error:
            raise _away(error) from error
        await self._read(self._folder.verify)

    async def stop(self) -> None:
        """Delete what has arrived in part, and end the threads."""
        for each in list(self._arriving):
            each.discard()
        self._writers.stop()
        self._readers.stop()
        self._enders.stop()

    async def reach(self) -> None:
        """Find out whether the folder works. If not, `stat` fails until it does: nobody announces
        files that cannot come. A full disk is another matter: files can still be read, and a
        short one may fit. Raises StorageUnavailable."""
        try:
            try:
                await self._read(self._folder.verify)
            except StorageUnavailable:
                # Perhaps the operator has chosen another one.
                await self.verify()
                await self._read(self._folder.open)
            await self._read(self._folder.probe)
        except StorageUnavailable as error:
            cause = error.__cause__
            full = isinstance(cause, OSError) and cause.errno in FULL
            self._trouble = None if full else str(error)
            raise
        self._trouble = None

    def sign_upload(
        self, base: str, path: str, size: int, token: str, *, staged: bool = False
    ) -> SignedUpload:
        url, expires = self.links.upload(path, size, token)
        return SignedUpload(base + url, {"Content-Type": media_type_of(path)}, expires)

    def staging_key(self, path: str, token: str) -> None:
        """None: what has come is noted with its announcement at once."""

    async def copy(self, tokens: Mapping[str, str]) -> None:
        """Nothing: all uploads come to their paths."""

    def sign_download(self, base: str, path: str, name: str | None = None) -> SignedDownload:
        url, expires = self.links.download(path, name)
        return SignedDownload(base + url, expires)

    def media_url(self, base: str) -> str:
        return self._media_url or f"{base}/files/media"

    def urls(self) -> tuple[str, ...]:
        return ()

    async def stat(self, paths: Iterable[str]) -> Mapping[str, StoredFile]:
        if self._trouble is not None:
            raise StorageUnavailable(self._trouble)
        return await self._read(self._folder.stat, list(paths))

    async def read(self, path: str, length: int, offset: int = 0) -> bytes:
        try:
            return await self.read_at(path, offset, length)
        except Missing:
            return b""

    async def write(self, path: str, data: bytes) -> None:
        try:
            await self._do(self._writers, self._folder.write, path, data)
        except OutOfSpace as error:
            raise StorageUnavailable("there is no room for a smaller image") from error

    async def hold(self, path: str) -> bool:
        try:
            await self._do(self._writers, self._folder.hold, path)
        except Missing:
            return False
        except OutOfSpace as error:
            raise StorageUnavailable("there is no room for what is to be kept apart") from error
        return True

    async def read_at(self, path: str, offset: int, length: int) -> bytes:
        """Some bytes of a file; fewer only at its end. Raises Missing, StorageUnavailable."""
        return await self._read(self._folder.read, path, offset, length)

    async def head(self, path: str, length: int) -> tuple[int, bytes]:
        """The size of a file, and its first bytes. Raises Missing, StorageUnavailable."""
        return await self._read(self._folder.head, path, length)

    async def delete(self, paths: Iterable[str]) -> None:
        # One by one: a thread that the disk has held up for long must not go on with the others.
        for path in paths:
            await self._read(self._folder.delete, path)

    async def delete_broken_uploads(self) -> None:
        """Delete what broken uploads have left. Raises StorageUnavailable."""
        await self._read(self._folder.delete_broken_uploads)

    async def list(self) -> AsyncIterator[ListedFile]:
        for shelf in await self._read(self._folder.shelves):
            for lying in await self._read(self._folder.on, shelf):
                yield lying

    def arrive(self, path: str, size: int) -> "UploadStream":
        """Begin to write a file of so many bytes."""
        file = PartialFile(self._folder, path, size)
        write, end = partial(self._do, self._writers), partial(self._do, self._enders)
        stream = UploadStream(file, write, end, self._arriving.discard)
        self._arriving.add(stream)
        return stream

    async def _do(self, pool: ThreadPool, act: Callable[..., T], *args: object) -> T:
        try:
            with waiting("outside", self._reactor):
                return await self._run(pool, act, *args)
        except OSError as error:
            raise _away(error) from error

    async def _read(self, act: Callable[..., T], *args: object) -> T:
        return await self._do(self._readers, act, *args)

    def _run(self, pool: ThreadPool, act: Callable[..., T], *args: object) -> Deferred[T]:
        """The result of `act` in a thread. If it is cancelled before a thread has begun, `act` is
        not called."""
        result: Deferred[T] = Deferred()

        def begin() -> T:
            if result.called:
                raise CancelledError
            return act(*args)

        deferToThreadPool(self._reactor, pool, begin).addCallbacks(result.callback, result.errback)
        return result


def _away(error: OSError) -> StorageUnavailable:
    return StorageUnavailable(f"{error.filename or 'the folder files'}: {error.strerror}")


@define(eq=False)
class UploadStream:
    """A file on its way in. Each call but `discard` must end before the next."""

    _file: PartialFile
    _write: Callable[..., Any]
    _end: Callable[..., Any]
    _over: Callable[["UploadStream"], object]

    async def write(self, data: bytes | bytearray) -> None:
        """Add these bytes. Raises OutOfSpace, StorageUnavailable."""
        await self._write(self._file.write, data)

    async def flush(self) -> None:
        """Check that these are the bytes of the file, and let them outlive a failure of the power.

        Raises WrongBytes, OutOfSpace, StorageUnavailable.
        """
        await self._write(self._file.flush)

    async def read(self, path: str, length: int, offset: int = 0) -> bytes:
        """Some bytes of what has been written, the first ones without an offset. `path` is its own.
        Raises StorageUnavailable."""
        return bytes(await self._end(self._file.read, length, offset))

    async def publish(self) -> None:
        """Make the file visible, for good, after `flush`. Raises OutOfSpace, StorageUnavailable."""
        await self._end(self._file.publish)
        self._over(self)

    def discard(self) -> None:
        """Delete what has arrived, unless the file is visible."""
        self._over(self)
        done = Deferred.fromCoroutine(self._write(self._file.discard))
        # A later start of a daemon tries again.
        done.addErrback(lambda failure: None)
