"""Connections are lost and processes die between any two statements of a batch: each recipient is
notified exactly once."""

from collections.abc import Awaitable, Callable
from itertools import product
from random import Random

from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.task import deferLater

from contentsvc.framework.db.database import Database
from contentsvc.jobs.handlers import KINDS
from contentsvc.jobs.steps import StepRunner
from contentsvc.push.notifier import Notifier
from contentsvc.store.social import follows
from contentsvc.store.tasks import ContentPublished
from tests.jobs.mortal import Death, Process, deaths
from tests.jobs.support import StepCase
from tests.push.fakes import delays
from tests.support.sizes import rounds

MOST, FOLLOWERS = 2, 5
STATEMENTS = 6
"""Of a first batch: take, hold, followers, move or finish, append, COMMIT."""
SEEDS, ROUNDS, PROCESSES = rounds(1, 2, 6), 30, 3


class DeathCase(StepCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()
        self.fans = [await self.user() for _ in range(FOLLOWERS)]
        for fan in self.fans:
            await follows.follow(self.db, fan, self.ann, 0)
        ((self.upto,),) = self.sql("select max(number) from follows")
        self.games: list[str] = []

    async def publish(self) -> None:
        """One more row."""
        game = await self.content(self.ann)
        self.games.append(game)
        task = ContentPublished(author=self.ann, content=game, upto=self.upto)
        await self.queue.put(self.db, task)

    def process(self) -> Process:
        """One more, which ends with the test."""

        def runner(db: Database) -> Callable[[], Awaitable[object]]:
            notifier = Notifier(self.listener, self.listener, delays())
            return StepRunner(reactor, db, notifier, KINDS, most=MOST).run

        made = Process(self.url, runner)
        self.addCleanup(made.db.stop)
        return made

    async def finish(self) -> None:
        """A process without faults does the rest. The server may need a moment to notice that
        another is dead."""
        process = self.process()
        for _ in range(1000):
            self.sql("update tasks set due = now()")
            await process.batch()
            if not self.left():
                return
            await deferLater(reactor, 0.01)
        self.fail(f"left: {self.left()}")

    def check(self) -> None:
        """Each follower was notified of each publication once, with numbers that have no holes;
        what was pushed is what was stored, and nothing was pushed twice."""
        stored = self.sql("select user_id, seq, data from notifications")
        notified = sorted((user, data) for user, _, data in stored)
        expected = [
            (fan, f'{{"kind":"ContentPublished","author":"{self.ann}","content":"{game}"}}')
            for fan in self.fans
            for game in self.games
        ]
        self.assertEqual(notified, sorted(expected))
        self.assertEqual(
            {(user, seq) for user, seq, _ in stored},
            {(fan, seq) for fan in self.fans for seq in range(1, len(self.games) + 1)},
        )
        pushed = [(row.user_id, row.seq, row.data) for row in self.listener.delivered]
        self.assertEqual(len(pushed), len(set(pushed)))
        self.assertLessEqual(set(pushed), set(stored))


class DeathTests(DeathCase):
    async def test_statements(self) -> None:
        """The first batch has as many statements as these tests interrupt, the others no more."""
        await self.publish()
        process = self.process()
        await process.batch(Death(STATEMENTS, "after", "dead"))
        self.assertFalse(process.alive)
        process = self.process()
        await process.batch(Death(STATEMENTS + 1, "before", "dead"))
        self.assertTrue(process.alive)

    async def test_anywhere(self) -> None:
        """So it is for each death, in the first batch, between two and in the last."""
        for batch, death in product(range(3), deaths(STATEMENTS)):
            await self.publish()
            process = self.process()
            for _ in range(batch):
                await process.batch()
            await process.batch(death)
            await self.finish()
            process.db.stop()
        self.check()

    async def test_interleaved(self) -> None:
        """So it is where several processes work on several rows at once, and now and then one of
        them dies or loses its connection."""
        kinds = list(deaths(STATEMENTS))
        for seed in range(SEEDS):
            random = Random(seed)
            processes = [self.process() for _ in range(PROCESSES)]
            for _ in range(ROUNDS):
                if random.random() < 0.2:
                    await self.publish()
                    self.sql("update tasks set due = now()")
                chosen = random.sample(processes, random.randint(1, PROCESSES))
                await DeferredList(
                    [
                        Deferred.fromCoroutine(
                            each.batch(random.choice(kinds) if random.random() < 0.4 else None)
                        )
                        for each in chosen
                    ]
                )
                processes = [each if each.alive else self.process() for each in processes]
            await self.finish()
            for each in processes:
                each.db.stop()
        self.check()
