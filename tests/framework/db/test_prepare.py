"""A statement is prepared when a connection first runs it."""

from contextlib import closing
from typing import Any

import psycopg2
from twisted.internet.defer import Deferred

from contentsvc.framework.db.connection import Connection, connect
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Refused
from contentsvc.framework.db.query import Db
from tests.framework.db.things import PoolCase, bare

PREPARED = "select name from pg_prepared_statements order by name"


class PrepareTests(PoolCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.sent: list[str] = []
        self.only = await self.pool(size=1, opener=self.opener)

    async def opener(self, *args: Any, **options: Any) -> Connection:
        """A connection that tells what is sent on it."""
        connection = await connect(*args, **options)
        send = connection.statement

        def statement(sql: str, args: Any) -> Deferred[Any]:
            self.sent.append(sql)
            return send(sql, args)

        connection.statement = statement  # type: ignore[method-assign]
        return connection

    async def prepared(self, db: Db) -> list[str]:
        """The names of what the connection has prepared."""
        return [row[0] for row in await db.run(bare(PREPARED), ())]

    async def test_first(self) -> None:
        """It is prepared in the same message, and then only run."""
        await self.ids(self.only)
        await self.ids(self.only)
        run = "EXECUTE things_ids"
        self.assertEqual(
            self.sent, [f"PREPARE things_ids AS select id from things order by id;{run}", run]
        )

    async def test_nothing_else(self) -> None:
        """A connection has prepared only the statements that it has run."""
        await self.ids(self.only)
        self.assertEqual(await self.prepared(self.only), ["things_ids"])

    async def test_percent(self) -> None:
        """A percent sign is one, with arguments and without."""

        @self.declared.one("select 7 % 4, 'a%s' like '%' where :a::int = 1")
        async def with_one(db: Db, a: int) -> int: ...

        @self.declared.many("select 7 % 4")
        async def without(db: Db) -> list[int]: ...

        for _ in range(2):
            self.assertEqual(await with_one(self.only, 1), 3)
            self.assertEqual(await without(self.only), [3])

    async def test_rollback(self) -> None:
        """It stays prepared where the transaction that ran it first is rolled back."""

        async def act() -> None:
            async with self.only.transaction() as tx:
                await self.put(tx, 1)
                raise KeyError("x")

        await self.fails(KeyError, act())
        await self.put(self.only, 1)
        self.assertEqual(self.sent[-1], "EXECUTE things_insert(%s, %s, %s, %s)")

    async def test_refused(self) -> None:
        """It is not prepared again where the first run failed after that."""
        await self.put(self.db, 1)
        for _ in range(3):
            await self.fails(Refused, self.put(self.only, 1))
        await self.put(self.only, 2)
        await self.put(self.only, 3)
        self.assertEqual(await self.prepared(self.only), ["things_insert"])
        self.assertEqual(self.sent[-2], "EXECUTE things_insert(%s, %s, %s, %s)")

    async def test_refused_in_transaction(self) -> None:
        """The same where that was in a transaction, and where it is needed in the next."""
        await self.put(self.db, 1)

        async def act(id: int) -> None:
            async with self.only.transaction() as tx:
                await self.ids(tx)
                await self.put(tx, id)

        await self.fails(Refused, act(1))
        await act(2)
        self.assertEqual(await self.stored(), [1, 2])

    async def test_cannot_be_prepared(self) -> None:
        """A statement that cannot be prepared fails and harms no other. It is tried again each
        time."""

        @self.declared.many("select id from not_yet")
        async def early(db: Db) -> list[int]: ...

        backend = await self.backend(self.only)
        for _ in range(2):
            await self.fails(psycopg2.ProgrammingError, early(self.only))
        await self.put(self.only, 1)
        self.sql("create table not_yet (id integer)")
        self.addCleanup(self.sql, "drop table not_yet")
        self.assertEqual(await early(self.only), [])
        self.assertEqual(await self.backend(self.only), backend)

    async def test_not_sent(self) -> None:
        """An argument that cannot be sent leaves it unprepared."""
        await self.fails(Exception, self.uuid(self.only, "\0"))
        zeros = "00000000-0000-0000-0000-000000000000"
        self.assertEqual(await self.uuid(self.only, zeros), zeros)


class LockTests(PoolCase):
    """A lock on one table, held by somebody else."""

    async def setUp(self) -> None:
        await super().setUp()
        self.sql("create table if not exists others (id integer)")

        @self.declared.many("select id from others", lane="others")
        async def of_others(db: Db) -> list[int]: ...

        self.of_others = of_others

    def locked(self) -> Any:
        """A connection that keeps everybody from `others` until it is closed."""
        connection = psycopg2.connect(self.url)
        connection.cursor().execute("lock table others in access exclusive mode")
        return closing(connection)

    async def test_start(self) -> None:
        """A pool starts, grows, and serves all that has nothing to do with it."""
        with self.locked():
            pool = await self.pool_beside()
            await self.fill(pool)
            self.assertEqual(await self.ids(pool), [])

    async def pool_beside(self, **options: Any) -> Database:
        """A pool that is started without a look at the tables."""
        return await super(PoolCase, self).pool(**options)

    async def test_readers(self) -> None:
        """Those who ask for more of that table than there are connections leave some."""
        with self.locked():
            pool = await self.pool_beside(size=4)
            stuck = [Deferred.fromCoroutine(self.of_others(pool)) for _ in range(12)]
            for _ in range(20):
                self.assertEqual(await self.ids(pool), [])
            self.assertFalse(any(each.called for each in stuck))
        for each in stuck:
            self.assertEqual(await each, [])
