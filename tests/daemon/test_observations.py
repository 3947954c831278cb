"""What is counted for operators only."""

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.daemon.metric_values import Histogram, Labels
from contentsvc.daemon.observations import BEAT, Lag


class LagTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.lags: Histogram[Labels] = Histogram((0.1, 1.0), [()])
        self.lag = Lag(self.clock, self.lags)
        self.lag.start()

    def test_in_time(self) -> None:
        """A loop that turns is not late."""
        self.clock.pump([BEAT] * 4)
        self.assertEqual(self.lags.rows[()], [4, 0, 0, 0])

    def test_late(self) -> None:
        """One that hangs is late by as long, once."""
        self.clock.advance(BEAT + 0.5)
        self.clock.advance(BEAT)
        self.assertEqual(self.lags.rows[()], [1, 1, 0, 0.5])

    def test_stopped(self) -> None:
        """After its stop nothing is left to do."""
        self.lag.stop()
        self.assertEqual(self.clock.getDelayedCalls(), [])
