"""The relay when its connection is lost."""

import os
import signal

from msgspec import json
from twisted.internet.defer import Deferred, DeferredQueue

from contentsvc.push.bus import ProcessReport
from contentsvc.push.relay import TIMES
from contentsvc.store.processes import Report
from contentsvc.wire.notifications import Debug
from tests.push.processes import NEVER, RelayTestCase
from tests.support import postgres


class LossTests(RelayTestCase):
    async def test_backend_killed(self) -> None:
        """A killed LISTEN connection is noticed at once and opened again; what was committed
        and announced meanwhile is read."""
        one, two = await self.process(), await self.process()
        user = self.user()
        socket = await one.socket(user)
        pid = self.backend(one)
        await self.lost_and_found(lambda: self.kill(one))
        await two.notifier.send(two.db, user, Debug(text="hi"))
        self.assertEqual(await socket.until(1), [1])
        self.assertNotEqual(self.backend(one), pid)

    async def test_missed_meanwhile(self) -> None:
        """Notifications that another process announced while nobody listened are read
        afterwards."""
        one, two = await self.process(), await self.process()
        user = self.user()
        socket = await one.socket(user)
        lost = self.lost()
        pid = self.backend(one)
        postgres.admit(self.dsn, False)
        postgres.kill(self.dsn, pid)
        await lost
        await two.notifier.send(two.db, user, Debug(text="hi"))
        self.assertEqual((one.relay.alive, socket.seqs), (False, []))
        postgres.admit(self.dsn, True)
        self.assertEqual(await socket.until(1), [1])

    async def test_half_open(self) -> None:
        """A connection whose other end answers no more is given up and opened again."""
        one = await self.process(times=self.times._replace(heartbeat=0.05), answer=1.0)
        pid = self.backend(one)
        self.addCleanup(os.kill, pid, signal.SIGCONT)
        await self.lost_and_found(lambda: os.kill(pid, signal.SIGSTOP))
        self.assertNotEqual(self.backend(one), pid)

    async def test_idle(self) -> None:
        """An idle connection that answers is kept."""
        own, heartbeats = ProcessReport(), DeferredQueue[None]()

        def report() -> Report:
            heartbeats.put(None)
            return own.report()

        one = await self.process(report=report, times=TIMES._replace(heartbeat=0.01))
        pid = self.backend(one)
        for _ in range(4):
            await heartbeats.get()
        self.assertEqual(self.backend(one), pid)

    async def test_announce_while_lost(self) -> None:
        """While the connection is away nothing piles up. When it is back, the others first hear
        that something may not be announced."""
        one = await self.process()
        payloads = await self.payloads()

        def lose() -> None:
            self.kill(one)
            lost.addCallback(lambda _: one.relay.announce("a", 1))
            lost.addCallback(lambda _: one.relay.announce_revoked("s1"))

        lost = self.lost()
        await self.lost_and_found(lose)
        one.relay.announce("b", 1)
        one.relay.announce_revoked("s2")
        sent = [json.decode(await payloads.get()) for _ in range(3)]
        said = [{key: news[key] for key in news.keys() - {"o"}} for news in sent]
        self.assertEqual(said, [{"d": True}, {"n": {"b": 1}}, {"r": ["s2"]}])

    async def test_no_database(self) -> None:
        """The start waits for the database as long as it takes; stopping ends the wait."""
        process = self.process_of("host=/nowhere dbname=none")
        starting = Deferred.fromCoroutine(process.listen())
        self.assertNoResult(starting)
        self.assertFalse(process.relay.alive)
        await process.stop()
        self.successResultOf(starting)


class AgainTests(RelayTestCase):
    times = TIMES._replace(first_pause=0.01, heartbeat=NEVER)

    async def test_again_and_again(self) -> None:
        """A connection that is killed time after time leaves nothing behind in the server."""
        one, killed = await self.process(), []
        for _ in range(5):
            killed.append(self.backend(one))
            await self.lost_and_found(lambda: self.kill(one))
        # One that was killed may take its time.
        listening = self.execute(
            "select pid from pg_stat_activity where application_name like 'relay%%' "
            "and datname = current_database() and pid <> all(%s)",
            killed,
        )
        self.assertEqual(listening, [(self.backend(one),)])
