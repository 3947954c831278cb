"""Makes the schema, and brings it up to date.

A new database is made of the tables and functions of contentsvc.store.schema_definition. One that
is there gets the upgrades that it lacks, in order, each in a transaction with its mark, and the
functions whose text has changed. A session advisory lock lets one process at a time do so; it ends
with the connection, so a killed process blocks nobody.

Everything here blocks: call it in a thread.
"""

from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from typing import Any, Final

import psycopg2
from psycopg2.errors import InsufficientPrivilege, LockNotAvailable

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.pooler_check import CONNECT_TIMEOUT, require_session
from contentsvc.store import schema_marks
from contentsvc.store.schema_definition import (
    Definition,
    changed,
    create,
    definition,
    objects,
    record,
)

LOCK: Final = 0x636F6E74656E7473
"""The advisory lock's number: the letters "contents"."""
OURS: Final = "table notification_counters"
"""Each database of ours has this."""
OLDEST: Final = "0108.fewer_checks"
"""The last upgrade of commit 20bce2cc. A database that has none so late is too old."""
TOO_OLD: Final = "of a commit before 20bce2cc: upgrade it with 20bce2cc first"
_CONNECT_TIMEOUT: Final = 5
"""Seconds."""
LOCK_TIMEOUT: Final = 1.0
"""Seconds that an upgrade waits for a table that somebody else uses. Readers that come meanwhile
wait behind it, and must not give up because of it (connection.LOCK_TIMEOUT)."""


class MigrationError(Exception):
    """The schema cannot be brought up to date. What failed has changed nothing."""


def migrate(
    dsn: str,
    *,
    wait: float = 0,
    schema: Definition | None = None,
    lock_timeout: float = LOCK_TIMEOUT,
    patience: float = CONNECT_TIMEOUT,
) -> list[str]:
    """Bring the schema to the definition `schema`, by default that of this version. Several
    processes may call this at once. They wait up to `wait` seconds for each other, or forever if it
    is 0. An upgrade waits up to `lock_timeout` seconds for a table, and a second connection up to
    `patience`.

    Gives the names of the applied upgrades: of all, if the database is new. Without any, the paths
    of the functions that were replaced.

    Raises MigrationError; PoolerError; Unavailable if somebody holds a lock (try again), or if the
    database was restored and its schema is not known to be whole (its cause is "restoring");
    psycopg2.OperationalError if the server cannot be reached. In each case, nothing of the upgrade
    that was running has been applied.
    """
    schema = schema or definition()
    connection = psycopg2.connect(
        dsn, application_name="contentsvc migrate", connect_timeout=_CONNECT_TIMEOUT
    )
    with closing(connection), connection.cursor() as cursor:
        connection.autocommit = True
        require_session(connection, dsn, patience)
        try:
            _lock(cursor, wait)
        except LockNotAvailable:
            if schema_marks.is_locked(cursor):
                raise restoring("somebody restores it") from None
            raise Unavailable("another process is updating the schema", "lock") from None
        cursor.execute("select set_config('lock_timeout', %s, false)", (f"{lock_timeout:f}s",))
        try:
            return _bring(cursor, schema)
        except LockNotAvailable:
            # This also releases the advisory lock: another process may succeed.
            raise Unavailable(
                "an upgrade needs a table that another transaction has locked", "lock"
            ) from None
        except psycopg2.OperationalError:
            raise
        except psycopg2.Error as error:
            raise MigrationError(" ".join(str(error).split())) from error


def restoring(reason: str) -> Unavailable:
    """The error where the schema is not known to be whole."""
    return Unavailable(
        f"the database is being restored: {reason}. When the restore has ended, run contentsvc "
        "restore --finish",
        "restoring",
    )


def _bring(cursor: Any, schema: Definition) -> list[str]:
    """Make the schema, or upgrade it."""
    if schema_marks.is_locked(cursor):
        raise restoring("somebody restores it")
    require_oldest(cursor)
    if schema_marks.is_there(cursor) and (reason := schema_marks.fault(cursor)):
        raise restoring(reason)
    there = schema_marks.listed(cursor, objects())
    if applied(cursor):
        return _upgrade_each(cursor, schema, _missing(cursor, schema))
    if OURS in there:
        raise restoring("it has tables, and no upgrades")
    with _transaction(cursor):
        make(cursor, schema)
        schema_marks.renew(cursor, there)
    return list(schema.upgrades)


