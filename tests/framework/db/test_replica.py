"""Reads on a real replica that is fresh to a bound, whatever becomes of it."""

from collections.abc import Callable
from typing import Any, ClassVar

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread
from twisted.trial.unittest import TestCase

from contentsvc.framework.core.timers import Backoff
from contentsvc.framework.db import replica as replicas
from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import BadValue, Unavailable
from contentsvc.framework.db.query import Statements
from contentsvc.framework.db.replica import Replica
from tests.support import pgbouncer, replication
from tests.support.deferreds import together
from tests.support.replication import Server

TIME = 60.0
"""Seconds that a test may take."""
SOON = 0.3
"""Seconds that a replica may be behind which is certainly behind longer."""


class ReplicaCase(TestCase):
    """A primary with one small table, and a pool that has a replica of it."""

    timeout = TIME
    _copies: ClassVar[dict[Server, Server]] = {}

    def server(self) -> Server:
        return replication.embedded()

    def life(self, seconds: float) -> None:
        """Let a look take so long."""
        self.patch(replicas, "LIFE", seconds)

    async def setUp(self) -> None:
        # On a busy machine all takes long, and the primary is read for that reason alone. So only
        # what a test does to the replica may have it read.
        self.life(TIME)
        self.patch(replicas, "CHECK_PATIENCE", TIME)
        self.patch(replicas, "WAIT", TIME)
        self.addCleanup(self.nothing_opens)  # first, so that it comes after the pools' end
        self.primary = await deferToThread(self.server)
        self.primary.sql("drop table if exists numbers")
        self.primary.sql("create table numbers (n integer not null)")
        declared = Statements()

        @declared.none("insert into numbers values (:n)")
        async def put(db: Any, n: int) -> None: ...

        @declared.many("select n from numbers order by n", replica=True)
        async def all(db: Any) -> list[int]: ...

        @declared.one("select pg_is_in_recovery()", replica=True)
        async def there(db: Any) -> bool: ...

        @declared.one("select pg_is_in_recovery()")
        async def unmarked(db: Any) -> bool: ...

        @declared.one(
            "select count(*) + (select count(*) from pg_sleep(:seconds)) from numbers", replica=True
        )
        async def slowly(db: Any, seconds: float) -> int: ...

        @declared.one(
            "select count(*) + (select count(*) from pg_sleep(case when pg_is_in_recovery() "
            "then 3600 else 0 end)) from numbers",
            replica=True,
        )
        async def stuck(db: Any) -> int: ...

        @declared.one("select :text::uuid", replica=True)
        async def uuid(db: Any, text: str) -> str: ...

        self.put, self.all, self.there, self.slowly = put, all, there, slowly
        self.unmarked, self.uuid, self.stuck = unmarked, uuid, stuck

    async def copy(self, source: Server | None = None, **settings: str) -> Server:
        """A replica for this test alone."""
        source = source or self.primary
        server = await deferToThread(lambda: source.copy(**settings))
        self.addCleanup(server.remove)
        return server

    async def shared(self) -> Server:
        """A replica to which no test does harm."""
        if self.primary not in self._copies:
            self._copies[self.primary] = await deferToThread(self.primary.copy)
        return self._copies[self.primary]

    async def pool(
        self,
        url: str,
        *,
        up: bool = True,
        statement_timeout: float = 15.0,
        size: int = 8,
        max_lag: float = TIME,
    ) -> tuple[Database, Replica]:
        """A pool on the primary with the replica at this URL, which is to be `up` at once."""
        limits = {"size": size, "statement_timeout": statement_timeout}
        db = Database(reactor, self.primary.url(), **limits)
        self.addCleanup(db.stop)
        await db.start()
        db.replica = replica = Replica(
            reactor, url, db, pauses=Backoff(0.02, 0.1), max_lag=max_lag, **limits
        )
        self.addCleanup(replica.stop)
        replica.start()
        if up:
            await self.until(lambda: replica.up)
        return db, replica

    async def until(self, condition: Callable[[], bool]) -> None:
        """Turn the reactor for as long as the condition does not hold."""
        while not condition():
            await deferLater(reactor, 0.005)

    async def asked(self, server: Server) -> None:
        """Wait until `stuck` runs there. It never ends by itself, and at once on the primary."""
        found = "select count(*) from pg_stat_activity where wait_event = 'PgSleep'"
        await self.until(lambda: server.sql(found)[0][0] == 1)

    async def nothing_opens(self) -> None:
        """Wait for connections that were being opened when their pool stopped."""

        def ours(part: object) -> bool:
            return (getattr(part, "__module__", None) or "").startswith("contentsvc.")

        await self.until(
            lambda: (
                not any(ours(call.func) for call in reactor.getDelayedCalls())
                and not any(map(ours, reactor.getReaders()))
            )
        )

    async def refused(self, url: str, reason: str) -> None:
        """Assert that the replica at this URL is not used, for this reason, and that reads are as
        right as ever."""
        db, replica = await self.pool(url, up=False)
        await self.until(lambda: reason in replica.reason)
        await self.put(db, 1)
        self.assertEqual(await self.all(db), [1])
        self.assertEqual((replica.up, replica.reads), (False, 0))

    async def comes(self, db: Database, numbers: list[int]) -> None:
        """Wait until a read finds these numbers."""
        while await self.all(db) != numbers:
            await deferLater(reactor, 0.005)


