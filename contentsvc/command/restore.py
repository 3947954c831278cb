"""`contentsvc restore`: put the database back as a back-up has it, in one transaction.

The schema is made anew as the back-up has it. Then come its rows, and then the upgrades that have
been added since. Whatever ends the command before the commit, the old database
stays.

Each process of the service holds a lock on `schema_marks`. The restore asks for that table first.
The processes notice it, end what they do, answer 503 `restoring` and give the lock up. When the
restore has ended, or died, they get the lock again and go on.
"""

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from psycopg2 import sql

from contentsvc.command import restore_finish
from contentsvc.command.archive import Manifest, Reader, Table, reading
from contentsvc.command.database import server
from contentsvc.command.restore_target import alone, drop, key
from contentsvc.command.terminal import CommandError, say, some
from contentsvc.config import Settings
from contentsvc.store import schema_marks
from contentsvc.store.migrate import OURS, TOO_OLD, applied, expected, is_too_old, make, upgrade
from contentsvc.store.schema_definition import Definition, definition, newer, objects
from contentsvc.store.table_locks import droppable, take_over

_PIECE: Final = 1 << 16


class Restored(NamedTuple):
    """What a restore has done."""

    manifest: Manifest
    migrated: list[str]


def restore(dsn: str, archive: Reader, *, replace: bool) -> Restored:
    """Put the database back. Raises CommandError; Unavailable; psycopg2.Error. The old database
    stays then."""
    manifest = archive.manifest
    with alone(dsn) as (connection, cursor):
        there = schema_marks.listed(cursor, objects())
        _require_ours(cursor, there)
        ours = _ours(connection, cursor)
        if not replace:
            _require_empty(cursor, manifest)
        say(
            "Restoring. The service answers 503 restoring meanwhile. The SQL of the back-up is "
            "run: one that was changed can run programs.",
            to=sys.stderr,
        )
        cursor.execute("begin")
        take_over(cursor)
        if not replace:
            _require_empty(cursor, manifest)
        cursor.execute("set local lock_timeout = 0; set local maintenance_work_mem = '128MB'")
        foreign = drop(cursor, ours)
        make(
            cursor,
            Definition(manifest.schema, dict.fromkeys(manifest.upgrades, ""), manifest.release),
        )
        cursor.execute("set constraints all immediate")
        load(cursor, archive)
        migrated = upgrade(cursor, definition())
        tables = sql.SQL(", ").join(sql.Identifier(table.name) for table in manifest.tables)
        cursor.execute(sql.SQL("analyze {}").format(tables))
        schema_marks.renew(cursor, foreign)
        cursor.execute("commit")
    return Restored(manifest, migrated)


def _require_ours(cursor: Any, there: set[str]) -> None:
    if not (OURS in there or schema_marks.is_there(cursor)) and (
        applied(cursor) or any(each.startswith(("table ", "view ")) for each in there)
    ):
        raise CommandError("the database has tables, and is no database of contentsvc")


def _ours(connection: Any, cursor: Any) -> set[str]:
    """The keys of the objects that belong to the service, of this release or another one."""
    made = expected(connection)
    if made is None:
        raise CommandError("the role may make no schema: it must own the database")
    if schema_marks.is_there(cursor):
        made |= schema_marks.named(cursor)
    return {key(each) for each in made}


def _require_empty(cursor: Any, manifest: Manifest) -> None:
    there = droppable(cursor)
    for table in manifest.tables:
        if f"table {table.name}" in there:
            cursor.execute(
                sql.SQL("select exists (select from {})").format(sql.Identifier(table.name))
            )
            if cursor.fetchone()[0]:
                raise CommandError(
                    "the database is not empty. --replace puts the back-up in place of all that "
                    "it has"
                )


def load(cursor: Any, archive: Reader) -> None:
    """Load the rows into a new schema, without its triggers, its foreign keys and its indexes,
    which come back afterwards."""
    before = schema_marks.listed(cursor, objects())
    cursor.execute(
        "select format('alter table %%s drop constraint %%I', conrelid::regclass, conname),"
        "       format('alter table %%s add constraint %%I %%s', conrelid::regclass, conname,"
        "              pg_get_constraintdef(oid))"
        " from pg_constraint where contype = 'f'"
        " and connamespace = current_schema()::regnamespace"
        " and conrelid = any(%s::text[]::regclass[])"
        " order by conrelid::regclass::text, conname",
        ([f'"{table.name}"' for table in archive.manifest.tables],),
    )
    keys = cursor.fetchall()
    cursor.execute(
        "select format('drop index %%s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)"
        " from pg_index i where i.indrelid = any(%s::text[]::regclass[]) and not exists ("
        "     select from pg_constraint k where k.conindid = i.indexrelid and k.contype <> 'f'"
        " ) order by i.indexrelid::regclass::text",
        ([f'"{table.name}"' for table in archive.manifest.tables],),
    )
    indexes = cursor.fetchall()
    for removal, _ in (*keys, *indexes):
        cursor.execute(removal)
    for table in archive.manifest.tables:
        _copy(cursor, archive, table)
    for _, making in (*indexes, *keys):
        cursor.execute(making)
    for sequence in archive.manifest.sequences:
        cursor.execute(
            "select setval(%s::regclass, %s, %s)",
            (f'"{sequence.name}"', sequence.last, sequence.called),
        )
    if reason := schema_marks.lacking(before - schema_marks.listed(cursor, objects())):
        raise CommandError(f"the schema was not made anew: {reason}")


def _copy(cursor: Any, archive: Reader, table: Table) -> None:
    name = sql.Identifier(table.name)
    columns = sql.SQL(", ").join(map(sql.Identifier, table.columns))
    cursor.execute(sql.SQL("alter table {} disable trigger user").format(name))
    with archive.table(table.name) as file:
        statement = sql.SQL("copy {} ({}) from stdin").format(name, columns)
        cursor.copy_expert(statement, file, _PIECE)
    if cursor.rowcount != table.rows:
        raise CommandError(f"{table.name} got {cursor.rowcount:,} rows instead of {table.rows:,}")
    cursor.execute(sql.SQL("alter table {} enable trigger user").format(name))


def run(settings: Settings, arguments: argparse.Namespace) -> None:
    """The command."""
    if arguments.finish:
        if arguments.file is not None or arguments.replace:
            raise CommandError("--finish looks at the database as it is, and takes no FILE")
        restore_finish.run(settings)
        return
    if arguments.file is None:
        raise CommandError("name the FILE of the back-up, or say --finish")
    path = Path(arguments.file)
    with reading(path) as archive:
        _require_known(path, archive.manifest)
        with server(settings) as dsn:
            done = restore(dsn, archive, replace=arguments.replace)
    made = datetime.fromtimestamp(done.manifest.created, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    say(
        f"Restored the database of {made}: {some(done.manifest.rows, 'row')} of "
        f"{some(len(done.manifest.tables), 'table')}, all keys and triggers."
    )
    if done.migrated:
        say(f"Applied {', '.join(done.migrated)}.")
    say(
        "Daemons that run go on by themselves. If files are kept by the service, run contentsvc "
        "files check --repair now."
    )


def _require_known(path: Path, manifest: Manifest) -> None:
    if is_too_old(manifest.upgrades):
        raise CommandError(f"{path} is {TOO_OLD}")
    if later := newer(manifest.upgrades):
        raise CommandError(
            f"{path} was made by a newer release ({manifest.release}), with {', '.join(later)}: "
            "restore it with that one"
        )
