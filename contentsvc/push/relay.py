"""News between the processes, over a bus.

The news has only ids: a user has notifications up to some seq, a user's read flags have changed or
notifications were deleted, what a user keeps may be another, or a session has ended. Or it is a
doubt: something that was committed may be untold. Or a task was put of which each process does a
part, or events have got numbers.

A process beats on the bus on which it tells. So a beat says that what it commits will be told, and
its silence that something may be untold.
"""

from collections.abc import Callable, Iterable, Iterator
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
from contentsvc.store.processes import Report

IDS = 120
"""Most ids in one payload: each needs 60 bytes with its number, and Postgres allows 7,999."""

UNANSWERED = 5.0
"""Seconds without an answer to a statement, after which its commit may be untold for long."""
LEAST = 0.5
"""Least seconds between two beats. While the database is slow, many may be late at once."""
PATIENCE = 0.5
"""Seconds that the bus may take before the process looks for what it may have missed."""
FAREWELL = 1.0
"""Seconds that the last news may take. Without it, others suspect the process."""

FEW = 8
"""Other processes beyond which each NOTIFY costs so much that news is gathered."""
GATHER = 0.01
"""Seconds for which news is gathered then, after the last that was told. What comes later than that
is told at once."""

_LISTEN = "listen to the other processes"
_BEAT = "tell the other processes that this one lives"

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
    doubt: bool = field(name="d", default=False)
    tasks: bool = field(name="t", default=False)
    events: int = field(name="e", default=0)


class Hub(Protocol):
    """Hears of notifications."""

    def noticed(self, user: str, seq: int) -> None: ...
    def changed(self, user: str) -> None: ...
    def library_changed(self, user: str) -> None: ...


class Revocation(Protocol):
    """Hears of sessions that were ended."""

    def heard(self, sids: Iterable[str]) -> None: ...


class Reconciler(Protocol):
    """Finds news that was not told, or came while this process did not listen."""

    def hears(self, hears: bool) -> None: ...
    def beat(self) -> None: ...
    def doubt(self) -> None: ...


class Pool(Protocol):
    """The connections on which this process commits."""

    @property
    def used(self) -> int: ...
    def busy(self, before: float, /) -> bool: ...


class Counts:
    """How much news a process has told or heard, and how many ids were in it."""

    def __init__(self) -> None:
        self.news = self.ids = 0

    def add(self, news: News) -> None:
        self.news += 1
        self.ids += len(news.seqs) + len(news.revoked) + len(news.changed) + len(news.libraries)


class Times(NamedTuple):
    """Times in seconds: between two beats, and before the bus is opened again. These pauses double
    from `first_pause` to `last_pause`."""

    beat: float = 3.0
    first_pause: float = FIRST_PAUSE
    last_pause: float = LAST_PAUSE


TIMES = Times()


