"""Effects on the outside: claims, order, pauses, and what is not done twice."""

from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock, deferLater

from contentsvc.framework.db.query import Db
from contentsvc.framework.storage.bucket import StorageUnavailable
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.task_queue import Effect
from contentsvc.framework.tasks.task_runners import (
    Again,
    Done,
    EffectKind,
    EffectRunner,
    EffectSession,
    Outcome,
    PutOff,
)
from tests.support.databases import StoreCase
from tests.support.deferreds import together

LEASE, LAST_PAUSE = 60.0, 40.0


class Ring(Effect, frozen=True, tag="Ring"):
    """An effect of the tests."""

    bell: str
    at: str | None = None

    @property
    def topic(self) -> str | None:
        return self.at


class EffectCase(StoreCase):
    """A runner. `outcomes` are those of its effects by bell."""

    anew = True

    async def setUp(self) -> None:
        await super().setUp()
        self.clock = Clock()
        self.rung: list[str] = []
        self.outcomes: dict[str, Outcome | Exception] = {}
        self.slow: Deferred[None] | None = None
        self.runner = self.process()

    def process(self, **options: Any) -> EffectRunner:
        """One more process's."""
        kind = EffectKind(Ring, self.begin, LEASE, 10.0, LAST_PAUSE, sessions=2)
        return EffectRunner(self.clock, self.db, kind._replace(**options))

    async def begin(self) -> EffectSession:
        """The session."""
        return EffectSession(self.act)

    async def act(self, task: Ring, waited: float, until: float) -> Outcome:
        """Ring."""
        self.rung.append(task.bell)
        if self.slow is not None:
            await self.slow
        outcome = self.outcomes.get(task.bell, Done())
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def put(self, *bells: str, at: str | None = None) -> None:
        """Effects, in this order."""
        for bell in bells:
            await task_queue.put(self.db, Ring(bell=bell, at=at))

    def pass_time(self, seconds: float) -> None:
        """Let it pass for all."""
        self.sql("update tasks set due = due - make_interval(secs => %s)", seconds)

    def left(self) -> list[tuple[Any, ...]]:
        """Those that wait: tries, failure, whether claimed."""
        return self.sql("select tries, failure, lease is not null from tasks order by id")

    async def under_way(self, runner: EffectRunner) -> "Deferred[float | None]":
        """A run that waits for `slow`."""
        self.slow = Deferred()
        run = Deferred.fromCoroutine(runner.run())
        while not self.rung:
            await deferLater(reactor, 0)
        return run


