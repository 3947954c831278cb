"""The push layer of a process, on a real Postgres, for tests of the relay."""

from collections.abc import Callable
from contextlib import closing
from random import Random
from typing import Any
from uuid import uuid4

import psycopg2
from psycopg2.extensions import make_dsn
from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredQueue
from twisted.internet.task import deferLater
from twisted.logger import LogEvent, globalLogPublisher
from twisted.trial.unittest import TestCase

from contentsvc.framework.core.signals import Signal
from contentsvc.framework.db.connection import Connection, connect, execute
from contentsvc.framework.db.database import Database
from contentsvc.push.bus import ANSWER, PostgresBus, ProcessReport
from contentsvc.push.hub import Hub
from contentsvc.push.notifier import Notifier
from contentsvc.push.reconcile import FULL_EVERY, Reconciler
from contentsvc.push.relay import TIMES, Relay
from contentsvc.push.revocation import Revocation
from contentsvc.push.stream import SIZES, Sizes
from contentsvc.store.notifications import streams
from contentsvc.tokens import Revoked
from tests.push.fakes import LIMITS, FakeSocket, delays
from tests.support import postgres
from tests.support.databases import POOL, fresh

NEVER = 3600.0


class Socket(FakeSocket):
    """A socket that a test can wait for."""

    def __init__(self, hub: Hub, user: str, session: str = "s1") -> None:
        super().__init__(hub, user, session)
        self.frames: DeferredQueue[dict[str, Any]] = DeferredQueue()
        self.ended: Deferred[None] = Deferred()
        self._read_states = 0

    def send(self, frame: bytes, alone: bool = False) -> None:
        super().send(frame)
        self.frames.put(self.seen[-1].message)

    def end(self, close: Any) -> None:
        super().end(close)
        if not self.ended.called:
            self.ended.callback(None)

    async def until(self, seq: int) -> list[int]:
        """The numbers it has got, when it has got this one."""
        while seq not in self.seqs:
            await self.frames.get()
        return self.seqs

    async def state(self) -> tuple[int, int]:
        """The next state that it has got, or gets."""
        while len(self.states) == self._read_states:
            await self.frames.get()
        self._read_states += 1
        return self.states[self._read_states - 1]


