"""Somebody holds a lock in the database, or searches: what has nothing to do with it goes on."""

import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg2
from twisted.internet import reactor
from twisted.internet.defer import Deferred, gatherResults

from contentsvc.client import ApiError, Client
from contentsvc.wire.accounts import Profile, UserSearch, UserUpdate
from contentsvc.wire.notifications import DebugNotify
from tests.faults.case import POOL, ReaderCase, hold
from tests.faults.servers import LISTENS, backends, run_sql
from tests.support.workers import gone, workers_of

CROWD = 24
"""Clients that want what is locked."""
_PROFILE = UserUpdate(None, None, Profile(), Profile())


class Case(ReaderCase):
    @contextmanager
    def locked(self, statement: str) -> Iterator[None]:
        """A transaction that goes on has done this."""
        with closing(psycopg2.connect(self.database)) as connection:
            connection.cursor().execute(statement)
            yield

    def refused_each(self, act: Callable[[], Awaitable[Any]]) -> list[Deferred[ApiError]]:
        """The refusals of a crowd that does this."""
        return [self.refused_one(act) for _ in range(CROWD)]

    def refused_one(self, act: Callable[[], Awaitable[Any]]) -> Deferred[ApiError]:
        """The refusal of somebody who does this."""
        return self.assertFailure(Deferred.fromCoroutine(act()), ApiError)

    def all_503(self, errors: list[ApiError]) -> None:
        self.assertEqual({(e.status, e.code) for e in errors}, {(503, "unavailable")})

    def causes(self) -> str:
        """The causes of 503s in the log."""
        lines = self.service.output().splitlines()
        return "\n".join(line for line in lines if "Answered 503" in line)

    async def reads(self, count: int) -> None:
        """So many reads of users, one after the other, and none is refused."""
        for _ in range(count):
            await self.ann.users.get()

    async def reads_beside(self) -> None:
        """The same while a crowd waits for a lock, which never has all connections."""
        for _ in range(20):
            await self.reads(1)
            self.assertLess(len(backends(self.database, "wait_event_type = 'Lock'")), POOL)


class TableTests(Case):
    async def test_others_go_on(self) -> None:
        """Requests that need a locked table are told to come again. All others are served, the
        service is ready, and the log says why."""
        with self.locked("lock table challenges in access exclusive mode"):
            for _ in range(2):
                crowd = self.refused_each(self.ann.challenges.list)
                await self.waits("Lock", POOL // 2)
                await self.reads_beside()
                await self.ann.health.check_readiness()
                self.all_503(await gatherResults(crowd))
        self.assertIn(" lock ", self.causes())
        self.assertEqual(await self.ann.challenges.list(), [])
        await self.sound()
        self.no_failures()


class RowTests(Case):
    async def test_writers(self) -> None:
        """Those who wait to write a row leave connections to readers, of that row too."""
        with self.locked("select from users for update"):
            crowd = self.refused_each(lambda: self.ann.users.update(_PROFILE))
            await self.waits("Lock", POOL // 2)
            await self.reads_beside()
            self.all_503(await gatherResults(crowd))
            await self.reads(20)
        await self.ann.users.update(_PROFILE)
        self.assertIn(" lock ", self.causes())
        await self.sound()

    async def test_batch(self) -> None:
        """If a user's counter is locked, notifications to others that travel in the same statement
        are stored."""
        bob = await self.client(self.service, "bob", patience=0)
        to_bob = DebugNotify(recipient=bob.user, text="to bob")
        await self.notify("first")
        counter = f"select from notification_counters where user_id = '{self.ann.user}' for update"
        with self.locked(counter):
            refused, sent = [], []
            for _ in range(CROWD):
                refused.append(self.refused_one(lambda: self.notify("to ann", by=bob)))
                sent.append(Deferred.fromCoroutine(bob.debug.send_notification(to_bob)))
            await gatherResults(sent)
            self.all_503(await gatherResults(refused))
        await self.notify("last")
        await self.arrive("first", "last")
        self.assertEqual(len((await bob.notifications.list()).items), CROWD)
        self.no_failures()


class SearchTests(Case):
    async def test_others_go_on(self) -> None:
        """However many search, they have a quarter of the connections, and others are served."""
        run_sql(
            self.database,
            "create table gate (); alter function find_users(text) rename to quick;"
            "create function find_users(q text)"
            " returns table (id uuid, rank integer, similarity real)"
            " language plpgsql as "
            "$$begin while not exists (select from gate) loop perform pg_sleep(0.01); end loop;"
            " return query select * from quick(q); end$$",
        )
        searches = [
            Deferred.fromCoroutine(self.ann.users.search(UserSearch(q="ann"))) for _ in range(CROWD)
        ]
        running = "query ~ 'users_search' and state = 'active'"
        await hold(lambda: len(backends(self.database, running)) == POOL // 4, "some search")
        await self.reads(20)
        self.assertEqual(len(backends(self.database, running)), POOL // 4)
        run_sql(self.database, "insert into gate default values")
        for page in await gatherResults(searches):
            self.assertEqual([user.username for user in page.items], ["ann"])
        await self.sound()


class StartTests(Case):
    options = ("--workers", "2")

    async def test_killed_worker(self) -> None:
        """A worker that is killed while a table is locked is replaced, and serves."""
        before = workers_of(self.service)
        with closing(psycopg2.connect(self.database)) as connection:
            connection.cursor().execute("lock table challenges in access exclusive mode")
            for worker in before:
                os.kill(worker, signal.SIGKILL)
            await hold(gone(*before), "they have gone")
            await hold(lambda: len(backends(self.database, LISTENS)) == 2, "others listen")
            await self.back(self.ann, within=10)
            for _ in range(20):
                await self.ann.users.get()

    async def test_sessions(self) -> None:
        """So it is where the sessions are locked: what needs no token is served, and tokens are
        taken once it is known which have ended."""
        await hold(lambda: self.service.output().count(" is ready") == 2, "both serve")
        before = workers_of(self.service)
        with self.locked("lock table sessions in access exclusive mode"):
            for worker in before:
                os.kill(worker, signal.SIGKILL)
            await hold(lambda: self.service.output().count(" is ready") == 4, "others serve")
            stranger = Client(reactor, self.service.url, patience=0)
            self.addCleanup(stranger.close)
            for _ in range(20):
                await stranger.users.get_info(self.ann.user)
            refused = await self.assertFailure(
                Deferred.fromCoroutine(self.ann.users.get()), ApiError
            )
            self.assertEqual((refused.status, refused.code), (503, "unavailable"))
            refused = await self.assertFailure(
                Deferred.fromCoroutine(stranger.health.check_readiness()), ApiError
            )
            self.assertEqual(refused.problem["reasons"], ["sessions"])
        await self.back(self.ann, within=10)
        await hold(lambda: self.reader.subscription.live, "the socket is open again")
        await self.notify("a")
        await self.arrive("a")
        self.no_failures()
