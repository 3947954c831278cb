"""Reads on a streaming replica that are as new as on the primary.

Whoever asks may have written just before, through another process. So a read first learns how far
the primary's log is flushed: all that was acknowledged is before that position. The read is made
only where the log is replayed at least so far. Postgres makes a commit visible there before it
counts its record as replayed. So nobody needs to be remembered, neither a session nor a user.

The check travels with the read, in one message and before its snapshot. It does not matter what was
known of the replica before, or which server a connection reaches. The check compares timelines too:
a position means nothing in the log of another primary. A server that has been promoted is no
replica, whatever it has replayed.

A read that is not let through within CATCH_UP_TIMEOUT is made on the primary. So is each read that
fails, unless it took too long: it would take as long there. After a fault, nobody goes to the
replica for a while, which grows from one fault to the next. Then one probe, for which nobody waits,
finds out whether it is back.

Two kinds of reads do not come here. Where several calls share a statement, that costs less than the
way here. And a commit that does not wait for its flush is seen on the primary, and told to others,
before it has a position.
"""

from typing import Any, Final

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

from contentsvc.framework.core.timers import Backoff, cancel, timer
from contentsvc.framework.db.connection import Connection, connect, execute, one_line
from contentsvc.framework.db.consistent_reads import Mark
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import BadValue, Unavailable
from contentsvc.framework.db.silent_server import GRACE
from contentsvc.framework.db.statement import Row, Statement
from contentsvc.framework.db.wal_positions import LANE, MARK, PREPARE_CHECK, Position, Positions

CONNECT: Final = 2.0
"""Seconds that a connection may take to open."""
WAIT: Final = 2.0
"""Seconds that a read waits for a connection to the replica. As long may the primary take to show
what the replica has shown."""
LOOK: Final = 0.25
"""Seconds between two looks for a read that takes long."""
LONG: Final = 0.5
"""Seconds after which a replica with an unanswered read must give a sign of life."""
LIFE: Final = 1.0
"""Seconds within which it must. A probe waits as long for a replica that is behind."""
FIRST, LAST = 1.0, 60.0
"""Seconds for which nobody goes to the replica after a fault: at first, and at most."""
STEADY: Final = 10.0
"""Seconds without a fault after which the pauses begin at the first again."""
_SILENT: Final = "it does not answer"

_IDENTITY = """
    select (select system_identifier from pg_control_system()) as system,
           (select oid::bigint from pg_database where datname = current_database()) as database,
           current_schema() as schema
"""
_SELF = Statement("replica_self", _IDENTITY, lane=LANE)
_SET = "set default_transaction_isolation = 'read committed';"
_OPENED = f"""
    select i.*, pg_backend_pid() as pid, pg_is_in_recovery() as replica,
           (select count(*) from pg_stat_wal_receiver) as receivers,
           pg_has_role('pg_read_all_stats', 'usage') as allowed
    from ({_IDENTITY}) i
"""  # noqa: S608

log = Logger()


