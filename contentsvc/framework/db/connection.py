"""One connection. It opens in bounded time, runs one statement at a time, and names its errors.

txpostgres supplies the connection and its notifications, but its cursors are not used. They deliver
each answer one turn later, and take turns with the connection in the reactor. Both together cost as
much as the statement.
"""

import os
import re
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, NoReturn

import psycopg2
from msgspec import json
from psycopg2.extensions import (
    POLL_OK,
    POLL_WRITE,
    make_dsn,
    new_type,
    parse_dsn,
    register_type,
)
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Cooperator
from twisted.python.failure import Failure

from contentsvc.framework.core.request_timing import CURRENT
from contentsvc.framework.core.timers import cancel
from contentsvc.framework.db.connection_bulkhead import Lane
from contentsvc.framework.db.errors import BadValue, Cause, Refused, Unavailable
from contentsvc.framework.db.hosts import Resolver, each_host
from contentsvc.framework.db.silent_server import Where
from contentsvc.framework.db.statement import Row, Statement
from contentsvc.framework.db.txpostgres_internals import PolledConnection

LOCK_TIMEOUT = 1.5
"""Seconds that a statement waits for a lock; less if its own time-out would come first. Its
connection is not available to others meanwhile. If all connections wait like this, `/health/ready`
waits too, and it gives up after 2 s."""
_KEEPALIVE = {
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
}
"""With these, a server whose machine has gone is noticed within 25 s. Without them it takes
hours."""
_GIVEN = re.compile(r"(?:-c\s*|--)([\w-]+)\s*=")
"""Finds the names of the settings in a DSN's `options`."""
_DEAD = (psycopg2.Error, ValueError, OSError)
"""These are raised on a dead connection: ValueError if it has no descriptor."""
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
"""The cause by the text of the error. It is needed where an error has no SQLSTATE (as a connection
opens, or from a pooler), and where the SQLSTATE is only io_error or internal_error."""
_LACKING = frozenset(("42P01", "42703", "42704", "42883", "42P10", "3F000"))
"""By SQLSTATE: undefined_table, undefined_column, undefined_object, undefined_function,
invalid_column_reference (ON CONFLICT without a key), invalid_schema_name. All statements are right
on a whole schema."""
_LACKS = ("could not open relation with OID", "cache lookup failed for")
"""What an internal_error says where something was dropped while a statement ran."""
_BROKEN_STATES = ("0A000", "25006", "26000")
"""The cached plan has changed, the server has become a standby, or a statement is not prepared. A
new connection does not have the fault."""


def _read_json(text: str | None, cursor: object) -> Any:
    # An empty object is what most content has of attributes.
    return None if text is None else {} if text == "{}" else json.decode(text)


_RESOLVER = Resolver()


# Psycopg's own reading of JSON takes ten times as long, in each row of a list of content.
_JSON = new_type((114,), "JSON", _read_json)


