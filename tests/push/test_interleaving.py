"""After any events in any order, each socket has seen its user's log from its start on, without
gap, repeat or reordering (docs/interface/socket.md)."""

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.push.catch_up import JOINS
from contentsvc.push.stream import Sizes
from tests.push.fakes import FakeSocket, make
from tests.support.sizes import rounds
from tests.support.walks import Walk, walks

SEEDS = rounds(30, 100, 300)
STEPS = 250
SIZES = Sizes(rows=4, users=2, page=3, states=3, pages=2)
"""Small enough that every limit is met."""
USERS = ("ann", "bob", "cid", "dan")


class World:
    """A hub and all that can happen to it, driven by one random number generator."""

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.random = walk.random
        self.clock, self.log, self.hub = make(held=True, sizes=SIZES)
        self.open: list[FakeSocket] = []
        self.all: list[FakeSocket] = []
        self.completions: list[object] = []
        self.announcements: list[tuple[str, int]] = []
        self.reached: dict[str, list[int]] = {user: [] for user in USERS}
        self.most_reads = {"after": 0, "states": 0, "pages": 0}
        self.actions = {
            **{self.commit: 8, self.complete: 6, self.announce: 4, self.read: 6, self.answer: 10},
            **{self.come: 3, self.pause: 2, self.unpause: 3},
            **{self.fail: 1, self.go: 1, self.trim: 1, self.tick: 1},
        }

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.walk.choose(self.actions)()
            for kind in "after", "states", "pages":
                reads = sum(read.kind == kind for read in self.log.reads)
                self.most_reads[kind] = max(self.most_reads[kind], reads)

    def commit(self) -> None:
        row = self.log.commit(self.random.choice(USERS))
        # Here or in another process; and that may die before it announces it.
        where = self.random.choice(("here", "there", "nowhere"))
        if where == "here":
            self.completions.append(row)
        elif where == "there":
            self.announcements.append((row.user_id, row.seq))

    def complete(self) -> None:
        if self.completions:
            self.hub.deliver(self.pick(self.completions))

    def announce(self) -> None:
        if self.announcements:
            self.hub.noticed(*self.pick(self.announcements))

    def read(self) -> None:
        if self.log.reads:
            self.random.choice(self.log.reads).run()

    def answer(self) -> None:
        if self.log.reads:
            self.log.answer(self.random.choice(self.log.reads))

    def fail(self) -> None:
        if self.log.reads:
            self.log.fail(Unavailable("away"), self.random.choice(self.log.reads))

    def come(self) -> None:
        user = self.random.choice(USERS)
        resume = None
        if self.random.random() < 0.7:
            resume = self.random.choice([*self.reached[user], 0, self.log.newest(user)])
        socket = FakeSocket(self.hub, user).join(resume)
        self.open.append(socket)
        self.all.append(socket)

    def go(self) -> None:
        if self.open:
            socket = self.pick(self.open)
            socket.leave()
            self.reached[socket.user].extend(socket.seqs[-1:])

    def pause(self) -> None:
        if self.open:
            self.random.choice(self.open).pause(True)

    def unpause(self) -> None:
        if self.open:
            self.random.choice(self.open).pause(False)

    def trim(self) -> None:
        user = self.random.choice(USERS)
        self.log.trim(user, self.random.randint(0, self.log.newest(user)) // 2)

    def go_back(self) -> None:
        """The database becomes an older one; what it had not answered fails."""
        for read in [each for each in self.log.reads if each.ran]:
            self.log.fail(Unavailable("gone"), read)
        user = self.random.choice(USERS)
        self.log.go_back(user, self.random.randint(0, self.log.newest(user)))

    def check(self) -> None:
        """The reconciler comes by."""
        checking = Deferred.fromCoroutine(self.hub.check())
        checking.addErrback(lambda failure: failure.trap(Unavailable))

    def tick(self) -> None:
        self.clock.advance(self.random.choice((0.1, 1.0)))

    def settle(self) -> None:
        """All is quiet again, and the reconciler comes by."""
        for user in USERS:
            self.hub.noticed(user, self.log.newest(user))
        self.check()
        for _ in range(30):
            for socket in self.open:
                socket.pause(False)
            while self.log.reads:
                self.log.answer()
            self.clock.advance(0.5)

    def pick(self, some: list) -> object:  # type: ignore[type-arg]
        return some.pop(self.random.randrange(len(some)))


class InterleavingTests(SynchronousTestCase):
    def check(self, world: World, socket: FakeSocket, complete: bool) -> None:
        """The numbers follow each other; a missing one is one that retention has deleted."""
        if not socket.seen:
            self.assertFalse(complete)
            return
        at, trimmed = socket.hello["seq"], world.log.trimmed.get(socket.user, 0)
        self.assertEqual(socket.types[0], "hello")
        for seq in socket.seqs:
            self.assertGreater(seq, at)
            if seq > at + 1:
                self.assertLess(seq - 1, trimmed + 1)
            at = seq
        if complete:
            self.assertTrue(socket.position.live)
            newest = world.log.newest(socket.user)
            self.assertTrue(at == newest or newest <= trimmed, (at, newest, trimmed))

    def test_any_interleaving(self) -> None:
        """Commits, completions, announcements, reads, faults, retention and sockets that come,
        go, stall and resume, in random order: every socket gets its log."""
        sent = caught_up = 0
        for walk in walks(SEEDS):
            world = World(walk)
            with walk:
                world.run(STEPS)
                world.settle()
                for socket in world.all:
                    self.check(world, socket, complete=socket in world.open and not socket.closes)
                self.assertLessEqual(world.most_reads["after"], 1)
                self.assertLessEqual(world.most_reads["states"], JOINS)
                self.assertLessEqual(world.most_reads["pages"], JOINS)
                self.assertEqual(world.clock.getDelayedCalls(), [])
            sent += sum(len(socket.seqs) for socket in world.all)
            caught_up += sum(len(socket.seqs) > SIZES.page for socket in world.all)
        # The dice did not avoid what is tested here.
        self.assertGreater(sent, 10 * SEEDS)
        self.assertGreater(caught_up, SEEDS)

    def ends_in_its_log(self, world: World, socket: FakeSocket) -> None:
        """From hello, or from where it was told last that the log is another one, the socket has
        the log as it is now: number by number, id by id, up to the newest."""
        messages = [each.message for each in socket.seen]
        last = max(
            n
            for n, message in enumerate(messages)
            if message["type"] == "hello" or message.get("code") == "log_changed"
        )
        at, trimmed = messages[last]["seq"], world.log.trimmed.get(socket.user, 0)
        if at > trimmed:
            self.assertEqual(messages[last]["id"], world.log.id(socket.user, at))
        for message in messages[last + 1 :]:
            if message["type"] == "notification":
                seq = message["seq"]
                self.assertTrue(seq == at + 1 or at < seq <= trimmed + 1, (at, seq, trimmed))
                if seq > trimmed:
                    id = world.log.id(socket.user, seq)
                    self.assertEqual(message["notification"]["id"], id)
                at = seq
        newest = world.log.newest(socket.user)
        self.assertTrue(at == newest or newest <= trimmed, (at, newest, trimmed))

    def test_going_back(self) -> None:
        """With all that, a database that goes back in time and grows again: in the end every socket
        has the log that there is, or has been told that it has not."""
        noticed = 0
        for walk in walks(SEEDS):
            world = World(walk)
            world.actions |= {world.go_back: 1, world.check: 2}
            with walk:
                world.run(STEPS)
                world.settle()
                for socket in world.open:
                    if not socket.closes:
                        self.assertTrue(socket.position.live)
                        self.ends_in_its_log(world, socket)
                        codes = [each.message.get("code") for each in socket.seen]
                        noticed += codes.count("log_changed")
        self.assertGreater(noticed, SEEDS)
