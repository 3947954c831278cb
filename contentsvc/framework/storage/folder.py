"""A folder with the bytes of files: calls that wait for the disk, to run in threads
(files#sending).

::

    content/ab/abcdef…      the content bucket
    content/held/ab/ab…     what is kept apart: see `hold`
    media/ab/abcdef….png    the media bucket
    incoming/…              files that are being written
    folder-id               the id of the folder, which its database knows too

Several daemons may share the folder. The name of an incoming file says whose it is.

The folder may be the mount point of a disk. Where the disk is not mounted, there is an empty folder
in its place. So a folder is prepared once, and has an id from then on. A folder with another
id, or none, is another folder: nothing is read from it, written to it, or believed to be missing.
"""

import errno
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final
from uuid import UUID, uuid4

from attrs import define, field

from contentsvc.framework.core.disk import REFUSED, naming, sync_file, sync_folder
from contentsvc.framework.storage.bucket import ListedFile, StoredFile
from contentsvc.framework.storage.lock_files import LockFiles
from contentsvc.framework.storage.paths import digest_of, held_path_of, is_kept, is_media

RESERVE: Final = 64 * 1024 * 1024
"""Bytes of the disk that uploads leave free."""
SHARED: Final = 10
"""The part of a disk that they leave free if the database is on it too: a tenth."""
MOST: Final = 2 * 1024**3
"""But at most so many bytes."""
STALE: Final = 3600.0
"""Seconds after which nobody is still writing to an incoming file that has not grown. A client may
only be silent for much less, the setting `body_timeout`."""
MARK: Final = "folder-id"
"""The file with the id."""
_BUCKETS = ("content", "media")
_PROBE = "probe-"
_KIND: Final = re.compile(r"probe-|upload-([0-9]{1,18})-", re.ASCII)
"""The part before the owner in the name of an incoming file: for an upload, how many bytes it is
going to have."""
_UNLINKED: Final = REFUSED | {errno.EXDEV, errno.EPERM, errno.EMLINK}
"""What file systems say that give no file a second name, or not there."""
_PIECE: Final = 1024 * 1024
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


class OutOfSpace(Exception):
    """The disk has no room for a file."""


class Missing(Exception):
    """There is no such file, although the folder is the right one."""


class Astray(OSError):
    """This is not the folder where the files lie: perhaps its disk is not mounted."""

    def __init__(self, root: Path, why: str) -> None:
        super().__init__(errno.ENOENT, f"not the folder of this service's files: {why}", str(root))


class WrongBytes(Exception):
    """The bytes of a file do not have its digest."""


