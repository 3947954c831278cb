"""Numbered .sql migrations, applied by yoyo.

yoyo alone has three faults. Its lock is a row, which a killed daemon leaves behind forever. It
marks a migration as applied in another transaction than the migration's own. Its URLs support
neither keyword DSNs nor several hosts. So it gets a connection of ours, which holds a session
advisory lock, and each migration is one transaction with its mark.

Everything here blocks: call it in a thread.
"""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import Any

import psycopg2
from psycopg2.errors import LockNotAvailable
from yoyo import read_migrations
from yoyo.backends.core.postgresql import PostgresqlBackend
from yoyo.connections import parse_uri

from contentsvc.db.errors import Unavailable
from contentsvc.db.pooler import PATIENCE, require_session

SCHEMA = files("contentsvc.store") / "schema"
_LOCK = 0x636F6E74656E7473
"""The advisory lock's number: the letters "contents"."""
_CONNECT_TIMEOUT = 5
"""Seconds."""
LOCK_TIMEOUT = 1.0
"""Seconds that a migration waits for a table that somebody else uses. Readers that come meanwhile
wait behind the migration, and must not give up because of it (connection.LOCK_TIMEOUT)."""


class MigrationError(Exception):
    """A migration failed. Nothing of it was applied."""


class _Backend(PostgresqlBackend):  # type: ignore[misc]
    """yoyo's backend on a connection that is open and holds the lock already."""

    def __init__(self, connection: Any) -> None:
        self._ours = connection
        super().__init__(parse_uri("postgresql:///"), "_yoyo_migrations")

    def connect(self, dburi: Any) -> Any:
        return self._ours

    @contextmanager
    def lock(self, timeout: float = 0) -> Iterator[None]:
        yield

    def apply_one(self, migration: Any, force: bool = False, mark: bool = True) -> None:
        with self.transaction():
            migration.process_steps(self, "apply")
            self.mark_one(migration, log=False)


def migrate(
    dsn: str,
    *,
    wait: float = 0,
    schema: Traversable = SCHEMA,
    lock_timeout: float = LOCK_TIMEOUT,
    patience: float = PATIENCE,
) -> list[str]:
    """Apply the missing migrations of the folder `schema`, and give their names. Several processes
    may call this at once. They wait up to `wait` seconds for each other, or forever if it is 0. A
    migration waits up to `lock_timeout` seconds for a table, a second connection up to `patience`.

    Raises MigrationError; PoolerError; Unavailable if somebody holds a lock (try again);
    psycopg2.OperationalError if the server cannot be reached. In each case, nothing of the
    migration that was running has been applied.
    """
    connection = psycopg2.connect(
        dsn, application_name="contentsvc migrate", connect_timeout=_CONNECT_TIMEOUT
    )
    with closing(connection), as_file(schema) as folder:
        connection.autocommit = True
        require_session(connection, dsn, patience)
        with connection.cursor() as cursor:
            cursor.execute("select set_config('lock_timeout', %s, false)", (f"{wait:f}s",))
            try:
                cursor.execute("select pg_advisory_lock(%s)", (_LOCK,))
            except LockNotAvailable:
                raise Unavailable("another process is updating the schema", "lock") from None
            cursor.execute("select set_config('lock_timeout', %s, false)", (f"{lock_timeout:f}s",))
        try:
            backend = _Backend(connection)
            migrations = backend.to_apply(read_migrations(str(folder)))
            backend.apply_migrations(migrations)
        except LockNotAvailable:
            # This also releases the advisory lock: another process may succeed.
            raise Unavailable(
                "a migration needs a table that another transaction has locked", "lock"
            ) from None
        except psycopg2.OperationalError:
            raise
        except psycopg2.Error as error:
            raise MigrationError(" ".join(str(error).split())) from error
    return [migration.id for migration in migrations]


@cache
def names() -> list[str]:
    """The names of all migrations of this version, in order."""
    with as_file(SCHEMA) as folder:
        return [migration.id for migration in read_migrations(str(folder))]
