"""Who is told of a comment, and who may not write one (social#blocks)."""

from typing import Any

from msgspec import json
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.framework.db.errors import Refused
from contentsvc.framework.db.query import Db, Statements
from contentsvc.store.content import comments, items
from contentsvc.store.notifications import notifications
from contentsvc.store.social import pairs
from contentsvc.wire.notifications import CommentOnContent
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

LIMITED = 20
WAITING = (
    "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = "
    "current_database()"
)


@Statements().none("""
    with held as (
        select pg_advisory_xact_lock(hashtext('pair'), pair_key(:one::uuid, :other)) as held
    )
    update pairs set lesser_blocks = nextval('pair_numbers') from held
    where lesser = least(:one, :other) and greater = greatest(:one, :other)
""")
async def _block(tx: Db, one: str, other: str) -> None:
    """Block, in a transaction that holds the pair."""


class TellingCase(StoreCase):
    """`owner` has a game; `ann`, `ben` and the admin `moe` comment on it."""

    limit = 0

    async def setUp(self) -> None:
        await super().setUp()
        self.owner, self.ann, self.ben = [await self.user() for _ in range(3)]
        self.moe = await self.user(admin=True)
        self.game = await self.content(self.owner)

    async def create(
        self,
        author: str,
        parent: int | None = None,
        *,
        on: str | None = None,
        db: Db | None = None,
        limit: int | None = None,
    ) -> comments.Written:
        """A comment."""
        given = on or self.game, author, author == self.moe, parent, "x"
        written = await comments.create(
            db or self.db, *given, self.limit if limit is None else limit
        )
        return written or self.fail("nothing to see")

    async def written(self, author: str, parent: int | None = None) -> int:
        """The id of a new comment."""
        made = await self.create(author, parent)
        return made.id or self.fail(f"{made}")

    async def told(self, author: str, parent: int | None = None) -> dict[str, str]:
        """The kind for each user who is told of a new comment."""
        made = await self.create(author, parent)
        return {row.user_id: json.decode(row.data)["kind"] for row in made.notified}

    async def block(self, one: str, other: str, db: Db | None = None) -> None:
        """Block."""
        if db is not None:
            await pairs.lock_or_make(db, one, other)
            await _block(db, one, other)
            return
        async with self.db.transaction() as tx:
            await self.block(one, other, tx)

    def unblock(self) -> None:
        """Take all blocks of these users back."""
        users = [self.owner, self.ann, self.ben]
        self.sql("delete from pairs where lesser = any(%s::uuid[])", users)

    async def log(self, user: str) -> list[notifications.Stored]:
        """All notifications of a user."""
        return await notifications.listed(self.db, user, 0, None, 99)

    async def waits(self, act: Deferred[Any]) -> None:
        """Wait until a statement waits for a lock; `act` must not be done by then."""
        while not self.sql(WAITING):
            self.assertNoResult(act)
            await deferLater(reactor, 0)


