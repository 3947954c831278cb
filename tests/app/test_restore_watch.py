"""How a process gives the database up that is being restored, on a real Postgres."""

from contextlib import closing
from typing import Any

import psycopg2
from psycopg2.errors import UndefinedFunction
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock, deferLater
from twisted.internet.threads import deferToThread
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app.restore_watch import CATALOGUE, END, EVERY, TABLES, UNREAD, RestoreWatch
from contentsvc.framework.db.connection import Connection, connect, execute
from contentsvc.framework.db.errors import Unavailable
from tests.support import postgres
from tests.support.databases import StoreCase

STEP = 0.125
"""Seconds."""
WAITING = (
    "select 1 from pg_locks l join pg_database d on d.oid = l.database"
    " where not granted and datname = current_database()"
)


class RestTests(SynchronousTestCase):
    """When it checks, where each check fails."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.checks: list[float] = []
        self.notified: list[str] = []
        nobody: Any = None
        self.watch = RestoreWatch(
            self.clock, "", nobody, maintenance=self.notified.append, connect=self.connect
        )
        self.watch.start(nobody, nobody, nobody, nobody, nobody)
        self.addCleanup(self.watch.stop)

    async def connect(self, *args: object, **options: object) -> Connection:
        self.checks.append(self.clock.seconds())
        raise Unavailable("the server is away")

    def hear_often(self, times: int, every: float) -> None:
        """So many heartbeats of the process."""
        for _ in range(times):
            self.watch.heard("{}")
            self.clock.pump([STEP] * int(every / STEP))

    def test_heartbeats(self) -> None:
        """Heartbeats read whether the service is closed, and checks come half-way between them."""
        self.hear_often(4, every=3)
        self.assertEqual(self.checks, [0, UNREAD, 3 + UNREAD, 6 + UNREAD, 9 + UNREAD])
        self.assertEqual(self.notified, ["{}"] * 4)

    def test_silence(self) -> None:
        """Without a heartbeat, a check comes in time."""
        self.clock.pump([STEP] * int(4 / STEP))
        self.assertEqual(self.checks, [0, UNREAD, 2 * UNREAD])

    def test_many(self) -> None:
        """However many heartbeats come, the checks do not end."""
        self.hear_often(20, every=0.5)
        self.assertEqual(self.checks, [0, EVERY, 2 * EVERY])

    def test_recheck(self) -> None:
        """`recheck` has it check at once."""
        self.watch.recheck()
        self.assertEqual(self.checks, [0, 0])


class Idle:
    """Stands for what the watch ends and begins again."""

    complete = True

    async def dismiss(self, reason: object) -> None: ...
    async def learn(self) -> None: ...
    def ask(self) -> None: ...


class CheckTests(StoreCase):
    """What the reconciler's check has it do, on a real Postgres."""

    own = anew = True

    async def setUp(self) -> None:
        await super().setUp()
        self.notified: list[str] = []
        self.went_on: Deferred[None] = Deferred()
        self.lacking: Connection | None = None
        self.watch = RestoreWatch(
            reactor, self.url, self.migrate, maintenance=self.notified.append, connect=self.connect
        )
        self.connections: list[Connection] = []
        idle: Any = Idle()
        self.watch.start(self.db, idle, idle, idle, idle)
        self.addCleanup(self.watch.stop)
        await self.watch.first_check

    async def connect(self, *args: Any, **options: Any) -> Connection:
        self.connections.append(await connect(*args, **options))
        return self.connections[-1]

    async def migrate(self) -> None:
        lacking, self.lacking = self.lacking, None
        if lacking is not None:
            await execute(lacking, "select nothing()")
        self.went_on.callback(None)

    async def test_maintenance(self) -> None:
        """It reads whether the service is closed."""
        self.notified.clear()
        await self.watch.check()
        self.assertEqual((self.notified, self.watch.on), (["{}"], False))

    async def test_restore(self) -> None:
        """It has the watch give up a lock that somebody waits for."""
        with closing(psycopg2.connect(self.url)) as restore:
            waiting = deferToThread(restore.cursor().execute, "lock table schema_marks")
            while not self.sql(WAITING):
                await deferLater(reactor, 0)
            await self.watch.check()
            await waiting
            self.assertTrue(self.watch.on)
        await self.went_on

    async def test_replaced(self) -> None:
        """It has the watch close the service where a table is another one."""
        self.sql("drop table documents cascade")
        self.sql("create table documents (words text)")
        for _ in range(TABLES):
            await self.watch.check()
        while not self.watch.on:
            await deferLater(reactor, 0)

    async def test_lost(self) -> None:
        """It has the watch take the lock again where the server has ended its connection."""
        (before,) = self.connections
        self.sql("select pg_terminate_backend(%s)", before.process)
        while not before.broken:
            await deferLater(reactor, 0)
        await self.watch.check()
        while len(self.connections) < 2:
            await deferLater(reactor, 0)
        self.assertFalse(self.watch.on)

    async def served(self) -> Connection:
        """A connection of the pool."""
        connection = await self.watch.opened(reactor, self.url, timeout=5.0, statement_timeout=5.0)
        self.addCleanup(connection.abandon)
        return connection

    async def test_lasting(self) -> None:
        """What a statement needs and no restore brings back, because the schema is whole, is an
        error like any other, at once the next time, and the service goes on."""
        connection = await self.served()
        with self.assertRaises(UndefinedFunction):
            await execute(connection, "select nothing()")
        count = len(self.notified)
        with self.assertRaises(UndefinedFunction):
            await execute(connection, "select nothing()")
        self.assertEqual((len(self.notified), self.watch.on), (count, False))

    async def test_passing(self) -> None:
        """What the schema must have, and lacks, has the watch close the service; the request is
        told that it is being restored."""
        connection = await self.served()
        self.sql("drop table documents cascade")
        with self.assertRaises(Unavailable) as caught:
            await execute(connection, "select from documents")
        self.assertEqual((caught.exception.cause, self.watch.on), ("restoring", True))

    async def test_going_on(self) -> None:
        """A statement that lacks something while the service goes on waits for no check: there is
        another try."""
        self.lacking = await self.served()
        await self.test_restore()

    async def test_stopped(self) -> None:
        """Once it has stopped, nobody waits for it."""
        connection = await self.served()
        self.watch.stop()
        with self.assertRaises(Unavailable):
            await execute(connection, "select nothing()")


class EndTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.url = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, self.url)

    def connect(self) -> Any:
        connection = psycopg2.connect(self.url)
        self.addCleanup(connection.close)
        return connection

    def test_ended(self) -> None:
        """The transaction that has seen a connection sees, too, that it has ended."""
        pid = self.connect().get_backend_pid()
        with closing(self.connect()) as watch, watch.cursor() as cursor:
            cursor.execute(END, ([pid],))
            self.assertEqual(cursor.fetchone(), (1,))
            with closing(self.connect()) as other:
                # It returns when the process is gone.
                other.cursor().execute("select pg_terminate_backend(%s, 10000)", (pid,))
            cursor.execute(END, ([pid],))
            self.assertEqual(cursor.fetchone(), (0,))


class CatalogueTests(SynchronousTestCase):
    """A full check of the schema comes when the catalogue has changed."""

    def setUp(self) -> None:
        self.url = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, self.url)
        self.connection = psycopg2.connect(self.url)
        self.addCleanup(self.connection.close)
        self.connection.autocommit = True
        self.run_sql("create table things (n integer)", "create function f() returns integer")

    def run_sql(self, *statements: str) -> None:
        """Run these, the last with a body, and have the server count them at once."""
        *plain, function = statements
        with self.connection.cursor() as cursor:
            for statement in plain:
                cursor.execute(statement)
            cursor.execute(function + " language sql as 'select 1'")
            cursor.execute("select pg_stat_force_next_flush()")

    def count(self) -> int | None:
        """What the watch reads, in a transaction of its own."""
        with closing(psycopg2.connect(self.url)) as watch, watch.cursor() as cursor:
            cursor.execute(CATALOGUE.sql)
            row = cursor.fetchone()
            assert row is not None
            return None if row[0] is None else int(row[0])

    def test_unchanged(self) -> None:
        """Rows of tables, and statistics of them, do not count."""
        before = self.count()
        with self.connection.cursor() as cursor:
            cursor.execute("insert into things values (1)")
            cursor.execute("vacuum analyze things")
            cursor.execute("select pg_stat_force_next_flush()")
        self.assertEqual(self.count(), before)

    def test_changed(self) -> None:
        """A table counts that is made or dropped, and a function that is replaced."""
        counts = [self.count()]
        for first in ("create table others (n integer)", "drop table others", "select 1"):
            self.run_sql(first, "create or replace function f() returns integer")
            counts.append(self.count())
        self.assertEqual(len(set(counts)), 4, counts)

    def test_uncounted(self) -> None:
        """A server that counts nothing says so."""
        with self.connection.cursor() as cursor:
            cursor.execute(f"alter database {self.name()} set track_counts = off")
        self.assertIsNone(self.count())

    def name(self) -> str:
        """The database's."""
        with self.connection.cursor() as cursor:
            cursor.execute("select current_database()")
            row = cursor.fetchone()
            assert row is not None
            return str(row[0])
