"""Claims (files#own-files) of content that is purged, and of files that somebody else wants too."""

from collections.abc import Awaitable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.framework.db.query import Db
from contentsvc.store.content import revisions, withdrawal
from contentsvc.store.files import blocks, files, references, storage, unused
from tests.store.files.test_references import ClaimCase, new
from tests.support.databases import guid

WAITING = (
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = "
    "current_database()"
)


class PurgeTests(ClaimCase):
    alone = True

    async def withdraw(self, days: int) -> None:
        """The author has withdrawn the content so many days ago."""
        await withdrawal.set_deleted(self.db, self.game, self.ann, False, True, 0)
        self.sql(
            "update contents set withdrawn = now() - make_interval(days => %s) where id = %s",
            *(days, self.game),
        )

    async def purge(self) -> int:
        """How many steps there are to do."""
        steps = 0
        while await references.purge(self.db):
            steps += 1
        return steps

    async def test_purged(self) -> None:
        """Content that has been deleted for 30 days gives up all that it claims; what dependents
        claim stays. It cannot be restored."""
        part, shot, older = self.file(), self.file(new("image/png")), guid()
        self.sent(self.ann, part, shot)
        self.sql(
            """insert into revisions (id, content_id, ordinal, version, description, entity_id,
                                      entity_revision)
               values (%s, %s, 2, '', '', %s, %s)""",
            *(older, self.game, guid(), guid()),
        )
        await self.claim(part, shot)
        await self.claim(part, revision=older)
        dependent, revision = await self.content(self.bob), guid()
        use: dict[str, Any] = {"owner": None, "own": [False], "brought": [False]}
        await self.claim(part, by=self.bob, content=dependent, revision=revision, **use)
        await self.withdraw(29)
        self.assertEqual(await self.purge(), 0)
        await self.withdraw(31)
        self.assertEqual(await self.purge(), 1)
        self.assertEqual(self.claimed(part), [(revision, "revision", dependent, None)])
        self.assertEqual(self.claimed(shot), [])
        given = self.db, self.game, self.ann, False, False, 0
        self.assertEqual(
            await withdrawal.set_deleted(*given), (self.ann, "deleted", False, True, 0, "deleted")
        )

    async def test_batches(self) -> None:
        """Much is given up in several steps, and from the first on the content is purged."""
        count = references.BATCH + 1
        self.sql(
            """insert into claims (holder, kind, path, content_id)
               select %s, 'revision', 'x' || n, %s from generate_series(1, %s) n""",
            *(self.revision, self.game, count),
        )
        await self.withdraw(31)
        self.assertTrue(await references.purge(self.db))
        rows = self.sql("select purged, withdrawn is null from contents where id = %s", self.game)
        self.assertEqual(rows, [(True, False)])
        self.assertEqual(await self.purge(), 1)
        self.assertEqual(self.sql("select 1 from claims where holder = %s", self.revision), [])

    async def test_restored(self) -> None:
        """Content that was restored meanwhile, or is being restored, keeps its files."""
        await self.withdraw(31)
        other = await self.pool()
        async with other.transaction() as tx:
            act = await withdrawal.set_deleted(tx, self.game, self.ann, False, False, 0)
            self.assertTrue(act is not None and act.changed)
            self.assertFalse(await references.purge(self.db))
        self.assertFalse(await references.purge(self.db))

    async def test_restored_too_late(self) -> None:
        """A restore that waits for the purge learns of it."""
        await self.withdraw(31)
        other = await self.pool()
        async with other.transaction() as tx:
            self.assertTrue(await references.purge(tx))
            restored = Deferred.fromCoroutine(
                withdrawal.set_deleted(self.db, self.game, self.ann, False, False, 0)
            )
        self.assertEqual(await restored, (self.ann, "deleted", False, True, 0, "deleted"))


