"""Rolling restarts, and starts of several processes on one port."""

import contextlib
import os
import shutil
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import psutil
import treq
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.endpoints import UNIXClientEndpoint, connectProtocol
from twisted.internet.protocol import Protocol, connectionDone
from twisted.python.failure import Failure
from twisted.trial.unittest import TestCase
from twisted.web.client import ResponseNeverReceived

from tests.spec.client import within
from tests.spec.shapes import GOODBYE
from tests.support import daemon, postgres
from tests.support.daemon import ROOT, Daemon, until
from tests.support.workers import PATIENCE, WorkersCase, gone, workers_of

REPLACED = "Rolling restart done: all workers are new"


SETTINGS = postgres.new_folder() / "settings.toml"
BEFORE = "workers = 2\nregistration = true\n"


class RollingTests(WorkersCase):
    """One daemon for all of them; what it says before a test is not looked at."""

    async def connect(self) -> None:
        self.own_daemon()
        SETTINGS.write_text(BEFORE)
        self.service = await daemon.shared("rolling", lambda: Daemon("--config", str(SETTINGS)))
        await self.both()

    async def replaced(self, times: int = 1) -> None:
        """Send SIGHUP and wait until all has been done."""
        os.kill(self.service.pid, signal.SIGHUP)
        await self.said(times, REPLACED)

    async def asking(self, ask: Callable[[], Awaitable[int]]) -> None:
        """Ask until the workers have been replaced: each time there is a whole answer, or the
        connection has been closed before any of it."""
        while REPLACED not in self.log():
            with contextlib.suppress(ResponseNeverReceived):
                self.assertEqual(await ask(), 200)

    async def kept(self) -> int:
        """The status of a request on a connection of its client's pool."""
        return (await self.get("/health/ready")).status

    async def fresh(self) -> int:
        """The status of a request on a new connection."""
        response = await treq.get(self.url + "/health/ready", persistent=False, timeout=20)
        await response.content()
        return int(response.code)

    async def test_sockets(self):
        """Every socket gets its goodbye, and a worker's successor is there before that."""
        user = await self.user()
        before = self.workers()
        sockets = await self.on_each(user)
        await self.replaced()
        for socket in sockets.values():
            self.shape(await socket.next(), GOODBYE)
            self.assertEqual(1001, await socket.closed())
        self.assertEqual(self.workers() & before, set())
        await self._http.close()  # it may not have heard yet of connections that were closed
        self.assertEqual((await self.on_each(user)).keys(), self.workers())
        self.assertLess(self.log().index("is ready"), self.log().index("has ended"))

    async def test_requests(self):
        """Under load every request is answered, or its connection ends before any answer."""
        asking = [Deferred.fromCoroutine(self.asking(ask)) for ask in (self.kept, self.fresh) * 4]
        await self.replaced()
        await gatherResults(asking)

    async def test_idle_connection(self):
        """A connection that waits for its next request is closed by the worker that ends."""
        idle = await self.wire("GET", "/health/live")
        await until(lambda: idle.received.endswith(b"}"), PATIENCE, "an answer")
        self.assertNotIn(b"Connection: close", idle.received)
        await self.replaced()
        await idle.ended()

    async def test_settings(self):
        """The new workers have the settings as they are then."""
        self.addCleanup(self.replaced, 2)
        self.addCleanup(SETTINGS.write_text, BEFORE)
        SETTINGS.write_text("registration = false\n")
        await self.replaced()
        body = {"username": "late", "email": "late@example.com", "password": "a long password"}
        self.problem(await self.post("user", body), 403, "registration_closed")

    async def test_wrong_settings(self):
        """With settings that are wrong all stays as it is, and one line says why."""
        before = self.workers()
        SETTINGS.write_text("registration = 5\n")
        os.kill(self.service.pid, signal.SIGHUP)
        await self.said(1, "No rolling restart: .*registration must be on or off")
        self.assertEqual(self.workers(), before)

    async def test_fixed_settings(self):
        """Settings that only the parent can change stay, and a line says so."""
        SETTINGS.write_text("workers = 5\n")
        await self.replaced()
        self.assertIn("Changes to these settings need a full restart: workers", self.log())
        self.assertEqual(len(self.workers()), 2)

    async def test_twice(self):
        """A second SIGHUP amid a rolling restart makes another one follow."""
        os.kill(self.service.pid, signal.SIGHUP)
        await self.said(1, "Rolling restart: replacing the workers")
        await self.replaced(2)
        self.assertEqual(len(self.workers()), 2)


