"""pgbouncer between the service and Postgres."""

from contextlib import ExitStack, closing

import psycopg2
from twisted.internet import reactor

from contentsvc.framework.db.connection import connect, execute
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.pooler_check import PoolerError
from contentsvc.store import service
from contentsvc.store.migrate import migrate
from tests.support import pgbouncer
from tests.support.databases import POOL, StoreCase


class SessionTests(StoreCase):
    """In session mode all is as without it."""

    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.pooled = pgbouncer.through(self, self.url, "session")

    async def test_migrate(self) -> None:
        """The schema can be looked at and brought up to date."""
        self.assertEqual(migrate(self.pooled), [])

    async def test_pool(self) -> None:
        """A pool works, with its time-outs and its prepared statements."""
        pool = Database(reactor, self.pooled, **POOL | {"size": 2})
        self.addCleanup(pool.stop)
        await pool.start()
        for _ in range(3):
            self.assertTrue(await service.ping(pool))

    async def test_settings(self) -> None:
        """The time-outs are in force before anything else runs."""
        connection = await connect(reactor, self.pooled, timeout=5, statement_timeout=3)
        self.addCleanup(connection.abandon)
        names = "statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "jit"
        for name, expected in zip(names, ("3s", "1500ms", "3s", "off"), strict=True):
            cursor = await execute(connection, f"show {name}")
            self.assertEqual(cursor.fetchall(), [(expected,)])


class RefusedTests(StoreCase):
    """Other modes end the start with a reason."""

    alone = True

    def refused(self, mode: str, busy: int = 0, **options: bool) -> None:
        """Assert that it is, where so many sessions are idle in the pooler."""
        pooled = pgbouncer.through(self, self.url, mode, **options)
        with ExitStack() as held:
            for _ in range(busy):
                other = held.enter_context(closing(psycopg2.connect(pooled)))
                other.cursor().execute("select 1")
        self.assertIn("session mode", str(self.assertRaises(PoolerError, migrate, pooled)))

    async def test_transaction(self) -> None:
        """Transaction mode is refused, however many sessions there are to choose from."""
        for busy in (0, 1, 2, 5):
            self.refused("transaction", busy)

    async def test_round_robin(self) -> None:
        """Also where each transaction is given the session that was idle for the longest time."""
        for busy in (0, 1, 2, 5):
            self.refused("transaction", busy, round_robin=True)

    async def test_one(self) -> None:
        """Also where there is only one."""
        pooled = pgbouncer.through(self, self.url, "transaction", size=1)
        self.assertRaises(PoolerError, migrate, pooled)

    async def test_statement(self) -> None:
        """So is statement mode."""
        self.refused("statement")

    async def test_full(self) -> None:
        """A pooler that has no second session to give is not taken for one of those."""
        pooled = pgbouncer.through(self, self.url, "session", size=1)
        error = self.assertRaises(psycopg2.OperationalError, migrate, pooled, patience=0.3)
        self.assertIn("second connection", str(error))

    async def test_few(self) -> None:
        """One that has two is good enough."""
        pooled = pgbouncer.through(self, self.url, "session", size=2)
        self.assertEqual(migrate(pooled, patience=0.3), [])
