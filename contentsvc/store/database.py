"""The connection pool, transactions, and what a lost database means.

txpostgres supplies the connections. Its pool is not used: it takes dead connections back.
Nothing here cancels a query because a client went away; whether a write commits is never
decided by the reader of the answer.
"""

from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg2
from psycopg2.extensions import make_dsn, parse_dsn
from twisted.internet.defer import CancelledError, Deferred, TimeoutError
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Cooperator
from twisted.logger import Logger
from twisted.python.failure import Failure
from txpostgres import txpostgres

from contentsvc.store.hosts import each_host
from contentsvc.store.overdue import Overdue, Where
from contentsvc.store.query import Row, Statement, prepare_all

log = Logger()

_KEEPALIVE = {
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
}
"""A server whose machine is gone is noticed within 25 s, else after hours."""
_DEAD = (psycopg2.Error, ValueError)
"""What txpostgres raises on a dead connection; ValueError where its descriptor is -1."""
_BROKEN_STATES = ("0A000", "25006", "26000")
"""Cached plan changed, the server became a standby, a statement is not prepared: a new
connection does not have the fault."""


class Unavailable(Exception):
    """The database does not answer, or every connection is busy. Trying again may help."""


class Refused(Exception):
    """A constraint refused a write; `constraint` is its name."""

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        self.constraint = constraint


class BadValue(Exception):
    """A value that Postgres cannot hold."""


class Connection(txpostgres.Connection):  # type: ignore[misc]
    """A txpostgres connection that notices its own death.

    Once it is open, `lost` is called as soon as the server closes it while it is idle, and
    `broken` is true from then on. txpostgres would raise from doRead into the reactor.
    """

    broken = False
    lost: Callable[[], None] | None = None
    where: Where | None = None
    """The host and port of its server."""
    since = 0.0
    """When the statement under way was sent, 0 if there is none."""

    def doRead(self) -> None:
        try:
            super().doRead()
        except _DEAD:
            self.abandon()

    def cursorFinished(self, cursor: Any) -> None:
        try:
            super().cursorFinished(cursor)
        except _DEAD:
            self.abandon()

    def abandon(self) -> None:
        """Close at once, and say so once."""
        if not self.broken:
            self.broken = True
            if self._connection is not None:
                self.close()
            if self.lost is not None:
                self.lost()


async def connect(
    reactor: Any, dsn: str, *, timeout: float, statement_timeout: float = 15.0
) -> Connection:
    """Open one connection within `timeout` seconds, of which each of several hosts has its
    share; statements on it end after `statement_timeout` seconds. Raises Unavailable.
    """
    hosts = each_host(dsn)
    deadline = reactor.seconds() + timeout
    reasons = []
    for tried, host in enumerate(hosts):
        share = max(0.0, deadline - reactor.seconds()) / (len(hosts) - tried)
        try:
            return await _connect(reactor, _full_dsn(host, statement_timeout), share)
        except Unavailable as error:
            reasons.append(str(error))
    raise Unavailable("; ".join(reasons))


async def _connect(reactor: Any, dsn: str, timeout: float) -> Connection:
    """txpostgres ignores connect_timeout, and cancelling its connect raises, so the timer
    closes the connection itself."""
    cooperator = Cooperator(scheduler=lambda turn: reactor.callLater(0, turn))
    connection = Connection(reactor, cooperator)

    def expire() -> None:
        if connection._connection is not None:
            connection.abandon()

    timer = reactor.callLater(timeout, expire)
    try:
        await connection.connect(dsn)
    except (psycopg2.Error, ConnectionDone) as error:
        # Else the reactor goes on watching a descriptor that somebody else will have.
        connection.abandon()
        raise Unavailable(_one_line(error)) from error
    finally:
        if timer.active():
            timer.cancel()
    info = connection._connection.info
    connection.where = info.host, info.port
    return connection


