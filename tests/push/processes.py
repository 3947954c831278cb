"""The push layer of a process, on a real Postgres, for tests of the relay."""

from contextlib import closing
from functools import cache
from random import Random
from typing import Any
from uuid import uuid4

import psycopg2
from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredQueue
from twisted.trial.unittest import TestCase

from contentsvc.db.database import Database
from contentsvc.push import relay as relay_module
from contentsvc.push.hub import Hub
from contentsvc.push.notifier import Notifier
from contentsvc.push.relay import Relay
from contentsvc.store import notifications
from contentsvc.store.migrate import migrate
from contentsvc.tokens import Revoked
from tests.push.fakes import FakeSocket
from tests.support import postgres

NEVER = 3600.0


@cache
def template() -> str:
    """A database with the schema in it."""
    url = postgres.database(postgres.embedded())
    migrate(url)
    return url


class Socket(FakeSocket):
    """A socket that a test can wait for."""

    def __init__(self, hub: Hub, user: str, session: str = "s1") -> None:
        super().__init__(hub, user, session)
        self.frames: DeferredQueue[dict[str, Any]] = DeferredQueue()
        self.ended: Deferred[None] = Deferred()

    def send(self, frame: bytes) -> None:
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


class Process:
    """What is one process in production: a pool, a hub and a relay."""

    def __init__(self, dsn: str, seed: int) -> None:
        self.db = Database(reactor, dsn, size=2)
        self.hub = Hub(reactor, self.db, notifications)
        self.revoked = Revoked(reactor, reactor)
        self.relay = Relay(
            reactor, dsn=dsn, db=self.db, hub=self.hub, revoked=self.revoked, random=Random(seed)
        )
        self.notifier = Notifier(self.hub, self.relay)
        self.payloads: DeferredQueue[dict[str, Any]] = DeferredQueue()
        self.noticed: DeferredQueue[tuple[str, int]] = DeferredQueue()
        heard, noticed = self.relay._heard, self.hub.noticed

        # A waiting test runs on within put, so that what it waits for has to be done by then.

        def hear(notify: Any) -> None:
            heard(notify)
            self.payloads.put(notify.payload)

        def notice(user: str, seq: int) -> None:
            noticed(user, seq)
            self.noticed.put((user, seq))

        self.relay._heard = hear  # type: ignore[method-assign]
        self.hub.noticed = notice  # type: ignore[method-assign]

    async def start(self) -> None:
        await self.db.start()
        await self.relay.start()

    async def stop(self) -> None:
        self.hub.stop()
        await self.relay.stop()
        self.db.stop()

    async def socket(self, user: str, session: str = "s1") -> Socket:
        """A socket that has got its hello."""
        socket = Socket(self.hub, user, session)
        socket.join()
        assert (await socket.frames.get())["type"] == "hello"
        return socket

    async def begun(self) -> "Process":
        """Start, and be through with the sweep that follows."""
        swept: DeferredQueue[None] = DeferredQueue()
        sweep = self.relay._sweep

        async def sweeping() -> None:
            await sweep()
            swept.put(None)

        self.relay._sweep = sweeping  # type: ignore[method-assign]
        await self.start()
        await swept.get()
        self.swept = swept
        return self


class RelayTestCase(TestCase):
    sweep = NEVER

    def setUp(self) -> None:
        self.patch(relay_module, "SWEEP", self.sweep)
        self.dsn = postgres.database(postgres.embedded(), template())
        self.addCleanup(postgres.drop, self.dsn)
        self.processes: list[Process] = []

    async def process(self, dsn: str | None = None) -> Process:
        process = Process(dsn or self.dsn, len(self.processes))
        self.processes.append(process)
        self.addCleanup(process.stop)
        return await process.begun()

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
        assert process.relay._connection is not None
        pid: int = process.relay._connection.get_backend_pid()
        return pid
