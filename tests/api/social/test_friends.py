"""Friends and blocks: who is told when, what counts, and what others do meanwhile."""

from collections.abc import Callable, Coroutine
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.api.errors import Blocked
from contentsvc.api.social.follows import Follows
from contentsvc.api.social.friends import Friends
from contentsvc.api.social.party_invites import PartyInvites
from contentsvc.framework.db.query import Db, Statements
from contentsvc.store.content import subscriptions
from contentsvc.store.notifications import flags
from contentsvc.store.rate_limits import DAY
from contentsvc.store.social import friends, pairs
from contentsvc.wire.social import PartyBody
from tests.api.support import INVITES, ApiCase, Caller, Notifier
from tests.support.databases import guid
from tests.support.deferreds import together

MOST = 4
WAITING = (
    "select pid from pg_locks l join pg_database d on d.oid = l.database"
    " where locktype = 'advisory' and not granted and datname = current_database()"
)

STATEMENTS = Statements()


@STATEMENTS.one("select pair_blocked(:user, :other)")
async def _looked(db: Db, user: str, other: str) -> bool:
    """What a comment of the user's to the other asks."""


class FriendsCase(ApiCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.notifier = Notifier()
        self.friends = Friends(self.db, self.notifier, requests_per_day=MOST)
        self.follows = Follows(self.db, self.notifier, per_day=MOST)
        options = {**INVITES, "require_invite": True}
        self.parties = PartyInvites(self.db, self.notifier, **options)
        self.ann, self.bob = await self.user(), await self.user()

    async def by(
        self, act: Callable[..., Coroutine[Any, Any, Any]], user: str, other: str, *more: Any
    ) -> Any:
        """What `user` does to `other`."""
        return await act(Caller(user), user, other, *more)

    async def ask(self, user: str | None = None, other: str | None = None) -> None:
        """Ann asks bob, or whoever whomever."""
        await self.by(self.friends.add_friend, user or self.ann, other or self.bob)

    async def follow(self, other: str | None = None) -> None:
        """Ann follows bob, or somebody else."""
        await self.by(self.follows.follow_user, self.ann, other or self.bob)

    async def unfollow(self, other: str | None = None) -> None:
        """Ann does so no more."""
        await self.by(self.follows.unfollow_user, self.ann, other or self.bob)

    async def wait_of(self, act: Coroutine[Any, Any, Any]) -> int:
        """The seconds after which an act that was once too often may come again."""
        problem = await self.refused(act)
        self.assertEqual(problem.code, "too_many_requests")
        return int(problem.headers["Retry-After"])

    def pair(self) -> list[tuple[Any, ...]]:
        """What is between ann and bob."""
        return self.sql(
            """select friends, requested, requester, lesser_blocks, greater_blocks, friends_since
               from pairs where %s in (lesser, greater) and %s in (lesser, greater)""",
            *(self.ann, self.bob),
        )

    def age(self, seconds: float) -> None:
        """Let so much time pass since everything."""
        for column in ("asked", "followed"):
            self.sql(
                f"""update pairs set
                    lesser_{column} = lesser_{column} - make_interval(secs => %s),
                    greater_{column} = greater_{column} - make_interval(secs => %s)
                    where lesser = %s or greater = %s""",
                *(seconds, seconds, self.ann, self.ann),
            )
        self.sql(
            """update rate_limits set expires = expires - make_interval(secs => %s)
               where subject = %s""",
            *(seconds, self.ann),
        )


class AskTests(FriendsCase):
    async def test_crossing(self) -> None:
        """Of two who ask each other at once, one asks and one confirms, over two processes."""
        other = Friends(await self.pool(), self.notifier, requests_per_day=MOST)
        for _ in range(10):
            self.ann, self.bob = await self.user(), await self.user()
            self.notifier.sent.clear()
            await together(
                self.ask(),
                self.by(other.add_friend, self.bob, self.ann),
                self.by(other.add_friend, self.ann, self.bob),
                self.ask(self.bob, self.ann),
            )
            self.assertEqual(len({user for user, _ in self.notifier.sent}), 2)
            # In the order of commits: their completions may reach the reactor in another one.
            kinds = self.sql(
                "select kind from notifications where user_id in (%s, %s) order by created",
                *(self.ann, self.bob),
            )
            self.assertEqual(kinds, [("FriendRequest",), ("FriendConfirm",)])
            ((friends, *rest),) = self.pair()
            self.assertTrue(friends)
            self.assertEqual(rest[:-1], [None] * 4)

    async def test_not_told(self) -> None:
        """Where the other cannot be told, nothing was asked: the retry tells."""
        for act in (self.ask, lambda: self.ask(self.bob, self.ann)):
            self.notifier.sent.clear()
            self.notifier.error = KeyError("x")
            before = self.pair()
            with self.assertRaises(KeyError):
                await act()
            self.assertEqual(self.pair(), before)
            self.notifier.error = None
            await act()
            self.assertEqual(len(self.notifier.sent), 1)

    async def test_told_once(self) -> None:
        """A request is told again a day after it was told, not a day after the last one."""
        for seconds, told in ((0, 1), (DAY - 5, 0), (5, 1), (5, 0)):
            self.age(seconds)
            self.notifier.sent.clear()
            await self.ask()
            await self.by(self.friends.remove_friend, self.ann, self.bob)
            self.assertEqual(len(self.notifier.sent), told, seconds)

    async def test_muted(self) -> None:
        """What the other had muted was not told: it is, when they are asked or followed again."""
        kinds = ["FriendRequest", "NewFollower"]
        for muted in (kinds, [], []):
            await flags.mute(self.db, self.bob, muted)
            await self.ask()
            await self.by(self.friends.remove_friend, self.ann, self.bob)
            await self.follow()
            await self.unfollow()
            told = self.sql("select kind from notifications where user_id = %s", self.bob)
            self.assertEqual(sorted(told), [] if muted else [(kind,) for kind in kinds])

    async def test_clock_set_back(self) -> None:
        """What was told before the clock was set back keeps nobody from being told."""
        await self.ask()
        await self.by(self.friends.remove_friend, self.ann, self.bob)
        self.age(-3600)
        await self.ask()
        self.assertEqual(self.notifier.sent, [(self.bob, "FriendRequest")] * 2)

    async def test_release_before(self) -> None:
        """What was written without a pair is undone without one."""
        self.sql("insert into follows (follower, followed) values (%s, %s)", self.ann, self.bob)
        await self.unfollow()
        for act in (
            self.friends.remove_friend,
            self.friends.unblock_user,
            self.follows.unfollow_user,
        ):
            await self.by(act, self.ann, self.bob)
        self.assertEqual(self.pair(), [])
        rows = self.sql("select followed from follows where follower = %s", self.ann)
        self.assertEqual(rows, [])


class LimitTests(FriendsCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.others = [await self.user() for _ in range(MOST + 4)]

    async def test_limit(self) -> None:
        """After so many requests one waits, and nothing of one is left; a repeat is no further
        one."""
        for other in self.others[:MOST]:
            await self.ask(other=other)
            await self.ask(other=other)
        self.assertTrue(DAY - 60 < await self.wait_of(self.ask()) <= DAY)
        self.assertEqual(self.pair(), [])
        await self.ask(other=self.others[0])
        self.age(DAY - 5)
        self.assertTrue(0 < await self.wait_of(self.ask()) <= 5)
        self.age(5)
        await self.ask()

    async def test_undone(self) -> None:
        """What was taken back, turned down, confirmed or ended by a block goes on to count."""
        ends = (
            lambda other: self.by(self.friends.remove_friend, self.ann, other),
            lambda other: self.by(self.friends.remove_friend, other, self.ann),
            lambda other: self.by(self.friends.add_friend, other, self.ann),
            lambda other: self.by(self.friends.block_user, other, self.ann),
        )
        for other, end in zip(self.others, ends, strict=False):
            await self.ask(other=other)
            await end(other)
        await self.wait_of(self.ask())

    async def test_not_counted(self) -> None:
        """What was refused does not count; nor does a confirmation, which has no limit."""
        await self.by(self.friends.block_user, self.bob, self.ann)
        for _ in range(MOST):
            self.assertEqual((await self.refused(self.ask())).code, "blocked")
        for other in self.others[:2]:
            await self.ask(other, self.ann)
            await self.ask(self.ann, other)
        for other in self.others[2 : 2 + MOST]:
            await self.ask(other=other)
        await self.ask(self.others[-1], self.ann)
        await self.ask(self.ann, self.others[-1])

    async def test_follows(self) -> None:
        """Follows that a block has ended go on to count."""
        for other in self.others[:MOST]:
            await self.follow(other)
            await self.by(self.friends.block_user, other, self.ann)
        await self.wait_of(self.follow())


class BlockTests(FriendsCase):
    async def test_again(self) -> None:
        """A block again keeps its place and its time."""
        await self.by(self.friends.block_user, self.ann, self.bob)
        before = self.pair()
        await together(*(self.by(self.friends.block_user, self.ann, self.bob) for _ in range(4)))
        self.assertEqual(self.pair(), before)

    async def test_keepers(self) -> None:
        """A block and its end are told to whoever of the two keeps something of the other's."""
        game = await self.content(self.bob)
        await subscriptions.put(self.db, self.ann, game, None, False, 0)
        for act in (self.friends.block_user, self.friends.unblock_user):
            self.notifier.libraries.clear()
            await self.by(act, self.bob, self.ann)
            self.assertEqual(self.notifier.libraries, [self.ann])

    async def test_under_way(self) -> None:
        """A block waits for the comments that have looked at the pair before it."""
        other = await self.pool()
        async with other.transaction() as tx:
            self.assertFalse(await _looked(tx, self.ann, self.bob))
            block = Deferred.fromCoroutine(self.by(self.friends.block_user, self.ann, self.bob))
            while not self.sql(WAITING):
                self.assertNoResult(block)
                await deferLater(reactor, 0)
            self.assertEqual(self.pair(), [])
        await block
        self.assertTrue(await _looked(other, self.ann, self.bob))

    async def test_seen_once_over(self) -> None:
        """A comment that comes while a block is under way waits for it, and sees it."""
        other = await self.pool()
        async with other.transaction() as tx:
            await pairs.lock_or_make(tx, self.ann, self.bob)
            await pairs.bar(tx, self.ann, self.bob)
            await friends.block(tx, self.ann, self.bob)
            looked = Deferred.fromCoroutine(_looked(self.db, self.bob, self.ann))
            while not self.sql(WAITING):
                self.assertNoResult(looked)
                await deferLater(reactor, 0)
        self.assertTrue(await looked)

    async def test_invite_first(self) -> None:
        """Where an answer needs an invite, its lack is told before the block."""
        body = PartyBody(party=guid())
        await self.by(self.friends.block_user, self.ann, self.bob)
        for answer in (self.parties.accept_party_invite, self.parties.decline_party_invite):
            problem = await self.refused(self.by(answer, self.ann, self.bob, body))
            self.assertEqual(problem.code, "party_invite_not_found")
        await self.by(self.friends.unblock_user, self.ann, self.bob)
        await self.by(self.parties.send_party_invite, self.bob, self.ann, body)
        await self.by(self.friends.block_user, self.ann, self.bob)
        for answer in (self.parties.accept_party_invite, self.parties.decline_party_invite):
            self.assertIsInstance(
                await self.refused(self.by(answer, self.ann, self.bob, body)), Blocked
            )
        rows = self.sql("select answer from party_invites where sender = %s", self.bob)
        self.assertEqual(rows, [(None,)])


class FollowTests(FriendsCase):
    async def test_told_once(self) -> None:
        """A new follower is told again a day after it was told."""
        for seconds, told in ((0, 1), (DAY - 5, 0), (5, 1), (5, 0), (-3600, 1)):
            self.age(seconds)
            self.notifier.sent.clear()
            await self.follow()
            await self.follow()
            await self.unfollow()
            self.assertEqual(self.notifier.sent, [(self.bob, "NewFollower")] * told, seconds)
            self.sql("delete from rate_limits")

    async def test_at_once(self) -> None:
        """Of ten at once one tells."""
        await together(*(self.follow() for _ in range(10)))
        self.assertEqual(self.notifier.sent, [(self.bob, "NewFollower")])

    async def test_not_followed(self) -> None:
        """Where the follow fails, nobody is told of it."""
        send = self.notifier.send

        async def breaks(*given: Any) -> None:
            await send(*given)
            raise KeyError("x")

        self.patch(self.notifier, "send", breaks)
        with self.assertRaises(KeyError):
            await self.follow()
        self.assertEqual(self.notifier.sent, [])

    async def test_each(self) -> None:
        """Each direction is told for itself."""
        await self.follow()
        await self.by(self.follows.follow_user, self.bob, self.ann)
        expected = [(self.bob, "NewFollower"), (self.ann, "NewFollower")]
        self.assertEqual(self.notifier.sent, expected)
