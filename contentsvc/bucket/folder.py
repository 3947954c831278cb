"""A folder with the bytes of files: what waits for the disk, for threads to run (extensions §3).

::

    content/ab/abcdef…      the content bucket
    media/ab/abcdef….png    the media bucket
    incoming/…              files that are being written

Several daemons may share the folder. The name of an incoming file says whose it is.
"""

import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final

from contentsvc.bucket.bucket import Found, Lying
from contentsvc.bucket.owners import Owners
from contentsvc.wire.files import digest_of, is_media, is_ours

RESERVE: Final = 64 * 1024 * 1024
"""Bytes of the disk that uploads leave free: the database may be on the same disk."""
STALE: Final = 3600.0
"""Seconds after which nobody is still writing to an incoming file that has not grown. A client may
only be silent for much less, the setting `body_timeout`."""
_BUCKETS = ("content", "media")
_PROBE = "probe-"
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class OutOfSpace(Exception):
    """The disk has no room for a file."""


class Missing(Exception):
    """There is no such file, and this is no fault of the folder."""


class WrongBytes(Exception):
    """The bytes of a file do not have its digest."""


class Folder:
    """The folder `root`. All methods but `file` and `incoming` may wait for the disk, and
    raise OSError.

    `reserve` is in bytes, `now` gives Unix seconds, and `statvfs` is that of os. `owners` gives
    incoming files their names.
    """

    def __init__(
        self,
        root: Path,
        *,
        reserve: int = RESERVE,
        now: Callable[[], float] = time.time,
        statvfs: Callable[[int], os.statvfs_result] = os.statvfs,
        owners: Owners | None = None,
    ) -> None:
        self.root = root
        self.reserve = reserve
        self.statvfs = statvfs
        self._now = now
        self._owners = owners or Owners()

    def file(self, path: str) -> Path:
        """The place of one of the service's own paths. Raises ValueError for another path."""
        if not is_ours(path):
            raise ValueError(path)
        return self.root / ("media" if is_media(path) else "content") / path

    def incoming(self, kind: str = "") -> Path:
        """A new place for a file that this process writes."""
        return self.root / "incoming" / f"{kind}{self._owners.name()}"

    def prepare(self) -> None:
        """Make what is missing, and delete what broken uploads have left."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in (*_BUCKETS, "incoming"):
            (self.root / name).mkdir(mode=0o700, exist_ok=True)
        self.sweep()

    def sweep(self) -> None:
        """Delete the incoming files of processes that have died, and old ones. Daemons that this
        one cannot see may be writing the others."""
        before = self._now() - STALE
        for entry in os.scandir(self.root / "incoming"):
            # Its owner may have made it visible, or another daemon deleted it.
            with suppress(FileNotFoundError):
                old = entry.stat(follow_symlinks=False).st_mtime < before
                if old or self._owners.gone(entry.name.removeprefix(_PROBE)):
                    os.unlink(entry.path)

    def probe(self) -> None:
        """Raise OSError if a file cannot be written, or an upload would be refused for want of
        room."""
        file = self.incoming(_PROBE)
        for bucket in _BUCKETS:
            (self.root / bucket).stat()
        try:
            with file.open("xb") as probe:
                probe.write(b"x")
                room = self.statvfs(probe.fileno())
            if room.f_bavail * room.f_frsize < self.reserve:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.root))
        finally:
            file.unlink(missing_ok=True)

    def look(self, paths: Iterable[str]) -> dict[str, Found]:
        """Those of the paths that are there."""
        found = {}
        for path in paths:
            with suppress(Missing), self._there(path) as file:
                status = file.stat()
                if stat.S_ISREG(status.st_mode):
                    found[path] = Found(status.st_size, None)
        return found

    @contextmanager
    def _there(self, path: str) -> Iterator[Path]:
        """The place of a file. Raises Missing if it is not there, unless the bucket is not there
        either: then the folder is perhaps not mounted."""
        file = self.file(path)
        try:
            yield file
        except FileNotFoundError:
            file.parent.parent.stat()
            raise Missing from None

    def read(self, path: str, offset: int, length: int) -> bytes:
        """Some bytes of a file; fewer only at its end. Raises Missing."""
        with self._there(path) as file:
            descriptor = os.open(file, os.O_RDONLY)
        try:
            return os.pread(descriptor, length, offset)
        finally:
            os.close(descriptor)

    def head(self, path: str, length: int) -> tuple[int, bytes]:
        """The size of a file, and its first bytes. Raises Missing."""
        with self._there(path) as file:
            descriptor = os.open(file, os.O_RDONLY)
        try:
            return os.fstat(descriptor).st_size, os.pread(descriptor, length, 0)
        finally:
            os.close(descriptor)

    def delete(self, path: str) -> None:
        """Delete a file, if it is there."""
        with suppress(Missing), self._there(path) as file:
            file.unlink()

    def shelves(self) -> list[str]:
        """The names in both buckets, in the order of what is in them."""
        names = set()
        for bucket in _BUCKETS:
            for entry in os.scandir(self.root / bucket):
                # A folder's files come after a file whose name is the folder's and a dot.
                names.add(entry.name + ("/" if entry.is_dir(follow_symlinks=False) else ""))
        return sorted(names, key=os.fsencode)

    def on(self, shelf: str) -> list[Lying]:
        """The files of one of `shelves`, in the order of their paths."""
        found: dict[str, int] = {}
        for bucket in _BUCKETS:
            base = self.root / bucket
            if shelf.endswith("/"):
                for folder, _, names in os.walk(base / shelf):
                    _add(found, base, [os.path.join(folder, name) for name in names])
            else:
                _add(found, base, [str(base / shelf)])
        return [
            Lying(_text(path), size)
            for path, size in sorted(found.items(), key=lambda item: os.fsencode(item[0]))
        ]


def _add(found: dict[str, int], base: Path, files: Iterable[str]) -> None:
    for file in files:
        with suppress(FileNotFoundError):
            status = os.lstat(file)
            if stat.S_ISREG(status.st_mode):
                found[os.path.relpath(file, base)] = status.st_size


def _text(path: str) -> str:
    """A name on the disk may be any bytes."""
    return os.fsencode(path).decode("utf-8", "replace")


class Incoming:
    """One file that is being written. It becomes visible at its end, and whole.

    Calls may come from different threads. A file is open only during a call, so that many slow
    uploads need no descriptors.
    """

    def __init__(self, folder: Folder, path: str, size: int) -> None:
        self._folder = folder
        self._path = path
        self._size = size
        self._draft = folder.incoming()
        self._hash = sha256()
        self._written = 0
        self._over = False
        self._lock = Lock()

    def write(self, data: bytes | bytearray) -> None:
        """Add these bytes. Does nothing after `discard`. Raises OutOfSpace, OSError."""
        with self._lock:
            if not self._over:
                with _room():
                    self._append(data)

    def _append(self, data: bytes | bytearray) -> None:
        flags = os.O_WRONLY | os.O_APPEND
        if not self._written:
            flags |= os.O_CREAT | os.O_EXCL
        descriptor = os.open(self._draft, flags, 0o600)
        try:
            room = self._folder.statvfs(descriptor)
            need = self._size - self._written + self._folder.reserve
            if room.f_bavail * room.f_frsize < need:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self._hash.update(data)
            with memoryview(data) as rest:
                done = 0
                while done < len(rest):
                    done += os.write(descriptor, rest[done:])
        finally:
            os.close(descriptor)
        self._written += len(data)

    def flush(self) -> None:
        """Check the bytes, and let them outlive a failure of the power. Raises WrongBytes,
        OutOfSpace, OSError."""
        with self._lock:
            right = self._hash.hexdigest() == digest_of(self._path)
            if self._over or self._written != self._size or not right:
                raise WrongBytes
            with _room():
                _flush(self._draft)

    def read(self, length: int) -> bytes:
        """The first bytes. Raises OSError."""
        with self._draft.open("rb") as file:
            return file.read(length)

    def publish(self) -> None:
        """Make the file visible, for good. Raises FileNotFoundError after `discard`, OutOfSpace,
        OSError."""
        file = self._folder.file(self._path)
        with self._lock, _room():
            try:
                self._draft.rename(file)
            except FileNotFoundError:
                file.parent.mkdir(mode=0o700, exist_ok=True)
                _flush(file.parent.parent)
                self._draft.rename(file)
            self._over = True
            _flush(file.parent)

    def discard(self) -> None:
        """Delete what has been written, unless the file is visible."""
        with self._lock:
            if not self._over:
                self._over = True
                self._draft.unlink(missing_ok=True)


@contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in FULL:
            raise OutOfSpace from error
        raise


def _flush(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
