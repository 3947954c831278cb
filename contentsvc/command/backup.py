"""`contentsvc backup`: the whole database in one file, as it was in one moment."""

import argparse
from pathlib import Path
from typing import Any, Final

from psycopg2 import sql

from contentsvc.command.archive import FORMAT, Manifest, Sequence, Table, writing
from contentsvc.command.database import connected, require_utf8, server
from contentsvc.command.terminal import CommandError, say, size, some
from contentsvc.config import Settings
from contentsvc.framework.core import build
from contentsvc.store import schema_marks
from contentsvc.store.migrate import applied, require_oldest
from contentsvc.store.schema_definition import objects, recorded

LEFT_OUT: Final = ("schema_marks", "schema_upgrades", "schema_files", "processes")
"""The tables that say something of this server and of this moment only, or that the description
has."""


def back_up(dsn: str, path: Path) -> Manifest:
    """Write what the database has into a new file. Raises CommandError; MigrationError;
    psycopg2.Error; OSError."""
    with connected(dsn, "contentsvc backup") as (_, cursor):
        ours, foreign = _objects(cursor)
        tables = _names(ours)
        with writing(path) as archive:
            # The lock comes before the snapshot: no migration is between both.
            cursor.execute("begin isolation level repeatable read, read only")
            names = sql.SQL(", ").join(map(sql.Identifier, tables))
            cursor.execute(sql.SQL("lock table {} in access share mode").format(names))
            if _objects(cursor) != (ours, foreign):
                raise CommandError("the schema has just changed; try again")
            manifest = _described(cursor)
            for name in tables:
                if name not in LEFT_OUT:
                    manifest.tables.append(_copied(cursor, archive, name))
            manifest.sequences = _sequences(cursor, ours)
            archive.end(manifest)
    for name in _names(foreign):
        say(f"The table {name} is not the service's, and is not in the back-up.")
    return manifest


def _objects(cursor: Any) -> tuple[set[str], set[str]]:
    """What the schema has of the service, and what else. Raises CommandError;
    MigrationError."""
    require_oldest(cursor)
    there = schema_marks.listed(cursor, objects())
    ours = there
    if schema_marks.is_there(cursor):
        if reason := schema_marks.fault(cursor):
            raise CommandError(f"the database is being restored: {reason}")
        ours = schema_marks.named(cursor)
    if not applied(cursor):
        raise CommandError("this is no database of contentsvc")
    return ours, there - ours


def _names(objects: set[str]) -> list[str]:
    return sorted(each.removeprefix("table ") for each in objects if each.startswith("table "))


def _described(cursor: Any) -> Manifest:
    cursor.execute("select extract(epoch from now())::bigint, current_setting('server_version')")
    created, postgres = cursor.fetchone()
    require_utf8(cursor)
    return Manifest(
        format=FORMAT,
        release=build.release(),
        created=created,
        postgres=postgres,
        upgrades=applied(cursor),
        schema=recorded(cursor),
        tables=[],
        sequences=[],
    )


def _copied(cursor: Any, archive: Any, name: str) -> Table:
    cursor.execute(
        "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0"
        " and not attisdropped and attgenerated = '' order by attnum",
        (f'"{name}"',),
    )
    columns = [row[0] for row in cursor.fetchall()]
    statement = sql.SQL("copy {} ({}) to stdout").format(
        sql.Identifier(name), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with archive.table(name) as file:
        cursor.copy_expert(statement, file)
    return Table(name, columns, cursor.rowcount)


def _sequences(cursor: Any, ours: set[str]) -> list[Sequence]:
    # After the rows: a sequence is not of the snapshot, and must not be behind them.
    found = []
    for object in sorted(ours):
        if object.startswith("sequence "):
            name = object.removeprefix("sequence ")
            cursor.execute(
                sql.SQL("select last_value, is_called from {}").format(sql.Identifier(name))
            )
            found.append(Sequence(name, *cursor.fetchone()))
    return found


def run(settings: Settings, arguments: argparse.Namespace) -> None:
    """The command."""
    path = Path(arguments.file)
    with server(settings, existing=True) as dsn:
        made = back_up(dsn, path)
    say(
        f"Wrote {path}, {size(path.stat().st_size)}: {some(made.rows, 'row')} of "
        f"{some(len(made.tables), 'table')}."
    )
    say(
        "The bytes of files are not in it, nor are the keys: back them up too. See Back-ups in "
        "docs/guides/backups.md."
    )
