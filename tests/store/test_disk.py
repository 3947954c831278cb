"""Whether the database has room to write."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Cause, Unavailable
from contentsvc.framework.db.query import STATEMENTS
from contentsvc.store.disk import HOLD, LATER, SEGMENT, SOON, Disk, fill, little_memory
from tests.framework.db.things import bare
from tests.support.databases import StoreCase


class LookTests(StoreCase):
    """On a clock, with a look that can be told what it finds."""

    async def setUp(self) -> None:
        await super().setUp()
        self.clock = Clock()
        self.disk = Disk(self.clock, self.db, None, fill=self.fill)
        self.finds: Cause | None = None
        self.answer: Deferred[None] = succeed(None)
        self.looks = 0

    async def fill(self, db: Database) -> None:
        """Fill the disk, unless the test says what becomes of that."""
        self.looks += 1
        await self.answer
        if self.finds is not None:
            raise Unavailable("no", self.finds)
        await fill(db)

    async def test_file(self) -> None:
        """A look writes megabytes to a file, whatever memory there is."""
        async with self.db.transaction() as tx:
            await little_memory(tx)
            spill = STATEMENTS["disk_spill"].sql
            plan = await tx.run(bare(f"explain (analyze, buffers) {spill}"), ())
        self.assertRegex("\n".join(row[0] for row in plan), "temp .*written=[0-9]{3}")

    async def test_seldom(self) -> None:
        """However often it is asked, it looks every few seconds."""
        for _ in range(3):
            for _ in range(5):
                self.assertTrue(await self.disk.has_room())
            self.clock.advance(LATER)
        self.assertEqual(self.looks, 3)

    async def test_full(self) -> None:
        """A look that finds none says so, and others follow soon, until one finds some again."""
        self.finds = "disk"
        self.assertFalse(await self.disk.has_room())
        self.clock.advance(SOON)
        self.assertFalse(await self.disk.has_room())
        self.assertEqual(self.looks, 2)
        self.finds = None
        self.assertFalse(await self.disk.has_room())
        self.clock.advance(HOLD)
        self.assertTrue(await self.disk.has_room())

    async def test_failed_write(self) -> None:
        """A write that failed counts at once, and for a while whatever a look finds."""
        self.assertTrue(await self.disk.has_room())
        self.disk.failed()
        self.assertFalse(await self.disk.has_room())
        self.clock.advance(SOON)
        self.assertFalse(await self.disk.has_room())
        self.clock.advance(HOLD)
        self.assertTrue(await self.disk.has_room())

    async def test_no_answer(self) -> None:
        """A database that does not answer is another matter."""
        self.finds = "outage"
        self.assertTrue(await self.disk.has_room())
        self.disk.failed()
        self.clock.advance(LATER)
        self.assertFalse(await self.disk.has_room())

    async def test_patience(self) -> None:
        """A look that gets no answer is not waited for, and says nothing of the disk."""
        self.answer = Deferred()
        asked = Deferred.fromCoroutine(self.disk.has_room())
        self.clock.advance(1)
        self.assertTrue(self.successResultOf(asked))

    async def test_one_at_a_time(self) -> None:
        """While a look is under way nobody begins another, however long it takes."""
        self.answer = Deferred()
        first = Deferred.fromCoroutine(self.disk.has_room())
        self.clock.advance(LATER)
        second = Deferred.fromCoroutine(self.disk.has_room())
        self.clock.advance(1)
        self.assertTrue(await first)
        self.assertTrue(self.successResultOf(second))
        self.assertEqual(self.looks, 1)
        self.answer.callback(None)

    async def test_folder(self) -> None:
        """Where its folder is known, so is what is left there; one that has gone says nothing."""
        room = SimpleNamespace(f_bavail=SEGMENT // 4096, f_frsize=4096)
        there = True

        def statvfs(folder: Path) -> Any:
            if not there:
                raise FileNotFoundError(folder)
            return room

        disk = Disk(self.clock, self.db, Path("/somewhere"), statvfs=statvfs)
        self.assertTrue(await disk.has_room())
        room.f_bavail -= 1
        self.assertFalse(await disk.has_room())
        there = False
        self.assertTrue(await disk.has_room())
