"""All tables of the database for one transaction alone: nobody else uses them.

Everything here blocks.
"""

from typing import Any, Final, NamedTuple

from psycopg2.errors import DeadlockDetected, LockNotAvailable

from contentsvc.framework.db.errors import Unavailable
from contentsvc.store import schema_marks

_STAND_DOWN: Final = 10.0
"""Seconds that the processes of the service have to give their locks up. After that their
connections are ended."""
_TRIES: Final = 5
"""How often the tables are asked for: whoever knows no lock may connect again."""
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


class Object(NamedTuple):
    """Something in the schema. `kind` and `name` are words of a DROP."""

    kind: str
    name: str
    oid: int


def droppable(cursor: Any) -> dict[str, Object]:
    """What the schema has, by keys such as `table users`."""
    cursor.execute(_DROPPABLE)
    return {key: Object(*object) for key, *object in cursor.fetchall()}


def take_over(cursor: Any) -> None:
    """Wait until no process of the service uses the database, in the transaction under way.

    Raises Unavailable: others use it.
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
    raise Unavailable("somebody else uses the database all the time: stop them first", "lock")


def _end_others(cursor: Any) -> None:
    """End the connections of processes that have not closed them by themselves. A process that
    waits to migrate or to restore uses no table."""
    cursor.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
        " and usename = current_user and pid <> pg_backend_pid()"
        " and application_name ~ '^contentsvc( |$)'"
        " and application_name not in ('contentsvc restore', 'contentsvc migrate')"
    )
