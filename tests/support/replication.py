"""Real streaming replication: a primary and its replica, of Postgres 18 as it comes with the
service, and of Debian's.

They keep what is flushed, as far as a killed process goes: commits are flushed before they are
answered, as in production, but nothing waits for a disk (fsync is off).
"""

import atexit
import os
import pwd
import shlex
import shutil
import subprocess
import time
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any
from unittest import SkipTest, TestCase
from urllib.parse import quote

import psutil
import psycopg2

from contentsvc.framework.postgres import programs
from contentsvc.framework.postgres.user import PostgresUser
from tests.support import postgres

_SETTINGS = {
    "fsync": "off",
    "listen_addresses": "",
    "port": "5432",
    "max_connections": "200",
    "shared_buffers": "32MB",
    "wal_keep_size": "512MB",
    "wal_retrieve_retry_interval": "200ms",
    "autovacuum": "off",
}


class Server:
    """A Postgres whose programs are in the folder `programs`, on a Unix socket in a folder of its
    own."""

    def __init__(self, programs: Path, user: dict[str, Any], **settings: str) -> None:
        self._bin = programs
        self._user = user
        self.folder = postgres.new_folder()
        if "user" in user:
            os.chown(self.folder, user["user"], user["group"])
        self._data = self.folder / "data"
        self._settings = {**_SETTINGS, "unix_socket_directories": str(self.folder), **settings}
        atexit.register(self.kill)

    def url(self, database: str = "postgres", role: str = "postgres") -> str:
        """The URL of a database on it."""
        host = quote(str(self.folder), safe="")
        return f"postgresql://{role}@/{database}?host={host}&port=5432"

    @property
    def source(self) -> str:
        """The DSN from which another server copies it."""
        return f"host={self.folder} port=5432 user=postgres"

    def run(self, program: str, *words: str) -> None:
        """One of Postgres's programs, on this server's folder."""
        subprocess.run(
            [self._bin / program, *words, "-D", self._data],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **self._user,
        )

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self.launch("-w")

    def launch(self, wait: str = "-W", **settings: str) -> None:
        """Start it with these settings besides its own."""
        both = {**self._settings, **settings}
        words = " ".join(f"-c {name}={shlex.quote(value)}" for name, value in both.items())
        self.run("pg_ctl", "start", wait, "-l", str(self.folder / "log"), "-o", words)

    def copy(self, **settings: str) -> "Server":
        """A replica that streams from it, started."""
        copy = Server(self._bin, self._user, **settings)
        words = ("-X", "stream", "-c", "fast", "-R", "--no-sync", "-d", self.source)
        copy.run("pg_basebackup", *words)
        copy.start()
        return copy

    def sql(self, statement: str, *args: object, database: str = "postgres") -> list[Any]:
        """The rows of one statement."""
        with closing(psycopg2.connect(self.url(database))) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(statement, args or None)
                return cursor.fetchall() if cursor.description else []

    def require_password(self, role: str) -> None:
        """Let nobody of this name in without a password."""
        hba = self._data / "pg_hba.conf"
        hba.write_text(f"local all {role} scram-sha-256\n{hba.read_text()}")
        self.sql("select pg_reload_conf()")

    def remove(self) -> None:
        """End it, and delete its data."""
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def stop(self) -> None:
        """Stop it in an orderly way."""
        self.run("pg_ctl", "stop", "-w", "-m", "fast")

    def kill(self) -> None:
        """kill -9 to all of its processes."""
        processes = self._processes()
        for process in processes:
            process.kill()
        while any(map(_lives, processes)):
            time.sleep(0.01)
        # Nobody may wait for them in a container, where their numbers then stay.
        (self._data / "postmaster.pid").unlink(missing_ok=True)
        (self.folder / ".s.PGSQL.5432.lock").unlink(missing_ok=True)

    def freeze(self) -> None:
        """Stop all of its processes where they are: nobody answers, and nobody says so."""
        for process in self._processes():
            process.suspend()

    def thaw(self) -> None:
        """Let them go on."""
        for process in self._processes():
            process.resume()

    def _processes(self) -> list[psutil.Process]:
        try:
            pid = int((self._data / "postmaster.pid").read_text().split()[0])
            process = psutil.Process(pid)
            return [process, *process.children(recursive=True)]
        except (FileNotFoundError, IndexError, ValueError, psutil.NoSuchProcess):
            return []


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def primary(programs: Path, user: dict[str, Any]) -> Server:
    """A new server, started."""
    server = Server(programs, user)
    words = ("--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-Upostgres")
    server.run("initdb", *words)
    server.start()
    return server


@cache
def embedded() -> Server:
    """A primary of Postgres 18."""
    return new()


def new() -> Server:
    """Another one."""
    user = PostgresUser([postgres.new_folder()], postgres.new_folder() / "opened")
    for tree in programs.TREES:
        user.let_read(tree)
    atexit.register(user.give_back)
    return primary(programs.TREES[0] / "bin", user.process())


@cache
def debian() -> Server | None:
    """A primary of Debian's newest installed Postgres; None where it has none."""
    installed = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    newest = max(installed, key=lambda path: int(path.parts[-3]), default=None)
    if newest is None:
        return None
    whom: dict[str, Any] = {"cwd": "/"}
    if os.geteuid() == 0:  # Postgres refuses root; the package makes this user
        user = pwd.getpwnam("postgres")
        whom |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    return primary(newest.parent, whom)


def require_debian(case: TestCase) -> Server:
    """`debian()`; without it `case` is skipped, or fails where CI promised it."""
    if server := debian():
        return server
    if os.environ.get("CONTENTSVC_REQUIRE_DEBIAN_POSTGRES") == "1":
        case.fail("Debian's postgresql is not installed")
    raise SkipTest("Debian's postgresql is not installed")
