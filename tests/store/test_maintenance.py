"""The row that closes the service, and how the watch over the schema reads it."""

from contextlib import closing
from typing import Any

import psycopg2
from msgspec import json

from contentsvc.store import service
from tests.support.databases import StoreCase

FAR = 4_000_000_000


class MaintenanceTests(StoreCase):
    anew = True  # There is one row for the whole service.

    def now(self) -> Any:
        """What a process hears."""
        ((text,),) = self.sql("select maintenance_now()")
        return text and json.decode(text)

    async def test_open(self) -> None:
        """Without a row the service is open."""
        self.assertEqual((self.now(), await service.present(self.db)), ({}, None))

    async def test_on(self) -> None:
        """What is said arrives as it was said."""
        self.assertTrue(await service.turn_on(self.db, FAR, "Wir\n'bauen' \u202e", True))
        said = self.now()
        self.assertGreater(said.pop("left"), 10**9)
        self.sql("update maintenance set started = now() - interval '1 h'")
        self.assertGreaterEqual(self.now()["age"], 3600)
        del said["age"]
        self.assertEqual(said, {"message": "Wir\n'bauen' \u202e", "until": FAR, "reads": True})
        found = await service.present(self.db)
        assert found is not None
        self.assertEqual((found.until, found.reads), (FAR, True))

    async def test_again(self) -> None:
        """A second time changes what is said, and not since when it is closed."""
        await service.turn_on(self.db, FAR, "one", True)
        self.sql("update maintenance set started = to_timestamp(1000)")
        self.assertTrue(await service.turn_on(self.db, None, None, False))
        found = await service.present(self.db)
        self.assertEqual(found, service.Maintenance(1000, None, None, False))
        self.assertEqual(self.now()["left"], None)

    async def test_off(self) -> None:
        """Opening says whether it was closed."""
        await service.turn_on(self.db, None, None, False)
        self.assertTrue(await service.turn_off(self.db))
        self.assertFalse(await service.turn_off(self.db))
        self.assertEqual(self.now(), {})

    async def test_passed(self) -> None:
        """It ends by itself, and then neither counts as closed nor as the beginning of the next."""
        await service.turn_on(self.db, FAR, None, False)
        self.sql(
            "update maintenance set until = now() - interval '1 s',"
            " started = now() - interval '1 h'"
        )
        self.assertEqual((self.now(), await service.present(self.db)), ({}, None))
        self.assertFalse(await service.turn_off(self.db))
        self.assertFalse(await service.turn_on(self.db, 1000, None, False))
        await service.turn_on(self.db, FAR, None, False)
        self.assertEqual(
            self.sql("select started > now() - interval '1 min' from maintenance"), [(True,)]
        )

    def test_locks(self) -> None:
        """Who asks in a transaction that goes on is in nobody's way, waits for nobody, and goes
        on."""
        with closing(psycopg2.connect(self.url)) as watch, watch.cursor() as cursor:
            ask = "select maintenance_now()"
            cursor.execute(ask)
            self.assertEqual(cursor.fetchone(), ("{}",))
            with closing(psycopg2.connect(self.url)) as other:
                other.cursor().execute("lock table maintenance in access exclusive mode nowait")
                cursor.execute(ask)
                self.assertEqual(cursor.fetchone(), (None,))
                other.rollback()
            cursor.execute(ask)
            self.assertEqual(cursor.fetchone(), ("{}",))
