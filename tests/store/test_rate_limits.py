"""The limits: exact however many effects come at once, and only for what had one."""

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Refused
from contentsvc.framework.db.query import Db
from contentsvc.store import rate_limits, retention
from contentsvc.store.accounts import deletion, log_in_attempts, users
from contentsvc.store.accounts.mails import Mails, Wanted
from contentsvc.store.content import access_list, comments, content_counts, revisions, withdrawal
from contentsvc.store.moderation import reports
from contentsvc.store.rate_limits import DAY, LIMITS, MINUTE, Limit, take, take_parts
from contentsvc.store.social import follows, friends, messages, pairs, party_invites
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

MOST, SPAN = 5, 100
LIMIT = Limit("tests", "tests", "user", SPAN, "tests_per_span")
WAITING = (
    "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = "
    "current_database()"
)


class RateLimitCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.sql("delete from rate_limits")
        self.ann = await self.user()

    def kept(self, limit: Limit = LIMIT) -> int:
        """How many rows there are of a limit."""
        ((rows,),) = self.sql("select count(*) from rate_limits where name = %s", limit.name)
        return int(rows)

    def age(self, seconds: float) -> None:
        """Have all effects happened so much earlier."""
        self.sql("update rate_limits set expires = expires - make_interval(secs => %s)", seconds)

    def assert_waits(self, wait: int, most: int = SPAN) -> None:
        """Assert that it is about so long."""
        self.assertTrue(most - 30 < wait <= most, wait)

    async def overtaken(self, first: Awaitable[Any], second: Callable[[], Awaitable[Any]]) -> Any:
        """What becomes of the second, which begins when the first has been done, and waits until it
        is committed."""
        await first
        late = Deferred.fromCoroutine(second())
        while not self.sql(WAITING):
            self.assertNoResult(late)
            await deferLater(reactor, 0)
        return late


class RateLimitTests(RateLimitCase):
    async def take(self, db: Db | None = None, who: str | None = None, most: int = MOST) -> int:
        """One more effect of Ann's, or of another user's. Gives the wait."""
        return await take(db or self.db, LIMIT, who or self.ann, most)

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

    async def test_seconds(self) -> None:
        """The wait is in whole seconds, upwards."""
        await self.take(most=1)
        self.age(SPAN - 1.5)
        self.assertIn(await self.take(most=1), (1, 2))

    async def test_refused(self) -> None:
        """What is refused is not counted."""
        for _ in range(MOST * 2):
            await self.take()
        self.assertEqual(self.kept(), MOST)

    async def test_look(self) -> None:
        """Who looks learns the wait, counts nothing, and waits for nobody."""
        for _ in range(MOST):
            self.assertEqual(await rate_limits.look(self.db, LIMIT, self.ann, MOST), 0)
            async with self.db.transaction() as tx:
                await self.take(tx)
                await rate_limits.look(self.db, LIMIT, self.ann, MOST)
        self.assert_waits(await rate_limits.look(self.db, LIMIT, self.ann, MOST))
        self.assertEqual(await rate_limits.look(self.db, LIMIT, self.ann, 0), 0)

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

    async def test_retention(self) -> None:
        """What counts no more is deleted, and nothing else."""
        await self.take()
        self.age(SPAN + 1)
        other = await self.user()
        await self.take(who=other)
        while await retention.trim_rate_limits(self.db):
            pass
        self.assertEqual(self.sql("select subject::text from rate_limits"), [(other,)])

    async def test_leaving(self) -> None:
        """What a user did goes with the account, and so do failed log-ins."""
        await self.take()
        await log_in_attempts.failed(self.db, self.ann, guid(), 0)
        async with self.db.transaction() as tx:
            await deletion.leave(tx, self.ann, "-")
        self.assertEqual(self.sql("select 1 from rate_limits"), [])

    async def test_parts(self) -> None:
        """What has many parts counts as several, and as all that there may be at most."""
        for parts, kept in ((99, 1), (100, 3), (199, 5)):
            self.assertEqual(await take_parts(self.db, LIMIT, self.ann, MOST, parts), 0)
            self.assertEqual(self.kept(), kept)
        self.assert_waits(await take_parts(self.db, LIMIT, self.ann, MOST, 0))
        self.age(SPAN)
        self.assertEqual(await take_parts(self.db, LIMIT, self.ann, MOST, 4000), 0)
        self.assert_waits(await take_parts(self.db, LIMIT, self.ann, MOST, 0))
        self.assertEqual(await take_parts(self.db, LIMIT, self.ann, 0, 4000), 0)

    async def test_parts_wait(self) -> None:
        """Many parts wait until there is room for all of them."""
        await take_parts(self.db, LIMIT, self.ann, MOST, 0)
        self.age(40)
        await take_parts(self.db, LIMIT, self.ann, MOST, 0)
        self.assertEqual(await take_parts(self.db, LIMIT, self.ann, MOST, 200), 0)
        self.age(30)
        self.assertIn(await take_parts(self.db, LIMIT, self.ann, MOST, 0), range(29, 32))
        self.assertIn(await take_parts(self.db, LIMIT, self.ann, MOST, 100), range(69, 72))

    def test_list(self) -> None:
        """The limits have names of their own, in order; and either a setting or a number."""
        names = [limit.name for limit in LIMITS]
        self.assertEqual(names, sorted(set(names)))
        self.assertTrue(all((limit.option is None) == (limit.most > 0) for limit in LIMITS))


