"""Transactions, errors and settings of the pool on a real server."""

from typing import Any, NamedTuple

import psycopg2
from twisted.internet import reactor
from twisted.internet.defer import Deferred

from contentsvc.framework.core.request_timing import CURRENT, RequestTiming
from contentsvc.framework.db.connection_bulkhead import SEARCHES
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import BadValue, Refused, Unavailable
from contentsvc.framework.db.query import Db, Statements
from contentsvc.framework.db.statement import Statement
from tests.framework.db.things import PoolCase, bare
from tests.support.databases import POOL
from tests.support.deferreds import together


class Client(NamedTuple):
    """A request, as far as its client is concerned."""

    network: str


class TransactionTests(PoolCase):
    """Commits, roll-backs and callbacks."""

    async def test_statement(self) -> None:
        """A statement on the pool commits by itself, and after_commit calls at once."""
        await self.put(self.db, 1)
        self.assertEqual(await self.stored(), [1])
        called: list[int] = []
        self.db.after_commit(lambda: called.append(1))
        self.assertEqual(called, [1])

    async def test_commit(self) -> None:
        """All of a transaction is there at the end of its block, and nothing before."""
        async with self.db.transaction() as tx:
            await self.put(tx, 1)
            await self.put(tx, 2)
            self.assertEqual(await self.ids(tx), [1, 2])
            self.assertEqual(await self.stored(), [])
        self.assertEqual(await self.stored(), [1, 2])

    async def test_rollback(self) -> None:
        """Nothing of it is there when the block raises, and that goes on."""

        async def act() -> None:
            async with self.db.transaction() as tx:
                await self.put(tx, 1)
                raise KeyError("x")

        await self.fails(KeyError, act())
        self.assertEqual(await self.stored(), [])

    async def test_failed_statement(self) -> None:
        """A statement that fails takes with it what went before, and the connection is good."""
        pool = await self.pool(size=1)

        async def act() -> None:
            async with pool.transaction() as tx:
                await self.put(tx, 1)
                await self.put(tx, 1)

        await self.fails(Refused, act())
        self.assertEqual(await self.stored(), [])
        await self.put(pool, 2)
        self.assertEqual(await self.stored(), [2])

    async def test_failed_first_statement(self) -> None:
        """The same where it is the first, which BEGIN travels with."""
        pool = await self.pool(size=1)

        async def act() -> None:
            async with pool.transaction() as tx:
                await self.put(tx, 1, size=0)

        await self.fails(Refused, act())
        await self.put(pool, 2)
        self.assertEqual(await self.stored(), [2])

    async def test_bad_argument(self) -> None:
        """An argument that cannot be sent ends the transaction well, too."""
        pool = await self.pool(size=1)

        async def act() -> None:
            async with pool.transaction() as tx:
                await self.put(tx, 1)
                await self.uuid(tx, "\0")

        await self.fails(BadValue, act())
        await self.put(pool, 2)
        self.assertEqual(await self.stored(), [2])

    async def test_swallowed_error(self) -> None:
        """A block that goes on after an error inside it has not committed: that is an error."""
        called: list[int] = []

        async def act() -> None:
            async with self.db.transaction() as tx:
                tx.after_commit(lambda: called.append(1))
                await self.put(tx, 1)
                await self.fails(Refused, self.put(tx, 1))

        await self.fails(RuntimeError, act())
        self.assertEqual((await self.stored(), called), ([], []))

    async def test_nothing(self) -> None:
        """A block without a statement sends nothing, and still calls back."""
        called: list[int] = []
        async with self.db.transaction() as tx:
            tx.after_commit(lambda: called.append(1))
        self.assertEqual(called, [1])

    async def test_after_commit(self) -> None:
        """The callbacks after a commit are called then, in their order."""
        seen: list[object] = []
        async with self.db.transaction() as tx:
            await self.put(tx, 1)
            tx.after_commit(lambda: seen.extend(self.sql("select id from things")))
            tx.after_commit(lambda: seen.append("second"))
            self.assertEqual(seen, [])
        self.assertEqual(seen, [(1,), "second"])

    async def test_after_rollback(self) -> None:
        """It is not called for what was rolled back, be it by COMMIT itself."""
        called: list[int] = []

        async def act() -> None:
            async with self.db.transaction() as tx:
                tx.after_commit(lambda: called.append(1))
                await self.put(tx, 1, late=7)
                await self.put(tx, 2, late=7)

        refused = await self.fails(Refused, act())
        self.assertEqual(str(refused), "things_late")
        self.assertEqual((await self.stored(), called), ([], []))

    async def test_bad_callback(self) -> None:
        """One that raises is logged; the others are called, and the commit stands."""
        called: list[int] = []
        async with self.db.transaction() as tx:
            await self.put(tx, 1)
            tx.after_commit(lambda: called.append(1 // 0))
            tx.after_commit(lambda: called.append(2))
        self.assertEqual((await self.stored(), called), ([1], [2]))
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)

    async def test_callback_with_the_pool(self) -> None:
        """The connection is back in the pool by then."""
        pool = await self.pool(size=1)
        found: list[Deferred[Any]] = []
        async with pool.transaction() as tx:
            await self.put(tx, 1)
            tx.after_commit(lambda: found.append(Deferred.fromCoroutine(self.ids(pool))))
        self.assertEqual(await found[0], [1])


class ErrorTests(PoolCase):
    """The meaning of the server's errors."""

    async def test_constraints(self) -> None:
        """A constraint that refuses is named."""
        await self.put(self.db, 1)
        for name, fields in (
            ("things_key", {}),
            ("things_parent", {"id": 2, "parent": 9}),
            ("things_size_check", {"id": 2, "size": 0}),
            ("things_late", {"id": 2, "late": 5}),
        ):
            await self.put(self.db, 7, late=5) if name == "things_late" else None
            arguments: dict[str, Any] = {"id": 1, **fields}
            refused = await self.fails(Refused, self.put(self.db, **arguments))
            self.assertEqual(str(refused), name)

    async def test_not_null(self) -> None:
        """A column that must not be null has no name to give."""
        self.assertEqual(str(await self.fails(Refused, self.put(self.db, 1, size=None))), "")

    async def test_bad_value(self) -> None:
        """A value that the type does not take is a BadValue, and the connection is good."""
        pool = await self.pool(size=1)
        for bad in ("x", "", "{", "\0", "\ud800"):
            await self.fails(BadValue, self.uuid(pool, bad))
        await self.fails(BadValue, self.put(pool, 2**31))
        await self.put(pool, 1)

    async def test_statement_timeout(self) -> None:
        """A statement that takes too long is Unavailable, and the connection is good."""
        pool = await self.pool(size=1, statement_timeout=0.5)
        backend = await self.backend(pool)
        error = await self.fails(Unavailable, self.sleep(pool, 60))
        self.assertEqual(error.cause, "time-out")
        self.assertEqual(await self.backend(pool), backend)

    async def test_seconds(self) -> None:
        """A statement that has a limit of its own ends by it, and those after it have the pool's
        again."""
        declared = Statements()

        @declared.one(
            "select current_setting('statement_timeout') as shown, pg_sleep(:rest)::text as slept",
            seconds=0.2,
        )
        async def limited(db: Db, rest: float) -> str: ...

        for limit, shown in ((15.0, "200ms"), (0.1, "100ms")):
            pool = await self.pool(size=1, statement_timeout=limit)
            for _ in range(2):
                self.assertEqual(await limited(pool, 0), shown)
                error = await self.fails(Unavailable, limited(pool, 60))
                self.assertEqual(error.cause, "time-out")
            (row,) = await pool.run(bare("show statement_timeout"), ())
            self.assertIn(row[0], ("15s", "100ms"))

    async def test_searches_take_turns(self) -> None:
        """Searches of several clients take turns: one that comes late does not wait behind all of
        another's."""
        pool, done = await self.pool(size=1), []
        statement = Statement("turn", "select", lane=SEARCHES)

        async def search(network: str) -> None:
            timing = RequestTiming()
            timing.owner = Client(network)
            CURRENT.set(timing)
            await pool.run(statement, ())
            done.append(network)

        await together(*(search("many") for _ in range(9)), search("one"))
        self.assertEqual(len(done), 10)
        self.assertLess(done.index("one"), 3)

    async def test_lock_timeout(self) -> None:
        """So is one that waits too long for a lock."""
        pool = await self.pool(statement_timeout=0.5)
        await self.put(self.db, 1)
        async with self.db.transaction() as tx:
            await self.lock(tx, 1)
            self.assertEqual((await self.fails(Unavailable, self.lock(pool, 1))).cause, "lock")

    async def test_short_of(self) -> None:
        """So is one that the server lacks something for, which is named."""
        self.sql("""
            create or replace function fails(state text, said text default 'no')
            returns void language plpgsql as $$
            begin raise exception using errcode = state, message = said; end $$
        """)
        pool = await self.pool(size=1)
        backend = await self.backend(pool)
        for state, cause in (("53100", "disk"), ("53200", "memory"), ("53300", "pool")):
            statement = bare(f"select fails('{state}')")
            error = await self.fails(Unavailable, pool.run(statement, ()))
            self.assertEqual(error.cause, cause)
        self.assertEqual(await self.backend(pool), backend)

        bad = bare("select fails('XX000', 'could not write: Disk quota exceeded')")
        self.assertEqual((await self.fails(Unavailable, pool.run(bad, ()))).cause, "disk")

    async def test_full_at_commit(self) -> None:
        """The same where COMMIT is the one that fails."""
        self.sql("""
            create or replace function full_disk() returns trigger language plpgsql as $$
            begin raise exception using errcode = '53100'; end $$;
            drop table if exists fulls;
            create table fulls (id integer);
            create constraint trigger full_disk after insert on fulls
            deferrable initially deferred for each row execute function full_disk()
        """)
        insert = bare("insert into fulls values (1)")

        async def act() -> None:
            async with self.db.transaction() as tx:
                await tx.run(insert, ())

        self.assertEqual((await self.fails(Unavailable, act())).cause, "disk")
        self.assertEqual(self.sql("select * from fulls"), [])

    async def test_deadlock(self) -> None:
        """Of two transactions that wait for each other, one is Unavailable, the other is well."""
        await self.put(self.db, 1)
        await self.put(self.db, 2)

        async def both(first: int, second: int, ready: Deferred[None], go: Deferred[None]) -> str:
            try:
                async with self.db.transaction() as tx:
                    await self.lock(tx, first)
                    ready.callback(None)
                    await go
                    await self.lock(tx, second)
                return "done"
            except Unavailable:
                return "unavailable"

        one_ready: Deferred[None] = Deferred()
        two_ready: Deferred[None] = Deferred()
        found = await together(both(1, 2, one_ready, two_ready), both(2, 1, two_ready, one_ready))
        self.assertEqual(sorted(found), ["done", "unavailable"])

    async def test_changed_plan(self) -> None:
        """A prepared statement whose columns DDL has changed works again on the next call."""

        @self.declared.many("select * from things")
        async def everything(db: Db) -> list[int]: ...

        pool = await self.pool(size=1)
        self.assertEqual(await everything(pool), [])
        self.sql("alter table things add column more integer")
        self.addCleanup(self.sql, "alter table things drop column more")
        await self.fails(Unavailable, everything(pool))
        self.assertEqual(await everything(pool), [])

    async def test_standby(self) -> None:
        """A server that takes no writes any more is Unavailable, until there is one that does."""
        name = self.url.rpartition("/")[2].partition("?")[0]
        self.sql(f"alter database {name} set default_transaction_read_only = on")
        try:
            pool = await self.pool_of_reader(name)
            await self.fails(Unavailable, self.put(pool, 1))
        finally:
            self.sql(f"set transaction_read_only = off; alter database {name} reset all")
        await self.put(pool, 1)

    async def pool_of_reader(self, name: str) -> Database:
        """A pool made without touching the table."""
        pool = Database(reactor, self.url, **POOL)
        await pool.start()
        self.addCleanup(pool.stop)
        return pool

    async def test_other_errors(self) -> None:
        """Any other error is itself: it is a mistake of ours, and the connection is good."""
        statement = bare("select nothing")
        pool = await self.pool(size=1)
        await self.fails(psycopg2.ProgrammingError, pool.run(statement, ()))
        await self.put(pool, 1)

    async def test_lost_statement(self) -> None:
        """A connection that has lost its prepared statements is replaced."""
        statement = bare("deallocate all")
        pool = await self.pool(size=1)
        await self.put(pool, 1)
        await pool.run(statement, ())
        await self.fails(Unavailable, self.put(pool, 2))
        await self.put(pool, 2)


class SettingTests(PoolCase):
    """The settings of each connection."""

    async def shown(self, url: str, name: str, **options: Any) -> str:
        """A server setting on a connection of a pool for `url`."""

        @Statements().one("select current_setting(:name)")
        async def setting(db: Db, name: str) -> str: ...

        pool = Database(reactor, url, **POOL | options)
        self.addCleanup(pool.stop)
        return await setting(pool, name)

    async def test_timeouts(self) -> None:
        """The timeouts are the server's too, so that no lost client holds a lock for long."""
        for name in ("statement_timeout", "idle_in_transaction_session_timeout"):
            self.assertEqual(await self.shown(self.url, name, statement_timeout=2.5), "2500ms")

    async def test_lock_timeout(self) -> None:
        """Locks are waited for less long, and never as long as the statement may take."""
        for limit, expected in ((15, "1500ms"), (2.5, "1500ms"), (0.5, "400ms")):
            shown = await self.shown(self.url, "lock_timeout", statement_timeout=limit)
            self.assertEqual(shown, expected)

    async def test_time_zone(self) -> None:
        """Times are in UTC whatever the server is in."""
        self.assertEqual(await self.shown(self.url, "TimeZone"), "UTC")

    async def test_own_options(self) -> None:
        """Options and a name in the operator's DSN are kept."""
        url = f"{self.url}&options=-c%20work_mem%3D5MB&application_name=mine"
        self.assertEqual(await self.shown(url, "work_mem"), "5MB")
        self.assertEqual(await self.shown(url, "statement_timeout"), "15s")
        self.assertEqual(await self.shown(url, "application_name"), "mine")
