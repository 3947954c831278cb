"""Streams: one stream for each user, whatever order its sources speak in
(docs/interface/socket.md)."""

from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.push.stream import SIZES
from contentsvc.wire.notifications import Debug
from contentsvc.wire.socket import NotificationMessage, ServerMessage
from tests.push.fakes import FakeSocket, make, payload


class DeliverTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.log, self.hub = make()

    def test_live(self) -> None:
        """A committed notification reaches the open socket, with its number."""
        socket = FakeSocket(self.hub).join()
        self.hub.deliver(self.log.commit())
        self.assertEqual(socket.types, ["hello", "notification"])
        self.assertEqual(socket.seqs, [1])

    def test_as_rest_gives_it(self) -> None:
        """The notification on the socket is the JSON object that REST gives."""
        socket = FakeSocket(self.hub).join()
        row = self.log.commit(text="hi")
        self.hub.deliver(row)
        message = json.decode(payload(socket.seen[-1].frame), type=ServerMessage)
        assert isinstance(message, NotificationMessage)
        shown = json.decode(message.notification, type=Debug)
        self.assertEqual(shown, Debug(id=row.id, created=1001, read=False, text="hi"))

    def test_encoded_once(self) -> None:
        """All sockets of a user are written the same bytes."""
        one, two = FakeSocket(self.hub).join(), FakeSocket(self.hub).join()
        self.hub.deliver(self.log.commit())
        self.assertIs(one.seen[-1].frame, two.seen[-1].frame)

    def test_not_connected(self) -> None:
        """A notification for a user without sockets here costs no read."""
        self.hub.deliver(self.log.commit("bob"))
        self.hub.noticed("bob", 7)
        self.assertEqual(self.log.asked, [])

    def test_repeated(self) -> None:
        """A notification that two sources bring is sent once."""
        socket = FakeSocket(self.hub).join()
        row = self.log.commit()
        self.hub.deliver(row)
        self.hub.deliver(row)
        self.hub.noticed("ann", 1)
        self.assertEqual(socket.seqs, [1])

    def test_out_of_order(self) -> None:
        """Completions that come in the wrong order are sent in the order of the commits."""
        socket = FakeSocket(self.hub).join()
        first, second = self.log.commit(), self.log.commit()
        self.hub.deliver(second)
        self.hub.deliver(first)
        self.assertEqual(socket.seqs, [1, 2])

    def test_gap_is_held_back(self) -> None:
        """Nothing is sent past a gap until the read that fills it has answered."""
        self.log.held = True
        socket = FakeSocket(self.hub).join()
        self.log.answer()
        self.log.commit()
        self.hub.deliver(self.log.commit())
        self.assertEqual(socket.seqs, [])
        self.log.answer()
        self.assertEqual(socket.seqs, [1, 2])

    def test_noticed(self) -> None:
        """Notifications that another process announces are read and sent."""
        socket = FakeSocket(self.hub).join()
        self.log.commit()
        self.hub.noticed("ann", 1)
        self.assertEqual(socket.seqs, [1])

    def test_one_read_for_all(self) -> None:
        """While one read is under way the others who fall behind wait for the next, together."""
        for user in "ann", "bob", "cid":
            FakeSocket(self.hub, user).join()
            self.log.commit(user)
        self.log.held = True
        for user in "ann", "bob", "cid":
            self.hub.noticed(user, 1)
        self.assertEqual([read.size for read in self.log.reads], [1])
        self.log.answer()
        self.assertEqual([read.size for read in self.log.reads], [2])

    def test_more_than_one_read_holds(self) -> None:
        """Users whom a full read leaves out are read next, until none is behind."""
        _, self.log, self.hub = make(sizes=SIZES._replace(rows=3))
        sockets = [FakeSocket(self.hub, user).join() for user in "abc"]
        for user in "abcabcab":
            self.log.commit(user)
        self.log.held = True
        self.hub.noticed("a", 3)
        self.hub.noticed("c", 2)
        self.hub.noticed("b", 3)
        while self.log.reads:
            self.log.answer()
        self.assertEqual([socket.seqs for socket in sockets], [[1, 2, 3], [1, 2, 3], [1, 2]])

    def test_holes(self) -> None:
        """A read jumps over numbers that retention has deleted."""
        socket = FakeSocket(self.hub).join()
        for _ in range(4):
            self.log.commit()
        self.log.trim("ann", 2)
        self.hub.noticed("ann", 4)
        self.assertEqual(socket.seqs, [3, 4])

    def test_announced_but_deleted(self) -> None:
        """A number that leads to no row is given up, and does not hold back later ones."""
        socket = FakeSocket(self.hub).join()
        self.hub.noticed("ann", 3)
        self.assertEqual(len(self.log.asked), 2)
        self.hub.deliver(self.log.commit())
        self.assertEqual(socket.seqs, [1])

    def test_database_away(self) -> None:
        """A read that fails is tried again, with growing pauses, until it succeeds."""
        socket = FakeSocket(self.hub).join()
        self.log.commit()
        self.log.error = Unavailable("away")
        self.hub.noticed("ann", 1)
        self.clock.pump([0.1] * 50)
        self.assertLess(len(self.log.asked), 10)
        self.log.error = None
        self.clock.advance(2)
        self.assertEqual(socket.seqs, [1])

    def test_fault_in_a_read(self) -> None:
        """A fault of ours in a read is logged, and tried again like the database's."""
        socket = FakeSocket(self.hub).join()
        self.log.commit()
        self.log.error = ZeroDivisionError()
        self.hub.noticed("ann", 1)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.log.error = None
        self.clock.advance(0.1)
        self.assertEqual(socket.seqs, [1])

    def test_feed_of_a_socket_that_left(self) -> None:
        """A read for a user who left and came back does not disturb the new socket."""
        FakeSocket(self.hub).join().leave()
        left = FakeSocket(self.hub).join()
        self.log.commit()
        self.log.held = True
        self.hub.noticed("ann", 1)
        left.leave()
        back = FakeSocket(self.hub).join()
        while self.log.reads:
            self.log.answer()
        self.assertEqual(back.hello["seq"], 1)
        self.assertEqual(back.seqs, [])