class ReadTests(ReplicaCase):
    """What is made there."""

    async def test_there(self) -> None:
        """A read that may be made there is."""
        db, replica = await self.pool((await self.shared()).url())
        self.assertTrue(await self.there(db))
        self.assertEqual((replica.reads, replica.others), (1, 0))

    async def test_primary(self) -> None:
        """All else is made on the primary: other statements, and whatever is in a transaction."""
        db, replica = await self.pool((await self.shared()).url())
        self.assertFalse(await self.unmarked(db))
        async with db.transaction() as tx:
            self.assertFalse(await self.there(tx))
        self.assertEqual((replica.reads, replica.others), (0, 0))

    async def test_comes(self) -> None:
        """What was written is read there before long, by others too."""
        url = (await self.shared()).url()
        (one, _), (other, replica) = await self.pool(url), await self.pool(url)
        for n in range(20):
            await self.put(one, n)
        await self.comes(other, [*range(20)])
        self.assertGreater(replica.reads, 0)

    async def test_checks(self) -> None:
        """However many read, how fresh it is is looked at now and then."""
        db, replica = await self.pool((await self.shared()).url())
        checks = self.checks_counted(replica)
        await together(*(self.there(db) for _ in range(50)))
        self.assertEqual((replica.reads, len(checks)), (50, 1))

    def checks_counted(self, replica: Replica) -> list[object]:
        """What grows by one with each look, of which the next comes with the next read."""
        checks: list[object] = []
        flushed = replica._flushed

        async def counted() -> tuple[float, int, int]:
            checks.append(None)
            return await flushed()

        self.patch(replica, "_flushed", counted)
        replica._measured = -1.0
        return checks

    async def test_bad_value(self) -> None:
        """A read that is at fault itself fails as on the primary, and does the replica no harm."""
        db, replica = await self.pool((await self.shared()).url())
        with self.assertRaises(BadValue):
            await self.uuid(db, "no uuid")
        self.assertTrue(replica.up)
        self.assertTrue(await self.there(db))

    async def test_time_out(self) -> None:
        """A read that takes too long is not tried once more on the primary."""
        db, replica = await self.pool((await self.shared()).url(), statement_timeout=0.2)
        with self.assertRaises(Unavailable) as raised:
            await self.slowly(db, 30.0)
        self.assertEqual(raised.exception.cause, "time-out")
        self.assertEqual((replica.up, replica.others), (True, 0))

    async def test_slow(self) -> None:
        """A read that takes long, on a replica that lives, is waited for."""
        db, replica = await self.pool((await self.shared()).url())
        self.assertEqual(await self.slowly(db, 0.9), 1)
        self.assertEqual((replica.up, replica.reads), (True, 1))

    async def test_stop(self) -> None:
        """A read under way when the pools stop fails, and nothing is left behind."""
        db, replica = await self.pool((await self.shared()).url())
        slow = Deferred.fromCoroutine(self.slowly(db, 30.0))
        await self.until(lambda: replica.opened > 0)
        replica.stop()
        db.stop()
        with self.assertRaises(Unavailable):
            await slow


