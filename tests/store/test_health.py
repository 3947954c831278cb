"""Whether the database can be worked with."""

from types import SimpleNamespace
from typing import Any

from twisted.internet import reactor

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.store import service
from contentsvc.store.schema_definition import names
from tests.support import postgres
from tests.support.databases import POOL, StoreCase


class HealthTests(StoreCase):
    alone = True

    async def test_current(self) -> None:
        """It is well when every upgrade of this version has been applied."""
        self.assertTrue(await service.ping(self.db))

    async def test_behind(self) -> None:
        """It is not when one is missing."""
        self.sql("delete from schema_upgrades where name = %s", names()[-1])
        self.addCleanup(self.sql, "insert into schema_upgrades (name) values (%s)", names()[-1])
        self.assertFalse(await service.ping(self.db))

    async def test_ahead(self) -> None:
        """Those of a later version do not matter."""
        self.sql("insert into schema_upgrades (name) values ('9999')")
        self.addCleanup(self.sql, "delete from schema_upgrades where name = '9999'")
        self.assertTrue(await service.ping(self.db))

    async def test_away(self) -> None:
        """A database that does not answer is Unavailable."""
        pool = await self.pool()
        pool.stop()
        with self.assertRaises(Unavailable):
            await service.ping(pool)

    async def test_stalled(self) -> None:
        """A pool that has given nothing back for long is asked whether it does now."""
        pool = await self.pool()
        stalled: Any = SimpleNamespace(stalled=True, run=pool.run)
        for each in (pool, stalled):
            self.assertTrue(await service.answers(each))
        pool.stop()
        self.assertTrue(await service.answers(pool))
        with self.assertRaises(Unavailable):
            await service.answers(stalled)

    async def test_empty(self) -> None:
        """A database without the schema is not well."""
        url = postgres.database(self.server())
        self.addCleanup(postgres.drop, url)
        pool = Database(reactor, url, **POOL)
        self.addCleanup(pool.stop)
        await pool.start()
        with self.assertRaises(Exception) as caught:
            await service.ping(pool)
        self.assertIn("does not exist", str(caught.exception))
