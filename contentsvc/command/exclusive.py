"""The database for a restore alone: nobody else migrates it, restores it or uses it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from psycopg2.errors import DeadlockDetected, LockNotAvailable

from contentsvc.command.database import connected, require_utf8
from contentsvc.command.errors import CommandError
from contentsvc.store import schema_marks
from contentsvc.store.migrate import OBJECTS, lock

_TURN: Final = 10.0
"""Seconds to wait for somebody else who migrates or restores."""
_STAND_DOWN: Final = 10.0
"""Seconds that the processes of the service have to give their locks up. After that their
connections are ended."""
_TRIES: Final = 5
"""How often the tables are asked for: releases before this one know no lock, and connect again."""
_DROPPABLE: Final = """
    select kind || ' ' || c.relname as key, kind,
           format('%I.%I', current_schema(), c.relname) as name, c.oid
    from pg_class c, lateral (
        select case c.relkind when 'r' then 'table' when 'v' then 'view' when 'S' then 'sequence'
                              else 'type' end as kind
    ) kinds
    where c.relkind in ('r', 'v', 'S', 'c') and c.relnamespace = current_schema()::regnamespace
    union all
    select 'function ' || p.proname || '('
               || coalesce((select string_agg(t.typname, ',' order by a.place)
                            from unnest(p.proargtypes::oid[]) with ordinality a (num, place)
                            join pg_type t on t.oid = a.num), '') || ')',
           'routine', format('%I.%I(%s)', current_schema(), p.proname,
                             pg_get_function_identity_arguments(p.oid)), p.oid
    from pg_proc p where p.pronamespace = current_schema()::regnamespace
"""

_OTHERS: Final = """
    select c.oid, format('%%I.%%I', n.nspname, c.relname)
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'v', 'm', 'p', 'f') and not c.oid = any(%(ours)s)
      and n.nspname !~ '^(pg_|information_schema)'
    union all
    select k.oid, format('%%I of %%s', k.conname, k.conrelid::regclass)
    from pg_constraint k where k.conrelid <> 0 and not k.conrelid = any(%(ours)s)
    union all
    select p.oid, p.oid::regprocedure::text
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where not p.oid = any(%(ours)s) and n.nspname !~ '^(pg_|information_schema)'
"""


class Object(NamedTuple):
    """Something in the schema. `kind` and `name` are words of a DROP."""

    kind: str
    name: str
    oid: int


@contextmanager
def alone(dsn: str) -> Iterator[tuple[Any, Any]]:
    """A connection in autocommit that keeps others from migrating and restoring, and a cursor."""
    with connected(dsn, "contentsvc restore") as (connection, cursor):
        require_utf8(cursor)
        cursor.execute("select current_schema() is not null")
        if not cursor.fetchone()[0]:
            raise CommandError("the database has no schema for tables: see its search_path")
        lock(cursor, _TURN)
        yield connection, cursor


def droppable(cursor: Any) -> dict[str, Object]:
    """What the schema has, by keys such as `table users`."""
    cursor.execute(_DROPPABLE)
    return {key: Object(*object) for key, *object in cursor.fetchall()}


def key(object: str) -> str:
    """What `droppable` calls an object of the marks."""
    kind, _, rest = object.partition(" ")
    return f"{kind} {rest.partition(' ')[0]}"


def drop(cursor: Any, ours: set[str]) -> set[str]:
    """Drop what has these keys. Gives the other objects of the schema. Raises CommandError:
    something else depends on it."""
    there = droppable(cursor)
    going = {named: object for named, object in there.items() if named in ours}
    which = {"ours": [object.oid for object in going.values()]}
    cursor.execute(_OTHERS, which)
    others = dict(cursor.fetchall())
    for kind in ("view", "table", "routine", "type", "sequence"):
        named = [object.name for object in going.values() if object.kind == kind]
        if named:
            cursor.execute(f"drop {kind} if exists {', '.join(named)} cascade")
    cursor.execute(_OTHERS, which)
    lost = sorted(others[oid] for oid in others.keys() - dict(cursor.fetchall()).keys())
    if lost:
        raise CommandError(
            f"{', '.join(lost)} depends on what the restore replaces: drop it, and make it again "
            "afterwards"
        )
    return schema_marks.listed(cursor, OBJECTS)


def take_over(cursor: Any) -> None:
    """Wait until no process of the service uses the database, in the transaction under way.

    Raises CommandError: others use it.
    """
    if schema_marks.is_there(cursor):
        cursor.execute("savepoint waiting")
        cursor.execute("select set_config('lock_timeout', %s, true)", (f"{_STAND_DOWN:f}s",))
        try:
            cursor.execute("lock table schema_marks in access exclusive mode")
        except (LockNotAvailable, DeadlockDetected):
            cursor.execute("rollback to savepoint waiting")
    tables = [each.name for each in droppable(cursor).values() if each.kind == "table"]
    if not tables:
        return
    cursor.execute("set local lock_timeout = '2s'")
    for _ in range(_TRIES):
        cursor.execute("savepoint waiting")
        _end_others(cursor)
        try:
            cursor.execute(f"lock table {', '.join(tables)} in access exclusive mode")
        except (LockNotAvailable, DeadlockDetected):
            cursor.execute("rollback to savepoint waiting")
        else:
            return
    raise CommandError("somebody else uses the database all the time: stop them first")


def _end_others(cursor: Any) -> None:
    """End the connections of processes that have not given the database up by themselves."""
    cursor.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
        " and usename = current_user and pid <> pg_backend_pid()"
        " and application_name ~ '^contentsvc( |$)' and application_name <> 'contentsvc restore'"
    )
