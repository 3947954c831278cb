"""The two places where files can lie, as an operator's commands use them: whole files are read, and
copied from one to the other."""

import hashlib
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from pathlib import Path
from random import SystemRandom
from typing import Any, Protocol, TypeVar
from uuid import uuid4

from treq import collect
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.threads import deferToThreadPool
from twisted.web.client import FileBodyProducer, HTTPConnectionPool
from twisted.web.http_headers import Headers

from contentsvc.command.terminal import CommandError
from contentsvc.config import Settings, store_of
from contentsvc.framework.core.disk import naming
from contentsvc.framework.core.http_client import agent_of, reason
from contentsvc.framework.core.timers import WallClock, cancel
from contentsvc.framework.db.database import Database
from contentsvc.framework.storage.bucket import Bucket, StorageUnavailable
from contentsvc.framework.storage.calls import TRIES, WHOLE, Calls
from contentsvc.framework.storage.folder import Folder, Missing, OutOfSpace, PartialFile, WrongBytes
from contentsvc.framework.storage.links import Links
from contentsvc.framework.storage.local import Choose, Local
from contentsvc.framework.storage.paths import digest_of
from contentsvc.framework.storage.s3 import S3Bucket
from contentsvc.framework.storage.sigv4 import Credentials
from contentsvc.store.files import folders

T = TypeVar("T")

PIECE = 1024 * 1024
"""Bytes that are read or written at a time."""
SILENCE = 60.0
"""Seconds without a byte after which a transfer has failed."""
CONNECT = 10.0
"""Seconds for a connection to the store."""

More = Callable[[int], None]
"""Called with the number of bytes that have just gone."""


class Gone(Exception):
    """There is no such file."""


class Wrong(Exception):
    """The bytes of a file do not have the digest of its path, or not its size."""


class FileStore(Protocol):
    """A place where files lie. All methods but `stop` raise StorageUnavailable."""

    @property
    def bucket(self) -> Bucket:
        """What lies there."""

    async def start(self, db: Database, *, new: bool) -> None:
        """Begin to use it; if it may be `new`, make it. Raises OSError if that is not possible, and
        StorageUnavailable if it is not the place that the database knows."""

    async def stop(self) -> None:
        """Give back what it holds."""

    async def check(self, path: str, more: More) -> None:
        """Read a file, and compare its digest with its path. Raises Gone, Wrong."""


class FolderStore:
    """The folder `files` of a data dir."""

    def __init__(self, reactor: Any, settings: Settings) -> None:
        self._reactor = reactor
        self._db: Database
        self._new = False
        self.folder = Folder(
            settings.files_folder,
            reserve=settings.disk_reserve,
            database=settings.database_folder,
        )
        # It signs nothing: nobody knows a URL of this process.
        links = Links([("", b"")], WallClock())
        self.bucket = Local(reactor, self.folder, links, self._settle)

    async def start(self, db: Database, *, new: bool) -> None:
        self._db, self._new = db, new
        self.bucket.begin()
        await self.bucket.verify()

    async def _settle(self, choose: Choose) -> str | None:
        if self._new:
            async with self._db.transaction() as tx:
                return await folders.settle(tx, choose)
        # Where the database knows none, one that was prepared is good enough to read.
        return await folders.folder(self._db) or self.folder.id()

    async def stop(self) -> None:
        await self.bucket.stop()

    def in_thread(self, act: Callable[..., T], *args: object) -> Deferred[T]:
        """The result of something that waits for the disk."""
        return deferToThreadPool(self._reactor, self._reactor.getThreadPool(), act, *args)

    async def check(self, path: str, more: More) -> None:
        digest = hashlib.sha256()

        def piece(offset: int) -> int:
            data = self.folder.read(path, offset, PIECE)
            digest.update(data)
            return len(data)

        offset = 0
        try:
            while count := await self.in_thread(piece, offset):
                offset += count
                more(count)
        except Missing:
            raise Gone from None
        except OSError as error:
            raise StorageUnavailable(f"{error.filename}: {error.strerror}") from error
        if digest.hexdigest() != digest_of(path):
            raise Wrong


