"""A file that is coming, in a file of its own until all of it is there."""

import os
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from twisted.internet.defer import Deferred

from contentsvc.client.files.local import arrive
from contentsvc.client.files.sending import Threads
from contentsvc.framework.core.disk import naming

if os.name == "posix":
    from fcntl import LOCK_EX, LOCK_NB, flock


class Incoming:
    """The first bytes of a file, kept in a file of their own until all have come. Beside it is one
    with their ETag, so that a later process can go on too. Whoever gets the same file at the same
    time, in this process or another, has a file of another name: where there are locks on files.

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
            # Whoever was last in the folder may just have deleted it.
            self.path.parent.mkdir(exist_ok=True)
            # A link would lead out of the folder.
            flags = os.O_RDWR | os.O_CREAT
            flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
            opened = os.open(self.path, flags, 0o666)
            if os.fstat(opened).st_nlink > 1:
                # An earlier process died when it had got a name. Whoever writes here writes there.
                self.path.unlink(missing_ok=True)
            elif _is_mine(opened, self.path):
                break
            os.close(opened)
        # Where a file can be renamed while it is open, its lock outlives its bytes' way to disk.
        if os.name == "posix":
            self._lock = os.fdopen(os.dup(opened), "rb", 0)
        self._file = os.fdopen(opened, "r+b", 0)
        self.there = os.fstat(self._file.fileno()).st_size
        self.etag = None
        with suppress(FileNotFoundError, UnicodeDecodeError):
            self.etag = self._tag_path.read_text().strip() or None
        # One that is whole needs no ETag: its digest is next.
        if self.there > self.size or (self.there < self.size and self.etag is None):
            self._empty(self._file, None)

    @property
    def _tag_path(self) -> Path:
        return self.path.with_name(self.path.name + ".etag")

    async def restart(self, etag: str | None) -> None:
        """Forget what came earlier. What comes now has this ETag."""
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
        """Close the file when its bytes are on disk. It is still nobody else's."""
        await self._threads(self._close_file, True)

    def _close_file(self, sync: bool) -> None:
        with self._turn, naming(self.path):
            if self._file is not None:
                if sync:
                    os.fsync(self._file.fileno())
                self._file.close()
                self._file = None

    async def close(self) -> None:
        """Close the file, and leave it to others. What has come stays."""
        await self._threads(self._close)

    def _close(self) -> None:
        self._close_file(False)
        with self._turn:
            if self._lock is not None:
                self._lock.close()
                self._lock = None

    async def delete(self) -> None:
        """Close and delete all of it."""
        await self._threads(self._delete)

    def _delete(self) -> None:
        self._close_file(False)
        self.path.unlink(missing_ok=True)
        self._tag_path.unlink(missing_ok=True)
        self._close()

    async def arrive(self, targets: list[Path]) -> None:
        """Give the whole file, which is on disk, its names."""
        await self._threads(self._arrive, targets)

    def _arrive(self, targets: list[Path]) -> None:
        # First: when the file has gone from its place, another may have one there.
        self._tag_path.unlink(missing_ok=True)
        arrive(self.path, targets)
        self._close()


def _is_mine(opened: int, path: Path) -> bool:
    """Whether nobody else receives into the file, and it still lies there."""
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
