"""The limits of one table: exact however many effects come at once, and only for what had one."""

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.db.query import Db
from contentsvc.store import retention
from contentsvc.store.accounts import deletion
from contentsvc.store.rate_limits import LIMITS, Limit, take
from tests.support.databases import StoreCase, together

MOST, SPAN = 5, 100
LIMIT = Limit("tests", "user who acts", SPAN, "tests_per_span")
WAITING = (
    "select pid from pg_stat_activity where wait_event = 'advisory' and datname = "
    "current_database()"
)


class RateLimitTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()

    async def take(self, db: Db | None = None, who: str | None = None, most: int = MOST) -> int:
        """One more effect of Ann's, or of another user's. Gives the wait."""
        return await take(db or self.db, LIMIT, who or self.ann, most)

    def kept(self) -> int:
        """How many rows there are of Ann's."""
        ((rows,),) = self.sql("select count(*) from rate_limits where subject = %s", self.ann)
        return int(rows)

    def age(self, seconds: float) -> None:
        """Have all effects of Ann's happened so much earlier."""
        self.sql(
            """update rate_limits
               set moment = moment - make_interval(secs => %s),
                   expires = expires - make_interval(secs => %s)
               where subject = %s""",
            *(seconds, seconds, self.ann),
        )

    def assert_waits(self, wait: int, most: int = SPAN) -> None:
        """Assert that it is about so long."""
        self.assertTrue(most - 30 < wait <= most, wait)

    async def test_slides(self) -> None:
        """Beyond the limit, the wait is that until the oldest of the last effects is as old as the
        span; then there may be one more."""
        self.assertEqual(await self.take(), 0)
        self.age(SPAN - 40)
        for _ in range(MOST - 1):
            self.assertEqual(await self.take(), 0)
        self.assert_waits(await self.take(), 40)
        self.age(40)
        self.assertEqual(await self.take(), 0)
        self.assert_waits(await self.take(), SPAN - 40)

    async def test_refused(self) -> None:
        """What is refused is not counted."""
        for _ in range(MOST * 2):
            await self.take()
        self.assertEqual(self.kept(), MOST)

    async def test_apart(self) -> None:
        """Each subject has a limit of its own, and each name."""
        for _ in range(MOST + 1):
            await self.take()
        self.assertEqual(await self.take(who=await self.user()), 0)
        other = LIMIT._replace(name="others")
        self.assertEqual(await take(self.db, other, self.ann, MOST), 0)

    async def test_rolled_back(self) -> None:
        """What is rolled back does not count."""
        for _ in range(MOST + 1):
            with self.assertRaises(ZeroDivisionError):
                async with self.db.transaction() as tx:
                    self.assertEqual(await self.take(tx), 0)
                    raise ZeroDivisionError
        self.assertEqual(self.kept(), 0)

    async def test_at_once(self) -> None:
        """However many come at once, from two processes, so many are allowed."""
        other = await self.pool()
        waits = await together(*(self.take(db) for db in (self.db, other) for _ in range(MOST * 2)))
        self.assertEqual(waits.count(0), MOST)
        self.assertEqual(self.kept(), MOST)

    async def test_under_way(self) -> None:
        """One that another process is about to commit counts."""
        for _ in range(MOST - 1):
            await self.take()
        other = await self.pool()
        async with self.db.transaction() as tx:
            await self.take(tx)
            second = Deferred.fromCoroutine(self.take(other))
            while not self.sql(WAITING):
                self.assertNoResult(second)
                await deferLater(reactor, 0)
        self.assert_waits(await second)

    async def test_others_go_on(self) -> None:
        """Nobody waits for the transaction of another subject."""
        other = await self.user()
        async with self.db.transaction() as tx:
            await self.take(tx)
            self.assertEqual(await self.take(who=other), 0)

    async def test_unlimited(self) -> None:
        """With 0 there is no limit, and nothing is kept."""
        for _ in range(MOST * 2):
            self.assertEqual(await self.take(most=0), 0)
        self.sql("select rate_limit('tests', %s, 0, interval '1 hour')", self.ann)
        self.assertEqual(self.kept(), 0)

    async def test_lowered(self) -> None:
        """A limit that an operator lowers holds for what happened before."""
        for _ in range(MOST):
            await self.take()
        self.assert_waits(await self.take(most=2))
        self.age(SPAN)
        self.assertEqual(await self.take(most=2), 0)

    async def test_clock_set_back(self) -> None:
        """Those from before the server's clock was set back keep nobody waiting, and do not hide
        the others."""
        for _ in range(MOST):
            await self.take()
        self.age(-3600)
        waits = [await self.take() for _ in range(MOST + 1)]
        self.assertEqual(waits[:MOST], [0] * MOST)
        self.assert_waits(waits[MOST])
        self.assertEqual(self.kept(), MOST)

    async def test_kept(self) -> None:
        """No more rows of a subject are kept than the limit allows."""
        for _ in range(MOST):
            await self.take()
        self.age(SPAN)
        await self.take()
        self.assertEqual(self.kept(), 1)

    async def test_retention(self) -> None:
        """What counts no more is deleted, also where its subject does nothing further."""
        await self.take()
        self.age(SPAN + 1)
        other = await self.user()
        await self.take(who=other)
        while await retention.trim_rate_limits(self.db):
            pass
        self.assertEqual(self.kept(), 0)
        self.assertEqual(
            self.sql("select count(*) from rate_limits where subject = %s", other), [(1,)]
        )

    async def test_leaving(self) -> None:
        """What a user did goes with the account."""
        await self.take()
        async with self.db.transaction() as tx:
            await deletion.leave(tx, self.ann, "-")
        self.assertEqual(self.kept(), 0)

    def test_list(self) -> None:
        """The limits have names of their own, and spans."""
        self.assertEqual(len({limit.name for limit in LIMITS}), len(LIMITS))
        self.assertTrue(all(limit.span > 0 for limit in LIMITS))
