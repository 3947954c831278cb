"""Widens the modes of folders, as root, for the Postgres user, and restores them when
Postgres has stopped.

Each change is written down before it is made, in a file of root's in the data folder. So the next
start knows the old modes even after a crash. The file is not trusted further: a restored folder or
file only loses bits that were added here, never gains any, and must be the very one that was
changed, not a link or another one in its place. A mode that somebody has changed meanwhile is left
alone.

Several servers may need the same folder, because they share the programs. Each process locks the
folders that it needs (flock, shared). Only a process that finds no other lock restores a folder.
"""

import fcntl
import os
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

_NO_LINK = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_LOCK_TIMEOUT = 1.0
"""Seconds to wait while another process restores a folder."""


class Wish(NamedTuple):
    """Bits that the mode of `path` must have. `of` is the folder that the log names for it."""

    path: Path
    bits: int
    of: Path


class _Change(NamedTuple):
    path: str
    of: str
    device: int
    inode: int
    was: int
    now: int


class Opened:
    """The changes in force. `file` records them."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._changes = {change.path: change for change in _read(file)}
        self._held: dict[Path, int] = {}

    def widen(self, wishes: Iterable[Wish]) -> list[Path]:
        """Add the missing bits. Gives the folders to name in the log.

        Raises OSError.
        """
        missing: list[_Change] = []
        for path, bits, of in wishes:
            self._hold(of)
            with suppress(FileNotFoundError):
                state = path.stat()
                now = stat.S_IMODE(state.st_mode)
                if bits & ~now:
                    where = (str(path.resolve()), str(of), state.st_dev, state.st_ino)
                    missing.append(_Change(*where, now, now | bits))
        if missing:
            self._changes |= {change.path: change for change in missing}
            self._write()
            for change in missing:
                _set_mode(change, change.was, change.now)
        return list(dict.fromkeys(Path(change.of) for change in missing))

    def give_back(self, *, note: bool) -> list[Path]:
        """Undo the changes, except where another process needs the folder. Gives the restored
        folders.

        The changes that remain stay in the file. Without `note`, the file is not written.
        """
        self.release()
        closed = []
        for of in dict.fromkeys(change.of for change in self._changes.values()):
            with suppress(BlockingIOError):
                handle = _lock(of, fcntl.LOCK_EX)
                try:
                    changes = [each for each in self._changes.values() if each.of == of]
                    done = [_set_mode(each, each.now, each.now & each.was) for each in changes]
                    if any(done):
                        closed.append(Path(of))
                    for each in changes:
                        del self._changes[each.path]
                finally:
                    if handle is not None:
                        os.close(handle)
        if note:
            self._write()
        return closed

    def release(self) -> None:
        """Release the locks on the folders."""
        for handle in self._held.values():
            os.close(handle)
        self._held.clear()

    def _hold(self, folder: Path) -> None:
        if folder in self._held:
            return
        deadline = time.monotonic() + _LOCK_TIMEOUT
        while True:
            try:
                handle = _lock(str(folder), fcntl.LOCK_SH)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return
                time.sleep(0.01)
            else:
                if handle is not None:
                    self._held[folder] = handle
                return

    def _write(self) -> None:
        # If this fails, on a full disk, only this process's stop knows of the changes.
        with suppress(OSError):
            if self._changes:
                self._write_down()
            else:
                self._file.unlink()

    def _write_down(self) -> None:
        draft = self._file.with_name(f"{self._file.name}.new")
        with suppress(FileNotFoundError):
            draft.unlink()
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(list(self._changes.values())))
            file.flush()
            os.fsync(handle)
        draft.rename(self._file)


def _read(file: Path) -> list[_Change]:
    """The recorded changes; none if anybody but root may have written the file."""
    try:
        handle = os.open(file, _NO_LINK)
    except OSError:
        return []
    try:
        state = os.fstat(handle)
        ours = state.st_uid == 0 and stat.S_IMODE(state.st_mode) == 0o600
        if not ours or not stat.S_ISREG(state.st_mode):
            return []
        return msgspec.json.decode(os.read(handle, state.st_size), type=list[_Change])
    except (OSError, msgspec.MsgspecError):
        return []
    finally:
        os.close(handle)


def _lock(folder: str, kind: int) -> int | None:
    """The locked folder, or None if there is no folder. Raises BlockingIOError."""
    try:
        handle = os.open(folder, _NO_LINK)
    except OSError:
        return None
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise
    return handle


def _set_mode(change: _Change, before: int, after: int) -> bool:
    """Change the mode from `before` to `after`, if the file is still the same one. Whether it was
    changed."""
    try:
        handle = os.open(change.path, _NO_LINK)
    except OSError:
        return False
    try:
        state = os.fstat(handle)
        same = (state.st_dev, state.st_ino) == (change.device, change.inode)
        if not same or stat.S_IMODE(state.st_mode) != before:
            return False
        os.fchmod(handle, after)
    finally:
        os.close(handle)
    return True
