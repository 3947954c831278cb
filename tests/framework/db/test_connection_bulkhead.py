"""The places of lanes: shares, turns, and that no place is lost or given twice."""

from random import Random

from twisted.internet.defer import CancelledError, Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.connection_bulkhead import SEARCHES, ConnectionBulkhead, Lane, busy
from contentsvc.framework.db.errors import Unavailable
from tests.support.walks import walks


class LaneCase(SynchronousTestCase):
    def entered(self, lanes: ConnectionBulkhead, name: str) -> int:
        """How many places a lane can take at once."""
        count = 0
        while lanes.enter(lanes.lane(name)):
            count += 1
        return count


class ShareTests(LaneCase):
    """How many places a lane has."""

    def test_some_are_left(self) -> None:
        """One lane leaves a quarter to the others, who have no more than there is."""
        lanes = ConnectionBulkhead(8)
        self.assertEqual([self.entered(lanes, name) for name in "abc"], [6, 2, 0])

    def test_numbers(self) -> None:
        """How many places are in use, and how many callers wait, is known at any time."""
        lanes = ConnectionBulkhead(4)
        self.entered(lanes, "a")
        waiting = [lanes.wait(lanes.lane("a"), 0.0) for _ in range(2)]
        self.assertEqual((lanes.running, lanes.waiting), (3, 2))
        lanes.leave(lanes.lane("a"))
        self.assertEqual((lanes.running, lanes.waiting), (3, 1))
        lanes.fail(Unavailable("the end"))
        self.failureResultOf(waiting[1], Unavailable)
        self.assertEqual((lanes.running, lanes.waiting), (3, 0))

    def test_small(self) -> None:
        """A single place is for everybody; of two, each lane has one."""
        for size, expected in ((1, [1, 0]), (2, [1, 1]), (3, [2, 1]), (4, [3, 1])):
            lanes = ConnectionBulkhead(size)
            self.assertEqual([self.entered(lanes, name) for name in "ab"], expected)

    def test_searches(self) -> None:
        """Searches have a quarter."""
        found = [self.entered(ConnectionBulkhead(size), SEARCHES) for size in (1, 4, 8, 100)]
        self.assertEqual(found, [1, 1, 2, 25])

    def test_slow(self) -> None:
        """Lanes that are slow have half of the places for all of them together."""
        lanes = ConnectionBulkhead(8)
        lanes.note_slow({lanes.lane("a"), lanes.lane("b")})
        self.assertEqual([self.entered(lanes, name) for name in "abc"], [4, 0, 4])

    def test_slow_while_running(self) -> None:
        """The statements that a lane has when it becomes slow count too."""
        lanes = ConnectionBulkhead(8)
        lane = lanes.lane("a")
        self.assertEqual(self.entered(lanes, "a"), 6)
        lanes.note_slow({lane})
        lanes.leave(lane)
        lanes.leave(lane)
        self.assertEqual(self.entered(lanes, "a"), 0)
        lanes.leave(lane)
        self.assertEqual(self.entered(lanes, "a"), 1)

    def test_quick_again(self) -> None:
        """A lane is slow for some looks more, and then as before, for those who wait as well."""
        lanes = ConnectionBulkhead(8)
        lane = lanes.lane("a")
        lanes.note_slow({lane})
        self.assertEqual(self.entered(lanes, "a"), 4)
        waiters = [lanes.wait(lane, 0) for _ in range(3)]
        for _ in range(7):
            lanes.note_slow(set())
        self.assertEqual(sum(waiter.called for waiter in waiters), 0)
        lanes.note_slow(set())
        self.assertEqual(sum(waiter.called for waiter in waiters), 2)


class WaitTests(LaneCase):
    """Those who wait."""

    def setUp(self) -> None:
        self.lanes = ConnectionBulkhead(1)
        self.order: list[str] = []
        self.busy = self.lanes.lane("busy")
        self.assertTrue(self.lanes.enter(self.busy))

    def wait(self, name: str, label: str, now: float = 0) -> Deferred[None]:
        """Wait in a lane, to be put on `order`."""
        waiter = self.lanes.wait(self.lanes.lane(name), now)
        waiter.addCallback(lambda _: self.order.append(label))
        return waiter

    def test_too_late(self) -> None:
        """Those who came before a moment are told to go, in each lane and at each place, and nobody
        else."""
        self.wait("a", "new", 2)
        old = [self.wait(name, "old", 1) for name in ("a", "a", SEARCHES)]
        self.lanes.expire(2, busy)
        causes = [self.failureResultOf(waiter, Unavailable).value.cause for waiter in old]
        self.assertEqual(causes, ["pool", "pool", "searches"])
        self.lanes.leave(self.busy)
        self.assertEqual(self.order, ["new"])


