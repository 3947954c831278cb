"""The connection pool, transactions, and what a lost database means.

The pool of txpostgres is not used: it takes dead connections back.
Nothing here cancels a query because a client went away; whether a write commits is never
decided by the reader of the answer.
"""

from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import psycopg2
from twisted.internet.defer import Deferred, TimeoutError
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.store.connection import Connection, connect, execute, one_line
from contentsvc.store.errors import Unavailable
from contentsvc.store.overdue import Overdue, Where
from contentsvc.store.query import Row, Statement, prepare_all
from contentsvc.store.together import Together

log = Logger()


async def _run(connection: Connection, statement: Statement, args: Row, begin: str) -> list[Row]:
    cursor = await execute(connection, begin + statement.execute, args)
    if cursor.description is None:
        return []
    statement.check(cursor.description)
    try:
        rows: list[Row] = cursor.fetchall()
    except psycopg2.InterfaceError as error:
        # Abandoned between the answer and here.
        raise Unavailable(one_line(error)) from error
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
        self._together = Together(reactor, self._run_alone)
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
        if statement.together is not None:
            return await self._together.rows(statement, args)
        return await self._run_alone(statement, args)

    async def _run_alone(self, statement: Statement, args: Row) -> list[Row]:
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
            raise Unavailable("every database connection is busy", "pool") from None

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
