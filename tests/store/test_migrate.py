"""Making and upgrading the schema: any number of processes, killed or not, on any kind of DSN."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg2
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.store.migrate import MigrationError, migrate
from contentsvc.store.schema_definition import (
    FOLDER,
    TABLES,
    Definition,
    create,
    definition,
    names,
    recorded,
)
from tests.support import lists, postgres

_fork = multiprocessing.get_context("fork")


def _migrate(url: str, options: dict[str, Any], gate: Any, results: Any) -> None:
    gate.wait()
    try:
        results.put(migrate(url, **options))
    except Exception as error:
        results.put(repr(error))


class MigrateCase(SynchronousTestCase):
    """An empty database."""

    server = staticmethod(postgres.embedded)

    def setUp(self) -> None:
        self.url = postgres.database(self.server())
        self.addCleanup(postgres.drop, self.url)
        self.options: dict[str, Any] = {}

    @contextmanager
    def session(self) -> Iterator[Any]:
        """A cursor on a connection of its own, where each statement commits."""
        connection = psycopg2.connect(self.url)
        connection.autocommit = True
        try:
            with connection.cursor() as cursor:
                yield cursor
        finally:
            connection.close()

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of one statement."""
        with self.session() as cursor:
            cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def applied(self) -> list[str]:
        """The upgrades that are marked as applied."""
        return [row[0] for row in self.sql("select name from schema_upgrades order by name")]

    def tables(self) -> set[str]:
        """The tables that there are, but for those of the service itself."""
        rows = self.sql(
            "select relname from pg_class where relkind = 'r' and relnamespace ="
            " 'public'::regnamespace"
        )
        return {row[0] for row in rows if f"create table {row[0]} " not in SERVICE}

    def processes(self, count: int) -> tuple[list[Any], Any, Any]:
        """Processes that migrate when the gate opens, and the queue of their results."""
        gate, results = _fork.Barrier(count + 1), _fork.Queue()
        arguments = (self.url, self.options, gate, results)
        found = [_fork.Process(target=_migrate, args=arguments) for _ in range(count)]
        for process in found:
            process.start()
            self.addCleanup(process.join)
        return found, gate, results


class MigrateTests(MigrateCase):
    def test_all(self) -> None:
        """A new database has all upgrades, and they are named; the next call has nothing to do."""
        self.assertEqual(migrate(self.url), names())
        self.assertEqual(self.applied(), names())
        self.assertEqual(migrate(self.url), [])

    def test_files(self) -> None:
        """Upgrades have a number each, in order. Each file has a comment on top, and each of tables
        its place in the order."""
        numbers = [int(name[:4]) for name in names()]
        again = f"the next upgrade is {max(numbers) + 1:04}"
        self.assertEqual(numbers, sorted(set(numbers)), again)
        schema = definition()
        for name, text in {**schema.texts, **schema.upgrades}.items():
            self.assertTrue(text.startswith("-- "), f"{name} needs a comment on top")
        there = {path.stem for path in (FOLDER / "tables").iterdir()}
        place = "contentsvc/store/schema_definition.py, TABLES, after what it refers to"
        lists.same(self, place, TABLES, there, '    "{}",'.format)

    def test_functions(self) -> None:
        """Functions are right as they stand: Postgres checks each once all are there. A file of
        them can be run again."""
        migrate(self.url)
        with self.session() as cursor:
            cursor.execute("begin")
            create(cursor, definition().functions())
            cursor.execute("set local check_function_bodies = on")
            for path, text in definition().functions().items():
                cursor.execute("savepoint one")
                try:
                    cursor.execute(text)
                except psycopg2.Error as error:
                    self.fail(f"{path}: {error}")
            cursor.execute("rollback")

    def test_recorded(self) -> None:
        """The database has the texts of which it was made, in the order in which they are run."""
        migrate(self.url)
        with self.session() as cursor:
            self.assertEqual(list(recorded(cursor).items()), list(definition().texts.items()))

    def test_at_once(self) -> None:
        """Of eight processes on an empty database one applies all, twice in a row."""
        for expected in ([[]] * 7 + [names()], [[]] * 8):
            _, gate, results = self.processes(8)
            gate.wait()
            found = [results.get(timeout=60) for _ in range(8)]
            self.assertEqual(sorted(found), expected)
        self.assertEqual(self.applied(), names())

    def test_keyword_dsn(self) -> None:
        """A keyword DSN works as a URL does."""
        parts = urlsplit(self.url)
        folder = parse_qs(parts.query)["host"][0]
        dsn = f"host={folder} port=5432 user={parts.username} dbname={parts.path[1:]}"
        self.assertEqual(migrate(dsn), names())

    def test_several_hosts(self) -> None:
        """Of several hosts the first that is there is taken."""
        parts = urlsplit(self.url)
        folder = parse_qs(parts.query)["host"][0]
        dsn = (
            f"host=/nowhere,{folder} port=5432 user={parts.username} dbname={parts.path[1:]} "
            "target_session_attrs=read-write"
        )
        self.assertEqual(migrate(dsn), names())

    def test_no_server(self) -> None:
        """Where there is no server, psycopg2 says so: that may change."""
        self.assertRaises(psycopg2.OperationalError, migrate, "host=/nowhere dbname=x user=x")

    def test_no_right(self) -> None:
        """Where the role may create nothing, that is an error that names it."""
        self.sql("revoke create on schema public from public")
        self.sql("do $$ begin create role reader login; exception when others then end $$")
        url = urlsplit(self.url)
        other = url._replace(netloc=url.netloc.replace("postgres@", "reader@")).geturl()
        error = self.assertRaises(MigrationError, migrate, other)
        self.assertIn("permission denied", str(error))
        self.assertEqual(len(str(error).splitlines()), 1)


