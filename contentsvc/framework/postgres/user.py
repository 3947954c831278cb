"""The user that runs the embedded Postgres, and its access to folders.

Postgres refuses to run as root. Started by root, it runs as the owner of the data folder. If root
owns that too, it runs as the system user `pgserver`, which must pass through folders that root
owns.
"""

import os
import pwd
import subprocess
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from contentsvc.framework.postgres.opened import Opened, Wish

# None of our environment (PGPORT, PGDATA, secrets) reaches the server. With TZ set, initdb does not
# search for the system's time zone.
_ENV = {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}


class PostgresUser:
    """The user that starts Postgres. For root, it is the owner of `folders` (the innermost first),
    or `pgserver`.

    `opened` lists the folders whose modes were changed for that user; `record` keeps the changes
    until they are undone. Raises `OSError` if the system user cannot be made.
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
        """Arguments for `subprocess` that start a process as this user, in its own session.

        Ctrl-C in the terminal is for the daemon, which drains before it stops Postgres.
        """
        how: dict[str, Any] = {"cwd": "/", "env": _ENV, "start_new_session": True}
        if self._root:
            how |= {"user": self._uid, "group": self._gid, "extra_groups": []}
        return how

    def private_folder(self, folder: Path) -> None:
        """Make `folder` if it is missing, with mode 0700 and this user as its owner.

        Raises `PermissionError` if it belongs to somebody else: in a shared temporary folder,
        anybody can have made one of that name. Raises `NotADirectoryError` if it is a link.
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
        """As root, let the user pass through the folders above `target`, but not read them."""
        self._widen((folder, 0o111, folder) for folder in reversed(target.parents))

    def let_read(self, tree: Path) -> None:
        """As root, let the user read a tree of programs, in case it was installed with a strict
        umask."""
        if self._root:
            self.let_in(tree)
            # The user can run or enter whatever the owner can.
            self._widen(
                (path, 0o555 if path.stat().st_mode & 0o100 else 0o444, tree)
                for path in (tree, *tree.rglob("*"))
            )

    def give_back(self, *, note: bool = True) -> list[Path]:
        """Undo the changes of `let_in` and `let_read`, of this process and of earlier ones. Gives
        the folders.

        `note` is that of `Opened.give_back`.
        """
        return self._changes.give_back(note=note) if self._root else []

    def leave(self) -> None:
        """Release the folders, but leave their modes for others."""
        if self._root:
            self._changes.release()

    def _widen(self, wanted: Iterable[tuple[Path, int, Path]]) -> None:
        if self._root:
            wishes = (Wish(path, self._class_of(path, bits), of) for path, bits, of in wanted)
            self.opened |= dict.fromkeys(self._changes.widen(wishes))

    def _class_of(self, path: Path, bits: int) -> int:
        """Those of `bits` that the kernel checks for this user."""
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
