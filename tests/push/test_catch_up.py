"""Sockets that join: hello, the backlog, the live stream, and a database that is slow or away
(docs/interface/socket.md)."""

from sys import getrefcount

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.push.catch_up import JOINS
from contentsvc.push.stream import OVERLOADED, SIZES
from contentsvc.wire.socket import ErrorMessage
from tests.push.fakes import FakeSocket, make


class JoinTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.log, self.hub = make()

    def test_hello(self) -> None:
        """A new socket gets the newest number and its id, the unread count and the heartbeat."""
        row = self.log.commit()
        socket = FakeSocket(self.hub).join()
        expected = {"type": "hello", "seq": 1, "id": row.id, "unread": 1, "heartbeat": 15}
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
        self.assertEqual([kind for kind, _ in self.log.asked], ["states"])

    def test_pages(self) -> None:
        """A long backlog is read in pages, each when the transport has taken the one before."""
        _, self.log, self.hub = make(sizes=SIZES._replace(page=3))
        for _ in range(8):
            self.log.commit()
        socket = FakeSocket(self.hub)
        socket.pause(True)
        socket.join(resume=0)
        self.assertEqual(socket.seqs, [1])
        self.assertEqual(len(self.log.asked), 2)
        while not socket.position.live:
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

    def test_nothing_is_held_while_paused(self) -> None:
        """Of a page that a socket does not take, the rest is not kept, but read again."""
        rows = [self.log.commit() for _ in range(50)]
        held = [getrefcount(row) for row in rows]
        slow = FakeSocket(self.hub)
        slow.pause(True)
        slow.join(resume=0)
        self.assertEqual(slow.seqs, [1])
        self.assertEqual([getrefcount(row) for row in rows], held)
        slow.pause(False)
        self.assertEqual(slow.seqs, list(range(1, 51)))

    def test_committed_while_joining(self) -> None:
        """A notification that commits between attaching and hello is not lost."""
        self.log.held = True
        socket = FakeSocket(self.hub).join()
        self.log.reads[0].run()
        self.hub.deliver(self.log.commit())
        while self.log.reads:
            self.log.answer()
        self.assertEqual(socket.hello["seq"], 0)
        self.assertEqual(socket.seqs, [1])

    def test_second_socket_knows_more(self) -> None:
        """Notifications that a second socket's join finds are sent to the first one too."""
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
        """So is one whose read is not answered; one whose turn has not come waits on."""
        self.log.held = True
        asked, left = self.come(JOINS), self.come(20)
        self.clock.advance(10)
        self.assertEqual([socket.closes for socket in asked], [[OVERLOADED]] * len(asked))
        self.assertEqual([socket.closes for socket in left], [[]] * 20)
        self.answer_all()
        self.assertEqual([socket.types for socket in asked], [[]] * len(asked))
        self.assertTrue(all(socket.position.live for socket in left))

    def test_stall_and_after(self) -> None:
        """A stall in which 600 join leaves joining as it was: who still waits is joined, and so
        is who comes later."""
        self.log.held = True
        sockets = self.come(600)
        self.clock.pump([1.0] * 14)
        gone = sum(bool(socket.closes) for socket in sockets)
        self.assertLessEqual(gone, JOINS * SIZES.states)
        self.answer_all()
        late = self.come(600)
        self.answer_all()
        self.assertEqual(sum(socket.position.live for socket in sockets + late), 1200 - gone)

    def test_rush(self) -> None:
        """However many sockets join at once, they ask the database a few times at a time, and
        many together."""
        self.log.held = True
        sockets = self.come(1000)
        self.assertEqual(self.answer_all(), JOINS)
        self.assertTrue(all(socket.position.live for socket in sockets))
        self.assertLessEqual(len(self.log.asked), JOINS + 1000 / SIZES.states)

    def test_backlogs_together(self) -> None:
        """The backlogs of several sockets, of one user too, are read together, a page of each."""
        _, self.log, self.hub = make(sizes=SIZES._replace(page=2))
        for user in "ab":
            for _ in range(5):
                self.log.commit(user)
        self.log.held = True
        sockets = [FakeSocket(self.hub, user).join(resume=n) for n, user in enumerate("aabb")]
        self.answer_all()
        self.assertTrue(all(socket.position.live for socket in sockets))
        backlogs = [list(range(n + 1, 6)) for n in range(4)]
        self.assertEqual([socket.seqs for socket in sockets], backlogs)
        pages = [size for kind, size in self.log.asked if kind == "pages"]
        self.assertLess(len(pages), sum(pages))

    def test_hello_passes_backlogs(self) -> None:
        """Reads of backlogs that take long keep no socket from its hello."""
        self.log.commit()
        self.log.held = True
        for _ in range(JOINS + 1):
            FakeSocket(self.hub, "ann").join(resume=0)
        while any(read.kind == "states" for read in self.log.reads):
            self.log.answer(next(read for read in self.log.reads if read.kind == "states"))
        self.assertEqual({read.kind for read in self.log.reads}, {"pages"})
        (socket,) = self.come(1)
        self.log.answer(self.log.reads[-1])
        self.assertTrue(socket.position.live)

    def test_fault_of_one(self) -> None:
        """Where a read fails by a fault in one question, the others are answered alone."""
        self.log.held = True
        first = self.come(JOINS)
        rest = self.come(3, "late")
        self.answer_all(until=JOINS)
        self.log.fail(ValueError("one of them"))
        self.log.answer()
        self.log.fail(ValueError("this one"))
        self.answer_all()
        self.assertEqual([socket.position.live for socket in first], [True] * len(first))
        self.assertEqual([socket.position.live for socket in rest], [True, False, True])
        self.assertEqual(rest[1].closes, [OVERLOADED])
        self.assertEqual(len(self.flushLoggedErrors(ValueError)), 3)

    def test_leaves_while_joining(self) -> None:
        """A socket that leaves before hello leaves the line at once, and is asked for no more."""
        self.log.held = True
        gone = self.come(20)
        for socket in gone:
            socket.leave()
        self.answer_all()
        self.assertEqual(len(self.log.asked), JOINS)
        self.assertEqual(self.hub.users(), [])
        self.assertEqual([socket.types for socket in gone], [[]] * 20)

    def test_pinged_in_line(self) -> None:
        """A socket that waits in line is pinged, and cut off when it is silent, like any other."""
        self.hub.start()
        self.log.held = True
        asked, (answers, silent) = self.come(JOINS), self.come(2)
        for _ in range(26):
            self.clock.advance(1)
            answers.heard = self.hub.heartbeat.tick
        self.assertEqual((answers.pings > 0, answers.cut, silent.cut), (True, False, True))
        self.assertEqual([socket.closes for socket in asked], [[OVERLOADED]] * len(asked))

    def test_joining(self) -> None:
        """That the database does not let sockets join is known after 5 s, until it does again."""
        self.log.held = True
        self.come(1)
        self.clock.advance(5)
        self.assertTrue(self.hub.joining)
        self.clock.advance(1)
        self.assertFalse(self.hub.joining)
        self.log.answer()
        self.assertTrue(self.hub.joining)

    def test_stop_while_joining(self) -> None:
        """A stopped hub leaves no timer behind of those who wait for the database."""
        self.log.held = True
        self.come(3)
        self.hub.stop()
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def come(self, count: int, name: str = "user") -> list[FakeSocket]:
        """So many sockets join, of as many users."""
        return [FakeSocket(self.hub, f"{name}-{n}").join() for n in range(count)]

    def answer_all(self, until: int | None = None) -> int:
        """Answer the reads under way and what they lead to, at most `until`; how many there were
        at once."""
        most = 0
        while self.log.reads and until != 0:
            most = max(most, len(self.log.reads))
            self.log.answer()
            until = None if until is None else until - 1
        return most
