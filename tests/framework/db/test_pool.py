"""The pool's bounds, and what a lost database means."""

import socket
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.internet.threads import deferToThread

from contentsvc.framework.db.connection import Connection, connect
from contentsvc.framework.db.database import AGAIN, CHECK, Database
from contentsvc.framework.db.errors import Refused, Unavailable
from tests.framework.db.things import PoolCase
from tests.support.databases import POOL
from tests.support.deferreds import together


def _answer_once(listening: socket.socket, said: bytes) -> None:
    accepted, _ = listening.accept()
    with accepted:
        accepted.recv(4096)
        accepted.sendall(said)


class BoundTests(PoolCase):
    """How many connections there are, and who waits for one."""

    async def test_as_needed(self) -> None:
        """Connections are opened as they are needed, and kept."""
        pool = await self.pool(size=5)
        before = len(self.backends())
        await together(self.sleep(pool, 0), self.sleep(pool, 0))
        self.assertEqual(len(self.backends()), before + 1)
        await together(self.sleep(pool, 0), self.sleep(pool, 0))
        self.assertEqual(len(self.backends()), before + 1)

    async def test_size(self) -> None:
        """There are at most `size` of them, and everybody has a turn."""
        pool = await self.pool(size=2)
        before = len(self.backends()) - 1
        await self.fill(pool, 25)
        self.assertEqual(len(self.backends()), before + 2)

    async def test_order(self) -> None:
        """The first to come is served first."""
        pool = await self.pool(size=1)
        order: list[int] = []

        async def act(n: int) -> None:
            await self.put(pool, n)
            order.append(n)

        await together(*(act(n) for n in range(10)))
        self.assertEqual(order, list(range(10)))

    async def test_wait(self) -> None:
        """A waiter who has waited too long is told that all are busy, and the pool goes on."""
        clock = Clock()
        pool = await self.pool(size=1, wait=CHECK / 2, clock=clock)
        async with pool.transaction() as tx:
            await self.put(tx, 1)
            late = Deferred.fromCoroutine(self.put(pool, 2))
            clock.advance(CHECK)
            self.assertIn("busy", str(await self.fails(Unavailable, late)))
            waits = Deferred.fromCoroutine(self.put(pool, 3))
        await waits
        await self.put(pool, 4)
        self.assertEqual(await self.stored(), [1, 3, 4])

    async def test_fewer(self) -> None:
        """Where the server takes fewer connections than the pool may have, those serve everybody;
        when it takes more, there are more."""
        name, role = self.url.rpartition("/")[2].partition("?")[0], f"few_{id(self)}"
        self.sql(f"create role {role} login superuser connection limit -1")
        self.addCleanup(self.sql, f"drop role {role}")
        self.sql(f"alter database {name} connection limit 3; alter role {role} nosuperuser")
        self.addCleanup(self.sql, f"alter database {name} connection limit -1")
        url, clock = self.url.replace("postgres@", f"{role}@"), Clock()
        pool = Database(reactor, url, clock=clock, **POOL)
        self.addCleanup(pool.stop)
        await pool.start()
        await together(*(self.sleep(pool, 0.01) for _ in range(40)))
        self.assertLess(pool.opened, 4)
        self.sql(f"alter database {name} connection limit -1")
        clock.pump([CHECK] * round(AGAIN / CHECK + 1))
        await self.fill(pool, 40)
        self.assertEqual(pool.opened, 8)

    async def test_stalled(self) -> None:
        """A pool that gets no connection back for 5 s, while somebody waits, is stalled."""
        clock = Clock()
        pool = await self.pool(size=2, wait=CHECK / 2, clock=clock)
        clock.advance(CHECK)
        running = Deferred.fromCoroutine(self.sleep(pool, 0.2))
        for n in range(25):
            self.assertEqual(pool.stalled, n > 19, n)
            waiting = Deferred.fromCoroutine(self.sleep(pool, 0))
            clock.advance(CHECK)
            await self.fails(Unavailable, waiting)
        await running
        clock.advance(CHECK)
        self.assertFalse(pool.stalled)

    async def test_stalled_without_more(self) -> None:
        """So is one that asks the server for more connections meanwhile, and gets none."""
        clock, full = Clock(), False

        async def opener(*args: Any, **options: Any) -> Connection:
            if full:
                raise Unavailable("too many connections", "pool")
            return await connect(*args, **options)

        pool = await self.pool(size=4, wait=CHECK / 2, clock=clock, opener=opener)
        full = True
        running = Deferred.fromCoroutine(self.sleep(pool, 0.2))
        for _ in range(6):
            waiting = Deferred.fromCoroutine(self.put(pool, 1))
            # Afterwards it may ask again.
            clock.pump([CHECK] * round(AGAIN / CHECK + 1))
            await self.fails(Unavailable, waiting)
        self.assertTrue(pool.stalled)
        await running

    async def test_failures(self) -> None:
        """Statements that fail give their connections back."""
        pool = await self.pool(size=2)
        await self.put(pool, 1)
        for _ in range(10):
            await self.fails(Refused, self.put(pool, 1))
        await together(*(self.put(pool, n) for n in range(2, 6)))

    async def test_stop(self) -> None:
        """A pool that has stopped ends what runs and what waits, and takes no more."""
        pool = await self.pool(size=1)
        await self.backend(pool)
        running = Deferred.fromCoroutine(self.sleep(pool, 60))
        waiting = Deferred.fromCoroutine(self.put(pool, 1))
        pool.stop()
        for act in (running, waiting, self.put(pool, 2)):
            await self.fails(Unavailable, act)

    async def test_stop_while_connecting(self) -> None:
        """One that stops while it opens a connection does not keep that."""
        pool = Database(reactor, self.url, **POOL)
        before = self.backends()
        opening = Deferred.fromCoroutine(self.put(pool, 1))
        pool.stop()
        await self.fails(Unavailable, opening)
        await self.until(lambda: self.backends() == before)

    async def test_no_reader_left(self) -> None:
        """After its stop the reactor has nothing of it to watch."""
        before = await self.readers()
        pool = await self.pool(size=4)
        await self.fill(pool)
        self.assertEqual(len((await self.readers()) - before), 4)
        pool.stop()
        self.assertEqual(await self.readers(), before)


