"""`contentsvc restore --finish`: after a restore by other means, look whether the database is
whole, count again what triggers count, and let the service go on."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from psycopg2 import sql

from contentsvc.command.database import server
from contentsvc.command.errors import CommandError
from contentsvc.command.exclusive import alone, drop, droppable, key, take_over
from contentsvc.command.formatting import some
from contentsvc.command.terminal import say
from contentsvc.config import Settings
from contentsvc.store import counters, schema_marks
from contentsvc.store.migrate import OBJECTS, OURS, Making, applied, expected, names

_MARKED: Final = """
    select m.object from schema_marks m
    where m.number is null or exists (
        select from pg_class c where c.oid = m.number and 'table ' || c.relname = m.object
    )
"""


class Finished(NamedTuple):
    """What was done. `was_whole` says that the marks were right before."""

    was_whole: bool
    tables: int
    rows: int
    mended: list[tuple[str, int]]
    dropped: list[str]
    migrated: list[str]


def finish(dsn: str) -> Finished:
    """Look, and set the marks. Raises CommandError: the schema is not whole. Nothing has changed
    then."""
    with alone(dsn) as (connection, cursor):
        before = applied(cursor)
        if OURS not in schema_marks.listed(cursor, OBJECTS):
            raise CommandError("this is no database of contentsvc, or it has no tables yet")
        if not before:
            raise CommandError("the restore has not ended: the database names no migrations yet")
        newer = [name for name in before if name not in names()]
        was_whole = schema_marks.is_there(cursor) and schema_marks.fault(cursor) is None
        if newer and not was_whole:
            raise CommandError(
                f"a newer release has made this database, with {', '.join(newer)}: finish with that"
                " one"
            )
        ours = expected(connection, before)
        if ours is None:
            raise CommandError("the role may make no schema: it must own the database")
        cursor.execute("begin")
        take_over(cursor)
        cursor.execute("set local lock_timeout = 0")
        there = schema_marks.listed(cursor, OBJECTS)
        if not was_whole and (reason := schema_marks.lacking(ours - there)):
            raise CommandError(f"the schema is not whole, so the restore has not ended: {reason}")
        dropped = [] if was_whole else sorted(_left(cursor, ours))
        if dropped:
            there = drop(cursor, set(dropped))
        mended = counters.mend(cursor)
        foreign = there - ours
        if was_whole:
            foreign -= schema_marks.named(cursor)
        cursor.execute("set constraints all immediate")
        migrated = Making(connection).apply(names(), foreign)
        tables = [
            each.removeprefix("table ")
            for each in sorted(schema_marks.listed(cursor, OBJECTS) - foreign)
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


def _left(cursor: Any, ours: Iterable[str]) -> set[str]:
    """The keys of what is left of a newer database, in whose place the restore has put an older
    one. Its migrations would find there what they make. Only the marks tell it from tables of
    somebody else, by their numbers."""
    if not schema_marks.is_there(cursor):
        return set()
    cursor.execute(_MARKED)
    marked = {key(row[0]) for row in cursor.fetchall()}
    return marked & droppable(cursor).keys() - {key(each) for each in ours}


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
