"""The benchmark's Postgres server and the databases on it."""

import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import psycopg2
from psycopg2 import sql

from contentsvc.framework.postgres.embedded import EmbeddedPostgres

Say = Callable[[str], None]


class Server:
    """The Postgres that the service brings, as it configures it."""

    def __init__(self, folder: Path) -> None:
        self._server = EmbeddedPostgres(folder, own=True)
        self._url = _named(self._server.start(), "postgres")
        self.data = folder / "postgres"

    def stop(self) -> None:
        """Stop it."""
        self._server.stop()

    def postmaster(self) -> int:
        """The process that all others of the server descend from."""
        return int((self.data / "postmaster.pid").read_text().splitlines()[0])

    def original(self, name: str, version: str, make: Callable[[str], None], say: Say) -> str:
        """URL of a database with the data set, which `make` makes in the empty one where it is
        missing or of another version. Others are copied from it: nothing may be written there."""
        url = _named(self._url, name)
        if self._comment(name) != version:
            say(f"data set: making {name}, once")
            begun = time.monotonic()
            self.drop(name)
            self._administer("create database {} template template0", name)
            make(url)
            self._administer(f"comment on database {{}} is '{version}'", name)
            say(f"data set: made in {time.monotonic() - begun:.0f} s")
        return url

    def copy(self, url: str, say: Say) -> str:
        """URL of a copy of a database, which is the caller's to write into."""
        name = urlsplit(url).path[1:]
        say(f"data set: copying {name} for this run")
        copied = f"{name}_copy"
        self.drop(copied)
        # Page for page, not through the log, which checkpoints would have to write during the run.
        create = "create database {} template {} strategy file_copy"
        self._administer(create, copied, name)
        return _named(self._url, copied)

    def drop(self, name: str) -> None:
        """Remove a database, if it is there."""
        self._administer("drop database if exists {} with (force)", name)

    def _comment(self, database: str) -> str | None:
        with closing(psycopg2.connect(self._url)) as admin, admin.cursor() as cursor:
            cursor.execute(
                "select shobj_description(oid, 'pg_database') from pg_database where datname = %s",
                (database,),
            )
            row = cursor.fetchone()
            return None if row is None else str(row[0])

    def _administer(self, statement: str, *names: str) -> None:
        with closing(psycopg2.connect(self._url)) as admin:
            admin.autocommit = True
            with admin.cursor() as cursor:
                cursor.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def _named(url: str, database: str) -> str:
    return urlsplit(url)._replace(path=f"/{database}").geturl()
