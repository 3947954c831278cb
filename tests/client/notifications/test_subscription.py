"""Notifications live: each once and in order, whatever happens to the connection; and how many are
not read (docs/interface/socket.md)."""

from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectionRefusedError
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client import (
    ApiError,
    Received,
    SessionEnded,
    State,
    Subscription,
    SubscriptionEnded,
    UnknownNotification,
)
from contentsvc.client.notifications.subscription import ANSWER, GRACE, HEARTBEAT
from contentsvc.wire.notifications import Debug
from tests.client.fakes import ANN, World, debug, guid


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


class ResumeTests(Case):
    def test_resume_with_id(self) -> None:
        """So does the id, which tells the service whether its log is still the same."""
        self.subscribe(resume=41, resume_id=guid(41))
        self.assertTrue(self.world.socket.url.endswith(resumes(41)))

    def test_resume_at_none(self) -> None:
        """There is no notification 0, and so no id to resume with."""
        self.live(0)
        self.world.socket.end()
        self.reconnect()
        self.assertTrue(self.world.socket.url.endswith("?resume=0"))

    def test_resume_after_hello(self) -> None:
        """Before the first notification it resumes with what hello said."""
        subscription, _ = self.subscribe()
        self.world.socket.hello(7, guid(7))
        self.world.socket.end()
        self.reconnect()
        self.assertTrue(self.world.socket.url.endswith(resumes(7)))
        self.assertEqual((subscription.seq, subscription.id), (7, guid(7)))

    def test_older_service(self) -> None:
        """A hello without an id, of an older service, takes nothing from what is known."""
        subscription, received = self.subscribe(resume=7, resume_id=guid(7))
        self.world.socket.say(type="hello", seq=7, unread=0, heartbeat=15)
        self.assertEqual(subscription.id, guid(7))
        self.world.socket.notify(8)
        self.assertEqual(self.seqs(received), [8])

    def test_hello_elsewhere(self) -> None:
        """The id of another number than that of hello is not kept."""
        subscription, _ = self.subscribe(resume=9, resume_id=guid(9))
        self.world.socket.hello(4, None)
        self.assertEqual((subscription.seq, subscription.id), (4, None))


class LogChangedTests(Case):
    def test_log_changed(self) -> None:
        """Where the log has become another one the application is told, and what comes then is
        handed over from the number on that the service goes on after."""
        missed: list[str] = []
        subscription, received = self.live(5, on_missed=lambda code, _: missed.append(code))
        self.world.socket.notify(6, 7)
        self.world.socket.log_changed(5, guid(50))
        self.assertEqual((subscription.seq, subscription.id), (5, guid(50)))
        self.world.socket.notify(6, 7)
        self.assertEqual((self.seqs(received), missed), ([6, 7, 6, 7], ["log_changed"]))
        self.assertEqual((subscription.repeats, subscription.gaps), (0, 0))

    def test_log_changed_to_nothing(self) -> None:
        """A log that is empty now begins at 1 again."""
        subscription, received = self.live(5)
        self.world.socket.log_changed(0, None)
        self.assertEqual((subscription.seq, subscription.id), (0, None))
        self.world.socket.notify(1)
        self.assertEqual(self.seqs(received), [1])

    def test_log_changed_at_resume(self) -> None:
        """So where the service says so as the client comes back."""
        missed: list[str] = []
        self.live(5, on_missed=lambda code, _: missed.append(code))
        self.world.socket.notify(6)
        self.world.socket.end()
        self.reconnect()
        self.world.socket.hello(9, guid(90))
        self.world.socket.log_changed(9, guid(90))
        self.world.socket.end()
        self.reconnect()
        self.assertTrue(self.world.socket.url.endswith(f"?resume=9&resumeId={guid(90)}"))
        self.assertEqual(missed, ["log_changed"])


class StateTests(Case):
    def setUp(self) -> None:
        super().setUp()
        self.states: list[State] = []

    def began(self, **options: object) -> Subscription:
        """One that takes states, before its hello."""
        return self.subscribe(on_state=self.states.append, **options)[0]

    def hello(self, seq: int, unread: int) -> None:
        self.world.socket.say(type="hello", seq=seq, unread=unread, heartbeat=15, id=None)

    def say(self, seq: int, unread: int) -> None:
        self.world.socket.say(type="state", seq=seq, unread=unread)

    def stands(self, newest: int, unread: int) -> None:
        """Answer a coming GET of the state."""
        self.agent.then(200, {"newest": newest, "oldest": 1, "unread": unread})

    def test_hello(self) -> None:
        """The hello of a socket that starts at the newest tells it."""
        self.began()
        self.hello(7, 3)
        self.assertEqual(self.states, [(7, 3)])
        self.assertTrue(self.agent.last.path.endswith("/session/connect"))

    def test_message(self) -> None:
        """Each message `state` does."""
        self.began()
        self.hello(7, 3)
        self.say(7, 2)
        self.say(8, 0)
        self.assertEqual(self.states[1:], [(7, 2), (8, 0)])

    def test_not_asked_for(self) -> None:
        """Without a function nothing is asked, and the message is ignored."""
        _, received = self.live(resume=3)
        self.say(3, 0)
        self.world.socket.notify(1)
        self.assertTrue(self.agent.last.path.endswith("/session/connect"))
        self.assertEqual(self.seqs(received), [1])

    def test_resumed(self) -> None:
        """A socket that resumes is told by a GET: its hello counts the backlog."""
        self.began(resume=4)
        self.stands(9, 5)
        self.hello(4, 5)
        self.assertEqual(self.agent.last.path, f"/api/v1/user/{ANN}/notifications/state")
        self.assertEqual(self.states, [(9, 5)])

    def test_reconnected(self) -> None:
        """So is one that has connected again: flags may have changed meanwhile."""
        self.began()
        self.hello(4, 1)
        self.world.socket.end()
        self.reconnect()
        self.stands(4, 0)
        self.hello(4, 0)
        self.assertEqual(self.states, [(4, 1), (4, 0)])

    def test_message_before_the_answer(self) -> None:
        """A message that came before the answer to the GET stays, unless the answer is newer."""
        for newest, expected in ((9, [(9, 2)]), (10, [(9, 2), (10, 3)])):
            self.states.clear()
            self.began(resume=4)
            self.hello(4, 5)
            asked = self.agent.last
            self.say(9, 2)
            asked.answer(200, {"newest": newest, "oldest": 1, "unread": 3})
            self.assertEqual(self.states, expected)

    def test_connection_lost_before_the_answer(self) -> None:
        """The end of its connection ends the GET: the next hello brings another."""
        self.began(resume=4)
        self.hello(4, 5)
        asked = self.agent.last
        self.world.socket.end()
        self.assertTrue(asked.cancelled)
        self.reconnect()
        self.assertTrue(self.agent.last.path.endswith("/session/connect"))
        self.assertEqual(self.states, [])

    def test_no_answer(self) -> None:
        """A GET that is refused leaves the subscription as it is; the next message tells."""
        subscription = self.began(resume=4)
        self.agent.then(404, {"code": "not_found"})
        self.hello(4, 5)
        self.say(5, 1)
        self.assertEqual((self.states, subscription.live), ([(5, 1)], True))

    def test_error(self) -> None:
        """If the function raises an error, the subscription ends with it."""

        def bad(state: State) -> None:
            raise ZeroDivisionError

        subscription, _ = self.subscribe(on_state=bad)
        ended = subscription.ended()
        self.hello(1, 1)
        self.failureResultOf(ended, ZeroDivisionError)
