"""Processes are killed, and publishers stand still, while players follow what they keep
(content#library-map)."""

import contextlib
from random import Random
from typing import Any
from uuid import uuid4

import psutil
import psycopg2
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults
from twisted.internet.task import deferLater

from contentsvc.client import ApiError, Client, Unreachable
from tests.faults.case import FaultCase, hold
from tests.faults.publishing import publish, revise
from tests.faults.servers import kill
from tests.faults.test_fanout import ALL, FanoutCase
from tests.support.sizes import rounds

SUBSCRIBERS = 10_000
PUBLISHERS, REVISIONS = 8, rounds(16, 16, 50)
KILLED_EVERY = 30
"""Revisions between two kills of a worker."""
POLLED_EVERY = 0.02
"""Seconds between two reads of the map."""


class SubscriberTests(FanoutCase):
    async def keep(self, content: str) -> None:
        """The content gets all the subscribers."""
        kept = f"insert into subscriptions (user_id, content_id) select id, '{content}'"
        self.fans(SUBSCRIBERS, kept)

    async def test_once(self) -> None:
        """Workers are killed while 10,000 subscribers are told of three revisions: each is told
        exactly once, of one of them, and has no hole in the numbers."""
        service = await self.daemon("--workers", "2")
        ann = await self.client(service)
        await publish(ann, game := str(uuid4()))
        await self.keep(game)
        revisions = []
        for count in range(3):
            revisions.append(str(uuid4()))
            await revise(ann, game, revisions[-1])
            if count < 2:
                await self.amid()
                for worker in psutil.Process(service.pid).children()[: count + 1]:
                    kill(worker.pid)
        await hold(lambda: not self.rows("select 1 from tasks"), "all are told", ALL)
        told = self.rows(
            "select count(*), count(distinct user_id),"
            " array_agg(distinct data::json ->> 'revision')"
            " from notifications where kind = 'SubscriptionUpdated'"
        )
        ((count, users, of),) = told
        self.assertEqual((count, users), (SUBSCRIBERS, SUBSCRIBERS))
        self.assertLessEqual(set(of), set(revisions))
        holes = self.rows("select 1 from notification_counters where (seq, unread) <> (1, 1)")
        self.assertEqual(holes, [])
        self.no_failures()


class MapTests(FaultCase):
    timeout = 300

    async def follow(self, player: Client, seen: list[dict[str, Any]]) -> None:
        """Read the map, again and again, until the end."""
        while not self.ended:
            with contextlib.suppress(ApiError, Unreachable):
                seen.append(await player.subscriptions.get_library())
            await deferLater(reactor, POLLED_EVERY)

    async def publish_all(self, author: Client, game: str) -> None:
        """All revisions of an author, one after the other. What was not answered is sent again: a
        repeat changes nothing."""
        for _ in range(REVISIONS):
            revision = str(uuid4())
            self.published[game].append(revision)
            while True:
                try:
                    await revise(author, game, revision)
                    break
                except (ApiError, Unreachable) as error:
                    if isinstance(error, ApiError) and error.status < 500:
                        raise
            self.made += 1
            if self.made % KILLED_EVERY == 0:
                self.kill_worker()

    def kill_worker(self) -> None:
        """Kill one of the workers, if one is there."""
        if workers := psutil.Process(self.service.pid).children():
            kill(self.random.choice(workers).pid)

    async def test_follows(self) -> None:
        """Eight authors publish revisions, one of whom stands still amid a transaction for as long
        as the others need, and workers are killed. A player who reads the map all the time sees
        each content go forward only, and has exactly the right map in the end."""
        options = ("--publications-per-day", "100000")
        self.service = await self.daemon("--workers", "2", *options)
        player = await self.client(self.service, "player")
        authors = [await self.client(self.service, f"author{n}") for n in range(PUBLISHERS)]
        games = [str(uuid4()) for _ in authors]
        self.published: dict[str, list[str]] = {game: [] for game in games}
        for author, game in zip(authors, games, strict=True):
            await publish(author, game)
            await player.subscriptions.put(game)
            self.published[game].append((await player.subscriptions.get_library())[game].revision)
        self.ended, self.made, self.random, seen = False, 0, Random(1), []
        following = Deferred.fromCoroutine(self.follow(player, seen))
        with (
            contextlib.closing(psycopg2.connect(self.database)) as holder,
            holder.cursor() as cursor,
        ):
            # Whoever publishes takes this lock late in the transaction.
            cursor.execute(
                "select rate_limit_lock('publications', %s)",
                (authors[0].user,),
            )
            slow = Deferred.fromCoroutine(self.publish_all(authors[0], games[0]))
            others = zip(authors[1:], games[1:], strict=True)
            await gatherResults(
                [Deferred.fromCoroutine(self.publish_all(*each)) for each in others]
            )
            # The first one that stands still is not there yet.
            kept = (await player.subscriptions.get_library())[games[0]]
            self.assertEqual(self.published[games[0]].index(kept.revision), 0)
            holder.rollback()
        await slow
        self.ended = True
        await following
        right = {game: (revisions[-1], "active") for game, revisions in self.published.items()}
        found = await player.subscriptions.get_library()
        self.assertEqual({id: (kept.revision, kept.state) for id, kept in found.items()}, right)
        for game in games:
            places = [self.published[game].index(each[game].revision) for each in seen]
            self.assertEqual(places, sorted(places))
        self.no_failures()
