"""The embedded Postgres 18, for operators without their own Postgres.

The data folder holds `postgres` (PGDATA, with its log), `postgres-socket`, the two files of
`Locks`, and for root the file of `Opened`. The last process to leave stops the server. There is one
exception: a process without `own` that came to a running server without users leaves it running.

A database is made once in a data folder, at the first start. From then on the folder has the file
`postgres.users`. If that file is there without data, a volume is missing, and a new database would
hide that.
"""

import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import IO

import psutil
import psycopg2

from contentsvc.framework.core.disk import sync_folder
from contentsvc.framework.postgres import programs
from contentsvc.framework.postgres.data import (
    end,
    forget_process,
    holds_data,
    identity,
    is_there,
    last_words,
    ready,
    running,
)
from contentsvc.framework.postgres.errors import EmbeddedError, one_line
from contentsvc.framework.postgres.locks import Locks
from contentsvc.framework.postgres.user import PostgresUser

_SOCKET = ".s.PGSQL.5432"
# sun_path has 108 bytes on Linux and 104 elsewhere, with the NUL.
_SOCKET_PATH_MAX = 103
_SHUTDOWNS = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0))
"""Postgres's signals for a fast and for an immediate shutdown, and the seconds that each may
take."""


class EmbeddedPostgres:
    """The server of one data folder. `start` and `stop` block: call them in a thread.

    With `own` (the daemon), `stop` also ends a server that ran before `start`. Without it (the
    command line tool), `stop` ends only a server that was started here. Neither ends a server that
    another process uses. `wait` is the longest time for a start, including a recovery, in seconds.
    `settings` are server parameters for a start made here. `started_here` is false after a running
    server was adopted.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        own: bool,
        wait: float = 60.0,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self._data_dir = data_dir.resolve()
        self._pgdata = self._data_dir / "postgres"
        self._own = own
        self._wait = wait
        self._settings = dict(settings or {})
        self._user: PostgresUser | None = None
        self._locks = Locks(self._data_dir)
        self._child: subprocess.Popen[bytes] | None = None
        self._process: psutil.Process | None = None
        self._identity: bytes | None = None
        self._stops = False
        # A stop during a start waits for the start. Otherwise it would find nothing to stop yet.
        self._busy = threading.Lock()
        self.started_here = False
        self.closed: tuple[Path, ...] = ()
        """Folders whose modes `stop` has restored, also those that an earlier process changed."""

    @property
    def opened(self) -> tuple[Path, ...]:
        """Folders whose modes `start` has changed, as root, for the Postgres user."""
        return tuple(self._user.opened) if self._user else ()

    @property
    def folder(self) -> Path:
        """The folder of the data."""
        return self._pgdata

    def start(self) -> str:
        """Start or adopt the server, wait until it answers, and give the URL of its database.

        Makes the database if this folder never held one. Raises `EmbeddedError`. A server that is
        still recovering then continues, and the next start adopts it.
        """
        with self._busy, one_line():
            if self._identity is None:
                self._make_data_dir()
            elif not self.there():
                # Make not even a lock file: this may be the folder below a missing volume.
                raise EmbeddedError(f"the database is missing from {self._pgdata}")
            with self._locks.turn():
                if not holds_data(self._pgdata):
                    self._refuse_to_begin_anew()
                user = self._user = self._open()
                try:
                    return self._start(user)
                except BaseException:
                    self._locks.leave()
                    self._close(user)
                    raise

    def _start(self, user: PostgresUser) -> str:
        if not holds_data(self._pgdata):
            self._make_database(user)
        version = (self._pgdata / "PG_VERSION").read_text().strip()
        if version != (needed := str(programs.VERSION)):
            raise EmbeddedError(
                f"{self._pgdata} was made by Postgres {version}; this service needs {needed}"
            )
        alone = self._locks.use()
        self.started_here = False
        try:
            url = self._serve(user)
        except BaseException as error:
            if self.started_here and not isinstance(error, EmbeddedError):
                self._shutdown()
            raise
        self._stops = self._own or self.started_here or not alone
        self._identity = identity(self._pgdata)
        return url

    def _open(self) -> PostgresUser:
        """The user that runs the server. Lets that user reach the data and the programs."""
        if self._user is not None:
            self._user.leave()
        folders = [self._pgdata, self._data_dir]
        user = PostgresUser(folders, self._data_dir / "postgres.opened")
        user.let_in(self.socket_folder())
        user.let_in(self._pgdata)
        for tree in programs.TREES:
            user.let_read(tree)
        return user

    def _close(self, user: PostgresUser) -> None:
        """Restore the changed modes, unless a server still runs."""
        if self.running():
            user.leave()
        else:
            self.closed = tuple(user.give_back())

    def stop(self) -> None:
        """Leave a server that was started, and end it if that is this process's task.

        Takes at most 50 s for the server, after at most 120 s for another process's turn. Raises
        `EmbeddedError`.
        """
        with self._busy, one_line():
            if not self._locks.in_use or self._user is None:
                return
            if not self.there():
                self._abandon()
                return
            with self._locks.turn():
                try:
                    if self._locks.is_last() and self._stops:
                        self._shutdown()
                finally:
                    self._locks.leave()
                    self._close(self._user)

    def there(self) -> bool:
        """Whether the data with which the server started are still in their folder."""
        return self._identity is None or is_there(self._pgdata, self._identity)

    def abandon(self) -> None:
        """End the server after its data have gone. Raises `EmbeddedError`.

        The server might go on in a folder that was moved or deleted, or on a volume that is no
        longer visible. Its commits would be lost. If the data folder exists, as the folder below a
        volume does, this leaves the file `postgres.users` in it, so that the next start does not
        make a new database.
        """
        with self._busy, one_line():
            self._abandon()

    def give_up(self) -> None:
        """Leave `postgres.users` even if the folder must be made. Raises `EmbeddedError`."""
        with self._busy, one_line():
            self._make_data_dir()
            self._locks.mark()

    def _abandon(self) -> None:
        # The folder may come back as a copy, with a new lock file.
        self._locks.leave()
        if self._user is not None:
            self.closed = tuple(self._user.give_back(note=False))
        with suppress(OSError):
            self._locks.mark()
        if self._process is not None:
            end(self._process)

    def running(self) -> bool:
        """Whether there is a server, even if it is still starting. True also if that is unknown."""
        try:
            return self._running() is not None
        except (OSError, psutil.Error):
            return True

    def _make_data_dir(self) -> None:
        try:
            self._data_dir.mkdir(0o700 if os.geteuid() else 0o711, parents=True, exist_ok=True)
        except OSError as error:
            raise EmbeddedError(f"data_dir {self._data_dir}: {error.strerror}") from error

    def _refuse_to_begin_anew(self) -> None:
        trace = self._locks.users_file
        if self._identity is not None or trace.exists():
            raise EmbeddedError(
                f"data_dir {self._data_dir} has held a database, but {self._pgdata} is missing or "
                f"empty: is a volume not mounted? To make a new database, remove {trace}"
            )

    def _serve(self, user: PostgresUser) -> str:
        deadline = time.monotonic() + self._wait
        child, why = None, "it has not made its socket yet"
        with tempfile.TemporaryFile() as stderr:
            while True:
                pause = 0.02
                late = time.monotonic() > deadline
                sockets = self._running()
                if sockets:
                    try:
                        return ready(sockets)
                    except psycopg2.Error as error:
                        why = str(error)
                elif sockets is None and (child is None or child.poll() is not None):
                    if child is not None:
                        why = last_words(self._pgdata, stderr)
                        # The children of a killed postmaster need a moment to notice.
                        if "shared memory block" not in why or late:
                            raise EmbeddedError(f"Postgres in {self._pgdata} ended: {why}")
                        pause = 0.5
                    child = self._child = self._launch(user, stderr)
                    self.started_here = True
                if late:
                    raise EmbeddedError(
                        f"Postgres in {self._pgdata} runs, but has not answered for "
                        f"{self._wait:g} s: {why} (a long recovery continues; start again later)"
                    )
                time.sleep(pause)

    def _running(self) -> str | None:
        """The socket folder of the live server ("" before it has one), or None without a server."""
        found = running(self._pgdata)
        if found is None:
            return None
        self._process = found.process
        return found.sockets

    def _launch(self, user: PostgresUser, stderr: IO[bytes]) -> subprocess.Popen[bytes]:
        if self._process is not None:
            # A copy has taken the place of the data. The old server would continue in the moved
            # folder, and its commits would be lost.
            end(self._process)
        sockets = self.socket_folder()
        user.private_folder(sockets)
        self._clear_stale(sockets / _SOCKET)
        settings = self._settings | {
            "listen_addresses": "",
            "unix_socket_directories": str(sockets),
            "port": "5432",
        }
        return programs.postgres(self._pgdata, settings, user, stderr)

    def _clear_stale(self, path: Path) -> None:
        """Remove the files of a dead server. No live server is here."""
        with closing(socket.socket(socket.AF_UNIX)) as probe:
            if probe.connect_ex(str(path)) == 0:
                raise EmbeddedError(
                    f"another server listens on {path}, and postmaster.pid does not name it: "
                    "does another container use the data folder?"
                )
        path.unlink(missing_ok=True)
        path.with_name(f"{_SOCKET}.lock").unlink(missing_ok=True)
        forget_process(self._pgdata)

    def _make_database(self, user: PostgresUser) -> None:
        # Rename the folder when it is complete, so that a half-made one is never used.
        for leftover in self._data_dir.glob("postgres.new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        if self._pgdata.exists() and any(self._pgdata.iterdir()):
            raise EmbeddedError(f"{self._pgdata} has files, but is not a Postgres database")
        fresh = Path(tempfile.mkdtemp(prefix="postgres.new-", dir=self._data_dir))
        try:
            user.private_folder(fresh)
            programs.initdb(fresh, user)
            fresh.rename(self._pgdata)
            # Before the first commit: losing the rename would lose that commit too.
            sync_folder(self._data_dir)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def _shutdown(self) -> None:
        # Not by pg_ctl: no new process can begin when the system has no memory left for one.
        for number, seconds in _SHUTDOWNS:
            deadline = time.monotonic() + seconds
            if (found := running(self._pgdata)) is not None:
                with suppress(psutil.NoSuchProcess):
                    found.process.send_signal(number)
            while self._running() is not None and time.monotonic() < deadline:
                time.sleep(0.02)
        if self._running() is not None:
            raise EmbeddedError(f"Postgres in {self._pgdata} does not stop")
        if self._child:
            self._child.wait(10)
        with suppress(OSError):
            self.socket_folder().rmdir()

    def socket_folder(self) -> Path:
        folder = self._data_dir / "postgres-socket"
        fits = len(os.fsencode(folder / _SOCKET)) <= _SOCKET_PATH_MAX
        # Postgres and libpq read a comma as the end of a name, and a quote as one's beginning.
        if fits and re.fullmatch(r"[\w./+@-]+", str(folder), re.ASCII):
            return folder
        digest = hashlib.sha256(os.fsencode(self._data_dir)).hexdigest()[:16]
        return Path(tempfile.gettempdir()).resolve() / f"contentsvc-{digest}"


def forget_variables() -> None:
    """Remove the variables of libpq (PGOPTIONS, PGSERVICE, …) from this process and its children.

    They are meant for another server. The URL of the embedded one cannot override them: it can name
    no service and no date style. libpq has no names but these, and more of them in each release.
    """
    for name in [name for name in os.environ if name.startswith("PG")]:
        del os.environ[name]
