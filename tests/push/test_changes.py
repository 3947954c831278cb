"""A database that goes back in time: the sockets are notified, and nothing later is withheld from
them (docs/interface/socket.md)."""

from typing import Any

from twisted.internet.defer import Deferred
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.push.stream import SIZES
from tests.push.fakes import FakeSocket, make


class ChangeCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.log, self.hub = make()

    def commits(self, count: int, user: str = "ann") -> None:
        """So many are committed, and delivered by this process."""
        for _ in range(count):
            self.hub.deliver(self.log.commit(user))

    def check(self) -> Deferred[None]:
        """One check of the reconciler."""
        return Deferred.fromCoroutine(self.hub.check())

    def changes_of(self, socket: FakeSocket) -> list[tuple[int, str | None]]:
        """The places that its log_changed messages name."""
        return [
            (each.message["seq"], each.message["id"])
            for each in socket.seen
            if each.message.get("code") == "log_changed"
        ]

    def after_change(self, socket: FakeSocket) -> list[int]:
        """The numbers that it was sent after the last of these."""
        codes = [each.message.get("code") for each in socket.seen]
        last = len(codes) - codes[::-1].index("log_changed")
        after = [each.message for each in socket.seen[last:]]
        return [message["seq"] for message in after if message["type"] == "notification"]


class ChangeTests(ChangeCase):
    def test_lower(self) -> None:
        """Where the newest number is lower than what was sent, each socket of the user gets the
        newest there is, and goes on from there."""
        sockets = [FakeSocket(self.hub).join() for _ in range(2)]
        self.commits(5)
        self.log.go_back("ann", 3)
        self.check()
        for socket in sockets:
            self.assertEqual(self.changes_of(socket), [(3, self.log.id("ann", 3))])
        self.commits(2)
        for socket in sockets:
            self.assertEqual(socket.seqs, [1, 2, 3, 4, 5, 4, 5])

    def test_message(self) -> None:
        """The error has a code, a sentence, and the number and id that the stream goes on after."""
        socket = FakeSocket(self.hub).join()
        self.commits(2)
        self.log.go_back("ann", 1)
        self.check()
        message: dict[str, Any] = dict(socket.seen[socket.types.index("error")].message)
        self.assertIn("back in time", message.pop("detail"))
        expected = {"type": "error", "code": "log_changed", "seq": 1, "id": self.log.id("ann", 1)}
        self.assertEqual(message, expected)

    def test_to_nothing(self) -> None:
        """A log that is empty goes on after 0, whose id is null."""
        socket = FakeSocket(self.hub).join()
        self.commits(2)
        self.log.go_back("ann", 0)
        self.check()
        self.assertEqual(self.changes_of(socket), [(0, None)])
        self.commits(1)
        self.assertEqual(self.after_change(socket), [1])

    def test_equal(self) -> None:
        """A log that has grown again to just the number that was sent is found by its id."""
        socket = FakeSocket(self.hub).join()
        self.commits(5)
        self.log.go_back("ann", 3)
        self.commits(2)
        self.check()
        self.assertEqual(self.changes_of(socket), [(5, self.log.id("ann", 5))])
        self.commits(1)
        self.assertEqual(self.after_change(socket), [6])

    def test_outgrown(self) -> None:
        """A log that has outgrown the number is found as soon as one that follows is to be sent,
        and that one is not sent as if nothing had been missed."""
        socket = FakeSocket(self.hub).join()
        self.commits(5)
        self.log.go_back("ann", 3)
        self.commits(4)
        self.assertEqual(socket.seqs, [1, 2, 3, 4, 5, 7])
        self.assertEqual(self.changes_of(socket), [(6, self.log.id("ann", 6))])
        self.assertEqual(self.after_change(socket), [7])
        self.check()
        self.assertEqual(len(self.changes_of(socket)), 1)

    def test_outgrown_elsewhere(self) -> None:
        """So is one that others have let grow: by what they announce, and by the reconciler."""
        for notice in True, False:
            socket = FakeSocket(self.hub).join()
            self.commits(5)
            self.log.go_back("ann", 3)
            for _ in range(6):
                row = self.log.commit()
                if notice:
                    self.hub.noticed("ann", row.seq)
            self.check()
            self.commits(1)
            self.assertTrue(self.changes_of(socket))
            self.assertEqual(self.after_change(socket)[-1], self.log.newest("ann"))
            socket.leave()

    def test_lost_since_the_last_check(self) -> None:
        """A lost notification that was sent after the last look is missed too, if the log has since
        gone on beyond it."""
        socket = FakeSocket(self.hub).join()
        self.commits(3)
        self.check()
        self.commits(2)
        self.log.go_back("ann", 3)
        for _ in range(2):
            self.log.commit()
        self.commits(1)
        self.check()
        self.assertEqual(self.changes_of(socket), [(6, self.log.id("ann", 6))])

    def test_nothing_changed(self) -> None:
        """Where number and id are those sent last, no socket is notified."""
        socket = FakeSocket(self.hub).join()
        self.commits(3)
        FakeSocket(self.hub, "bob").join()
        self.check()
        self.assertEqual(socket.types, ["hello"] + ["notification"] * 3)

    def test_unannounced(self) -> None:
        """The same look reads notifications that nobody announced."""
        socket = FakeSocket(self.hub).join()
        self.commits(1)
        self.log.commit()
        self.check()
        self.assertEqual((socket.seqs, self.changes_of(socket)), ([1, 2], []))

    def test_others(self) -> None:
        """Only the users whose logs have changed are notified."""
        ann, bob = FakeSocket(self.hub, "ann").join(), FakeSocket(self.hub, "bob").join()
        for user in "ann", "bob":
            self.commits(2, user)
        self.log.go_back("bob", 1)
        self.check()
        self.assertEqual((self.changes_of(ann), len(self.changes_of(bob))), ([], 1))

    def test_again(self) -> None:
        """A database may go back more than once."""
        socket = FakeSocket(self.hub).join()
        for _ in range(3):
            self.commits(3)
            self.log.go_back("ann", 1)
            self.check()
        self.assertEqual(self.changes_of(socket), [(1, self.log.id("ann", 1))] * 3)

    def test_logged(self) -> None:
        """The log of the service has a line that says so, with how many users it concerns."""
        for user in "ann", "bob":
            FakeSocket(self.hub, user).join()
            self.commits(2, user)
            self.log.go_back(user, 1)
        with capturedLogs() as events:
            self.check()
        (event,) = events
        self.assertRegex(formatEvent(event), "went back in time.*: 2\\)")

    def test_many(self) -> None:
        """However many users there are, one look is at a bounded number of them."""
        _, self.log, self.hub = make(sizes=SIZES._replace(checked=3))
        sockets = [FakeSocket(self.hub, f"user-{n}").join() for n in range(7)]
        for n in range(7):
            self.commits(2, f"user-{n}")
            self.log.go_back(f"user-{n}", 1)
        self.log.asked.clear()
        self.check()
        self.assertEqual(max(size for _, size in self.log.asked), 3)
        self.assertTrue(all(len(self.changes_of(socket)) == 1 for socket in sockets))

    def test_database_away(self) -> None:
        """A look that fails says so to who asked for it, and the next one finds what there is."""
        socket = FakeSocket(self.hub).join()
        self.commits(2)
        self.log.go_back("ann", 1)
        self.log.error = Unavailable("away")
        self.failureResultOf(self.check(), Unavailable)
        self.log.error = None
        self.check()
        self.assertEqual(len(self.changes_of(socket)), 1)


