"""A folder that is kept equal to a library: what of it is ours, and what was changed by hand.

Each content has a folder of its id's name. What is ours in it is noted before it is put there, so
that a process that is killed at any moment leaves nothing that the next does not know of. Files
come whole, by a rename. Before one is replaced or deleted, it is compared with what was put there.
"""

import errno
import os
import re
import shutil
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, LOCK_NB, flock
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final

from msgspec import DecodeError, Meta, Struct, field, json

from contentsvc.client.files import local
from contentsvc.client.files.downloading import PARTS
from contentsvc.client.files.local import Stop, arrive, share, shares, write_whole
from contentsvc.command import synced_names
from contentsvc.command.synced_names import is_there, is_within
from contentsvc.command.terminal import CommandError
from contentsvc.framework.core.utf8 import without_mark
from contentsvc.framework.storage.paths import path_of
from contentsvc.wire.base import GUID_PATTERN
from contentsvc.wire.files import ContentFile

STATE: Final = ".contentsvc"
"""The subfolder for what sync itself needs."""
ABOUT: Final = "content.json"
NAMES: Final = ".names.json"
"""What the files of all contents are called, by where they are in the folder."""
_MARGIN: Final = 1024 * 1024
"""Bytes that stay free, for notes of what is where."""
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})

Stamp = tuple[int, int, int]
_Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
_ID: Final = re.compile(GUID_PATTERN)


class _File(Struct, array_like=True):
    """A file that was put into the folder, or is about to be: `digests` are all that it may have
    without a change by hand. `stamp` is None until it is there."""

    digests: list[_Sha256]
    stamp: Stamp | None = None


class Record(Struct):
    """What is ours of a content, by names in its folder. `revision` is None while it changes.
    `platform` is the one whose packages' files there are, None with all. `names` are what some of
    the files are called by those who published them."""

    revision: str | None = None
    platform: str | None = None
    files: dict[str, _File] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)


class _Owner(Struct):
    user: str


