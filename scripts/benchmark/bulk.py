"""Many rows into the tables of a database: without triggers, foreign keys and indexes."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from threading import Thread
from typing import Any

import psycopg2
from psycopg2 import sql

Say = Callable[[str], None]


@contextmanager
def connection(url: str) -> Iterator[Any]:
    """A cursor whose statements commit by themselves."""
    with closing(psycopg2.connect(url)) as connected:
        connected.autocommit = True
        with connected.cursor() as cursor:
            yield cursor


@contextmanager
def said(say: Say, name: str) -> Iterator[None]:
    """Say how long the block took."""
    begun = time.monotonic()
    yield
    say(f"data set: {name} ({time.monotonic() - begun:.1f} s)")


@contextmanager
def loading(cursor: Any, say: Say) -> Iterator[None]:
    """As a superuser: while the block fills the tables, there are no triggers, no foreign keys,
    and only the indexes of constraints. At its end the others are built, and all is vacuumed."""
    cursor.execute("set session_replication_role = replica")
    cursor.execute("set synchronous_commit = off")
    cursor.execute("set maintenance_work_mem = '256MB'")
    cursor.execute("set work_mem = '128MB'")
    tables = [name for name, _ in _tables(cursor)]
    cursor.execute(
        """
        select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) from pg_index i
        where i.indrelid = any(%s::text[]::regclass[])
          and not exists (select from pg_constraint where conindid = i.indexrelid)
        """,
        (tables,),
    )
    indexes = cursor.fetchall()
    for name, _ in indexes:
        cursor.execute(f"drop index {name}")
    yield
    with said(say, "indexes"):
        for _, definition in indexes:
            cursor.execute(definition)
    with said(say, "vacuum and analyze"):
        cursor.execute(f"vacuum (analyze) {', '.join(tables)}")


def copied(source: str, target: str, say: Say) -> None:
    """Fill the empty tables of `target`, an older release's database, from those of `source`: the
    columns that both have."""
    with connection(source) as reader, connection(target) as writer, loading(writer, say):
        theirs = dict(_tables(writer))
        with said(say, "copied"):
            for table, columns in _tables(reader):
                common = [each for each in columns if each in theirs.get(table, ())]
                if common:
                    values = [_before(each, theirs[table]) for each in common]
                    _copy(reader, writer, table, common, values)
            for name in _sequences(reader) & _sequences(writer):
                reader.execute(sql.SQL("select last_value, is_called from {}").format(_id(name)))
                writer.execute("select setval(%s, %s, %s)", (name, *reader.fetchone()))


def _sequences(cursor: Any) -> set[str]:
    cursor.execute("select sequencename from pg_sequences where schemaname = 'public'")
    return {name for (name,) in cursor.fetchall()}


def _before(column: str, columns: list[str]) -> sql.Composable:
    """A column's value as the older release has it, which may not know deleted content."""
    if column == "status" and "deleted" not in columns:
        return sql.SQL("replace(status, 'deleted', 'suspended')")
    return _id(column)


def _copy(
    reader: Any, writer: Any, table: str, columns: list[str], values: list[sql.Composable]
) -> None:
    out = sql.SQL("copy (select {} from {}) to stdout (format binary)").format(
        sql.SQL(", ").join(values), _id(table)
    )
    into = sql.SQL("copy {} ({}) from stdin (format binary)").format(
        _id(table), sql.SQL(", ").join(map(_id, columns))
    )
    end, begin = os.pipe()
    with open(end, "rb") as incoming, open(begin, "wb") as outgoing:

        def read() -> None:
            with outgoing:
                reader.copy_expert(out, outgoing)

        thread = Thread(target=read)
        thread.start()
        try:
            writer.copy_expert(into, incoming)
        finally:
            incoming.close()
            thread.join()


def _tables(cursor: Any) -> list[tuple[str, list[str]]]:
    """The service's that a new database does not fill, with their columns but those that Postgres
    generates."""
    cursor.execute(
        """
        select relname, array_agg(attname::text)
        from pg_class c join pg_attribute a on a.attrelid = c.oid
        where relkind = 'r' and relnamespace = 'public'::regnamespace and relname !~ '^schema_'
          and attnum > 0 and not attisdropped and attgenerated = ''
        group by relname order by relname
        """
    )
    return list(cursor.fetchall())


def _id(name: str) -> sql.Identifier:
    return sql.Identifier(name)