class LossTests(PoolCase):
    """Connections that the server ends."""

    async def setUp(self) -> None:
        await super().setUp()
        self.db.stop()
        await self.until(lambda: not self.backends())
        self.before = await self.readers()
        self.db = await self.pool(size=3)

    async def recovered(self) -> None:
        """Assert that the pool is as good as new, and that nothing is left of the old one."""
        await self.until(lambda: len(self.backends()) <= self.db.opened)
        await self.fill(self.db)
        self.assertEqual(len(self.backends()), 3)
        self.assertEqual(len((await self.readers()) - self.before), 3)
        self.db.stop()
        await self.until(lambda: not self.backends())
        self.assertEqual(await self.readers(), self.before)

    async def test_idle(self) -> None:
        """One that was idle is noticed, and the next call has a new one."""
        await self.fill(self.db)
        self.terminate()
        await self.until(lambda: not self.db.opened)
        await self.put(self.db, 1)
        await self.recovered()

    async def test_idle_not_noticed(self) -> None:
        """One whose end was not noticed yet is Unavailable, once each."""
        await self.fill(self.db)
        self.terminate()
        failed = 0
        while not await self.stored():
            try:
                await self.put(self.db, 1)
            except Unavailable:
                failed += 1
        self.assertLessEqual(failed, 3)
        await self.recovered()

    async def test_running(self) -> None:
        """A statement whose connection ends is Unavailable, and the next call works."""
        running = Deferred.fromCoroutine(self.sleep(self.db, 60))
        await self.until(
            lambda: bool(
                self.sql(
                    "select pid from pg_stat_activity where wait_event = 'PgSleep'"
                    " and datname = current_database()"
                )
            )
        )
        self.terminate()
        await self.fails(Unavailable, running)
        await self.put(self.db, 1)
        await self.recovered()

    async def transaction(self, when: str) -> None:
        """A transaction whose connection ends before the second statement, or before COMMIT."""
        async with self.db.transaction() as tx:
            tx.after_commit(lambda: self.fail("this has not committed"))
            await self.put(tx, 1)
            self.terminate()
            if when == "noticed":
                await self.until(lambda: not self.db.opened)
            if when != "commit":
                await self.put(tx, 2)

    async def test_transaction(self) -> None:
        """So is a transaction, noticed or not, and nothing of it is there."""
        for when in ("statement", "noticed", "commit"):
            await self.fails(Unavailable, self.transaction(when))
            self.assertEqual(await self.stored(), [])
        await self.recovered()

    async def test_error_inside(self) -> None:
        """A block that raises for another reason, with its connection gone, raises that."""

        async def act() -> None:
            async with self.db.transaction() as tx:
                await self.put(tx, 1)
                self.terminate()
                raise KeyError("x")

        await self.fails(KeyError, act())
        await self.recovered()

    async def test_waiting(self) -> None:
        """A waiter gets a connection that takes the place of one that ended."""
        pool = await self.pool(size=1, wait=60)
        self.db.stop()

        async def act() -> None:
            async with pool.transaction() as tx:
                await self.put(tx, 1)
                waits.extend(Deferred.fromCoroutine(self.put(pool, n)) for n in (2, 3))
                self.terminate()
                await self.put(tx, 4)

        waits: list[Deferred[None]] = []
        await self.fails(Unavailable, act())
        for each in waits:
            await each
        self.assertEqual(await self.stored(), [2, 3])
        pool.stop()

    async def test_under_load(self) -> None:
        """Killed again and again amid many calls, the pool neither hangs nor leaks."""
        done: list[bool] = []

        async def act() -> None:
            try:
                await self.sleep(self.db, 0.002)
                done.append(True)
            except Unavailable:
                done.append(False)

        for _ in range(5):
            acts = [Deferred.fromCoroutine(act()) for _ in range(30)]
            await self.until(lambda: done.count(True) % 30 > 5)
            self.terminate()
            for each in acts:
                await each
        self.assertEqual(len(done), 150)
        await self.recovered()


