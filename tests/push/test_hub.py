"""The hub: one stream for each user, whatever order its sources speak in (docs/socket.md)."""

from msgspec import json
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.push import hub as hub_module
from contentsvc.push.hub import OVERLOADED
from contentsvc.store.errors import Unavailable
from contentsvc.wire.notifications import Debug
from contentsvc.wire.socket import ErrorMessage, NotificationMessage, ServerMessage
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
        """What another process announces is read and sent."""
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
        self.patch(hub_module, "ROWS", 3)
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

    def test_stop(self) -> None:
        """A stopped hub leaves no timer behind."""
        self.hub.start()
        FakeSocket(self.hub).join()
        self.log.commit()
        self.log.error = Unavailable("away")
        self.hub.noticed("ann", 1)
        FakeSocket(self.hub, "bob").join()
        self.hub.stop()
        self.assertEqual(self.clock.getDelayedCalls(), [])


class JoinTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.log, self.hub = make()

    def test_hello(self) -> None:
        """A new socket is told the newest number, the unread count and the heartbeat."""
        self.log.commit()
        socket = FakeSocket(self.hub).join()
        expected = {"type": "hello", "seq": 1, "unread": 1, "heartbeat": 15}
        self.assertEqual([each.message for each in socket.seen], [expected])

    def test_resume(self) -> None:
        """A resuming socket gets what came after its number, and then the live ones."""
        for _ in range(5):
            self.log.commit()
        socket = FakeSocket(self.hub).join(resume=2)
        self.hub.deliver(self.log.commit())
        self.assertEqual(socket.hello["seq"], 2)
        self.assertEqual(socket.seqs, [3, 4, 5, 6])

    def test_resume_at_newest(self) -> None:
        """A socket that missed nothing goes live at once, without a read of its backlog."""
        self.log.commit()
        socket = FakeSocket(self.hub).join(resume=1)
        self.assertEqual(socket.types, ["hello"])
        self.assertEqual([kind for kind, _ in self.log.asked], ["state"])

    def test_pages(self) -> None:
        """A long backlog is read in pages, each when the transport has taken the one before."""
        self.patch(hub_module, "PAGE", 3)
        for _ in range(8):
            self.log.commit()
        socket = FakeSocket(self.hub)
        socket.pause(True)
        socket.join(resume=0)
        self.assertEqual(socket.seqs, [1])
        self.assertEqual(len(self.log.asked), 2)
        while not socket.live:
            socket.pause(False)
        self.assertEqual(socket.seqs, list(range(1, 9)))

    def test_bounded_while_paused(self) -> None:
        """A joining socket that does not read holds up no one, and nothing is queued for it."""
        for _ in range(3):
            self.log.commit()
        slow = FakeSocket(self.hub)
        slow.pause(True)
        slow.join(resume=0)
        quick = FakeSocket(self.hub).join()
        for _ in range(50):
            self.hub.deliver(self.log.commit())
        self.assertEqual(len(quick.seqs), 50)
        self.assertEqual(slow.seqs, [1])
        slow.pause(False)
        self.assertEqual(slow.seqs, list(range(1, 54)))

    def test_committed_while_joining(self) -> None:
        """A notification that commits between attaching and hello is not lost."""
        self.log.held = True
        socket = FakeSocket(self.hub).join()
        self.log.reads[0].look()
        self.hub.deliver(self.log.commit())
        while self.log.reads:
            self.log.answer()
        self.assertEqual(socket.hello["seq"], 0)
        self.assertEqual(socket.seqs, [1])

    def test_second_socket_knows_more(self) -> None:
        """What a second socket's join finds is sent to the first one too."""
        first = FakeSocket(self.hub).join()
        self.log.commit()
        second = FakeSocket(self.hub).join()
        self.assertEqual(first.seqs, [1])
        self.assertEqual((second.hello["seq"], second.seqs), (1, []))

    def test_seq_ahead(self) -> None:
        """A number above the newest is an error, and the socket starts at the newest."""
        self.log.commit()
        socket = FakeSocket(self.hub).join(resume=10**30)
        self.assertEqual(socket.hello["seq"], 1)
        self.assertEqual(socket.seen[1].message["code"], "seq_ahead")
        self.hub.deliver(self.log.commit())
        self.assertEqual(socket.seqs, [2])

    def test_trimmed(self) -> None:
        """A number before what is kept is an error, and what is kept follows."""
        for _ in range(5):
            self.log.commit()
        self.log.trim("ann", 3)
        socket = FakeSocket(self.hub).join(resume=2)
        self.assertEqual(socket.hello["seq"], 2)
        self.assertEqual(socket.seen[1].message["code"], "trimmed")
        self.assertEqual(socket.seqs, [4, 5])

    def test_trimmed_just_so(self) -> None:
        """Nothing is missing for a client that stopped right where retention ends."""
        for _ in range(5):
            self.log.commit()
        self.log.trim("ann", 3)
        socket = FakeSocket(self.hub).join(resume=3)
        self.assertEqual(socket.types, ["hello", "notification", "notification"])

    def test_trimmed_to_the_end(self) -> None:
        """A socket goes live even if retention deletes its whole backlog as it reads."""
        for _ in range(5):
            self.log.commit()
        self.log.held = True
        socket = FakeSocket(self.hub).join(resume=2)
        self.log.answer()
        self.log.trim("ann", 5)
        self.log.answer()
        self.hub.deliver(self.log.commit())
        self.assertEqual(socket.seqs, [6])

    def test_problem(self) -> None:
        """A problem with the client's request follows hello."""
        socket = FakeSocket(self.hub).join(problem=ErrorMessage("invalid_resume", "no"))
        self.assertEqual(socket.types, ["hello", "error"])

    def test_database_away(self) -> None:
        """A socket that joins while the database is away is served when it returns."""
        self.log.error = Unavailable("away")
        socket = FakeSocket(self.hub).join()
        self.clock.pump([0.1] * 30)
        self.log.error = None
        self.clock.advance(2)
        self.assertEqual(socket.types, ["hello"])

    def test_database_stays_away(self) -> None:
        """A socket waits 10 s for the database, then it is sent away with 1013."""
        self.log.error = Unavailable("away")
        socket = FakeSocket(self.hub).join()
        self.clock.pump([0.5] * 20)
        self.assertEqual(socket.closes, [OVERLOADED])
        self.clock.pump([0.1] * 20)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_database_silent(self) -> None:
        """So is one whose read is not answered, and one whose turn to read does not come."""
        self.log.held = True
        sockets = [FakeSocket(self.hub, f"user-{n}").join() for n in range(hub_module.JOINS + 1)]
        self.clock.advance(10)
        self.assertEqual([socket.closes for socket in sockets], [[OVERLOADED]] * len(sockets))
        while self.log.reads:
            self.log.answer()
        self.assertEqual(len(self.log.asked), hub_module.JOINS)
        self.assertEqual([socket.types for socket in sockets], [[]] * len(sockets))

    def test_rush(self) -> None:
        """However many sockets join at once, they ask the database a few at a time."""
        self.log.held = True
        sockets = [FakeSocket(self.hub, f"user-{n}").join() for n in range(50)]
        most = 0
        while self.log.reads:
            most = max(most, len(self.log.reads))
            self.log.answer()
        self.assertEqual(most, hub_module.JOINS)
        self.assertTrue(all(socket.live for socket in sockets))

    def test_leaves_while_joining(self) -> None:
        """A socket that leaves before hello is forgotten, and its turn goes to the next."""
        self.log.held = True
        gone = [FakeSocket(self.hub, f"user-{n}").join() for n in range(20)]
        for socket in gone:
            socket.leave()
        while self.log.reads:
            self.log.answer()
        self.assertEqual(len(self.log.asked), hub_module.JOINS)
        self.assertEqual(self.hub.users(), [])
        self.assertEqual([socket.types for socket in gone], [[]] * 20)
