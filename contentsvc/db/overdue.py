"""Finds out that a server is gone which neither answers nor says so: frozen, or cut off.

Postgres ends statements by itself after their time-out, so one without an answer some seconds
later has no server; but for a COMMIT that waits for a standby, which may take for ever.
"""

from collections.abc import Awaitable, Callable, Set
from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import LoopingCall
from twisted.logger import Logger

GRACE = 5.0
"""Seconds beyond its time-out after which a statement is overdue."""
LOOK = 1.0
"""Seconds between looks for those that are."""

Where = tuple[str, int]
log = Logger()


class Watched(Protocol):
    """A connection. `since` is when the statement under way was sent, 0 if there is none."""

    where: Where | None
    since: float

    def abandon(self) -> None:
        """Close it, which fails the statement."""


class Overdue:
    """Looks at `connections`, whose statements may take `timeout` seconds.

    When one takes longer, `probe` makes a new connection and tells where it went, or None. All
    connections that go elsewhere are abandoned: to a server that answers no more, or to one that
    has been failed over from.
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
        self._loop = LoopingCall(self._look)
        self._loop.clock = reactor

    def start(self) -> None:
        """Begin to look."""
        self._loop.start(LOOK, now=False).addErrback(
            lambda failure: log.failure("The check for overdue statements failed", failure)
        )

    def stop(self) -> None:
        """Look no more. Does nothing if it has stopped."""
        if self._loop.running:
            self._loop.stop()

    def _look(self) -> Deferred[None] | None:
        late = self._reactor.seconds() - self._limit
        if any(0 < connection.since < late for connection in self._connections):
            return Deferred.fromCoroutine(self._leave_dead_servers())
        return None

    async def _leave_dead_servers(self) -> None:
        where = await self._probe()
        log.warn(
            "The database has not answered a statement in time. New connections go to {where}: "
            "closing those to other servers",
            where=where,
        )
        for connection in list(self._connections):
            if connection.where != where:
                connection.abandon()
            elif connection.since:
                connection.since = self._reactor.seconds()  # look again in as long a time
