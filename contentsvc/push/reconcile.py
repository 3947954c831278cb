"""The reconciler: it finds what other processes have committed and not announced.

While this process hears the others, and no process suspects that news was lost, each check reads
one of PARTS parts of the users. After a suspected loss a full check reads all users, and the
sessions that have ended. docs/design.md has the times.
"""

from collections.abc import Awaitable, Callable
from math import inf

from attrs import define, field
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.retries import Reports
from contentsvc.push.hub import Hub
from contentsvc.push.revocation import Revocation

EVERY = 4.0
"""Most seconds between two checks."""
HALF_WAY = 1.5
"""Seconds from a heartbeat to the next check, which is half-way to the next heartbeat."""
FULL_EVERY = 9.0
"""Least seconds between two full checks for suspected losses: what was committed after the first
began still has one second left of its ten."""
LEARN_EVERY = 20
"""One of so many checks reads the sessions that have ended, even if no loss is suspected."""
RETRY = 1.0
"""Seconds until the next check after one that failed."""

_WHAT = "look for missed notifications"

log = Logger()


@define(eq=False)
class Reconciler:
    """Checks half-way between two heartbeats, at most `every` seconds after the last check, and
    whenever it is asked. Suspected losses cause a full check every `full_every` seconds at most;
    the next check then reads the sessions too. `full_checks` counts the full checks.

    `first` is awaited before each check that is not full, and `then` is called after each check.
    `also` is awaited after the sessions were read: it reads what else processes hold in memory.
    Most of a check's cost is to wake a process of Postgres, and these calls find it awake.
    """

    _reactor: IReactorTime
    _hub: Hub
    _revocation: Revocation
    _first: Callable[[], Awaitable[object]] | None = field(default=None, kw_only=True)
    _then: Callable[[], object] = field(default=lambda: None, kw_only=True)
    _also: Callable[[], Awaitable[object]] | None = field(default=None, kw_only=True)
    _every: float = field(default=EVERY, kw_only=True)
    _full_every: float = field(default=FULL_EVERY, kw_only=True)
    _bell: Bell = field(init=False)
    _reports: Reports = field(init=False)
    _stopped: bool = field(default=False, init=False)
    _hears: bool = field(default=False, init=False)
    _full_due: float = field(default=inf, init=False)
    """When the next full check is due."""
    _full_began: float = field(default=-inf, init=False)
    """When the last full check began."""
    _since_learnt: int = field(default=LEARN_EVERY, init=False)
    """Checks since the sessions were read; LEARN_EVERY if the next check must read them."""
    _latest: float = field(default=inf, init=False)
    """When the next check comes if there is no heartbeat."""
    _next: float = field(default=inf, init=False)
    """When the next check comes if no loss is suspected."""
    full_checks: int = field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        self._bell = Bell(self._reactor)
        self._reports = Reports(self._reactor)

    def start(self) -> None:
        """Begin. The first check comes after `every` seconds."""
        Deferred.fromCoroutine(self._run()).addErrback(self._failed)

    def stop(self) -> None:
        """Check no more."""
        self._stopped = True
        self._bell.ring()

    def ask(self) -> None:
        """Make a full check now."""
        self._check_all_at(self._reactor.seconds())

    def hears(self, hears: bool) -> None:
        """This process hears the others from now on, or does not. Makes a full check now; while
        it does not hear them, each check is full."""
        self._hears = hears
        self.ask()

    def heartbeat(self) -> None:
        """This process has sent a heartbeat."""
        self._next = min(self._latest, self._reactor.seconds() + HALF_WAY)
        self._bell.ring()

    def suspect_loss(self) -> None:
        """Something that was committed may not be announced: make a full check soon."""
        self._since_learnt = LEARN_EVERY
        self._check_all_at(max(self._reactor.seconds(), self._full_began + self._full_every))

    def _check_all_at(self, time: float) -> None:
        if time < self._full_due:
            self._full_due = time
            self._bell.ring()

    async def _run(self) -> None:
        clock = self._reactor
        earliest = -inf
        self._next = self._latest = clock.seconds() + self._every
        while not self._stopped:
            pause = max(earliest, min(self._next, self._full_due)) - clock.seconds()
            if pause > 0:
                await self._bell.wait(pause)
                continue
            try:
                await self._check()
                self._reports.works(_WHAT)
                self._then()
                self._next = self._latest = clock.seconds() + self._every
            except Exception as error:
                earliest = clock.seconds() + min(self._every, RETRY)
                self._next = self._latest = earliest
                if not self._stopped:  # otherwise the database is being closed
                    self._reports.failed(_WHAT, error)

    async def _check(self) -> None:
        if self._first is not None and not self._must_check_all():
            await self._first()
        locked = None
        if self._since_learnt >= LEARN_EVERY or self._must_check_all():
            locked = await self._learn()
        self._since_learnt += 1
        if self._must_check_all():
            await self._check_all()
        else:
            await self._hub.check_part()
        if locked is not None:
            raise locked

    def _must_check_all(self) -> bool:
        return not self._hears or self._full_due <= self._reactor.seconds()

    async def _learn(self) -> Unavailable | None:
        """Read the sessions that have ended. Returns the error if somebody has locked that table:
        notifications can still be checked."""
        self._since_learnt = 0  # a loss suspected from now on is for the next check
        try:
            await self._revocation.learn()
            if self._also is not None:
                await self._also()
        except BaseException as error:
            self._since_learnt = LEARN_EVERY
            if isinstance(error, Unavailable) and error.cause == "lock":
                return error
            raise
        return None

    async def _check_all(self) -> None:
        self._full_began, self._full_due = self._reactor.seconds(), inf
        try:
            await self._hub.check()
        except BaseException:
            self._full_due = self._full_began
            raise
        self.full_checks += 1

    def _failed(self, failure: Failure) -> None:
        log.failure("The sweep failed", failure)
