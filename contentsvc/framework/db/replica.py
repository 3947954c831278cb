"""Reads on a streaming replica that is fresh to a bound.

Searches and whole lists may be read there, while the replica shows all that had committed
`max_lag` seconds ago. What is newer may be missing from them. All other statements are made on the
primary, and see everything.

While there are reads, the replica's lag is checked every CHECK_EVERY seconds at most: how far the
primary has flushed its log at that moment, and which of the positions read before the replica has
replayed. Both must be of one timeline: a position means nothing in the log of another primary.

A read is made on the primary while the replica is behind, and when it fails there, unless it took
too long: it would take as long on the primary. After a fault the replica is not used for a while,
which grows from one fault to the next. Then one probe, for which no read waits, finds out whether
it is back.
"""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from math import inf
from typing import Any, Final

from twisted.internet.defer import CancelledError, Deferred, TimeoutError
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from contentsvc.framework.core.concurrency import SingleFlight
from contentsvc.framework.core.timers import Backoff, Sleeps, cancel, timer
from contentsvc.framework.db.connection import Connection, connect, execute, one_line
from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import BadValue, Unavailable
from contentsvc.framework.db.silent_server import GRACE
from contentsvc.framework.db.statement import Row, Statement

CONNECT: Final = 2.0
"""Seconds that a connection may take to open."""
WAIT: Final = 2.0
"""Seconds that a read waits for a connection to the replica."""
CHECK_EVERY: Final = 0.25
"""Least seconds between two checks of the replica's lag."""
_CATCH_UP, _PAUSE = 0.04, 0.005
"""Seconds for which a check waits until the replica has the newest position, and between two
questions."""
CHECK_PATIENCE: Final = 0.05
"""Seconds that a read waits for a check. Then it goes to the primary."""
LIFE: Final = 1.0
"""Seconds that a check may take: a machine that has gone, or hangs, does not end it. A probe waits
as long for a replica that is behind."""
FIRST, LAST = 1.0, 60.0
"""Seconds for which the replica is not used after a fault: at first, and at most."""
STEADY: Final = 10.0
"""Seconds without a fault after which the pauses begin at the first again."""
BEHIND: Final = "it is behind the primary"
_SILENT: Final = "it does not answer"
_LANE: Final = "replica lag"

_IDENTITY = """
    select (select system_identifier from pg_control_system()) as system,
           (select oid::bigint from pg_database where datname = current_database()) as database,
           current_schema() as schema
"""
_SELF = Statement("replica_self", _IDENTITY, lane=_LANE)
_SET = "set default_transaction_isolation = 'read committed'"
_OPENED = f"""
    select i.*, concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time())
               as server,
           pg_backend_pid() as pid, pg_is_in_recovery() as replica,
           (select count(*) from pg_stat_wal_receiver) as receivers,
           pg_has_role('pg_read_all_stats', 'usage') as allowed
    from ({_IDENTITY}) i
"""  # noqa: S608
# If commits do not wait for a flush, they are seen and acknowledged before it.
_FLUSHED = Statement(
    "replica_primary",
    """
    select ('x' || substr(pg_walfile_name(p.l), 1, 8))::bit(32)::integer as timeline,
           (p.l - '0/0')::bigint as lsn
    from (
        select case when pg_is_in_recovery() then null
                    when current_setting('synchronous_commit') = 'off'
                    then pg_current_wal_insert_lsn()
                    else pg_current_wal_flush_lsn() end as l
    ) p
    where p.l is not null
    """,
    lane=_LANE,
)
# The timeline is that of what is received. It is read after what has been replayed, which was
# received before. It is null without streaming, and without the right to see it.
_REPLAYED = Statement(
    "replica_replayed",
    """
    select (select received_tli from pg_stat_wal_receiver) as timeline, s.lsn
    from (
        select (pg_last_wal_replay_lsn() - '0/0')::bigint as lsn
        where pg_is_in_recovery() offset 0
    ) s
    """,
    lane=_LANE,
)

log = Logger()


