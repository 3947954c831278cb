"""When a request is sent again, and when it is not."""

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.error import ConnectionRefusedError
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client import ApiError, Unreachable
from contentsvc.client.client import TIMEOUT
from contentsvc.wire.notifications import DebugNotify
from contentsvc.wire.social import PartyBody
from tests.client.fakes import BOB, World, lost


class RepeatTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = World().signed_in()
        self.clock, self.agent = self.world.clock, self.world.agent

    def follow(self) -> Deferred:
        """An operation that may be repeated."""
        return Deferred.fromCoroutine(self.world.client.social.follow(BOB))

    def notify(self) -> Deferred:
        """One that may not."""
        body = DebugNotify(recipient=BOB, text="t")
        return Deferred.fromCoroutine(self.world.client.debug.send_notification(body))

    def test_unavailable(self) -> None:
        """After a 503 it is sent again, no earlier than Retry-After says."""
        self.agent.then(503, {"code": "unavailable"}, Retry_After="4")
        calling = self.follow()
        self.clock.advance(3.9)
        self.assertEqual(len(self.agent.asked), 1)
        self.agent.then(204)
        self.clock.advance(1.2)
        self.successResultOf(calling)
        self.assertEqual(len(self.agent.asked), 2)

    def test_back_off(self) -> None:
        """Without Retry-After the pauses double."""
        for _ in range(3):
            self.agent.then_fail(lost())
        self.agent.then(204)
        calling = self.follow()
        for pause in (0.25, 0.5, 1.0):
            count = len(self.agent.asked)
            self.clock.advance(pause - 0.01)
            self.assertEqual(len(self.agent.asked), count)
            self.clock.advance(0.02)
            self.assertEqual(len(self.agent.asked), count + 1)
        self.successResultOf(calling)

    def test_bound(self) -> None:
        """It ends with the last error, after a bounded time."""
        for _ in range(30):
            self.agent.then(503, {"code": "unavailable"}, Retry_After="2")
        calling = self.follow()
        self.clock.pump([0.5] * 62)
        self.assertEqual(self.failureResultOf(calling, ApiError).value.code, "unavailable")
        self.assertGreater(len(self.agent.asked), 5)

    def test_not_repeatable(self) -> None:
        """A request that would have a second effect is not sent again after an error that may have
        come too late."""
        self.agent.then(503, {"code": "unavailable"}, Retry_After="1")
        self.failureResultOf(self.notify(), ApiError)
        self.agent.then_fail(lost())
        error = self.failureResultOf(self.notify(), Unreachable).value
        self.assertTrue(error.maybe_done)

    def test_never_sent(self) -> None:
        """A request that never left is sent again even so."""
        self.agent.then_fail(ConnectionRefusedError())
        calling = self.notify()
        self.agent.then(204)
        self.clock.advance(1)
        self.successResultOf(calling)

    def test_repeatable_post(self) -> None:
        """A party invite may be repeated: the service takes it for the same."""
        self.agent.then_fail(lost())
        calling = Deferred.fromCoroutine(
            self.world.client.social.send_invite(BOB, PartyBody(party=BOB))
        )
        self.agent.then(204)
        self.clock.advance(1)
        self.successResultOf(calling)

    def test_no_answer(self) -> None:
        """An attempt without an answer ends after a time; the effect is not known then."""
        calling = self.notify()
        self.clock.advance(TIMEOUT)
        self.assertTrue(self.failureResultOf(calling, Unreachable).value.maybe_done)
        self.assertTrue(self.agent.last.cancelled)

    def test_no_connection(self) -> None:
        """So does one that has no connection yet; it has certainly had no effect."""
        self.agent.connecting = True
        calling = self.notify()
        for _ in range(3):
            self.clock.advance(TIMEOUT)
        self.assertFalse(self.failureResultOf(calling, Unreachable).value.maybe_done)

    def test_cancel(self) -> None:
        """A cancelled call is not tried again."""
        calling = self.follow()
        calling.cancel()
        self.failureResultOf(calling, CancelledError)
        self.clock.advance(60)
        self.assertEqual(len(self.agent.asked), 1)
        self.assertTrue(self.agent.last.cancelled)
        self.agent.connecting = True
        calling = self.follow()
        calling.cancel()
        self.failureResultOf(calling, CancelledError)