class Connection(PolledConnection):
    """A txpostgres connection that runs statements itself, and notices its own death.

    When the server closes an open connection that is idle, `lost` is called at once and `broken`
    becomes true. txpostgres would raise from doRead into the reactor instead.

    libpq closes its descriptor whenever it finds that the connection has ended, and somebody else
    may get the same number at once. So the reactor has another descriptor of the same socket, which
    nobody else closes.
    """

    broken = False
    lost: Callable[[], None] | None = None
    lacks: Callable[[str], Awaitable[bool]] | None = None
    """Asked with the reason when the database lacks what a statement needs: whether it does so only
    for now, because it is being restored. Without it, such a failure is as any other."""
    where: Where | None = None
    """The address and port of its server."""
    process = 0
    """The server's process for it, as the server, or a pooler, has said at the opening."""
    since = 0.0
    """The time at which the running statement was sent; 0 if no statement runs."""
    lane: Lane | None = None
    """The lane of the work that uses the connection now."""
    prepared: set[Statement]
    """The statements that EXECUTE alone can run."""
    unsure: set[Statement]
    """The statements that failed in the message that also had their PREPARE. They may be prepared
    or not."""
    _cursor: Any = None
    _socket: socket.socket | None = None
    """What the reactor watches."""
    _stale = False
    """Whether that may be another one by now."""
    _answer: Deferred[Any] | None = None
    _reading = _writing = False
    """The events that the reactor watches for, once the connection is open."""

    def opened(self) -> None:
        """Begin to watch for messages of the server. txpostgres has already asked the reactor
        to."""
        self._reading = True
        self.prepared, self.unsure = set(), set()

    def statement(self, sql: str, args: Row | None) -> Deferred[Any]:
        """Send one statement. The result is the cursor, when it has the answer. Fails with
        psycopg2's errors, or ConnectionDone. Raises psycopg2's errors or ValueError if the
        statement was not sent."""
        self._unwatch()
        try:
            cursor = self.raw.cursor()
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
            # The answer came while the statement was sent. Callers do not expect an answer so soon,
            # and could keep the reactor for as long as the server is that fast.
            self.reactor.callLater(0, self._deliver, answer, done)
        return answer

    def _advance(self) -> Any:
        """The cursor or the Failure, if the statement under way is done."""
        self._unwatch()
        try:
            state = self.raw.poll()
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
        # Not earlier: the next statement may run by now.
        self._watch()
        if not self.broken:
            self.checkForNotifies()

    def _proceed(self) -> None:
        done = self._advance()
        self._deliver(None if done is None else self._answer, done)

    def continuePolling(self, swallowErrors: bool = False) -> None:
        """Go on with the opening. libpq may do so on another socket, such as without TLS where it
        was refused with it."""
        self._stale = True
        super().continuePolling(swallowErrors)

    def fileno(self) -> int:
        """The descriptor that the reactor watches; -1 if there is none."""
        if self._stale:
            self._stale = False
            with suppress(OSError, psycopg2.Error):
                self._follow(self.raw.fileno())
        return -1 if self._socket is None else self._socket.fileno()

    def _follow(self, number: int) -> None:
        if self._socket is not None:
            if os.path.sameopenfile(self._socket.fileno(), number):
                return
            self._socket.close()
        self._socket = socket.socket(fileno=os.dup(number))

    def close(self) -> None:
        """Close the connection."""
        try:
            super().close()
        finally:
            if self._socket is not None:
                self._socket.close()
                self._socket = None

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

    # txpostgres itself handles the event while the connection opens.

    def doRead(self) -> None:
        """The server has sent something, or has closed the connection."""
        if self.opening is not None:
            try:
                super().doRead()
            except _DEAD:
                self.abandon()
        elif self._reading:
            self._proceed()

    def doWrite(self) -> None:
        """The rest of a long statement can be sent."""
        if self.opening is not None:
            super().doWrite()
        elif self._writing:  # the reactor has both in one event, and doRead may have sent it
            self._proceed()

    def connectionLost(self, reason: Failure) -> None:
        """The reactor found the connection closed, or this process has closed it."""
        if self.opening is not None:
            super().connectionLost(reason)
        else:
            self.abandon()
            self._deliver(self._answer, reason)

    def abandon(self) -> None:
        """Close the connection at once, and report it once."""
        if not self.broken:
            self.broken = True
            self._unwatch()
            try:
                if self.raw is not None:
                    self.close()
            finally:
                if self.lost is not None:
                    self.lost()


async def connect(
    reactor: Any,
    dsn: str,
    *,
    timeout: float,
    statement_timeout: float,
    session: Mapping[str, str] | None = None,
) -> Connection:
    """Open one connection within `timeout` seconds, which several hosts and addresses share.
    Statements on the connection end after `statement_timeout` seconds. `session` has further
    settings of it. Raises Unavailable."""
    settings = _settings(dsn, statement_timeout, session or {})

    async def reach(host: str, share: float) -> Connection:
        late = reactor.seconds() + share
        addresses = await _RESOLVER.each_address(reactor, host, share)
        return await _first(reactor, addresses, late - reactor.seconds(), connect_to)

    async def connect_to(address: str, share: float) -> Connection:
        return await _connect(reactor, address, share, settings)

    return await _first(reactor, each_host(dsn), timeout, reach)


async def _first(
    reactor: Any,
    tries: list[str],
    timeout: float,
    act: Callable[[str, float], Awaitable[Connection]],
) -> Connection:
    """The first that succeeds. They share the seconds."""
    deadline = reactor.seconds() + timeout
    reasons = dict[str, None]()
    cause: Cause = "outage"
    for tried, one in enumerate(tries):
        share = max(0.0, deadline - reactor.seconds()) / (len(tries) - tried)
        try:
            return await act(one, share)
        except Unavailable as error:
            reasons[str(error)] = None
            cause = error.cause
    raise Unavailable("; ".join(reasons), cause)