class EffectTests(EffectCase):
    async def test_done(self) -> None:
        """Each is done once, in the order in which they are due, and is gone."""
        await self.put("a", "b", "c")
        self.assertEqual(await self.process(sessions=1).run(), 0.0)
        self.assertIsNone(await self.runner.run())
        self.assertEqual((self.rung, self.left()), (["a", "b", "c"], []))

    async def test_topic(self) -> None:
        """One waits for an older one of its topic, even while that is put off; others do not."""
        await self.put("a", "b", at="tower")
        await self.put("c", at="church")
        self.outcomes["a"] = PutOff("frozen")
        await self.runner.run()
        self.assertEqual(sorted(self.rung), ["a", "c"])
        self.outcomes.clear()
        self.pass_time(10)
        await self.runner.run()
        await self.runner.run()
        self.assertEqual(self.rung[2:], ["a", "b"])

    async def test_put_off(self) -> None:
        """The pauses double up to the last one. The row says how often and why it has failed."""
        await self.put("a")
        self.outcomes["a"] = PutOff("frozen")
        for tries, pause in enumerate((10, 20, 40, 40), 1):
            await self.runner.run()
            self.assertEqual(self.left(), [(tries, "frozen", False)])
            self.pass_time(pause - 5)
            self.assertIsNone(await self.runner.run())
            self.pass_time(5)

    async def test_asked(self) -> None:
        """What the other side asks for is the least pause, up to the last one."""
        await self.put("a")
        for asked, pause in ((25, 25), (1, 20), (3600, 40)):
            self.outcomes["a"] = PutOff("busy", asked)
            await self.runner.run()
            self.pass_time(pause - 5)
            self.assertIsNone(await self.runner.run())
            self.pass_time(5)

    async def test_again(self) -> None:
        """One that is to be done again is no failure, and counts as put when it is due."""
        await self.put("a")
        self.outcomes["a"] = Again(30)
        await self.runner.run()
        self.assertEqual(self.left(), [(0, None, False)])
        self.assertEqual(self.sql("select due = created and due > now() from tasks"), [(True,)])
        self.pass_time(30)
        await self.runner.run()
        self.assertEqual(self.rung, ["a", "a"])

    async def test_away(self) -> None:
        """While the other side is away nothing is put off, and the job fails."""
        await self.put("a", "b")
        self.outcomes["a"] = StorageUnavailable("away")
        with self.assertRaises(StorageUnavailable):
            await self.process(sessions=1).run()
        self.assertEqual(self.left(), [(0, None, False)] * 2)
        self.outcomes.clear()
        await self.process(sessions=1).run()
        self.assertEqual(self.rung, ["a", "b", "a"])

    async def test_broken(self) -> None:
        """What an effect raises puts it off, and the job fails; others are done."""
        await self.put("a", "b")
        self.outcomes["a"] = KeyError("x")
        with self.assertRaises(KeyError):
            await self.process(sessions=1).run()
        await self.runner.run()
        self.assertEqual((self.rung, self.left()), (["a", "b"], [(1, "KeyError: 'x'", False)]))

    async def test_write(self) -> None:
        """What belongs to the end of an effect commits with it, or not at all."""

        async def write(db: Db) -> None:
            self.assertEqual(self.left(), [(0, None, True)])
            await task_queue.insert(db, "other", "Other", "{}", None, 0)
            raise KeyError

        await self.put("a")
        self.outcomes["a"] = Done(write)
        with self.assertRaises(KeyError):
            await self.runner.run()
        self.assertEqual(self.left(), [(0, None, True)])


class LeaseTests(EffectCase):
    async def test_one(self) -> None:
        """An effect under way is no other process's until the lease ends. What comes of it later
        does not count."""
        await self.put("a")
        run = await self.under_way(self.runner)
        self.assertIsNone(await self.process().run())
        self.pass_time(LEASE)
        slow, self.slow = self.slow, None
        self.outcomes["a"] = PutOff("frozen")
        await self.process().run()
        self.assertEqual(self.rung, ["a", "a"])
        self.outcomes.clear()
        assert slow is not None
        slow.callback(None)
        await run
        self.assertEqual(self.left(), [(1, "frozen", False)])

    async def test_stood_still(self) -> None:
        """A process that stood still after its claim begins nothing with it."""

        class Slow(Clock):
            """A clock that jumps by a lease when it is read for the second time."""

            times = iter([0.0, LEASE])

            def seconds(self) -> float:
                return next(self.times, LEASE)

        await self.put("a", "b")
        self.clock = Slow()
        await self.process(sessions=1, most=1).run()
        self.assertEqual((self.rung, self.left()), ([], [(0, None, False)] * 2))

    async def test_clock_set_back(self) -> None:
        """What was claimed or put off before the clock was set back is done."""
        await self.put("a")
        self.pass_time(-LEASE - LAST_PAUSE - 5)
        await self.runner.run()
        self.assertEqual(self.rung, ["a"])

    async def test_stop(self) -> None:
        """A process that stops waits for what is under way, and begins nothing more."""
        await self.put("a", "b")
        runner = self.process(sessions=1)
        run = await self.under_way(runner)
        stop = Deferred.fromCoroutine(runner.stop())
        assert self.slow is not None
        self.assertFalse(stop.called)
        self.slow.callback(None)
        await stop
        await run
        self.assertEqual((self.rung, self.left()), (["a"], [(0, None, False)]))

    async def test_at_once(self) -> None:
        """Several processes share them: none is done twice."""
        bells = [str(n) for n in range(20)]
        await self.put(*bells)
        await together(*(self.process().run() for _ in range(3)))
        self.assertCountEqual(self.rung, bells)
