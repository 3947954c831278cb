"""`contentsvc restore --finish`: after a restore by other means, check whether the database is
whole, count again what triggers count, and let the service go on."""

from typing import NamedTuple

from psycopg2 import sql

from contentsvc.command.database import server
from contentsvc.command.restore_target import alone
from contentsvc.command.terminal import CommandError, say, some
from contentsvc.config import Settings
from contentsvc.store import derived_counts, schema_marks
from contentsvc.store.migrate import (
    OURS,
    applied,
    require_oldest,
    upgrade,
)
from contentsvc.store.schema_definition import definition, newer, objects
from contentsvc.store.table_locks import take_over


class Finished(NamedTuple):
    """What was done. `was_whole` says that the marks were right before."""

    was_whole: bool
    tables: int
    rows: int
    mended: list[tuple[str, int]]
    migrated: list[str]


def finish(dsn: str) -> Finished:
    """Check, and set the marks. Raises CommandError; MigrationError; Unavailable: the schema is not
    whole. Nothing has changed then."""
    with alone(dsn) as (_, cursor):
        require_oldest(cursor)
        before = applied(cursor)
        if OURS not in schema_marks.listed(cursor, objects()):
            raise CommandError("this is no database of contentsvc, or it has no tables yet")
        if not before:
            raise CommandError("the restore has not ended: the database names no upgrades yet")
        was_whole = schema_marks.is_there(cursor) and schema_marks.fault(cursor) is None
        if (later := newer(before)) and not was_whole:
            raise CommandError(
                f"a newer release has made this database, with {', '.join(later)}: finish with that"
                " one"
            )
        cursor.execute("begin")
        take_over(cursor)
        cursor.execute("set local lock_timeout = 0")
        if not was_whole and schema_marks.is_there(cursor):
            there = schema_marks.listed(cursor, objects())
            if reason := schema_marks.lacking(schema_marks.named(cursor) - there):
                raise CommandError(
                    f"the schema is not whole, so the restore has not ended: {reason}"
                )
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
    return Finished(was_whole, len(tables), rows, mended, migrated)


def run(settings: Settings) -> None:
    """The command."""
    with server(settings, existing=True) as dsn:
        done = finish(dsn)
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