SERVICE = definition().texts["tables/service.sql"]
PARTS = {
    "tables/service.sql": SERVICE,
    "tables/notifications.sql": "create table notification_counters (id integer)",
    "functions/schema_objects.sql": definition().texts["functions/schema_objects.sql"],
}
"""The least that a schema has."""
FIRST = {"a": "select"}
"""An upgrade that each has: without one, a database is not one of ours."""


class FailureTests(MigrateCase):
    """Upgrades that do not come to their end."""

    def setUp(self) -> None:
        super().setUp()
        self.schema("create table a (id integer)")
        migrate(self.url, **self.options)

    def schema(self, table: str = "", **upgrades: str) -> None:
        """Use a schema of this table, and these upgrades, instead."""
        parts = {"tables/service.sql": SERVICE, "tables/a.sql": table}
        self.options["schema"] = Definition(PARTS | parts, FIRST | upgrades)

    def left(self) -> tuple[list[str], set[str]]:
        """The marks and the tables."""
        return self.applied(), self.tables() - {"notification_counters"}

    def test_failing(self) -> None:
        """One that fails leaves nothing of itself, not even its mark; those before it stand."""
        self.schema(
            b="create table b (id integer);",
            c="create table c (id integer);\n\nselect 1 / 0;",
            d="create table d (id integer);",
        )
        error = self.assertRaises(MigrationError, migrate, self.url, **self.options)
        self.assertIn("division by zero", str(error))
        self.assertEqual(self.left(), (["a", "b"], {"a", "b"}))

    def test_mended(self) -> None:
        """When it has been mended, the rest is applied."""
        self.schema(b="create table b (id integer);", c="syntax error")
        self.assertRaises(MigrationError, migrate, self.url, **self.options)
        self.schema(b="create table b (id integer);", c="create table c (id integer);")
        self.assertEqual(migrate(self.url, **self.options), ["c"])
        self.assertEqual(self.left(), (["a", "b", "c"], {"a", "b", "c"}))

    def test_several(self) -> None:
        """The names of all are given that were applied, each in its transaction."""
        self.schema(b="create table b (id integer);", c="create table c (id integer);")
        self.assertEqual(migrate(self.url, **self.options), ["b", "c"])

    def waiting(self) -> int | None:
        """The server's process that applies an upgrade and waits for a lock."""
        rows = self.sql(
            "select pid from pg_stat_activity where application_name = 'contentsvc migrate'"
            " and wait_event_type = 'Lock' and wait_event = 'relation'"
            " and datname = current_database()"
        )
        return rows[0][0] if rows else None

    def stuck(self, cursor: Any) -> tuple[Any, int]:
        """A process that waits, amid an upgrade, for a table that `cursor` has locked, and the
        server's process for it."""
        self.options["lock_timeout"] = 60
        self.schema(b="create table b (id integer);\n\nalter table a add column more integer;")
        cursor.execute("begin")
        cursor.execute("lock table a in access share mode")
        (process,), gate, _ = self.processes(1)
        gate.wait()
        while (backend := self.waiting()) is None:
            self.assertTrue(process.is_alive())
        return process, backend

    def test_killed(self) -> None:
        """A process killed amid an upgrade leaves nothing that blocks the next."""
        with self.session() as cursor:
            process, _ = self.stuck(cursor)
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            cursor.execute("commit")
        self.assertEqual(migrate(self.url, **self.options), ["b"])
        self.assertEqual(self.left(), (["a", "b"], {"a", "b"}))

    def test_backend_killed(self) -> None:
        """Nor does one whose connection the server ends."""
        with self.session() as cursor:
            _, backend = self.stuck(cursor)
            self.sql(f"select pg_terminate_backend({backend})")
            cursor.execute("commit")
        self.assertEqual(migrate(self.url, **self.options), ["b"])
        self.assertEqual(self.left()[1], {"a", "b"})

    def test_locked(self) -> None:
        """One that cannot have a table soon gives up for now, and leaves nothing behind: the
        next that can have it applies all."""
        self.schema(b="create table b (id integer);\n\nalter table a add column more integer;")
        self.options["lock_timeout"] = 0.05
        with self.session() as cursor:
            cursor.execute("begin")
            cursor.execute("lock table a in access share mode")
            error = self.assertRaises(Unavailable, migrate, self.url, **self.options)
            self.assertEqual(error.cause, "lock")
            self.assertEqual(self.left(), (["a"], {"a"}))
            cursor.execute("commit")
        self.assertEqual(migrate(self.url, **self.options), ["b"])

    def test_second_waits(self) -> None:
        """A second process waits for the first to finish, and then has nothing to do."""
        with self.session() as cursor:
            self.stuck(cursor)
            _, gate, results = self.processes(1)
            gate.wait()
            waits = (
                "select pid from pg_stat_activity where wait_event = 'advisory'"
                " and datname = current_database()"
            )
            while not self.sql(waits):
                pass
            cursor.execute("commit")
        self.assertEqual(results.get(timeout=60), [])
        self.assertEqual(self.left()[1], {"a", "b"})


