"""The connection pool, transactions, and the handling of a lost database.

The pool of txpostgres is not used, because it takes dead connections back. Nothing here cancels a
query because a client went away: the reader of an answer never decides whether a write commits.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from math import inf
from typing import Any, Protocol

import psycopg2
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall, deferLater
from twisted.logger import Logger

from contentsvc.framework.core.concurrency import Bulkhead, Full, KeyedQueue
from contentsvc.framework.core.request_timing import client, waiting
from contentsvc.framework.db.connection import Connection, connect, execute, one_line
from contentsvc.framework.db.connection_bulkhead import SEARCHES, ConnectionBulkhead, busy
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.db.read_batches import ReadBatches
from contentsvc.framework.db.silent_server import Overdue, Where
from contentsvc.framework.db.statement import Row, Statement, parted
from contentsvc.framework.db.write_batches import WriteBatches

SLOW = 0.5
"""Seconds after which a statement counts as slow, and its lane with it."""
CHECK = 0.25
"""Seconds between two checks for slow statements and for callers that have waited too long."""
_WAITING = 100
"""The most large requests that may wait for their turn."""
REST = 0.25
"""The longest rest, in seconds, after a large request."""
AGAIN = 1.0
"""Seconds before a server that accepts no more connections is asked again."""
STALLED = 5.0
"""Seconds without an answer after which the pool counts as stalled."""
_IS_PREPARED = "select from pg_prepared_statements where name = %s"

log = Logger()


async def _run(connection: Connection, statement: Statement, args: Row, begin: str) -> list[Row]:
    if statement in connection.prepared:
        cursor = await execute(connection, begin + statement.execute, args)
    else:
        cursor = await _run_first(connection, statement, args, begin)
    if cursor.description is None:
        return []
    statement.check(cursor.description)
    try:
        rows: list[Row] = cursor.fetchall()
    except psycopg2.InterfaceError as error:
        # The connection was abandoned after its answer came.
        raise Unavailable(one_line(error)) from error
    return rows


async def _run_first(connection: Connection, statement: Statement, args: Row, begin: str) -> Any:
    """Send PREPARE and EXECUTE in one message. The statement stays prepared even if the EXECUTE
    fails or is rolled back."""
    prepare = statement.prepare
    if statement in connection.unsure:
        found = await execute(connection, _IS_PREPARED, (statement.name,))
        if found.rowcount:
            prepare = ""
    connection.unsure.add(statement)
    cursor = await execute(connection, begin + prepare + statement.execute, args)
    connection.unsure.remove(statement)
    connection.prepared.add(statement)
    return cursor


def _ignored(seconds: float) -> None:
    pass


class Alone:
    """Runs statements on one connection that nobody else uses. Each commits by itself."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def run(self, statement: Statement, args: Row) -> list[Row]:
        """Run one statement."""
        return await _run(self._connection, statement, args, "")

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call at once."""
        callback()


class Transaction:
    """One open transaction; see Database.transaction. It gets its connection from `acquire` at its
    first statement."""

    def __init__(self, acquire: Callable[[Statement], Awaitable[Connection]]) -> None:
        self._acquire = acquire
        self.connection: Connection | None = None
        self.callbacks: list[Callable[[], None]] = []

    async def run(self, statement: Statement, args: Row) -> list[Row]:
        """Run one statement; BEGIN travels with the first."""
        begin = ""
        if self.connection is None:
            self.connection = await self._acquire(statement)
            begin = "BEGIN;"
        if statement.batch is None:
            return await _run(self.connection, statement, args, begin)
        form, arguments = statement.batched([args])
        (rows,) = parted(await _run(self.connection, form, arguments, begin), 1)
        return rows

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call `callback` after the commit. Callbacks run in the order of registration."""
        self.callbacks.append(callback)

    async def commit(self) -> None:
        """Raises Unavailable: the outcome may be unknown, and the commit is not tried again."""
        if self.connection is None:
            return
        cursor = await execute(self.connection, "COMMIT")
        if cursor.statusmessage != "COMMIT":
            # Postgres answers ROLLBACK without an error if the caller has swallowed a failed
            # statement.
            raise RuntimeError("a transaction went on after an error inside it")

    async def rollback(self) -> None:
        """Never raises: a connection that cannot roll back is abandoned."""
        if self.connection is not None and not self.connection.broken:
            try:
                await execute(self.connection, "ROLLBACK")
            except Exception:
                self.connection.abandon()


