"""The message `library`: how often it comes, to whom, and what is sent where one may be lost."""

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.push.hub import LIBRARIES_AT_ONCE, LIBRARY_PAUSE, LIBRARY_REST
from tests.push.fakes import FakeSocket, make


def sent(socket: FakeSocket) -> int:
    """How many messages `library` it has had."""
    return socket.types.count("library")


class LibraryTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.log, self.hub = make()

    def test_own(self) -> None:
        """All sockets of the user are notified at once, and nobody else's."""
        ann = [FakeSocket(self.hub, "ann").join() for _ in range(2)]
        bob = FakeSocket(self.hub, "bob").join()
        self.hub.library_changed("ann")
        self.assertEqual([1, 1, 0], [sent(socket) for socket in (*ann, bob)])

    def test_apart(self) -> None:
        """Changes within a second are one message, at its end."""
        socket = FakeSocket(self.hub, "ann").join()
        for _ in range(5):
            self.hub.library_changed("ann")
        self.assertEqual(1, sent(socket))
        self.clock.advance(LIBRARY_REST)
        self.assertEqual(2, sent(socket))
        self.clock.advance(LIBRARY_REST)
        self.assertEqual(2, sent(socket))
        self.hub.library_changed("ann")
        self.assertEqual(3, sent(socket))

    def test_nobody(self) -> None:
        """Where nobody is connected, nothing is kept."""
        self.hub.library_changed("ann")
        self.assertEqual([], self.clock.getDelayedCalls())

    def test_full_check(self) -> None:
        """A full check notifies the users with a library, a few at a time."""
        sockets = [FakeSocket(self.hub, f"user-{n}").join() for n in range(2 * LIBRARIES_AT_ONCE)]
        self.log.keeping = {f"user-{n}" for n in range(LIBRARIES_AT_ONCE + 1)}
        Deferred.fromCoroutine(self.hub.check())
        self.assertEqual(LIBRARIES_AT_ONCE, sum(map(sent, sockets)))
        self.clock.advance(LIBRARY_PAUSE)
        self.assertEqual(
            [1] * (LIBRARIES_AT_ONCE + 1) + [0] * (LIBRARIES_AT_ONCE - 1),
            [sent(one) for one in sockets],
        )

    def test_part(self) -> None:
        """A check of a part of the users notifies nobody."""
        socket = FakeSocket(self.hub, "ann").join()
        self.log.keeping = {"ann"}
        Deferred.fromCoroutine(self.hub.check_part())
        self.assertEqual(0, sent(socket))
