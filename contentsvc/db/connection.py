"""One connection: opened in bounded time, one statement at a time, its errors named.

txpostgres supplies the connection and its notifications. Its cursors are not used: they hand
each answer over one turn later, and take turns with the connection in the reactor, which
together costs as much as the statement.
"""

import re
from collections.abc import Callable
from typing import Any

import psycopg2
from psycopg2.extensions import POLL_OK, POLL_WRITE, make_dsn, parse_dsn
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Cooperator
from twisted.python.failure import Failure
from txpostgres import txpostgres

from contentsvc.db.errors import BadValue, Cause, Refused, Unavailable
from contentsvc.db.hosts import each_host
from contentsvc.db.lanes import Lane
from contentsvc.db.overdue import Where
from contentsvc.db.query import Row, Statement
from contentsvc.timers import cancel

LOCK_TIMEOUT = 1.5
"""Seconds that a statement waits for a lock, or less where its own time-out would come before: its
connection is missing elsewhere meanwhile. Where all are, those who ask whether the service is ready
wait for 2 s."""
_KEEPALIVE = {
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
}
"""A server whose machine is gone is noticed within 25 s, else after hours."""
_GIVEN = re.compile(r"(?:-c\s*|--)([\w-]+)\s*=")
"""The settings that options name."""
_DEAD = (psycopg2.Error, ValueError)
"""What txpostgres raises on a dead connection; ValueError where its descriptor is -1."""
_CAUSES: dict[str, Cause] = {
    "57014": "time-out",
    "55P03": "lock",
    "40P01": "lock",
    "40001": "lock",
    "53100": "disk",
    "53200": "memory",
    "53300": "pool",
}
"""By SQLSTATE: "canceling statement due to statement timeout", lock_not_available,
deadlock_detected, serialization_failure, disk_full, out_of_memory, too_many_connections."""
_VAGUE = (None, "58030", "XX000")
_SAID: dict[str, Cause] = {
    "No space left on device": "disk",
    "quota exceeded": "disk",
    "too many": "pool",
    "connection slots": "pool",
}
"""The same by what is said, where there is no SQLSTATE (as a connection is opened, from poolers),
or one that says no more than io_error and internal_error."""
_BROKEN_STATES = ("0A000", "25006", "26000")
"""Cached plan changed, the server became a standby, a statement is not prepared: a new
connection does not have the fault."""


class Connection(txpostgres.Connection):  # type: ignore[misc]
    """A txpostgres connection that runs statements itself, and notices its own death.

    Once it is open, `lost` is called as soon as the server closes it while it is idle, and
    `broken` is true from then on. txpostgres would raise from doRead into the reactor.
    """

    broken = False
    lost: Callable[[], None] | None = None
    where: Where | None = None
    """The host and port of its server."""
    since = 0.0
    """When the statement under way was sent, 0 if there is none."""
    lane: Lane | None = None
    """That of the work which it is used for."""
    prepared: set[Statement]
    """What can be run by EXECUTE alone."""
    unsure: set[Statement]
    """What was sent with its PREPARE and failed, be it before or after that was done."""
    _cursor: Any = None
    _answer: Deferred[Any] | None = None
    _reading = _writing = False
    """What the reactor is asked to tell, once it is open."""

    def opened(self) -> None:
        """Be told of what the server says from now on; txpostgres has asked the reactor."""
        self._reading = True
        self.prepared, self.unsure = set(), set()

    def statement(self, sql: str, args: Row | None) -> Deferred[Any]:
        """Send one; the cursor, when it has the answer. Fails with psycopg2's errors, or
        ConnectionDone. Raises psycopg2's errors, ValueError: it was not sent."""
        self._unwatch()
        try:
            cursor = self._connection.cursor()
            cursor.execute(sql, args)
        except BaseException:
            self._watch()
            raise
        self._cursor = cursor
        answer: Deferred[Any] = Deferred()
        self._answer = answer
        done = self._advance()
        if done is None:
            self._watch()
        else:
            # It has been answered while it was sent. Who asks would not expect that, and could
            # keep the reactor for as long as the server is that fast.
            self.reactor.callLater(0, self._deliver, answer, done)
        return answer

    def _advance(self) -> Any:
        """The cursor or the Failure, if the statement under way is done."""
        self._unwatch()
        try:
            state = self._connection.poll()
        except _DEAD:
            if self._answer is not None:
                return Failure()
            self.abandon()
            return None
        if state == POLL_WRITE:
            self._writing = True
            self.reactor.addWriter(self)
        return self._cursor if state == POLL_OK else None

    def _deliver(self, answer: Deferred[Any] | None, result: Any) -> None:
        if answer is not None and answer is self._answer:
            self._answer = self._cursor = None
            answer.callback(result)
        # Not before, for the next statement may be under way by now.
        self._watch()
        if not self.broken:
            self.checkForNotifies()

    def _proceed(self) -> None:
        done = self._advance()
        self._deliver(None if done is None else self._answer, done)

    # libpq closes the descriptor as soon as it reads of the end, be it to send a statement. The
    # reactor must not have it then.

    def _unwatch(self) -> None:
        if self._reading:
            self._reading = False
            self.reactor.removeReader(self)
        if self._writing:
            self._writing = False
            self.reactor.removeWriter(self)

    def _watch(self) -> None:
        if not (self._reading or self.broken or self.fileno() < 0):
            self._reading = True
            self.reactor.addReader(self)

    # txpostgres's own ways are for opening it.

    def doRead(self) -> None:
        """The server has said something, or closed."""
        if self._pollingD is not None:
            try:
                super().doRead()
            except _DEAD:
                self.abandon()
        elif self._reading:
            self._proceed()

    def doWrite(self) -> None:
        """The rest of a long statement can be sent."""
        if self._pollingD is not None:
            super().doWrite()
        elif self._writing:  # the reactor has both in one event, and doRead may have sent it
            self._proceed()

    def connectionLost(self, reason: Failure) -> None:
        """The reactor has found it closed, or it has been closed here."""
        if self._pollingD is not None:
            super().connectionLost(reason)
        else:
            self.abandon()
            self._deliver(self._answer, reason)

    def abandon(self) -> None:
        """Close at once, and say so once."""
        if not self.broken:
            self.broken = True
            self._unwatch()
            try:
                if self._connection is not None:
                    self.close()
            finally:
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
    cause: Cause = "outage"
    for tried, host in enumerate(hosts):
        share = max(0.0, deadline - reactor.seconds()) / (len(hosts) - tried)
        try:
            return await _connect(reactor, host, share, statement_timeout)
        except Unavailable as error:
            reasons.append(str(error))
            cause = error.cause
    raise Unavailable("; ".join(reasons), cause)


