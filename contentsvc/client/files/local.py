"""Files on this machine: their digests, and where downloads may put them."""

import hashlib
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import BinaryIO, NamedTuple

from contentsvc.client.errors import BadFile, FileChanged
from contentsvc.framework.core.disk import naming, sync_folder
from contentsvc.framework.images.metadata import HEAD, Part, find, type_of
from contentsvc.framework.storage.paths import BINARY, EXTENSIONS, path_of
from contentsvc.wire.base import file_name
from contentsvc.wire.files import CONTENT_USES, FileUse

if sys.platform == "linux":
    from fcntl import ioctl

CHUNK = 256 * 1024
"""Bytes that are read at once: the most of a file that is in memory."""
ONCE_QUIET = "try again when nothing writes to it"
"""What to do about a file that has changed."""
_FICLONE = 0x40049409
"""Linux's call for a copy on write (linux/fs.h)."""


class LocalFile(NamedTuple):
    """A file to upload, and its use. The first bytes of an image say its type. `media_type` counts
    only if they do not; the name never does."""

    use: FileUse
    file: Path
    media_type: str | None = None


class Measured(NamedTuple):
    """A file to upload, with the digest and the size in bytes of what is sent, and its path on the
    service. `stamp` changes when the file does. `parts` are the parts of an image that are sent:
    all but its metadata. None means that the whole file is sent."""

    use: FileUse
    file: Path
    media_type: str
    sha256: str
    size: int
    path: str
    stamp: tuple[int, int]
    parts: tuple[Part, ...] | None = None

    @property
    def name(self) -> str:
        """The file's name on this machine, in the form that EntityDefinition and PackageDefinition
        take."""
        return file_name(self.file.name)


class Progress(NamedTuple):
    """The progress of a file: `done` of `total` bytes have been sent or received. `done` falls back
    when an attempt has to begin again."""

    file: Path
    done: int
    total: int


OnProgress = Callable[[Progress], object]


class Stop:
    """Tells a long computation in a thread to stop."""

    asked = False


def stamp_of(status: os.stat_result) -> tuple[int, int]:
    """The size of a file and the time of its last change, in nanoseconds."""
    return status.st_size, status.st_mtime_ns


def measure(file: LocalFile, stop: Stop) -> Measured:
    """Read a whole file. Raises BadFile, FileChanged, OSError."""
    with naming(file.file), file.file.open("rb") as opened:
        before = stamp_of(os.fstat(opened.fileno()))
        head = opened.read(HEAD)
        if not head:
            raise BadFile(file.file, "it is empty; a file has at least 1 byte")
        media_type, parts = BINARY, None
        if file.use not in CONTENT_USES:
            found = type_of(head)
            media_type = (file.media_type if found is None else found) or ""
            if media_type not in EXTENSIONS:
                known = ", ".join(sorted(EXTENSIONS))
                raise BadFile(file.file, f"it is no image of a type that is taken: {known}")
            parts = parts_of(opened, media_type, before[0], lambda: stop.asked)
        opened.seek(0)
        read = opened.read if parts is None else Parts(opened, parts).read
        sha256, size = digest(read, stop)
        whole = before[0] if parts is None else length_of(parts)
        if stamp_of(os.fstat(opened.fileno())) != before or size != whole:
            raise FileChanged(file.file, f"it changed while it was read; {ONCE_QUIET}")
    path = path_of(sha256, media_type)
    return Measured(file.use, file.file, media_type, sha256, size, path, before, parts)


def digest(read: Callable[[int], bytes], stop: Stop) -> tuple[str, int]:
    """The digest and the size of what `read` gives."""
    hashed, size = hashlib.sha256(), 0
    while not stop.asked and (data := read(CHUNK)):
        hashed.update(data)
        size += len(data)
    return hashed.hexdigest(), size


def has(file: Path, sha256: str, size: int, stop: Stop) -> bool:
    """Whether a file with these bytes exists. Raises OSError."""
    if not file.is_file() or file.stat().st_size != size:
        return False
    with naming(file), file.open("rb") as opened:
        return digest(opened.read, stop) == (sha256, size)


