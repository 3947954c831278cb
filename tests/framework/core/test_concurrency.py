"""Work that is limited, keyed or shared: none is lost, none is left idle, none pushes in."""

from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from twisted.internet.defer import CancelledError, Deferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core.concurrency import (
    Batcher,
    Bulkhead,
    Cached,
    Call,
    Full,
    KeyedQueue,
    SingleFlight,
    for_each_bounded,
    map_bounded,
)
from tests.support.sizes import rounds
from tests.support.walks import walks

AT_ONCE, MOST = 2, 8


class MapBoundedTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.begun: dict[int, Deferred[str]] = {}
        self.cancelled: list[int] = []

    def work(self, items: list[int], most: int = 2) -> Deferred[list[str]]:
        async def act(item: int) -> str:
            self.begun[item] = Deferred(lambda _: self.cancelled.append(item))
            return await self.begun[item]

        return Deferred.fromCoroutine(map_bounded(most, items, act))

    def test_order(self) -> None:
        """The results are in the order of the items, however they end."""
        working = self.work([1, 2, 3])
        self.begun[2].callback("b")
        self.begun[3].callback("c")
        self.begun[1].callback("a")
        self.assertEqual(self.successResultOf(working), ["a", "b", "c"])

    def test_most(self) -> None:
        """One more begins when one has ended."""
        working = self.work([1, 2, 3, 4])
        self.assertEqual(list(self.begun), [1, 2])
        self.begun[2].callback("b")
        self.assertEqual(list(self.begun), [1, 2, 3])
        for number in (1, 3, 4):
            self.begun[number].callback("x")
        self.assertEqual(self.successResultOf(working), ["x", "b", "x", "x"])

    def test_nothing(self) -> None:
        """Of nothing there is nothing."""
        self.assertEqual(self.successResultOf(self.work([])), [])

    def test_failure(self) -> None:
        """The first failure ends the others, and nothing more begins."""
        working: Any = self.work([1, 2, 3])
        self.begun[2].errback(KeyError("b"))
        self.failureResultOf(working, KeyError)
        self.assertEqual((self.cancelled, list(self.begun)), ([1], [1, 2]))

    def test_cancelled(self) -> None:
        """Whoever cancels it cancels all."""
        working = self.work([1, 2, 3])
        working.cancel()
        self.failureResultOf(working, CancelledError)
        self.assertEqual((sorted(self.cancelled), list(self.begun)), ([1, 2], [1, 2]))


class ForEachBoundedTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.begun: dict[int, Deferred[None]] = {}

    def work(self, *items: int, fails: bool = False) -> Deferred[None]:
        async def listed() -> AsyncIterator[int]:
            for item in items:
                yield item
            if fails:
                raise KeyError

        def act(item: int) -> Deferred[None]:
            self.begun[item] = Deferred()
            return self.begun[item]

        return Deferred.fromCoroutine(for_each_bounded(AT_ONCE, listed(), act))

    def test_most(self) -> None:
        """One more begins when one has ended. It ends when all have."""
        working = self.work(1, 2, 3)
        self.assertEqual(list(self.begun), [1, 2])
        self.begun[2].callback(None)
        self.assertEqual(list(self.begun), [1, 2, 3])
        self.begun[1].callback(None)
        self.assertNoResult(working)
        self.begun[3].callback(None)
        self.successResultOf(working)

    def test_failure(self) -> None:
        """After one has failed, no more begin. The others end, and the first failure is raised."""
        working = self.work(1, 2, 3, 4)
        self.begun[2].errback(ValueError())
        self.assertEqual(list(self.begun), [1, 2])
        self.assertNoResult(working)
        self.begun[1].errback(KeyError())
        self.failureResultOf(working, ValueError)

    def test_end_of_the_list(self) -> None:
        """If the list fails, what is under way ends first."""
        working = self.work(1, fails=True)
        self.assertNoResult(working)
        self.begun[1].callback(None)
        self.failureResultOf(working, KeyError)


class SingleFlightTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.begun: list[Deferred[str]] = []
        self.failed: list[object] = []
        self.flight = SingleFlight(self.act, lambda failure: self.failed.append(failure.type))

    def act(self) -> Deferred[str]:
        self.begun.append(Deferred())
        return self.begun[-1]

    def test_shared(self) -> None:
        """All who ask while it is under way get its result. It begins anew for those who come
        later."""
        asked = [self.flight.ask() for _ in range(3)]
        self.begun[0].callback("a")
        self.assertEqual([self.successResultOf(each) for each in asked], ["a"] * 3)
        later = self.flight.ask()
        self.begun[1].callback("b")
        self.assertEqual(self.successResultOf(later), "b")

    def test_failure(self) -> None:
        """Its failure is that of all who ask."""
        asked = [self.flight.ask() for _ in range(2)]
        self.begun[0].errback(KeyError())
        for each in asked:
            self.failureResultOf(each, KeyError)
        self.assertEqual((self.failed, self.flight.under_way), ([], False))

    def test_given_up(self) -> None:
        """It goes on where those who asked give up, and nobody else notices."""
        gone, patient = self.flight.ask(), self.flight.ask()
        gone.cancel()
        self.failureResultOf(gone, CancelledError)
        self.assertEqual(self.flight.waiting, 1)
        self.begun[0].callback("a")
        self.assertEqual(self.successResultOf(patient), "a")

    def test_cancels_another(self) -> None:
        """Whoever has the result may end another who asked."""
        first, second = self.flight.ask(), self.flight.ask()
        first.addCallback(lambda _: second.cancel())
        self.begun[0].callback("a")
        self.failureResultOf(second, CancelledError)

    def test_nobody_waits(self) -> None:
        """It can be begun for nobody, once at a time. Then its failure is told."""
        for _ in range(2):
            self.flight.begin()
        self.assertEqual((len(self.begun), self.flight.under_way), (1, True))
        self.begun[0].errback(KeyError())
        self.assertEqual((self.failed, self.flight.under_way), ([KeyError], False))

    def test_from_within(self) -> None:
        """The result may lead to more work."""
        again: list[Deferred[str]] = []
        self.flight.ask().addCallback(lambda _: again.append(self.flight.ask()))
        self.begun[0].callback("a")
        self.begun[1].callback("b")
        self.assertEqual(self.successResultOf(again[0]), "b")


