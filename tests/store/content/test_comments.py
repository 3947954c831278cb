"""Comments (content#comments): dense ordinals, exact counters, tombstones."""

from contextlib import closing

import psycopg2
from twisted.internet.defer import Deferred

from contentsvc.framework.db.errors import Refused
from contentsvc.framework.db.query import Db
from contentsvc.store import derived_counts
from contentsvc.store.content import comments, items
from contentsvc.store.content.comments import Locking
from contentsvc.store.social import friends, pairs
from contentsvc.wire.comments import CommentPage
from tests.support.daemon import until
from tests.support.databases import StoreCase, guid
from tests.support.deferreds import together

REFUSED = comments.Written(None, False, 0, [])
"""Not written, because the comments are locked."""
CHANGED = comments.Edited(False, False, True)
LOCKED = comments.Edited(False, True, False)
WAITING = (
    "select pid from pg_stat_activity where wait_event_type = 'Lock' and datname = "
    "current_database()"
)
"""Who waits for a lock."""


class CommentCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.author = await self.user()
        self.game = await self.content(self.author)

    async def write(self, parent: int | None = None, content: str | None = None) -> int | None:
        """The id of a new comment of the author's."""
        on = content or self.game
        return await self.written_by(self.author, on=on, parent=parent)

    async def written_by(
        self,
        author: str,
        *,
        on: str | None = None,
        admin: bool = False,
        parent: int | None = None,
        db: Db | None = None,
    ) -> int | None:
        """The id of a new comment, None if its author cannot see the content."""
        where = db or self.db, on or self.game
        written = await comments.create(*where, author, admin, parent, "Well made", 0)
        return None if written is None else written.id

    async def delete(self, comment: int) -> bool | None:
        """Leave a tombstone."""
        return await comments.delete(self.db, None, self.game, comment)

    async def page(self, size: int = 100, page: int = 0) -> CommentPage:
        """One page."""
        found = await comments.page(self.db, self.game, None, False, size, page)
        assert found is not None
        return found

    def counters(self) -> tuple[int, int]:
        """The counters of all comments and of those not deleted, checked against the rows."""
        (counted,) = self.sql(
            "select comments, live_comments from contents where id = %s", self.game
        )
        (there,) = self.sql(
            "select count(*), count(*) filter (where not deleted) from comments"
            " where content_id = %s",
            self.game,
        )
        self.assertEqual(counted, there)
        return counted


class WriteTests(CommentCase):
    async def test_at_once(self) -> None:
        """Twenty at once have the ordinals 1 to 20, in the order of their times."""
        await together(*(self.write() for _ in range(20)))
        rows = self.sql(
            "select ordinal from comments where content_id = %s order by created, ordinal",
            self.game,
        )
        self.assertEqual([row[0] for row in rows], list(range(1, 21)))
        self.assertEqual(self.counters(), (20, 20))

    async def test_rolled_back(self) -> None:
        """One that was rolled back leaves no hole in the ordinals."""
        await self.write()
        with self.assertRaises(KeyError):
            async with self.db.transaction() as tx:
                await self.written_by(self.author, db=tx)
                raise KeyError
        await self.write()
        rows = self.sql("select ordinal from comments where content_id = %s order by 1", self.game)
        self.assertEqual(rows, [(1,), (2,)])
        self.assertEqual(self.counters(), (2, 2))

    async def test_parent(self) -> None:
        """The parent is a comment of the same content, and may be deleted."""
        parent = await self.write()
        elsewhere = await self.write(content=await self.content(self.author))
        self.assertIsNotNone(await self.write(parent))
        await self.delete(parent)
        self.assertIsNotNone(await self.write(parent))
        for bad in (elsewhere, 2**62):
            with self.assertRaises(Refused) as caught:
                await self.write(bad)
            self.assertEqual(caught.exception.constraint, "comments_parent")
        self.assertEqual(self.counters(), (3, 2))

    async def test_no_content(self) -> None:
        """Where there is no such content, or none that the author sees, there is no comment."""
        self.assertIsNone(await self.write(content=guid()))
        await items.set_status(self.db, None, self.game, "suspended")
        self.assertIsNotNone(await self.write())
        other = await self.user()
        for admin, seen in ((False, False), (True, True)):
            found = await self.written_by(other, admin=admin)
            self.assertEqual(found is not None, seen)

    async def test_update(self) -> None:
        """A changed text is there, and its time is later; that of creation stays."""
        comment = await self.write()
        self.sql("update comments set created = created - interval '9 s' where id = %s", comment)
        before = await comments.get(self.db, self.game, comment, None, False)
        self.assertEqual(await comments.update(self.db, self.game, comment, "Better now"), CHANGED)
        after = await comments.get(self.db, self.game, comment, None, False)
        self.assertEqual((after.body, after.created), ("Better now", before.created))
        self.assertGreater(after.updated, after.created)

    async def test_times(self) -> None:
        """An unaltered comment was updated when it was created, to the microsecond."""
        comment = await self.write()
        same = self.sql("select created = updated from comments where id = %s", comment)
        self.assertEqual(same, [(True,)])


