"""The line before the database: nobody is forgotten, passed over, or served twice."""

from random import Random
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.python.failure import Failure
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.batched_reads import BatchedReads
from contentsvc.framework.db.errors import Unavailable
from tests.support.sizes import rounds
from tests.support.walks import walks

SEEDS = rounds(40, 100, 300)
STEPS = 400
READS, MOST, PATIENCE = 3, 4, 10.0


class Read:
    """A read under way."""

    def __init__(self, questions: list[int]) -> None:
        self.questions = questions
        self.done: Deferred[list[int]] = Deferred()


class World:
    """A line and all that can happen to it. Questions are 0, 1, 2 …; the answer to n is n + 1."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.clock = Clock()
        self.reads: list[Read] = []
        self.asked_first: dict[int, None] = {}
        self.at_once = False
        self.outcomes: dict[int, list[Any]] = {}
        self.left: set[int] = set()
        self.line: BatchedReads[int, int] = BatchedReads(
            self.clock, "test", self.read, reads=READS, most=MOST, patience=PATIENCE
        )
        self.actions = {
            **{self.come: 12, self.go: 4, self.answer: 8, self.fail: 2},
            **{self.fault: 2, self.tick: 1, self.rush: 1},
        }

    def read(self, questions: list[int]) -> Deferred[list[int]]:
        assert len(questions) <= MOST
        assert len(self.reads) < READS, "more reads than there are places"
        assert not self.left & set(questions), "a read for one who has left"
        self.asked_first |= dict.fromkeys(questions)
        if self.at_once:
            return succeed([n + 1 for n in questions])
        self.reads.append(Read(questions))
        return self.reads[-1].done

    def come(self) -> None:
        n = len(self.outcomes)
        outcomes = self.outcomes[n] = []
        self.line.ask(n, n).addBoth(outcomes.append)

    def go(self) -> None:
        waiting = [n for n, outcomes in self.outcomes.items() if not outcomes]
        if waiting:
            n = self.random.choice(waiting)
            self.left.add(n)
            self.line.leave(n)

    def take(self) -> Read | None:
        if not self.reads:
            return None
        return self.reads.pop(self.random.randrange(len(self.reads)))

    def answer(self) -> None:
        if (read := self.take()) is not None:
            read.done.callback([n + 1 for n in read.questions])

    def fail(self) -> None:
        if (read := self.take()) is not None:
            read.done.errback(Unavailable("away"))

    def fault(self) -> None:
        if (read := self.take()) is not None:
            read.done.errback(ZeroDivisionError())

    def tick(self) -> None:
        self.clock.advance(self.random.choice((0.1, 1.0, 4.0)))

    def rush(self) -> None:
        """For a moment the database answers at once."""
        self.at_once = True
        while self.reads:
            self.answer()
        self.at_once = self.random.random() < 0.1

    def settle(self) -> None:
        self.at_once = False
        for _ in range(len(self.outcomes)):
            while self.reads:
                self.answer()
            self.clock.advance(2.0)


class PropertyTests(SynchronousTestCase):
    def test_any_order_of_events(self) -> None:
        """Arrivals, departures, answers, failures and time in random order: everyone has exactly
        one outcome, first reads are in the order of arrival, and every place is free again."""
        served = left = failed = 0
        for walk in walks(SEEDS):
            world = World(walk.random)
            with walk:
                for _ in range(STEPS):
                    walk.choose(world.actions)()
                world.settle()
                for n, outcomes in world.outcomes.items():
                    (outcome,) = outcomes
                    if n in world.left:
                        self.assertIsNone(outcome)
                    elif isinstance(outcome, Failure):
                        outcome.trap(Unavailable, ZeroDivisionError)
                        failed += 1
                    else:
                        self.assertEqual(outcome, n + 1)
                        served += 1
                left += len(world.left)
                self.assertEqual([*world.asked_first], sorted(world.asked_first))
                self.assertEqual(world.clock.getDelayedCalls(), [])
                self.all_places_are_free(world)
            self.flushLoggedErrors(ZeroDivisionError)
        # The dice did not avoid what is tested here.
        self.assertGreater(min(served, left, failed), 5 * SEEDS)

    def all_places_are_free(self, world: World) -> None:
        for _ in range(READS * MOST):
            world.come()
        self.assertEqual(len(world.reads), READS)
        world.settle()


class LineTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.world = World(Random(0))

    def test_crowd_leaves(self) -> None:
        """When 20,000 who wait have left, the next one is read for at once, and none of them."""
        for _ in range(20_000):
            self.world.come()
        for n in range(20_000):
            self.world.left.add(n)
            self.world.line.leave(n)
        self.world.come()
        while self.world.reads:
            self.world.answer()
        self.assertEqual(self.world.outcomes[20_000], [20_001])
        self.assertEqual(len(self.world.asked_first), READS + 1)

    def test_crowd_is_answered_at_once(self) -> None:
        """Reads that end as soon as they begin hand on their place without recursion."""
        for _ in range(20_000):
            self.world.come()
        self.world.at_once = True
        while self.world.reads:
            self.world.answer()
        self.assertTrue(all(outcomes == [n + 1] for n, outcomes in self.world.outcomes.items()))

    def test_patience(self) -> None:
        """The time in line does not count as the time of the read."""
        for _ in range(READS + 1):
            self.world.come()
        self.world.clock.advance(PATIENCE - 1)
        self.world.answer()
        self.world.clock.advance(PATIENCE - 1)
        waiting = self.world.outcomes[READS]
        self.assertEqual(waiting, [])
        self.world.clock.advance(1)
        (failure,) = waiting
        failure.trap(Unavailable)
        self.world.settle()

    def given_up(self, count: int) -> None:
        """So many come, and the reads of the first of them are in vain."""
        for _ in range(count):
            self.world.come()
        self.world.clock.advance(PATIENCE)
        for _ in range(len(self.world.reads)):
            self.world.fail()
        self.world.clock.advance(0.5)

    def test_overdue(self) -> None:
        """Where one read after the other is given up the time goes on until there is an answer."""
        self.given_up(READS + 1)
        self.assertGreater(self.world.line.overdue, PATIENCE)
        self.world.answer()
        self.assertLess(self.world.line.overdue, PATIENCE)
        self.world.settle()

    def test_overdue_no_more(self) -> None:
        """So it does until nobody waits any more."""
        self.given_up(1)
        self.world.clock.advance(PATIENCE)
        self.world.come()
        self.assertEqual(self.world.line.overdue, 0)
        self.world.settle()

    def test_wrong_number_of_answers(self) -> None:
        """A read that gives other than one answer to each question fails, and loses no place."""
        for _ in range(READS):
            self.world.come()
        self.world.reads.pop().done.callback([1, 2])
        (failure,) = self.world.outcomes[READS - 1]
        failure.trap(RuntimeError)
        self.world.settle()
        self.world.come()
        self.assertEqual(len(self.world.reads), 1)
        self.assertEqual(len(self.flushLoggedErrors(RuntimeError)), 1)

    def test_leaves_and_asks_again(self) -> None:
        """A reader that left during a read does not get its answer for a later question."""
        self.world.come()
        self.world.line.leave(0)
        again: list[Any] = []
        self.world.line.ask(0, 7).addBoth(again.append)
        self.world.answer()
        self.world.settle()
        self.assertEqual((self.world.outcomes[0], again), ([None], [8]))
