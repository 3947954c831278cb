"""`contentsvc restore --finish`: after a restore by other means, look whether the database is
whole, count again what triggers count, and let the service go on."""

from typing import Any, Final, NamedTuple

from psycopg2 import sql

from contentsvc.command.database import server
from contentsvc.command.restore_target import alone, drop
from contentsvc.command.terminal import CommandError, say, some
from contentsvc.config import Settings
from contentsvc.store import derived_counts, schema_marks
from contentsvc.store.migrate import (
    OURS,
    applied,
    expected,
    is_older,
    require_oldest,
    upgrade,
    upgrade_older,
)
from contentsvc.store.schema_definition import definition, names, objects
from contentsvc.store.table_locks import take_over

_LEFT: Final = """
    select m.object from schema_marks m join pg_class c on c.oid = m.number
    where m.object = 'table ' || c.relname and exists (
        select from schema_marks o where o.object = 'table schema_marks'
          and o.number = 'schema_marks'::regclass::oid::bigint
    )
"""
"""The tables that the marks name by their right numbers, if these marks are not those of a dump."""


class Finished(NamedTuple):
    """What was done. `was_whole` says that the marks were right before."""

    was_whole: bool
    tables: int
    rows: int
    mended: list[tuple[str, int]]
    dropped: list[str]
    migrated: list[str]


def finish(dsn: str) -> Finished:
    """Look, and set the marks. Raises CommandError; Unavailable: the schema is not whole. Nothing
    has changed then."""
    with alone(dsn) as (connection, cursor):
        before = applied(cursor)
        if OURS not in schema_marks.listed(cursor, objects()):
            raise CommandError("this is no database of contentsvc, or it has no tables yet")
        if not before:
            raise CommandError("the restore has not ended: the database names no upgrades yet")
        older = is_older(cursor)
        was_whole = schema_marks.is_there(cursor) and schema_marks.fault(cursor) is None
        newer = [] if older else [name for name in before if name not in names()]
        if newer and not was_whole:
            raise CommandError(
                f"a newer release has made this database, with {', '.join(newer)}: finish with that"
                " one"
            )
        ours = _expected(connection, cursor) if older else None
        cursor.execute("begin")
        take_over(cursor)
        cursor.execute("set local lock_timeout = 0")
        dropped = [] if was_whole or not older else _left(cursor)
        if dropped:
            drop(cursor, set(dropped))
        if not was_whole and schema_marks.is_there(cursor):
            there = schema_marks.listed(cursor, objects())
            if reason := schema_marks.lacking(schema_marks.named(cursor) - there):
                raise CommandError(
                    f"the schema is not whole, so the restore has not ended: {reason}"
                )
        if older:
            migrated, foreign = upgrade_older(cursor, ours, definition())
        else:
            foreign = schema_marks.foreign(cursor)
            migrated = upgrade(cursor, definition())
        mended = derived_counts.mend(cursor)
        cursor.execute("set constraints all immediate")
        tables = [
            each.removeprefix("table ")
            for each in sorted(schema_marks.listed(cursor, objects()) - foreign)
            if each.startswith("table ")
        ]
        named = sql.SQL(", ").join(map(sql.Identifier, tables))
        cursor.execute(sql.SQL("analyze {}").format(named))
        rows = 0
        for table in tables:
            cursor.execute(sql.SQL("select count(*) from {}").format(sql.Identifier(table)))
            rows += cursor.fetchone()[0]
        schema_marks.renew(cursor, foreign)
        cursor.execute("commit")
    return Finished(was_whole, len(tables), rows, mended, dropped, migrated)


def _expected(connection: Any, cursor: Any) -> set[str]:
    require_oldest(cursor)
    ours = expected(connection)
    if ours is None:
        raise CommandError("the role may make no schema: it must own the database")
    return ours


def _left(cursor: Any) -> list[str]:
    """The tables that are left of a newer database, in whose place the restore has put one of
    before 1.0.0. Its upgrade would find there what it makes."""
    if not schema_marks.is_there(cursor):
        return []
    return sorted(schema_marks.listed(cursor, _LEFT))


def run(settings: Settings) -> None:
    """The command."""
    with server(settings, existing=True) as dsn:
        done = finish(dsn)
    if done.dropped:
        say(f"Dropped what was left of a newer database: {', '.join(done.dropped)}.")
    for what, count in done.mended:
        say(f"Counted again: {count:,} {what}")
    if done.migrated:
        say(f"Applied {', '.join(done.migrated)}.")
    already = " It was before, too." if done.was_whole else ""
    say(
        f"The database is whole: {some(done.rows, 'row')} of {some(done.tables, 'table')}, all "
        f"keys, triggers and functions.{already}"
    )
    say("Daemons that run go on by themselves.")