class CachedTests(SynchronousTestCase):
    TTL, PATIENCE, OLD = 5.0, 0.5, 60.0

    def setUp(self) -> None:
        self.clock = Clock()
        self.reads: list[Deferred[str]] = []
        self.cached = Cached(
            self.clock, self.TTL, self.read, "none", patience=self.PATIENCE, old=self.OLD
        )

    async def read(self) -> str:
        read: Deferred[str] = Deferred()
        self.reads.append(read)
        return await read

    def get(self) -> Deferred[Any]:
        return Deferred.fromCoroutine(self.cached.get())

    def test_kept(self) -> None:
        """A value is kept for a while, and then read again."""
        first = self.get()
        self.reads[0].callback("one")
        self.assertEqual(self.successResultOf(first), "one")
        self.clock.advance(self.TTL - 0.1)
        self.assertEqual(self.successResultOf(self.get()), "one")
        self.clock.advance(0.1)
        second = self.get()
        self.reads[1].callback("two")
        self.assertEqual(self.successResultOf(second), "two")

    def test_shared(self) -> None:
        """Two who ask at once cause one reading."""
        both = [self.get(), self.get()]
        (read,) = self.reads
        read.callback("one")
        self.assertEqual([self.successResultOf(each) for each in both], ["one"] * 2)

    def test_slow(self) -> None:
        """Nobody waits longer than the patience; meanwhile the value of before counts."""
        first = self.get()
        self.clock.advance(self.PATIENCE)
        self.assertEqual(self.successResultOf(first), "none")
        self.reads[0].callback("one")
        self.clock.advance(self.TTL)
        second = self.get()
        self.assertNoResult(second)
        self.clock.advance(self.PATIENCE)
        self.assertEqual(self.successResultOf(second), "one")
        self.assertEqual(len(self.reads), 2)

    def test_stalled(self) -> None:
        """While a reading gets no answer, no other begins, and the old value stops to count."""
        first = self.get()
        self.reads[0].callback("one")
        self.successResultOf(first)
        self.clock.advance(self.OLD)
        for _ in range(3):
            waiting = self.get()
            self.clock.advance(self.PATIENCE)
            self.assertEqual(self.successResultOf(waiting), "none")
        self.assertEqual(len(self.reads), 2)

    def test_failed(self) -> None:
        """A reading that fails, fails for who asked, and the next one who asks causes another."""
        first = self.get()
        self.reads[0].errback(RuntimeError("no"))
        self.failureResultOf(first, RuntimeError)
        second = self.get()
        self.reads[1].callback("two")
        self.assertEqual(self.successResultOf(second), "two")

    def test_put(self) -> None:
        """What is put counts as long as what was read, and is known at once."""
        self.assertEqual(self.cached.known, "none")
        self.cached.put("one")
        self.assertEqual(self.cached.known, "one")
        self.assertEqual(self.successResultOf(self.get()), "one")
        self.clock.advance(self.TTL)
        self.assertNoResult(self.get())

    def test_of_the_value(self) -> None:
        """How long a value counts may depend on it."""
        self.cached = Cached(self.clock, float, self.read, "0")
        for seconds in ("1", "3"):
            read = self.get()
            self.reads[-1].callback(seconds)
            self.assertEqual(self.successResultOf(read), seconds)
            self.clock.advance(float(seconds) - 0.5)
            self.assertEqual(self.successResultOf(self.get()), seconds)
            self.clock.advance(0.5)


class Numbered(Call[int]):
    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Doubler(Batcher[Numbered]):
    """Doubles numbers, at once or as the test says."""

    def __init__(self, *, at_once: bool = False, turn: Clock | None = None) -> None:
        super().__init__(most=3, runs=AT_ONCE, outage=OSError, turn=turn)
        self.begun: list[tuple[list[int], Deferred[None]]] = []
        self._at_once = at_once

    async def run(self, batch: list[Numbered]) -> None:
        if not self._at_once:
            self.begun.append(([call.number for call in batch], Deferred()))
            await self.begun[-1][1]
        for call in batch:
            self.settle(call, 2 * call.number)

    def ask(self, *numbers: int) -> list[Deferred[int]]:
        calls = [Numbered(number) for number in numbers]
        for call in calls:
            self.add(call)
        return [call.result for call in calls]

    @property
    def batches_begun(self) -> list[list[int]]:
        return [numbers for numbers, _ in self.begun]


