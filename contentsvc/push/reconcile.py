"""The sweep: it looks for news that no other process has told.

It goes by evidence. While this process hears the others, and nobody says that something may be
untold, each look is at one of PARTS parts of the users. With evidence it is at all of them, and at
the sessions that have ended.
docs/design.md has the times.
"""

from collections.abc import Awaitable, Callable
from math import inf
from typing import Protocol

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.retries import Reports

EVERY = 4.0
"""Most seconds between two looks."""
HALF = 1.5
"""Seconds from a beat to the next look, which is half-way to the next beat."""
APART = 9.0
"""Seconds between two looks at all users, where a doubt asks for the second: what was committed
after the first began has still one second left of its ten."""
LEARN = 20
"""Each so manyth look is at the sessions that have ended, without a doubt too."""
AGAIN = 1.0
"""Seconds until the next look after one that failed."""

_WHAT = "look for missed notifications"

log = Logger()


class Hub(Protocol):
    """The checks of notifications."""

    async def check(self) -> None: ...
    async def check_part(self) -> None: ...


class Revocation(Protocol):
    """The check of sessions."""

    async def learn(self) -> None: ...


@define(eq=False)
class Reconciler:
    """Looks half-way between two beats, `every` seconds after the last look at most, and whenever
    it is asked. Doubts have it look at all users every `apart` seconds at most, and at the sessions
    with the next look. `looks` counts the looks at all users.

    `first` is awaited before each look without a doubt, and `then` is called after each: most of
    what a look costs is that a process of Postgres wakes up, and what comes with it finds it awake.
    """

    _reactor: IReactorTime
    _hub: Hub
    _revocation: Revocation
    _first: Callable[[], Awaitable[object]] | None = field(default=None, kw_only=True)
    _then: Callable[[], object] = field(default=lambda: None, kw_only=True)
    _every: float = field(default=EVERY, kw_only=True)
    _apart: float = field(default=APART, kw_only=True)
    _due: Bell = field(init=False)
    _reports: Reports = field(init=False)
    _stopped: bool = field(default=False, init=False)
    _hears: bool = field(default=False, init=False)
    _whole: float = field(default=inf, init=False)
    """When all users are to be looked at."""
    _looked: float = field(default=-inf, init=False)
    """When the last such look began."""
    _unlearnt: int = field(default=LEARN, init=False)
    """Looks since the sessions were looked at; LEARN if they are due."""
    _latest: float = field(default=inf, init=False)
    """When the next look comes without a beat."""
    _tick: float = field(default=inf, init=False)
    """When the next look comes without a doubt."""
    looks: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        self._due = Bell(self._reactor)
        self._reports = Reports(self._reactor)

    def start(self) -> None:
        """Begin. The first look comes after `every` seconds."""
        Deferred.fromCoroutine(self._run()).addErrback(self._failed)

    def stop(self) -> None:
        """Stop looking."""
        self._stopped = True
        self._due.ring()

    def ask(self) -> None:
        """Look at all users now."""
        self._look_at(self._reactor.seconds())

    def hears(self, hears: bool) -> None:
        """This process hears the others from now on, or does not: look at all users now, and with
        each look while it does not."""
        self._hears = hears
        self.ask()

    def beat(self) -> None:
        """This process has told that it lives."""
        self._tick = min(self._latest, self._reactor.seconds() + HALF)
        self._due.ring()

    def doubt(self) -> None:
        """Something that was committed may be untold: look at all users soon."""
        self._unlearnt = LEARN
        self._look_at(max(self._reactor.seconds(), self._looked + self._apart))

    def _look_at(self, time: float) -> None:
        if time < self._whole:
            self._whole = time
            self._due.ring()

    async def _run(self) -> None:
        clock = self._reactor
        earliest = -inf
        self._tick = self._latest = clock.seconds() + self._every
        while not self._stopped:
            pause = max(earliest, min(self._tick, self._whole)) - clock.seconds()
            if pause > 0:
                await self._due.wait(pause)
                continue
            try:
                await self._look()
                self._reports.works(_WHAT)
                self._then()
                self._tick = self._latest = clock.seconds() + self._every
            except Exception as error:
                earliest = clock.seconds() + min(self._every, AGAIN)
                self._tick = self._latest = earliest
                if not self._stopped:  # otherwise the database is being closed
                    self._reports.failed(_WHAT, error)

    async def _look(self) -> None:
        if self._first is not None and not self._doubts():
            await self._first()
        locked = None
        if self._unlearnt >= LEARN or self._doubts():
            locked = await self._learn()
        self._unlearnt += 1
        if self._doubts():
            await self._look_at_all()
        else:
            await self._hub.check_part()
        if locked is not None:
            raise locked

    def _doubts(self) -> bool:
        return not self._hears or self._whole <= self._reactor.seconds()

    async def _learn(self) -> Unavailable | None:
        """Look at the sessions. Gives the error if somebody has locked them, which is no lock on
        the notifications."""
        self._unlearnt = 0  # a doubt from now on is one for the next look
        try:
            await self._revocation.learn()
        except BaseException as error:
            self._unlearnt = LEARN
            if isinstance(error, Unavailable) and error.cause == "lock":
                return error
            raise
        return None

    async def _look_at_all(self) -> None:
        self._looked, self._whole = self._reactor.seconds(), inf
        try:
            await self._hub.check()
        except BaseException:
            self._whole = self._looked
            raise
        self.looks += 1

    def _failed(self, failure: Failure) -> None:
        log.failure("The sweep failed", failure)
