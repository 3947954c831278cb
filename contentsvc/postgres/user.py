"""Whom the embedded Postgres runs as, and what that user may reach.

Postgres refuses to run as root. Started by root, it runs as the owner of the data folder, or as
the system user `pgserver` where root owns that too, and passes through folders that root owns.
"""

import os
import pwd
import subprocess
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from contentsvc.postgres.opened import Opened, Wish

# Nothing of ours (PGPORT, PGDATA, secrets) reaches the server through its environment. With TZ
# set, initdb does not search its database for the system's.
_ENV = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


class PostgresUser:
    """Whoever starts it; for root the owner of `folders` (the innermost first), or `pgserver`.

    `opened` lists what was made passable for that user, which `record` keeps until it is given
    back. Raises `OSError` where the system user cannot be made.
    """

    def __init__(self, folders: Sequence[Path], record: Path) -> None:
        self.opened: dict[Path, None] = {}
        self._uid, self._gid = os.geteuid(), os.getegid()
        self._root = self._uid == 0
        if self._root:
            account = _owner(folders)
            self._uid, self._gid = account.pw_uid, account.pw_gid
            self._changes = Opened(record)

    def process(self) -> dict[str, Any]:
        """Arguments for `subprocess` that start a process as this user, in a session of its own.

        Ctrl-C in the terminal is for the daemon, which drains before it stops Postgres.
        """
        how: dict[str, Any] = {"cwd": "/", "env": _ENV, "start_new_session": True}
        if self._root:
            how |= {"user": self._uid, "group": self._gid, "extra_groups": []}
        return how

    def private_folder(self, folder: Path) -> None:
        """Make `folder` if need be, of mode 0700 and this user's.

        Raises `PermissionError` if it is somebody else's, as in a shared temporary folder anybody
        can have made one of that name, and `NotADirectoryError` if it is a link.
        """
        with suppress(FileExistsError):
            folder.mkdir(0o700)
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            owner = os.fstat(handle).st_uid
            if owner not in {os.geteuid(), self._uid}:
                raise PermissionError(f"{folder} belongs to user {owner}")
            os.fchmod(handle, 0o700)
            if self._root:
                os.fchown(handle, self._uid, self._gid)
        finally:
            os.close(handle)

    def let_in(self, target: Path) -> None:
        """As root, let the user pass through the folders above `target`; never read them."""
        self._widen((folder, 0o111, folder) for folder in reversed(target.parents))

    def let_read(self, tree: Path) -> None:
        """As root, let the user read a tree of programs, if the umask they came with was strict."""
        if self._root:
            self.let_in(tree)
            # What its owner can run or enter, the user can.
            self._widen(
                (path, 0o555 if path.stat().st_mode & 0o100 else 0o444, tree)
                for path in (tree, *tree.rglob("*"))
            )

    def give_back(self, *, note: bool = True) -> list[Path]:
        """Undo what `let_in` and `let_read` have done, now or in a life before; those folders.

        `note` as in `Opened.give_back`.
        """
        return self._changes.give_back(note=note) if self._root else []

    def leave(self) -> None:
        """Need the folders no more, but leave them to others."""
        if self._root:
            self._changes.release()

    def _widen(self, wanted: Iterable[tuple[Path, int, Path]]) -> None:
        if self._root:
            wishes = (Wish(path, self._class_of(path, bits), of) for path, bits, of in wanted)
            self.opened |= dict.fromkeys(self._changes.widen(wishes))

    def _class_of(self, path: Path, bits: int) -> int:
        """Of these bits those that the kernel looks at for this user."""
        now = path.stat()
        if now.st_uid == self._uid:
            return bits & 0o700
        return bits & (0o070 if now.st_gid == self._gid else 0o007)


def _owner(folders: Sequence[Path]) -> pwd.struct_passwd:
    for folder in folders:
        # A mounted folder's owner may have no account in this container.
        with suppress(FileNotFoundError, KeyError):
            if owner := folder.stat().st_uid:
                return pwd.getpwuid(owner)
    return _system_user("pgserver")


def _system_user(name: str) -> pwd.struct_passwd:
    deadline = time.monotonic() + 10.0
    while True:
        with suppress(KeyError):
            return pwd.getpwnam(name)
        done = subprocess.run(  # noqa: S603
            ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", name],  # noqa: S607
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        # Another start may be making it at this moment.
        if done.returncode and time.monotonic() > deadline:
            raise OSError(f"cannot make the system user {name}: {done.stderr}")
        time.sleep(0.1)
