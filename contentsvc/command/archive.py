"""The file of a back-up: a ZIP archive whose comment is the SHA-256 of all bytes before it.

`backup.json` says what is in it. `tables/NAME` has the rows of a table, in Postgres's text format
of COPY. The schema is made by the files of tables and functions of which it was made: `backup.json`
has their texts. So a restored schema is always the service's own, on each version of Postgres.
"""

import hashlib
import io
import os
import secrets
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

import msgspec
from msgspec import Struct

from contentsvc.command.terminal import CommandError
from contentsvc.framework.core.disk import naming, sync_folder
from contentsvc.store.migrate import TOO_OLD

FORMAT: Final = 2
_MANIFEST: Final = "backup.json"
_DIGEST: Final = 64
"""Characters of the digest."""
_PIECE: Final = 1 << 20
_LEVEL: Final = 1
"""Of zlib. The next ones take twice the time for a tenth of the size."""
_HAS_NO_LINKS: Final = frozenset((1, 95))  # EPERM, EOPNOTSUPP


class Table(Struct):
    """A table, the columns that are in the archive, in their order, and how many rows it has."""

    name: str
    columns: list[str]
    rows: int


class Sequence(Struct):
    """A sequence, and its value."""

    name: str
    last: int
    called: bool


class Manifest(Struct):
    """What is in an archive. `release` is the version that made it, `created` the moment of its
    snapshot in Unix seconds, `upgrades` those that the database had, and `schema` the files of its
    tables and functions by path."""

    format: int
    release: str
    created: int
    postgres: str
    upgrades: list[str]
    schema: dict[str, str]
    tables: list[Table]
    sequences: list[Sequence]

    @property
    def rows(self) -> int:
        """The rows of all tables."""
        return sum(table.rows for table in self.tables)


class _Version(Struct):
    """What every format has."""

    format: int
    release: str


class Writer:
    """An archive that is being written."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    @contextmanager
    def table(self, name: str) -> Iterator[IO[bytes]]:
        """The file for the rows of a table."""
        with self._archive.open(f"tables/{name}", "w", force_zip64=True) as member:
            # COPY writes each row by itself.
            buffered = io.BufferedWriter(member, _PIECE)
            yield buffered
            buffered.flush()

    def end(self, manifest: Manifest) -> None:
        """That was all."""
        self._archive.writestr(_MANIFEST, msgspec.json.encode(manifest))
        self._archive.comment = b"0" * _DIGEST


@contextmanager
def writing(path: Path) -> Iterator[Writer]:
    """Write an archive to a new file. The file is there when the block has ended, whole and on the
    disk, or not at all.

    Raises CommandError: there is such a file, or its folder does not take one.
    """
    if os.path.lexists(path):
        raise CommandError(f"{path} is there already, and is not replaced")
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}.partial")
    handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with naming(draft), os.fdopen(handle, "w+b") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=_LEVEL) as archive:
                yield Writer(archive)
            digest = _digest(file)
            file.seek(-_DIGEST, os.SEEK_END)
            file.write(digest)
            file.flush()
            os.fsync(handle)
        _put(draft, path)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()
    sync_folder(path.parent)


def _put(draft: Path, path: Path) -> None:
    """Give a file its name, unless another one has it."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise CommandError(f"{path} has just been made by somebody else") from None
    except OSError as error:
        if error.errno not in _HAS_NO_LINKS:
            raise
        # The name is taken first, so that nobody else's file is replaced.
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        draft.rename(path)


class Reader:
    """An archive that is whole."""

    def __init__(self, archive: zipfile.ZipFile, manifest: Manifest) -> None:
        self._archive = archive
        self.manifest = manifest

    @contextmanager
    def table(self, name: str) -> Iterator[IO[bytes]]:
        """The rows of a table. Raises CommandError: the file has changed meanwhile."""
        try:
            with self._archive.open(f"tables/{name}") as member:
                yield member
        except (zipfile.BadZipFile, EOFError, KeyError) as error:
            raise CommandError(f"the file has changed while it was read: {error}") from None


@contextmanager
def reading(path: Path) -> Iterator[Reader]:
    """Read an archive, all of which is compared with its digest first.

    Raises CommandError: it is none, is damaged or cut off, or is of a newer release.
    """
    with path.open("rb") as file:
        if os.fstat(file.fileno()).st_size <= _DIGEST or file.read(2) != b"PK":
            raise CommandError(f"{path} is no back-up of contentsvc, or is cut off")
        digest = _digest(file)
        file.seek(-_DIGEST, os.SEEK_END)
        if file.read(_DIGEST) != digest:
            raise CommandError(f"{path} is damaged or cut off: its digest is another one")
        try:
            with zipfile.ZipFile(file) as archive:
                yield Reader(archive, _manifest(path, archive.read(_MANIFEST)))
        except (zipfile.BadZipFile, KeyError, msgspec.MsgspecError) as error:
            raise CommandError(f"{path} is no back-up of contentsvc: {error}") from None


def _manifest(path: Path, text: bytes) -> Manifest:
    version = msgspec.json.decode(text, type=_Version)
    if version.format < FORMAT:
        raise CommandError(f"{path} is {TOO_OLD}")
    if version.format != FORMAT:
        raise CommandError(
            f"{path} was made by a newer release ({version.release}): restore it with that one"
        )
    return msgspec.json.decode(text, type=Manifest)


def _digest(file: Any) -> bytes:
    """The digest of all but the end of a file, as hex digits."""
    file.flush()
    left = os.fstat(file.fileno()).st_size - _DIGEST
    file.seek(0)
    found = hashlib.sha256()
    while left > 0 and (piece := file.read(min(_PIECE, left))):
        found.update(piece)
        left -= len(piece)
    return found.hexdigest().encode()