class Relay:
    """Tells the other processes its news, and hears theirs.

    `report` says how this process is, `pool` what it is at. `alive` is True while the others are
    heard, and `listens` counts how often that has begun. `tasks` is called when another has put
    a task, `events` with the newest number when another has given some to events, and `maintenance`
    with what each beat has read of that: see the function maintenance_now.
    """

    _hub: Hub
    _revocation: Revocation
    _sweep: Reconciler

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
        self._next_beat = 0.0
        self._seqs: dict[str, int] = {}
        self._sids: set[str] = set()
        self._changed: set[str] = set()
        self._libraries: set[str] = set()
        self._doubt = self._tasks = False
        self._events = 0
        self._heard_tasks = tasks
        self._heard_events = events
        self._read_maintenance = maintenance
        self._turn = NextTurn(reactor, self._work.ring)
        self._gathering: IDelayedCall | None = None
        self._others = 0
        self._told = -GATHER
        self.sent, self.heard = Counts(), Counts()
        self._reports = Reports(reactor)

    async def start(self, hub: Hub, revocation: Revocation, sweep: Reconciler) -> None:
        """Listen from now on, and tell these objects the news. Tries as often as necessary. Done
        when the others are heard, and know of this process."""
        self._hub, self._revocation, self._sweep = hub, revocation, sweep
        listening: Deferred[None] = Deferred()
        self._listening = listening
        Deferred.fromCoroutine(self._serve()).addErrback(self._failed)
        await listening

    async def stop(self) -> None:
        """Tell the last news, and hear nothing more."""
        self._stopped = True
        self._work.ring()
        if self.alive:
            self._ended = Deferred()
            with timer(self._reactor, FAREWELL, self._bus.close):
                await self._ended
        self._bus.close()
        self._started()

    def announce(self, user: str, seq: int) -> None:
        """Tell the others that `user` has notifications up to `seq`.

        Without the bus the news is dropped: the others' sweeps find it.
        """
        if self.alive:
            self._seqs[user] = max(seq, self._seqs.get(user, 0))
            self._ask()

    def announce_changed(self, user: str) -> None:
        """Tell the others that read flags of `user` have changed, or notifications were deleted.
        Without the bus, their sweeps find it."""
        if self.alive:
            self._changed.add(user)
            self._ask()

    def announce_library(self, user: str) -> None:
        """Tell the others that what `user` keeps, or what of it can be had, may be another. Without
        the bus, their sweeps tell all who keep something."""
        if self.alive:
            self._libraries.add(user)
            self._ask()

    def announce_revoked(self, sid: str) -> None:
        """Tell the others that a session has ended. Without the bus, their sweeps find it."""
        if self.alive:
            self._sids.add(sid)
            self._ask()

    def announce_tasks(self) -> None:
        """Tell the others that a task was put of which each process does a part. Without the bus,
        they find it when they look for tasks."""
        if self.alive:
            self._tasks = True
            self._turn.ask()

    def announce_events(self, newest: int) -> None:
        """Tell the others that events have got numbers up to this one. Without the bus, they learn
        it with their next look for events that have none."""
        if self.alive:
            self._events = newest
            self._turn.ask()

    def doubt(self) -> None:
        """Have all processes look: something that this one has committed may be untold. Without
        the bus, they look because this process does not beat."""
        self._sweep.doubt()
        if self.alive:
            self._doubt = True
            self._turn.ask()

    def _ask(self) -> None:
        wait = self._told + GATHER - self._reactor.seconds()
        ids = sum(map(len, (self._seqs, self._sids, self._changed, self._libraries)))
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
        self._sweep.hears(True)  # for news from before
        # What this process committed meanwhile was not told.
        self._doubt = self.listens > 1
        self._next_beat = self._reactor.seconds()
        while self.alive and not self._stopped:
            due = self._next_beat <= self._reactor.seconds()
            if due and self._pool.busy(self._reactor.seconds() - UNANSWERED):
                self.doubt()
            # Until there is an answer, this process does not know who has died.
            with timer(self._reactor, PATIENCE, self._sweep.doubt):
                await self._tell()
            if due:
                with timer(self._reactor, PATIENCE, self._sweep.doubt):
                    await self._beat()
                self._started()
            await self._work.wait(max(0.0, self._next_beat - self._reactor.seconds()))
        if self.alive:
            await self._tell()
            if not self._pool.used:
                # Otherwise others shall suspect it: what runs may yet commit.
                await self._bus.leave(self._report().id)

    async def _tell(self) -> None:
        cancel(self._gathering)
        self._gathering = None
        payloads = list(self._payloads())
        if payloads:
            self._told = self._reactor.seconds()
            await self._bus.send(payloads)

    async def _beat(self) -> None:
        began = self._reactor.seconds()
        self._next_beat = began + self._times.beat
        try:
            others = await self._bus.beat(self._report())
        except Unavailable as error:
            if not self.alive:
                raise
            # Somebody has locked the table, for example. Nobody knows now who has died.
            self._reports.failed(_BEAT, error)
            self._sweep.doubt()
            return
        self._reports.works(_BEAT)
        self._sweep.beat()
        self._others = others.alive
        if others.maintenance is not None:
            self._read_maintenance(others.maintenance)
        if others.silent:
            self._sweep.doubt()
        # Not later than somebody would have been silent for too long.
        self._next_beat = min(self._next_beat, self._reactor.seconds() + max(others.left, LEAST))

    def _lost(self) -> None:
        if self.alive:
            self.alive = False
            if not self._stopped:
                # Log: the process hears of other processes' notifications only when it is back.
                # Do: if it repeats, look at the network and the database.
                log.warn("Lost the LISTEN connection to the database: connecting again")
                self._sweep.hears(False)
        self._seqs.clear()
        self._sids.clear()
        self._changed.clear()
        self._libraries.clear()
        self._doubt = self._tasks = False
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
        keepers, self._libraries = iter(self._libraries), set()
        while few := list(islice(keepers, IDS)):
            yield News(self._origin, libraries=few)
        doubt, self._doubt = self._doubt, False
        tasks, self._tasks = self._tasks, False
        events, self._events = self._events, 0
        if doubt or tasks or events:
            yield News(self._origin, doubt=doubt, tasks=tasks, events=events)

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
            for user, seq in news.seqs.items():
                self._hub.noticed(user, seq)
            for user in news.changed:
                self._hub.changed(user)
            for user in news.libraries:
                self._hub.library_changed(user)
            if news.doubt:
                self._sweep.doubt()
            if news.tasks:
                self._heard_tasks()
            if news.events:
                self._heard_events(news.events)

    def _failed(self, failure: Failure) -> None:
        log.failure("The relay failed", failure)
