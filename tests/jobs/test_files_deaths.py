"""Processes die while they collect files, between any two steps: no row goes before its bytes, and
nothing that is needed is lost."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from random import Random

from twisted.internet import reactor
from twisted.internet.defer import Deferred, DeferredList
from twisted.internet.task import Clock, deferLater

from contentsvc.framework.db.database import Database
from contentsvc.framework.storage.paths import digest_of
from contentsvc.store.files import unused
from tests.jobs.files import LATER, FilesCase, file_jobs
from tests.jobs.mortal import Death, Process, When, deaths
from tests.support.buckets import MemoryBucket
from tests.support.sizes import rounds

STATEMENTS = 11
"""Of a batch: whether a deletion is due, lock what is due, mark, the task, COMMIT; whether one is
due, claim, end, lock what is marked, remove, COMMIT."""
LAPSING = 6
"""Of a lapse: who, the storage row, the announcements, the locks and times of their files,
COMMIT."""
DELETION = 8
"""Of a deletion of blocked bytes: whether, claim, what may come again, what waits for a hold,
its images, keys of users' own, end; whether there is one more."""
SEEDS, ROUNDS, PROCESSES = rounds(1, 2, 4), 25, 3


class Mortal:
    """The bucket, of a process that dies when it deletes bytes: before it does, or after."""

    def __init__(self, bucket: MemoryBucket, when: When) -> None:
        self._bucket = bucket
        self._when = when
        self.process: Process | None = None

    async def delete(self, paths: Iterable[str]) -> None:
        if self._when == "after":
            await self._bucket.delete(paths)
        assert self.process is not None
        await self.process.die()


class DeathCase(FilesCase):
    def process(self, make: Callable[[Database], Callable[[], Awaitable[object]]]) -> Process:
        """One more, which ends with the test."""
        made = Process(self.url, make)
        self.addCleanup(made.end)
        return made

    def collector(self, bucket: object = None) -> Process:
        """A process that collects."""
        return self.process(lambda db: file_jobs(Clock(), db, bucket or self.bucket).collection.run)

    def dying(self, make: Callable[[object], Process], when: When) -> Process:
        """A process that dies at the store."""
        mortal = Mortal(self.bucket, when)
        mortal.process = make(mortal)
        return mortal.process

    def check(self) -> None:
        """All bytes have a row, and all files that count have bytes."""
        rows = dict(self.sql("select path, stored and not collecting from files"))
        self.assertLessEqual(set(self.bucket.files), set(rows))
        self.assertLessEqual({path for path in rows if rows[path]}, set(self.bucket.files))

    async def finish(self, make: Callable[[], Process], done: Callable[[], bool]) -> None:
        """A process without faults does the rest, once the leases are over. The server may need a
        moment to notice that another is dead."""
        process = make()
        for _ in range(500):
            self.pass_time(unused.LEASE)
            await process.batch()
            self.check()
            if done():
                process.db.stop()
                return
            await deferLater(reactor, 0.01)
        self.fail(f"left: {self.sql('select path, stored, collecting, due from files')}")


