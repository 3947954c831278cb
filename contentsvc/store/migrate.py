"""Numbered .sql migrations, applied by yoyo.

yoyo alone has three faults. Its lock is a row, which a killed daemon leaves behind forever. It
marks a migration as applied in another transaction than the migration's own. Its URLs support
neither keyword DSNs nor several hosts. So it gets a connection of ours, which holds a session
advisory lock, and each migration is one transaction with its mark.

Everything here blocks: call it in a thread.
"""

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from functools import cache
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from typing import Any

import psycopg2
from psycopg2.errors import InsufficientPrivilege, LockNotAvailable
from yoyo import internalmigrations, read_migrations
from yoyo.backends.core.postgresql import PostgresqlBackend
from yoyo.connections import parse_uri

from contentsvc.db.errors import Unavailable
from contentsvc.db.pooler_check import CONNECT_TIMEOUT, require_session
from contentsvc.store import schema_marks

SCHEMA = files("contentsvc.store") / "schema"
_LOCK = 0x636F6E74656E7473
"""The advisory lock's number: the letters "contents"."""
OBJECTS = (SCHEMA / "0062.marks.sql").read_text().split(schema_marks.OBJECTS_DELIMITER)[1]
"""The query for what a schema has: the body of its function `schema_objects`."""
OURS = "table notification_counters"
"""Each database of ours has this."""
_CONNECT_TIMEOUT = 5
"""Seconds."""
LOCK_TIMEOUT = 1.0
"""Seconds that a migration waits for a table that somebody else uses. Readers that come meanwhile
wait behind the migration, and must not give up because of it (connection.LOCK_TIMEOUT)."""


class MigrationError(Exception):
    """A migration failed. Nothing of it was applied."""


class _Backend(PostgresqlBackend):  # type: ignore[misc]
    """yoyo's backend on a connection that is open and holds the lock already. `foreign` are the
    objects of the schema that are not ours."""

    def __init__(self, connection: Any, foreign: Collection[str] = ()) -> None:
        self._ours = connection
        self.foreign = foreign
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
            cursor = self.cursor()
            if schema_marks.is_there(cursor):
                # In the same transaction, so that no process ever sees marks of another schema.
                schema_marks.renew(cursor, self.foreign)


def migrate(
    dsn: str,
    *,
    wait: float = 0,
    schema: Traversable = SCHEMA,
    lock_timeout: float = LOCK_TIMEOUT,
    patience: float = CONNECT_TIMEOUT,
) -> list[str]:
    """Apply the missing migrations of the folder `schema`, and give their names. Several processes
    may call this at once. They wait up to `wait` seconds for each other, or forever if it is 0. A
    migration waits up to `lock_timeout` seconds for a table, a second connection up to `patience`.

    Raises MigrationError; PoolerError; Unavailable if somebody holds a lock (try again), or if the
    database was restored and its schema is not known to be whole (its cause is "restoring");
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
            try:
                _lock(cursor, wait)
            except LockNotAvailable:
                if schema_marks.is_held(cursor):
                    raise restoring("somebody restores it") from None
                raise Unavailable("another process is updating the schema", "lock") from None
            cursor.execute("select set_config('lock_timeout', %s, false)", (f"{lock_timeout:f}s",))
        try:
            with connection.cursor() as cursor:
                _require_whole(cursor)
                backend = _Backend(connection)
                known = read_migrations(str(folder))
                migrations = backend.to_apply(known)
                if migrations:
                    backend.foreign = _foreign(connection, cursor, known)
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


def restoring(reason: str) -> Unavailable:
    """The error where the schema is not known to be whole."""
    return Unavailable(
        f"the database is being restored: {reason}. When the restore has ended, run contentsvc "
        "restore --finish",
        "restoring",
    )


def _require_whole(cursor: Any) -> None:
    """Raises Unavailable: there are marks, and somebody replaces them or they do not fit."""
    if schema_marks.is_held(cursor):
        raise restoring("somebody restores it")
    if schema_marks.is_there(cursor) and (reason := schema_marks.fault(cursor)):
        raise restoring(reason)


def _foreign(connection: Any, cursor: Any, known: Any) -> set[str]:
    """What the schema has before it is migrated, but what is ours.

    Raises Unavailable: it has no marks yet, and is not what its migrations have made.
    """
    there = schema_marks.listed(cursor, OBJECTS)
    if schema_marks.is_there(cursor):
        return there - schema_marks.named(cursor)
    before = applied(cursor)
    if not before:
        if OURS in there:
            raise restoring("it has tables, and no migrations")
        return there
    if not set(before) <= {migration.id for migration in known}:
        return set()
    ours = expected(connection, before, known)
    if ours is None:
        return set()
    if reason := schema_marks.lacking(ours - there):
        raise restoring(reason)
    return there - ours


def applied(cursor: Any) -> list[str]:
    """The names of the migrations that a database has applied, in order."""
    cursor.execute("select to_regclass('_yoyo_migrations') is not null")
    if not cursor.fetchone()[0]:
        return []
    cursor.execute('select migration_id from _yoyo_migrations order by migration_id collate "C"')
    return [row[0] for row in cursor.fetchall()]


def expected(connection: Any, applied: Collection[str], known: Any = None) -> set[str] | None:
    """What a schema has in which these migrations were applied, by the catalogue of a new one that
    is rolled back. None if the role may make no schema. The connection is in autocommit."""
    if known is None:
        with as_file(SCHEMA) as folder:
            return expected(connection, applied, read_migrations(str(folder)))
    backend = _Backend(connection)
    try:
        with backend.transaction(rollback_on_exit=True), connection.cursor() as cursor:
            schema_marks.scratch(cursor)
            for migration in known:
                if migration.id in applied:
                    migration.process_steps(backend, "apply")
            found = schema_marks.listed(cursor, OBJECTS)
    except InsufficientPrivilege:
        return None
    return {each for each in found if not schema_marks.is_scratch(each)}


class Making:
    """Migrates a new schema in the transaction under way of `connection`, which is in
    autocommit."""

    def __init__(self, connection: Any) -> None:
        self._cursor = connection.cursor()
        self._backend = _Backend(connection)
        self._backend._in_transaction = True
        internalmigrations.upgrade(self._backend)

    def apply(self, which: Collection[str], foreign: Collection[str]) -> list[str]:
        """Apply those of these migrations that have not been applied, and give their names.
        `foreign` are the objects in the schema that are not ours."""
        self._backend.foreign = foreign
        done = []
        before = set(applied(self._cursor))
        with as_file(SCHEMA) as folder:
            for migration in read_migrations(str(folder)):
                if migration.id in which and migration.id not in before:
                    self._backend.apply_one(migration)
                    # A table with deferred work cannot be altered by the next one.
                    self._cursor.execute("set constraints all immediate")
                    done.append(migration.id)
        return done


def lock(cursor: Any, patience: float) -> None:
    """Keep others from migrating and restoring, until the connection is closed. Raises Unavailable:
    somebody does so, and has not ended within `patience` seconds."""
    try:
        _lock(cursor, patience)
    except LockNotAvailable:
        raise Unavailable(
            "another process is updating the schema or restoring the database", "lock"
        ) from None


def _lock(cursor: Any, patience: float) -> None:
    cursor.execute("select set_config('lock_timeout', %s, false)", (f"{patience:f}s",))
    cursor.execute("select pg_advisory_lock(%s)", (_LOCK,))


@cache
def names() -> list[str]:
    """The names of all migrations of this version, in order."""
    with as_file(SCHEMA) as folder:
        return [migration.id for migration in read_migrations(str(folder))]
