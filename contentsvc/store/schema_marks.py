"""Whether the schema is whole, by its marks (the table `schema_marks`).

The marks say what the schema must have (schema/functions/schema_objects.sql). They name each table
with its number too, which no other table ever has. So a database that was made from a dump, while
its keys and triggers are still missing or with what somebody else has written meanwhile, is not
taken for one that is whole. Only a migration of a whole schema and `contentsvc restore` write the
marks.

Everything here blocks, on a psycopg2 connection in autocommit, or in a transaction of the caller.
"""

import secrets
from collections.abc import Iterable
from contextlib import closing
from typing import Any, Final

import psycopg2
from psycopg2 import sql
from psycopg2.errors import (
    InsufficientPrivilege,
    LockNotAvailable,
    UndefinedFunction,
    UndefinedTable,
)

from contentsvc.store.schema_definition import objects

_CONNECT_TIMEOUT: Final = 5
"""Seconds."""
_LOCK_TIMEOUT: Final = "2s"
"""How long a check waits for a lock."""
MARKED: Final = """
    select coalesce(bool_and(exists (
        select from pg_class c where c.oid = m.number and 'table ' || c.relname = m.object
    )), false)
    from schema_marks m where m.number is not null
"""
"""Whether the tables are those that the marks name."""
LACKING: Final = """
    -- An operator may drop an index.
    select m.object from schema_marks m where m.object !~ '^index '
    except select o.object from schema_objects() o
    order by object
"""
"""What the marks name and the schema lacks."""
_RENEW: Final = """
    delete from schema_marks;
    insert into schema_marks (object, number)
    select o.object, max(o.number) from schema_objects() o
    where not o.object = any(%s)
    group by o.object
"""
_TRIGRAMS: Final = """
    select quote_ident(n.nspname) from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname = 'pg_trgm' and not exists (
        select from pg_attribute a
        where a.attrelid = to_regclass('users') and a.attname = 'trigrams' and not a.attisdropped
    )
"""
"""Where pg_trgm is, if the schema was made with it."""
_OF_MARKS = "select to_regclass('schema_marks') is not null"


def is_there(cursor: Any) -> bool:
    """Whether the database has marks, right ones or not."""
    cursor.execute(_OF_MARKS)
    there: bool = cursor.fetchone()[0]
    return there


def named(cursor: Any) -> set[str]:
    """What the marks name. There are marks."""
    return listed(cursor, "select object from schema_marks")


def foreign(cursor: Any) -> set[str]:
    """What the schema has beside what the marks name. There are marks."""
    return listed(cursor, objects()) - named(cursor)


def is_locked(cursor: Any) -> bool:
    """Whether somebody has locked the marks to replace them, as a restore does."""
    if not is_there(cursor):
        return False
    cursor.execute("begin")
    try:
        cursor.execute("lock table schema_marks in access share mode nowait")
    except LockNotAvailable:
        return True
    except UndefinedTable:
        return False
    finally:
        cursor.execute("rollback")
    return False


def restoring(dsn: str) -> str | None:
    """Why the database must not be used, if it is being restored. Raises
    psycopg2.OperationalError."""
    connection = psycopg2.connect(
        dsn, application_name="contentsvc command", connect_timeout=_CONNECT_TIMEOUT
    )
    with closing(connection), connection.cursor() as cursor:
        connection.autocommit = True
        if is_locked(cursor):
            return "somebody restores it"
        if not is_there(cursor):
            return None
        cursor.execute(f"set lock_timeout = '{_LOCK_TIMEOUT}'")
        try:
            return fault(cursor)
        except LockNotAvailable:
            return "somebody restores it"


def fault(cursor: Any) -> str | None:
    """What is wrong with a schema that has marks, in plain words; None if it is whole."""
    try:
        cursor.execute(MARKED)
        if not cursor.fetchone()[0]:
            return "its tables are not those that the service has made"
        cursor.execute(LACKING)
    except (UndefinedTable, UndefinedFunction, InsufficientPrivilege) as error:
        return " ".join(str(error).split())
    return lacking(row[0] for row in cursor.fetchall())


def lacking(objects: Iterable[str]) -> str | None:
    """These objects as what a schema lacks; None without any."""
    # What a reader knows best comes first.
    order = ("table", "trigger", "key", "function", "column")
    places = {kind: n for n, kind in enumerate(order)}
    found = sorted(objects, key=lambda each: (places.get(each.split()[0], len(order)), each))
    if not found:
        return None
    more = f", and {len(found) - 5} more" if len(found) > 5 else ""
    return f"it lacks {', '.join(found[:5])}{more}"


def renew(cursor: Any, foreign: Iterable[str]) -> None:
    """Write the marks anew: all that the schema has, but what is `foreign`."""
    cursor.execute(_RENEW, (list(foreign),))


def listed(cursor: Any, listing: str) -> set[str]:
    """The objects that `listing` gives, such as `objects()`."""
    cursor.execute(listing)
    return {row[0] for row in cursor.fetchall()}


def scratch(cursor: Any) -> None:
    """Begin a separate schema, in the transaction under way, for objects that are only read. Raises
    psycopg2.errors.InsufficientPrivilege."""
    cursor.execute(_TRIGRAMS)
    trigrams = cursor.fetchone()
    name = f"contentsvc_{secrets.token_hex(8)}"
    cursor.execute(sql.SQL("create schema {}").format(sql.Identifier(name)))
    if trigrams is None:
        # The schema to compare with was made without pg_trgm, whatever the server offers now.
        cursor.execute(
            f"create view {name}.pg_available_extensions as"
            " select * from pg_catalog.pg_available_extensions where false"
        )
        cursor.execute(f"set local search_path = {name}, pg_catalog")
    else:
        cursor.execute(f"set local search_path = {name}, {trigrams[0]}")


def is_scratch(object: str) -> bool:
    """Whether an object is there only for `scratch`."""
    return "pg_available_extensions" in object