class Replica:
    """The replica at `dsn` of the database `primary`, with at most `size` connections, but two at
    least. It is read while it is `max_lag` seconds behind at most. Statements end after
    `statement_timeout` seconds. `pauses` are those after faults."""

    def __init__(
        self,
        reactor: Any,
        dsn: str,
        primary: Database,
        *,
        size: int,
        statement_timeout: float,
        max_lag: float,
        pauses: Backoff | None = None,
    ) -> None:
        self._reactor = reactor
        self._primary = primary
        size = max(2, size)
        self._pool = Database(
            reactor,
            dsn,
            size=size,
            statement_timeout=statement_timeout,
            wait=WAIT,
            connect_timeout=CONNECT,
            opener=self._opened,
            # Few other statements are run here that would need places.
            searches=size - max(1, size // 4),
        )
        self.up = False
        """Whether reads go there."""
        self.reads = 0
        """How many were made there."""
        self.others = 0
        """How many were made on the primary because they could not be made there."""
        self.since = reactor.seconds()
        """The time since which it is up, or is not."""
        self.reason = "nobody has asked it yet"
        """Why it is not up, or was not."""
        self.generation = 0
        """Grows when another server is reached at the same address, or the server is restarted."""
        self._server = ""
        self._said: str | None = None
        self._identity: Row = ()
        self._max_lag = max_lag
        self._positions: deque[tuple[float, int]] = deque()
        """Times and flushed positions of the primary's log that the replica has not replayed."""
        self._fresh = self._measured = -inf
        """The replica has what had committed at `_fresh`, as was measured at `_measured`."""
        self._limit = statement_timeout + GRACE
        self._pauses = pauses or Backoff(FIRST, LAST)
        self._retry: IDelayedCall | None = None
        self._sleeps = Sleeps(reactor)
        self._stopped = False
        self._check = SingleFlight(self._check_once)
        self._ticks = LoopingCall(self._tick)
        self._ticks.clock = reactor

    def start(self) -> None:
        """Begin to find out whether it can be used, without a wait for it."""
        self._pool.watch()
        self._ticks.start(CHECK_EVERY, now=False).addErrback(
            lambda failure: log.failure("The check of the replica failed", failure)
        )
        self._retry = self._reactor.callLater(0, self._probe)

    def stop(self) -> None:
        """Close every connection."""
        self._stopped = True
        self.up = False
        cancel(self._retry)
        self._sleeps.stop()
        if self._ticks.running:
            self._ticks.stop()
        self._pool.stop()

    @property
    def opened(self) -> int:
        """How many connections there are."""
        return self._pool.opened

    async def rows(self, statement: Statement, args: Row) -> list[Row] | None:
        """The rows of a read; None if it must be made on the primary. Raises Unavailable: it takes
        too long."""
        found = await self._read(statement, args) if await self._is_fresh() else None
        if found is None:
            self.others += 1
        return found

    async def go_on(self, generation: int, statement: Statement, args: Row) -> list[Row]:
        """The rows of a read after another one of the same generation: it sees at least as much,
        however far the replica is behind. Raises Unavailable if it cannot be made there."""
        found = None
        if self.up and self.generation == generation:
            found = await self._read(statement, args)
        if found is None:
            raise Unavailable("the replica was lost during a list")
        return found

    def whole(self) -> "WholeReads":
        """Runs the statements of an answer with a whole list."""
        return WholeReads(self._primary, self)

    async def _is_fresh(self) -> bool:
        if self.up and self._reactor.seconds() - self._measured >= CHECK_EVERY:
            with suppress(TimeoutError):  # then the result of the check before counts
                await self._check.ask().addTimeout(CHECK_PATIENCE, self._reactor)
        return self.up and self._reactor.seconds() - self._fresh <= self._max_lag

    async def _read(self, statement: Statement, args: Row) -> list[Row] | None:
        generation = self.generation
        try:
            found = await self._pool.run(statement, args)
        except (CancelledError, BadValue):
            raise
        except Unavailable as error:
            if error.cause == "time-out" and self.up:
                raise
            if error.cause not in {"searches", "pool"} or not self._pool.opened:
                self._fail(str(error))
        except Exception as error:
            self._fail(one_line(error))
        else:
            if self.generation == generation:
                self.reads += 1
                return found
        return None

    async def _check_once(self) -> None:
        """Check the replica's lag. A fault of the primary is none of the replica: what is known of
        its lag grows old."""
        try:
            position = await self._flushed()
        except Unavailable:
            return
        try:
            with timer(self._reactor, LIFE, self._give_up):
                await self._compare(*position)
        except CancelledError:
            raise
        except Exception as error:
            self._fail(one_line(error))
            return
        if self._positions and self._measured - self._positions[0][0] > self._max_lag:
            self._fail(BEHIND)

    async def _flushed(self) -> tuple[float, int, int]:
        """The time, and the timeline and position of the primary since then. Raises Unavailable."""
        began = self._reactor.seconds()
        flushed = await self._primary.run(_FLUSHED, ())
        if not flushed:
            raise Unavailable("the server to write to is no primary")
        ((timeline, lsn),) = flushed
        return began, timeline, lsn

    async def _compare(self, began: float, timeline: int, lsn: int) -> None:
        """Read how far the replica is, and wait a moment until it has this position. Raises
        Unavailable."""
        until = self._reactor.seconds() + _CATCH_UP
        reached = await self._replayed(timeline)
        # After the read, which may have reached another server.
        self._positions.append((began, lsn))
        while True:
            while self._positions and self._positions[0][1] <= reached:
                self._fresh, _ = self._positions.popleft()
            self._measured = self._reactor.seconds()
            if not self._positions or self._measured >= until:
                return
            await self._sleeps.sleep(_PAUSE)
            reached = await self._replayed(timeline)

    async def _replayed(self, timeline: int) -> int:
        """The position that the replica has replayed. Raises Unavailable: it is none of this
        timeline."""
        replayed = await self._pool.run(_REPLAYED, ())
        if not replayed:
            raise Unavailable("it is a primary")
        ((followed, reached),) = replayed
        if followed is None:
            raise Unavailable("it does not stream from the primary")
        if followed != timeline:
            raise Unavailable("it follows another primary")
        return int(reached)

    async def _opened(self, *args: Any, timeout: float, **options: Any) -> Connection:
        """Open a connection to a replica of this very database. Raises Unavailable."""
        late = self._reactor.seconds() + timeout
        connection = None
        try:
            connection = await connect(*args, timeout=timeout, **options)
            with timer(self._reactor, timeout, connection.abandon):
                cursor = await execute(connection, _OPENED)
                server = self._require(connection, cursor.fetchone())
                await execute(connection, _SET)
                self._reach(server)
        except BaseException as error:
            if connection is not None:
                connection.abandon()
            if isinstance(error, Unavailable) and self._reactor.seconds() >= late:
                raise Unavailable(_SILENT) from None
            raise
        return connection

    def _reach(self, server: str) -> None:
        """A connection is to this server, as all must be: another may be further behind."""
        if server != self._server:
            self._server = server
            self.generation += 1
            self._positions.clear()
            self._fresh = self._measured = -inf
            for connection in self._pool.connections:
                connection.abandon()

    def _require(self, connection: Connection, found: Row) -> str:
        """Which server it is, by its address and start. Raises Unavailable: it is no replica."""
        *identity, server, pid, replica, receivers, allowed = found
        reason = None
        if pid != connection.process:
            reason = "it is behind a pooler: connect directly"
        elif tuple(identity) != self._identity:
            reason = "it has another database, or its role another search_path"
        elif not replica:
            reason = "it is a primary"
        elif not allowed:
            reason = "its role may not see how it streams: grant pg_read_all_stats to it"
        elif not receivers:
            reason = "it does not stream from the primary"
        if reason is not None:
            raise Unavailable(reason)
        return str(server)

    def _fail(self, reason: str) -> None:
        """Do not use the replica for a while."""
        if self.up:
            self.up = False
            if self._reactor.seconds() - self.since > STEADY:
                self._pauses.reset()
            self.since = self._reactor.seconds()
            self._pause(reason)

    def _pause(self, reason: str) -> None:
        if self._stopped:
            return
        self.reason = reason
        if reason != self._said:
            self._said = reason
            # Log: the replica has a fault, which the line names. Its reads are made on the primary
            # meanwhile. Do: see docs/guides/database.md#when-a-replica-is-not-used.
            log.warn("The replica is not used for now: {reason}", reason=reason)
        self._retry = self._reactor.callLater(self._pauses.next(), self._probe)

    def _probe(self) -> None:
        Deferred.fromCoroutine(self._try())

    async def _try(self) -> None:
        """Find out whether the replica can be used."""
        try:
            await self._ask_primary()
            self._positions.clear()
            self._fresh = -inf
            with timer(self._reactor, CONNECT + LIFE, self._pool.abandon):
                await self._catch_up()
        except CancelledError:
            return
        except Exception as error:
            self._pool.abandon()
            self._pause(one_line(error))
            return
        if not self._stopped:
            self.up = True
            self.since = self._reactor.seconds()
            self._said = None
            # Log: it is there, and follows the primary.
            log.info("The replica is used for reads")

    async def _ask_primary(self) -> None:
        """Learn what its replicas must be. Raises Unavailable."""
        try:
            (self._identity,) = await self._primary.run(_SELF, ())
        except Unavailable:
            raise Unavailable("the primary does not answer") from None

    async def _catch_up(self) -> None:
        """Wait for a replica that is behind, but not for long. Raises Unavailable."""
        until = self._reactor.seconds() + LIFE
        while True:
            await self._compare(*await self._flushed())
            if self._reactor.seconds() - self._fresh <= self._max_lag:
                return
            if self._reactor.seconds() > until:
                raise Unavailable(BEHIND)
            await self._sleeps.sleep(_PAUSE)

    def _tick(self) -> None:
        """Check during long reads: a Postgres that has gone, or hangs, does not end them."""
        now = self._reactor.seconds()
        if self._pool.busy(now - self._limit):
            self._give_up()
        elif self.up and not self._check.under_way and self._pool.busy(now - CHECK_EVERY):
            self._check.begin()

    def _give_up(self) -> None:
        self._fail(_SILENT)
        self._pool.abandon()


class WholeReads:
    """Runs the statements of an answer with a whole list, whose validator is the first of the lane
    WHOLE. From that one on they are made on the replica, or fail: none sees less than those before,
    and a client that held an older item under a newer validator would keep it."""

    def __init__(self, primary: Database, replica: Replica) -> None:
        self._primary = primary
        self._replica = replica
        self._begun = False
        self._generation: int | None = None

    async def run(self, statement: Statement, args: Row) -> list[Row]:
        """Run one statement and give all its rows. Raises Unavailable."""
        if self._generation is not None:
            return await self._replica.go_on(self._generation, statement, args)
        if statement.lane == WHOLE and not self._begun:
            self._begun = True
            rows = await self._replica.rows(statement, args)
            if rows is not None:
                self._generation = self._replica.generation
                return rows
        return await self._primary.run(statement, args)

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call at once: these are reads."""
        callback()
