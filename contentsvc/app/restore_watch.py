"""Stops using a database while it is being restored, and reads whether maintenance is on.

While it serves, this process holds a lock on `schema_marks` that conflicts only with dropping or
replacing the table. Every 3 s it checks whether somebody waits for that lock. Then, and whenever
the marks do not fit (contentsvc.store.schema_marks), it ends all that it does in the database, and
only then releases the lock. So no restore makes new tables while this process could write into
them, however seldom it checks: a restore would only wait longer. When the lock is free again and
the marks fit, the service goes on.

Most of a check's cost is to wake a process of Postgres. So the reconciler checks on a connection
that it uses anyway (`check`). The connection that holds the lock wakes once a minute for a check of
all that the schema must have, and whenever the reconciler is late or a check of its has failed.

Each check, and each heartbeat of the process, reads whether the service is closed for maintenance.
The reconciler checks half-way between heartbeats. If either is late, the watch checks itself: so
every process knows it within two seconds, whether or not it hears the others.
"""

from collections.abc import Awaitable, Callable
from math import inf
from typing import Any, Final, TypeVar

import psycopg2
from psycopg2.extensions import make_dsn
from twisted.internet.defer import CancelledError, Deferred, TimeoutError
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.timers import Bell, timer
from contentsvc.framework.db.connection import Connection, connect, execute, one_line
from contentsvc.framework.db.database import Alone, Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.pooler_check import PoolerError
from contentsvc.framework.db.statement import Row, Statement
from contentsvc.push.hub import Hub
from contentsvc.push.reconcile import Reconciler
from contentsvc.push.revocation import Revocation
from contentsvc.push.stream import RESTORING
from contentsvc.store import service
from contentsvc.store.migrate import MigrationError
from contentsvc.store.schema_marks import LACKING, MARKED, lacking
from contentsvc.tokens import Revoked

log = Logger()

T = TypeVar("T")

EVERY: Final = 3.5
"""Most seconds between two checks, by the reconciler or by the watch."""
UNREAD: Final = 1.75
"""Seconds after which the watch checks if nobody has read whether the service is closed. Heartbeats
and the reconciler read it every 1.5 s."""
AGAIN: Final = 0.25
"""Seconds between two checks while the database is being restored."""
TABLES: Final = 2
"""One of so many checks by the reconciler reads the tables too, which costs as much again."""
FULL: Final = 60.0
"""Seconds between two full checks of the schema, which are made if the catalogue has changed."""
ANYWAY: Final = 10
"""One of so many of those is made without a change too. It costs as much as 40 other checks."""
ANSWER: Final = 5.0
"""Seconds that a check may take."""
IDLE: Final = 90.0
"""Seconds without a check of its own after which the server takes the lock from a process that
hangs."""
BLINK: Final = 1.0
"""Seconds after which the sockets get their goodbye. Only to rewrite `schema_marks`, as VACUUM FULL
does, takes less."""
_RESTORING: Final = "somebody restores it"
_LOCK: Final = "begin; lock table schema_marks in access share mode nowait"
_WAITS: Final = Statement(
    "watch_waits",
    """
    select exists (
        select from pg_locks l
        where l.relation = 'schema_marks'::regclass and not l.granted
          and l.database = (select oid from pg_database where datname = current_database())
    ), 'schema_marks'::regclass::oid::bigint, maintenance_now()
    """,
    [],
    [],
)
_LACKING: Final = Statement("watch_lacking", LACKING, [], [])
CATALOGUE: Final = Statement(
    "watch_catalogue",
    """
    select case when current_setting('track_counts')::boolean then (
        select sum(
            pg_stat_get_tuples_inserted(c.table::regclass)
            + pg_stat_get_tuples_updated(c.table::regclass)
            + pg_stat_get_tuples_deleted(c.table::regclass)
        )::bigint
        from (values ('pg_class'), ('pg_attribute'), ('pg_constraint'), ('pg_index'),
                     ('pg_trigger'), ('pg_proc'), ('pg_type')) c ("table")
    ) end
    """,
    [],
    [],
)
"""What the server has counted of changes of the catalogue, temporary tables and all. A session's
count comes within 10 s of its commit. None if it counts nothing."""
END: Final = """
    select pg_stat_clear_snapshot();
    select count(pg_terminate_backend(pid)) from pg_stat_activity
    where pid = any(%s) and pid <> pg_backend_pid() and datname = current_database()
      and usename = current_user
"""
"""End connections, and count those that are still there. Without pg_stat_clear_snapshot, a
transaction would see them as they were when it first asked."""


