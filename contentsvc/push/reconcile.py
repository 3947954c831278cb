"""The sweep: every few seconds it looks for news that no other process has told."""

from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.core.timers import Bell
from contentsvc.db.errors import Unavailable
from contentsvc.push.retries import Reports

EVERY = 4.0
"""Seconds between two looks."""
AGAIN = 1.0
"""Seconds until the next look after one that failed."""

_WHAT = "look for missed notifications"

log = Logger()


class Hub(Protocol):
    """The check of notifications."""

    async def check(self) -> None: ...


class Revocation(Protocol):
    """The check of sessions."""

    async def learn(self) -> None: ...


class Reconciler:
    """Looks every `every` seconds, and whenever it is asked."""

    def __init__(
        self, reactor: IReactorTime, hub: Hub, revocation: Revocation, *, every: float = EVERY
    ) -> None:
        self._hub = hub
        self._revocation = revocation
        self._every = every
        self._due = Bell(reactor)
        self._reports = Reports(reactor)
        self._stopped = False

    def start(self) -> None:
        """Begin. The first look comes after `every` seconds."""
        Deferred.fromCoroutine(self._run()).addErrback(self._failed)

    def stop(self) -> None:
        """Stop looking."""
        self._stopped = True
        self._due.ring()

    def ask(self) -> None:
        """Look now."""
        self._due.ring()

    async def _run(self) -> None:
        pause = self._every
        while not self._stopped:
            await self._due.wait(pause)
            pause = self._every
            try:
                await self._look()
                self._reports.works(_WHAT)
            except Exception as error:
                pause = min(self._every, AGAIN)
                if not self._stopped:  # otherwise the database is being closed
                    self._reports.failed(_WHAT, error)

    async def _look(self) -> None:
        try:
            await self._revocation.learn()
        except Unavailable as error:
            # A lock on the sessions is no lock on the notifications.
            if error.cause == "lock":
                await self._hub.check()
            raise
        await self._hub.check()

    def _failed(self, failure: Failure) -> None:
        log.failure("The sweep failed", failure)
