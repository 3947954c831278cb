"""Which clock measures what."""

import time

from twisted.internet.base import DelayedCall
from twisted.internet.epollreactor import EPollReactor
from twisted.internet.task import LoopingCall
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core.timers import WallClock, run_monotonic


class MonotonicTests(SynchronousTestCase):
    """A reactor whose durations run on the monotonic clock, and a wall clock that is set."""

    def setUp(self) -> None:
        self.wall, self.steady = 1_700_000_000.0, 5_000.0
        self.patch(time, "time", lambda: self.wall)
        self.patch(time, "monotonic", lambda: self.steady)
        # The reactor's own took hold of time.time when Twisted was imported.
        self.patch(EPollReactor, "seconds", staticmethod(lambda: self.wall))
        self.reactor = EPollReactor()
        self.addCleanup(self.reactor._poller.close)
        self.addCleanup(self.reactor.waker.connectionLost, None)
        self.fired: list[str] = []

    def turn(self) -> None:
        """One round of the reactor's timers."""
        self.reactor.timeout()
        self.reactor.runUntilCurrent()

    def after(self, seconds: float) -> DelayedCall:
        """A timer that leaves a note of itself."""
        return self.reactor.callLater(seconds, self.fired.append, f"{seconds:g} s")

    def test_set_back(self) -> None:
        """A timer fires when its time has passed, though the wall clock was set back."""
        run_monotonic(self.reactor)
        self.after(15)
        self.wall -= 120
        self.steady += 15
        self.turn()
        self.assertEqual(self.fired, ["15 s"])

    def test_set_forward(self) -> None:
        """And not before it has, though the wall clock was set forward."""
        run_monotonic(self.reactor)
        self.after(15)
        self.wall += 120
        self.turn()
        self.assertEqual(self.fired, [])
        self.assertEqual(self.reactor.timeout(), 15)

    def test_set_before(self) -> None:
        """The timers that were set before keep their durations, and the order of them."""
        self.after(20)
        self.after(10)
        self.turn()
        self.after(30)
        self.steady, self.wall = self.steady + 4, self.wall + 4
        run_monotonic(self.reactor)
        self.wall -= 120
        for _ in range(3):
            self.steady += 10
            self.turn()
        self.assertEqual(self.fired, ["10 s", "20 s", "30 s"])

    def test_reset_of_one_before(self) -> None:
        """One that is put off counts from now on the new clock."""
        call = self.after(10)
        run_monotonic(self.reactor)
        call.reset(20)
        self.assertEqual(call.getTime(), self.steady + 20)

    def test_again(self) -> None:
        """To do it twice changes nothing."""
        run_monotonic(self.reactor)
        call = self.after(10)
        run_monotonic(self.reactor)
        self.assertEqual(call.getTime(), self.steady + 10)

    def test_looping(self) -> None:
        """A LoopingCall goes on in its rhythm."""
        run_monotonic(self.reactor)
        loop = LoopingCall(self.fired.append, "beat")
        loop.clock = self.reactor
        loop.start(1.0, now=False)
        for step in (-120, 0, 240):
            self.wall += step
            self.steady += 1
            self.turn()
        self.assertEqual(self.fired, ["beat"] * 3)

    def test_wall(self) -> None:
        """The wall clock is the system's time."""
        self.wall += 120
        self.assertEqual(WallClock().seconds(), self.wall)