class ServerTests(PoolCase):
    """Servers that are no such thing."""

    async def refused(self, dsn: str, **options: Any) -> str:
        """The one line with which a pool on this server does not start."""
        before = (await self.readers()) | set(reactor.getWriters())
        pool = Database(reactor, dsn, **POOL | options)
        error = str(await self.fails(Unavailable, pool.start()))
        self.assertEqual((await self.readers()) | set(reactor.getWriters()), before)
        self.assertEqual(len(error.splitlines()), 1)
        return error

    def listener(self) -> tuple[socket.socket, str]:
        """A listening socket, and a DSN that leads there."""
        listening = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listening.close)
        dsn = f"host=127.0.0.1 port={listening.getsockname()[1]} user=u dbname=d sslmode=disable"
        return listening, dsn

    async def test_nothing_there(self) -> None:
        """Where nobody listens, the reason says so."""
        listening, dsn = self.listener()
        listening.close()
        self.assertIn("refused", (await self.refused(dsn)).lower())
        self.assertIn("No such file", await self.refused("host=/nowhere user=u dbname=d"))

    async def test_no_database(self) -> None:
        """A database that is not there is named."""
        name = self.url.rpartition("/")[2].partition("?")[0]
        self.assertIn("nosuch", await self.refused(self.url.replace(name, "nosuch")))

    async def test_silence(self) -> None:
        """A server that accepts and never answers is given up, and its connection closed."""
        listening, dsn = self.listener()
        await self.refused(dsn, connect_timeout=0.05)
        accepted, _ = listening.accept()
        with accepted:
            accepted.settimeout(10)
            while accepted.recv(4096):
                pass

    async def test_hang_up(self) -> None:
        """So is one that hangs up, or speaks another protocol."""
        for said in (b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0" * 100):
            listening, dsn = self.listener()
            answered = deferToThread(_answer_once, listening, said)
            await self.refused(dsn)
            await answered

    async def test_waiters(self) -> None:
        """A waiter is told when no connection can be opened."""
        _, dsn = self.listener()
        limits = POOL | {"size": 1, "wait": 3600, "connect_timeout": 0.05}
        pool = Database(reactor, dsn, **limits)
        self.addCleanup(pool.stop)
        acts = [Deferred.fromCoroutine(self.put(pool, n)) for n in range(3)]
        for act in acts:
            await self.fails(Unavailable, act)

    async def test_one_connection(self) -> None:
        """`connect` alone gives a connection that says once when it is lost."""
        connection = await connect(reactor, self.url, timeout=5, statement_timeout=5)
        lost: list[bool] = []
        connection.lost = lambda: lost.append(connection.broken)
        self.terminate()
        await self.until(lambda: bool(lost))
        connection.abandon()
        self.assertEqual(lost, [True])