class RetentionTests(ChangeCase):
    def test_deleted_by_retention(self) -> None:
        """Deletions by retention are not taken for another log, and the stream goes on."""
        socket = FakeSocket(self.hub).join()
        self.commits(3)
        self.log.trim("ann", 3)
        self.check()
        self.commits(2)
        self.assertEqual((socket.seqs, self.changes_of(socket)), ([1, 2, 3, 4, 5], []))

    def test_deleted_before_any_check(self) -> None:
        """Nor is it where the next is read before any check."""
        socket = FakeSocket(self.hub).join()
        self.commits(3)
        self.log.trim("ann", 3)
        self.log.commit()
        self.hub.noticed("ann", 4)
        self.assertEqual((socket.seqs, self.changes_of(socket)), ([1, 2, 3, 4], []))

    def test_back_to_before_retention(self) -> None:
        """A database from before retention has another log where number 3 is there again."""
        for _ in range(3):
            self.log.commit()
        self.log.trim("ann", 3)
        socket = FakeSocket(self.hub).join()
        self.assertIsNone(socket.hello["id"])
        self.log.go_back("ann", 2)
        self.log.commit()
        self.check()
        self.assertEqual(self.changes_of(socket), [(3, self.log.id("ann", 3))])


class RaceTests(ChangeCase):
    """The reads take their time; what commits meanwhile must not be lost."""

    def setUp(self) -> None:
        super().setUp()
        self.socket = FakeSocket(self.hub).join()
        self.commits(5)
        self.log.go_back("ann", 3)
        self.log.held = True

    def answer_all(self) -> None:
        while self.log.reads:
            self.log.answer()

    def test_dropped_before_the_answer(self) -> None:
        """A notification is sent even if it was committed after the look and dropped as known
        before the answer came."""
        self.check()
        self.log.reads[0].run()
        self.commits(2)
        self.answer_all()
        self.assertEqual(self.changes_of(self.socket), [(3, self.log.id("ann", 3))])
        self.assertEqual(self.after_change(self.socket), [4, 5])

    def test_sent_before_the_answer(self) -> None:
        """So is what comes in while the second look is under way, and once."""
        self.check()
        self.log.answer()
        self.commits(2)
        self.answer_all()
        self.assertEqual(self.after_change(self.socket), [4, 5])

    def test_old_read(self) -> None:
        """A read of the log as it was before does not bring rows into the one of now."""
        self.log.held = False
        self.check()
        self.log.held = True
        self.commits(4)
        self.log.commit()
        self.hub.noticed("ann", self.log.newest("ann"))
        read = self.log.reads[0]
        read.run()
        self.log.go_back("ann", 2)
        self.check()
        self.log.answer(self.log.reads[-1])
        self.answer_all()
        self.commits(1)
        self.answer_all()
        self.assertEqual(self.after_change(self.socket), [3])

    def test_checks_cross(self) -> None:
        """Two checks at once notify a socket once."""
        self.check()
        self.check()
        self.answer_all()
        self.assertEqual(len(self.changes_of(self.socket)), 1)

    def test_behind(self) -> None:
        """A stream that was behind when the log changed waits for nothing that is not there."""
        self.hub.noticed("ann", 9)
        self.check()
        self.answer_all()
        self.commits(2)
        self.answer_all()
        self.assertEqual(self.after_change(self.socket), [4, 5])

    def test_leaves(self) -> None:
        """A socket that left meanwhile is not notified."""
        self.check()
        self.socket.leave()
        self.answer_all()
        self.assertEqual(self.changes_of(self.socket), [])
