"""Why answers are 503: the line in the log, and what is counted for it."""

from twisted.internet.task import Clock
from twisted.logger import LogLevel, formatEvent

from contentsvc.framework.http.call import Call
from contentsvc.framework.http.errors import Unavailable, named
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.route import route
from contentsvc.framework.http.throttled_log import unavailability
from tests.framework.http.support import Service, WebCase

Tired = named(503, "tired", "Nobody is up yet.")


class Sloth:
    """Everything that it is asked fails for now."""

    @route("GET", "/leaf", allow=ANYONE)
    async def leaf(self, call: Call) -> str:
        raise Unavailable(cause="lock")

    @route("GET", "/twig", allow=ANYONE)
    async def twig(self, call: Call) -> str:
        raise Unavailable("Not before noon.", cause="pool", headers={"Retry-After": "60"})

    @route("GET", "/branch", allow=ANYONE, raises=(Tired,))
    async def branch(self, call: Call) -> str:
        raise Tired()


class AnswerTests(WebCase):
    """Errors of operations."""

    def test_counted(self) -> None:
        """Each answer that is 503 is counted by its cause, or by its code if it names none."""
        service = Service([Sloth()])
        for path in ("/leaf", "/twig", "/branch", "/leaf", "/nowhere"):
            service.ask("GET", path)
        self.assertEqual(service.causes, ["lock", "pool", "tired", "lock"])

    def test_retry_after(self) -> None:
        """It says when to come again: in a second, where nothing else is said."""
        service = Service([Sloth()])
        found = [service.ask("GET", path).headers["Retry-After"] for path in ("/leaf", "/twig")]
        self.assertEqual(found, ["1", "60"])

    def test_body(self) -> None:
        """The cause is for the log, not for the client."""
        self.assertNotIn("cause", Service([Sloth()]).ask("GET", "/leaf").json())


class LineTests(WebCase):
    """The lines of the log."""

    def setUp(self) -> None:
        self.clock = Clock()
        self.unavailability = unavailability(self.clock)
        self.events = self.logged()

    @property
    def said(self) -> list[str]:
        """The lines so far, all of which are warnings."""
        self.assertEqual({event["log_level"] for event in self.events}, {LogLevel.warn})
        return [formatEvent(event) for event in self.events]

    def test_first(self) -> None:
        """The first is said at once."""
        self.unavailability.count("disk")
        self.assertEqual(self.said, ["Answered 503: disk 1"])

    def test_second(self) -> None:
        """Those of the second after it are one line, with how many there were of each cause."""
        self.unavailability.count("disk")
        for cause in ("pool", "lock", "pool"):
            self.unavailability.count(cause)
        self.clock.advance(0.9)
        self.assertEqual(len(self.said), 1)
        self.clock.advance(0.1)
        self.assertEqual(self.said[1:], ["Answered 503: pool 2, lock 1"])

    def test_pause(self) -> None:
        """A second without any has no line, and the next after it is said at once."""
        self.unavailability.count("disk")
        self.clock.advance(1)
        self.assertEqual((len(self.said), self.clock.getDelayedCalls()), (1, []))
        self.unavailability.count("lock")
        self.assertEqual(self.said[1:], ["Answered 503: lock 1"])

    def test_stop(self) -> None:
        """The counts that are not logged yet are logged at the stop."""
        for _ in range(3):
            self.unavailability.count("pool")
        self.unavailability.stop()
        self.assertEqual(self.said, ["Answered 503: pool 1", "Answered 503: pool 2"])
        self.assertEqual(self.clock.getDelayedCalls(), [])


class TotalTests(WebCase):
    def test_totals(self) -> None:
        """All since the start are known too, whatever the log has had."""
        clock = Clock()
        tally = unavailability(clock)
        for cause in ("lock", "pool", "lock"):
            tally.count(cause)
            clock.advance(5)
        self.assertEqual(tally.totals, {"lock": 2, "pool": 1})