class UpgradeTests(WorkersCase):
    """A rolling restart after an upgrade: the parent runs the code of before."""

    async def connect(self) -> None:
        self.own_daemon()
        folder = postgres.new_folder()
        self.package = folder / "contentsvc"
        shutil.copytree(ROOT / "contentsvc", self.package)
        self.file = folder / "settings.toml"
        self.file.write_text("workers = 2\n")
        path = f"{folder}:{ROOT / 'tests' / 'support' / 'first'}"
        options = ("--config", str(self.file))
        self.service = Daemon(*options, variables={"PYTHONPATH": path})
        self.addCleanup(self.service.stop)
        await self.service.start()
        await self.both()

    def upgrade(self) -> None:
        """Put code there that has another setting."""
        table = self.package / "config" / "table.py"
        before = "    portal: bool = NETWORK.setting("
        after = "    next_one: int = NETWORK.setting(kinds.number(0, 9), 0, 'new')\n"
        text = table.read_text()
        self.assertIn(before, text)
        table.write_text(text.replace(before, after + before))

    async def test_new_setting(self):
        """A setting that the new code brings is taken from the file, and its wrong value is said;
        what no code knows is still refused."""
        self.file.write_text("next_one = 7\n")
        os.kill(self.service.pid, signal.SIGHUP)
        await self.said(1, "No rolling restart: .*: next_one is not a setting")
        self.upgrade()
        self.file.write_text("next_one = 10\n")
        os.kill(self.service.pid, signal.SIGHUP)
        await self.said(1, "No rolling restart: .*next_one must be a whole number from 0 to 9")
        self.file.write_text("next_one = 7\n")
        os.kill(self.service.pid, signal.SIGHUP)
        await self.said(1, REPLACED)
        for worker in self.workers():
            self.assertEqual("7", psutil.Process(worker).environ()["CONTENTSVC_NEXT_ONE"])

    async def test_broken(self):
        """Where the new code cannot be run, all stays as it is, and one line says why."""
        before = self.workers()
        (self.package / "config" / "table.py").write_text("nonsense")
        os.kill(self.service.pid, signal.SIGHUP)
        await self.said(1, "No rolling restart: the installed code .*: NameError: .*nonsense")
        self.assertEqual(self.workers(), before)


class StartTests(TestCase):
    """Starts that are cut short, or on other endpoints."""

    timeout = 300.0

    def daemon(self, *options: str) -> Daemon:
        service = Daemon("--workers", "2", *options)
        self.addCleanup(service.stop)
        service.spawn()
        return service

    async def stopped_at(self, line: str) -> None:
        """Assert a clean end by SIGTERM as soon as the log has this line."""
        service = self.daemon()
        await until(lambda: line in service.output(), PATIENCE, line)
        there = [child.pid for child in psutil.Process(service.pid).children(recursive=True)]
        self.assertEqual(-signal.SIGTERM, await service.stop())
        await until(gone(*there), PATIENCE, "the end of all processes")
        for word in ("Traceback", "ended unexpectedly"):
            self.assertNotIn(word, service.output())

    async def test_stop_at_start(self):
        """SIGTERM amid the start of Postgres ends all of it."""
        await self.stopped_at("reactor class")

    async def test_stop_before_workers(self):
        """SIGTERM while the workers start ends all of it."""
        await self.stopped_at("starting on")

    async def test_stop_without_database(self):
        """SIGTERM ends a start that waits for the database."""
        folder = postgres.new_folder()
        keys = Daemon.new_secret(folder / "keys")
        dsn = f"host={folder} dbname=none"
        service = self.daemon("--database", dsn, "--secret-file", str(keys))
        await until(lambda: "Waiting for the database" in service.output(), PATIENCE, "a try")
        self.assertEqual(-signal.SIGTERM, await service.stop())

    async def test_port_in_use(self):
        """A port that is taken stops the start with one line and status 1."""
        other = await daemon.shared()
        taken = f"tcp:{other.port}:interface=127.0.0.1"
        service = self.daemon("--listen", taken)
        self.assertEqual(1, await service.ended())
        lines = [line for line in service.output().splitlines() if "in use" in line]
        self.assertEqual(1, len(lines), service.output())
        self.assertIn(str(other.port), lines[0])
        self.assertNotIn("Traceback", service.output())

    async def test_one_worker(self):
        """Without workers SIGHUP does nothing, and says so."""
        service = await daemon.shared("one process", daemon.Daemon)
        os.kill(service.pid, signal.SIGHUP)
        await until(lambda: "SIGHUP does nothing" in service.output(), PATIENCE, "a line")
        response = await treq.get(service.url + "/health/ready", persistent=False)
        await response.content()
        self.assertEqual(response.code, 200)

    async def test_unix_socket(self):
        """The path of a Unix socket, and its mode, outlive workers, and end with the parent."""
        path = postgres.new_folder() / "http"
        service = self.daemon("--listen", f"unix:{path}:mode=600")

        async def serving(times: int) -> None:
            await until(lambda: service.output().count("is ready") >= times, PATIENCE, "workers")
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            self.assertIn(b"200 OK", await self.asked(path))

        await serving(2)
        os.kill(min(workers_of(service)), signal.SIGKILL)
        await serving(3)
        os.kill(service.pid, signal.SIGHUP)
        await serving(5)
        self.assertEqual(-signal.SIGTERM, await service.stop())
        self.assertFalse(path.exists())

    async def asked(self, path: Path) -> bytes:
        """The answer to a request over a Unix socket."""
        asking = _Asking()
        await connectProtocol(UNIXClientEndpoint(reactor, str(path)), asking)
        return await within(asking.answered, "an answer")


class _Asking(Protocol):
    """One request."""

    def __init__(self) -> None:
        self.answered: Deferred[bytes] = Deferred()
        self._got = b""

    def connectionMade(self) -> None:
        self.transport.write(b"GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")

    def dataReceived(self, data: bytes) -> None:
        self._got += data

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self.answered.callback(self._got)