class PlaceTests(CommentCase):
    """The places among those that answer the same comment."""

    def places(self) -> dict[int | None, list[int]]:
        """The places in the order of the comments, by what they answer."""
        rows = self.sql(
            """select parent_id, array_agg(place order by ordinal) from comments
               where content_id = %s group by 1""",
            self.game,
        )
        return dict(rows)

    async def test_at_once(self) -> None:
        """Written at once by two processes, they are dense, and in the order of the comments."""
        root, other = await self.write(), await self.pool()
        parents = (None, root, None, root, root)
        await together(
            *(
                self.written_by(self.author, parent=parent, db=db)
                for parent in parents
                for db in (self.db, other)
            )
        )
        self.assertEqual(self.places(), {None: [1, 2, 3, 4, 5], root: [1, 2, 3, 4, 5, 6]})

    async def test_rolled_back(self) -> None:
        """One that was rolled back leaves no hole."""
        root = await self.write()
        with self.assertRaises(KeyError):
            async with self.db.transaction() as tx:
                await self.written_by(self.author, parent=root, db=tx)
                raise KeyError
        await self.write(root)
        self.assertEqual(self.places(), {None: [1], root: [1]})

    async def test_mended(self) -> None:
        """Places that are missing or wrong are counted again."""
        root = await self.write()
        for parent in (root, None, root):
            await self.write(parent)
        before = self.places()
        self.sql(
            "update comments set place = case when parent_id is null then null else 7 end"
            " where content_id = %s",
            self.game,
        )
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            wrong = dict(derived_counts.mend(cursor))
            connection.commit()
        self.assertEqual(wrong["comments with another place among those that answer the same"], 4)
        self.assertEqual(self.places(), before)


class DeleteTests(CommentCase):
    async def test_at_once(self) -> None:
        """Deleted ten times at once, it is counted once."""
        comment = await self.write()
        found = await together(*(self.delete(comment) for _ in range(10)))
        self.assertEqual(found.count(True), 1)
        self.assertEqual(self.counters(), (1, 0))

    async def test_with_others(self) -> None:
        """Comments written and deleted at once leave exact counters."""
        old = [await self.write() for _ in range(10)]
        await together(*(act for n in old for act in (self.delete(n), self.write())))
        self.assertEqual(self.counters(), (20, 10))

    async def test_other_content(self) -> None:
        """A comment is found only under its own content."""
        comment = await self.write()
        other = await self.content(self.author)
        self.assertFalse(await comments.delete(self.db, None, other, comment))
        self.assertIsNone(await comments.get(self.db, other, comment, None, False))
        self.assertIsNone(await comments.state_of(self.db, other, comment, self.author, True))


class GiveBackTests(CommentCase):
    async def test_author_leaves(self) -> None:
        """A text does not come back to an author who is about to leave."""
        author = await self.user()
        comment = await self.written_by(author)
        assert comment is not None
        await self.delete(comment)
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            cursor.execute("delete from users where id = %s", (author,))
            back = Deferred.fromCoroutine(comments.give_back(self.db, self.game, comment, "Back"))
            await until(lambda: back.called or bool(self.sql(WAITING)), 10, "a lock is waited for")
            self.assertNoResult(back)
            connection.commit()
        self.assertFalse(await back)
        self.assertEqual(self.counters(), (1, 0))