class Replica:
    """The replica at `dsn` of the database `primary`, with at most `size` connections, but two at
    least. Statements end after `statement_timeout` seconds. `pauses` are those after faults."""

    def __init__(
        self,
        reactor: Any,
        dsn: str,
        primary: Database,
        *,
        size: int,
        statement_timeout: float,
        pauses: Backoff | None = None,
    ) -> None:
        self._reactor = reactor
        self._dsn = dsn
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
            # Few others come here, for whom they would have to leave places.
            searches=size - max(1, size // 4),
        )
        self._positions = Positions(reactor, primary, self._pool, self._fail)
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
        self._said: str | None = None
        self._identity: Row = ()
        self._limit = statement_timeout + GRACE
        self._pauses = pauses or Backoff(FIRST, LAST)
        self._retry: IDelayedCall | None = None
        self._doubtful = False
        self._stopped = False
        self._looks = LoopingCall(self._look)
        self._looks.clock = reactor

    def start(self) -> None:
        """Begin to find out whether it can be used. Nobody waits for that."""
        self._pool.watch()
        self._looks.start(LOOK, now=False).addErrback(
            lambda failure: log.failure("The check of the replica failed", failure)
        )
        self._retry = self._reactor.callLater(0, self._probe)

    def stop(self) -> None:
        """Close every connection."""
        self._stopped = True
        self.up = False
        cancel(self._retry)
        if self._looks.running:
            self._looks.stop()
        self._positions.stop()
        self._pool.stop()

    @property
    def opened(self) -> int:
        """How many connections there are."""
        return self._pool.opened

    async def rows(self, statement: Statement, args: Row) -> list[Row] | None:
        """The rows of a read; None if it must be made on the primary. Raises Unavailable: it takes
        too long."""
        found = await self._begin(statement, args)
        return None if found is None else found[0]

    async def begin(self, statement: Statement, args: Row) -> tuple[list[Row], Mark] | None:
        """The same, and what it has seen at most."""
        found = await self._begin(statement, args, MARK)
        if found is None or not found[1] or None in found[1][0]:
            return None
        return found[0], Mark(*found[1][0])

    async def go_on(self, mark: Mark, statement: Statement, args: Row) -> list[Row] | None:
        """The rows of a read that sees at least as much; None if it cannot be made here. Raises
        Unavailable: it takes too long."""
        found = await self._read(Position(mark.timeline, mark.lsn), statement, args)
        return None if found is None else found[0]

    async def ended(self, mark: Mark) -> None:
        """Wait until the primary shows what was seen here. Raises Unavailable: it takes too
        long."""
        await self._positions.ended(mark.xid, WAIT)

    async def _begin(
        self, statement: Statement, args: Row, *others: Statement
    ) -> list[list[Row]] | None:
        found = None
        if self.up and (position := await self._positions.reach()) is not None:
            found = await self._read(position, statement, args, *others)
        if found is None:
            self.others += 1
        return found

    async def _read(
        self, position: Position, statement: Statement, args: Row, *others: Statement
    ) -> list[list[Row]] | None:
        try:
            found = await self._pool.run_after(position.check, statement, args, *others)
        except CancelledError:
            raise
        except BadValue:
            # The check failed, so what is known of the replica is wrong. Or it is the read's fault,
            # which the primary will say.
            self._positions.forget()
        except Unavailable as error:
            if error.cause == "time-out" and self.up:
                raise
            if error.cause not in {"searches", "pool"} or not self._pool.opened:
                self._fail(str(error))
        except Exception as error:
            self._fail(one_line(error))
        else:
            self.reads += 1
            return found
        return None

    async def _opened(self, *args: Any, timeout: float, **options: Any) -> Connection:
        """Open a connection to a replica of this very database. Raises Unavailable."""
        late = self._reactor.seconds() + timeout
        connection = None
        try:
            connection = await connect(*args, timeout=timeout, **options)
            with timer(self._reactor, timeout, connection.abandon):
                cursor = await execute(connection, _OPENED)
                self._require(connection, cursor.fetchone())
                await execute(connection, _SET + PREPARE_CHECK)
        except BaseException as error:
            if connection is not None:
                connection.abandon()
            if isinstance(error, Unavailable) and self._reactor.seconds() >= late:
                raise Unavailable(_SILENT) from None
            raise
        return connection

    def _require(self, connection: Connection, found: Row) -> None:
        *identity, pid, replica, receivers, allowed = found
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

    def _fail(self, reason: str) -> None:
        """Let nobody go to the replica for a while."""
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
        self._positions.end()
        self._retry = self._reactor.callLater(self._pauses.next(), self._probe)

    def _probe(self) -> None:
        Deferred.fromCoroutine(self._try())

    async def _try(self) -> None:
        """Find out whether the replica can be used."""
        try:
            needed = await self._ask_primary()
            with timer(self._reactor, CONNECT + LIFE, self._pool.abandon):
                await self._positions.catch_up(needed, LIFE)
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

    async def _ask_primary(self) -> Position:
        """Learn what its replicas must be. Gives its position. Raises Unavailable."""
        try:
            (self._identity,) = await self._primary.run(_SELF, ())
            position = await self._positions.of_primary()
        except Unavailable:
            raise Unavailable("the primary does not answer") from None
        if position is None:
            raise Unavailable("the server to write to is no primary")
        return position

    def _look(self) -> None:
        """Ask for a sign of life if a read takes long: the Postgres of a machine that has gone, or
        hangs, does not end it."""
        now = self._reactor.seconds()
        if self._pool.busy(now - self._limit):
            self._give_up()
        elif self.up and not self._doubtful and self._pool.busy(now - LONG):
            self._doubtful = True
            Deferred.fromCoroutine(self._require_life())

    async def _require_life(self) -> None:
        try:
            connection = await self._opened(
                self._reactor, self._dsn, timeout=LIFE, statement_timeout=self._limit
            )
        except Exception:
            self._give_up()
        else:
            connection.abandon()
        finally:
            self._doubtful = False

    def _give_up(self) -> None:
        self._fail(_SILENT)
        self._pool.abandon()
