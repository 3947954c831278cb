"""What the relay says of a database that is away, on a clock of the test's."""

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.db.errors import Unavailable
from contentsvc.push.relay import REMINDER, SWEEP, Relay


class ReminderTests(SynchronousTestCase):
    """Sweeps that fail."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.error: Exception | None = Unavailable("no such socket")
        nothing: Any = None
        relay = self.relay = Relay(
            self.clock, dsn="", db=nothing, hub=nothing, revoked=nothing, random=nothing
        )
        self.patch(relay, "_sweep", self.sweep)
        Deferred.fromCoroutine(relay._sweep_forever())

    async def sweep(self) -> None:
        """As often as it is called."""
        if self.error is not None:
            raise self.error

    def said(self, seconds: float) -> list[str]:
        """The lines of so many seconds."""
        with capturedLogs() as events:
            self.clock.pump([0.5] * int(seconds * 2))
        return [formatEvent(event) for event in events]

    def test_minute(self) -> None:
        """It is said at once, and once a minute while it lasts."""
        (line,) = self.said(SWEEP)
        self.assertIn("no such socket", line)
        self.assertEqual(self.said(REMINDER - 1), [])
        self.assertEqual(len(self.said(5 * REMINDER)), 5)

    def test_again(self) -> None:
        """Where it goes away again, it is said again."""
        self.said(SWEEP)
        self.error = None
        self.said(SWEEP)
        self.error = Unavailable("gone")
        self.assertEqual(len(self.said(SWEEP)), 1)

    def test_own_errors(self) -> None:
        """Errors of the service itself are said each time."""
        self.error = ValueError("ours")
        self.said(SWEEP)
        self.assertGreater(len(self.said(10)), 5)
        self.assertGreater(len(self.flushLoggedErrors(ValueError)), 5)
