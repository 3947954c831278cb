"""News between the processes, over a bus.

News contains only ids. It says that a user has notifications up to some seq, that a user's read
flags have changed or notifications were deleted, that a user's library may have changed, that a
session has ended, or that a user was shut out of something. It may also say that news may have been
lost, that a task was put of which each process does a part, or that events were numbered.

A process sends its heartbeats on the same bus as its news. So a heartbeat says that what it commits
will be announced, and without heartbeats something that it committed may not be.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from random import Random
from typing import Annotated, Any, NamedTuple, Protocol
from uuid import uuid4

from msgspec import DecodeError, Meta, Struct, field, json
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.core.timers import Backoff, Bell, NextTurn, cancel, timer
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.retries import FIRST_PAUSE, LAST_PAUSE, Reports
from contentsvc.push.bus import Bus
from contentsvc.push.hub import Hub
from contentsvc.push.reconcile import Reconciler
from contentsvc.push.revocation import Revocation
from contentsvc.store.processes import Report

IDS = 120
"""Most ids in one payload: each needs 60 bytes with its number, and Postgres allows 7,999."""

UNANSWERED = 5.0
"""Seconds without an answer to a statement, after which news of its commit may be late."""
LEAST = 0.5
"""Least seconds between two heartbeats. While the database is slow, many may be late at once."""
BUS_PATIENCE = 0.5
"""Seconds that the bus may take before the process checks what it may have missed."""
FAREWELL = 1.0
"""Seconds that the last news may take. Without it, others suspect the process."""

FEW = 8
"""Other processes beyond which each NOTIFY costs so much that news is gathered."""
GATHER = 0.01
"""Seconds for which news is gathered then, after the last was sent. What comes later is sent at
once."""

_LISTEN = "listen to the other processes"
_HEARTBEAT = "tell the other processes that this one lives"

log = Logger()


class News(Struct, omit_defaults=True):
    """One payload of NOTIFY. Other releases may have fewer members or more."""

    origin: str = field(name="o")
    seqs: dict[str, Annotated[int, Meta(ge=1, le=2**63 - 1)]] = field(
        name="n", default_factory=dict
    )
    revoked: list[str] = field(name="r", default_factory=list)
    changed: list[str] = field(name="c", default_factory=list)
    libraries: list[str] = field(name="l", default_factory=list)
    restricted: list[str] = field(name="x", default_factory=list)
    suspicion: bool = field(name="d", default=False)
    tasks: bool = field(name="t", default=False)
    events: int = field(name="e", default=0)


class Pool(Protocol):
    """The connections on which this process commits."""

    @property
    def used(self) -> int: ...
    def busy(self, before: float, /) -> bool: ...


class RelayCounts:
    """How much news a process has sent or heard, and how many ids were in it."""

    def __init__(self) -> None:
        self.news = self.ids = 0

    def add(self, news: News) -> None:
        self.news += 1
        self.ids += len(news.seqs) + len(news.revoked) + len(news.changed) + len(news.libraries)
        self.ids += len(news.restricted)


class Times(NamedTuple):
    """Times in seconds: between two heartbeats, and before the bus is opened again. The pauses
    double from `first_pause` to `last_pause`."""

    heartbeat: float = 3.0
    first_pause: float = FIRST_PAUSE
    last_pause: float = LAST_PAUSE


TIMES = Times()


class Relay:
    """Sends this process's news to the other processes, and hears theirs.

    `report` gives the state of this process, `pool` its statements under way. `alive` is True while
    the others are heard, and `listens` counts how often that has begun. `tasks` is called when
    another process has put a task, `events` with the newest number when another has numbered
    events, `restricted` with the users whom another has shut out of something, and `maintenance`
    with what each heartbeat has read of maintenance_now (SQL).
    """

    _hub: Hub
    _revocation: Revocation
    _reconciler: Reconciler

    def __init__(
        self,
        reactor: Any,
        bus: Bus,
        report: Callable[[], Report],
        pool: Pool,
        *,
        random: Random,
        times: Times = TIMES,
        tasks: Callable[[], object] = lambda: None,
        events: Callable[[int], object] = lambda newest: None,
        maintenance: Callable[[str], object] = lambda text: None,
        restricted: Callable[[list[str]], object] = lambda users: None,
    ) -> None:
        self._reactor = reactor
        self._bus = bus
        self._report = report
        self._pool = pool
        self._times = times
        self._random = random
        self._origin = uuid4().hex
        self._decoder = json.Decoder(News)
        self.alive = False
        self.listens = 0
        self._stopped = False
        self._work = Bell(reactor)
        self._listening: Deferred[None] | None = None
        self._ended: Deferred[None] | None = None
        self._next_heartbeat = 0.0
        self._seqs: dict[str, int] = {}
        self._sids: set[str] = set()
        self._changed: set[str] = set()
        self._libraries: set[str] = set()
        self._restricted: set[str] = set()
        self._suspicion = self._tasks = False
        self._events = 0
        self._heard_tasks = tasks
        self._heard_events = events
        self._read_maintenance = maintenance
        self._heard_restricted = restricted
        self._turn = NextTurn(reactor, self._work.ring)
        self._gathering: IDelayedCall | None = None
        self._others = 0
        self._sent_at = -GATHER
        self.sent, self.heard = RelayCounts(), RelayCounts()
        self._reports = Reports(reactor)

    async def start(self, hub: Hub, revocation: Revocation, reconciler: Reconciler) -> None:
        """Listen from now on, and pass the news to these objects. Tries as often as necessary.
        Done when the others are heard, and know of this process."""
        self._hub, self._revocation, self._reconciler = hub, revocation, reconciler
        listening: Deferred[None] = Deferred()
        self._listening = listening
        Deferred.fromCoroutine(self._serve()).addErrback(self._failed)
        await listening

    async def stop(self) -> None:
        """Send the last news, and hear nothing more."""
        self._stopped = True
        self._work.ring()
        if self.alive:
            self._ended = Deferred()
            with timer(self._reactor, FAREWELL, self._bus.close):
                await self._ended
        self._bus.close()
        self._started()

    def announce(self, user: str, seq: int) -> None:
        """Announce that `user` has notifications up to `seq`.

        Without the bus the news is dropped: the others' reconcilers find it.
        """
        if self.alive:
            self._seqs[user] = max(seq, self._seqs.get(user, 0))
            self._schedule()

    def announce_changed(self, user: str) -> None:
        """Announce that read flags of `user` have changed, or notifications were deleted.
        Without the bus, the others' reconcilers find it."""
        if self.alive:
            self._changed.add(user)
            self._schedule()

    def announce_library(self, user: str) -> None:
        """Announce that the library of `user`, or what of it is available, may have changed.
        Without the bus, the others' reconcilers notify all users with a library."""
        if self.alive:
            self._libraries.add(user)
            self._schedule()

    def announce_revoked(self, sid: str) -> None:
        """Announce that a session has ended. Without the bus, the others' reconcilers find it."""
        if self.alive:
            self._sids.add(sid)
            self._schedule()

    def announce_restricted(self, user: str) -> None:
        """Announce that a user was shut out of something. Without the bus, the others' reconcilers
        find it."""
        if self.alive:
            self._restricted.add(user)
            self._schedule()

    def announce_tasks(self) -> None:
        """Announce that a task was put of which each process does a part. Without the bus, the
        others find it at their next check for tasks."""
        if self.alive:
            self._tasks = True
            self._turn.ask()

    def announce_events(self, newest: int) -> None:
        """Announce that events are numbered up to this one. Without the bus, the others learn it
        when they next number events."""
        if self.alive:
            self._events = newest
            self._turn.ask()

    def suspect_loss(self) -> None:
        """Have all processes make a full check: something that this one has committed may not be
        announced. Without the bus, they do so because this process sends no heartbeat."""
        self._reconciler.suspect_loss()
        if self.alive:
            self._suspicion = True
            self._turn.ask()

    def _schedule(self) -> None:
        wait = self._sent_at + GATHER - self._reactor.seconds()
        sets = self._sids, self._changed, self._libraries, self._restricted
        ids = len(self._seqs) + sum(map(len, sets))
        if self._others <= FEW or wait <= 0 or ids >= IDS:
            self._turn.ask()
        elif self._gathering is None:
            self._gathering = self._reactor.callLater(wait, self._work.ring)

    # Only _serve uses the bus.

    async def _serve(self) -> None:
        times = self._times
        pauses = Backoff(times.first_pause, times.last_pause, self._random)
        while not self._stopped:
            try:
                await self._bus.open(self._heard, self._lost)
                if not self._stopped:
                    self._reports.works(_LISTEN)
                    pauses.reset()
                    await self._speak()
            except Exception as error:
                if not self._stopped:  # otherwise it was closed for the stop
                    self._reports.failed(_LISTEN, error)
            self._bus.close()
            self._lost()
            self._work.silence()
            if not self._stopped:
                await self._work.wait(pauses.next())
        if self._ended is not None:
            self._ended.callback(None)

    async def _speak(self) -> None:
        self.alive = True
        self.listens += 1
        self._reconciler.hears(True)  # for news from before
        # What this process committed meanwhile was not announced.
        self._suspicion = self.listens > 1
        self._next_heartbeat = self._reactor.seconds()
        while self.alive and not self._stopped:
            due = self._next_heartbeat <= self._reactor.seconds()
            if due and self._pool.busy(self._reactor.seconds() - UNANSWERED):
                self.suspect_loss()
            # Until there is an answer, this process does not know who has died.
            with timer(self._reactor, BUS_PATIENCE, self._reconciler.suspect_loss):
                await self._send()
            if due:
                with timer(self._reactor, BUS_PATIENCE, self._reconciler.suspect_loss):
                    await self._send_heartbeat()
                self._started()
            await self._work.wait(max(0.0, self._next_heartbeat - self._reactor.seconds()))
        if self.alive:
            await self._send()
            if not self._pool.used:
                # Otherwise others shall suspect a loss: what runs may still commit.
                await self._bus.leave(self._report().id)

    async def _send(self) -> None:
        cancel(self._gathering)
        self._gathering = None
        payloads = list(self._payloads())
        if payloads:
            self._sent_at = self._reactor.seconds()
            await self._bus.send(payloads)

    async def _send_heartbeat(self) -> None:
        began = self._reactor.seconds()
        self._next_heartbeat = began + self._times.heartbeat
        try:
            others = await self._bus.heartbeat(self._report())
        except Unavailable as error:
            if not self.alive:
                raise
            # Somebody has locked the table, for example. Nobody knows now who has died.
            self._reports.failed(_HEARTBEAT, error)
            self._reconciler.suspect_loss()
            return
        self._reports.works(_HEARTBEAT)
        self._reconciler.heartbeat()
        self._others = others.alive
        if others.maintenance is not None:
            self._read_maintenance(others.maintenance)
        if others.silent:
            self._reconciler.suspect_loss()
        # Not later than somebody would have been silent for too long.
        self._next_heartbeat = min(
            self._next_heartbeat, self._reactor.seconds() + max(others.left, LEAST)
        )

    def _lost(self) -> None:
        if self.alive:
            self.alive = False
            if not self._stopped:
                # Log: the process hears of other processes' notifications only when it is back.
                # Do: if it repeats, look at the network and the database.
                log.warn("Lost the LISTEN connection to the database: connecting again")
                self._reconciler.hears(False)
        self._seqs.clear()
        self._sids.clear()
        self._changed.clear()
        self._libraries.clear()
        self._restricted.clear()
        self._suspicion = self._tasks = False
        self._events = 0
        cancel(self._gathering)
        self._gathering = None
        self._work.ring()

    def _started(self) -> None:
        if self._listening is not None:
            listening, self._listening = self._listening, None
            listening.callback(None)

    def _payloads(self) -> Iterator[str]:
        for news in self._news():
            self.sent.add(news)
            yield json.encode(news).decode()

    def _news(self) -> Iterator[News]:
        seqs, self._seqs = iter(self._seqs.items()), {}
        while some := dict(islice(seqs, IDS)):
            yield News(self._origin, seqs=some)
        sids, self._sids = iter(self._sids), set()
        while few := list(islice(sids, IDS)):
            yield News(self._origin, revoked=few)
        users, self._changed = iter(self._changed), set()
        while few := list(islice(users, IDS)):
            yield News(self._origin, changed=few)
        users, self._libraries = iter(self._libraries), set()
        while few := list(islice(users, IDS)):
            yield News(self._origin, libraries=few)
        users, self._restricted = iter(self._restricted), set()
        while few := list(islice(users, IDS)):
            yield News(self._origin, restricted=few)
        suspicion, self._suspicion = self._suspicion, False
        tasks, self._tasks = self._tasks, False
        events, self._events = self._events, 0
        if suspicion or tasks or events:
            yield News(self._origin, suspicion=suspicion, tasks=tasks, events=events)

    def _heard(self, payload: str) -> None:
        try:
            news = self._decoder.decode(payload)
        except (DecodeError, RecursionError) as error:
            # Log: another program uses the channel `contentsvc` in this database. Do: give the
            # service a database of its own.
            log.warn("Ignored a NOTIFY payload that cannot be read: {error}", error=error)
            return
        if news.origin != self._origin:
            self.heard.add(news)
            self._revocation.heard(news.revoked)
            if news.restricted:
                self._heard_restricted(news.restricted)
            for user, seq in news.seqs.items():
                self._hub.noticed(user, seq)
            for user in news.changed:
                self._hub.changed(user)
            for user in news.libraries:
                self._hub.library_changed(user)
            if news.suspicion:
                self._reconciler.suspect_loss()
            if news.tasks:
                self._heard_tasks()
            if news.events:
                self._heard_events(news.events)

    def _failed(self, failure: Failure) -> None:
        log.failure("The relay failed", failure)
