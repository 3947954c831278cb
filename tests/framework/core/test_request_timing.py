"""Whose account a wait goes to."""

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core.request_timing import (
    CURRENT,
    RequestTiming,
    Sharing,
    timing_of,
    waiting,
)


class SpentTests(SynchronousTestCase):
    def test_waits(self) -> None:
        """Waits for the same add up."""
        timing = RequestTiming()
        for wait, seconds in (("pool", 1.0), ("turn", 0.5), ("pool", 2.0)):
            timing.waited(wait, seconds)  # type: ignore[arg-type]
        self.assertEqual(timing.waits, {"pool": 3.0, "turn": 0.5})
        self.assertEqual(RequestTiming().waits, {})

    def test_owner(self) -> None:
        """Only in its own context has a request an account."""
        timing, request = RequestTiming(), object()
        timing.owner = request
        timing.database = 1.0

        async def work() -> tuple[float, float]:
            CURRENT.set(timing)
            return timing_of(request).database, timing_of(object()).database

        self.assertEqual(self.successResultOf(Deferred.fromCoroutine(work())), (1.0, 0.0))
        self.assertEqual(timing_of(request).database, 0.0)


class ContextTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()

    def start(self, timing: RequestTiming | None, *parties: RequestTiming | None) -> Deferred[None]:
        """A coroutine on behalf of one request. It waits, in a block for others if there are
        some, until the result is fired."""
        gate: Deferred[None] = Deferred()

        async def wait() -> None:
            with waiting("pool", self.clock):
                await gate

        async def work() -> None:
            CURRENT.set(timing)
            if parties:
                with Sharing(parties):
                    await Deferred.fromCoroutine(wait())
            else:
                await Deferred.fromCoroutine(wait())

        Deferred.fromCoroutine(work()).addErrback(lambda failure: failure.trap(ZeroDivisionError))
        return gate

    def test_each_its_own(self) -> None:
        """Of two requests at once, each has its own waits, in coroutines that it starts too."""
        first, second = RequestTiming(), RequestTiming()
        one, two = self.start(first), self.start(second)
        self.clock.advance(1)
        one.callback(None)
        self.clock.advance(2)
        two.callback(None)
        self.assertEqual((first.waits, second.waits), ({"pool": 1.0}, {"pool": 3.0}))
        self.assertIsNone(CURRENT.get())

    def test_together(self) -> None:
        """What is done together counts for each, and what is on nobody's behalf for nobody."""
        first, second = RequestTiming(), RequestTiming()
        for parties in ((first, None, second), (second,), (None,)):
            gate = self.start(None, *parties)
            self.clock.advance(1)
            gate.callback(None)
        self.assertEqual((first.waits, second.waits), ({"pool": 1.0}, {"pool": 2.0}))

    def test_failure(self) -> None:
        """A wait that fails counts too."""
        timing = RequestTiming()
        gate = self.start(timing, timing, timing)
        self.clock.advance(1)
        gate.errback(ZeroDivisionError())
        self.assertEqual(timing.waits, {"pool": 2.0})