class BatcherTests(SynchronousTestCase):
    def test_order(self) -> None:
        """A call goes at once while there is a place. The others go in their order, as many as may
        go together, when a batch has ended."""
        doubler = Doubler()
        results = doubler.ask(*range(7))
        self.assertEqual(doubler.batches_begun, [[0], [1]])
        doubler.begun[1][1].callback(None)
        self.assertEqual(doubler.batches_begun, [[0], [1], [2, 3, 4]])
        doubler.begun[2][1].callback(None)
        self.assertEqual(doubler.batches_begun[3:], [[5, 6]])
        for _, done in (doubler.begun[0], doubler.begun[3]):
            done.callback(None)
        self.assertEqual([self.successResultOf(each) for each in results], [*range(0, 14, 2)])

    def test_turn(self) -> None:
        """With a reactor they are collected until its turn ends, also those that a batch has made
        wait."""
        clock = Clock()
        doubler = Doubler(turn=clock)
        doubler.ask(*range(7))
        self.assertEqual(doubler.begun, [])
        clock.advance(0)
        self.assertEqual(doubler.batches_begun, [[0, 1, 2], [3, 4, 5]])
        doubler.begun[0][1].callback(None)
        doubler.ask(7)
        clock.advance(0)
        self.assertEqual(doubler.batches_begun[2:], [[6, 7]])

    def test_outage(self) -> None:
        """An outage fails all calls of a batch, each with its own error."""
        doubler = Doubler(turn=(clock := Clock()))
        results = doubler.ask(1, 2)
        clock.advance(0)
        doubler.begun[0][1].errback(OSError("away"))
        one, two = [self.failureResultOf(each, OSError).value for each in results]
        self.assertIsNot(one, two)
        self.assertEqual((one.args, two.args), (("away",), ("away",)))
        self.assertEqual(len(doubler.begun), 1)

    def test_fault(self) -> None:
        """After another error each call goes alone, as places are free, before those that wait.
        The one at fault fails."""
        doubler = Doubler(turn=(clock := Clock()))
        results = doubler.ask(*range(7))
        clock.advance(0)
        doubler.begun[0][1].errback(KeyError())
        self.assertEqual(doubler.batches_begun[2:], [[0]])
        doubler.begun[2][1].callback(None)
        doubler.begun[3][1].errback(KeyError())
        clock.advance(0)
        self.assertEqual(doubler.batches_begun[3:], [[1], [2]])
        doubler.begun[4][1].callback(None)
        clock.advance(0)
        self.assertEqual(doubler.batches_begun[5:], [[6]])
        self.failureResultOf(results[1], KeyError)
        self.assertEqual([self.successResultOf(results[n]) for n in (0, 2)], [0, 4])

    def test_ends_at_once(self) -> None:
        """Batches that end as soon as they begin do not begin one inside the other."""
        doubler = Doubler(at_once=True)
        doubler.running = AT_ONCE
        results = doubler.ask(*range(20_000))
        doubler.running = 0
        doubler.hand_over()
        self.assertEqual(sum(map(self.successResultOf, results)), 19_999 * 20_000)

    def test_stop(self) -> None:
        """After a stop nothing begins any more."""
        doubler = Doubler(turn=(clock := Clock()))
        doubler.ask(1)
        doubler.stop()
        self.assertEqual((clock.getDelayedCalls(), doubler.begun), ([], []))


class KeyedQueueTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.queue = KeyedQueue[str]()
        self.order: list[int] = []

    def enter(self, key: str, came: float = 0, number: int = 0) -> Deferred[None]:
        """A caller; `order` gets the number at its turn."""

        async def act() -> None:
            await self.queue.enter(key, came)
            self.order.append(number)

        return Deferred.fromCoroutine(act())

    def test_order(self) -> None:
        """The callers with one key go one after the other, in their order; those with another key
        do not wait for them."""
        for number in range(3):
            self.enter("a", 0, number)
        self.enter("b", 0, 9)
        self.assertEqual(self.order, [0, 9])
        self.queue.leave("a")
        self.assertEqual(self.order, [0, 9, 1])
        self.queue.leave("a")
        self.queue.leave("a")
        self.enter("a", 0, 3)
        self.assertEqual(self.order, [0, 9, 1, 2, 3])

    def test_late(self) -> None:
        """Callers that came before a moment fail, and the next goes on."""
        self.enter("a")
        late, next = self.enter("a", 1), self.enter("a", 2, 1)
        self.queue.expire(2, KeyError)
        self.assertEqual(self.failureResultOf(late, KeyError).value.args, ("a",))
        self.queue.leave("a")
        self.successResultOf(next)

    def test_cancelled(self) -> None:
        """A caller that cancels goes at once, and gets no turn."""
        self.enter("a")
        gone, next = self.enter("a"), self.enter("a")
        gone.cancel()
        self.failureResultOf(gone, CancelledError)
        self.queue.leave("a")
        self.successResultOf(next)

    def test_cancels_another(self) -> None:
        """A caller that fails may end another one."""
        self.enter("a")
        first, second = self.enter("a"), self.enter("a")
        first.addErrback(lambda _: second.cancel())
        self.queue.fail(KeyError())
        self.failureResultOf(second, CancelledError)

    def test_fail(self) -> None:
        """All who wait can be sent away. The key is free when its holder leaves."""
        self.enter("a")
        waiting = [self.enter("a") for _ in range(3)]
        self.queue.fail(KeyError())
        for each in waiting:
            self.failureResultOf(each, KeyError)
        self.queue.leave("a")
        self.successResultOf(self.enter("a"))

    def test_shallow(self) -> None:
        """Any number of callers may leave at once."""

        async def act(number: int) -> None:
            await self.queue.enter("a")
            await (first if number == 0 else succeed(None))
            self.queue.leave("a")

        first: Deferred[None] = Deferred()
        all = [Deferred.fromCoroutine(act(number)) for number in range(5000)]
        first.callback(None)
        for each in all:
            self.successResultOf(each)