class FaultTests(ReplicaCase):
    """What becomes of reads when something happens to the replica."""

    async def test_within(self) -> None:
        """While it is behind by less than the bound, it is read, and shows what it has."""
        server = await self.copy()
        db, replica = await self.pool(server.url())
        await self.put(db, 1)
        await self.comes(db, [1])
        server.sql("select pg_wal_replay_pause()")
        await self.put(db, 2)
        reads = replica.reads
        self.assertEqual(await self.all(db), [1])
        self.assertEqual(replica.reads, reads + 1)
        server.sql("select pg_wal_replay_resume()")
        await self.comes(db, [1, 2])

    async def test_behind(self) -> None:
        """When it is behind by more, the primary is read; afterwards the replica again."""
        self.life(SOON)
        server = await self.copy()
        db, replica = await self.pool(server.url(), max_lag=SOON)
        server.sql("select pg_wal_replay_pause()")
        await self.put(db, 1)
        await self.comes(db, [1])
        await self.until_read(db, replica)
        await self.put(db, 2)
        self.assertEqual(await self.all(db), [1, 2])
        reads = replica.reads
        server.sql("select pg_wal_replay_resume()")
        await self.until(lambda: replica.up)
        while replica.reads == reads:
            self.assertEqual(await self.all(db), [1, 2])

    async def until_read(self, db: Database, replica: Replica) -> None:
        """Read until the replica is found to be behind."""
        while replica.reason != "it is behind the primary":
            await self.all(db)
            await deferLater(reactor, 0.005)

    async def test_killed(self) -> None:
        """When it is killed, reads under way are made on the primary; when it is back, it is read
        again."""
        server = await self.copy()
        db, replica = await self.pool(server.url(), statement_timeout=TIME)
        await self.put(db, 1)
        stuck = Deferred.fromCoroutine(self.stuck(db))
        self.assertTrue(await self.there(db))
        await self.asked(server)
        await deferToThread(server.kill)
        self.assertEqual(await stuck, 2)
        self.assertFalse(await self.there(db))
        await deferToThread(server.start)
        await self.until(lambda: replica.up)
        self.assertTrue(await self.there(db))

    async def test_frozen(self) -> None:
        """When it answers no more, and does not say so, reads wait a moment for a sign of life and
        are then made on the primary."""
        server = await self.copy()
        db, replica = await self.pool(server.url())
        self.assertTrue(await self.there(db))
        server.freeze()
        self.addCleanup(server.thaw)
        self.life(0.2)
        found = await together(*(self.there(db) for _ in range(20)))
        self.assertEqual(found, [False] * 20)
        self.assertEqual((replica.up, replica.reason), (False, "it does not answer"))
        self.life(TIME)
        server.thaw()
        await self.until(lambda: replica.up)
        self.assertTrue(await self.there(db))

    async def test_conflict(self) -> None:
        """A read that the replica cancels, because it must go on replaying, is made on the
        primary."""
        server = await self.copy(max_standby_streaming_delay="0")
        db, replica = await self.pool(server.url(), statement_timeout=TIME)
        stuck = Deferred.fromCoroutine(self.stuck(db))
        await self.asked(server)
        self.primary.sql("truncate numbers")
        self.assertEqual(await stuck, 1)
        self.assertEqual((replica.reads, replica.others), (0, 1))

    async def test_promoted(self) -> None:
        """One that is promoted has a history of its own from then on, and is read no more."""
        server = await self.copy()
        db, replica = await self.pool(server.url())
        self.assertTrue(await self.there(db))
        await deferToThread(server.run, "pg_ctl", "promote", "-w")
        while replica.reason != "it is a primary":
            await self.there(db)
            await deferLater(reactor, 0.005)
        await self.put(db, 1)
        self.assertEqual(await self.all(db), [1])

    async def test_other_primary(self) -> None:
        """One that follows a promoted server is not read, though its log is ahead of the
        primary's: it is another log."""
        middle = await self.copy()
        last = await self.copy(middle)
        db, replica = await self.pool(last.url())
        await deferToThread(middle.run, "pg_ctl", "promote", "-w")
        middle.sql("insert into numbers select generate_series(100, 20000)")
        followed = "select exists (select from numbers where n = 20000)"
        while not last.sql(followed)[0][0]:
            await deferLater(reactor, 0.02)
        while replica.reason != "it follows another primary":
            await self.there(db)
            await deferLater(reactor, 0.005)
        await self.put(db, 1)
        self.assertEqual(await self.all(db), [1])

    async def test_follows(self) -> None:
        """After a failover, one that follows the new primary is read as before."""
        first = self.primary
        self.primary = await self.copy()
        last = await self.copy(self.primary)
        db, replica = await self.pool(last.url(), up=False)
        await self.until(lambda: replica.reason == "the server to write to is no primary")
        await deferToThread(self.primary.run, "pg_ctl", "promote", "-w")
        await self.until(lambda: replica.up)
        for n in range(50):
            await self.put(db, n)
        await self.comes(db, [*range(50)])
        self.assertGreater(replica.reads, 0)
        self.primary = first


