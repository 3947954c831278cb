"""A subscription that is told how many notifications are not read (docs/socket.md)."""

from contentsvc.client import State, Subscription
from tests.client.fakes import ANN
from tests.client.notifications.test_subscription import Case


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