def _upgrade_each(cursor: Any, schema: Definition, names: list[str]) -> list[str]:
    # The functions come with the last: they may need what the upgrades make.
    for name in names[:-1]:
        with _transaction(cursor):
            foreign = schema_marks.foreign(cursor)
            _apply(cursor, schema, name)
            schema_marks.renew(cursor, foreign)
    if not names and not changed(cursor, schema):
        return []
    with _transaction(cursor):
        foreign = schema_marks.foreign(cursor)
        done = upgrade(cursor, schema)
        schema_marks.renew(cursor, foreign)
    return names or done


@contextmanager
def _transaction(cursor: Any) -> Iterator[None]:
    """A transaction of a connection in autocommit."""
    cursor.execute("begin")
    try:
        yield
        cursor.execute("commit")
    except BaseException:
        if not cursor.connection.closed:
            cursor.execute("rollback")
        raise


def make(cursor: Any, schema: Definition) -> None:
    """Make a new schema, in the transaction under way. The caller writes its schema_marks."""
    create(cursor, schema.texts)
    record(cursor, schema)
    for name in schema.upgrades:
        _mark(cursor, name)


def upgrade(cursor: Any, schema: Definition) -> list[str]:
    """Apply all upgrades that a database lacks, which has some, and replace its functions, in the
    transaction under way. The caller writes the marks. Gives what `migrate` does."""
    names = _missing(cursor, schema)
    for name in names:
        _apply(cursor, schema, name)
    different = changed(cursor, schema)
    functions = {path: text for path, text in schema.functions().items() if path in different}
    create(cursor, functions)
    if different:
        record(cursor, schema)
    return names or list(functions)


def _apply(cursor: Any, schema: Definition, name: str) -> None:
    cursor.execute(schema.upgrades[name])
    # A table with deferred work cannot be altered by the next one.
    cursor.execute("set constraints all immediate")
    _mark(cursor, name)


def _mark(cursor: Any, name: str) -> None:
    cursor.execute("insert into schema_upgrades (name) values (%s)", (name,))


def _missing(cursor: Any, schema: Definition) -> list[str]:
    """The names of the upgrades that a database lacks, which has some, in order."""
    before = applied(cursor)
    return [name for name in schema.upgrades if name not in before]


def is_too_old(upgrades: Collection[str]) -> bool:
    """Whether these upgrades are those of a database of before 20bce2cc."""
    return bool(upgrades) and max(upgrades) < OLDEST


def require_oldest(cursor: Any) -> None:
    """Raises MigrationError: the database is of a commit before 20bce2cc."""
    # The oldest commits left their list to a library, in this table.
    cursor.execute(
        "select to_regclass('schema_upgrades') is null"
        " and to_regclass('_yoyo_migrations') is not null"
    )
    if cursor.fetchone()[0] or is_too_old(applied(cursor)):
        raise MigrationError(f"the database is {TOO_OLD}")


def applied(cursor: Any) -> list[str]:
    """The names of the upgrades that a database has, in order."""
    cursor.execute("select to_regclass('schema_upgrades') is not null")
    if not cursor.fetchone()[0]:
        return []
    cursor.execute("select name from schema_upgrades order by name")
    return [row[0] for row in cursor.fetchall()]


def expected(connection: Any) -> set[str] | None:
    """What the schema of this version has, by the catalogue of a new one that is rolled back. None
    if the role may make no schema. The connection is in autocommit."""
    with connection.cursor() as cursor:
        cursor.execute("begin")
        try:
            schema_marks.scratch(cursor)
            create(cursor, definition().texts)
            found = schema_marks.listed(cursor, objects())
        except InsufficientPrivilege:
            return None
        finally:
            cursor.execute("rollback")
    return {each for each in found if not schema_marks.is_scratch(each)}


def lock(cursor: Any, patience: float) -> None:
    """Lock out other migrations and restores, until the connection is closed. Raises Unavailable if
    one is under way, and has not ended within `patience` seconds."""
    try:
        _lock(cursor, patience)
    except LockNotAvailable:
        raise Unavailable(
            "another process is updating the schema or restoring the database", "lock"
        ) from None


def _lock(cursor: Any, patience: float) -> None:
    cursor.execute("select set_config('lock_timeout', %s, false)", (f"{patience:f}s",))
    cursor.execute("select pg_advisory_lock(%s)", (LOCK,))