class CollectionDeathTests(DeathCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.claimed = self.file()
        self.claim(self.claimed)

    def rest(self) -> bool:
        """Whether only what is needed is left, and nothing is to be done."""
        left = self.sql("select path from files union all select task from tasks")
        return left == [(self.claimed,)]

    async def test_statements(self) -> None:
        """A batch has as many statements as these tests interrupt."""
        self.file()
        process = self.collector()
        await process.batch(Death(STATEMENTS, "after", "dead"))
        self.assertFalse(process.alive)
        self.file()
        process = self.collector()
        await process.batch(Death(STATEMENTS + 1, "before", "dead"))
        self.assertTrue(process.alive)

    async def test_anywhere(self) -> None:
        """So it is for each death at a statement, and at the store."""
        for death in deaths(STATEMENTS):
            self.file()
            process = self.collector()
            await process.batch(death)
            self.check()
            await self.finish(self.collector, self.rest)
            process.db.stop()
        whens: tuple[When, ...] = ("before", "after")
        for when in whens:
            self.file()
            process = self.dying(self.collector, when)
            await process.batch()
            self.assertFalse(process.alive)
            await self.finish(self.collector, self.rest)
        self.assertEqual(self.bucket.files, [self.claimed])

    async def test_interleaved(self) -> None:
        """So it is where several processes collect at once, and now and then one of them dies or
        loses its connection."""
        kinds = list(deaths(STATEMENTS))
        for seed in range(SEEDS):
            random = Random(seed)
            processes = [self.collector() for _ in range(PROCESSES)]
            for _ in range(ROUNDS):
                for _ in range(random.randint(0, 3)):
                    self.file()
                chosen = random.sample(processes, random.randint(1, PROCESSES))
                await DeferredList(
                    [
                        Deferred.fromCoroutine(
                            each.batch(random.choice(kinds) if random.random() < 0.4 else None)
                        )
                        for each in chosen
                    ]
                )
                self.check()
                processes = [each if each.alive else self.collector() for each in processes]
            for each in processes:
                each.db.stop()
            await self.finish(self.collector, self.rest)
        self.assertEqual(self.bucket.files, [self.claimed])


class LapseDeathTests(DeathCase):
    async def test_anywhere(self) -> None:
        """An announcement goes and its file is looked at again, or neither."""
        make = partial(self.process, lambda db: file_jobs(Clock(), db, self.bucket).expiry.run)
        user = await self.user()
        kept = self.file("null")
        self.announce(user, kept, LATER)
        for death in deaths(LAPSING):
            path = self.file("null")
            self.announce(user, path)
            process = make()
            await process.batch(death)
            (row,) = self.sql("select due is not null from files where path = %s", path)
            self.assertEqual(row, (path not in self.announced(user),), death)
            await self.finish(make, lambda: list(self.announced(user)) == [kept])
            self.assertEqual(self.usage(user), (16, 0))
            process.db.stop()

    async def test_statements(self) -> None:
        """A lapse has as many statements as this test interrupts."""
        user = await self.user()
        self.announce(user, self.file())
        process = self.process(lambda db: file_jobs(Clock(), db, self.bucket).expiry.run)
        await process.batch(Death(LAPSING, "after", "dead"))
        self.assertFalse(process.alive)
        self.announce(user, self.file())
        process = self.process(lambda db: file_jobs(Clock(), db, self.bucket).expiry.run)
        await process.batch(Death(LAPSING + 1, "before", "dead"))
        self.assertTrue(process.alive)


class BlockedDeathTests(DeathCase):
    def deleter(self, bucket: object = None) -> Process:
        """A process that deletes blocked bytes."""
        return self.process(lambda db: file_jobs(Clock(), db, bucket or self.bucket).blocked.run)

    async def blocked(self) -> None:
        """Block one more file."""
        path = self.file("null")
        await self.block(digest_of(path))
        self.sql("update files set stored = false where path = %s", path)

    def cleared(self) -> bool:
        """Whether all blocks are."""
        return not self.uncleared()

    async def test_anywhere(self) -> None:
        """A block is cleared only after its bytes were deleted."""
        whens: tuple[When, ...] = ("before", "after")
        for death in [*deaths(DELETION), *whens]:
            await self.blocked()
            if isinstance(death, Death):
                process = self.deleter()
                await process.batch(death)
            else:
                process = self.dying(self.deleter, death)
                await process.batch()
                self.assertFalse(process.alive)
            if self.cleared():
                self.assertEqual(self.bucket.files, [], death)
            process.db.stop()
            await self.finish(self.deleter, self.cleared)
            self.assertEqual(self.bucket.files, [], death)

    async def test_statements(self) -> None:
        """A deletion has as many statements as this test interrupts."""
        for more, alive in ((0, False), (1, True)):
            await self.blocked()
            process = self.deleter()
            await process.batch(Death(DELETION + more, "before", "dead"))
            self.assertEqual(process.alive, alive)
            await self.finish(self.deleter, self.cleared)