class SearchTests(SynchronousTestCase):
    """Those who wait for a search."""

    def setUp(self) -> None:
        self.lanes = ConnectionBulkhead(8)
        self.order: list[str] = []

    def search(self, client: str, now: float = 0) -> Deferred[None]:
        """Wait for a search, to be put on `order`."""
        turn = Deferred.fromCoroutine(self.lanes.enter_search(client, now))
        turn.addCallback(lambda _: self.order.append(client))
        return turn

    def test_turns(self) -> None:
        """Clients take turns, however many searches one of them has."""
        for client in ("many", "many", "many", "many", "many", "one", "two"):
            self.search(client)
        self.assertEqual((self.order, self.lanes.waiting), (["many", "many"], 5))
        self.lanes.leave_search("many")
        self.assertEqual(self.order[2:], ["one"])
        self.lanes.leave_search("one")
        self.assertEqual(self.order[3:], ["two"])
        self.lanes.leave_search("two")
        self.lanes.leave_search("many")
        self.assertEqual(self.order[4:], ["many"])

    def test_last_place(self) -> None:
        """While others search, a client leaves them the last place; alone it has all."""
        self.search("one")
        self.lanes.leave_search("one")
        for n in range(4):
            self.search("many", n)
        self.assertEqual(self.order[1:], ["many"])
        self.search("one", 5)
        self.assertEqual(self.order[2:], ["one"])
        self.lanes.leave_search("many")
        self.assertEqual(self.order[3:], ["many"])
        self.lanes.leave_search("one")
        self.assertEqual(self.order[4:], [])
        self.search("many", 16)
        self.lanes.leave_search("many")
        self.assertEqual(self.order[4:], ["many", "many"])

    def test_one_place(self) -> None:
        """A single place is for whoever has the turn."""
        self.lanes = ConnectionBulkhead(1)
        for client in ("many", "many", "one"):
            self.search(client)
        for client in ("many", "many", "one"):
            self.lanes.leave_search(client)
        self.assertEqual(sorted(self.order), ["many", "many", "one"])

    def test_too_many(self) -> None:
        """Only so many searches wait; of them, one that leaves makes room."""
        turns = [self.search("many") for _ in range(102)]
        refused = self.failureResultOf(self.search("many"), Unavailable).value
        self.assertEqual(refused.cause, SEARCHES)
        turns[50].cancel()
        self.failureResultOf(turns[50], CancelledError)
        self.assertNoResult(self.search("many"))

    def test_room_for_others(self) -> None:
        """Where no more may wait, the client that has the most loses its last to another."""
        turns = [self.search("many") for _ in range(102)]
        other = self.search("other")
        self.assertEqual(self.failureResultOf(turns[-1], Unavailable).value.cause, SEARCHES)
        self.assertNoResult(other)

    def test_too_late(self) -> None:
        """Those who came before a moment are told to go."""
        old, new = [self.search("many", when) for when in (1, 1, 1, 2)][2:]
        self.lanes.expire(2, busy)
        self.assertEqual(self.failureResultOf(old, Unavailable).value.cause, SEARCHES)
        self.assertNoResult(new)


class _World:
    """Random users of places, and a book of who has one."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.size = self.random.randint(1, 12)
        self.lanes = ConnectionBulkhead(self.size)
        self.named = [self.lanes.lane(name) for name in (*"abcd", SEARCHES)]
        self.held: list[Lane] = []
        self.waiting: list[Deferred[None]] = []
        self.told = self.withheld = 0
        self.now = 0.0
        self.came: dict[Deferred[None], float] = {}

    def come(self) -> None:
        lane = self.random.choice(self.named)
        if self.lanes.enter(lane):
            self.held.append(lane)
            return
        self.now += 1
        waiter = self.lanes.wait(lane, self.now)
        self.came[waiter] = self.now
        self.waiting.append(waiter)
        waiter.addCallbacks(self.placed, self.refused, callbackArgs=(lane, waiter))
        waiter.addErrback(lambda failure: None)

    def placed(self, _: None, lane: Lane, waiter: Deferred[None]) -> None:
        self.told += 1
        self.waiting.remove(waiter)
        self.held.append(lane)
        what = self.random.random()
        if what < 0.3:
            self.go()
        elif what < 0.5:
            self.come()
        elif what < 0.6:
            self.give_up()

    def refused(self, failure: object) -> None:
        self.told += 1

    def go(self) -> None:
        if self.held:
            self.lanes.leave(self.held.pop(self.random.randrange(len(self.held))))

    def give_up(self) -> None:
        if self.waiting:
            self.waiting.pop(self.random.randrange(len(self.waiting))).cancel()

    def withhold(self) -> None:
        if self.held:
            self.withheld += 1
            self.lanes.withhold(self.held.pop())

    def restore(self) -> None:
        self.withheld = 0
        self.lanes.restore()

    def look(self) -> None:
        self.lanes.note_slow({lane for lane in self.named if self.random.random() < 0.3})

    def expire(self) -> None:
        before = self.now - self.random.randint(0, 10)
        self.waiting = [waiter for waiter in self.waiting if self.came[waiter] >= before]
        self.lanes.expire(before, busy)

    def fail(self) -> None:
        gone, self.waiting = self.waiting, []
        before = self.told
        self.lanes.fail(Unavailable("away"))
        assert self.told == before + len(gone)


class PropertyTests(LaneCase):
    """Random events in random order."""

    def check(self, world: _World) -> None:
        lanes, held = world.lanes, world.held
        self.assertEqual(lanes.free, world.size - len(held) - world.withheld)
        self.assertGreaterEqual(lanes.free, 0)
        for lane in world.named:
            self.assertEqual(lane.running, held.count(lane))
            self.assertLessEqual(lane.running, lane.limit)
        slow = sum(lane.running for lane in world.named if lane.slow)
        self.assertEqual(lanes.slow, slow)
        self.assertEqual(lanes.waiting, len(world.waiting))
        # Nobody waits for what is there.
        self.assertEqual([lane for lane in lanes.queues if lanes.may(lane)], [])

    def test_random(self) -> None:
        """No place is lost or given twice, and nobody waits for one that is free."""
        for walk in walks(60):
            world = _World(walk.random)
            acts = {world.come: 5, world.go: 4, world.give_up: 1, world.look: 1, world.expire: 1}
            acts |= {world.withhold: 1, world.restore: 1}
            with walk:
                for _ in range(300):
                    walk.choose(acts)()
                    self.check(world)
                world.fail()
                world.restore()
                while world.held:
                    world.go()
                self.assertEqual(world.lanes.free, world.size)
