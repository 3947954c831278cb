"""The relay when its connection is lost."""

import os
import signal
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredQueue

from contentsvc.push import relay as relay_module
from contentsvc.wire.notifications import Debug
from tests.push.processes import Process, RelayTestCase

NEVER = 3600.0




class LossTests(RelayTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.patch(relay_module, "FIRST_PAUSE", 0.01)

    async def lost_and_found(self, process: Process, lose: Any) -> None:
        """Lose the connection, and wait until LISTEN is in force again."""
        connection = process.relay._connection
        assert connection is not None
        gone: Deferred[None] = Deferred()
        lost = connection.lost

        def noticed() -> None:
            assert lost is not None
            # The next connection has as much time as any, whatever this one had.
            self.patch(relay_module, "ANSWER", 5.0)
            self.patch(relay_module, "KEEPALIVE", 5.0)
            lost()
            gone.callback(None)

        connection.lost = noticed
        lose()
        await gone
        self.assertFalse(process.relay.alive)
        self.assertNotIn(connection, reactor.getReaders() + reactor.getWriters())
        await process.swept.get()
        self.assertTrue(process.relay.alive)

    async def test_backend_killed(self) -> None:
        """A killed LISTEN connection is noticed at once and opened again; what was committed
        and announced meanwhile is read."""
        one, two = await self.process(), await self.process()
        user = self.user()
        socket = await one.socket(user)
        pid = self.backend(one)

        def lose() -> None:
            self.execute("select pg_terminate_backend(%s)", pid)

        await self.lost_and_found(one, lose)
        await two.notifier.send(two.db, user, Debug(text="hi"))
        self.assertEqual(await socket.until(1), [1])
        self.assertNotEqual(self.backend(one), pid)

    async def test_missed_meanwhile(self) -> None:
        """What another process announced while LISTEN was not in force is read afterwards."""
        one, two = await self.process(), await self.process()
        user = self.user()
        socket = await one.socket(user)
        listen = one.relay._listen
        sent: list[Any] = []

        async def late(connection: Any) -> None:
            await two.notifier.send(two.db, user, Debug(text="hi"))
            sent.append(connection)
            await listen(connection)

        one.relay._listen = late  # type: ignore[method-assign]
        self.execute("select pg_terminate_backend(%s)", self.backend(one))
        self.assertEqual(await socket.until(1), [1])
        self.assertEqual(len(sent), 1)

    async def test_again_and_again(self) -> None:
        """A connection that is killed time after time leaves nothing behind in the server."""
        self.patch(relay_module, "KEEPALIVE", NEVER)  # LISTEN stays what they did last
        one, killed = await self.process(), []
        for _ in range(5):
            pid = self.backend(one)
            await self.lost_and_found(
                one, lambda pid=pid: self.execute("select pg_terminate_backend(%s)", pid)
            )
            killed.append(pid)
        # One that was killed may take its time.
        listening = self.execute(
            "select pid from pg_stat_activity where query like 'LISTEN%%' "
            "and datname = current_database() and pid <> all(%s)",
            killed,
        )
        self.assertEqual(listening, [(self.backend(one),)])

    async def test_half_open(self) -> None:
        """A connection whose other end answers no more is given up and opened again."""
        self.patch(relay_module, "KEEPALIVE", 0.05)
        one = await self.process()
        self.patch(relay_module, "ANSWER", 0.2)
        pid = self.backend(one)
        self.addCleanup(os.kill, pid, signal.SIGCONT)
        await self.lost_and_found(one, lambda: os.kill(pid, signal.SIGSTOP))
        self.assertNotEqual(self.backend(one), pid)

    async def test_keepalive(self) -> None:
        """An idle connection that answers is kept."""
        self.patch(relay_module, "KEEPALIVE", 0.01)
        one = await self.process()
        pid = self.backend(one)
        asked: DeferredQueue[None] = DeferredQueue()
        run = one.relay._run

        async def counted(*args: Any) -> None:
            await run(*args)
            asked.put(None)

        one.relay._run = counted  # type: ignore[method-assign]
        for _ in range(3):
            await asked.get()
        self.assertEqual(self.backend(one), pid)

    async def test_announce_while_lost(self) -> None:
        """While the connection is away nothing piles up."""
        one = await self.process()
        one.relay._connection.abandon()  # type: ignore[union-attr]
        one.relay.announce("a", 1)
        one.relay.announce_revoked("s1")
        self.assertEqual((one.relay._seqs, one.relay._sids), ({}, set()))
        await one.swept.get()

    async def test_no_database(self) -> None:
        """The start waits for the database as long as it takes; stopping ends the wait."""
        process = Process("host=/nowhere dbname=none", 0)
        starting = Deferred.fromCoroutine(process.relay.start())
        self.assertNoResult(starting)
        self.assertFalse(process.relay.alive)
        await process.stop()
        self.successResultOf(starting)