async def _connect(reactor: Any, dsn: str, timeout: float, settings: str) -> Connection:
    """The timer closes the connection itself: txpostgres ignores connect_timeout, and raises if its
    connect is cancelled."""
    cooperator = Cooperator(scheduler=lambda turn: reactor.callLater(0, turn))
    connection = Connection(reactor, cooperator)

    def expire() -> None:
        if connection.raw is not None:
            connection.abandon()

    timer = reactor.callLater(timeout, expire)
    try:
        await connection.connect(_full_dsn(dsn))
        connection.opened()
        await execute(connection, settings)
    except Unavailable:
        connection.abandon()
        raise
    # ValueError and OSError are the reactor's: the connection has closed just as it opened, and
    # there is no descriptor to watch.
    except (psycopg2.Error, ConnectionDone, ValueError, OSError) as error:
        # Otherwise the reactor goes on watching a descriptor that somebody else will get.
        connection.abandon()
        if isinstance(error, psycopg2.Error):
            raise unavailable(error) from error
        raise Unavailable(one_line(error)) from error
    finally:
        cancel(timer)
    register_type(_JSON, connection.raw)
    info = connection.raw.info
    connection.where = info.dsn_parameters.get("hostaddr") or info.host, info.port
    connection.process = info.backend_pid
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


def _settings(dsn: str, statement_timeout: float, session: Mapping[str, str]) -> str:
    """The SET statements that a connection gets first. They are not part of its opening, because
    pgbouncer refuses that. Settings that the DSN's own options name are left alone."""
    milliseconds = int(statement_timeout * 1000)
    values: dict[str, int | str] = {
        "statement_timeout": milliseconds,
        "lock_timeout": int(min(LOCK_TIMEOUT, 0.8 * statement_timeout) * 1000),
        "idle_in_transaction_session_timeout": milliseconds,
        "timezone": "'UTC'",
        "jit": "off",
        # The service announces its commits itself: schema/functions/tell_untold.sql.
        "contentsvc.tells": "on",
        **session,
    }
    given = {name.replace("-", "_").lower() for name in _GIVEN.findall(_options(dsn))}
    return ";".join(f"SET {name}={values[name]}" for name in values if name not in given)


def _options(dsn: str) -> str:
    options: str = parse_dsn(dsn).get("options", "")
    return options


def one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def unavailable(error: psycopg2.Error) -> Unavailable:
    """The error that the server's answer stands for."""
    reason = one_line(error)
    cause = _CAUSES.get(error.pgcode or "", "outage")
    if error.pgcode in _VAGUE:
        cause = next((meant for words, meant in _SAID.items() if words in reason), cause)
    return Unavailable(reason, cause)


async def _fail(connection: Connection, error: psycopg2.Error) -> NoReturn:
    """Raise the error, or Unavailable if another connection may not have it. This one has then been
    abandoned."""
    meant = unavailable(error)
    if (
        connection.lacks is not None
        and (error.pgcode in _LACKING or any(words in str(meant) for words in _LACKS))
        and await connection.lacks(str(meant))
    ):
        meant = Unavailable(str(meant), "restoring")
    elif error.pgcode not in _BROKEN_STATES and meant.cause == "outage":
        raise error
    connection.abandon()
    raise meant from error


async def execute(connection: Connection, sql: str, args: Row | None = None) -> Any:
    """Run SQL on a connection that nobody else uses, and give the cursor.

    Raises Unavailable, Refused or BadValue. By then, a connection that cannot be used any more has
    been abandoned.
    """
    if connection.broken:
        raise Unavailable("the connection is closed")
    connection.since = began = connection.reactor.seconds()
    try:
        return await connection.statement(sql, args)
    except psycopg2.IntegrityError as error:
        raise Refused(error.diag.constraint_name or "") from error
    except (psycopg2.DataError, ValueError) as error:
        # ValueError is psycopg2's for NUL and lone surrogates.
        raise BadValue(one_line(error)) from error
    except CancelledError:
        # Nobody cancels a statement. If it happened, its answer would be taken for that of the
        # next.
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
        connection.since = 0.0  # it has been answered
        await _fail(connection, error)
    finally:
        connection.since = 0.0
        timing = CURRENT.get()
        if timing is not None:
            # As RequestTiming.ran does: a call costs as much as all this.
            took = connection.reactor.seconds() - began
            timing.database += took
            timing.statements += 1
            if took > timing.slowest:
                timing.slowest, timing.sql = took, sql
