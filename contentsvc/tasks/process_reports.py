"""Reports every few seconds that this process runs, and how it is. `contentsvc status` shows it."""

import os
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import version
from typing import NamedTuple
from uuid import uuid4

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime

from contentsvc.core.timers import Bell
from contentsvc.db.errors import Unavailable
from contentsvc.db.query import Db
from contentsvc.store import processes
from contentsvc.store.processes import Failing

EVERY = 5.0
"""Seconds between two reports."""
FAREWELL = 1.0
"""Seconds that the last report may take. Without it, others forget the process after a while."""


class Connected(NamedTuple):
    """How many sockets and users are connected."""

    sockets: int
    users: int


class Heartbeat:
    """The reports of this process. `connected` and `failing` say how it is now."""

    def __init__(
        self,
        reactor: IReactorTime,
        db: Db,
        connected: Callable[[], Connected],
        failing: Callable[[], Sequence[Failing]],
    ) -> None:
        self._reactor = reactor
        self._db = db
        self._connected = connected
        self._failing = failing
        self._id = str(uuid4())
        self._host = socket.gethostname()

    async def run(self) -> None:
        """Report."""
        connected = self._connected()
        await processes.report(
            self._db,
            self._id,
            host=self._host,
            pid=os.getpid(),
            version=version("contentsvc"),
            sockets=connected.sockets,
            users=connected.users,
            failing=self._failing(),
        )

    async def stop(self) -> None:
        """Report that the process ends, if the database answers soon."""
        # It is not cancelled: a connection that is being opened cannot be.
        over = Bell(self._reactor)
        Deferred.fromCoroutine(self._leave(over))
        await over.wait(FAREWELL)

    async def _leave(self, over: Bell) -> None:
        with suppress(Unavailable):
            await processes.leave(self._db, self._id)
        over.ring()