@define(eq=False)
class Folder:
    """The folder `root`. All methods but `file` and `incoming` may wait for the disk, and
    raise OSError.

    `reserve` is in bytes; None for RESERVE, or if the folder `database` is on the same disk for a
    SHARED part of it. `now` gives Unix seconds, and `statvfs` is that of os. `owners` gives
    incoming files their names.
    """

    root: Path
    reserve: int | None = field(default=None, kw_only=True)
    _database: Path | None = field(default=None, kw_only=True)
    _now: Callable[[], float] = field(default=time.time, kw_only=True)
    statvfs: Callable[[int], os.statvfs_result] = field(default=os.statvfs, kw_only=True)
    _owners: LockFiles = field(factory=LockFiles, kw_only=True)
    _known: bool = field(default=False, init=False)
    _id: str | None = field(default=None, init=False)

    def expect(self, id: str | None) -> None:
        """From now on the folder is the one with this id; with None, one that was prepared before
        folders had ids."""
        self._known, self._id = True, id

    def id(self) -> str | None:
        """The id of what is there. None if it has none."""
        try:
            return (self.root / MARK).read_text("utf-8", "replace").strip()
        except FileNotFoundError:
            return None

    def whole(self) -> bool:
        """Whether both buckets are there."""
        return all((self.root / bucket).is_dir() for bucket in _BUCKETS)

    def verify(self) -> None:
        """Raises Astray unless this is the folder that is expected."""
        found = self.id()
        if not self._known:
            raise Astray(self.root, "it is not known yet which one that is")
        if found is None and not self.root.is_dir():
            raise Astray(self.root, "it is not there. Is data_dir correct, and its disk mounted?")
        if found is None and self._id is not None:
            raise Astray(self.root, f"it has no file {MARK}. Is its disk mounted?")
        if found != self._id:
            raise Astray(self.root, f"its file {MARK} has another id. Is this the right disk?")
        if not self.whole():
            raise Astray(self.root, "it lacks content or media. Is its disk mounted?")

    def choose(self, stored: bool) -> str:
        """Make this the folder of a database that knows of none, and give its id. Raises Astray if
        there ought to be files, and this has never had any."""
        found = self.id()
        if not found:
            if stored and not self.whole():
                raise Astray(self.root, "there are files, and it has none. Is its disk mounted?")
            return self.prepare(str(uuid4()))
        try:
            return self.prepare(str(UUID(found)))
        except ValueError:
            raise Astray(self.root, f"what stands in {MARK} is no id") from None

    def file(self, path: str) -> Path:
        """Where the bytes of a path are. Raises ValueError for another path."""
        if not is_kept(path):
            raise ValueError(path)
        return self.root / ("media" if is_media(path) else "content") / path

    def incoming(self, kind: str = "") -> Path:
        """A new place for a file that this process writes."""
        return self.root / "incoming" / f"{kind}{self._owners.name()}"

    def room(self, descriptor: int) -> int:
        """The bytes that uploads may take on the disk of an open file; below 0 if they have taken
        too many."""
        disk = self.statvfs(descriptor)
        reserve = self.reserve
        if reserve is None:
            reserve = RESERVE
            if self._beside_database(descriptor):
                reserve = max(RESERVE, min(disk.f_blocks * disk.f_frsize // SHARED, MOST))
        return disk.f_bavail * disk.f_frsize - reserve

    def _beside_database(self, descriptor: int) -> bool:
        if self._database is None:
            return False
        try:
            return os.fstat(descriptor).st_dev == self._database.stat().st_dev
        except OSError:
            return True

    def arriving(self) -> int:
        """The bytes that are still to come of all incoming files, those of other processes and
        daemons too. A file of an older release does not say how many it has."""
        left = 0
        for entry in os.scandir(self.root / "incoming"):
            kind = _KIND.match(entry.name)
            if kind is not None and kind[1] is not None:
                with suppress(FileNotFoundError):
                    left += max(0, int(kind[1]) - entry.stat(follow_symlinks=False).st_size)
        return left

    def prepare(self, id: str) -> str:
        """Make the missing folders, and give the folder this id, which is returned."""
        self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in (*_BUCKETS, "incoming"):
            (self.root / name).mkdir(mode=0o700, exist_ok=True)
        if self.id() != id:
            draft = self.incoming(_PROBE)
            with naming(draft):
                draft.write_text(f"{id}\n")
            sync_file(draft)
            draft.replace(self.root / MARK)
            sync_folder(self.root)
        return id

    def open(self) -> None:
        """Begin to use the folder: delete what broken uploads have left. Raises Astray."""
        self.verify()
        (self.root / "incoming").mkdir(mode=0o700, exist_ok=True)
        self.delete_broken_uploads()

    def delete_broken_uploads(self) -> None:
        """Delete the incoming files of processes that have died, and old ones. Daemons that this
        one cannot see may be writing the others."""
        before = self._now() - STALE
        for entry in os.scandir(self.root / "incoming"):
            # Its owner may have made it visible, or another daemon deleted it.
            with suppress(FileNotFoundError):
                old = entry.stat(follow_symlinks=False).st_mtime < before
                if old or self._owners.gone(_owner(entry.name)):
                    os.unlink(entry.path)

    def probe(self) -> None:
        """Raise OSError if a file cannot be written, or an upload would be refused for want of
        room."""
        self.verify()
        file = self.incoming(_PROBE)
        try:
            with naming(file), file.open("xb") as probe:
                probe.write(b"x")
                room = self.room(probe.fileno())
            if room < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.root))
        finally:
            file.unlink(missing_ok=True)

    def stat(self, paths: Iterable[str]) -> dict[str, StoredFile]:
        """Those of the paths that are there."""
        found, missing = {}, False
        for path in paths:
            try:
                status = self.file(path).stat()
            except FileNotFoundError:
                missing = True
            else:
                if stat.S_ISREG(status.st_mode):
                    found[path] = StoredFile(status.st_size, None)
        if missing:
            self.verify()
        return found

    @contextmanager
    def _there(self, path: str) -> Iterator[Path]:
        """The place of a file. Raises Missing if it is not there, and Astray if that says
        nothing."""
        file = self.file(path)
        try:
            with naming(file):
                yield file
        except FileNotFoundError:
            self.verify()
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

    def write(self, path: str, data: bytes) -> None:
        """Make a file of these bytes, in place of what is there. Raises OutOfSpace."""
        file = PartialFile(self, path, len(data), sha256(data).hexdigest())
        try:
            file.write(data)
            file.flush()
            file.publish()
        finally:
            file.discard()

    def hold(self, path: str) -> None:
        """Keep a file's bytes apart too, at its `held_path_of`: by another name of the same file,
        which takes no room and outlives the first, or, where the file system has no such names,
        by a copy. Raises Missing, OutOfSpace."""
        held = held_path_of(path)
        target = self.file(held)
        with self._there(path) as file:
            size = file.stat().st_size
            new = [each for each in target.parents[:2] if not each.is_dir()]
            target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            try:
                _link(file, target)
            except OSError as error:
                if error.errno not in _UNLINKED:
                    raise
                self._copy(file, held, size)
            for folder in (target.parent, *(each.parent for each in new)):
                sync_folder(folder)

    def _copy(self, file: Path, path: str, size: int) -> None:
        copy = PartialFile(self, path, size)
        try:
            with file.open("rb") as source:
                while piece := source.read(_PIECE):
                    copy.write(piece)
            copy.flush()
            copy.publish()
        except WrongBytes:
            raise OSError(errno.EIO, "its bytes are not those of its path", str(file)) from None
        finally:
            copy.discard()

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

    def on(self, shelf: str) -> list[ListedFile]:
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
            ListedFile(_text(path), size)
            for path, size in sorted(found.items(), key=lambda item: os.fsencode(item[0]))
        ]


