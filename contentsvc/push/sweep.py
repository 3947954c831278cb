"""The sweep: a look, every few seconds, for what no other process has told."""

from typing import Protocol

from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.db.errors import Unavailable
from contentsvc.push.reports import Reports
from contentsvc.timers import Bell

EVERY = 4.0
"""Seconds between two looks."""
AGAIN = 1.0
"""Seconds until the next where one has failed."""

_WHAT = "look for missed notifications"

log = Logger()


class Hub(Protocol):
    """What is checked of the notifications."""

    async def check(self) -> None: ...


class Endings(Protocol):
    """What is learnt of the sessions."""

    async def learn(self) -> None: ...


class Sweep:
    """Looks every `every` seconds, and whenever it is asked to."""

    def __init__(
        self, reactor: IReactorTime, hub: Hub, endings: Endings, *, every: float = EVERY
    ) -> None:
        self._hub = hub
        self._endings = endings
        self._every = every
        self._due = Bell(reactor)
        self._reports = Reports(reactor)
        self._stopped = False

    def start(self) -> None:
        """Begin; the first look is in its time."""
        Deferred.fromCoroutine(self._run()).addErrback(self._failed)

    def stop(self) -> None:
        """Begin no further look."""
        self._stopped = True
        self._due.ring()

    def ask(self) -> None:
        """Have a look now."""
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
                if not self._stopped:  # else the database is being closed under it
                    self._reports.failed(_WHAT, error)

    async def _look(self) -> None:
        try:
            await self._endings.learn()
        except Unavailable as error:
            # Who holds a lock on the sessions holds none on what was missed.
            if error.cause == "lock":
                await self._hub.check()
            raise
        await self._hub.check()

    def _failed(self, failure: Failure) -> None:
        log.failure("The sweep failed", failure)
