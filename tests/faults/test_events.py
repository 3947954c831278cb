"""Workers are killed while events are written, numbered and read (studio#events)."""

import contextlib
import os
import time
from contextlib import closing
from random import Random

import psutil
import psycopg2
from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import deferLater
from twisted.internet.threads import deferToThread

from contentsvc.client import Client, Unreachable
from contentsvc.wire.accounts import BanBody
from tests.faults.case import PASSWORD, FaultCase, hold
from tests.faults.servers import kill
from tests.support.sizes import rounds

SECONDS = float(os.environ.get("CONTENTSVC_FAULT_SECONDS", rounds(6, 6, 12)))
EVERY = max(3.0, SECONDS / 8)
"""Seconds between two kills. A worker that dies too often is not started again at once."""
READERS, WRITERS, SLOW = 4, 3, 2
FUTURE = 4_000_000_000
"""The first end of a ban: each ban has another."""


class EventTests(FaultCase):
    timeout = SECONDS + 230

    async def setUp(self) -> None:
        super().setUp()
        self.random = Random(1)
        self.service = await self.daemon("--workers", "2")
        await self.service.add_user("warden", PASSWORD, admin=True)
        self.seen: list[list[tuple[int, str]]] = [[] for _ in range(READERS)]
        self.written: set[str] = set()
        self.over = self.ended = False

    async def admin(self) -> Client:
        """A client of an admin's."""
        return await self.client(self.service, "warden")

    async def read(self, into: list[tuple[int, str]]) -> None:
        """Keep all events, from the first on: their numbers, and what each is known by. After a
        loss it goes on behind the last one."""
        client = await self.admin()
        while not self.ended:
            after = into[-1][0] if into else 0
            with contextlib.suppress(Unreachable):
                async for event in client.events.follow(after):
                    banned = event.kind == "UserBanned"
                    known = str(event.data.until) if banned else event.subject.id
                    into.append((event.number, known))

    async def write(self, writer: int) -> None:
        """Ban a user again and again, and keep what was acknowledged."""
        client = await self.admin()
        target = (await self.client(self.service, f"target{writer}")).user
        until = FUTURE + writer * 1_000_000
        while not self.over:
            until += 1
            with contextlib.suppress(Unreachable):
                await client.bans.ban(target, BanBody(reason="rude", until=until))
                self.written.add(str(until))

    def dawdle(self, number: int) -> None:
        """Write events in transactions that stay open while others commit."""
        random = Random(number)
        with closing(psycopg2.connect(self.database)) as connection:
            while not self.over:
                name = f"slow {number} {random.random()}"
                with connection, connection.cursor() as cursor:
                    cursor.execute(
                        "select note_event('ContentChanged', null, 'content', %s, null, '{}')",
                        (name,),
                    )
                    time.sleep(random.uniform(0, 0.4))
                self.written.add(name)

    async def test_kills(self) -> None:
        """Each reader has read every number once, in order, and every event that was acknowledged,
        although workers were killed."""
        reading = [Deferred.fromCoroutine(self.read(into)) for into in self.seen]
        writing = [Deferred.fromCoroutine(self.write(n)) for n in range(WRITERS)]
        slow = [deferToThread(self.dawdle, n) for n in range(SLOW)]
        for _ in range(int(SECONDS / EVERY)):
            await deferLater(reactor, EVERY)
            workers = [child.pid for child in psutil.Process(self.service.pid).children()]
            kill(self.random.choice(workers))
        self.over = True
        for each in (*writing, *slow):
            await each
        await hold(
            lambda: all(self.written <= {known for _, known in seen} for seen in self.seen),
            "all readers have read all",
            60,
        )
        self.ended = True
        for each in reading:
            each.addErrback(lambda failure: failure.trap(CancelledError, Unreachable))
            each.cancel()
        print(f"\n{len(self.written):,} events, {int(SECONDS / EVERY)} kills", end="")
        self.assertGreater(len(self.written), 20)
        for seen in self.seen:
            numbers = [number for number, _ in seen]
            self.assertEqual(numbers, [*range(1, len(numbers) + 1)])
