"""Two lock files in the data folder: one for the process that starts or stops the embedded
Postgres, one for all that use it.

They are locked with flock. The kernel releases such a lock however a process ends.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TURN = "postgres.lock"
_USERS = "postgres.users"
_TURN_MAX = 120.0


class Locks:
    """`postgres.lock` is held by the process that starts or stops the server. `postgres.users` is
    shared by all processes that use it. `in_use` says whether this process does.

    The methods raise OSError; `turn` also raises TimeoutError.
    """

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._users: int | None = None
        self.users_file = data_dir / _USERS
        """It exists since the first use of the folder's database."""

    @property
    def in_use(self) -> bool:
        return self._users is not None

    @contextmanager
    def turn(self) -> Iterator[None]:
        """One process at a time; the others wait at most 120 s."""
        handle = self._open(_TURN)
        try:
            deadline = time.monotonic() + _TURN_MAX
            while not _flock(handle, fcntl.LOCK_EX):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"another process is starting Postgres in {self._data_dir}")
                time.sleep(0.05)
            yield
        finally:
            os.close(handle)

    def use(self) -> bool:
        """Become a user of the server. Whether this process is the only one."""
        if self._users is None:
            self._users = self._open(_USERS)
        alone = _flock(self._users, fcntl.LOCK_EX)
        _flock(self._users, fcntl.LOCK_SH)
        return alone

    def is_last(self) -> bool:
        """Whether no other process uses the server. In this process's turn, nobody begins to before
        `leave`."""
        return self._users is not None and _flock(self._users, fcntl.LOCK_EX)

    def mark(self) -> None:
        """Make the file of users, and nothing else."""
        os.close(self._open(_USERS))

    def leave(self) -> None:
        """Stop using the server. Does nothing if this process did not use it."""
        if self._users is not None:
            os.close(self._users)
            self._users = None

    def _open(self, name: str) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
        handle = os.open(self._data_dir / name, flags, 0o600)
        if os.geteuid() == 0:  # the folder's owner must be able to start the server too
            owner = self._data_dir.stat()
            os.fchown(handle, owner.st_uid, owner.st_gid)
        return handle


def _flock(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
