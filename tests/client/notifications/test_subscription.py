"""Notifications live: each once and in order, whatever happens to the connection."""

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionRefusedError
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client import (
    ApiError,
    Received,
    SessionEnded,
    Subscription,
    SubscriptionEnded,
    UnknownNotification,
)
from contentsvc.client.notifications.subscription import ANSWER, GRACE, HEARTBEAT
from contentsvc.wire.notifications import Debug
from tests.client.fakes import World, debug, guid


def resumes(seq: int) -> str:
    """How the URL ends of who has handed over the notification of this number."""
    return f"?resume={seq}&resumeId={guid(seq)}"


class Case(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = World().signed_in()
        self.clock, self.agent = self.world.clock, self.world.agent

    def subscribe(self, **options: object) -> tuple[Subscription, list[Received]]:
        return self.world.subscribed(**options)

    def live(self, seq: int = 0, **options: object) -> tuple[Subscription, list[Received]]:
        """A subscription that has been greeted."""
        made = self.subscribe(**options)
        self.world.socket.hello(seq)
        return made

    def reconnect(self, seconds: float = 0.51) -> None:
        """Let the pause pass, and the next connection be opened."""
        before = len(self.world.connector.sockets)
        self.world.session()
        self.clock.advance(seconds)
        self.assertEqual(len(self.world.connector.sockets), before + 1)

    def seqs(self, received: list[Received]) -> list[int]:
        return [each.seq for each in received]


class StreamTests(Case):
    def test_connect(self) -> None:
        """A socket is opened where session/connect says, with the token that it gives."""
        self.subscribe()
        self.assertEqual(self.agent.last.path, "/api/v1/session/connect")
        self.assertEqual(self.agent.last.body, b'{"client":"game"}')
        self.assertEqual(self.world.socket.url, "wss://play.example/socket")
        self.assertEqual(self.world.socket.token, "socket-token")

    def test_resume(self) -> None:
        """The number to resume from goes on the URL."""
        self.subscribe(resume=41)
        self.assertEqual(self.world.socket.url, "wss://play.example/socket?resume=41")

    def test_handed_over(self) -> None:
        """Each notification is handed over with its number and its JSON."""
        subscription, received = self.live(41)
        self.assertEqual(subscription.seq, 41)
        self.world.socket.notify(42)
        ((seq, notification, json),) = received
        self.assertEqual(seq, 42)
        self.assertIsInstance(notification, Debug)
        self.assertIn(b'"text":"42"', json)
        self.assertEqual(subscription.seq, 42)

    def test_unknown_kind(self) -> None:
        """A kind that this version does not know is handed over too."""
        _, received = self.live()
        strange = {**debug(1), "kind": "Trophy", "cup": "gold"}
        self.world.socket.say(type="notification", seq=1, notification=strange)
        self.assertIsInstance(received[0].notification, UnknownNotification)
        self.assertIn(b"gold", received[0].json)

    def test_unknown_message(self) -> None:
        """Messages of other types, and what is no message at all, are ignored."""
        _, received = self.live()
        self.world.socket.say(type="weather", wind=5)
        self.world.socket.shout(b"[]")
        self.world.socket.shout(b"\xff{")
        self.world.socket.notify(1)
        self.assertEqual(self.seqs(received), [1])

    def test_repeat(self) -> None:
        """A notification that was delivered is not delivered again."""
        subscription, received = self.live(5)
        self.world.socket.notify(4, 5, 6, 6, 5, 7)
        self.assertEqual(self.seqs(received), [6, 7])
        self.assertEqual(subscription.repeats, 4)

    def test_gap(self) -> None:
        """If a number is missing, the client resumes at the last it had."""
        subscription, received = self.live(5)
        self.world.socket.notify(6, 8, 9)
        self.assertEqual(self.seqs(received), [6])
        self.assertEqual(subscription.gaps, 1)
        self.assertTrue(self.world.socket.aborted)
        self.reconnect()
        self.assertTrue(self.world.socket.url.endswith(resumes(6)))
        self.world.socket.hello(6)
        self.world.socket.notify(7, 8, 9)
        self.assertEqual(self.seqs(received), [6, 7, 8, 9])

    def test_gap_that_stays(self) -> None:
        """If it is missing then too, it is gone: the application is told, and gets the rest."""
        missed: list[tuple[str, str]] = []
        _, received = self.live(5, on_missed=lambda code, detail: missed.append((code, detail)))
        self.world.socket.notify(8)
        self.reconnect()
        self.world.socket.hello(5)
        self.world.socket.notify(8, 9)
        self.assertEqual(self.seqs(received), [8, 9])
        self.assertEqual([code for code, _ in missed], ["gap"])

    def test_trimmed(self) -> None:
        """Where the service says that older ones are gone, the first number may jump."""
        missed: list[str] = []
        _, received = self.live(5, resume=5, on_missed=lambda code, _: missed.append(code))
        self.world.socket.say(type="error", code="trimmed", detail="before 20")
        self.world.socket.notify(20, 21, 23)
        self.assertEqual(self.seqs(received), [20, 21])
        self.assertEqual(missed, ["trimmed"])

    def test_seq_ahead(self) -> None:
        """After a restore the client starts at the newest, and says so."""
        missed: list[str] = []
        subscription, received = self.subscribe(
            resume=99, on_missed=lambda code, _: missed.append(code)
        )
        self.world.socket.hello(7)
        self.world.socket.say(type="error", code="seq_ahead", detail="the newest is 7")
        self.world.socket.notify(8)
        self.assertEqual(self.seqs(received), [8])
        self.assertEqual((subscription.seq, missed), (8, ["seq_ahead"]))

    def test_handler_fails(self) -> None:
        """An error of the application ends the subscription, before that notification."""
        kept: list[int] = []

        def handle(received: Received) -> None:
            if received.seq == 2:
                raise ZeroDivisionError
            kept.append(received.seq)

        subscription, _ = self.live(on_notification=handle)
        ended = subscription.ended()
        self.world.socket.notify(1, 2, 3)
        self.failureResultOf(ended, ZeroDivisionError)
        self.assertEqual((kept, subscription.seq), ([1], 1))
        self.assertTrue(self.world.socket.aborted)


class ReconnectTests(Case):
    def test_lost(self) -> None:
        """A connection that breaks is followed by another, which resumes."""
        subscription, received = self.live()
        self.world.socket.notify(1, 2)
        self.world.socket.end()
        self.assertFalse(subscription.live)
        self.reconnect()
        self.assertTrue(self.world.socket.url.endswith(resumes(2)))
        self.world.socket.hello(2)
        self.world.socket.notify(3)
        self.assertEqual(self.seqs(received), [1, 2, 3])
        self.assertEqual(subscription.connections, 2)

    def test_never_greeted(self) -> None:
        """Before the first hello there is nothing to resume from."""
        self.subscribe()
        self.world.socket.end()
        self.reconnect()
        self.assertNotIn("resume", self.world.socket.url)

    def test_codes(self) -> None:
        """Every close that a new connection can mend is followed by one, with a new token."""
        for code in (1000, 1001, 1006, 1008, 1009, 1013, 4401, 4408, 4999):
            self.world = World().signed_in()
            self.clock, self.agent = self.world.clock, self.world.agent
            self.live()
            self.world.socket.end(code)
            self.reconnect()
            self.assertEqual(len(self.agent.asked), 2)

    def test_back_off(self) -> None:
        """The pauses double while there is no hello, and are short again after one."""
        self.subscribe()
        for pause in (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0):
            self.world.socket.end()
            self.clock.advance(pause - 0.01)
            self.reconnect(0.02)
        self.world.socket.hello(0)
        self.world.socket.end()
        self.reconnect()

    def test_refused(self) -> None:
        """A connection that cannot be made is tried again."""
        self.world.connector.error = ConnectionRefusedError()
        self.subscribe()
        self.world.connector.error = None
        self.reconnect()

    def test_service_away(self) -> None:
        """Nor does a session/connect that fails end the subscription."""
        world = self.world
        self.agent.then(503, {"code": "unavailable"}, Retry_After="3")
        world.client.notifications.listen(lambda _: None)
        self.clock.advance(2.9)
        self.assertEqual(len(self.agent.asked), 1)
        self.agent.then_fail(ConnectionRefusedError())
        self.clock.advance(1.0)
        self.assertGreaterEqual(len(self.agent.asked), 2)
        world.session()
        self.clock.advance(1.0)
        self.assertEqual(len(world.connector.sockets), 1)

    def test_retry_after(self) -> None:
        """A goodbye's retryAfter is waited for."""
        self.live()
        self.world.socket.say(type="goodbye", reason="overloaded", retryAfter=5)
        self.world.socket.end(1013)
        self.clock.advance(4.99)
        self.assertEqual(len(self.world.connector.sockets), 1)
        self.reconnect(1.3)

    def test_final(self) -> None:
        """Closes that a new connection does not mend end it, with the code and the reason."""
        for code in (4403, 4409, 4410):
            self.world = World().signed_in()
            self.clock = self.world.clock
            subscription, _ = self.live()
            ended = subscription.ended()
            self.world.socket.say(type="goodbye", reason="why", retryAfter=0)
            self.world.socket.end(code, "why")
            error = self.failureResultOf(ended, SubscriptionEnded).value
            self.assertEqual((error.code, error.reason), (code, "why"))
            self.assertTrue(subscription.over)
            self.clock.advance(60)
            self.assertEqual(len(self.world.connector.sockets), 1)

    def test_session_ended(self) -> None:
        """Nor can it go on where the session has ended."""
        subscription, _ = self.live()
        ended = subscription.ended()
        self.world.socket.end(1001)
        self.agent.then(401, {"code": "invalid_token"})
        self.agent.then(400, {"error": "invalid_grant"})
        self.clock.advance(1)
        self.failureResultOf(ended, SessionEnded)

    def test_forbidden(self) -> None:
        """Nor where session/connect says no for good."""
        ended = self.world.client.notifications.listen(lambda _: None).ended()
        self.agent.last.answer(403, {"code": "forbidden"})
        self.failureResultOf(ended, ApiError)

    def test_unasked(self) -> None:
        """An end that nobody asked about is logged."""
        self.live()
        self.world.socket.end(4403, "revoked")
        self.assertEqual(len(self.flushLoggedErrors(SubscriptionEnded)), 1)


class SilenceTests(Case):
    def test_no_hello(self) -> None:
        """A service that is silent and has not said hello is asked for a sign of life, and left."""
        self.subscribe()
        self.clock.pump([1.0] * int(HEARTBEAT + GRACE))
        self.assertEqual(self.world.socket.sent, [{"type": "ping"}])
        self.clock.pump([1.0] * int(ANSWER))
        self.assertTrue(self.world.socket.aborted)

    def test_in_line(self) -> None:
        """One that pings is waited for, however late its hello: a new socket would be the last in
        line."""
        self.subscribe()
        for _ in range(5):
            self.clock.pump([1.0] * 15)
            self.world.socket.ping()
        self.assertFalse(self.world.socket.aborted)
        self.world.socket.hello(3)
        self.assertEqual(len(self.world.connector.sockets), 1)

    def test_asked(self) -> None:
        """A service that is silent for longer than its heartbeat is asked for a sign of life."""
        self.live()
        self.clock.pump([1.0] * int(HEARTBEAT + GRACE))
        self.assertEqual(self.world.socket.sent, [{"type": "ping"}])
        self.world.socket.say(type="pong")
        self.clock.pump([1.0] * int(ANSWER + 1))
        self.assertFalse(self.world.socket.aborted)

    def test_silent(self) -> None:
        """If there is none, the connection is dead and another is made."""
        self.live()
        self.clock.pump([1.0] * int(HEARTBEAT + GRACE + ANSWER))
        self.assertTrue(self.world.socket.aborted)
        self.reconnect()

    def test_pings(self) -> None:
        """The service's own pings are enough of a sign."""
        self.live()
        for _ in range(5):
            self.clock.pump([1.0] * 15)
            self.world.socket.ping()
        self.assertEqual(self.world.socket.sent, [])


class StopTests(Case):
    def stop(self, subscription: Subscription) -> Deferred:
        return Deferred.fromCoroutine(subscription.stop())

    def test_open(self) -> None:
        """Stopping closes the socket and ends when it is gone; nothing more is handed over."""
        subscription, received = self.live()
        ended = subscription.ended()
        stopping = self.stop(subscription)
        self.assertTrue(self.world.socket.closing)
        self.world.socket.notify(1)
        self.assertNoResult(stopping)
        self.world.socket.end(1000)
        self.successResultOf(stopping)
        self.successResultOf(ended)
        self.assertEqual(received, [])

    def test_unresponsive(self) -> None:
        """A service that does not answer the close is not waited for."""
        subscription, _ = self.live()
        stopping = self.stop(subscription)
        self.clock.advance(ANSWER)
        self.assertTrue(self.world.socket.aborted)
        self.successResultOf(stopping)

    def test_pausing(self) -> None:
        """Between two connections it ends at once."""
        subscription, _ = self.live()
        self.world.socket.end()
        self.successResultOf(self.stop(subscription))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_connecting(self) -> None:
        """Before there is a socket it ends at once, too."""
        subscription = self.world.client.notifications.listen(lambda _: None)
        self.successResultOf(self.stop(subscription))
        self.assertEqual(self.world.connector.sockets, [])

    def test_from_handler(self) -> None:
        """The application may stop it while it is handed a notification."""
        kept: list[int] = []

        def handle(received: Received) -> None:
            kept.append(received.seq)
            self.stop(subscription)

        subscription, _ = self.live(on_notification=handle)
        self.world.socket.notify(1, 2)
        self.world.socket.end(1000)
        self.assertEqual((kept, subscription.seq), ([1], 1))

    def test_twice(self) -> None:
        """Stopping what has been stopped does nothing."""
        subscription, _ = self.live()
        self.stop(subscription)
        self.world.socket.end(1000)
        self.successResultOf(self.stop(subscription))
        self.successResultOf(subscription.ended())

    def test_close(self) -> None:
        """Closing the client stops its subscriptions."""
        subscription, _ = self.live()
        closing = Deferred.fromCoroutine(self.world.client.close())
        self.world.socket.end(1000)
        self.successResultOf(closing)
        self.assertTrue(subscription.over)

    def test_nothing_left(self) -> None:
        """No timer outlives a subscription."""
        subscription, _ = self.live()
        self.stop(subscription)
        self.world.socket.end(1000)
        self.assertEqual(self.clock.getDelayedCalls(), [])