class OperationCase(RateLimitCase):
    """The operations whose effects count for a limit: each of the classes below has one."""

    limit: ClassVar[Limit]
    most: ClassVar[int] = MOST

    async def effect(self, db: Db, n: int) -> int:
        """Ann's effect with this number. Gives the wait; what it has done must be rolled back."""
        raise NotImplementedError

    async def act(self, db: Database, n: int) -> int:
        """The same, as an operation does it."""
        try:
            async with db.transaction() as tx:
                wait = await self.effect(tx, n)
                if wait:
                    raise LookupError
        except LookupError:
            pass
        return wait


class OperationTests:
    """What holds for each of them."""

    async def test_limit(self: Any) -> None:
        """After so many one waits, until the oldest of them is as long ago as the span."""
        for n in range(self.most):
            self.assertEqual(await self.act(self.db, n), 0)
        self.assert_waits(await self.act(self.db, self.most), self.limit.span)
        self.assertEqual(self.kept(self.limit), self.most)
        self.age(self.limit.span)
        self.assertEqual(await self.act(self.db, self.most), 0)

    async def test_at_once(self: Any) -> None:
        """Of many at once, by two processes, exactly so many succeed."""
        both = self.db, await self.pool()
        waits = await together(*(self.act(both[n % 2], n) for n in range(self.most + 6)))
        self.assertEqual(waits.count(0), self.most)
        self.assertEqual(self.kept(self.limit), self.most)

    async def test_under_way(self: Any) -> None:
        """One that another process is about to commit counts."""
        for n in range(self.most - 1):
            await self.act(self.db, n)
        other = await self.pool()
        async with self.db.transaction() as tx:
            first = self.effect(tx, self.most - 1)
            late = await self.overtaken(first, lambda: self.act(other, self.most))
        self.assert_waits(await late, self.limit.span)


class ChangeTests(OperationTests, OperationCase):
    limit = rate_limits.CHANGES

    async def setUp(self) -> None:
        await super().setUp()
        self.made = [await self.content(self.ann) for _ in range(MOST + 6)]
        for made in self.made:
            await withdrawal.set_deleted(self.db, made, self.ann, False, True, MOST)

    async def effect(self, db: Db, n: int) -> int:
        act = await withdrawal.set_deleted(db, self.made[n], self.ann, False, False, MOST)
        assert act is not None
        return act.wait


class UserUpdateTests(OperationTests, OperationCase):
    limit = rate_limits.USER_UPDATES

    async def effect(self, db: Db, n: int) -> int:
        done = await users.update(db, self.ann, None, None, None, f"profile {n}", MOST)
        assert done is not None
        return done.wait

    async def test_same(self) -> None:
        """The same again writes nothing and counts for nothing, beyond the limit too."""
        row = "select xmin, public_profile from users where id = %s"
        for n in range(MOST):
            await self.act(self.db, n)
        before = self.sql(row, self.ann)
        for _ in range(3):
            self.assertEqual(await self.act(self.db, MOST - 1), 0)
        self.assertEqual((self.sql(row, self.ann), self.kept(self.limit)), (before, MOST))


