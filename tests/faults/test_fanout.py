"""Processes are killed while an author's followers are told of what was published, and while the
studio tells everybody something."""

import time
from contextlib import closing
from typing import Any
from uuid import uuid4

import psutil
import psycopg2
from msgspec import Raw
from twisted.internet import reactor
from twisted.internet.threads import deferToThread

from contentsvc.wire.notifications import StudioNotificationToAudience
from tests.faults.case import PASSWORD, FaultCase, hold
from tests.faults.publishing import publish
from tests.faults.servers import kill, run_sql

FOLLOWERS = 5000
BEGUN = 10.0
"""Seconds after a process died in which another goes on."""
ALL = 120.0
"""Seconds until all are told then."""


class FanoutCase(FaultCase):
    def fans(self, count: int, insert: str) -> None:
        """Make so many users, and insert something for each `id` of theirs."""
        run_sql(
            self.database,
            f"""
            with fans as (
                insert into users (username, email, password_hash)
                select 'fan' || n, 'fan' || n || '@example.com', '-'
                from generate_series(1, {count}) n
                returning id
            )
            {insert} from fans
            """,
        )

    async def follow(self, author: str) -> None:
        """The author gets all the followers."""
        self.fans(FOLLOWERS, f"insert into follows (follower, followed) select id, '{author}'")

    async def amid(self) -> str:
        """Wait, as closely as possible, until some of the followers are told and others not. Gives
        the place that was reached."""

        def look() -> str:
            with closing(psycopg2.connect(self.database)) as connection:
                connection.autocommit = True
                cursor = connection.cursor()
                deadline = time.monotonic() + ALL
                while time.monotonic() < deadline:
                    cursor.execute("select place from tasks where place is not null")
                    for (place,) in cursor.fetchall():
                        return str(place)
            raise AssertionError("nobody was told")

        return await deferToThread(look)

    async def told(self, author: str, games: list[str]) -> None:
        """In the end each follower is told of each of these once, and their numbers have no
        holes."""
        await hold(lambda: not self.rows("select 1 from tasks"), "all are told", ALL)
        rows = self.rows(
            "select data, count(*), count(distinct user_id) from notifications group by data"
        )
        texts = [
            f'{{"kind":"ContentPublished","author":"{author}","content":"{game}"}}'
            for game in games
        ]
        self.assertEqual(sorted(rows), sorted((text, FOLLOWERS, FOLLOWERS) for text in texts))
        holes = self.rows(
            "select user_id from notification_counters c"
            f" where seq <> {len(games)} or unread <> {len(games)}"
        )
        self.assertEqual(holes, [])

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        return run_sql(self.database, statement)


class KillTests(FanoutCase):
    async def goes_on(self, place: str) -> None:
        """Another process goes on in time after this place."""
        died = reactor.seconds()
        await hold(
            lambda: self.rows("select place from tasks") != [(place,)], "another goes on", BEGUN
        )
        print(f"\nwork went on after {reactor.seconds() - died:.1f} s")

    async def test_workers(self) -> None:
        """Workers are killed, one or both, while they tell 5,000 followers: others go on within
        10 s, and each follower is told exactly once of each publication."""
        service = await self.daemon("--workers", "2")
        ann = await self.client(service)
        await self.follow(ann.user)
        games = [str(uuid4()) for _ in range(3)]
        for count, game in enumerate(games):
            await publish(ann, game)
            await self.amid()
            workers = psutil.Process(service.pid).children()
            for worker in workers[: min(count + 1, 2)]:
                kill(worker.pid)
            ((place,),) = self.rows("select max(place) from tasks")
            if place is not None:
                await self.goes_on(place)
        await self.told(ann.user, games)
        self.no_failures()

    async def test_studio(self) -> None:
        """Workers are killed while the studio tells everybody: each user is told exactly once, and
        the counts add up."""
        service = await self.daemon("--workers", "2")
        ann = await self.client(service)
        await self.follow(ann.user)
        await service.add_user("warden", PASSWORD, admin=True)
        warden = await self.client(service, "warden")
        ((users,),) = self.rows("select count(*) from users")
        ids = [str(uuid4()) for _ in range(2)]
        for count, id in enumerate(ids):
            await warden.studio_notifications.send(
                StudioNotificationToAudience(
                    id=id,
                    topic="season",
                    data=Raw(b'{"id":"%s"}' % id.encode()),
                    audience="everybody",
                )
            )
            await self.amid()
            for worker in psutil.Process(service.pid).children()[: count + 1]:
                kill(worker.pid)
        await hold(lambda: not self.rows("select 1 from tasks"), "all are told", ALL)
        told = self.rows(
            "select count(*), count(distinct user_id) from notifications where kind = 'Studio'"
            " group by data"
        )
        self.assertEqual(told, [(users, users)] * len(ids))
        counts = self.rows("select state, told, muted, failed from studio_notifications")
        self.assertEqual(counts, [("done", users, 0, 0)] * len(ids))
        self.no_failures()

    async def test_daemon(self) -> None:
        """A daemon is killed while it tells 5,000 followers, and nobody starts it again: another
        goes on within 10 s, and each follower is told exactly once."""
        first = await self.daemon()
        ann = await self.client(first)
        await self.follow(ann.user)
        await self.daemon()
        await publish(ann, game := str(uuid4()))
        await self.amid()
        await first.kill()
        ((place,),) = self.rows("select max(place) from tasks")
        self.assertIsNotNone(place)
        await self.goes_on(place)
        await self.told(ann.user, [game])
