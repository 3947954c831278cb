"""The end of a worker that has frozen, on a clock of the test."""

import signal

from contentsvc.app.workers import LATE
from contentsvc.framework.process.pipes import ALIVE, SERVES
from contentsvc.framework.process.watchdog import DEATH, SILENCE, START
from tests.app.test_supervision import DRAIN, SupervisionCase


class WatchdogCase(SupervisionCase):
    def setUp(self) -> None:
        super().setUp()
        self.both_serve()

    def pass_(self, seconds: int) -> None:
        """So many seconds, one after the other."""
        for _ in range(seconds):
            self.reactor.advance(1)

    @property
    def signals(self) -> list[list[str]]:
        """The signals that each process got."""
        return [process.signals for process in self.processes]


class SilenceTests(WatchdogCase):
    def test_alive(self) -> None:
        """A worker is asked each second, and goes on while it answers."""
        self.pass_(100)
        self.assertEqual((self.first.asked, self.second.asked), (100, 100))
        self.assertEqual(self.signals, [[], []])

    def test_frozen(self) -> None:
        """One that is silent for 10 s is killed, once, and replaced when it has ended."""
        self.pass_(5)
        self.first.frozen = True
        self.pass_(SILENCE)
        self.assertEqual(self.signals, [[], []])
        self.pass_(1)
        self.assertEqual(self.signals, [["KILL"], []])
        self.pass_(1)
        self.first.end(signal.SIGKILL)
        self.pass_(1)
        self.assertEqual(self.signals, [["KILL"], [], []])
        self.assertEqual(self.processes[2].env, self.first.env)

    def test_busy(self) -> None:
        """One that is busy for some seconds is not."""
        for _ in range(10):
            self.first.frozen = True
            self.pass_(SILENCE - 1)
            self.first.frozen = False
            self.pass_(1)
        self.assertEqual(self.signals, [[], []])

    def test_parent_stalls(self) -> None:
        """Nor is any where the parent itself has stood still, however long."""
        self.pass_(5)
        for process in self.processes:
            process.frozen = True
        self.reactor.advance(3600)
        self.pass_(SILENCE - 1)
        for process in self.processes:
            process.say(ALIVE)
            process.frozen = False
        self.pass_(100)
        self.assertEqual(self.signals, [[], []])

    def test_start(self) -> None:
        """A process that starts may be silent for longer, but not for ever."""
        self.first.end(signal.SIGSEGV)
        self.reactor.advance(0)
        starting = self.processes[2]
        starting.frozen = True
        self.pass_(START)
        self.assertEqual(starting.signals, [])
        self.pass_(1)
        self.assertEqual(starting.signals, ["KILL"])

    def test_waits_for_the_database(self) -> None:
        """One that answers may take as long as it likes until it serves."""
        self.first.end(signal.SIGSEGV)
        self.pass_(10 * START)
        self.assertEqual(self.signals, [[], [], []])

    def test_old_release(self) -> None:
        """One that serves and has never heard of the question is left alone."""
        self.first.end(signal.SIGSEGV)
        self.reactor.advance(0)
        self.processes[2].frozen = True
        self.processes[2].say(SERVES)
        self.pass_(10 * START)
        self.assertEqual(self.processes[2].signals, [])

    def test_draining(self) -> None:
        """One that drains is killed too, before its time is over: nobody is served by it."""
        signal.raise_signal(signal.SIGHUP)
        self.processes[2].serve()
        self.pass_(1)
        self.first.frozen = True
        self.pass_(SILENCE + 1)
        self.assertEqual(self.first.signals, ["TERM", "KILL"])
        self.assertLess(SILENCE + 1, DRAIN + LATE)
        self.first.end(signal.SIGKILL)
        self.assertEqual(len(self.processes), 4)

    def test_pipe_closed(self) -> None:
        """One that has closed its pipe, since it ends, is asked no more than in vain."""

        def closed(descriptor: int, data: bytes) -> None:
            raise KeyError(descriptor)

        self.patch(self.first, "writeToChild", closed)
        self.pass_(3)
        self.assertEqual(self.second.asked, 3)

    def test_stop(self) -> None:
        """When all have ended, nobody asks any more."""
        self.parent.stopService()
        self.first.end()
        self.second.end()
        self.pass_(SILENCE + 1)
        self.assertEqual(self.signals, [["TERM"], ["TERM"]])
        self.assertEqual(self.reactor.getDelayedCalls(), [])


class DeathTests(WatchdogCase):
    """A killed worker that the system holds."""

    def setUp(self) -> None:
        super().setUp()
        self.pass_(1)
        self.first.frozen = True
        self.pass_(SILENCE + 1)

    def test_replaced(self) -> None:
        """Another takes its place, with its settings, before it has ended."""
        self.pass_(DEATH - 1)
        self.assertEqual(len(self.processes), 2)
        self.pass_(1)
        self.assertEqual(len(self.processes), 3)
        self.assertEqual(self.processes[2].env, self.first.env)

    def test_once(self) -> None:
        """Its end, when it comes at last, brings no further one."""
        self.pass_(100)
        self.first.end(signal.SIGKILL)
        self.pass_(100)
        self.assertEqual(len(self.processes), 3)
        self.assertEqual(self.processes[2].signals, [])

    def test_rolling(self) -> None:
        """A rolling restart replaces the other one."""
        self.pass_(DEATH)
        self.processes[2].serve()
        signal.raise_signal(signal.SIGHUP)
        self.processes[3].serve()
        self.assertEqual(self.processes[2].signals, ["TERM"])