class CommentTests(OperationTests, OperationCase):
    limit = rate_limits.COMMENTS

    async def setUp(self) -> None:
        await super().setUp()
        author = await self.user()
        self.games = [await self.content(author) for _ in range(MOST + 6)]

    async def write(self, on: str, parent: int | None = None, db: Db | None = None) -> Any:
        """A comment of Ann's."""
        return await comments.create(db or self.db, on, self.ann, False, parent, "x", MOST)

    async def effect(self, db: Db, n: int) -> int:
        return int((await self.write(self.games[n], db=db)).wait)

    act = effect

    async def test_others_first(self) -> None:
        """What is refused for another reason does not count, and is refused for its own reason
        beyond the limit."""
        for _ in range(2):
            for game in self.games[:MOST]:
                self.assertIsNone(await self.write(guid()))
                with self.assertRaises(Refused) as caught:
                    await self.write(game, 2**40)
                self.assertEqual(caught.exception.constraint, "comments_parent")
            for game in self.games[:MOST]:
                await self.write(game)
            self.assertEqual(self.kept(self.limit), MOST)

    async def test_deleted(self) -> None:
        """A comment that was deleted has had its effect."""
        for game in self.games[:MOST]:
            await comments.delete(self.db, None, game, (await self.write(game)).id)
        self.assert_waits((await self.write(self.games[0])).wait, MINUTE)


class FollowTests(OperationTests, OperationCase):
    limit = rate_limits.FOLLOWS

    async def setUp(self) -> None:
        await super().setUp()
        self.users = [await self.user() for _ in range(MOST + 6)]

    async def effect(self, db: Db, n: int) -> int:
        await pairs.lock_or_make(db, self.ann, self.users[n])
        return (await follows.follow(db, self.ann, self.users[n], MOST)).wait

    async def test_repeats(self) -> None:
        """Repeats do not count, also at once, and succeed beyond the limit."""
        for _ in range(2):
            for n in range(MOST):
                waits = await together(*(self.act(self.db, n) for _ in range(4)))
                self.assertEqual(waits, [0] * 4)
        self.assert_waits(await self.act(self.db, MOST), DAY)

    async def test_taken_back(self) -> None:
        """Follows that are taken back go on to count."""
        for n in range(MOST):
            self.assertEqual(await self.act(self.db, n), 0)
            self.assertTrue(await follows.unfollow(self.db, self.ann, self.users[n]))
        self.assert_waits(await self.act(self.db, 0), DAY)


class FriendRequestTests(OperationTests, OperationCase):
    limit = rate_limits.FRIEND_REQUESTS

    async def setUp(self) -> None:
        await super().setUp()
        self.users = [await self.user() for _ in range(MOST + 6)]

    async def effect(self, db: Db, n: int) -> int:
        await pairs.lock_or_make(db, self.ann, self.users[n])
        return (await friends.ask(db, self.ann, self.users[n], MOST)).wait


class InviteTests(OperationTests, OperationCase):
    limit = rate_limits.INVITES

    async def setUp(self) -> None:
        await super().setUp()
        self.bob = await self.user()
        self.parties = [guid() for _ in range(MOST + 6)]

    async def effect(self, db: Db, n: int) -> int:
        return (await party_invites.invite(db, self.ann, self.bob, self.parties[n], 60, MOST)).wait


class LogInTests(OperationTests, OperationCase):
    limit = rate_limits.LOG_INS
    most = rate_limits.LOG_INS.most

    async def setUp(self) -> None:
        await super().setUp()
        self.address = guid()

    async def effect(self, db: Db, n: int) -> int:
        return await log_in_attempts.failed(db, self.ann, self.address, 0)


class AddressLogInTests(OperationTests, OperationCase):
    limit = rate_limits.LOG_INS_OF_ADDRESS

    async def setUp(self) -> None:
        await super().setUp()
        self.address = guid()

    async def effect(self, db: Db, n: int) -> int:
        return await log_in_attempts.failed(db, guid(), self.address, MOST)


class MailTests(OperationTests, OperationCase):
    limit = rate_limits.MAILS

    async def setUp(self) -> None:
        await super().setUp()
        mailbox = guid()
        self.queue = Mails(lambda: None, lambda email: mailbox, MOST)

    async def effect(self, db: Db, n: int) -> int:
        return await self.queue.ask(db, self.ann, Wanted("change", f"ann+{n}@example.com"))


