"""The message `state`: after changes of flags and deletions, to each socket once, never an old one
after a newer one (docs/interface/socket.md)."""

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.retries import FIRST_PAUSE
from contentsvc.push.stream import SIZES
from contentsvc.push.streams import STATE_PAUSE
from tests.push.fakes import FakeSocket, Read, make


class StateCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.log, self.hub = make(sizes=SIZES._replace(users=3))
        self.addCleanup(self.hub.stop)

    def socket(self, user: str = "ann", resume: int | None = None) -> FakeSocket:
        return FakeSocket(self.hub, user).join(resume)

    def commit(self, count: int = 1) -> None:
        """Notifications come and are sent."""
        for _ in range(count):
            self.hub.deliver(self.log.commit())

    def change(self, unread: int = 0, user: str = "ann") -> None:
        """Flags are changed, and this process hears of it."""
        self.log.read(user, unread)
        self.hub.changed(user)

    def check(self) -> None:
        """The reconciler checks."""
        self.successResultOf(Deferred.fromCoroutine(self.hub.check()))

    def reads(self) -> list[int]:
        """For how many users each read of states was."""
        return [size for kind, size in self.log.asked if kind == "tallies"]

    def under_way(self, kind: str) -> Read:
        """The only read of this kind."""
        (read,) = [each for each in self.log.reads if each.kind == kind]
        return read


class StateTests(StateCase):
    def test_all_sockets(self) -> None:
        """All sockets of the user get the newest number and how many are unread."""
        sockets = [self.socket() for _ in range(2)]
        other = self.socket("bob")
        self.commit(3)
        self.change(1)
        self.assertEqual([each.states for each in sockets], [[(3, 1)]] * 2)
        self.assertEqual(other.states, [])
        self.assertIs(sockets[0].seen[-1].frame, sockets[1].seen[-1].frame)

    def test_nothing_changed(self) -> None:
        """What was sent already is not sent again, whoever says that something has changed."""
        socket = self.socket()
        self.change()
        for _ in range(3):
            self.clock.advance(STATE_PAUSE)
            self.hub.changed("ann")
            self.check()
        self.assertEqual(socket.states, [(0, 0)])

    def test_not_connected(self) -> None:
        """A user without a socket here costs no read."""
        self.change(user="bob")
        self.assertEqual(self.reads(), [])

    def test_after_hello(self) -> None:
        """A socket gets no state before its hello, which has the state already."""
        self.commit(2)
        self.log.held = True
        socket = self.socket()
        self.change(1)
        self.log.answer(self.under_way("tallies"))
        self.assertEqual(socket.types, [])
        self.log.answer(self.under_way("states"))
        self.clock.advance(STATE_PAUSE)
        self.assertEqual((socket.types, socket.hello["unread"]), (["hello"], 1))

    def test_in_its_backlog(self) -> None:
        """A socket that reads its backlog gets the state."""
        for _ in range(4):
            self.log.commit()
        self.log.held = True
        socket = self.socket(resume=1)
        self.log.answer(self.under_way("states"))
        self.change(2)
        self.log.answer(self.under_way("tallies"))
        self.assertEqual((socket.types, socket.states), (["hello", "state"], [(4, 2)]))
        self.log.answer(self.under_way("pages"))
        self.assertEqual(socket.seqs, [2, 3, 4])


class ReadingTests(StateCase):
    def test_flood(self) -> None:
        """However often flags change, the first is sent at once, and the others with the last, a
        pause later."""
        socket = self.socket()
        for n in range(1000):
            self.change(1000 - n)
        self.assertEqual((socket.states, len(self.reads())), ([(0, 1000)], 1))
        self.clock.advance(STATE_PAUSE)
        self.assertEqual((socket.states, len(self.reads())), ([(0, 1000), (0, 1)], 2))
        self.clock.advance(STATE_PAUSE)
        self.assertEqual(len(self.reads()), 2)
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_together(self) -> None:
        """Users who wait are read together, at most so many in one read."""
        users = [f"user {n}" for n in range(5)]
        sockets = [self.socket(user) for user in users]
        self.change(1, users[0])
        for user in users[1:]:
            self.change(1, user)
        self.assertEqual(self.reads(), [1])
        for _ in range(2):
            self.clock.advance(STATE_PAUSE)
        self.assertEqual(self.reads(), [1, 3, 1])
        self.assertEqual([each.states for each in sockets], [[(0, 1)]] * 5)

    def test_during_a_read(self) -> None:
        """One read is under way at a time. What changes meanwhile is read afterwards."""
        socket = self.socket()
        self.log.held = True
        self.change(2)
        self.under_way("tallies").run()
        for unread in (1, 0):
            self.change(unread)
        self.log.answer(self.under_way("tallies"))
        self.assertEqual((socket.states, self.log.reads), ([(0, 2)], []))
        self.clock.advance(STATE_PAUSE)
        self.log.answer(self.under_way("tallies"))
        self.assertEqual(socket.states, [(0, 2), (0, 0)])

    def test_failure(self) -> None:
        """A read that fails is repeated, and what changes meanwhile is read with it."""
        sockets = [self.socket(user) for user in ("ann", "bob")]
        self.log.error = Unavailable("away")
        self.change(4)
        self.change(3, "bob")
        self.log.error = None
        self.assertEqual([each.states for each in sockets], [[], []])
        self.clock.advance(FIRST_PAUSE)
        self.assertEqual([each.states for each in sockets], [[(0, 4)], [(0, 3)]])
        self.assertEqual(self.reads(), [1, 2])

    def test_gone(self) -> None:
        """Who has gone is not read again; who comes back is told by hello."""
        socket = self.socket()
        self.change(2)
        self.change(1)
        socket.leave()
        back = self.socket()
        self.clock.advance(STATE_PAUSE)
        self.assertEqual((self.reads(), back.states, back.hello["unread"]), ([1], [], 1))

    def test_gone_during_a_failure(self) -> None:
        """So it is while a read that failed waits to be repeated."""
        socket = self.socket()
        self.log.held = True
        self.change(2)
        socket.leave()
        self.log.fail(Unavailable("away"))
        self.clock.advance(FIRST_PAUSE)
        self.assertEqual(self.reads(), [1])