class StartTests(ReplicaCase):
    """What is found out when a replica is first connected to."""

    async def test_away(self) -> None:
        """One that is away at the start is used once it is there."""
        server = await self.copy()
        await deferToThread(server.kill)
        db, replica = await self.pool(server.url(), up=False)
        self.assertFalse(await self.there(db))
        await self.until(lambda: "failed" in replica.reason)
        await deferToThread(server.start)
        await self.until(lambda: replica.up)
        self.assertTrue(await self.there(db))

    async def test_primary_itself(self) -> None:
        """The primary is no replica of itself."""
        await self.refused(self.primary.url(), "it is a primary")

    async def test_other_database(self) -> None:
        """Another database of the same server is refused."""
        await self.refused((await self.shared()).url("template1"), "it has another database")

    async def test_other_system(self) -> None:
        """A replica of another system is refused."""
        other = await deferToThread(replication.new)
        self.addCleanup(other.remove)
        await self.refused((await self.copy(other)).url(), "it has another database")

    async def test_rights(self) -> None:
        """The role must be allowed to see how the replica streams. The reason says how."""
        server = await self.shared()
        self.primary.sql("create role reader login; grant select on numbers to reader")
        self.addCleanup(self.primary.sql, "drop owned by reader; drop role reader")
        while not server.sql("select 1 from pg_roles where rolname = 'reader'"):
            await deferLater(reactor, 0.005)
        await self.refused(server.url(role="reader"), "grant pg_read_all_stats to it")
        self.primary.sql("grant pg_read_all_stats to reader; truncate numbers")
        db, _ = await self.pool(server.url(role="reader"))
        self.assertTrue(await self.there(db))

    async def test_no_rights_on_tables(self) -> None:
        """A role that may not read the tables costs nothing but the reads there."""
        server = await self.shared()
        self.primary.sql("create role blind login; grant pg_read_all_stats to blind")
        self.addCleanup(self.primary.sql, "drop role blind")
        while not server.sql("select 1 from pg_roles where rolname = 'blind'"):
            await deferLater(reactor, 0.005)
        db, replica = await self.pool(server.url(role="blind"))
        await self.put(db, 1)
        self.assertEqual(await self.all(db), [1])
        self.assertIn("permission denied", replica.reason)

    async def test_password(self) -> None:
        """A wrong password is a reason, which does not repeat it."""
        server = await self.copy()
        server.require_password("locked")
        url = server.url(role="locked:wrong-one")
        db, replica = await self.pool(url, up=False)
        await self.until(lambda: "password authentication failed" in replica.reason)
        self.assertNotIn("wrong-one", replica.reason)
        self.assertFalse(await self.there(db))

    async def test_pooler(self) -> None:
        """A pooler before it is refused: the next statement might run in another session."""
        server = await self.shared()
        for mode in ("transaction", "session"):
            pooled = pgbouncer.through(self, server.url(), mode)
            await self.refused(pooled, "behind a pooler")
            self.primary.sql("truncate numbers")

    async def test_no_hot_standby(self) -> None:
        """One that takes no reads is a reason."""
        server = await self.copy()
        await deferToThread(server.stop)
        await deferToThread(server.launch, hot_standby="off")
        db, replica = await self.pool(server.url(), up=False)
        await self.until(lambda: "not accepting connections" in replica.reason)
        self.assertFalse(await self.there(db))