class MessageTests(OperationTests, OperationCase):
    limit = rate_limits.MESSAGES

    async def setUp(self) -> None:
        await super().setUp()
        self.others = [await self.user() for _ in range(MOST + 6)]
        for other in self.others:
            self.sql(
                """insert into pairs (lesser, greater, friends)
                   values (least(%s::uuid, %s), greatest(%s::uuid, %s), 1)""",
                *(self.ann, other, self.ann, other),
            )

    async def send(self, other: str, id: str | None = None, db: Db | None = None) -> Any:
        """Ann sends a message."""
        return await messages.send(db or self.db, self.ann, other, id or guid(), "hi", "{}", MOST)

    async def effect(self, db: Db, n: int) -> int:
        sent = await self.send(self.others[n], db=db)
        return sent.wait if isinstance(sent, messages.Unsent) else 0

    act = effect

    async def test_told(self) -> None:
        """However many come at once, so many are stored and told."""
        await together(*(self.send(self.others[n % 3]) for n in range(MOST * 3)))
        stored = self.sql("select count(*) from messages where sender = %s", self.ann)
        told = self.sql(
            "select count(*) from notifications where user_id = any(%s::uuid[])", self.others
        )
        self.assertEqual((stored, told), ([(MOST,)], [(MOST,)]))


class PublicationTests(OperationTests, OperationCase):
    limit = rate_limits.PUBLICATIONS

    async def effect(self, db: Db, n: int) -> int:
        revision = guid()
        await self.content(self.ann, revision=revision, db=db)
        return await revisions.depend(
            db,
            revision=revision,
            originating=[],
            using=[],
            packages=[],
            publisher=self.ann,
            most=MOST,
        )


class ReportTests(OperationTests, OperationCase):
    limit = rate_limits.REPORTS

    async def setUp(self) -> None:
        await super().setUp()
        self.subjects = [guid() for _ in range(MOST + 6)]

    async def effect(self, db: Db, n: int) -> int:
        given = "content", self.subjects[n], self.subjects[n], self.ann, "spam", "", "{}", None
        return await reports.file(db, *given, MOST)


class PlayTests(OperationTests, OperationCase):
    limit = rate_limits.PLAYS

    async def setUp(self) -> None:
        await super().setUp()
        self.game = await self.content(await self.user())

    async def effect(self, db: Db, n: int) -> int:
        return await content_counts.add(
            db, self.ann, self.game, False, None, guid(), 0, False, MOST
        )


class InvitationTests(OperationTests, OperationCase):
    limit = rate_limits.INVITATIONS

    async def setUp(self) -> None:
        await super().setUp()
        self.made = [await self.content(self.ann) for _ in range(MOST + 6)]
        self.guest = await self.user()

    async def effect(self, db: Db, n: int) -> int:
        given = self.made[n], self.ann, self.guest, "tester", "TesterInvited"
        return (await access_list.invite(db, *given, 50, MOST)).wait


class AnnouncementTests(OperationTests, OperationCase):
    limit = rate_limits.ANNOUNCEMENTS

    async def effect(self, db: Db, n: int) -> int:
        return await take(db, self.limit, self.ann, MOST)


class CoverTests(RateLimitCase):
    def test_all(self) -> None:
        """Each limit has a test here, but those that the operations take in Python: they are in
        tests.api.accounts, tests.jobs.test_mails, tests.spec.accounts, tests.spec.moderation and
        tests.spec.test_rate_limits."""
        here = {each.limit for each in OperationCase.__subclasses__()}
        elsewhere = {
            *(rate_limits.CONFIRMATIONS, rate_limits.CONTENT_RENAMES),
            *(rate_limits.GUESTS, rate_limits.LINKS),
            *(rate_limits.MAIL_REQUESTS, rate_limits.RESETS),
            *(rate_limits.NOTICES, rate_limits.RECEIPTS),
            *(rate_limits.EXPORTING, rate_limits.EXPORTS),
            *(rate_limits.PORTAL_CODES, rate_limits.PRECHECKS),
            *(rate_limits.RENAMES, rate_limits.ROLLBACKS, rate_limits.UPLOADS),
        }
        self.assertEqual(here | elsewhere, set(LIMITS))
