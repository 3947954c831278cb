"""Migrations: any number of processes at once, killed or not, on any kind of DSN."""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg2
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.db.errors import Unavailable
from contentsvc.store.migrate import SCHEMA, MigrationError, migrate, names
from tests.support import postgres

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
        """The migrations that are marked as applied."""
        rows = self.sql("select migration_id from _yoyo_migrations order by applied_at_utc")
        return [row[0] for row in rows]

    def tables(self) -> set[str]:
        """The tables that there are, but for yoyo's own."""
        rows = self.sql(
            "select relname from pg_class where relkind = 'r' and relnamespace ="
            " 'public'::regnamespace"
        )
        return {row[0] for row in rows if "yoyo" not in row[0]}

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
        """The first call applies all in order and names them; the next has nothing to do."""
        self.assertEqual(migrate(self.url), names())
        self.assertEqual(self.applied(), names())
        self.assertEqual(migrate(self.url), [])

    def test_names(self) -> None:
        """Migrations have a number each, in order, and each is a file with a comment on top."""
        numbers = [int(name[:4]) for name in names()]
        self.assertEqual(numbers, sorted(set(numbers)))
        for name in names():
            text = Path(str(SCHEMA / f"{name}.sql")).read_text()
            self.assertTrue(text.startswith("-- "), name)

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


class FailureTests(MigrateCase):
    """Migrations that do not come to their end."""

    def folder(self, **migrations: str) -> None:
        """Use a folder of these instead."""
        folder = Path(self.mktemp())
        folder.mkdir(parents=True)
        for name, text in migrations.items():
            (folder / f"{name}.sql").write_text(text)
        self.options["schema"] = folder

    def test_failing(self) -> None:
        """One that fails leaves nothing of itself, not even its mark; those before it stand."""
        self.folder(
            a="create table a (id integer);",
            b="create table b (id integer);\n\nselect 1 / 0;",
            c="create table c (id integer);",
        )
        error = self.assertRaises(MigrationError, migrate, self.url, **self.options)
        self.assertIn("division by zero", str(error))
        self.assertEqual((self.tables(), self.applied()), ({"a"}, ["a"]))

    def test_mended(self) -> None:
        """When it has been mended, the rest is applied."""
        self.folder(a="create table a (id integer);", b="syntax error")
        self.assertRaises(MigrationError, migrate, self.url, **self.options)
        self.folder(a="create table a (id integer);", b="create table b (id integer);")
        self.assertEqual(migrate(self.url, **self.options), ["b"])
        self.assertEqual(self.tables(), {"a", "b"})

    def waiting(self) -> int | None:
        """The server's process that applies a migration and waits for a lock."""
        rows = self.sql(
            "select pid from pg_stat_activity where application_name = 'contentsvc migrate'"
            " and wait_event_type = 'Lock' and wait_event = 'relation'"
        )
        return rows[0][0] if rows else None

    def stuck(self, cursor: Any) -> tuple[Any, int]:
        """A process that waits, amid its second migration, for a table that `cursor` has locked,
        and the server's process for it."""
        self.options["lock_timeout"] = 60
        self.folder(
            a="create table if not exists a (id integer);",
            b="create table b (id integer);\n\nalter table a add column more integer;",
        )
        cursor.execute("create table a (id integer)")
        cursor.execute("begin")
        cursor.execute("lock table a in access share mode")
        (process,), gate, _ = self.processes(1)
        gate.wait()
        while (backend := self.waiting()) is None:
            self.assertTrue(process.is_alive())
        return process, backend

    def test_killed(self) -> None:
        """A process killed amid a migration leaves nothing that blocks the next."""
        with self.session() as cursor:
            process, _ = self.stuck(cursor)
            os.kill(process.pid, signal.SIGKILL)
            process.join()
            cursor.execute("commit")
        self.assertEqual(migrate(self.url, **self.options), ["b"])
        self.assertEqual(self.applied(), ["a", "b"])
        self.assertEqual(self.tables(), {"a", "b"})

    def test_backend_killed(self) -> None:
        """Nor does one whose connection the server ends."""
        with self.session() as cursor:
            _, backend = self.stuck(cursor)
            self.sql(f"select pg_terminate_backend({backend})")
            cursor.execute("commit")
        self.assertEqual(migrate(self.url, **self.options), ["b"])
        self.assertEqual(self.tables(), {"a", "b"})

    def test_locked(self) -> None:
        """One that cannot have a table soon gives up for now, and leaves nothing behind: the
        next that can have it applies all."""
        self.folder(
            a="create table if not exists a (id integer);",
            b="create table b (id integer);\n\nalter table a add column more integer;",
        )
        self.options["lock_timeout"] = 0.05
        with self.session() as cursor:
            cursor.execute("create table a (id integer)")
            cursor.execute("begin")
            cursor.execute("lock table a in access share mode")
            error = self.assertRaises(Unavailable, migrate, self.url, **self.options)
            self.assertEqual(error.cause, "lock")
            self.assertEqual((self.applied(), self.tables()), (["a"], {"a"}))
            cursor.execute("commit")
        self.assertEqual(migrate(self.url, **self.options), ["b"])

    def test_second_waits(self) -> None:
        """A second process waits for the first to finish, and then has nothing to do."""
        with self.session() as cursor:
            self.stuck(cursor)
            _, gate, results = self.processes(1)
            gate.wait()
            waits = "select pid from pg_stat_activity where wait_event = 'advisory'"
            while not self.sql(waits):
                pass
            cursor.execute("commit")
        self.assertEqual(results.get(timeout=60), [])
        self.assertEqual(self.tables(), {"a", "b"})


class DebianTests(MigrateTests):
    """The same on Debian's older server."""

    def setUp(self) -> None:
        url = postgres.require_debian(self)
        self.server = lambda: url  # type: ignore[method-assign]
        super().setUp()