class RepeatTests(CommentCase):
    """A comment that is sent again with its writeId (content#comments)."""

    async def again(self, db: Db | None = None, most: int = 0) -> comments.Written | None:
        """The comment of one write."""
        given = self.game, self.author, False, None, "x", most, self.write_id
        return await comments.create(db or self.db, *given)

    async def setUp(self) -> None:
        await super().setUp()
        self.write_id = guid()

    async def test_at_once(self) -> None:
        """Sent many times at once, to two processes, it is one comment."""
        for most in (0, 20):
            self.write_id = guid()
            pools = self.db, await self.pool()
            made = await together(*(self.again(pools[n % 2], most) for n in range(20)))
            self.assertEqual(len({each.id for each in made}), 1)
        self.assertEqual(self.counters(), (2, 2))

    async def test_meanwhile(self) -> None:
        """One that waits for the same comment to commit is this one."""
        for most in (0, 20):
            self.write_id = guid()
            async with self.db.transaction() as tx:
                first = await self.again(tx, most)
                late = Deferred.fromCoroutine(self.again(most=most))
                await until(lambda: bool(self.sql(WAITING)), 10, "a lock is waited for")
            self.assertEqual((await late).id, first.id)
        self.assertEqual(self.counters(), (2, 2))

    async def test_limit(self) -> None:
        """A repeat does not count for the limit, and goes beyond it."""
        first = await self.again(most=1)
        self.assertEqual((await self.again(most=1)).id, first.id)
        self.write_id = guid()
        self.assertGreater((await self.again(most=1)).wait, 0)

    async def test_refused_since(self) -> None:
        """A repeat has the same answer if the writer is blocked by now, and the comments locked."""
        owner = await self.user()
        self.game = await self.content(owner)
        first = await self.again()
        await pairs.lock_or_make(self.db, owner, self.author)
        await friends.block(self.db, owner, self.author)
        await comments.lock(self.db, self.game, owner, False, True)
        self.assertEqual(await self.again(), comments.Written(first.id, False, 0, []))

    async def test_on_the_disk(self) -> None:
        """A repeat waits until the comment is on the disk."""
        self.sql(
            "set synchronous_commit = off; insert into comments"
            " (content_id, ordinal, author_id, body, created, updated, write_id)"
            " values (%s, 9, %s, 'x', now(), now(), %s)",
            *(self.game, self.author, self.write_id),
        )
        before = self.sql("select pg_current_wal_insert_lsn()::text")[0][0]
        self.options += " -c synchronous_commit=on"
        await self.again(await self.pool())
        ((flushed,),) = self.sql("select pg_current_wal_flush_lsn() >= %s::pg_lsn", before)
        self.assertTrue(flushed)


class LockTests(CommentCase):
    """Locked comments (content#comment-locks)."""

    async def lock(self, locked: bool = True, db: Db | None = None) -> Locking | None:
        """The author locks or unlocks."""
        return await comments.lock(db or self.db, self.game, self.author, False, locked)

    async def test_meanwhile(self) -> None:
        """What waits for the lock to commit finds them locked: a new comment and a change."""
        comment = await self.write()
        for limit in (0, 20):
            given = self.game, self.author, False, None, "x", limit
            async with self.db.transaction() as tx:
                await self.lock(db=tx)
                late = Deferred.fromCoroutine(comments.create(self.db, *given))
                change = comments.update(self.db, self.game, comment, "new")
                changed = Deferred.fromCoroutine(change)
                gone = Deferred.fromCoroutine(self.delete(comment))
            self.assertEqual((await late, await changed), (REFUSED, LOCKED))
            self.assertTrue(await gone)
            await self.lock(False)
            comment = await self.write()

    async def test_before(self) -> None:
        """The lock waits for a comment that is being written, and for a change."""
        comment = await self.write()
        for act in (
            lambda tx: self.written_by(self.author, db=tx),
            lambda tx: comments.update(tx, self.game, comment, "new"),
        ):
            ended = []
            async with self.db.transaction() as tx:
                await act(tx)
                locking = Deferred.fromCoroutine(self.lock())
                locking.addCallback(lambda _, ended=ended: ended.append(self.counters()))
                # More statements than the lock has: it would be done by now.
                for _ in range(5):
                    await self.page()
                self.assertEqual(ended, [])
            await locking
            self.assertEqual(len(ended), 1)
            await self.lock(False)

    async def test_no_deadlock(self) -> None:
        """Comments that are written, changed, deleted and locked at once do not block."""
        old = [await self.write() for _ in range(8)]
        acts = [
            act
            for n in old
            for act in (
                self.delete(n),
                comments.update(self.db, self.game, n, "new"),
                self.write(n),
                self.lock(n % 2 == 0),
            )
        ]
        await together(*acts)
        self.counters()


class ReadTests(CommentCase):
    async def test_json(self) -> None:
        """The JSON of a comment says what its columns say, whatever characters it has."""
        first = await self.write()
        second = await self.write(first)
        self.sql(
            "update comments set body = %s, updated = created + interval '5 s' where id = %s",
            '{"a",b}\\ \x01\n\t\x7f\u2028 ä😀 %s :user $1',
            second,
        )
        read = [
            await comments.get(self.db, self.game, comment, None, False)
            for comment in (first, second)
        ]
        self.assertEqual((await self.page()).items, read)
