"""What legal holds keep, and give up: moderation#holds."""

from typing import Any
from unittest.mock import AsyncMock

from twisted.internet.task import Clock

from contentsvc.api.moderation.holding import YEAR, Placing
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.storage.bucket import StorageUnavailable
from contentsvc.framework.storage.paths import digest_of, held_path_of
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.framework.tasks.task_runners import EffectRunner
from contentsvc.jobs.files import blocked_kind
from contentsvc.jobs.handlers import KINDS
from contentsvc.jobs.holds import expired, keeping
from contentsvc.jobs.steps import StepRunner
from contentsvc.store.accounts import deletion
from contentsvc.store.moderation import holds
from tests.jobs.files import FilesCase, file_jobs
from tests.support.databases import guid

ADMIN = guid()


class HoldTests(FilesCase):
    """Holds of a user and of the files that the user has sent."""

    async def setUp(self) -> None:
        await super().setUp()
        self.clock = Clock()
        self.steps = StepRunner(self.clock, self.db, AsyncMock(), KINDS)
        self.keeping = keeping(self.clock, self.db, self.bucket)
        self.collection = file_jobs(self.clock, self.db, self.bucket).collection
        self.user_id = await self.user()
        self.path = self.file("null")
        self.data = self.bucket.kept[self.path][0]
        self.announce(self.user_id, self.path, "null")

    async def hold(self, kind: Any, subject: str) -> None:
        """An admin places a hold."""
        placing = Placing(kind, subject, "court order", YEAR * 60, 0, given=True)
        async with self.db.transaction() as tx:
            await placing.place(tx, TaskQueue(lambda: None), (ADMIN, False))

    async def copy(self) -> None:
        """The steps that are due."""
        while await self.steps.run() is not None:
            self.pass_time(100)

    async def keep(self) -> None:
        """All that is to be done for a hold."""
        await self.copy()
        while await self.keeping.run() is not None:
            pass

    async def collect(self) -> None:
        """All that nobody needs is deleted."""
        self.sql("update files set due = now() - interval '1 day' where due is not null")
        while await self.collection.run() is not None:
            pass

    def state(self) -> Any:
        """Of the only hold: whether it is whole, and the bytes."""
        ((whole, bytes),) = self.sql("select whole, bytes from holds")
        return whole, bytes

    def claimed(self) -> set[str]:
        """The paths that holds claim."""
        return {path for (path,) in self.sql("select path from claims where kind = 'hold'")}

    async def test_kept(self) -> None:
        """The bytes are kept apart, and the file itself is given up: what nobody else needs is
        deleted, and the bytes stay."""
        await self.hold("user", self.user_id)
        self.assertEqual(self.claimed(), {self.path, held_path_of(self.path)})
        await self.keep()
        self.assertEqual(self.claimed(), {held_path_of(self.path)})
        self.assertEqual(self.state(), (True, 16))
        self.sql("delete from user_files")
        self.sql("update files set due = now() where path = %s", self.path)
        await self.collect()
        self.assertEqual(self.bucket.files, [held_path_of(self.path)])
        self.assertEqual(self.bucket.kept[held_path_of(self.path)][0], self.data)

    async def test_given_up_while_copying(self) -> None:
        """What its user gives up before it is kept stays until then."""
        await self.hold("user", self.user_id)
        self.sql("delete from user_files")
        self.sql("update files set due = now()")
        await self.collect()
        await self.keep()
        await self.collect()
        self.assertEqual(self.bucket.files, [held_path_of(self.path)])

    async def test_deletion_waits(self) -> None:
        """An account cannot be deleted before the record of its hold is copied; then it can."""
        await self.hold("user", self.user_id)
        for copied in (False, True):
            if copied:
                await self.copy()
            try:
                async with self.db.transaction() as tx:
                    departed = await deletion.leave(tx, self.user_id, await self._hash())
                self.assertTrue(copied)
                self.assertIsNotNone(departed)
            except Unavailable:
                self.assertFalse(copied)

    async def _hash(self) -> Any:
        ((found,),) = self.sql("select password_hash from users where id = %s", self.user_id)
        return found

    async def test_two_holds(self) -> None:
        """Two holds keep the same bytes once, and they stay until both have ended."""
        await self.hold("user", self.user_id)
        await self.hold("file", digest_of(self.path))
        await self.keep()
        held = held_path_of(self.path)
        for kind, subject, left in (
            ("user", self.user_id, [self.path, held]),
            ("file", digest_of(self.path), [self.path]),
        ):
            async with self.db.transaction() as tx:
                self.assertTrue(await holds.erase(tx, kind, subject))
            await self.copy()
            await self.collect()
            self.assertEqual(self.bucket.files, sorted(left))

    async def test_blocked(self) -> None:
        """A block keeps what is held before it deletes it; while the store is away, it deletes
        nothing."""
        await self.hold("user", self.user_id)
        await self.block(digest_of(self.path))
        job = EffectRunner(self.clock, self.db, blocked_kind(self.clock, self.db, self.bucket))
        self.bucket.away = True
        with self.assertRaises(StorageUnavailable):
            await job.run()
        self.assertIn(self.path, self.bucket.files)
        self.bucket.away = False
        self.pass_time(100)
        while await job.run() is not None:
            pass
        self.assertEqual(self.bucket.files, [held_path_of(self.path)])
        await self.keep()
        self.assertEqual(self.state(), (True, 16))

    async def test_killed(self) -> None:
        """A process that dies when the bytes are apart, and that is not yet noted, has its work
        finished by another."""
        await self.hold("user", self.user_id)
        await self.copy()
        await self.bucket.hold(self.path)
        self.bucket.kept.pop(self.path)
        await self.keep()
        self.assertEqual(self.state(), (True, 16))

    async def test_lost(self) -> None:
        """What was lost before it could be kept is noted: the hold has failed."""
        await self.hold("user", self.user_id)
        self.bucket.kept.clear()
        await self.keep()
        self.assertEqual(self.state(), (False, 0))

    async def test_again(self) -> None:
        """Another request then tries again, and finds what has come back."""
        await self.test_lost()
        self.bucket.put(self.path, self.data)
        await self.hold("user", self.user_id)
        await self.keep()
        self.assertEqual(self.state(), (True, 16))

    async def test_erased_while_copying(self) -> None:
        """What is erased before it is kept leaves nothing, however far it was."""
        await self.hold("user", self.user_id)
        await self.copy()
        async with self.db.transaction() as tx:
            await holds.erase(tx, "user", self.user_id)
        await self.keep()
        await self.keep()
        self.assertEqual(self.claimed(), set())
        await self.collect()
        self.assertEqual(self.bucket.files, [self.path])
        self.assertEqual(self.sql("select count(*) from held_pieces"), [(0,)])
        self.assertEqual(self.uncleared(), set())

    async def test_new_while_deleted(self) -> None:
        """A new hold waits until the bytes of the one before are deleted, and keeps its own."""
        await self.hold("user", self.user_id)
        await self.keep()
        async with self.db.transaction() as tx:
            await holds.erase(tx, "user", self.user_id)
        await self.copy()
        held = held_path_of(self.path)
        self.sql("update files set collecting = true, due = null where path = %s", held)
        await self.hold("user", self.user_id)
        await self.keep()
        self.assertEqual(self.state(), (None, 0))
        self.bucket.kept.pop(held)
        self.sql("update files set collecting = false, stored = false where path = %s", held)
        self.pass_time(100)
        await self.keep()
        self.assertEqual(self.state(), (True, 16))
        self.assertIn(held, self.bucket.files)

    async def test_expired(self) -> None:
        """After its end it is erased, and no other is."""
        other = await self.user()
        await self.hold("user", other)
        await self.hold("user", self.user_id)
        await self.keep()
        self.sql("update holds set until = now() - interval '1 s' where subject = %s", self.user_id)
        job = expired(self.db)
        while await job.run() is not None:
            pass
        await self.copy()
        await self.collect()
        self.assertEqual(self.sql("select subject from holds"), [(other,)])
        self.assertEqual(self.bucket.files, [self.path])