class WatchedHub(Hub):
    """A hub that says what it was asked for, when that is done: a test that waits runs on then."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.swept: DeferredQueue[None] = DeferredQueue()
        self.heard: DeferredQueue[tuple[str, int]] = DeferredQueue()
        self.states: DeferredQueue[str] = DeferredQueue()

    async def check(self) -> None:
        await super().check()
        self.swept.put(None)

    async def check_part(self) -> None:
        await super().check_part()
        self.swept.put(None)

    def noticed(self, user: str, seq: int) -> None:
        super().noticed(user, seq)
        self.heard.put((user, seq))

    def changed(self, user: str) -> None:
        super().changed(user)
        self.states.put(user)


class Process:
    """A process as in production: a pool, a hub and a relay. Its LISTEN connection has a name of
    its own."""

    def __init__(
        self,
        dsn: str,
        number: int,
        every: float,
        sizes: Sizes = SIZES,
        answer: float = ANSWER,
        full_every: float = FULL_EVERY,
        **relay: Any,
    ) -> None:
        self.name = f"relay {number}"
        self.broke: Signal[[]] = Signal()
        self.db = Database(reactor, dsn, **POOL | {"size": 2, "broke": self.broke})
        self.hub = WatchedHub(reactor, self.db, streams, delays(), **LIMITS, sizes=sizes)
        self.revoked = Revoked(reactor, reactor)
        self.report = ProcessReport()
        bus = PostgresBus(reactor, make_dsn(dsn, application_name=self.name), answer=answer)
        parts = {"report": self.report.report, "pool": self.db, "random": Random(number)}
        self.relay = Relay(reactor, bus, **parts | relay)
        self.revocation = Revocation(reactor, self.db, self.revoked, self.hub, self.relay)
        self.reconciler = Reconciler(
            reactor, self.hub, self.revocation, every=every, full_every=full_every
        )
        self.notifier = Notifier(self.hub, self.relay, delays())
        self.noticed, self.swept = self.hub.heard, self.hub.swept

    async def listen(self) -> None:
        """Begin, without the pool."""
        self.reconciler.start()
        await self.relay.start(self.hub, self.revocation, self.reconciler)
        self.broke.subscribe(self.relay.suspect_loss)

    async def start(self) -> None:
        """Begin, and be through with the reconciler that follows."""
        await self.db.start()
        await self.listen()
        await self.swept.get()

    async def stop(self) -> None:
        self.hub.stop()
        self.reconciler.stop()
        await self.relay.stop()
        self.db.stop()

    async def socket(self, user: str, session: str = "s1") -> Socket:
        """A socket that has got its hello."""
        socket = Socket(self.hub, user, session)
        socket.join()
        assert (await socket.frames.get())["type"] == "hello"
        return socket


async def closed() -> None:
    """Wait until no connection is left: one that a stopped process was opening is closed once it is
    there."""

    def left() -> bool:
        watched = [*reactor.getReaders(), *reactor.getWriters()]
        calls = [getattr(call.func, "__module__", "") for call in reactor.getDelayedCalls()]
        return (
            any(isinstance(each, Connection) for each in watched) or Connection.__module__ in calls
        )

    while left():
        await deferLater(reactor, 0)


class RelayTestCase(TestCase):
    every = NEVER
    full_every = FULL_EVERY
    times = TIMES._replace(first_pause=0.01)

    def setUp(self) -> None:
        self.dsn = fresh(postgres.embedded())
        self.addCleanup(postgres.drop, self.dsn)
        self.addCleanup(closed)
        self.processes: list[Process] = []

    def process_of(self, dsn: str, **relay: Any) -> Process:
        """One that has not begun."""
        relay = {"times": self.times, "full_every": self.full_every} | relay
        process = Process(dsn, len(self.processes), self.every, **relay)
        self.processes.append(process)
        self.addCleanup(process.stop)
        return process

    async def process(self, **relay: Any) -> Process:
        process = self.process_of(self.dsn, **relay)
        await process.start()
        return process

    async def payloads(self) -> "DeferredQueue[str]":
        """The payloads that the processes send each other from now on."""
        connection = await connect(reactor, self.dsn, timeout=30.0, statement_timeout=30.0)
        self.addCleanup(connection.abandon)
        heard: DeferredQueue[str] = DeferredQueue()
        connection.addNotifyObserver(lambda notify: heard.put(notify.payload))
        await execute(connection, "LISTEN contentsvc", None)
        return heard

    def lost(self) -> "Deferred[None]":
        """Fires once, in the turn in which a relay has noticed that its connection is lost."""
        lost: Deferred[None] = Deferred()

        def observe(event: LogEvent) -> None:
            if "Lost the LISTEN connection" in str(event.get("log_format")) and not lost.called:
                reactor.callLater(0, forget)

        def forget() -> None:
            globalLogPublisher.removeObserver(observe)
            lost.callback(None)

        globalLogPublisher.addObserver(observe)
        return lost

    async def lost_and_found(self, lose: Callable[[], object]) -> None:
        """Lose that of the first process, and wait until LISTEN is in force again."""
        process, lost = self.processes[0], self.lost()
        lose()
        await lost
        self.assertFalse(process.relay.alive)
        while not process.relay.alive:
            await process.swept.get()
        watched = [*reactor.getReaders(), *reactor.getWriters()]
        broken = [each for each in watched if isinstance(each, Connection) and each.broken]
        self.assertEqual(broken, [])

    def execute(self, sql: str, *args: object) -> list[tuple[Any, ...]]:
        """Run SQL on a connection that is no one's."""
        with closing(psycopg2.connect(self.dsn)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(sql, args or None)
                return cursor.fetchall() if cursor.description else []

    def user(self) -> str:
        ((user,),) = self.execute(
            "insert into users (username, email, password_hash) values (%s, %s, '') returning id",
            *[uuid4().hex[:20]] * 2,
        )
        return str(user)

    def backend(self, process: Process) -> int:
        """The process of the server at the other end of LISTEN."""
        ((pid,),) = self.execute(
            "select pid from pg_stat_activity where datname = current_database() "
            "and application_name = %s order by backend_start desc limit 1",
            process.name,
        )
        return int(pid)

    def kill(self, process: Process) -> None:
        """End that."""
        self.execute("select pg_terminate_backend(%s)", self.backend(process))