def _full_dsn(dsn: str, statement_timeout: float) -> str:
    given = parse_dsn(dsn)
    milliseconds = int(statement_timeout * 1000)
    options = (
        f"-c statement_timeout={milliseconds} -c lock_timeout={milliseconds} -c timezone=UTC "
        f"-c idle_in_transaction_session_timeout={milliseconds} -c jit=off"
    )
    full: str = make_dsn(
        dsn,
        **{key: given.get(key, value) for key, value in _KEEPALIVE.items()},
        options=f"{options} {given.get('options', '')}".strip(),
        application_name=given.get("application_name", "contentsvc"),
        client_encoding="UTF8",
    )
    return full


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


async def execute(connection: Connection, sql: str, args: Row | None = None) -> Any:
    """Run SQL on a connection that nobody else uses, and give the cursor.

    Raises Unavailable, Refused or BadValue. A connection that cannot be used any more has
    been abandoned by then.
    """
    if connection.broken:
        raise Unavailable("the connection is closed")
    connection.since = connection.reactor.seconds()
    try:
        return await connection.cursor().execute(sql, args)
    except psycopg2.IntegrityError as error:
        raise Refused(error.diag.constraint_name or "") from error
    except (psycopg2.DataError, ValueError) as error:
        # ValueError is psycopg2's for NUL and lone surrogates.
        raise BadValue(_one_line(error)) from error
    except CancelledError as error:
        # What txpostgres makes of Postgres's "canceling statement due to ... timeout".
        raise Unavailable("the statement took too long") from error
    except (psycopg2.OperationalError, psycopg2.InterfaceError, ConnectionDone) as error:
        connection.abandon()
        raise Unavailable(_one_line(error)) from error
    except psycopg2.Error as error:
        if error.pgcode not in _BROKEN_STATES:
            raise
        connection.abandon()
        raise Unavailable(_one_line(error)) from error
    finally:
        connection.since = 0.0


async def _run(connection: Connection, statement: Statement, args: Row, begin: str) -> list[Row]:
    cursor = await execute(connection, begin + statement.execute, args)
    if cursor.description is None:
        return []
    statement.check(cursor.description)
    try:
        rows: list[Row] = cursor.fetchall()
    except psycopg2.InterfaceError as error:
        # Abandoned between the answer and here.
        raise Unavailable(_one_line(error)) from error
    return rows


class Transaction:
    """One transaction under way; see Database.transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._begun = False
        self.callbacks: list[Callable[[], None]] = []

    async def run(self, statement: Statement, args: Row) -> list[Row]:
        """Run one statement; BEGIN travels with the first."""
        begin, self._begun = ("" if self._begun else "BEGIN;"), True
        return await _run(self._connection, statement, args, begin)

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call once the transaction has committed, in the order of registration."""
        self.callbacks.append(callback)

    async def commit(self) -> None:
        """Raises Unavailable: the outcome may be unknown, and is not tried again."""
        if not self._begun:
            return
        cursor = await execute(self._connection, "COMMIT")
        if cursor.statusmessage != "COMMIT":
            # Postgres answers ROLLBACK, and no error, where a failed statement was swallowed.
            raise RuntimeError("a transaction went on after an error inside it")

    async def rollback(self) -> None:
        """Never raises: a connection that cannot roll back is abandoned."""
        if self._begun and not self._connection.broken:
            try:
                await execute(self._connection, "ROLLBACK")
            except Exception:
                self._connection.abandon()