class SyncedFolder:
    """The folder. Its methods block. They raise CommandError and OSError; `notes` are sentences for
    whoever runs the command."""

    def __init__(self, root: Path, platform: str | None = None) -> None:
        self._platform = platform
        root.mkdir(parents=True, exist_ok=True)
        self.root = root.resolve()
        self._state = self.root / STATE
        self.incoming = self._state / "incoming"
        """Where files lie until they are whole, by their paths on the service."""
        self._records = self._state / "contents"
        self.library = self._state / "library.json"
        self.notes: list[str] = []
        self._places: dict[str, tuple[str, str]] = {}
        self._indexed = False
        self._names: dict[str, dict[str, str]] = {}
        """What the files of each content are called."""
        self._shares: bool | None = None
        self._read: dict[tuple[int, ...], str] = {}
        """The digests of files that were read, by what they are on the disk."""

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder: nobody else works on it meanwhile. The lock ends however the process
        does."""
        for folder in (self._records, self.incoming):
            synced_names.folder(folder, self.root)
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        handle = os.open(self._state / "lock", flags, 0o666)
        try:
            try:
                flock(handle, LOCK_EX | LOCK_NB)
            except BlockingIOError:
                raise CommandError(f"another contentsvc sync works on {self.root}") from None
            for torn in self._records.glob("*.new"):
                torn.unlink()
            yield
        finally:
            os.close(handle)

    def belongs_to(self, user: str) -> None:
        """Raises CommandError if the folder is another user's: nothing of it is to be deleted."""
        path = self._state / "user.json"
        try:
            owner = json.decode(without_mark(path.read_bytes()), type=_Owner)
        except FileNotFoundError:
            write_whole(path, json.encode(_Owner(user)))
            return
        except (DecodeError, UnicodeDecodeError):
            raise CommandError(
                f"{path} is damaged. It says whose library this is. Put back a copy of it, or make "
                'it {"user": "ID"}, with the id of this user'
            ) from None
        if owner.user != user:
            raise CommandError(f"{self.root} has the library of another user; take another folder")

    # What is there.

    def contents(self) -> list[str]:
        """The ids of those of which there may be something."""
        stems = (path.stem for path in self._records.glob("*.json"))
        return sorted(stem for stem in stems if _ID.match(stem))

    def record(self, content: str) -> Record:
        """What is ours of a content."""
        path = self._record_path(content)
        try:
            found = json.decode(without_mark(path.read_bytes()), type=Record)
        except FileNotFoundError:
            return Record()
        except (DecodeError, UnicodeDecodeError):
            self.notes.append(f"{path} is damaged: what {content} has there is looked at anew")
            return Record()
        try:
            synced_names.check(found.files)
        except CommandError as error:
            self.notes.append(f"{path} is damaged: {error}")
            return Record()
        return found

    def broken(self, have: Mapping[str, str]) -> list[str]:
        """Of the contents of which there is something, or of which `have` names a revision, those
        that do not lie here as they were put here."""
        known = sorted({*self.contents(), *have})
        return [each for each in known if not self._is_as_it_was(each, have.get(each))]

    def _is_as_it_was(self, content: str, revision: str | None) -> bool:
        """Whether all of this revision lies where it was put."""
        record = self.record(content)
        self._names[content] = record.names
        if not revision or (record.revision, record.platform) != (revision, self._platform):
            return False
        stamps = {}
        for name, file in record.files.items():
            path = self.root / content / name
            if not is_there(path) or not self._is_ours(path, file):
                return False
            stamps[name] = _stamp(path)
        if any(file.stamp != stamps[name] for name, file in record.files.items()):
            # They were only touched, or copied: the next check need not read them.
            files = {name: _File(file.digests, stamps[name]) for name, file in record.files.items()}
            self._write(content, Record(revision, self._platform, files, record.names))
        return True

    def missing(self, content: str, wanted: Mapping[str, str]) -> set[str]:
        """The digests of these files, by name, that do not lie in the content's folder. Raises
        CommandError where a name leads out of it."""
        synced_names.check([content, *wanted])
        record = self.record(content)
        lacking = set()
        for name, digest in wanted.items():
            path = self.root / content / name
            if not is_within(path, self.root):
                raise CommandError(
                    f"{path} lies behind a link: nothing is written or deleted through it"
                )
            if not self._is(path, record.files.get(name), digest):
                lacking.add(digest)
        return lacking

    def spare(self, content: str, wanted: set[str]) -> None:
        """Take what lies in the folder of these digests for a content, so that it need not come
        again. It lies there once if it is of this content. A file of another content is copied, on
        write where that can be: a write into one changes no other. The caller verifies it."""
        if wanted and not self._indexed:
            self._indexed = True
            for each in self.contents():
                self._index(each, self.record(each).files)
        own = {file.digests[-1]: name for name, file in self.record(content).files.items()}
        for digest in wanted:
            target = self.incoming / path_of(digest)
            if is_there(target):
                # It may be of another content, whose fetch came to no end.
                if target.lstat().st_nlink > 1:
                    self._take(target, target, links=False)
                continue
            if digest in own:
                holder, name = content, own[digest]
            elif digest in self._places:
                holder, name = self._places[digest]
            else:
                continue
            source, file = self.root / holder / name, self.record(holder).files.get(name)
            if file is None or file.stamp is None:
                continue
            if is_within(source, self.root) and file.stamp == _stamp(source):
                self._take(source, target, links=holder == content)

    def _take(self, source: Path, target: Path, *, links: bool) -> None:
        synced_names.folder(target.parent, self.root)
        beside = target.with_name(f"{target.name}.copy")
        beside.unlink(missing_ok=True)
        share(source, beside, links=links)
        beside.replace(target)

    def _index(self, content: str, files: Mapping[str, _File]) -> None:
        for name, file in files.items():
            self._places[file.digests[-1]] = content, name

    def shares(self) -> bool:
        """Whether a file with several names lies here once."""
        if self._shares is None:
            self._shares = shares(self._state)
        return self._shares

    def has_room(self, files: Iterable[ContentFile], wanted: Iterable[str]) -> None:
        """Raises OSError if there is no room for what has not come of these files, and for their
        names: `wanted` has the digest of each."""
        names, needed = Counter(wanted), 0
        for file in files:
            places = self.incoming / file.path, self.incoming / PARTS / file.sha256
            needed += max(0, file.size - max(_size(place) for place in places))
            if names[file.sha256] > 1 and not self.shares():
                needed += file.size * (names[file.sha256] - 1)
        if needed and needed + _MARGIN > shutil.disk_usage(self.root).free:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.root))

    # Changes.

    def put(
        self,
        content: str,
        revision: str,
        wanted: Mapping[str, str],
        about: bytes,
        called: Mapping[str, str] | None = None,
    ) -> None:
        """Give the files that lie in `incoming` their names, and remove what is no part of this
        revision. `wanted` are digests by name; `about` is what the file content.json says, `called`
        what .names.json shall say."""
        synced_names.check([content, *wanted, ABOUT])
        folder, before = self.root / content, self.record(content).files
        self.incoming.mkdir(exist_ok=True)
        staged = self.incoming / ABOUT
        write_whole(staged, about)
        digests = {**wanted, ABOUT: sha256(about).hexdigest()}
        # Before anything is put there. Until all is, a name may have what it had, or what it gets.
        plan = dict(before)
        for name, digest in digests.items():
            known = before[name].digests if name in before else []
            plan[name] = _File(list(dict.fromkeys([*known, digest])))
        self._write(content, Record(None, self._platform, plan))

        for name in digests:
            self._make_way((folder / name).parent)
        missing: dict[str, list[Path]] = {}
        for name, digest in digests.items():
            if not self._is(folder / name, before.get(name), digest):
                if not self._is_ours(folder / name, plan[name]):
                    self._set_aside(folder / name)
                missing.setdefault(digest, []).append(folder / name)
        sources = {digest: self.incoming / path_of(digest) for digest in wanted.values()}
        sources[digests[ABOUT]] = staged
        # What says which files there are comes last, and what it no longer names goes after it.
        for digest in sorted(missing, key=lambda digest: digest == digests[ABOUT]):
            arrive(sources[digest], missing[digest])
        for name in before.keys() - digests.keys():
            self._discard(content, name, before[name])
        files = {name: _File([digest], _stamp(folder / name)) for name, digest in digests.items()}
        names = dict(called or {})
        self._write(content, Record(revision, self._platform, files, names))
        self._index(content, files)
        self._note_names(content, names)

    def remove(self, content: str) -> None:
        """Remove what is ours of a content."""
        record = self.record(content)
        for name, file in record.files.items():
            self._discard(content, name, file)
        folder = self.root / content
        if not folder.is_symlink():
            with suppress(OSError):
                folder.rmdir()
        if is_there(folder):
            self.notes.append(f"{folder} stays: what is in it is not of the library")
        self._record_path(content).unlink(missing_ok=True)
        self._note_names(content, {})

    def write_names(self) -> None:
        """Write what all files are called, after `broken`, if something else is there: the process
        before may have been killed."""
        called = {
            f"{content}/{at}": name
            for content, names in self._names.items()
            for at, name in names.items()
        }
        data = json.format(json.encode(called, order="deterministic")) + b"\n"
        path = self.root / NAMES
        there = b""
        with suppress(OSError):
            there = path.read_bytes()
        if there != data and (called or there):
            write_whole(path, data)

    def _note_names(self, content: str, names: dict[str, str]) -> None:
        if self._names.get(content, {}) != names:
            self._names[content] = names
            self.write_names()

    def tidy(self) -> None:
        """Delete what came and is not needed any more."""
        shutil.rmtree(self.incoming, ignore_errors=True)

    def _make_way(self, folder: Path) -> None:
        """Make a folder. A file that lies in its place was put there by hand."""
        walked = self.root
        for part in folder.relative_to(self.root).parts:
            walked = walked / part
            if is_there(walked) and not walked.is_symlink() and not walked.is_dir():
                self._set_aside(walked)
        synced_names.folder(folder, self.root)

    def _discard(self, content: str, name: str, ours: _File) -> None:
        path = self.root / content / name
        if not is_within(path, self.root):
            self.notes.append(f"{path} lies behind a link, and stays")
            return
        if is_there(path):
            if self._is_ours(path, ours):
                path.unlink()
            else:
                self._set_aside(path)
        for folder in path.parents:
            if folder == self.root / content:
                break
            with suppress(OSError):
                folder.rmdir()

    def _is(self, path: Path, ours: _File | None, digest: str) -> bool:
        """Whether the file of this digest lies there."""
        stamp = _stamp(path)
        if stamp is None:
            return False
        if ours is not None and ours.digests == [digest] and ours.stamp == stamp:
            return True
        return self._digest(path) == digest

    def _is_ours(self, path: Path, ours: _File) -> bool:
        """Whether nothing else than what was put there lies there."""
        if not is_within(path, self.root):
            return False
        if not is_there(path):
            return True
        stamp = _stamp(path)
        if stamp is None:
            return False
        return stamp == ours.stamp or self._digest(path) in ours.digests

    def _set_aside(self, path: Path) -> None:
        first = f"{path.name}.local-{(self._digest(path) or 'other')[:8]}"
        aside, number = path.with_name(first), 1
        while is_there(aside):
            number += 1
            aside = path.with_name(f"{first}-{number}")
        path.rename(aside)
        self.notes.append(f"{path} was changed by hand: it is kept as {aside.name}")

    def _digest(self, path: Path) -> str | None:
        """The digest of a file; None if it is none, as a link. One that has several names is read
        once."""
        stamp = _stamp(path)
        if stamp is None:
            return None
        with path.open("rb") as opened:
            status = os.fstat(opened.fileno())
            key = status.st_dev, status.st_ino, *stamp
            if key not in self._read:
                self._read[key] = local.digest(opened.read, Stop())[0]
            return self._read[key]

    def _record_path(self, content: str) -> Path:
        synced_names.check([content])
        return self._records / f"{content}.json"

    def _write(self, content: str, record: Record) -> None:
        write_whole(self._record_path(content), json.encode(record))


def _stamp(path: Path) -> Stamp | None:
    """What changes whenever a file does; None if it is no file."""
    try:
        status = path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    return status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _size(path: Path) -> int:
    stamp = _stamp(path)
    return 0 if stamp is None else stamp[0]