class OrderTests(StateCase):
    """The reads for a hello and those of states go side by side."""

    def setUp(self) -> None:
        super().setUp()
        self.first = self.socket()
        self.log.held = True
        self.second = self.socket()

    def settle(self) -> None:
        """Answer all that is asked."""
        self.log.held = False
        while self.log.reads:
            self.log.answer()
        for _ in range(3):
            self.clock.advance(STATE_PAUSE)

    def test_old_hello(self) -> None:
        """A hello that is older than the last state is followed by that state."""
        self.under_way("states").run()
        self.change(5)
        self.log.answer(self.under_way("tallies"))
        self.settle()
        self.assertEqual(self.second.hello["unread"], 0)
        self.assertEqual((self.first.states, self.second.states), ([(0, 5)], [(0, 5)]))

    def test_old_read(self) -> None:
        """A read that is older than a hello is not sent, but what comes after it."""
        self.change(5)
        self.under_way("tallies").run()
        self.log.read("ann", 4)
        self.log.answer(self.under_way("states"))
        self.assertEqual(self.second.hello["unread"], 4)
        self.log.answer(self.under_way("tallies"))
        self.settle()
        self.assertEqual((self.first.states, self.second.states), ([(0, 4)], []))

    def test_old_read_of_the_first(self) -> None:
        """So it is where that is the first hello of the user."""
        bob = self.socket("bob")
        self.change(5, "bob")
        self.under_way("tallies").run()
        self.log.read("bob", 4)
        self.settle_hello("bob")
        self.assertEqual(bob.hello["unread"], 4)
        self.log.answer(self.under_way("tallies"))
        self.settle()
        self.assertEqual(bob.states, [])

    def settle_hello(self, user: str) -> None:
        """Answer the reads for hellos."""
        for read in [each for each in self.log.reads if each.kind == "states"]:
            self.log.answer(read)

    def test_new_hello(self) -> None:
        """A hello that is newer than what the others know makes them hear of it, although nobody
        has announced it."""
        self.log.read("ann", 3)
        self.settle()
        self.assertEqual((self.first.states, self.second.states), ([(0, 3)], []))


class ReconcilerTests(StateCase):
    def test_never_announced(self) -> None:
        """A change whose writer died before it announced it is found."""
        socket = self.socket()
        self.commit(2)
        self.log.read("ann", 1)
        self.check()
        self.assertEqual(socket.states, [(2, 1)])

    def test_back_in_time(self) -> None:
        """So it is if a database that has gone back in time knows fewer changes."""
        socket = self.socket()
        for unread in (2, 1):
            self.change(unread)
            self.clock.advance(STATE_PAUSE)
        self.log.changes["ann"], self.log.unread["ann"] = 1, 2
        self.check()
        self.assertEqual(socket.states, [(0, 2), (0, 1), (0, 2)])

    def test_another_log(self) -> None:
        """If the log is another one, the sockets get the state although the number of changes is
        the same."""
        socket = self.socket()
        self.commit(3)
        self.change(1)
        self.clock.advance(STATE_PAUSE)
        self.log.go_back("ann", 1)
        self.log.unread["ann"] = 0
        self.check()
        self.assertEqual(socket.states, [(3, 1), (1, 0)])
        self.assertEqual(socket.types[-2:], ["error", "state"])

    def test_two_sockets(self) -> None:
        """So is each socket, after it was told of the log."""
        sockets = [self.socket() for _ in range(2)]
        self.commit(3)
        self.log.go_back("ann", 1)
        self.log.unread["ann"] = 7
        self.check()
        self.clock.advance(STATE_PAUSE)
        for socket in sockets:
            self.assertEqual(socket.types[-2:], ["error", "state"])
            self.assertEqual(socket.states, [(1, 7)])

    def test_hello_of_another_log(self) -> None:
        """A socket whose hello was of another log than what follows is told the state of the
        present one."""
        self.socket()
        self.commit(2)
        self.log.held = True
        socket = self.socket()
        self.log.commit()
        self.log.answer(self.under_way("states"))
        self.assertEqual(socket.hello["seq"], 3)
        self.log.go_back("ann", 2)
        self.log.unread["ann"] = 6
        self.hub.deliver(self.log.commit())
        self.log.held = False
        while self.log.reads:
            self.log.answer()
        self.clock.advance(STATE_PAUSE)
        self.assertEqual((socket.types.count("error"), socket.states), (1, [(3, 7)]))

    def test_amid_a_read(self) -> None:
        """A read that began before the log was another one is not sent."""
        socket = self.socket()
        self.commit(3)
        self.log.held = True
        self.change(1)
        self.under_way("tallies").run()
        self.log.go_back("ann", 1)
        self.log.unread["ann"] = 0
        self.check_held()
        self.log.answer(self.under_way("tallies"))
        self.log.held = False
        while self.log.reads:
            self.log.answer()
        self.clock.advance(STATE_PAUSE)
        self.assertEqual(socket.states, [(1, 0)])

    def check_held(self) -> None:
        """The reconciler checks, and its reads are answered."""
        checking = Deferred.fromCoroutine(self.hub.check())
        while moved := [each for each in self.log.reads if each.kind == "moved"]:
            self.log.answer(moved[0])
        self.successResultOf(checking)