class Database:
    """A pool of at most `size` connections, opened as they are needed.

    A request waits at most `wait` seconds for one. `connect_timeout` and
    `statement_timeout` are seconds.
    """

    def __init__(
        self,
        reactor: Any,
        dsn: str,
        *,
        size: int = 8,
        wait: float = 5.0,
        connect_timeout: float = 5.0,
        statement_timeout: float = 15.0,
    ) -> None:
        self._reactor = reactor
        self.dsn = dsn
        self._size = size
        self._wait = wait
        self._connect_timeout = connect_timeout
        self._statement_timeout = statement_timeout
        self._idle: list[Connection] = []
        self._open: set[Connection] = set()
        self._opening = 0
        self._waiters: deque[Deferred[Connection]] = deque()
        self._stopped = False
        self._overdue = Overdue(reactor, self._open, statement_timeout, self._server)

    async def start(self) -> None:
        """Open the first connection. Raises Unavailable."""
        self._release(await self._acquire())
        self._overdue.start()

    def stop(self) -> None:
        """Close every connection; what still waits for one fails with Unavailable."""
        self._stopped = True
        self._overdue.stop()
        for connection in list(self._open):
            connection.abandon()
        self._fail_waiters(Unavailable("the service is stopping"))

    async def run(self, statement: Statement, args: Row) -> list[Row]:
        """Run one statement, which commits by itself."""
        connection = await self._acquire()
        try:
            return await _run(connection, statement, args, "")
        finally:
            self._release(connection)

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call at once: what ran before has committed."""
        callback()

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Transaction]:
        """Commit at the end of the block; roll back if it raises.

        The callbacks of after_commit run when COMMIT has been answered.
        """
        connection = await self._acquire()
        transaction = Transaction(connection)
        try:
            try:
                yield transaction
                await transaction.commit()
            except BaseException:
                await transaction.rollback()
                raise
        finally:
            self._release(connection)
        for callback in transaction.callbacks:
            try:
                callback()
            except Exception:
                log.failure("a callback after commit failed")

    async def _acquire(self) -> Connection:
        while self._idle:
            connection = self._idle.pop()
            if not connection.broken:
                return connection
        if self._stopped:
            raise Unavailable("the service is stopping")
        if len(self._open) + self._opening < self._size:
            return await self._connect()
        waiter: Deferred[Connection] = Deferred()
        self._waiters.append(waiter)
        waiter.addTimeout(self._wait, self._reactor)
        try:
            return await waiter
        except TimeoutError:
            self._waiters.remove(waiter)
            raise Unavailable("every database connection is busy") from None

    async def _connect(self) -> Connection:
        self._opening += 1
        try:
            connection = await self._open_prepared()
        except Exception as error:
            self._opening -= 1
            if not self._open and not self._opening:
                # Nobody is left who could hand a connection to those who wait.
                self._fail_waiters(error)
            raise
        self._opening -= 1
        if self._stopped:
            connection.abandon()
            raise Unavailable("the service is stopping")
        connection.lost = lambda: self._lost(connection)
        self._open.add(connection)
        return connection

    async def _server(self) -> Where | None:
        """Where a new connection goes."""
        with suppress(Unavailable):
            connection = await connect(self._reactor, self.dsn, timeout=self._connect_timeout)
            connection.abandon()
            return connection.where
        return None

    async def _open_prepared(self) -> Connection:
        connection = await connect(
            self._reactor,
            self.dsn,
            timeout=self._connect_timeout,
            statement_timeout=self._statement_timeout,
        )
        limit = self._statement_timeout + self._connect_timeout
        timer = self._reactor.callLater(limit, connection.abandon)
        try:
            await execute(connection, prepare_all())
        except BaseException:
            connection.abandon()
            raise
        finally:
            if timer.active():
                timer.cancel()
        return connection

    def _release(self, connection: Connection) -> None:
        if connection.broken:
            return
        if self._waiters:
            self._waiters.popleft().callback(connection)
        else:
            self._idle.append(connection)

    def _lost(self, connection: Connection) -> None:
        self._open.discard(connection)
        if connection in self._idle:
            self._idle.remove(connection)
        if self._waiters and not self._stopped:
            # Whoever waits for a connection gets the one that takes this one's place.
            replacement = Deferred.fromCoroutine(self._connect())
            replacement.addCallbacks(self._release, lambda failure: None)

    def _fail_waiters(self, error: Exception) -> None:
        waiters, self._waiters = self._waiters, deque()
        for waiter in waiters:
            waiter.errback(Failure(error))
