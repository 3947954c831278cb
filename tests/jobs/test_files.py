"""Deleting announcements of files that have lapsed, files that nobody needs, and those of deleted
content."""

from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.storage.bucket import StorageUnavailable
from contentsvc.framework.tasks.runner import Job, Runner
from contentsvc.jobs import retention as module
from contentsvc.jobs.files import DELETE_TIMEOUT, purge
from contentsvc.jobs.retention import PAUSE, RARELY
from contentsvc.store.files import unused as store
from contentsvc.store.files.unused import DELETE_AT_ONCE, FILES, LEASE
from tests.jobs.files import LATER, FilesCase, file_jobs
from tests.support.lines import logged_by
from tests.support.pauses import Even


class LapseTests(FilesCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann, self.bob = await self.user(), await self.user()
        self.job = file_jobs(Clock(), self.db, self.bucket).expiry

    async def work(self) -> None:
        """Until there is no more to do."""
        while await self.job.run() is not None:
            pass

    async def test_lapsed(self) -> None:
        """An announcement whose time has passed goes, and counts no more."""
        logged = logged_by(module, self)
        old, young = self.file(), self.file(LATER)
        self.announce(self.ann, old, sent=False)
        self.announce(self.ann, young, LATER)
        self.assertEqual(self.usage(self.ann), (32, 1))
        await self.work()
        self.assertEqual(self.announced(self.ann), {young: True})
        self.assertEqual(self.usage(self.ann), (16, 0))
        self.assertEqual(logged, ["Deleted announcements of files: 1"])

    async def test_own_claim(self) -> None:
        """One whose file is published by the user stays, and is looked at no more until they give
        it up."""
        path = self.file()
        self.announce(self.ann, path)
        holder = self.claim(path, self.ann)
        await self.work()
        self.assertEqual(self.announced(self.ann), {path: False})
        self.release(holder)
        await self.work()
        self.assertEqual(self.announced(self.ann), {})
        self.assertEqual(self.usage(self.ann), (0, 0))

    async def test_others_claim(self) -> None:
        """Another's claim, and a claim that only uses the file, keep no announcement."""
        path, other = self.file(), self.file()
        self.announce(self.ann, path)
        self.announce(self.ann, other)
        self.claim(path, self.bob)
        self.claim(other)
        await self.work()
        self.assertEqual(self.announced(self.ann), {})

    async def test_file(self) -> None:
        """The file of an announcement that goes is due again; one that has a time keeps it."""
        path, later = self.file("null"), self.file(LATER)
        self.announce(self.ann, path)
        self.announce(self.ann, later)
        await self.work()
        self.assertEqual(self.sql("select path from files where due <= now()"), [(path,)])

    async def test_locked(self) -> None:
        """Who is just writing their announcements is left for later; the others' go."""
        path = self.file()
        self.announce(self.ann, path)
        self.announce(self.bob, path)
        async with self.db.transaction() as tx:
            self.assertTrue(await store.lock_storage(tx, self.ann))
            await self.work()
            self.assertEqual(self.announced(self.bob), {})
            self.assertEqual(self.announced(self.ann), {path: True})
        await self.work()
        self.assertEqual(self.announced(self.ann), {})


class CollectionTests(FilesCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.ann = await self.user()
        self.clock = Clock()
        self.job = self.collecting()

    def collecting(self) -> Job:
        """One more process's."""
        return file_jobs(self.clock, self.db, self.bucket).collection

    async def work(self, job: Job | None = None) -> None:
        """Until there is no more to do."""
        while await (job or self.job).run() is not None:
            pass

    def over(self) -> None:
        """Let all leases end."""
        self.pass_time(LEASE)

    async def test_nobody(self) -> None:
        """A file that nobody needs goes once it is due, bytes and row."""
        logged = logged_by(module, self)
        self.file()
        young = self.file(LATER)
        await self.work()
        self.assertEqual(self.bucket.files, [young])
        self.assertEqual(self.sql("select path from files"), [(young,)])
        self.assertEqual(logged, ["Deleted files that nobody needs: 1"])

    async def test_needed(self) -> None:
        """One that somebody claims or has announced stays, and is looked at no more until they give
        it up."""
        claimed, announced = self.file(), self.file()
        holder = self.claim(claimed)
        self.announce(self.ann, announced, LATER)
        await self.work()
        for path in (claimed, announced):
            self.assertEqual(self.row(path), {"stored": True, "collecting": False, "timed": False})
        self.release(holder)
        await self.work()
        self.assertEqual(self.bucket.files, [announced])

    async def test_many(self) -> None:
        """It goes on, batch by batch, also where a whole batch is needed."""
        for _ in range(FILES):
            self.claim(self.file("now() - interval '1 hour'"))
        for _ in range(FILES + 1):
            self.file()
        self.assertEqual([await self.job.run() for _ in range(4)], [PAUSE] * 3 + [None])
        self.assertEqual(len(self.bucket.files), FILES)
        self.assertEqual(sum(map(len, self.bucket.deleted)), FILES + 1)

    async def test_row_last(self) -> None:
        """The row is there, and says that the file is being collected, until the bytes are gone."""
        path = self.file()
        seen = []

        def look() -> None:
            seen.append(self.row(path))

        self.bucket.before = look
        await self.work()
        self.assertEqual(seen, [{"stored": True, "collecting": True, "timed": False}])
        self.assertIsNone(self.row(path))

    async def test_away(self) -> None:
        """While the store is away, one batch waits for it, and nothing more is marked."""
        self.bucket.away = True
        paths = [self.file() for _ in range(FILES + 1)]
        for job in (self.job, self.job, self.collecting()):
            with self.assertRaises(StorageUnavailable):
                await job.run()
        self.assertEqual(
            self.sql("select count(*) filter (where collecting), count(*) from files"),
            [(FILES, FILES + 1)],
        )
        self.bucket.away = False
        await self.work()
        self.assertEqual(self.bucket.files, [], paths)
        self.assertEqual(self.sql("select count(*) from files"), [(0,)])

    async def test_hanging(self) -> None:
        """A store that does not answer is given up after a while, and its call is cancelled."""
        path = self.file()
        run, hanging = await self.under_way()
        self.clock.advance(DELETE_TIMEOUT)
        with self.assertRaises(StorageUnavailable):
            await run
        self.assertTrue(hanging.called)
        self.assertIn(path, self.bucket.files)

    async def test_died(self) -> None:
        """What a process has begun before it died is finished by another, once the lease is over;
        not before, as the first may live."""
        path = self.file()
        await self.under_way()
        self.bucket.before = lambda: None
        other = self.collecting()
        await self.work(other)
        self.assertIn(path, self.bucket.files)
        self.over()
        await self.work(other)
        self.assertEqual((self.bucket.files, self.row(path)), ([], None))

    async def test_taken_over(self) -> None:
        """A process whose files were taken over, and sent again since, removes no row of them."""
        path = self.file()
        run, hanging = await self.under_way()
        self.bucket.before = lambda: None
        self.over()
        await self.work(self.collecting())
        self.assertIsNone(self.row(path))
        self.sql(
            "insert into files (path, size, stored, collecting) values (%s, 1, true, true)", path
        )
        hanging.callback(None)
        await run
        self.assertEqual(self.row(path), {"stored": True, "collecting": True, "timed": True})

    async def test_stood_still(self) -> None:
        """A process that stood still amid a deletion begins no more of it, and others can do it at
        once."""
        paths = [self.file() for _ in range(DELETE_AT_ONCE + 1)]
        self.bucket.before = self.freeze
        with self.assertRaises(StorageUnavailable):
            await self.job.run()
        self.assertEqual((len(self.bucket.files), len(paths)), (1, DELETE_AT_ONCE + 1))
        self.bucket.before = lambda: None
        await self.work(self.collecting())
        self.assertEqual((self.bucket.files, self.sql("select path from files")), ([], []))

    async def marked(self) -> None:
        """Mark what is due, and delete nothing yet."""
        self.bucket.away = True
        with self.assertRaises(StorageUnavailable):
            await self.job.run()
        self.bucket.away = False

    def freeze(self) -> None:
        """The process stands still."""
        self.clock.rightNow += LEASE

    async def under_way(self) -> tuple["Deferred[float | None]", "Deferred[None]"]:
        """A run of the job that waits for the store, and the store's answer."""
        hanging: Deferred[None] = Deferred()
        asked: Deferred[None] = Deferred()

        def hang() -> Deferred[None]:
            reactor.callLater(0, asked.callback, None)
            return hanging

        self.bucket.before = hang
        run = Deferred.fromCoroutine(self.job.run())
        await asked
        return run, hanging

    async def test_clock_set_back(self) -> None:
        """Files of a process that died are finished although the database's clock was set back."""
        path = self.file()
        await self.marked()
        self.pass_time(-24 * 3600)
        await self.work()
        self.assertIsNone(self.row(path))

    async def test_needed_after_all(self) -> None:
        """The row of a file whose bytes had to go is kept for who needs it, to be sent again."""
        path = self.file()
        await self.marked()
        self.claim(path)
        await self.work()
        self.assertEqual(self.row(path), {"stored": False, "collecting": False, "timed": False})
        self.assertEqual(self.bucket.files, [])

    async def test_locked(self) -> None:
        """It waits for nobody: a file that a transaction has locked is left for later."""
        path, other = self.file(), self.file()
        async with self.db.transaction() as tx:
            await store.give_up(tx, [path])
            await self.work()
            self.assertEqual(self.bucket.files, [path])
        await self.work()
        self.assertEqual(self.bucket.files, [], other)


class FakeDb:
    """Has so many batches to do."""

    def __init__(self, batches: int) -> None:
        self.batches = batches
        self.ran = 0

    async def run(self, statement: Any, args: Any) -> list[Any]:
        self.ran += 1
        self.batches -= 1
        return [(self.batches >= 0,)]


class PurgeTests(SynchronousTestCase):
    def test_batches(self) -> None:
        """A round goes on batch by batch, with pauses, and the next one comes later."""
        clock, db = Clock(), FakeDb(2)
        job = purge(db)  # type: ignore[arg-type]
        Runner(clock, Clock(), Even()).start([job])
        self.assertEqual(db.ran, 0)
        clock.advance(RARELY)
        self.assertEqual(db.ran, 1)
        clock.pump([PAUSE] * 2)
        self.assertEqual(db.ran, 3)
        clock.advance(RARELY)
        self.assertEqual(db.ran, 4)
