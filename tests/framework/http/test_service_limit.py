"""How many requests a service account may make."""

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.http.app import ServiceLimit
from contentsvc.framework.http.errors import TooManyRequests


class LimitTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.limit = ServiceLimit(self.clock, 2)

    def test_minute(self) -> None:
        """What is beyond is refused until a minute after the first request."""
        self.limit.count("bot")
        self.clock.advance(10.5)
        self.limit.count("bot")
        problem = self.assertRaises(TooManyRequests, self.limit.count, "bot")
        self.assertEqual({"Retry-After": "50"}, problem.headers)
        self.clock.advance(49.5)
        for _ in range(2):
            self.limit.count("bot")
        self.assertRaises(TooManyRequests, self.limit.count, "bot")

    def test_each(self) -> None:
        """Each account has its own."""
        for account in ("bot", "bot", "other", "other"):
            self.limit.count(account)

    def test_none(self) -> None:
        """With 0 there is no limit."""
        for _ in range(10):
            ServiceLimit(self.clock, 0).count("bot")
