"""Whether the database can be worked with."""

from types import SimpleNamespace
from typing import Any

from twisted.internet import reactor

from contentsvc.db.database import Database
from contentsvc.db.errors import Unavailable
from contentsvc.store import health
from contentsvc.store.migrate import names
from tests.support import postgres
from tests.support.databases import POOL, StoreCase


class HealthTests(StoreCase):
    async def test_current(self) -> None:
        """It is well when every migration of this version has been applied."""
        self.assertTrue(await health.ping(self.db))

    async def test_behind(self) -> None:
        """It is not when one is missing."""
        mark = "delete from _yoyo_migrations where migration_id = %s returning migration_hash"
        ((mark_hash,),) = self.sql(mark, names()[-1])
        self.addCleanup(
            self.sql,
            "insert into _yoyo_migrations (migration_hash, migration_id) values (%s, %s)",
            mark_hash,
            names()[-1],
        )
        self.assertFalse(await health.ping(self.db))

    async def test_ahead(self) -> None:
        """Those of a later version do not matter."""
        self.sql("insert into _yoyo_migrations (migration_hash, migration_id) values ('x', '9999')")
        self.addCleanup(self.sql, "delete from _yoyo_migrations where migration_id = '9999'")
        self.assertTrue(await health.ping(self.db))

    async def test_away(self) -> None:
        """A database that does not answer is Unavailable."""
        self.db.stop()
        with self.assertRaises(Unavailable):
            await health.ping(self.db)

    async def test_stalled(self) -> None:
        """A pool that has given nothing back for long is asked whether it does now."""
        stalled: Any = SimpleNamespace(stalled=True, run=self.db.run)
        for pool in (self.db, stalled):
            self.assertTrue(await health.answers(pool))
        self.db.stop()
        self.assertTrue(await health.answers(self.db))
        with self.assertRaises(Unavailable):
            await health.answers(stalled)

    async def test_empty(self) -> None:
        """A database without the schema is not well."""
        url = postgres.database(self.server())
        self.addCleanup(postgres.drop, url)
        pool = Database(reactor, url, **POOL)
        self.addCleanup(pool.stop)
        await pool.start()
        with self.assertRaises(Exception) as caught:
            await health.ping(pool)
        self.assertIn("does not exist", str(caught.exception))
