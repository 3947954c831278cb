"""Several processes on one port: what they share, and what happens when one of them ends."""

import os
import re
import signal

import psutil
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater

from contentsvc.framework.core import build
from tests.spec.shapes import GOODBYE
from tests.support import daemon
from tests.support.daemon import Daemon, until
from tests.support.workers import PATIENCE, WorkersCase, gone, postmaster


class SharingTests(WorkersCase):
    async def connect(self) -> None:
        self.own_daemon()
        self.service = await daemon.shared("workers", lambda: Daemon("--workers", "2"))
        await self.both()

    async def test_port(self):
        """Both workers answer requests on the one port."""
        self.assertEqual(len(await self.prefixes()), 2)

    async def test_push(self):
        """A notification is on the sockets of both workers, whichever stored it."""
        user = await self.user()
        sockets = await self.on_each(user)
        for n in range(10):
            await self.notify(user, f"number {n}")
            for socket in sockets.values():
                got = await self.pushed(socket)
                self.assertEqual(got["notification"]["text"], f"number {n}")

    async def test_revocation(self):
        """Log-out closes the session's sockets on both workers, with 4403."""
        user = await self.user()
        sockets = await self.on_each(user)
        await self.post("/oauth/revoke", data={"token": user.token}, expect=200)
        for socket in sockets.values():
            self.assertEqual(4403, await socket.closed())

    async def test_log(self):
        """A line of the log says which worker it is from, as that of a request does."""
        await self.prefixes()
        line = re.compile(r"\[worker (\d) contentsvc\S+#info\] GET /api/v1/design-challenges")
        await until(lambda: {*line.findall(self.log())} == {"1", "2"}, PATIENCE, line.pattern)

    async def test_build(self):
        """The first line of each process says which build it runs."""
        first, *others = self.service.output().splitlines()
        said = f"contentsvc {build.name()}"
        self.assertTrue(first.endswith(said), first)
        for number in (1, 2):
            line = next(each for each in others if f"[worker {number} " in each)
            self.assertTrue(line.endswith(said), line)

    async def test_descriptors(self):
        """Neither the other worker nor Postgres holds the port or what a worker has open."""
        held = psutil.Process(postmaster(self.service)).net_connections("tcp")
        self.assertEqual([c for c in held if c.laddr.port == self.service.port], [])
        for pid in self.workers():
            listening = [
                c for c in psutil.Process(pid).net_connections("tcp") if c.status == "LISTEN"
            ]
            self.assertEqual(len(listening), 1)