class WholeTests(ReplicaCase):
    """The statements of one answer."""

    async def setUp(self) -> None:
        await super().setUp()
        declared = Statements()

        @declared.many("select n from numbers order by n", lane=WHOLE)
        async def listed(db: Any) -> list[int]: ...

        self.listed = listed

    async def test_follow(self) -> None:
        """They follow the first of the list to the replica, however far it is behind since."""
        server = await self.copy()
        db, replica = await self.pool(server.url())
        whole = db.whole()
        self.assertFalse(await self.unmarked(whole))
        self.assertEqual(await self.listed(whole), [])
        server.sql("select pg_wal_replay_pause()")
        await self.put(db, 1)
        self.assertTrue(await self.unmarked(whole))
        self.assertEqual(await self.listed(whole), [])
        self.assertEqual(replica.reads, 3)

    async def test_stay(self) -> None:
        """They stay on the primary if the first was made there: the replica may know less."""
        server = await self.copy()
        await deferToThread(server.kill)
        db, replica = await self.pool(server.url(), up=False)
        whole = db.whole()
        self.assertEqual(await self.listed(whole), [])
        await deferToThread(server.start)
        await self.until(lambda: replica.up)
        self.assertEqual(await self.listed(whole), [])
        self.assertEqual(replica.reads, 0)

    async def test_killed(self) -> None:
        """They fail when the replica is killed: the primary may not show yet what it has shown."""
        server = await self.copy()
        db, _ = await self.pool(server.url())
        whole = db.whole()
        await self.listed(whole)
        await deferToThread(server.kill)
        with self.assertRaises(Unavailable):
            await self.listed(whole)

    async def test_restarted(self) -> None:
        """They fail when another server is there meanwhile: it may be further behind."""
        server = await self.copy()
        db, replica = await self.pool(server.url())
        whole = db.whole()
        await self.listed(whole)
        await deferToThread(server.kill)
        await deferToThread(server.start)
        while not replica.up or replica.generation == 1:
            await self.there(db)
            await deferLater(reactor, 0.005)
        with self.assertRaises(Unavailable):
            await self.listed(whole)
        self.assertEqual(await self.listed(db.whole()), [])


class DebianReadTests(ReadTests):
    """The same with Debian's Postgres."""

    def server(self) -> Server:
        return replication.require_debian(self)


class DebianFaultTests(FaultTests):
    """The same with Debian's Postgres."""

    def server(self) -> Server:
        return replication.require_debian(self)
