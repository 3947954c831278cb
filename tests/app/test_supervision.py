"""When workers are started, stopped and started again, on a clock of the test's."""

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from twisted.internet import tcp
from twisted.internet.defer import Deferred, succeed
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from twisted.python.threadpool import ThreadPool
from twisted.trial.unittest import SynchronousTestCase

from contentsvc import config
from contentsvc.app.reload import Present
from contentsvc.app.workers import FIRST_PAUSE, LATE, START, Workers
from contentsvc.config import ConfigError, Settings
from contentsvc.framework.process.pipes import ALIVE, ASK, SERVES
from contentsvc.framework.process.worker import LISTENING, READY, VARIABLE
from contentsvc.tokens import Keys
from tests.support import postgres

COMMAND = ["twistd", "contentsvc"]
DRAIN = 10.0


class Process:
    """A worker that does what the test says."""

    def __init__(self, pid: int, protocol: Any, env: dict[str, str], descriptors: Any) -> None:
        self.pid = pid
        self.env = env
        self.descriptors = descriptors
        self.signals: list[str] = []
        self.asked = 0
        self.frozen = False
        self.blocked = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        self._protocol = protocol
        protocol.makeConnection(self)

    def signalProcess(self, name: str) -> None:
        self.signals.append(name)

    def writeToChild(self, descriptor: int, data: bytes) -> None:
        assert (descriptor, data) == (0, ASK)
        self.asked += 1
        if not self.frozen:
            self.say(ALIVE)

    def say(self, word: bytes) -> None:
        """Write to the parent."""
        self._protocol.childDataReceived(READY, word)

    def serve(self) -> None:
        """Say that it does."""
        self.say(ALIVE + SERVES)

    def end(self, number: int | None = None) -> None:
        """End, by a signal or well."""
        reason = ProcessTerminated(None, number) if number else ProcessDone(0)
        self._protocol.processEnded(Failure(reason))


class Reactor(Clock):
    """Starts no process, but remembers it."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[Process] = []
        self.stopped = False
        self.heard: list[int] = []
        self._threads = ThreadPool(0, 1)

    def getThreadPool(self) -> ThreadPool:
        return self._threads

    def callWhenRunning(self, act: Callable[[], object]) -> None:
        """As a reactor that starts now: with handlers of its own for what stops it."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, frame: self.heard.append(number))
        act()

    def spawnProcess(self, protocol: Any, path: str, args: Any, env: Any, childFDs: Any) -> Any:
        self.processes.append(Process(len(self.processes) + 1, protocol, env, childFDs))
        return self.processes[-1]

    def stop(self) -> None:
        self.stopped = True

    def callFromThread(self, act: Callable[[], object]) -> None:
        act()


