"""Numbers about sockets."""

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.push.hub import Hub
from contentsvc.push.notifier import Notifier
from contentsvc.push.statistics import OTHERS, OWN, Delays, SocketCounts
from contentsvc.store.notifications.notifications import Following
from tests.push.fakes import AGE, LIMITS, Commits, FakeLog, FakeSocket, Listener


class CountsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.counts = SocketCounts()

    def test_clients(self) -> None:
        """Sockets are counted by their type of client; an unknown type is another one."""
        words = [self.counts.signed_in(client) for client in ("game", "portal", "game", "toaster")]
        self.assertEqual(words, ["game", "portal", "game", "other"])
        self.counts.closed("game", "client", 1000)
        self.assertEqual(self.counts.live, {"game": 1, "portal": 1, "other": 1})
        self.assertEqual(self.counts.sign_ins, {"game": 2, "portal": 1, "other": 1})

    def test_without_sign_in(self) -> None:
        """A socket that has never signed in ends too."""
        self.counts.closed("", "server", 4401)
        self.assertEqual((self.counts.live, self.counts.closes["server", 4401]), ({}, 1))

    def test_codes(self) -> None:
        """Codes that a client makes up are counted as one."""
        for code in range(3000, 4000):
            self.counts.closed("", "client", code)
        self.assertEqual(self.counts.closes["client", 0], 1000)
        self.counts.closed("", "client", None)
        self.assertEqual(self.counts.closes["client", 1005], 1)
        self.assertLess(len(self.counts.closes), 20)


class DelaysTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.seen: list[tuple[str, float]] = []
        self.delays = Delays(self.clock, lambda *each: self.seen.append(each))

    def test_own(self) -> None:
        """From the moment at which this process begins to store it, until a socket has it."""
        listener, transaction = Listener(), Commits()
        listener.connected = True
        notifier = Notifier(listener, listener, self.delays)
        notifier.publish(transaction, [Following("ann", 1, "x", 1000, False, "{}", None)])
        self.clock.advance(0.5)
        transaction.commit()
        self.assertEqual(self.seen, [(OWN, 0.5)])

    def test_nobody_here(self) -> None:
        """One without a socket here is not counted."""
        listener, transaction = Listener(), Commits()
        notifier = Notifier(listener, listener, self.delays)
        notifier.publish(transaction, [Following("ann", 1, "x", 1000, False, "{}", None)])
        transaction.commit()
        self.assertEqual(self.seen, [])

    def test_others(self) -> None:
        """One that another process has stored is as old as the database says."""
        log = FakeLog()
        hub = Hub(self.clock, None, log, self.delays, **LIMITS)
        FakeSocket(hub).join()
        log.commit()
        hub.noticed("ann", 1)
        self.assertEqual(self.seen, [(OTHERS, AGE)])

    def test_clock_set_back(self) -> None:
        """None is younger than nothing."""
        self.delays.others(-3.0)
        self.assertEqual(self.seen, [(OTHERS, 0.0)])