class KillTests(WorkersCase):
    async def test_worker(self):
        """A worker that is killed is replaced; the other goes on meanwhile, sockets and all."""
        user = await self.user()
        sockets = await self.on_each(user)
        (dead, lost), (living, kept) = sockets.items()
        os.kill(dead, signal.SIGKILL)
        self.assertEqual(1006, await lost.closed())
        await self._http.close()
        await self.notify(user, "still there")
        self.assertEqual((await self.pushed(kept))["notification"]["text"], "still there")
        await self.serving(1)
        self.assertEqual(len(self.workers()), 2)
        self.assertIn(living, self.workers())
        self.assertEqual((await self.on_each(user)).keys(), self.workers())

    async def test_frozen(self):
        """A worker that is frozen is killed and replaced; the other goes on meanwhile."""
        user = await self.user()
        sockets = await self.on_each(user)
        (frozen, lost), (living, kept) = sockets.items()
        os.kill(frozen, signal.SIGSTOP)
        await self.said(1, rf"Worker \d \(process {frozen}\) has given no sign of life for 10 s")
        self.assertEqual(1006, await lost.closed())
        await self.serving(1)
        self.assertTrue(gone(frozen)())
        self.assertEqual(len(self.workers()), 2)
        self.assertIn(living, self.workers())
        await self._http.close()
        await self.notify(user, "still there")
        self.assertEqual((await self.pushed(kept))["notification"]["text"], "still there")
        self.assertEqual((await self.on_each(user)).keys(), self.workers())

    async def test_parent(self):
        """Workers whose parent is killed say goodbye and end; the next start finds all data."""
        user = await self.user()
        sockets = await self.on_each(user)
        workers, database = self.workers(), postmaster(self.service)
        await self.service.kill()
        for socket in sockets.values():
            self.shape(await socket.next(), GOODBYE)
            self.assertEqual(1001, await socket.closed())
        await until(gone(*workers), PATIENCE, "the workers' end")
        await self._http.close()
        await self.service.start()
        self.use(self.service)
        self.assertEqual(postmaster(self.service), database)
        await self.get(f"user/{user.id}", by=user, expect=200)
        self.assertEqual(-signal.SIGTERM, await self.service.stop())
        # It is no child of this daemon, which waits only until its pid file has gone.
        await until(gone(database), PATIENCE, "the end of Postgres")

    async def test_postgres(self):
        """The embedded Postgres is started again when it is killed."""
        user = await self.user()
        database = postmaster(self.service)
        os.kill(database, signal.SIGKILL)

        def again() -> bool:
            return "runs again" in self.log() and postmaster(self.service) != database

        await until(again, PATIENCE, "another Postgres")
        for worker in range(2):
            await self.ready(f"worker {worker}")
        await self.get(f"user/{user.id}", by=user, expect=200)

    async def ready(self, who: str) -> None:
        """Wait until /health/ready is 200."""
        for _ in range(PATIENCE * 10):
            if (await self.get("/health/ready")).status == 200:
                return
            await deferLater(reactor, 0.1)
        self.fail(f"{who} does not get ready again")


class StopTests(WorkersCase):
    async def ended(self, number: int, *, everyone: bool) -> None:
        """Assert a clean end by this signal, sent to the parent or to all at once."""
        user = await self.user()
        sockets = await self.on_each(user)
        workers, database = self.workers(), postmaster(self.service)
        # A group is told in no order that counts; a worker that ends before the parent knows is
        # started anew.
        for pid in (self.service.pid, *(workers if everyone else ())):
            os.kill(pid, number)
        for socket in sockets.values():
            self.shape(await socket.next(), GOODBYE)
            self.assertEqual(1001, await socket.closed())
        self.assertEqual(-number, await self.service.ended())
        self.assertTrue(gone(database, *workers)())
        for word in ("Traceback", "ended unexpectedly"):
            self.assertNotIn(word, self.log())

    async def test_terminate(self):
        """SIGTERM: the sockets of all workers get goodbye, all end, and Postgres too."""
        await self.ended(signal.SIGTERM, everyone=False)

    async def test_interrupt(self):
        """Ctrl-C, which a terminal sends to workers too, is the same."""
        await self.ended(signal.SIGINT, everyone=True)

    async def test_terminate_everyone(self):
        """Nor does it matter if a supervisor tells all of them."""
        await self.ended(signal.SIGTERM, everyone=True)

    async def test_terminate_amid_rolling_restart(self):
        """SIGTERM amid a rolling restart ends all processes."""
        os.kill(self.service.pid, signal.SIGHUP)
        await until(lambda: len(self.workers()) == 3, PATIENCE, "a successor")
        workers = self.workers()
        self.assertEqual(-signal.SIGTERM, await self.service.stop())
        self.assertTrue(gone(*workers)())
        self.assertNotIn("Traceback", self.log())

    async def test_requests_under_way(self):
        """The requests under way on both workers are finished."""
        users = [await self.user() for _ in range(4)]
        change = {"current": "", "new": "another password"}
        answers = [
            Deferred.fromCoroutine(
                self.put(f"user/{u.id}/password", {**change, "current": u.password}, by=u)
            )
            for u in users
        ]
        statuses: list[int] = []
        for answer in answers:
            answer.addCallback(lambda response: statuses.append(response.status))
        await until(lambda: bool(statuses), PATIENCE, "the first answer")
        self.assertEqual(-signal.SIGTERM, await self.service.stop())
        await gatherResults(answers)
        self.assertLessEqual(set(statuses), {204, 503})