class RestoreWatch:
    """Whether the database is being restored, as this process knows it. `dsn` is opened for a
    connection of its own. `migrate` brings the schema up to date. `maintenance` is called with
    the JSON of maintenance_now (SQL) each time that it was read."""

    def __init__(
        self,
        reactor: Any,
        dsn: str,
        migrate: Callable[[], Awaitable[object]],
        *,
        maintenance: Callable[[str], object],
        connect: Callable[..., Awaitable[Connection]] = connect,
    ) -> None:
        self._maintenance = maintenance
        self._read = -inf
        """When it was read whether the service is closed."""
        self._reactor = reactor
        self._dsn = make_dsn(dsn, application_name="contentsvc watch")
        self._migrate = migrate
        self._connect = connect
        self.on = False
        """Whether it is being restored."""
        self.first_check: Deferred[None] = Deferred()
        """Fires after the first check."""
        self._closed = False
        self._since = 0.0
        self._dismissed = False
        self._started = self._stopped = False
        self._connection: Connection | None = None
        self._seen = -inf
        """When it was last seen that nobody waits for the lock."""
        self._last_full = -inf
        """When the last full check of the schema began."""
        self._full_checks = self._checks = 0
        """Full checks so far, and checks by the reconciler."""
        self._catalogue: int | None = None
        self._table = self._before = 0
        self._bell = Bell(reactor)
        self._waiting: list[Deferred[bool]] = []
        """Statements that wait for the next check: is the database being restored?"""
        self._lasting: set[str] = set()
        """What was lacking though the schema is whole, such as a function of an extension that
        somebody has moved. No restore brings it back."""
        self._db: Database
        self._hub: Hub
        self._revocation: Revocation
        self._revoked: Revoked
        self._reconciler: Reconciler

    async def opened(self, reactor: Any, dsn: str, **options: Any) -> Connection:
        """Open a connection for the pool, if the marks fit. Raises Unavailable."""
        if self._closed:
            raise _unavailable(_RESTORING)
        try:
            connection = await self._connect(reactor, dsn, **options)
        except Unavailable as error:
            if _is_gone(error):
                self.recheck()
                raise _unavailable(str(error)) from error
            raise
        try:
            reason = await _fault(connection)
        except Unavailable:
            connection.abandon()
            raise
        if reason is not None or self._closed:
            connection.abandon()
            self.recheck()
            raise _unavailable(reason or _RESTORING)
        connection.lacks = self._lacks
        return connection

    def begin(self, reason: str) -> None:
        """It is being restored, as was found out before `start`."""
        self.on = self._closed = True
        self._since = self._reactor.seconds()
        _say(reason)

    def begin_once(self, reason: str) -> None:
        """The same, unless that is known already."""
        if not self.on:
            self.begin(reason)

    def start(
        self,
        db: Database,
        hub: Hub,
        revocation: Revocation,
        revoked: Revoked,
        reconciler: Reconciler,
    ) -> None:
        """Check from now on."""
        self._db, self._hub, self._revocation, self._revoked = db, hub, revocation, revoked
        self._reconciler = reconciler
        self._started = True
        Deferred.fromCoroutine(self._run()).addErrback(self._failed)

    def stop(self) -> None:
        """Check no more."""
        self._stopped = True
        self._leave()
        self._bell.ring()

    def heard(self, maintenance: str) -> None:
        """It was read whether the service is closed."""
        self._read = self._reactor.seconds()
        self._maintenance(maintenance)

    async def check(self) -> None:
        """Check on a connection of the pool. The reconciler does so before its own check. If this
        fails, the watch checks on its own connection before long."""
        connection = self._connection
        if self.on or self._stopped or connection is None:
            return
        if connection.broken:
            self.recheck()  # without the lock, nobody would wait for this process
            return
        count, self._checks = self._checks, self._checks + 1
        try:
            waits, maintenance = await service.signs(self._db)
            fits = waits or count % TABLES > 0 or await service.marked(self._db)
        except Unavailable as error:
            if error.cause in {"lock", "restoring"}:
                self.recheck()
            return
        if maintenance is not None:
            self.heard(maintenance)
        if waits or not fits:
            self.recheck()
        else:
            self._seen = self._reactor.seconds()

    def recheck(self) -> None:
        """Make a full check now: something has failed that a restore would explain."""
        self._last_full = -inf
        self._full_checks = 0
        self._bell.ring()

    async def _lacks(self, reason: str) -> bool:
        if self.on or self._stopped or not self._started:
            return True
        if reason in self._lasting:
            return False
        if not self._closed:
            # Log: a table or a function is missing. While somebody restores the database, the
            # request gets 503 `restoring`, and else 500. Do: see docs/guides/backups.md.
            log.warn("The database lacks what a statement needs: {reason}", reason=reason)
        asking: Deferred[bool] = Deferred()
        self._waiting.append(asking)
        self.recheck()
        try:
            if await asking.addTimeout(ANSWER, self._reactor):
                return True
        except TimeoutError:
            return True
        self._lasting.add(reason)
        return False

    def _answer(self, count: int, restoring: bool) -> None:
        """Answer so many of the statements that wait."""
        asking, self._waiting = self._waiting[:count], self._waiting[count:]
        for each in asking:
            each.callback(restoring)

    async def _run(self) -> None:
        try:
            while not self._stopped:
                self._bell.silence()
                await self._turn()
                if not self._stopped:
                    await self._rest()
        finally:
            self._stopped = True
            self._answer(len(self._waiting), True)

    async def _turn(self) -> None:
        """Check, and do what follows from it."""
        # A statement that fails from now on waits for the next check.
        count, seen = len(self._waiting), True
        try:
            reason = await self._check()
        except Unavailable as error:
            self._leave()
            seen = False
            reason = str(error) if error.cause == "restoring" or _is_gone(error) else None
            if error.cause == "lock":
                reason = _RESTORING
            if reason is not None:
                await self._shut(reason)
        else:
            if reason is not None:
                await self._shut(reason)
                self._leave()
            elif self.on:
                await self._go_on()
        self._answer(count, self.on or not seen)
        if not self.first_check.called:
            self.first_check.callback(None)
        if self.on and not self._stopped and self._reactor.seconds() - self._since >= BLINK:
            await self._dismiss()

    async def _rest(self) -> None:
        """Wait until the next check."""
        if self.on:
            await self._bell.wait(AGAIN)
            return
        began = self._reactor.seconds()
        while True:
            seen, read = max(began, self._seen), max(began, self._read)
            due = min(seen + EVERY, read + UNREAD)
            if self._connection is not None:
                due = min(due, self._last_full + FULL)
            left = due - self._reactor.seconds()
            if left <= 0 or await self._bell.wait(left):
                return

    async def _check(self) -> str | None:
        """Why the database must not be used; None if it may. Raises Unavailable."""
        connection = self._connection
        if connection is None or connection.broken:
            connection = await self._connect(
                self._reactor,
                self._dsn,
                timeout=ANSWER,
                statement_timeout=ANSWER,
                session={"idle_in_transaction_session_timeout": f"'{IDLE:.0f}s'"},
            )
            if self._stopped:
                connection.abandon()
                return None
            connection.lacks = _for_now
            self._connection, self._last_full, self._full_checks = connection, -inf, 0
            await self._ask(_LOCK)
        ((waits, self._table, maintenance),) = await self._rows(_WAITS)
        if maintenance is not None:
            self.heard(maintenance)
        if waits:
            return _RESTORING
        if not await self._answered(lambda each: service.marked(Alone(each))):
            return "its tables are not those that the service has made"
        began = self._reactor.seconds()
        if began >= self._last_full + FULL or self.on:
            # A transaction that never ends seems to be a fault, and a server may end it. Between
            # two statements it holds up no vacuum. A restore may get the lock between these two.
            # And within a transaction, counts stay as they were first read.
            await self._ask(f"commit; {_LOCK}")
            always = self._full_checks % ANYWAY == 0 or self.on
            self._last_full, self._full_checks = began, self._full_checks + 1
            return await self._check_all(always=always)
        return None

    async def _check_all(self, *, always: bool) -> str | None:
        """Why the database must not be used. Reads the schema if the catalogue has changed, or
        `always`."""
        # The count is from before the check: the next check sees what comes meanwhile.
        ((count,),) = await self._rows(CATALOGUE)
        before, self._catalogue = self._catalogue, None
        if always or count is None or count != before:
            reason = lacking(row[0] for row in await self._rows(_LACKING))
            if reason is not None:
                return reason
        self._catalogue = count
        return None

    async def _ask(self, sql: str, *args: object) -> Any:
        return await self._answered(lambda connection: execute(connection, sql, args or None))

    async def _rows(self, statement: Statement) -> list[Row]:
        return await self._answered(lambda connection: Alone(connection).run(statement, ()))

    async def _answered(self, ask: Callable[[Connection], Awaitable[T]]) -> T:
        connection = self._connection
        if connection is None:
            raise Unavailable("the connection is closed")
        with timer(self._reactor, ANSWER, connection.abandon):
            try:
                return await ask(connection)
            except psycopg2.Error as error:
                # Its tables may belong to another role, for example.
                raise _unavailable(one_line(error)) from error

    async def _shut(self, reason: str) -> None:
        """Stop using the database until it is whole."""
        if not self._closed:
            self._since = self._reactor.seconds()
            self._dismissed = False
            self._before = self._table
        if not self.on:
            _say(reason)
        self.on = self._closed = True
        self._lasting.clear()
        self._revoked.complete = False
        pids = [connection.process for connection in self._db.connections]
        self._db.abandon()
        connection = self._connection
        if pids and connection is not None and not connection.broken:
            # Their statements must have ended before the lock is released.
            deadline = self._reactor.seconds() + ANSWER
            try:
                own = (await self._ask("select pg_backend_pid()")).fetchone()[0]
                if own != connection.process:
                    return  # a pooler has given us other numbers
                while (await self._ask(END, pids)).fetchone()[0]:
                    if self._reactor.seconds() > deadline:
                        break
                    await self._bell.wait(0.02)
                    self._bell.silence()
            except Unavailable:
                pass

    async def _dismiss(self) -> None:
        if not self._dismissed:
            self._dismissed = True
            await self._hub.dismiss(RESTORING)

    async def _go_on(self) -> None:
        """The database is whole again."""
        if self._table != self._before:
            await self._dismiss()
        try:
            await self._migrate()
            self._closed = False
            await self._revocation.learn()
        except (Unavailable, MigrationError, PoolerError, psycopg2.Error) as error:
            self._closed = True
            # Log: for example, an upgrade has failed or waits. It is tried again. Do: remove the
            # cause that the line names.
            log.warn("The database is restored, but cannot be used yet: {reason}", reason=error)
            return
        self.on = False
        self._reconciler.ask()
        # Log: a restore has ended, and requests are served again.
        log.info("The database is whole: the service goes on")

    def _leave(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.abandon()

    def _failed(self, failure: Failure) -> None:
        if failure.check(CancelledError) is None:
            log.failure("The watch over the schema failed", failure)


async def _for_now(reason: str) -> bool:
    return True


async def _fault(connection: Connection) -> str | None:
    connection.lacks = _for_now
    try:
        cursor = await execute(connection, MARKED)
    except Unavailable as error:
        if error.cause == "lock":
            return _RESTORING
        if error.cause == "restoring":
            return str(error)
        raise
    except psycopg2.Error as error:
        return one_line(error)
    return None if cursor.fetchone()[0] else "its tables are not those that the service has made"


def _is_gone(error: Unavailable) -> bool:
    """Whether there is no such database, as between dropdb and createdb."""
    text = str(error)
    return 'database "' in text and "does not exist" in text


def _unavailable(reason: str) -> Unavailable:
    return Unavailable(f"the database is being restored: {reason}", "restoring")


def _say(reason: str) -> None:
    # Log: somebody restores it, or its schema is not whole. The line says why. Do: see
    # docs/guides/backups.md.
    log.warn(
        "The database is being restored: {reason}. All requests get 503 until contentsvc restore "
        "has ended, or contentsvc restore --finish after a restore by other means",
        reason=reason,
    )
