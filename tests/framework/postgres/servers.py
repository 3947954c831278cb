"""Data folders and processes for the tests of the embedded Postgres."""

import atexit
import contextlib
import os
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import psutil
import psycopg2
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.postgres.embedded import EmbeddedPostgres
from tests.support import postgres

# A process that uses the server from the line it prints to the end of its input.
_USER = """
import signal, sys
from pathlib import Path
from contentsvc.framework.postgres.embedded import EmbeddedPostgres
# A shell that runs the tests in the background has them ignore it.
signal.signal(signal.SIGINT, signal.default_int_handler)
server = EmbeddedPostgres(Path(sys.argv[1]), own=sys.argv[2] == "daemon")
server.start()
print("started" if server.started_here else "adopted", flush=True)
sys.stdin.read()
server.stop()
"""


class User:
    """Another process with the server of `data_dir`: the "daemon" or the command line "tool"."""

    def __init__(self, data_dir: Path, role: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _USER, str(data_dir), role],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # The traceback of an interrupted one is no news.
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def ready(self) -> str:
        """Wait for it; "started" or "adopted"."""
        return self.process.stdout.readline().strip()

    def leave(self) -> None:
        """Let it end by itself."""
        self.process.communicate(timeout=60)

    def kill(self, number: int = signal.SIGKILL) -> None:
        """End it, and all of its process group, by a signal."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)
        self.process.communicate(timeout=60)


def postmaster(data_dir: Path) -> psutil.Process | None:
    """The live server of the folder, found without the code under test."""
    for process in psutil.process_iter(["cmdline"]):
        command = process.info["cmdline"] or [""]
        if Path(command[0]).name == "postgres" and str(data_dir / "postgres") in command:
            return process
    return None


def crash(data_dir: Path) -> None:
    """Kill the server without a chance to clean up."""
    end(postmaster(data_dir), signal.SIGKILL)


def end(process: psutil.Process, number: int) -> None:
    """Send a signal and wait for the end, whether or not its parent has noticed."""
    watch = os.pidfd_open(process.pid)
    try:
        process.send_signal(number)
        select.select([watch], [], [], 30)
    finally:
        os.close(watch)


def run_sql(url: str, statement: str) -> list[tuple]:
    """Run a statement on a connection of its own; its rows."""
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        connection.autocommit = True
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def times_open(path: Path) -> int:
    """How often this process has a file open at the moment."""
    files = psutil.Process().open_files()
    return [file.path for file in files].count(os.path.realpath(path))


def mode(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


@cache
def template() -> Path:
    """A data folder that was started once and stopped, to copy: cheaper than initdb."""
    folder = postgres.new_folder() / "template"
    server = EmbeddedPostgres(folder, own=True)
    server.start()
    server.stop()
    return folder


def copy(path: Path) -> Path:
    """A data folder at `path` with a stopped server's data."""
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", template(), path], check=True)
    return path


@cache
def shared() -> Path:
    """A data folder that one test after the other may use, and leave sound."""
    return copy(postgres.new_folder() / "shared")


@cache
def running() -> tuple[Path, str]:
    """The data folder and URL of a server for tests that only look at it."""
    folder = postgres.new_folder() / "running"
    server = EmbeddedPostgres(folder, own=True)
    url = server.start()
    atexit.register(server.stop)
    return folder, url


class Case(SynchronousTestCase):
    """Gives each test data folders of its own and ends whatever server they are left with."""

    def folder(self) -> Path:
        folder = Path(tempfile.mkdtemp(prefix="contentsvc-test-")).resolve()
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        return folder

    def data(self, path: Path | None = None, *, made: bool = True) -> Path:
        """A data folder for this test, by default `shared()`.

        One at a `path` of its own is a copy, or with `made` false does not exist yet.
        """
        if made:
            path = copy(path) if path else shared()
        path = path or self.folder() / "data"
        self.addCleanup(self._end, path)
        return path

    def hollow(self, path: Path | None = None, version: str = "18") -> Path:
        """A data folder that looks used, for starts that end before there is a server."""
        data = self.data(path, made=False)
        (data / "postgres").mkdir(0o700, parents=True)
        (data / "postgres/PG_VERSION").write_text(f"{version}\n")
        return data

    def _end(self, data_dir: Path) -> None:
        if process := postmaster(data_dir):
            end(process, signal.SIGINT)

    def ended(self, data_dir: Path) -> None:
        """Assert that the server has been stopped. That of another process may be there for a
        moment after its pid file."""
        deadline = time.monotonic() + 10
        while postmaster(data_dir) and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertIsNone(postmaster(data_dir))

    def server(self, data_dir: Path, *, own: bool = True, **more: Any) -> EmbeddedPostgres:
        server = EmbeddedPostgres(data_dir, own=own, **more)
        self.addCleanup(server.stop)
        return server

    def user(self, data_dir: Path, role: str) -> User:
        user = User(data_dir, role)
        self.addCleanup(user.kill)
        return user
