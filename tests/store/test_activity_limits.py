"""The limits of one user: exact however many come at once, and only for what had an effect."""

from collections.abc import Awaitable, Callable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.db.database import Database
from contentsvc.db.errors import Refused
from contentsvc.db.query import Db
from contentsvc.store import retention
from contentsvc.store.activity_limits import DAY, UNLIMITED
from contentsvc.store.content import comments, revisions
from contentsvc.store.social import messages, social
from tests.support.databases import StoreCase, guid, together

MOST, SPAN = 5, 100
WAITING = (
    "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = "
    "current_database()"
)


class FloodCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()

    def age(self, table: str, seconds: float, where: str = "true") -> None:
        """Have the rows of a table been made so much earlier."""
        self.sql(
            f"update {table} set created = created - make_interval(secs => %s) where {where}",
            seconds,
        )

    def assert_waits(self, wait: int | None, most: int = SPAN) -> None:
        """Assert that it is about so long."""
        self.assertTrue(most - 30 < (wait or 0) <= most, wait)

    async def overtaken(self, act: Callable[[Db], Awaitable[Any]]) -> Any:
        """What becomes of an act of a second process that begins while the last that is allowed
        is under way in the first."""
        for _ in range(MOST - 1):
            await act(self.db)
        other = await self.pool()
        async with self.db.transaction() as tx:
            await act(tx)
            second = Deferred.fromCoroutine(act(other))
            while not self.sql(WAITING):
                self.assertNoResult(second)
                await deferLater(reactor, 0)
        return await second


