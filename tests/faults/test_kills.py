"""Processes are killed while notifications are written and read."""

import contextlib
import os
import signal
from random import Random

import psutil
from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.faults.case import POOL, FaultCase, hold
from tests.faults.load import BEGUN, LATEST, Load, Reader
from tests.faults.servers import backends, kill, terminate
from tests.faults.steering import DELETIONS, MARKS, Steering

SECONDS = float(os.environ.get("CONTENTSVC_FAULT_SECONDS", "20"))
SEED = int(os.environ.get("CONTENTSVC_FAULT_SEED", "1"))
EVERY = 4.0
"""Seconds between two kills."""
KINDS = ("worker", "worker", "worker -STOP", "backend", "backend -STOP", "backend -9")
"""As often as each other; the last takes down, and starts anew, all of Postgres."""
FROZEN = 3.0
"""Seconds that a stopped process stands still."""
WORKERS = int(os.environ.get("CONTENTSVC_FAULT_WORKERS", "2"))
USERS, SOCKETS, SENDERS = 14, 20, 4
"""Some users have two sockets, likely on different workers."""
AUTHORS, PUBLICATIONS = 3, 10
"""Followers are told of no more publications of an author in a day."""
FRIENDS = 3
"""Pairs of users who write to each other."""


class KillTests(FaultCase):
    timeout = SECONDS + 120

    async def setUp(self) -> None:
        super().setUp()
        self.random = Random(SEED)
        self.coming: list[str] = []
        self.service = await self.daemon("--workers", str(WORKERS), "--messages-per-minute", "0")
        self.killed: list[str] = []
        self.replayed = 0
        """Notifications that were read again as deleted."""

    def workers(self) -> list[int]:
        return [child.pid for child in psutil.Process(self.service.pid).children()]

    async def loaded(self) -> Load:
        """Sockets that are signed in, and senders that have begun."""
        load = Load(SEED)
        self.addCleanup(load.stop)
        clients = [await self.client(self.service, f"reader{n}") for n in range(USERS)]
        for n in range(SOCKETS):
            load.read(clients[n % USERS], f"socket {n}")
        await hold(lambda: all(r.subscription.live for r in load.readers), "all sockets are open")
        for n in range(SENDERS):
            load.send(await self.client(self.service, f"sender{n}"), f"sender{n}")
        for n in range(AUTHORS):
            author = await self.client(self.service, f"author{n}")
            await load.publish(author, PUBLICATIONS, SECONDS / PUBLICATIONS)
        self.steering = Steering(load, SEED)
        for n in range(FRIENDS):
            await self.steering.befriend(clients[2 * n], clients[2 * n + 1])
        for client in clients:
            self.steering.steer(client)
        return load

    def harm(self) -> None:
        """Kill or stop a worker, or one of the database's processes."""
        if not self.coming:
            self.coming = self.random.sample(KINDS, len(KINDS))
        what = self.coming.pop()
        self.killed.append(what)
        whose, _, how = what.partition(" -")
        pids = self.workers() if whose == "worker" else backends(self.database)
        if pids:
            pid = self.random.choice(pids)
            if how == "STOP":
                os.kill(pid, signal.SIGSTOP)
                reactor.callLater(FROZEN, self.go_on, pid)
            elif what == "backend":
                terminate(self.database, f"pid = {pid}")
            else:
                kill(pid)

    def go_on(self, pid: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)

    async def test_kills(self) -> None:
        """Every few seconds a worker, or a process of the database, is killed or stands still. Of
        what was accepted nothing is lost, repeated, out of order or late, what is told to all
        followers neither, nor messages. What was deleted comes as deleted to who reads it again,
        and in the end each socket knows how many are unread. No request fails with 500."""
        load = await self.loaded()
        end = reactor.seconds() + SECONDS
        while reactor.seconds() + EVERY <= end:
            await deferLater(reactor, EVERY)
            self.harm()
        await deferLater(reactor, EVERY)
        await load.stop()
        try:
            await hold(load.complete, "everything has arrived", BEGUN + LATEST)
        except AssertionError as error:
            self.fail(f"{error}\n" + "\n".join(await load.problems()))
        problems = await load.problems()
        problems += await self.replays(load)
        problems += await self.unsettled(load)
        done = self.steering.done
        what = f"seed {SEED}, killed {self.killed}, answers {dict(load.answers)}, {dict(done)}"
        self.assertEqual(problems, [], what)
        expected = {"204", "published", "none", "unavailable"}
        self.assertLessEqual(load.answers.keys(), expected, what)
        self.assertGreater(load.answers["204"], 5 * SECONDS, what)
        self.assertGreater(load.answers["published"], AUTHORS * PUBLICATIONS / 2, what)
        self.assertGreater(min(done[act] for act in (*MARKS, *DELETIONS, "message")), 0, what)
        self.no_failures()
        reconnects = sum(r.subscription.connections for r in load.readers) - SOCKETS
        states = sum(len(reader.states) for reader in load.readers)
        seen = f"{self.replayed} replayed as deleted, {states} states"
        print(f"\n{what}, {seen}, {reconnects} reconnections, latest after {load.latest():.2f} s")
        self.assertLessEqual(len(backends(self.database)), WORKERS * (POOL + 1))
        self.assertEqual(len(self.workers()), WORKERS)

    async def replays(self, load: Load) -> list[str]:
        """The faults of sockets that read each user's whole log in the end."""
        found = []
        for first in {reader.client.user: reader for reader in load.readers}.values():
            now = await first.client.notifications.get_state()
            again = Reader(first.client, f"{first.name} again")
            await hold(lambda r=again, s=now: r.subscription.seq == s.newest, "a replay ends")
            found += [f"{again.name}: {problem}" for problem in await load.replayed(again)]
            self.replayed += sum(text.startswith("Deleted ") for text in again.texts)
            await again.subscription.stop()
        return found

    async def unsettled(self, load: Load) -> list[str]:
        """The sockets that do not know in time how many are unread."""
        deadline = reactor.seconds() + LATEST
        while (found := await load.unsettled()) and reactor.seconds() < deadline:
            await deferLater(reactor, 0.25)
        return found
