"""Notices a server that has silently gone: frozen, or cut off from the network.

Postgres itself ends a statement after its time-out. So a statement without an answer some seconds
later has no server. The exception is a COMMIT that waits for a standby: it may take forever.
"""

from collections.abc import Awaitable, Callable, Set
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

GRACE = 5.0
"""Seconds beyond its time-out after which a statement is overdue."""
CHECK = 1.0
"""Seconds between two checks for overdue statements."""

Where = tuple[str, int]
log = Logger()


class Watched(Protocol):
    """A connection. `since` is the time at which the running statement was sent; 0 if no statement
    runs."""

    where: Where | None
    since: float

    def abandon(self) -> None:
        """Close the connection. Its statement fails."""


class Overdue:
    """Watches `connections`, whose statements may take `timeout` seconds.

    If a statement takes longer, `probe` opens a new connection and gives the server that it
    reached, or None. If that is another one than the statement's, all connections to the server of
    the statement are abandoned: it does not answer any more, or has been replaced in a failover.
    If it reached none, all are.
    """

    def __init__(
        self,
        reactor: IReactorTime,
        connections: Set[Watched],
        timeout: float,
        probe: Callable[[], Awaitable[Where | None]],
    ) -> None:
        self._reactor = reactor
        self._connections = connections
        self._limit = timeout + GRACE
        self._probe = probe
        self._loop = LoopingCall(self._check)
        self._loop.clock = reactor

    def start(self) -> None:
        """Begin to check."""
        self._loop.start(CHECK, now=False).addErrback(
            lambda failure: log.failure("The check for overdue statements failed", failure)
        )

    def stop(self) -> None:
        """Stop checking. Does nothing if it has stopped."""
        if self._loop.running:
            self._loop.stop()

    def _check(self) -> Deferred[None] | None:
        late = self._reactor.seconds() - self._limit
        silent = {each.where for each in self._connections if 0 < each.since < late}
        return Deferred.fromCoroutine(self._leave_dead_servers(silent)) if silent else None

    async def _leave_dead_servers(self, silent: set[Where | None]) -> None:
        where = await self._probe()
        # Log: the server is frozen or has failed over. The process closes its connections to it.
        # Do: look at the old server.
        log.warn(
            "The database has not answered a statement in time. New connections go to {where}: "
            "closing those to the server that is silent",
            where=where,
        )
        for connection in list(self._connections):
            if where is None or (connection.where in silent and connection.where != where):
                connection.abandon()
            elif connection.since:
                connection.since = self._reactor.seconds()  # check again in as long a time