def _link(file: Path, target: Path) -> None:
    """Give a file a second name, in place of what has it. Raises OSError."""
    try:
        os.link(file, target)
    except FileExistsError:
        if target.samefile(file):
            return
        target.unlink(missing_ok=True)
        os.link(file, target)


def _add(found: dict[str, int], base: Path, files: Iterable[str]) -> None:
    for file in files:
        with suppress(FileNotFoundError):
            status = os.lstat(file)
            if stat.S_ISREG(status.st_mode):
                found[os.path.relpath(file, base)] = status.st_size


def _owner(name: str) -> str:
    """The owner in the name of an incoming file."""
    kind = _KIND.match(name)
    return name[kind.end() :] if kind else name


def _text(path: str) -> str:
    """A name on the disk may be any bytes."""
    return os.fsencode(path).decode("utf-8", "replace")


class PartialFile:
    """One file that is being written. It becomes visible at its end, and whole. Its digest is that
    in its path, or `digest`.

    Calls may come from different threads. A file is open only during a call, so that many slow
    uploads need no descriptors.
    """

    def __init__(self, folder: Folder, path: str, size: int, digest: str | None = None) -> None:
        self._folder = folder
        self._path = path
        self._size = size
        self._digest = digest or digest_of(path)
        self._draft = folder.incoming(f"upload-{size}-")
        self._hash = sha256()
        self._written = 0
        self._over = False
        self._lock = Lock()

    def write(self, data: bytes | bytearray) -> None:
        """Add these bytes. Does nothing after `discard`. Raises OutOfSpace, OSError."""
        with self._lock:
            if not self._over:
                with _room(), naming(self._draft):
                    self._append(data)

    def _append(self, data: bytes | bytearray) -> None:
        flags = os.O_WRONLY | os.O_APPEND
        if not self._written:
            flags |= os.O_CREAT | os.O_EXCL
        descriptor = os.open(self._draft, flags, 0o600)
        try:
            # One that begins leaves room for the others. Later each only needs its own: those that
            # came first are to come whole.
            left = self._size - self._written if self._written else self._folder.arriving()
            if self._folder.room(descriptor) < left:
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
            right = self._hash.hexdigest() == self._digest
            if self._over or self._written != self._size or not right:
                raise WrongBytes
            with _room():
                sync_file(self._draft)

    def read(self, length: int, offset: int = 0) -> bytes:
        """Some bytes, the first ones without an offset. Raises OSError."""
        with naming(self._draft), self._draft.open("rb") as file:
            file.seek(offset)
            return file.read(length)

    def publish(self) -> None:
        """Make the file visible, for good. Raises FileNotFoundError after `discard`, Astray,
        OutOfSpace, OSError."""
        file = self._folder.file(self._path)
        with self._lock, _room():
            self._folder.verify()
            try:
                self._draft.rename(file)
            except FileNotFoundError:
                file.parent.mkdir(mode=0o700, exist_ok=True)
                sync_folder(file.parent.parent)
                self._draft.rename(file)
            self._over = True
            sync_folder(file.parent)

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
