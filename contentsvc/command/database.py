"""The database that a command works on: the operator's, or the embedded one."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, Final

import psycopg2

from contentsvc.command.terminal import CommandError, say
from contentsvc.config import Settings
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.postgres.embedded import EmbeddedPostgres, forget_variables
from contentsvc.store.migrate import migrate

PAUSE = 1.0
"""Seconds before the next attempt of a migration that found a lock."""
_CONNECT_TIMEOUT: Final = 5
"""Seconds."""
_FORM: Final = """
    set timezone = 'UTC'; set datestyle = 'ISO'; set intervalstyle = 'postgres';
    set extra_float_digits = 3; set client_min_messages = 'warning';
    set statement_timeout = 0; set idle_in_transaction_session_timeout = 0
"""
"""Both who writes and who reads a back-up set these. Statements may take as long as they must."""


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
    migrate: Callable[..., list[str]] = migrate,
    sleep: Callable[[float], object] = time.sleep,
) -> list[str]:
    """Migrate, however long somebody else holds a lock. Gives the names of the applied upgrades.
    Raises what `migrate` does, but of Unavailable only that the database is being restored."""
    while True:
        try:
            return migrate(dsn)
        except Unavailable as error:
            if error.cause == "restoring":
                raise
            say(f"{error}; trying again", to=sys.stderr)
            sleep(PAUSE)


@contextmanager
def server(settings: Settings, *, existing: bool = False) -> Iterator[str]:
    """A libpq DSN of the database's server, whatever its schema is. The embedded Postgres runs
    meanwhile. `existing` is that of `database`."""
    if settings.database is not None:
        yield settings.database
        return
    forget_variables()
    new = not (settings.data_dir / "postgres").exists()
    if new and existing:
        raise CommandError(f"there is no database in {settings.data_dir}: is data_dir correct?")
    postgres = EmbeddedPostgres(settings.data_dir, own=False)
    try:
        dsn = postgres.start()
        if new:
            say(f"Made a new database in {settings.data_dir}", to=sys.stderr)
        for folder in postgres.opened:
            say(f"Changed the mode of {folder} for the Postgres user", to=sys.stderr)
        yield dsn
    finally:
        postgres.stop()


@contextmanager
def connected(dsn: str, name: str) -> Iterator[tuple[Any, Any]]:
    """A connection in autocommit for a back-up or a restore, and a cursor. The server knows it by
    this name."""
    connection = psycopg2.connect(
        dsn, application_name=name, client_encoding="UTF8", connect_timeout=_CONNECT_TIMEOUT
    )
    with closing(connection), connection.cursor() as cursor:
        connection.autocommit = True
        cursor.execute(_FORM)
        yield connection, cursor


def require_utf8(cursor: Any) -> None:
    """Raises CommandError: the database has another encoding."""
    cursor.execute("select current_setting('server_encoding')")
    (encoding,) = cursor.fetchone()
    if encoding != "UTF8":
        raise CommandError(f"the database has the encoding {encoding} instead of UTF8")