class Port(tcp.Port):
    """A listening socket that is none."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.socket = self

    def fileno(self) -> int:
        return 99

    def stopReading(self) -> None:
        self.said.append("not read")

    def close(self) -> None:
        self.said.append("closed")

    def stopListening(self) -> Deferred[None]:
        return succeed(None)


class Endpoint:
    """Binds at once."""

    def __init__(self) -> None:
        self.port = Port()

    def listen(self, factory: object) -> Deferred[Port]:
        return succeed(self.port)


class Fleet(Workers):
    """Without a database."""

    async def _migrate(self, dsn: str) -> None:
        pass


class SupervisionCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.addCleanup(signal.signal, signal.SIGHUP, signal.getsignal(signal.SIGHUP))
        for number in (signal.SIGTERM, signal.SIGINT):
            self.addCleanup(signal.signal, number, signal.getsignal(number))
        keys = postgres.new_folder() / "keys"
        Keys.load_or_generate(keys)
        given = {"database": "dbname=x", "workers": "2", "secret-file": str(keys)}
        self.settings: Settings | ConfigError = config.read(given, {})
        self.reactor = Reactor()
        self.endpoint = Endpoint()
        self.more: dict[str, str] = {}
        self.announced: list[object] = []
        self.parent = Fleet(
            self.reactor,
            self.settings,
            self.present,
            self.endpoint,
            files=b"",
            command=COMMAND,
            piped=False,
            announce=self.announced.append,
        )
        self.parent.startService()
        self.first, self.second = self.reactor.processes

    async def present(self, kept: dict[str, str | None], dsn: str) -> Present:
        """The settings, or what is wrong with them."""
        self.assertEqual((kept["workers"], dsn), ("2", "dbname=x"))
        if isinstance(self.settings, ConfigError):
            raise self.settings
        return Present(config.variables(self.settings) | self.more)

    @property
    def processes(self) -> list[Process]:
        """All that have been started."""
        return self.reactor.processes

    def both_serve(self) -> None:
        """The two that were started first."""
        self.first.serve()
        self.second.serve()


class StartTests(SupervisionCase):
    def test_inheritance(self) -> None:
        """A worker has the listening socket, pipes from and to the parent, and its output."""
        fds = self.first.descriptors
        self.assertEqual(fds, {0: "w", 1: 1, 2: 2, LISTENING: 99, READY: "r"})

    def test_settings(self) -> None:
        """Its environment makes the parent's settings, but for one worker."""
        assert isinstance(self.settings, Settings)
        for number, process in enumerate((self.first, self.second), 1):
            self.assertEqual(config.read({}, process.env), replace(self.settings, workers=1))
            self.assertEqual(process.env[VARIABLE], str(number))

    def test_signals(self) -> None:
        """The signals that a terminal sends to all are blocked in a worker, and only there."""
        self.assertLessEqual({signal.SIGINT, signal.SIGHUP}, self.first.blocked)
        self.assertNotIn(signal.SIGINT, signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    def test_port(self) -> None:
        """The parent never accepts a connection."""
        self.assertEqual(self.endpoint.port.said, ["not read"])

    def test_announced(self) -> None:
        """That there is a service is said once, when the first worker serves."""
        self.assertEqual(self.announced, [])
        self.both_serve()
        self.assertEqual(self.announced, [self.endpoint.port])


class RestartTests(SupervisionCase):
    def test_at_once(self) -> None:
        """A worker that has served is started again at once, every time."""
        self.second.serve()
        for count in range(3, 10):
            self.processes[-1].serve()
            self.processes[-1].end(signal.SIGKILL)
            self.reactor.advance(0)
            self.assertEqual(len(self.processes), count)

    def test_back_off(self) -> None:
        """One that has not is started again after pauses that double, however long it took."""
        pause = FIRST_PAUSE
        for count in range(3, 8):
            self.reactor.advance(20)
            self.processes[-1].end(signal.SIGSEGV)
            self.reactor.advance(pause - 0.01)
            self.assertEqual(len(self.processes), count - 1)
            self.reactor.advance(0.01)
            self.assertEqual(len(self.processes), count)
            pause *= 2

    def test_back_off_ends(self) -> None:
        """Once it has served, the pauses begin anew."""
        for _ in range(4):
            self.processes[-1].end(signal.SIGSEGV)
            self.reactor.advance(10)
        self.processes[-1].serve()
        self.processes[-1].end(signal.SIGSEGV)
        self.reactor.advance(0)
        count = len(self.processes)
        self.processes[-1].end(signal.SIGSEGV)
        self.reactor.advance(FIRST_PAUSE)
        self.assertEqual(len(self.processes), count + 1)


class StopTests(SupervisionCase):
    def test_order(self) -> None:
        """The port closes, the workers are told, and the stop is over when they have ended."""
        self.both_serve()
        stopped = self.parent.stopService()
        self.assertEqual(self.endpoint.port.said, ["not read", "closed"])
        self.assertEqual(self.first.signals + self.second.signals, ["TERM", "TERM"])
        self.first.end()
        self.assertNoResult(stopped)
        self.second.end()
        self.successResultOf(stopped)
        self.assertEqual(len(self.processes), 2)

    def test_late(self) -> None:
        """A worker that does not end in the time for the drain, and some more, is killed."""
        self.both_serve()
        self.parent.stopService()
        self.reactor.advance(DRAIN + LATE - 0.1)
        self.assertEqual(self.first.signals, ["TERM"])
        self.reactor.advance(0.1)
        self.assertEqual(self.first.signals, ["TERM", "KILL"])

    def test_signalled_twice(self) -> None:
        """Of the signals that stop a process, however close, the reactor gets only the first."""
        for number in (signal.SIGTERM, signal.SIGTERM, signal.SIGINT):
            signal.raise_signal(number)
        self.assertEqual(self.reactor.heard, [signal.SIGTERM])

    def test_signalled_meanwhile(self) -> None:
        """Not even where the second comes before the first has been dealt with."""
        set_handler = signal.signal

        def slowly(number: int, handler: Any) -> Any:
            self.patch(signal, "signal", set_handler)
            signal.raise_signal(signal.SIGTERM)
            return set_handler(number, handler)

        self.patch(signal, "signal", slowly)
        signal.raise_signal(signal.SIGTERM)
        self.assertEqual(self.reactor.heard, [signal.SIGTERM])

    def test_signalled_late(self) -> None:
        """Nor does it get one that comes when the stop has begun for another reason."""
        self.parent.stopService()
        signal.raise_signal(signal.SIGTERM)
        self.assertEqual(self.reactor.heard, [])

    def test_waiting_for_restart(self) -> None:
        """A worker that waits to be started again is not."""
        self.first.end(signal.SIGSEGV)
        stopped = self.parent.stopService()
        self.second.end()
        self.successResultOf(stopped)
        self.reactor.advance(60)
        self.assertEqual(len(self.processes), 2)


class RollingTests(SupervisionCase):
    def setUp(self) -> None:
        self.patch(os, "isatty", lambda descriptor: True)
        super().setUp()
        self.both_serve()

    def hang_up(self) -> None:
        """SIGHUP."""
        signal.raise_signal(signal.SIGHUP)

    def test_one_after_the_other(self) -> None:
        """A worker is told to end when its successor serves, the next one when it has ended."""
        self.hang_up()
        self.assertEqual((len(self.processes), self.first.signals), (3, []))
        self.processes[2].serve()
        self.assertEqual((len(self.processes), self.first.signals), (3, ["TERM"]))
        self.first.end()
        self.assertEqual((len(self.processes), self.second.signals), (4, []))
        self.processes[3].serve()
        self.second.end()
        self.assertEqual([p.signals for p in self.processes], [["TERM"], ["TERM"], [], []])
        self.reactor.advance(60)
        self.assertEqual(len(self.processes), 4)

    def test_successor_ends(self) -> None:
        """Where a successor does not start, its predecessor goes on, and so do the others."""
        self.hang_up()
        self.processes[2].end(signal.SIGSEGV)
        self.reactor.advance(60)
        self.assertEqual((len(self.processes), self.first.signals), (3, []))

    def test_successor_is_slow(self) -> None:
        """Nor does a predecessor end where a successor does not serve in time."""
        self.hang_up()
        self.reactor.advance(START)
        self.assertEqual([p.signals for p in self.processes], [[], [], ["TERM"]])

    def test_predecessor_has_ended(self) -> None:
        """A worker that waits to be started again is replaced, and not started again."""
        self.first.end(signal.SIGKILL)
        self.reactor.advance(0)
        self.processes[2].end(signal.SIGSEGV)
        self.hang_up()
        self.processes[3].serve()
        self.assertEqual(len(self.processes), 5)
        self.processes[4].serve()
        self.second.end()
        self.reactor.advance(60)
        self.assertEqual(len(self.processes), 5)

    def test_new_settings(self) -> None:
        """What only the code of the new workers knows reaches them."""
        self.more = {
            "CONTENTSVC_NEXT": "on",
            "CONTENTSVC_ADMIN": "tcp:1",
            "CONTENTSVC_WORKERS": "2",
        }
        self.hang_up()
        given = self.processes[2].env
        self.assertEqual(("on", "1"), (given["CONTENTSVC_NEXT"], given["CONTENTSVC_WORKERS"]))
        self.assertNotIn("CONTENTSVC_ADMIN", given)

    def test_bad_settings(self) -> None:
        """Where the settings have become wrong, nothing happens."""
        self.settings = ConfigError("pool_size must be a number")
        self.hang_up()
        self.assertEqual(len(self.processes), 2)

    def test_terminal(self) -> None:
        """SIGHUP because the terminal of a foreground process has gone is a stop."""
        self.hang_up()
        self.assertEqual((len(self.processes), self.reactor.stopped), (3, False))
        self.patch(os, "isatty", lambda descriptor: False)
        self.hang_up()
        self.assertEqual((len(self.processes), self.reactor.stopped), (3, True))

    def test_again(self) -> None:
        """A second SIGHUP amid it is another rolling restart after it."""
        for _ in range(2):
            self.hang_up()
        for process in (self.first, self.second):
            self.processes[-1].serve()
            process.end()
        self.assertEqual(len(self.processes), 5)

    def test_stop(self) -> None:
        """A stop amid it tells the successor too, and tells nobody twice."""
        self.hang_up()
        self.processes[2].serve()
        stopped = self.parent.stopService()
        self.assertEqual([p.signals for p in self.processes], [["TERM"]] * 3)
        for process in self.processes:
            self.assertNoResult(stopped)
            process.end()
        self.successResultOf(stopped)
        self.assertEqual(len(self.processes), 3)