class BucketStore:
    """The buckets of an S3 store. Files go by the URLs that clients would have."""

    def __init__(self, reactor: Any, settings: Settings, answer: float | None) -> None:
        self._reactor = reactor
        self._silence = answer or SILENCE
        store = store_of(settings)
        self.bucket = S3Bucket(
            reactor,
            WallClock(),
            SystemRandom(),
            *store.place,
            Credentials(*store.keys),
            media_url=settings.media_url,
            virtual=store.virtual,
            calls=partial(Calls, whole=answer / TRIES if answer else WHOLE),
        )
        self._pool = HTTPConnectionPool(reactor)
        self._agent = agent_of(reactor, self._pool, CONNECT, most=None)

    async def start(self, db: Database, *, new: bool) -> None:
        await self.bucket.prove()

    async def stop(self) -> None:
        await self._pool.closeCachedConnections()
        await self.bucket.stop()

    async def check(self, path: str, more: More) -> None:
        digest = hashlib.sha256()

        def take(data: bytes) -> None:
            digest.update(data)
            more(len(data))

        await self.read(path, take)
        if digest.hexdigest() != digest_of(path):
            raise Wrong

    async def read(self, path: str, take: Callable[[bytes], None]) -> None:
        """Give all bytes of a file to `take`. Raises Gone."""
        url = self.bucket.sign_download("", path).url.encode()

        async def transfer(alive: Callable[[], None]) -> None:
            response = await self._agent.request(b"GET", url, Headers())

            def taken(data: bytes) -> None:
                alive()
                if response.code == 200:
                    take(data)

            await collect(response, taken)
            if response.code == 404:
                raise Gone
            if response.code != 200:
                raise StorageUnavailable(f"the store answers a GET with {response.code}")

        await self._unless_silent(transfer)

    async def write(self, path: str, size: int, file: Path, more: More) -> None:
        """Upload a file. Raises Wrong if its bytes are not those of this path, and Gone."""
        # The token of nobody: nobody but those who have sent the bytes before has sent these.
        upload = self.bucket.sign_upload("", path, size, str(uuid4()))
        headers = Headers({name: [value] for name, value in upload.headers.items()})
        headers.removeHeader("Content-Length")

        async def transfer(alive: Callable[[], None]) -> int:
            try:
                source = _Counted(file, more, alive)
            except FileNotFoundError:
                raise Gone from None
            if source.size != size:
                source.close()
                raise Wrong
            response = await self._agent.request(
                b"PUT",
                upload.url.encode(),
                headers,
                FileBodyProducer(source, readSize=PIECE),
            )
            await collect(response, lambda data: alive())
            if source.digest.hexdigest() != digest_of(path):
                raise Wrong
            return int(response.code)

        status = await self._unless_silent(transfer)
        if status not in {200, 201}:
            raise StorageUnavailable(f"the store answers a PUT with {status}")

    async def _unless_silent(
        self, transfer: Callable[[Callable[[], None]], Coroutine[Any, Any, Any]]
    ) -> Any:
        """The result of a transfer that calls its argument whenever bytes come or go."""

        def silent() -> None:
            running.cancel()

        def alive() -> None:
            if late.active():
                late.reset(self._silence)

        late = self._reactor.callLater(self._silence, silent)
        running: Deferred[Any] = Deferred.fromCoroutine(transfer(alive))
        try:
            return await running
        except (Gone, Wrong, CommandError, StorageUnavailable):
            raise
        except CancelledError:
            raise StorageUnavailable(f"the store was silent for {self._silence:g} s") from None
        except Exception as error:
            raise StorageUnavailable(f"the transfer failed: {reason(error)}") from None
        finally:
            cancel(late)


class _Counted:
    """A file that counts what is read of it."""

    def __init__(self, file: Path, more: More, alive: Callable[[], None]) -> None:
        self._file = file.open("rb")
        self._more = more
        self._alive = alive
        self.size = file.stat().st_size
        self.digest = hashlib.sha256()

    def read(self, length: int) -> bytes:
        with naming(self._file.name):
            data = self._file.read(length)
        self.digest.update(data)
        self._more(len(data))
        self._alive()
        return data

    def seek(self, *where: int) -> int:
        return self._file.seek(*where)

    def tell(self) -> int:
        return self._file.tell()

    def close(self) -> None:
        self._file.close()


async def put(target: FolderStore | BucketStore, path: str, size: int, file: Path) -> None:
    """Put the bytes of a file into a place, as `path`. Raises Gone, Wrong, CommandError,
    StorageUnavailable."""
    if isinstance(target, BucketStore):
        await target.write(path, size, file, lambda count: None)
        return
    draft = PartialFile(target.folder, path, size)

    def write() -> None:
        with file.open("rb") as source:
            while data := source.read(PIECE):
                draft.write(data)
        draft.flush()
        draft.publish()

    await _laid(target, draft, path, target.in_thread(write))


async def upload(
    source: FolderStore, target: BucketStore, path: str, size: int, more: More
) -> None:
    """Copy a file. Raises Gone, Wrong: of the source."""
    await target.write(path, size, source.folder.file(path), more)


async def download(
    source: BucketStore, target: FolderStore, path: str, size: int, more: More
) -> None:
    """Copy a file. Raises Gone, Wrong: of the source."""
    draft = PartialFile(target.folder, path, size)
    waiting = bytearray()

    def take(data: bytes) -> None:
        # Written at once, so that no more comes than the disk takes.
        waiting.extend(data)
        more(len(data))
        if len(waiting) >= PIECE:
            draft.write(waiting)
            waiting.clear()

    async def bring() -> None:
        await source.read(path, take)
        draft.write(waiting)
        await target.in_thread(draft.flush)
        await target.in_thread(draft.publish)

    await _laid(target, draft, path, bring())


async def _laid(
    target: FolderStore, draft: PartialFile, path: str, writing: Awaitable[None]
) -> None:
    """Wait until a file has been written. Raises Wrong, CommandError."""
    try:
        await writing
    except WrongBytes:
        raise Wrong from None
    except OutOfSpace:
        raise CommandError(f"there is no room for {path} in {target.folder.root}") from None
    except OSError as error:
        raise CommandError(f"{error.filename}: {error.strerror}") from error
    finally:
        await target.in_thread(draft.discard)


def place(
    reactor: Any, settings: Settings, name: str, answer: float | None = None
) -> FolderStore | BucketStore:
    """The place of this name: `local` or `s3`. A store may take `answer` seconds for an answer,
    or for the next bytes of a file. Raises ConfigError."""
    if name == "s3":
        return BucketStore(reactor, settings, answer)
    return FolderStore(reactor, settings)