class MessageTests(FloodCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.others = [await self.user() for _ in range(3)]
        for other in self.others:
            self.sql(
                """insert into pairs (lesser, greater, friends)
                   values (least(%s::uuid, %s), greatest(%s::uuid, %s), 1)""",
                *(self.ann, other, self.ann, other),
            )

    async def send(
        self, db: Db | None = None, other: int = 0, id: str | None = None, most: int = MOST
    ) -> int:
        """Ann sends a message to one of the others. Gives the wait."""
        given = self.ann, self.others[other], id or guid(), "hi", "{}"
        sent = await messages.send(db or self.db, *given, most, SPAN)
        return sent.wait if isinstance(sent, messages.Unsent) else 0

    async def test_wait(self) -> None:
        """Beyond the limit, over all friends together, the wait is that until the oldest of the
        last messages is as old as the span; then there may be one more."""
        for n in range(MOST):
            self.assertEqual(await self.send(other=n % 3), 0)
        self.assert_waits(await self.send(other=1))
        self.age("messages", 40, f"sender = '{self.ann}'")
        self.assert_waits(await self.send(), SPAN - 40)
        self.age("messages", 61, f"sender = '{self.ann}'")
        self.assertEqual(await self.send(), 0)

    async def test_repeats(self) -> None:
        """Repeats do not count; beyond the limit one is still known for what it is."""
        id = guid()
        for _ in range(MOST * 2):
            self.assertEqual(await self.send(id=id), 0)
        for _ in range(MOST - 1):
            self.assertEqual(await self.send(), 0)
        self.assert_waits(await self.send())
        given = self.ann, self.others[0], id, "hi", "{}"
        again = await messages.send(self.db, *given, MOST, SPAN)
        assert isinstance(again, messages.Unsent)
        self.assertTrue(again.repeated)

    async def test_refused(self) -> None:
        """What was refused does not count, and is refused for its own reason beyond the limit."""
        for other in (self.ann, await self.user()):
            given = self.ann, other, guid(), "hi", "{}"
            for _ in range(MOST):
                unsent = await messages.send(self.db, *given, MOST, SPAN)
                self.assertEqual(unsent, messages.Unsent(False, False))
        for _ in range(MOST):
            self.assertEqual(await self.send(), 0)
        self.assertEqual(
            await messages.send(self.db, *given, MOST, SPAN), messages.Unsent(False, False)
        )

    async def test_at_once(self) -> None:
        """However many come at once, to however many friends, so many are stored and told."""
        waits = await together(*(self.send(other=n % 3) for n in range(MOST * 3)))
        self.assertEqual(waits.count(0), MOST)
        (stored,) = self.sql("select count(*) from messages where sender = %s", self.ann)
        (told,) = self.sql(
            "select count(*) from notifications where user_id = any(%s::uuid[])", self.others
        )
        self.assertEqual((stored, told), ((MOST,), (MOST,)))

    async def test_two_processes(self) -> None:
        """One that waits for the last that is allowed, of another process, is refused."""
        others = iter(range(MOST * 2))
        self.assert_waits(await self.overtaken(lambda db: self.send(db, next(others) % 3)))

    async def test_unlimited(self) -> None:
        """With 0 there is no limit."""
        for _ in range(MOST * 2):
            self.assertEqual(await self.send(most=0), 0)


class CommentTests(FloodCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.games = [await self.content(await self.user()) for _ in range(3)]

    async def write(
        self,
        *,
        on: str | None = None,
        parent: int | None = None,
        db: Db | None = None,
    ) -> comments.Written | None:
        """A comment of Ann's."""
        content = on or self.games[0]
        return await comments.create(
            db or self.db, content, self.ann, False, parent, "x", MOST, SPAN
        )

    async def fill(self) -> None:
        """Reach the limit."""
        for n in range(MOST):
            self.assertEqual((await self.write(on=self.games[n % 3])).wait, 0)

    def counted(self) -> list[tuple[int, int]]:
        """The counters of the contents, and the numbers of their comments."""
        return self.sql(
            "select c.comments, (select count(*) from comments m where m.content_id = c.id)"
            " from contents c where c.id = any(%s::uuid[])",
            self.games,
        )

    async def test_limit(self) -> None:
        """After so many, on whatever content, one waits, and nothing of it is left."""
        await self.fill()
        found = await self.write()
        self.assertIsNone(found.id)
        self.assert_waits(found.wait)
        counted = self.counted()
        self.assertEqual(sum(number for number, _ in counted), MOST)
        self.assertTrue(all(number == there for number, there in counted), counted)

    async def test_slides(self) -> None:
        """When the oldest of so many is as long ago as the span, there is room for one."""
        await self.fill()
        first = f"id = (select min(id) from comments where author_id = '{self.ann}')"
        self.age("comments", SPAN - 1.5, first)
        self.assertIn((await self.write()).wait, (1, 2))
        self.age("comments", 1.5, first)
        self.assertEqual((await self.write()).wait, 0)
        self.assert_waits((await self.write()).wait)

    async def test_at_once(self) -> None:
        """Of forty at once, by two processes and on three contents, so many succeed exactly."""
        other = await self.pool()
        found = await together(
            *(self.write(on=self.games[n % 3], db=(self.db, other)[n % 2]) for n in range(40))
        )
        waits = sorted(each.wait for each in found)
        self.assertEqual(waits[:MOST], [0] * MOST)
        self.assertTrue(all(waits[MOST:]), waits)
        rows = self.sql("select count(*) from comments where author_id = %s", self.ann)
        self.assertEqual(rows, [(MOST,)])

    async def test_under_way(self) -> None:
        """One that another process is about to write counts."""
        games = iter([*self.games, *[await self.content(self.ann) for _ in range(MOST)]])
        found = await self.overtaken(lambda db: self.write(on=next(games), db=db))
        self.assert_waits(found.wait)

    async def test_others_first(self) -> None:
        """Users over the limit still hear of unknown content and of an unknown parent."""
        await self.fill()
        self.assertIsNone(await self.write(on=guid()))
        with self.assertRaises(Refused) as caught:
            await self.write(parent=2**40)
        self.assertEqual(caught.exception.constraint, "comments_parent")

    async def test_refused(self) -> None:
        """Refused writes do not count."""
        for _ in range(MOST):
            self.assertIsNone(await self.write(on=guid()))
            with self.assertRaises(Refused):
                await self.write(parent=2**40)
        await self.fill()

    async def test_deleted(self) -> None:
        """A comment that was deleted has had its effect."""
        for _ in range(MOST):
            await comments.delete(self.db, self.games[0], (await self.write()).id)
        self.assert_waits((await self.write()).wait)

    async def test_others(self) -> None:
        """Another's do not count."""
        await self.fill()
        self.ann = await self.user()
        await self.fill()

    async def test_clock_set_back(self) -> None:
        """Writes from before the server's clock was set back keep nobody waiting."""
        await self.fill()
        self.age("comments", -3600)
        self.assertEqual((await self.write()).wait, 0)


class FollowTests(FloodCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.users = [await self.user() for _ in range(MOST + 3)]

    async def follow(self, other: str, db: Db | None = None) -> int:
        """Ann follows somebody; how long to wait."""
        return (await social.follow(db or self.db, self.ann, other, MOST, SPAN)).wait

    def noted(self) -> list[tuple[int]]:
        """How many follows of Ann's are noted as taken back."""
        return self.sql("select count(*) from unfollows where follower = %s", self.ann)

    async def test_limit(self) -> None:
        """After so many one waits; a repeat is no further one."""
        for other in self.users[:MOST]:
            self.assertEqual(await self.follow(other), 0)
        self.assert_waits(await self.follow(self.users[MOST]))
        self.assertEqual(await self.follow(self.users[0]), 0)
        rows = await social.following(self.db, self.ann, None, 1000, 1)
        self.assertEqual([row.info.id for row in rows], self.users[:MOST][::-1])

    async def test_repeats(self) -> None:
        """Repeats do not count."""
        for _ in range(MOST + 1):
            self.assertEqual(await self.follow(self.users[0]), 0)
        for other in self.users[1:MOST]:
            self.assertEqual(await self.follow(other), 0)

    async def test_at_once(self) -> None:
        """However many at once, by two processes, so many succeed exactly, repeats beside them."""
        other = await self.pool()
        acts = [self.follow(user, db) for user in self.users for db in (self.db, other)]
        waits = await together(*acts)
        rows = await social.following(self.db, self.ann, None, 1000, 1)
        self.assertEqual(len(rows), MOST)
        followed = {row.info.id for row in rows}
        for user, pair in zip(self.users, zip(waits[::2], waits[1::2], strict=True), strict=True):
            self.assertEqual(pair == (0, 0), user in followed, pair)

    async def test_taken_back(self) -> None:
        """Follows that are taken back go on to count, until their day is over."""
        for other in self.users[:MOST]:
            self.assertEqual(await self.follow(other), 0)
            self.assertTrue(await social.unfollow(self.db, self.ann, other))
        self.assert_waits(await self.follow(self.users[0]))
        self.age("unfollows", 60)
        self.assert_waits(await self.follow(self.users[0]), SPAN - 60)
        self.age("unfollows", SPAN - 60)
        self.assertEqual(await self.follow(self.users[0]), 0)

    async def test_taken_back_later(self) -> None:
        """A follow of an earlier day leaves nothing when it is taken back, nor does none."""
        await self.follow(self.users[0])
        self.age("follows", DAY)
        for _ in range(2):
            await social.unfollow(self.db, self.ann, self.users[0])
        self.assertEqual(self.noted(), [(0,)])

    async def test_notes(self) -> None:
        """Notes of more than a day ago are deleted, others stay."""
        for age in (DAY + 1, 0):
            for other in self.users[:2]:
                await self.follow(other)
                await social.unfollow(self.db, self.ann, other)
            self.age("unfollows", age, f"follower = '{self.ann}'")
        while await retention.trim_unfollows(self.db):
            pass
        self.assertEqual(self.noted(), [(2,)])

    async def test_under_way(self) -> None:
        """One that another process is about to follow counts."""
        others = iter(self.users)
        self.assert_waits(await self.overtaken(lambda db: self.follow(next(others), db)))

    async def test_clock_set_back(self) -> None:
        """Those from before the server's clock was set back keep nobody waiting, and do not hide
        the others, whether they were taken back or not."""
        for table in ("follows", "unfollows"):
            for other in self.users:
                await social.follow(self.db, self.ann, other, *UNLIMITED)
                if table == "unfollows":
                    await social.unfollow(self.db, self.ann, other)
            self.age(table, -3600)
            others = [await self.user() for _ in range(MOST + 1)]
            waits = [await self.follow(other) for other in others]
            self.assertEqual(waits[:MOST], [0] * MOST)
            self.assert_waits(waits[MOST])
            self.sql("delete from follows")

    async def test_before(self) -> None:
        """Those from before there were times do not count."""
        for user in self.users:
            await social.follow(self.db, self.ann, user, *UNLIMITED)
        self.sql("update follows set created = null")
        self.assertEqual(await self.follow(await self.user()), 0)

    async def test_release_before(self) -> None:
        """Rows that a daemon of the release before writes have a time."""
        for user in self.users[:MOST]:
            self.sql("insert into follows (follower, followed) values (%s, %s)", self.ann, user)
        self.assert_waits(await self.follow(self.users[MOST]))


class PublicationTests(FloodCase):
    async def publish(self, db: Database | None = None) -> int:
        """A content of Ann's as the service makes it; how long to wait, and then it is none."""
        try:
            async with (db or self.db).transaction() as tx:
                wait = await self.publish_in(tx)
                if wait:
                    raise LookupError
        except LookupError:
            pass
        return wait

    async def publish_in(self, tx: Db) -> int:
        """The same, as a part of a transaction."""
        revision = guid()
        await self.content(self.ann, revision=revision, db=tx)
        return await revisions.depend(
            tx,
            revision=revision,
            originating=[],
            using=[],
            packages=[],
            publisher=self.ann,
            most=MOST,
            span=SPAN,
        )

    async def test_under_way(self) -> None:
        """One that another process is about to publish counts."""

        async def act(db: Db) -> int:
            return await (self.publish(db) if isinstance(db, Database) else self.publish_in(db))

        self.assert_waits(await self.overtaken(act))

    async def test_limit(self) -> None:
        """After so many one waits, until the oldest of them is as long ago as the span."""
        for _ in range(MOST):
            self.assertEqual(await self.publish(), 0)
        self.assert_waits(await self.publish())
        self.age("revisions", 60)
        self.assert_waits(await self.publish(), SPAN - 60)
        self.age("revisions", SPAN - 60)
        self.assertEqual(await self.publish(), 0)
        rows = self.sql("select count(*) from contents where author_id = %s", self.ann)
        self.assertEqual(rows, [(MOST + 1,)])

    async def test_at_once(self) -> None:
        """However many at once, by two processes, so many succeed exactly."""
        other = await self.pool()
        waits = await together(*(self.publish(db) for _ in range(8) for db in (self.db, other)))
        self.assertEqual(waits.count(0), MOST)
        rows = self.sql("select count(*) from contents where author_id = %s", self.ann)
        self.assertEqual(rows, [(MOST,)])