class ToldTests(TellingCase):
    """Who is told what."""

    async def test_owner(self) -> None:
        """The content's author is told of a comment; what is stored is what is pushed."""
        made = await self.create(self.ann)
        (row,) = made.notified
        told = CommentOnContent(sender=self.ann, content=self.game, comment=made.id)
        self.assertEqual(row.data, json.encode(told).decode())
        (stored,) = await self.log(self.owner)
        self.assertEqual(
            (stored.user_id, stored.seq, stored.id, stored.created, stored.read, stored.data),
            (row.user_id, row.seq, row.id, row.created, row.read, row.data),
        )
        self.assertEqual((row.user_id, row.previous), (self.owner, None))
        (after,) = (await self.create(self.ann)).notified
        self.assertEqual((after.seq, after.previous), (2, row.id))

    async def test_reply_wins_muted(self) -> None:
        """The reply wins although its kind is muted."""
        parent = await self.written(self.owner)
        await self.written(self.ann)
        self.sql(
            "update notification_counters set muted = '{CommentReply}' where user_id = %s",
            self.owner,
        )
        self.assertEqual(await self.told(self.ann, parent), {})
        self.assertEqual(await self.told(self.ann), {self.owner: "CommentOnContent"})

    async def test_tombstone_meanwhile(self) -> None:
        """Nor if the parent is deleted while the reply waits for the content."""
        for limit in (0, LIMITED):
            parent = await self.written(self.ann)
            async with self.db.transaction() as tx:
                await comments.delete(tx, None, self.game, parent)
                late = Deferred.fromCoroutine(self.create(self.ben, parent, limit=limit))
                await self.waits(late)
            made = await late
            self.assertIsNotNone(made.id)
            self.assertEqual(made.notified, [])

    async def test_refused(self) -> None:
        """Nobody is told of a comment that was refused."""
        with self.assertRaises(Refused):
            await self.create(self.ann, 2**62)
        await comments.lock(self.db, self.game, self.owner, False, True)
        self.assertEqual(await self.create(self.ann), comments.Written(None, False, 0, []))
        self.assertEqual(await self.log(self.owner), [])

    async def test_rolled_back(self) -> None:
        """A comment that is rolled back tells nobody."""
        with self.assertRaises(KeyError):
            async with self.db.transaction() as tx:
                await self.create(self.ann, db=tx)
                raise KeyError
        self.assertEqual(await self.log(self.owner), [])

    async def test_at_once(self) -> None:
        """Replies to each other at once, on two contents, tell all, each once."""
        games = {self.owner: self.game, self.ann: await self.content(self.ann)}
        parents = {
            (game, user): (await self.create(user, on=game)).id
            for game in games.values()
            for user in (self.owner, self.ann, self.ben)
        }
        before = {user: len(await self.log(user)) for user in (self.owner, self.ann, self.ben)}
        users = list(before)
        made = await together(
            *(
                self.create(users[n % 3], parents[game, users[(n + 1 + n // 3 % 2) % 3]], on=game)
                for n in range(18)
                for game in games.values()
            )
        )
        for user in users:
            told = [row for each in made for row in each.notified if row.user_id == user]
            log = (await self.log(user))[before[user] :]
            self.assertEqual(sorted(row.seq for row in told), [row.seq for row in log])
            self.assertEqual({row.id for row in told}, {row.id for row in log})


class LimitedToldTests(ToldTests):
    """The same, with a limit."""

    limit = LIMITED


class BlockedTests(TellingCase):
    """Between two users of whom one has blocked the other."""

    async def test_nothing_left(self) -> None:
        """A refused comment leaves nothing; an allowed one leaves no row of the pair."""
        await self.block(self.owner, self.ann)
        pairs_of = "select count(*) from pairs where %s in (lesser, greater)"
        before = self.sql(pairs_of, self.owner)
        await self.create(self.ann)
        await self.create(self.ben)
        self.assertEqual(self.sql(pairs_of, self.owner), before)
        (counted,) = self.sql(
            "select comments, live_comments from contents where id = %s", self.game
        )
        self.assertEqual(counted, (1, 1))

    async def test_admin(self) -> None:
        """A block holds for admins too."""
        await self.block(self.owner, self.moe)
        self.assertTrue((await self.create(self.moe)).blocked)

    async def test_tombstone(self) -> None:
        """Nor to the other's tombstone."""
        parent = await self.written(self.ann)
        await comments.delete(self.db, None, self.game, parent)
        await self.block(self.ann, self.ben)
        self.assertTrue((await self.create(self.ben, parent)).blocked)

    async def test_before_others(self) -> None:
        """It comes before locked comments, an unknown parent and the limit, after unknown
        content."""
        await self.block(self.owner, self.ann)
        await comments.lock(self.db, self.game, self.owner, False, True)
        for limit in (0, LIMITED):
            for parent in (None, 2**62):
                self.assertTrue((await self.create(self.ann, parent, limit=limit)).blocked)
            given = guid(), self.ann, False, None, "x", limit
            self.assertIsNone(await comments.create(self.db, *given))
        await items.set_status(self.db, None, self.game, "suspended")
        given = self.game, self.ann, False, None, "x", self.limit
        self.assertIsNone(await comments.create(self.db, *given))

    async def test_not_counted(self) -> None:
        """What was refused does not count as written."""
        await self.block(self.owner, self.ann)
        for _ in range(3):
            await self.create(self.ann, limit=2)
        other = await self.content(self.ben)
        made = [await self.create(self.ann, on=other, limit=2) for _ in range(3)]
        self.assertEqual([each.wait > 0 for each in made], [False, False, True])

    async def test_replies_changed(self) -> None:
        """So it is with replies to whoever has blocked their author, deleted ones too."""
        parent = await self.written(self.ann)
        replies = [await self.written(self.ben, parent) for _ in range(2)]
        await self.block(self.ann, self.ben)
        for reply in replies:
            edited = await comments.update(self.db, self.game, reply, "new")
            self.assertEqual(edited, (True, True, False))
            await comments.delete(self.db, None, self.game, parent)

    async def test_changed_meanwhile(self) -> None:
        """A change that waits for a block to commit is refused."""
        comment = await self.written(self.ann)
        async with self.db.transaction() as tx:
            await self.block(self.owner, self.ann, tx)
            act = comments.update(self.db, self.game, comment, "new")
            late = Deferred.fromCoroutine(act)
            await self.waits(late)
        self.assertEqual(await late, (True, True, False))

    async def test_meanwhile(self) -> None:
        """A comment and a reply that wait for a block to commit are refused."""
        parent = await self.written(self.ann)
        for one, other, act in (
            (self.owner, self.ann, lambda limit: self.create(self.ann, limit=limit)),
            (self.ann, self.ben, lambda limit: self.create(self.ben, parent, limit=limit)),
        ):
            for limit in (0, LIMITED):
                async with self.db.transaction() as tx:
                    await self.block(one, other, tx)
                    late = Deferred.fromCoroutine(act(limit))
                    await self.waits(late)
                self.assertTrue((await late).blocked)
                self.unblock()

    async def test_before(self) -> None:
        """A block waits for a comment that is being written, so none is added after it."""
        for limit in (0, LIMITED):
            async with self.db.transaction() as tx:
                made = await self.create(self.ann, db=tx, limit=limit)
                blocking = Deferred.fromCoroutine(self.block(self.owner, self.ann))
                await self.waits(blocking)
            self.assertIsNotNone(made.id)
            await blocking
            self.assertTrue((await self.create(self.ann)).blocked)
            self.unblock()

    async def test_unknown_meanwhile(self) -> None:
        """A parent that is not committed yet is unknown to a reply, which waits for nothing: a
        guessed number does not get around a block."""
        await self.block(self.ann, self.ben)
        for limit in (0, LIMITED):
            async with self.db.transaction() as tx:
                parent = (await self.create(self.ann, db=tx)).id
                with self.assertRaises(Refused) as caught:
                    await self.create(self.ben, parent, limit=limit)
            self.assertEqual(caught.exception.constraint, "comments_parent")
            self.assertTrue((await self.create(self.ben, parent, limit=limit)).blocked)

    async def test_no_deadlock(self) -> None:
        """Comments, replies and blocks at once do not wait for each other in a circle."""
        users = [self.owner, self.ann, self.ben]
        games = [self.game, await self.content(self.ann), await self.content(self.ben)]
        parents = [
            ((await self.create(user, on=game)).id, game) for game in games for user in users
        ]
        acts = []
        for n, (parent, game) in enumerate(parents * 2):
            acts += [self.create(user, parent, on=game) for user in users]
            acts.append(self.block(users[n % 3], users[(n + 1) % 3]))
        made = [each for each in await together(*acts) if each is not None]
        self.assertTrue(all(each.blocked or each.id for each in made))
        for user in users[1:]:
            self.assertTrue((await self.create(user)).blocked)