class ReplicaReads(Protocol):
    """A replica on which reads can be made; see contentsvc.framework.db.replica."""

    async def rows(self, statement: Statement, args: Row) -> list[Row] | None:
        """The rows of a read; None if it cannot be made there now. Raises Unavailable: it takes too
        long."""

    def whole(self) -> Db:
        """Runs the statements of an answer with a whole list."""


class Database:
    """A pool of at most `size` connections, opened as they are needed.

    A request waits at most `wait` seconds for one. `connect_timeout` and `statement_timeout` are
    seconds. `clock` measures how long callers wait, the reactor by default; `opener` opens a
    connection as `connect` does. `waited` is called with the seconds that a caller has waited for a
    connection, if it had to. `searches` may run at once, a quarter by default. `session` has
    further settings of each connection. `broke` is called when a connection is lost while it is in
    use: what ran on it may have committed.
    """

    replica: ReplicaReads | None = None
    """The place of the reads that may be made on a replica."""

    def __init__(
        self,
        reactor: Any,
        dsn: str,
        *,
        size: int,
        statement_timeout: float,
        wait: float = 5.0,
        connect_timeout: float = 5.0,
        clock: IReactorTime | None = None,
        opener: Callable[..., Awaitable[Connection]] = connect,
        waited: Callable[[float], object] = _ignored,
        searches: int | None = None,
        session: Mapping[str, str] | None = None,
        broke: Callable[[], object] = lambda: None,
    ) -> None:
        self._reactor = reactor
        self._broke = broke
        self._clock: IReactorTime = reactor if clock is None else clock
        self._opener = partial(opener, session=session) if session else opener
        self._waited = waited
        self.dsn = dsn
        self.size = size
        self._wait = wait
        self._connect_timeout = connect_timeout
        self._statement_timeout = statement_timeout
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()
        self._opening = 0
        self._bulkhead = ConnectionBulkhead(size, searches)
        self._rows = KeyedQueue[str]()
        self._large = Bulkhead[str](1, _WAITING)
        self._rested = -inf
        """When the next large request may have its turn."""
        self._stopped = False
        self._read_batches = ReadBatches(reactor, self._run_alone)
        self._write_batches = WriteBatches(reactor, self._run_alone)
        self._overdue = Overdue(reactor, self._open, statement_timeout, self._server)
        self._checks = LoopingCall(self._check)
        self._checks.clock = self._clock
        self._restore = 0.0
        self._released = False
        self._still = 0.0

    async def start(self) -> None:
        """Open the first connection. Raises Unavailable."""
        self._release(await self._acquire("start"))
        self.begin()

    def begin(self) -> None:
        """Begin without a connection: the database cannot be used yet. `start` does so too."""
        self._overdue.start()
        self.watch()

    def watch(self) -> None:
        """Begin to check for slow statements and for callers that have waited too long. `start`
        does."""
        self._checks.start(CHECK, now=False).addErrback(
            lambda failure: log.failure("The check for slow statements failed", failure)
        )

    def stop(self) -> None:
        """Close every connection. Callers that still wait for one fail with Unavailable."""
        self._stopped = True
        self._overdue.stop()
        if self._checks.running:
            self._checks.stop()
        self.abandon()
        self._rows.fail(Unavailable("the service is stopping"))
        self._large.fail(Unavailable("the service is stopping"))
        self._bulkhead.fail(Unavailable("the service is stopping"))

    def abandon(self) -> None:
        """Close every connection. What runs on them fails."""
        for connection in list(self._open):
            connection.abandon()

    def busy(self, before: float) -> bool:
        """Whether a statement runs that was sent before this time."""
        return any(0 < connection.since < before for connection in self._open)

    @property
    def connections(self) -> list[Connection]:
        """The present connections."""
        return list(self._open)

    @property
    def opened(self) -> int:
        """How many connections there are."""
        return len(self._open)

    @property
    def used(self) -> int:
        """How many connections are in use, or being opened for somebody."""
        return self._bulkhead.running

    @property
    def waiting(self) -> int:
        """How many callers wait for a connection."""
        return self._bulkhead.waiting

    @property
    def stalled(self) -> bool:
        """Whether no connection has been given back for STALLED seconds, while somebody waits or
        all are in use."""
        return self._still >= STALLED

    async def run(self, statement: Statement, args: Row) -> list[Row]:
        """Run one statement, which commits by itself."""
        if statement.batch is not None:
            return await self._write_batches.rows(statement, statement.batch, args)
        if statement.together is not None:
            return await self._read_batches.rows(statement, statement.together, args)
        if statement.replica and self.replica is not None:
            rows = await self.replica.rows(statement, args)
            if rows is not None:
                return rows
        if statement.lane == SEARCHES:
            async with self._search() as since:
                return await self._run_alone(statement, args, since)
        return await self._run_alone(statement, args)

    def whole(self) -> Db:
        """Runs the statements of an answer with a whole list, none of which sees less than those
        before."""
        return self if self.replica is None else self.replica.whole()

    async def _run_alone(
        self, statement: Statement, args: Row, since: float | None = None
    ) -> list[Row]:
        connection = await self._acquire(statement.lane, since)
        try:
            return await _run(connection, statement, args, self._limit(statement))
        finally:
            self._release(connection)

    def _limit(self, statement: Statement) -> str:
        """What is sent before the statement, to limit its time."""
        if statement.seconds is None or statement.seconds >= self._statement_timeout:
            return ""
        # A message of several statements is a transaction, at whose end this is over.
        return f"SET LOCAL statement_timeout={int(statement.seconds * 1000)};"

    @asynccontextmanager
    async def _search(self) -> AsyncIterator[float]:
        """The turn of a search of the present client, for the block. Gives the time at which the
        search came. Raises Unavailable."""
        asking, came = client(), self._clock.seconds()
        try:
            with waiting("pool", self._clock):
                await self._bulkhead.enter_search(asking, came)
        finally:
            if self._clock.seconds() > came:
                self._waited(self._clock.seconds() - came)
        try:
            yield came
        finally:
            self._bulkhead.leave_search(asking)

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call at once: the statements before have committed."""
        callback()

    def transaction(self, row: str | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Commit at the end of the block; roll back if it raises.

        Transactions with the same `row`, which they lock first, take turns in this process: those
        that wait for the lock do not use all connections. The callbacks of after_commit run when
        COMMIT has been answered.

        Raises Unavailable.
        """
        return self._transaction() if row is None else self._in_turn(row)

    @asynccontextmanager
    async def _in_turn(self, row: str) -> AsyncIterator[Transaction]:
        with waiting("turn", self._clock):
            await self._rows.enter(row, self._clock.seconds())
        try:
            async with self._transaction() as transaction:
                yield transaction
        finally:
            self._rows.leave(row)

    @asynccontextmanager
    async def large(self, user: str) -> AsyncIterator[None]:
        """A turn for a large request of a user. This process has one such turn at a time, and users
        alternate. After each there is a rest of as long as it took, at most REST: so other requests
        have half of the time, however many large ones there are.

        Raises Unavailable.
        """
        with waiting("turn", self._clock):
            try:
                await self._large.take(user, self._clock.seconds())
            except Full:
                raise Unavailable("too many large requests wait", "pool") from None
        try:
            # The clock may have been set back.
            if (rest := min(self._rested - self._clock.seconds(), REST)) > 0:
                await deferLater(self._clock, rest)
            began = self._clock.seconds()
            try:
                yield
            finally:
                now = self._clock.seconds()
                self._rested = now + min(now - began, REST)
        finally:
            self._large.leave(user)

    @asynccontextmanager
    async def _transaction(self) -> AsyncIterator[Transaction]:
        transaction = Transaction(lambda statement: self._acquire(statement.lane))
        try:
            try:
                yield transaction
                await transaction.commit()
            except BaseException:
                await transaction.rollback()
                raise
        finally:
            if transaction.connection is not None:
                self._release(transaction.connection)
        for callback in transaction.callbacks:
            try:
                callback()
            except Exception:
                log.failure("A callback after a commit failed")

    async def _acquire(self, name: str, since: float | None = None) -> Connection:
        """A connection for work in this lane, which came now or at `since`. Raises Unavailable."""
        lane = self._bulkhead.lane(name)
        while True:
            if not self._bulkhead.enter(lane):
                began = self._clock.seconds()
                try:
                    with waiting("pool", self._clock):
                        await self._bulkhead.wait(lane, began if since is None else since)
                finally:
                    self._waited(self._clock.seconds() - began)
            while self._idle:
                connection = self._idle.pop()
                if not connection.broken:
                    connection.lane = lane
                    return connection
            try:
                with waiting("pool", self._clock):
                    connection = await self._connect()
            except BaseException as error:
                full = isinstance(error, Unavailable) and error.cause == "pool"
                if full and (self._open or self._opening):
                    # The server accepts no more for now. The present connections serve everybody.
                    self._bulkhead.withhold(lane)
                    self._restore = self._clock.seconds() + AGAIN
                    continue
                self._bulkhead.leave(lane)
                raise
            connection.lane = lane
            return connection

    def _made(self) -> Awaitable[Connection]:
        return self._opener(
            self._reactor,
            self.dsn,
            timeout=self._connect_timeout,
            statement_timeout=self._statement_timeout,
        )

    async def _connect(self) -> Connection:
        if self._stopped:
            raise Unavailable("the service is stopping")
        self._opening += 1
        try:
            connection = await self._made()
        except Exception as error:
            self._opening -= 1
            if not self._open and not self._opening:
                # The other connections would fail too, one after the other.
                self._bulkhead.fail(error)
            raise
        self._opening -= 1
        if self._stopped:
            connection.abandon()
            raise Unavailable("the service is stopping")
        connection.lost = lambda: self._lost(connection)
        self._open.add(connection)
        return connection

    def _release(self, connection: Connection) -> None:
        self._released = True
        lane, connection.lane = connection.lane, None
        if not connection.broken:
            self._idle.append(connection)
        if lane is not None:
            self._bulkhead.leave(lane)

    def _lost(self, connection: Connection) -> None:
        self._open.discard(connection)
        if connection in self._idle:
            self._idle.remove(connection)
        elif not self._stopped:
            self._broke()

    def _check(self) -> None:
        still = self._bulkhead.wanting and not self._released
        self._still = self._still + CHECK if still else 0.0
        self._released = False
        now = self._clock.seconds()
        late = now - SLOW
        self._rows.expire(
            now - self._wait,
            lambda row: Unavailable("others write the same for too long", "lock"),
        )
        self._large.expire(
            now - self._wait, lambda user: Unavailable("large requests wait for too long", "pool")
        )
        self._bulkhead.expire(now - self._wait, busy)
        self._write_batches.check(now - self._wait)
        if self._bulkhead.withheld and now > self._restore:
            self._bulkhead.restore()
        self._bulkhead.note_slow(
            {c.lane for c in self._open if 0 < c.since < late and c.lane is not None}
        )

    async def _server(self) -> Where | None:
        """Open a connection, and give the host and port that it reached; None if it reached
        none."""
        with suppress(Unavailable):
            connection = await self._made()
            connection.abandon()
            return connection.where
        return None
