"""The database that a command works on: the operator's, or the embedded one."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from contentsvc.command.errors import CommandError
from contentsvc.config import Settings
from contentsvc.db.errors import Unavailable
from contentsvc.postgres.embedded import EmbeddedPostgres
from contentsvc.store.migrate import migrate

PAUSE = 1.0
"""Seconds before the next attempt of a migration that found a lock."""


@contextmanager
def database(settings: Settings, *, existing: bool = False) -> Iterator[str]:
    """A libpq DSN of the database, with its schema up to date. The embedded Postgres runs
    meanwhile.

    With `existing`, raises CommandError if there is no embedded database yet.
    """
    with server(settings, existing=existing) as dsn:
        migrated(dsn)
        yield dsn


def migrated(
    dsn: str,
    migrate: Callable[[str], list[str]] = migrate,
    sleep: Callable[[float], object] = time.sleep,
) -> list[str]:
    """Migrate, however long somebody else holds a lock. Gives the names of the applied migrations.
    Raises what `migrate` does, but not Unavailable."""
    while True:
        try:
            return migrate(dsn)
        except Unavailable as error:
            print(f"{error}; trying again", file=sys.stderr)
            sleep(PAUSE)


@contextmanager
def server(settings: Settings, *, existing: bool = False) -> Iterator[str]:
    """A libpq DSN of the database's server, whatever its schema is. The embedded Postgres runs
    meanwhile. `existing` is that of `database`."""
    if settings.database is not None:
        yield settings.database
        return
    new = not (settings.data_dir / "postgres").exists()
    if new and existing:
        raise CommandError(f"there is no database in {settings.data_dir}: is data_dir correct?")
    postgres = EmbeddedPostgres(settings.data_dir, own=False)
    try:
        dsn = postgres.start()
        if new:
            print(f"Made a new database in {settings.data_dir}", file=sys.stderr)
        for folder in postgres.opened:
            print(f"Changed the mode of {folder} for the Postgres user", file=sys.stderr)
        yield dsn
    finally:
        postgres.stop()
