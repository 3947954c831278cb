"""The signs of a restore, while somebody holds or waits for the marks of the schema."""

from contextlib import closing
from typing import Any

import psycopg2
from twisted.internet import reactor
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread

from contentsvc.store import service
from tests.support.databases import StoreCase

WAITING = (
    "select 1 from pg_locks l join pg_database d on d.oid = l.database"
    " where not granted and datname = current_database()"
)


class SignTests(StoreCase):
    anew = True  # The locks would be in the way of the others.

    def holding(self, mode: str) -> Any:
        """A connection that holds a lock on the marks."""
        connection = psycopg2.connect(self.url)
        self.addCleanup(connection.close)
        connection.cursor().execute(f"lock table schema_marks in {mode} mode")
        return connection

    async def waits(self) -> bool:
        return (await service.signs(self.db)).waits

    async def test_processes(self) -> None:
        """The locks of the processes are no sign."""
        self.holding("access share")
        self.assertEqual(await service.signs(self.db), (False, "{}"))

    async def test_held(self) -> None:
        """A restore under way is one, and its end ends it."""
        restore = self.holding("access exclusive")
        self.assertTrue(await self.waits())
        restore.rollback()
        self.assertFalse(await self.waits())

    async def test_waiting(self) -> None:
        """Who waits for the processes to give their locks up is one."""
        watch = self.holding("access share")
        with closing(psycopg2.connect(self.url)) as restore:
            waiting = deferToThread(restore.cursor().execute, "lock table schema_marks")
            while not self.sql(WAITING):
                await deferLater(reactor, 0)  # type: ignore[arg-type]
            self.assertTrue(await self.waits())
            watch.rollback()
            await waiting
            self.assertTrue(await self.waits())

    async def test_no_lock_left(self) -> None:
        """Whoever looks keeps no lock."""
        await self.waits()
        self.sql("set lock_timeout = '1ms'; begin; lock table schema_marks; commit")


class ReplacedTests(StoreCase):
    """A table that another takes the place of."""

    own = True

    async def test_marked(self) -> None:
        """The tables fit the marks until one is replaced."""
        self.assertTrue(await service.marked(self.db))
        self.sql("drop table documents cascade")
        self.sql("create table documents (words text)")
        self.assertFalse(await service.marked(self.db))
