"""A Postgres server to do harm to."""

import atexit
import os
import shutil
import signal
from contextlib import closing, suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import psycopg2
from twisted.internet.threads import deferToThread

from contentsvc.framework.postgres.embedded import EmbeddedPostgres
from tests.support import postgres

LISTENS = "query ~ '^(LISTEN|select pg_notify|.*processes__?beat)'"
"""Which of a daemon's connections is that of LISTEN."""


class Server:
    """A Postgres of the tests' own. It survives kills, so commits wait for the log; no machine
    dies here, so nothing waits for the disk."""

    def __init__(self) -> None:
        folder = postgres.new_folder()
        settings = {"fsync": "off", "full_page_writes": "off"}
        self._postgres = EmbeddedPostgres(folder / "data", own=True, settings=settings)
        self._pgdata = folder / "data" / "postgres"
        self.url = self._postgres.start()
        atexit.register(self._postgres.stop)

    @property
    def owner(self) -> tuple[int, int]:
        """The user and group that it runs as."""
        stat = self._pgdata.stat()
        return stat.st_uid, stat.st_gid

    async def start(self) -> None:
        """Start it again, at the same URL."""
        url = await deferToThread(self._postgres.start)
        assert url == self.url, url

    async def stop(self) -> None:
        """Shut it down, as an operator does."""
        await deferToThread(self._postgres.stop)

    async def back_up(self) -> Path:
        """A copy of all that it holds, made while it is down for a moment."""
        copy = postgres.new_folder() / "copy"
        await self.stop()
        shutil.copytree(self._pgdata, copy)
        await self.start()
        return copy

    async def restore(self, copy: Path) -> None:
        """Put a copy in place of what is there, and start again with that."""
        await self.stop()
        for path in self._pgdata.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(copy, self._pgdata, dirs_exist_ok=True)
        for path in self._pgdata.rglob("*"):
            os.chown(path, *self.owner)
        await self.start()

    def crash(self) -> None:
        """Kill all of it at once, as the kernel does where memory is short."""
        pid = int((self._pgdata / "postmaster.pid").read_text().split()[0])
        processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
        for process in processes:
            process.kill()
        psutil.wait_procs(processes, 10)


@cache
def server() -> Server:
    """The one of this process."""
    return Server()


def run_sql(url: str, statement: str) -> list[tuple[Any, ...]]:
    """One statement on a connection of its own; its rows."""
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        connection.autocommit = True
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def backends(url: str, which: str = "true") -> list[int]:
    """The server's processes for daemons' connections to this database, with a condition."""
    return _of_backends("pid", url, which)


def terminate(url: str, which: str = "true") -> None:
    """Have the server end those connections."""
    _of_backends("pg_terminate_backend(pid)", url, which)


def _of_backends(what: str, url: str, which: str) -> list[Any]:
    # By way of another database: this one may take no connections just now.
    found = run_sql(
        server().url,
        f"select {what} from pg_stat_activity where application_name = 'contentsvc' "
        f"and datname = '{name_of(url)}' and {which} order by pid",
    )
    return [value for (value,) in found]


def name_of(url: str) -> str:
    """The name of the database."""
    return urlsplit(url).path[1:]


def kill(pid: int) -> None:
    """kill -9; a process that has gone already is fine."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def admit(url: str, allowed: bool) -> None:
    """Whether the database of this URL takes new connections, from anyone at all."""
    run_sql(server().url, f'alter database "{name_of(url)}" with allow_connections {allowed}')
