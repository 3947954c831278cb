"""What is counted for operators only."""

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app.metric_values import text
from contentsvc.app.observations import TICK, Lag, Observations
from tests.support.prometheus import samples


class ObservedTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.observed = Observations()

    def numbers(self) -> dict[str, float]:
        return samples(b"".join(text([(None, list(self.observed.registry.collect()))])))

    def test_requests(self) -> None:
        """A request counts by its method, route and class of status, in the buckets that are not
        below its time. One without a route is one of an unknown path."""
        self.observed.answered(("GET", "/x", 2), 0.05)
        self.observed.answered(("GET", "/x", 2), 0.05)
        self.observed.answered(("GET", "-", 4), 0.5)
        found = self.numbers()
        name, row = "contentsvc_http_request_duration_seconds", 'route="/x",status="2xx"'
        self.assertEqual(found[f'{name}_bucket{{le="0.025",method="GET",{row}}}'], 0)
        self.assertEqual(found[f'{name}_bucket{{le="0.05",method="GET",{row}}}'], 2)
        self.assertEqual(found[f'{name}_bucket{{le="+Inf",method="GET",{row}}}'], 2)
        self.assertEqual(found[f'{name}_sum{{method="GET",{row}}}'], 0.1)
        self.assertEqual(found[name + '_count{method="GET",route="unknown",status="4xx"}'], 1)

    def test_present(self) -> None:
        """What has not happened yet is 0, so that the first time is an increase."""
        found = self.numbers()
        self.assertEqual(found['contentsvc_failed_log_ins_total{reason="password"}'], 0)
        self.assertEqual(found['contentsvc_push_delay_seconds_count{stored_by="own"}'], 0)
        self.assertEqual(found["contentsvc_pool_wait_seconds_count"], 0)

    def test_no_times(self) -> None:
        """No series says when a counter was made."""
        self.observed.failed("password")
        self.observed.answered(("GET", "/x", 2), 0.05)
        self.assertEqual([name for name in self.numbers() if "_created" in name], [])

    def test_apart(self) -> None:
        """Two of them, and what else uses the library, count apart."""
        self.observed.failed("token")
        self.observed = Observations()
        self.assertEqual(self.numbers()['contentsvc_failed_log_ins_total{reason="token"}'], 0)


class LagTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.lags: list[float] = []
        self.lag = Lag(self.clock, self.lags.append)
        self.lag.start()

    def test_in_time(self) -> None:
        """A loop that turns is not late."""
        self.clock.pump([TICK] * 4)
        self.assertEqual(self.lags, [0.0] * 4)

    def test_late(self) -> None:
        """One that hangs is late by as long, once."""
        self.clock.advance(TICK + 0.5)
        self.clock.advance(TICK)
        self.assertEqual(self.lags, [0.5, 0.0])

    def test_stopped(self) -> None:
        """After its stop nothing is left to do."""
        self.lag.stop()
        self.assertEqual(self.clock.getDelayedCalls(), [])
