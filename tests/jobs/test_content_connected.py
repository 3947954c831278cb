"""Followers who are connected are notified first, each once."""

from itertools import product
from typing import Any

from msgspec import json
from twisted.internet import reactor
from twisted.internet.task import deferLater

from contentsvc.framework.db.database import Database
from contentsvc.jobs.content import ConnectedFollowers
from contentsvc.jobs.handlers import KINDS, steps
from contentsvc.jobs.notifications import StudioLimits
from contentsvc.push.notifier import Notifier
from contentsvc.store.content.publication_audience import FEW, HEAD_START, notify_of_content
from contentsvc.store.social import follows
from contentsvc.store.tasks import ContentPublished
from tests.jobs.mortal import Death, Process, deaths
from tests.jobs.support import StepCase
from tests.push.fakes import delays
from tests.support.deferreds import together

STATEMENTS = 6
"""Of a batch: look, who follows, hold, notify first, append, COMMIT."""


class ConnectedCase(StepCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.runner = self.another(self.db, kinds=KINDS, most=2)
        self.ann = await self.user()
        self.game = await self.content(self.ann)
        self.fans = [await self.user() for _ in range(7)]
        for fan in self.fans:
            await follows.follow(self.db, fan, self.ann, 0)
        self.here = [self.fans[5], await self.user(), self.fans[3], self.fans[4]]
        self.woken = 0
        self.first = self.telling_first(self.db)

    def telling_first(self, db: Database) -> ConnectedFollowers:
        """One more process's."""

        def wake() -> None:
            self.woken += 1

        notifier = Notifier(self.listener, self.listener, delays())
        return ConnectedFollowers(reactor, db, notifier, lambda: self.here, wake, most=2)

    async def publish(self, wait: float = 60, game: str | None = None) -> None:
        """A task that waits."""
        ((upto,),) = self.sql("select max(number) from follows")
        task = ContentPublished(author=self.ann, content=game or self.game, upto=upto)
        await self.queue.put(self.db, task, wait)

    async def all_first(self) -> None:
        """All who are connected are notified."""
        while await self.first.run() is not None:
            pass

    def due(self) -> None:
        """The head start is over."""
        self.sql("update tasks set due = now()")

    def heard(self) -> list[int]:
        """Of how much each of the fans was notified."""
        return [len(self.games(fan)) for fan in self.fans]

    def games(self, fan: str) -> list[Any]:
        """The content of which a fan was notified, in order."""
        rows = self.sql("select data from notifications where user_id = %s order by seq", fan)
        return [json.decode(data)["content"] for (data,) in rows]

    def noted(self) -> int:
        """How many notes there are of whom was notified first."""
        return len(self.sql("select number from told_followers"))


class FirstTests(ConnectedCase):
    async def test_order(self) -> None:
        """They are notified before the task is due, and the others after that; no note stays."""
        await self.publish()
        await self.all_first()
        self.assertEqual((self.heard(), self.noted()), ([0, 0, 0, 1, 1, 1, 0], 3))
        await self.work()
        self.assertEqual(self.heard(), [0, 0, 0, 1, 1, 1, 0])
        self.due()
        await self.work()
        self.assertEqual((self.heard(), self.left(), self.noted()), ([1] * 7, [], 0))
        self.assertGreater(self.woken, 0)

    async def test_waiting(self) -> None:
        """While they are being notified, the others wait."""
        await self.publish(1.5)
        due = self.sql("select due from tasks")
        await self.first.run()
        self.assertGreater(self.sql("select due from tasks"), due)

    async def test_amid(self) -> None:
        """So are those who have not had their turn when the others are being notified."""
        await self.publish(0)
        await self.work(batches=2)
        await self.all_first()
        self.assertEqual(self.heard(), [1, 1, 1, 1, 1, 1, 0])
        await self.work()
        self.assertEqual((self.heard(), self.noted()), ([1] * 7, 0))

    async def test_at_once(self) -> None:
        """A task that is done at once is left to the steps."""
        await self.publish(0)
        self.assertIsNone(await self.first.run())
        self.assertEqual(self.heard(), [0] * 7)

    async def test_unfollowed(self) -> None:
        """Who stops following is not notified, and a note of one who was notified goes all the
        same."""
        await self.publish()
        await self.first.run()
        for fan in self.fans[3:6]:
            await follows.unfollow(self.db, fan, self.ann)
        await self.all_first()
        self.due()
        await self.work()
        self.assertEqual((sum(self.heard()[3:6]), self.noted()), (2, 0))

    async def test_hidden(self) -> None:
        """Nobody is notified any more of content that is not active."""
        await self.publish()
        await self.first.run()
        self.sql("update contents set suspended = true where id = %s", self.game)
        await self.all_first()
        self.due()
        await self.work()
        self.assertEqual((sum(self.heard()), self.left(), self.noted()), (2, [], 0))

    async def test_topic(self) -> None:
        """An author's next publication comes after this one for everybody."""
        later = await self.content(self.ann)
        await self.publish()
        await self.publish(game=later)
        await self.all_first()
        self.assertEqual(self.heard(), [0, 0, 0, 1, 1, 1, 0])
        self.due()
        await self.work(batches=4)
        self.sql("update tasks set due = now() + interval '1 minute'")
        await self.all_first()
        self.assertEqual(self.games(self.fans[3]), [self.game, later])

    async def test_several(self) -> None:
        """Several processes, and the steps of several, notify each once."""
        others = [self.telling_first(await self.pool(size=2)) for _ in range(2)]
        runners = [self.another(await self.pool(size=2), kinds=KINDS, most=1) for _ in range(2)]
        await self.publish()
        await self.first.run()
        self.due()
        while self.left():
            await together(*(each.run() for each in (*others, *runners)))
        self.assertEqual((self.heard(), self.noted()), ([1] * 7, 0))

    async def test_head_start(self) -> None:
        """They have a head start where the author has many followers."""
        await notify_of_content(self.db, self.queue, self.ann, self.game)
        self.sql(
            "with fans as (insert into users (username) select 'fan' || n"
            " from generate_series(1, %s) n returning id)"
            " insert into follows (follower, followed) select id, %s from fans",
            FEW,
            self.ann,
        )
        await notify_of_content(self.db, self.queue, self.ann, self.game)
        rows = self.sql("select extract(epoch from due - created)::float8 from tasks order by id")
        self.assertEqual([round(wait) for (wait,) in rows], [0, HEAD_START])


class DeathTests(ConnectedCase):
    async def test_statements(self) -> None:
        """A batch has as many statements as the next test interrupts."""
        await self.publish()
        for nth, alive in (STATEMENTS, False), (STATEMENTS + 1, True):
            process = Process(self.url, lambda db: self.telling_first(db).run)
            await process.batch(Death(nth, "before", "dead"))
            self.assertEqual(process.alive, alive)
            process.db.stop()

    async def test_anywhere(self) -> None:
        """Wherever a process dies or loses its connection, each is notified once."""
        games = []
        for batch, death in product(range(2), deaths(STATEMENTS)):
            games.append(game := await self.content(self.ann))
            await self.publish(game=game)
            process = Process(self.url, lambda db: self.telling_first(db).run)
            for _ in range(batch):
                await process.batch()
            await process.batch(death)
            while True:
                self.due()
                await self.all_first()
                await self.work()
                if not self.left():
                    break
                await deferLater(reactor, 0.01)
            process.db.stop()
        self.assertEqual([self.games(fan) for fan in self.fans], [games] * 7)
        self.assertEqual(self.noted(), 0)


class SeenTests(ConnectedCase):
    async def test_seen_within(self) -> None:
        """With fan_out_seen_within, only those are notified who are connected, or have renewed a
        log-in within so many days."""
        for number, days in enumerate((1, 9, 11)):
            self.sql(
                "insert into sessions (user_id, used)"
                " values (%s, now() - make_interval(days => %s))",
                self.fans[number],
                days,
            )
        await self.publish()
        await self.all_first()
        self.due()
        await self.work(self.another(self.db, kinds=steps(10, StudioLimits()), most=2))
        self.assertEqual((self.heard(), self.left()), ([1, 1, 0, 1, 1, 1, 0], []))