async def _connect(reactor: Any, dsn: str, timeout: float, statement_timeout: float) -> Connection:
    """txpostgres ignores connect_timeout, and cancelling its connect raises, so the timer
    closes the connection itself."""
    cooperator = Cooperator(scheduler=lambda turn: reactor.callLater(0, turn))
    connection = Connection(reactor, cooperator)

    def expire() -> None:
        if connection._connection is not None:
            connection.abandon()

    timer = reactor.callLater(timeout, expire)
    try:
        await connection.connect(_full_dsn(dsn))
        connection.opened()
        await execute(connection, _settings(dsn, statement_timeout))
    except Unavailable:
        connection.abandon()
        raise
    except (psycopg2.Error, ConnectionDone) as error:
        # Else the reactor goes on watching a descriptor that somebody else will have.
        connection.abandon()
        if isinstance(error, psycopg2.Error):
            raise unavailable(error) from error
        raise Unavailable(one_line(error)) from error
    finally:
        cancel(timer)
    info = connection._connection.info
    connection.where = info.host, info.port
    return connection


def _full_dsn(dsn: str) -> str:
    given = parse_dsn(dsn)
    full: str = make_dsn(
        dsn,
        **{key: given.get(key, value) for key, value in _KEEPALIVE.items()},
        application_name=given.get("application_name", "contentsvc"),
        client_encoding="UTF8",
    )
    return full


def _settings(dsn: str, statement_timeout: float) -> str:
    """What a connection is told first; not as it is opened, which pgbouncer refuses. What the
    DSN's own options say is left at that."""
    milliseconds = int(statement_timeout * 1000)
    values: dict[str, int | str] = {
        "statement_timeout": milliseconds,
        "lock_timeout": int(min(LOCK_TIMEOUT, 0.8 * statement_timeout) * 1000),
        "idle_in_transaction_session_timeout": milliseconds,
        "timezone": "'UTC'",
        "jit": "off",
    }
    given = {name.replace("-", "_").lower() for name in _GIVEN.findall(_options(dsn))}
    return ";".join(f"SET {name}={values[name]}" for name in values if name not in given)


def _options(dsn: str) -> str:
    options: str = parse_dsn(dsn).get("options", "")
    return options


def one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def unavailable(error: psycopg2.Error) -> Unavailable:
    """What the server's answer means."""
    reason = one_line(error)
    cause = _CAUSES.get(error.pgcode or "", "outage")
    if error.pgcode in _VAGUE:
        cause = next((meant for words, meant in _SAID.items() if words in reason), cause)
    return Unavailable(reason, cause)


async def execute(connection: Connection, sql: str, args: Row | None = None) -> Any:
    """Run SQL on a connection that nobody else uses, and give the cursor.

    Raises Unavailable, Refused or BadValue. A connection that cannot be used any more has
    been abandoned by then.
    """
    if connection.broken:
        raise Unavailable("the connection is closed")
    connection.since = connection.reactor.seconds()
    try:
        return await connection.statement(sql, args)
    except psycopg2.IntegrityError as error:
        raise Refused(error.diag.constraint_name or "") from error
    except (psycopg2.DataError, ValueError) as error:
        # ValueError is psycopg2's for NUL and lone surrogates.
        raise BadValue(one_line(error)) from error
    except CancelledError:
        # Nobody cancels one; but its answer would be taken for that of the next.
        connection.abandon()
        raise
    except psycopg2.OperationalError as error:
        cause = _CAUSES.get(error.pgcode or "")
        if cause is None or error.diag.severity_nonlocalized != "ERROR":
            connection.abandon()
        raise unavailable(error) from error
    except (psycopg2.InterfaceError, ConnectionDone) as error:
        connection.abandon()
        raise Unavailable(one_line(error)) from error
    except psycopg2.Error as error:
        meant = unavailable(error)
        if error.pgcode not in _BROKEN_STATES and meant.cause == "outage":
            raise
        connection.abandon()
        raise meant from error
    finally:
        connection.since = 0.0