class FunctionTests(MigrateCase):
    """Functions whose text has changed."""

    def schema(self, number: int, release: str = "1.0.0") -> Definition:
        """One with a function that gives this number."""
        text = f"create or replace function f() returns integer language sql as 'select {number}'"
        return Definition(PARTS | {"functions/f.sql": text}, FIRST, release)

    def given(self) -> int:
        """What the function gives."""
        ((number,),) = self.sql("select f()")
        return int(number)

    def test_replaced(self) -> None:
        """They are replaced, and named; others are not run again."""
        migrate(self.url, schema=self.schema(1))
        self.assertEqual(migrate(self.url, schema=self.schema(2)), ["functions/f.sql"])
        self.assertEqual(self.given(), 2)
        self.assertEqual(migrate(self.url, schema=self.schema(2)), [])

    def test_newer(self) -> None:
        """An older release leaves those of a newer one."""
        for number, release in ((1, "1.2.0"), (2, "1.10.0")):
            migrate(self.url, schema=self.schema(number, release))
        self.assertEqual(migrate(self.url, schema=self.schema(1, "1.9.3")), [])
        self.assertEqual(self.given(), 2)

    def test_needs(self) -> None:
        """They come with the last upgrade, and may need what that makes."""
        migrate(self.url, schema=self.schema(1))
        upgrades = {"b": "create table b (id integer)"}
        needs = "create or replace function f() returns integer language sql as 'select id from b'"
        texts = PARTS | {"tables/b.sql": upgrades["b"], "functions/f.sql": needs}
        self.assertEqual(migrate(self.url, schema=Definition(texts, FIRST | upgrades)), ["b"])
        self.assertEqual(self.sql("select f()"), [(None,)])


class DebianTests(MigrateTests):
    """The same on Debian's older server."""

    def setUp(self) -> None:
        url = postgres.require_debian(self)
        self.server = lambda: url  # type: ignore[method-assign]
        super().setUp()
