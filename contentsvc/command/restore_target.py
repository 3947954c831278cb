"""The database for a restore alone: nobody else migrates or restores it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from contentsvc.command.database import connected, require_utf8
from contentsvc.command.terminal import CommandError
from contentsvc.store import schema_marks
from contentsvc.store.migrate import lock
from contentsvc.store.schema_definition import objects
from contentsvc.store.table_locks import droppable

_TURN: Final = 10.0
"""Seconds to wait for somebody else who migrates or restores."""
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


@contextmanager
def alone(dsn: str) -> Iterator[tuple[Any, Any]]:
    """A connection in autocommit that locks out other migrations and restores, and a cursor."""
    with connected(dsn, "contentsvc restore") as (connection, cursor):
        require_utf8(cursor)
        cursor.execute("select current_schema() is not null")
        if not cursor.fetchone()[0]:
            raise CommandError("the database has no schema for tables: see its search_path")
        lock(cursor, _TURN)
        yield connection, cursor


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
    return schema_marks.listed(cursor, objects())