class Work:
    """Jobs that last until they are told to end, and what became of them."""

    def __init__(self) -> None:
        self.places = Bulkhead[str](AT_ONCE, MOST)
        self.running: dict[str, Deferred[str]] = {}
        self.begun: list[str] = []
        self.ended: dict[str, object] = {}

    def ask(self, who: str, name: str) -> None:
        """One more job of somebody."""

        async def act() -> object:
            async with self.places.place(who):
                self.begun.append(name)
                self.running[name] = Deferred()
                return await self.running[name]

        def end(result: object) -> None:
            assert name not in self.ended, name
            self.ended[name] = result

        Deferred.fromCoroutine(act()).addCallbacks(end, lambda failure: end(failure.type))

    def end(self, name: str, error: Exception | None = None) -> None:
        """Have a job end."""
        if error is None:
            self.running.pop(name).callback(name)
        else:
            self.running.pop(name).errback(error)

    def full(self) -> list[str]:
        """Those for whom there was no place."""
        return [name for name, result in self.ended.items() if result is Full]


class BulkheadTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.work = Work()

    def ask(self, *names: str) -> None:
        """Jobs of whom the first letter stands for."""
        for name in names:
            self.work.ask(name[0], name)

    def test_at_once(self) -> None:
        """So many are done at a time, the next when one ends, well or not."""
        self.ask("a1", "a2", "a3", "a4")
        self.assertEqual(self.work.begun, ["a1", "a2"])
        self.work.end("a2", ValueError())
        self.work.end("a1")
        self.assertEqual(self.work.begun, ["a1", "a2", "a3", "a4"])
        self.assertEqual(self.work.ended, {"a2": ValueError, "a1": "a1"})

    def test_turns(self) -> None:
        """A newcomer comes before the many of another, and each has a turn in a round."""
        self.ask("a1", "a2", "a3", "a4", "a5", "b1", "c1", "b2")
        for name in ("a1", "a2", "a3", "b1", "c1", "a4"):
            self.work.end(name)
        self.assertEqual(self.work.begun[2:], ["a3", "b1", "c1", "a4", "b2", "a5"])

    def test_full(self) -> None:
        """Where there is no place, the longest queue loses its last to one who has fewer."""
        self.ask(*(f"a{n}" for n in range(AT_ONCE + MOST)))
        self.ask("a!")
        self.assertEqual(self.work.full(), ["a!"])
        self.ask("b1", "c1", "b2")
        self.assertEqual(self.work.full(), ["a!", "a9", "a8", "a7"])

    def test_full_of_equals(self) -> None:
        """None is sent away for one who has as many."""
        self.ask("x1", "x2", *"abcdefgh", "i", "a")
        self.assertEqual(self.work.full(), ["i", "a"])

    def test_shallow(self) -> None:
        """Thousands that are done at once are no deeper than one."""
        places = Bulkhead[str](1)
        self.assertTrue(places.enter("a"))
        many = [places.wait("a") for _ in range(5000)]
        for waiter in many:
            waiter.addCallback(lambda _: places.leave("a"))
        places.leave("a")
        self.assertEqual((many[-1].called, places.free), (True, 1))

    def test_no_pushing_in(self) -> None:
        """A newcomer waits behind the others of its kind."""
        places = Bulkhead[str](1)
        self.assertEqual([places.enter("a"), places.enter("a")], [True, False])
        entered: list[bool] = []
        waiters = [places.wait("a") for _ in range(2)]
        waiters[0].addCallback(lambda _: entered.append(places.enter("a")))
        places.leave("a")
        self.assertEqual(([each.called for each in waiters], entered), ([True, False], [False]))

    def test_cancelled(self) -> None:
        """A cancelled waiter goes at once, and gets no place later."""
        places = Bulkhead[str](1)
        places.enter("a")
        gone, patient = places.wait("b"), places.wait("b")
        gone.cancel()
        self.failureResultOf(gone, CancelledError)
        self.assertEqual(places.waiting, 1)
        places.leave("a")
        self.successResultOf(patient)

    def test_fail(self) -> None:
        """All who wait can be sent away; then nobody waits."""
        places = Bulkhead[str](1)
        places.enter("a")
        waiters = [places.wait(kind) for kind in "aab"]
        places.fail(KeyError())
        for waiter in waiters:
            self.failureResultOf(waiter, KeyError)
        places.leave("a")
        self.assertEqual((places.waiting, places.free), (0, 1))

    def test_nobody_may_wait(self) -> None:
        """Without places to wait, one beyond those at work is refused."""
        places = Bulkhead[str](1, 0)
        self.assertTrue(places.enter("a"))
        self.assertRaises(Full, places.wait, "b")

    def test_any_order(self) -> None:
        """In any order of events: none is idle while some wait, as many wait as may, and no more;
        each has one end, only the longest queue loses of it, and nobody's next waits for more than
        a round."""
        for walk in walks(rounds(15, 60, 60)):
            with walk:
                random = walk.random
                work = self.work = Work()
                asked: list[str] = []
                waiting: list[str] = []
                lost = 0
                for n in range(300):
                    if random.random() < 0.6:
                        # One of them floods.
                        who = random.choice("aaaaaaaaaaaabcde")
                        asked.append(f"{who}{n}")
                        self.ask(asked[-1])
                    elif work.running:
                        name = random.choice(sorted(work.running))
                        work.end(name, random.choice((None, None, ValueError())))
                    for name in work.full()[lost:]:
                        self.assertEqual(len(waiting), MOST, name)
                        # It was one of the longest queue, with itself in it.
                        lines = Counter(name[0] for name in [*waiting, asked[-1]])
                        self.assertEqual(lines[name[0]], max(lines.values()), (name, lines))
                    lost = len(work.full())
                    waiting = [name for name in asked if name not in {*work.begun, *work.ended}]
                    self.assertLessEqual(len(waiting), MOST)
                    self.assertEqual(
                        len(work.running), min(AT_ONCE, len(work.running) + len(waiting))
                    )
                while work.running:
                    work.end(next(iter(work.running)))
                self.assertCountEqual(work.ended, asked)
                for who in "abcde":
                    mine = [name for name in work.begun if name[0] == who]
                    self.assertEqual(mine, sorted(mine, key=lambda name: int(name[1:])))
                self.assert_rounds(work, asked)
                self.assert_free(work)

    def assert_free(self, work: Work) -> None:
        """Assert that there are all places again, to work and to wait."""
        begun, full = len(work.begun), len(work.full())
        for n in range(AT_ONCE + MOST):
            work.ask("z", f"z{n}")
        self.assertEqual((len(work.begun) - begun, len(work.full())), (AT_ONCE, full))
        work.ask("z", "z-last")
        self.assertEqual(len(work.full()), full + 1)

    def assert_rounds(self, work: Work, asked: list[str]) -> None:
        """Assert that between one's asking, with none before it, and its turn, nobody had two."""
        order = {name: n for n, name in enumerate(asked)}
        for place, name in enumerate(work.begun):
            before = [each for each in work.begun[:place] if each[0] == name[0]]
            since = place - 1
            while since >= 0 and work.begun[since][0] != name[0]:
                since -= 1
            others = [e[0] for e in work.begun[since + 1 : place] if order[e] > order[name]]
            if before or others:
                self.assertLessEqual(max(map(others.count, others), default=0), 1, name)