class RaceTests(ClaimCase):
    """Somebody else wants the same file at the same time."""

    alone = True

    async def setUp(self) -> None:
        await super().setUp()
        self.part = self.file(due="2020-01-01")
        self.sent(self.bob, self.part)
        self.other = await self.pool()

    async def waiting(self, act: Awaitable[Any]) -> Deferred[Any]:
        """Begin an act that waits for a lock."""
        begun = Deferred.fromCoroutine(act)
        while self.sql(WAITING) == [(0,)]:
            self.assertNoResult(begun)
            await deferLater(reactor, 0)
        return begun

    async def promptly(self, tx: Db) -> int | None:
        """Publish with the statement that claims what its owner has announced lately."""
        return await revisions.depend_promptly(
            tx,
            revision=self.revision,
            originating=[],
            using=[],
            packages=[],
            content=self.game,
            publisher=self.ann,
            paths=[self.part],
            most=0,
        )

    async def test_collected_first(self) -> None:
        """A publication that comes while the collector decides waits, and finds the file missing,
        although it had been told before that the caller has sent it."""
        async with self.other.transaction() as tx:
            self.assertIn(self.part, await unused.lock_expired(tx))
            begun = await self.waiting(self.claim(self.part, by=self.bob))
            self.sql("delete from user_files where path = %s", self.part)
            self.assertEqual(await unused.mark(tx, [self.part]), [self.part])
        self.assertEqual(await begun, {self.part: False})
        self.assertEqual(self.claimed(self.part), [])

    async def test_collected_before(self) -> None:
        """The same for one that was kept waiting before it came to the file, and knows nothing of
        the collector yet."""
        async with self.other.transaction() as tx:
            await storage.lock(tx, self.ann)
            begun = await self.waiting(self.claim(self.part, by=self.bob))
            self.sql("delete from user_files where path = %s", self.part)
            async with self.db.transaction() as second:
                self.assertIn(self.part, await unused.lock_expired(second))
                self.assertEqual(await unused.mark(second, [self.part]), [self.part])
        self.assertEqual(await begun, {self.part: False})

    async def test_claimed_first(self) -> None:
        """The collector passes by what is just being claimed, and then finds the claim."""
        async with self.other.transaction() as tx:
            given = self.given(self.part, by=self.bob)
            self.assertEqual(await references.claim(tx, **given), [])
            self.assertNotIn(self.part, await unused.lock_expired(self.db))
        self.assertIn(self.part, await unused.lock_expired(self.db))
        self.assertEqual(await unused.mark(self.db, [self.part]), [])
        self.assertEqual(await self.claim(self.part, by=self.bob, revision=guid()), {})

    async def test_announced_lately(self) -> None:
        """What its owner has announced lately is claimed at once while the collector decides, who
        keeps it because of the announcement."""
        self.sql("delete from user_files")
        self.sent(self.ann, self.part, due="2100-01-01")
        async with self.other.transaction() as tx, self.db.transaction() as mine:
            self.assertIn(self.part, await unused.lock_expired(tx))
            self.assertEqual(await self.promptly(mine), 0)
            self.assertEqual(await unused.mark(tx, [self.part]), [])
        self.assertEqual(
            self.claimed(self.part), [(self.revision, "revision", self.game, self.ann)]
        )

    async def test_given_up(self) -> None:
        """A file that is given up while the collector finds its claim is looked at again."""
        self.sql("update user_files set due = null")
        await self.claim(self.part, by=self.bob)
        self.sql("delete from user_files where user_id = %s", self.bob)
        async with self.other.transaction() as tx:
            self.assertIn(self.part, await unused.lock_expired(tx))
            begun = await self.waiting(references.release_revision(self.db, self.revision))
            self.assertEqual(await unused.mark(tx, [self.part]), [])
        await begun
        self.assertTrue(self.due(self.part))

    async def test_lapsing(self) -> None:
        """What lapses while its owner publishes it counts for them all the same."""
        self.sql("delete from user_files")
        self.sent(self.ann, self.part, due="2020-01-01")
        async with self.other.transaction() as tx:
            self.assertTrue(await unused.lock_storage(tx, self.ann))
            self.assertEqual(await unused.lapse(tx, self.ann), [self.part])
            async with self.db.transaction() as mine:
                self.assertIsNone(await self.promptly(mine))
            begun = await self.waiting(self.claim(self.part))
        self.assertEqual(await begun, {})
        self.assertEqual(
            self.sql("select user_id::text, path, sent from user_files"),
            [(self.ann, self.part, True)],
        )

    async def test_first_of_all(self) -> None:
        """Publications of a user who never had any file wait for each other at the storage row,
        before they lock files: so neither they nor an upload wait in a circle."""
        async with self.other.transaction() as tx:
            await storage.lock(tx, self.ann)
            begun = await self.waiting(self.claim(self.part, by=self.bob))
            await files.lock(tx, [self.part])
        self.assertEqual(await begun, {})

    async def test_blocked(self) -> None:
        """A block does not wait for a publication. The claim stands, and the file is not there."""
        async with self.other.transaction() as tx:
            await references.claim(tx, **self.given(self.part, by=self.bob))
            await self.block()
        self.assertEqual(len(self.claimed(self.part)), 1)
        self.assertEqual(await references.stored(self.db, [self.ann], [self.part]), [])

    async def block(self) -> None:
        """What an admin does."""
        await blocks.put(self.db, self.part[3:], "")
        await blocks.hide(self.db, [self.part])