def place(folder: Path, name: str) -> Path:
    """The path of a file of this name in the folder. Makes the subfolder. Raises OSError, and
    BadFile if the name or a link leads out of the folder."""
    pure = PurePosixPath(name)
    odd = any(part in {"", ".", ".."} or set(part) & set("\\:\0") for part in name.split("/"))
    target = folder.joinpath(*pure.parts)
    if odd or pure.is_absolute():
        raise BadFile(target, "the name does not lie in the folder")
    root = folder.resolve()
    if not target.parent.resolve().is_relative_to(root):
        raise BadFile(target, "a link leads out of the folder")
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def write_whole(path: Path, data: bytes) -> None:
    """Write a small file, whole or not at all. Raises OSError."""
    beside = path.with_name(path.name + ".new")
    try:
        beside.unlink(missing_ok=True)  # it may be a link to elsewhere
        with beside.open("xb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        beside.replace(path)
    except OSError as error:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        # The error of a full disk has no path.
        raise OSError(error.errno, error.strerror, str(path)) from None


def arrive(part: Path, targets: list[Path]) -> None:
    """Give a complete file its names. At each name, the file is whole or not there at all. Where
    `share` can, all names share the bytes on the disk. Raises OSError."""
    *others, last = targets
    for target in others:
        beside = part.with_name(part.name + ".copy")
        beside.unlink(missing_ok=True)  # it may be a link to elsewhere
        # The part may be what cannot be read, but a full disk is more likely.
        with naming(beside):
            share(part, beside)
        beside.replace(target)
    part.replace(last)
    if os.name == "posix":
        for folder in {target.parent for target in targets}:
            sync_folder(folder)


def share(source: Path, target: Path, *, links: bool = True) -> bool:
    """Give the bytes of a file another name, which must be free: by a copy on write if the file
    system has that, else by a hard link if `links` is true, else by a copy. With a link, a write
    changes the file under each name. Returns whether this took no more room. Raises OSError."""
    with source.open("rb") as old, target.open("xb") as new:
        if _cloned(old.fileno(), new.fileno()):
            os.fsync(new)
            return True
    target.unlink()
    # This file system may have no links, or allow no more of this file.
    with suppress(OSError):
        if links:
            os.link(source, target)
            return True
    with source.open("rb") as old, target.open("xb") as new:
        shutil.copyfileobj(old, new, CHUNK)
        new.flush()
        os.fsync(new.fileno())
    return False


def shares(folder: Path) -> bool:
    """Whether files in this folder can have more names without more room. Raises OSError."""
    with TemporaryDirectory(prefix=".contentsvc-", dir=folder) as trial:
        file = Path(trial, "file")
        file.write_bytes(b"x")
        return share(file, file.with_name("name"))


def room_of(sizes: Mapping[str, int], names: Iterable[str], *, shared: bool) -> int:
    """The bytes that files take on the disk. `sizes` has their sizes by path, and `names` a path
    for each name. With `shared`, a file counts once, else once for each name."""
    counts = Counter(names)
    return sum(size * (1 if shared else counts[path]) for path, size in sizes.items())


def _cloned(old: int, new: int) -> bool:
    """Make the new file a copy on write of the old one. Returns whether that worked."""
    if sys.platform != "linux":
        return False
    try:
        ioctl(new, _FICLONE, old)
    except OSError:
        return False
    return True


class Parts:
    """Reads some parts of a file as if they followed each other. Closing this closes the file."""

    def __init__(self, file: BinaryIO, parts: Sequence[Part]) -> None:
        self._file = file
        self._left = list(reversed(parts))
        self.name = file.name

    def read(self, size: int) -> bytes:
        """The next bytes, at most `size`; none at the end, or if the file has become shorter.
        Raises OSError."""
        found = b""
        while self._left and len(found) < size:
            part = self._left.pop()
            wanted = size - len(found)
            if isinstance(part, bytes):
                data, rest = part[:wanted], part[wanted:]
                if rest:
                    self._left.append(rest)
            else:
                start, end = part
                self._file.seek(start)
                data = self._file.read(min(wanted, end - start))
                if not data:
                    self._left.clear()
                elif start + len(data) < end:
                    self._left.append((start + len(data), end))
            found += data
        return found

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def length_of(parts: Sequence[Part]) -> int:
    """The length in bytes of all these parts."""
    return sum(len(part) if isinstance(part, bytes) else part[1] - part[0] for part in parts)


def parts_of(
    file: BinaryIO, media_type: str, size: int, stopped: Callable[[], bool]
) -> tuple[Part, ...] | None:
    """The parts of a picture of `size` bytes that are left without its metadata. None if there is
    nothing to remove. Raises OSError."""
    search = find(media_type, size)
    try:
        at, length = next(search)
        while not stopped():
            file.seek(at)
            at, length = search.send(file.read(length))
    except StopIteration as end:
        parts: tuple[Part, ...] | None = end.value.parts
        return parts
    return None
