"""The bytes of blocked digests: when they are deleted, and until when."""

import hashlib
from collections.abc import Iterable
from datetime import timedelta

from psycopg2.errors import LockNotAvailable
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from contentsvc.bucket.bucket import StorageUnavailable
from contentsvc.store.files.blocked_bytes import BLOCKS, WINDOW
from contentsvc.tasks.blocked_files import AGAIN, DELETE_TIMEOUT, RETRY, Clearing
from contentsvc.wire.files import digest_of, paths_of
from tests.tasks.files import FilesCase


def digest(data: bytes) -> str:
    """Its digest."""
    return hashlib.sha256(data).hexdigest()


class ClearingTests(FilesCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.clock = Clock()
        self.job = self.clearing()

    def clearing(self) -> Clearing:
        """One more process's."""
        return Clearing(self.clock, self.db, self.bucket)

    def block(self, sha256: str) -> None:
        """Block a digest."""
        self.sql("insert into blocked_files (sha256, reason) values (%s, 'bad')", sha256)

    def named(self, ago: int = 0) -> str:
        """The path of a file that was named so many seconds ago."""
        return self.file(f"now() + interval '24 hours' - interval '{ago} seconds'")

    def uncleared(self) -> set[str]:
        """The digests whose bytes may still come."""
        rows = self.sql("select sha256 from blocked_files where due is not null")
        return {sha256 for (sha256,) in rows}

    def pass_time(self, seconds: int = AGAIN) -> None:
        """Let it pass for blocks."""
        self.sql("update blocked_files set due = due - make_interval(secs => %s)", seconds)

    async def work(self, job: Clearing | None = None) -> None:
        """All that is due."""
        while await (job or self.job).run() is not None:
            pass

    async def test_once(self) -> None:
        """The bytes of all paths of the digest are deleted, known or not, and once, if no upload
        URL can bring them; others stay."""
        sha256 = digest(b"bad")
        for path in paths_of(sha256):
            self.bucket.put(path, b"bad")
        other = self.named()
        self.block(sha256)
        await self.work()
        self.assertEqual((self.bucket.files, self.uncleared()), ([other], set()))
        self.pass_time()
        for job in (self.job, self.clearing()):
            await self.work(job)
        self.assertEqual(self.bucket.deleted, [paths_of(sha256)])

    async def test_again(self) -> None:
        """What is uploaded later, with a URL from before, is deleted too, every few seconds."""
        path = self.named(WINDOW - 60)
        self.block(digest_of(path))
        for _ in range(3):
            self.bucket.put(path, b"bad")
            await self.work()
            self.assertEqual(self.bucket.files, [])
            self.bucket.put(path, b"bad")
            for job in (self.job, self.clearing()):
                await self.work(job)
            self.assertEqual(self.bucket.files, [path])
            self.pass_time()

    async def test_window(self) -> None:
        """When no URL can be good any more, they are deleted once more, and that is all."""
        path = self.named()
        self.block(digest_of(path))
        await self.work()
        self.assertEqual(self.uncleared(), {digest_of(path)})
        self.sql("update files set due = due - make_interval(secs => %s)", WINDOW + 1)
        self.pass_time()
        await self.work()
        self.assertEqual(self.bucket.deleted, [paths_of(digest_of(path))] * 2)
        self.assertEqual(self.uncleared(), set())

    async def test_announcement(self) -> None:
        """A URL is known by its announcement too, whatever has become of the file's time."""
        path, user = self.file("null"), await self.user()
        for ago, left in ((WINDOW - 60, {digest_of(path)}), (WINDOW + 1, set())):
            self.sql("delete from user_files")
            self.announce(user, path, f"now() + interval '24 hours' - interval '{ago} seconds'")
            self.sql("delete from blocked_files")
            self.block(digest_of(path))
            await self.work()
            self.assertEqual(self.uncleared(), left)

    async def test_apart(self) -> None:
        """What users have sent to keys of their own, and have not been told to be there, is
        deleted too."""
        self.bucket.apart = True
        path, user = self.named(), await self.user()
        ((token,),) = self.sql(
            """insert into user_files (user_id, path, size, apart) values (%s, %s, 3, true)
               returning token::text""",
            *(user, path),
        )
        self.block(digest_of(path))
        for _ in range(3):
            self.bucket.put(f"incoming/{token}/{path}", b"bad", token)
            await self.work()
            self.assertEqual(self.bucket.files, [])
            self.pass_time()

    async def test_away(self) -> None:
        """While the store is away nothing counts as deleted, however long that is."""
        path = self.file()
        self.block(digest_of(path))
        self.bucket.away = True
        for _ in range(2):
            with self.assertRaises(StorageUnavailable):
                await self.job.run()
            self.assertEqual(self.uncleared(), {digest_of(path)})
            self.pass_time(RETRY)
        self.bucket.away = False
        await self.work()
        self.assertEqual((self.bucket.files, self.uncleared()), ([], set()))

    async def test_clock_set_back(self) -> None:
        """A block that is due much later than it can be is due now."""
        path = self.file()
        self.block(digest_of(path))
        self.pass_time(-3600)
        await self.work()
        self.assertEqual((self.bucket.files, self.uncleared()), ([], set()))

    async def test_many(self) -> None:
        """Many blocks are done in batches, each once, and those first that have waited longest."""
        digests = [digest(str(n).encode()) for n in range(2 * BLOCKS + 1)]
        for n, sha256 in enumerate(digests):
            self.sql(
                "insert into blocked_files (sha256, reason, due) values (%s, 'bad', now() - %s)",
                *(sha256, timedelta(seconds=len(digests) - n)),
            )
        self.assertEqual(await self.job.run(), 0.0)
        self.assertEqual(self.uncleared(), set(digests[BLOCKS:]))
        await self.work()
        self.assertEqual(self.bucket.deleted, [paths_of(sha256) for sha256 in digests])

    async def test_slow(self) -> None:
        """What a slow store has deleted in time counts. What it has not is tried again after the
        others."""
        digests = [digest(str(n).encode()) for n in range(BLOCKS)]
        for sha256 in digests:
            self.block(sha256)
        answers: list[Deferred[None]] = []

        def before() -> Deferred[None]:
            answers.append(Deferred())
            if len(answers) == 4:
                reactor.callLater(0, asked.callback, None)
            return answers[-1]

        asked: Deferred[None] = Deferred()
        self.bucket.before = before
        run = Deferred.fromCoroutine(self.job.run())
        await asked
        answers[0].callback(None)
        self.clock.advance(DELETE_TIMEOUT)
        self.assertEqual(await run, 0.0)
        self.assertEqual((len(answers), len(self.uncleared())), (5, BLOCKS - 1))
        self.bucket.before = lambda: None
        await self.work()
        self.assertEqual(len(self.uncleared()), 4)
        self.pass_time(RETRY)
        await self.work()
        self.assertEqual(self.uncleared(), set())

    async def test_one_fails(self) -> None:
        """A file that the store does not delete holds up no other."""
        digests = [digest(str(n).encode()) for n in range(3)]
        for sha256 in digests:
            self.block(sha256)
        bad, delete = digests[0], self.bucket.delete

        async def but_one(paths: Iterable[str]) -> None:
            if bad in str(asked := list(paths)):
                raise StorageUnavailable("denied")
            await delete(asked)

        self.patch(self.bucket, "delete", but_one)
        await self.work()
        self.assertEqual(self.uncleared(), {bad})
        self.pass_time(RETRY)
        with self.assertRaises(StorageUnavailable):
            await self.job.run()

    async def test_lifted(self) -> None:
        """A block is not lifted while its bytes are being deleted, so nothing is deleted that was
        uploaded after."""
        path = self.file()
        self.block(digest_of(path))
        hanging, asked = self.hang()
        run = Deferred.fromCoroutine(self.job.run())
        await asked
        with self.assertRaises(LockNotAvailable):
            self.lift(path)
        self.sql("update blocked_files set reason = 'worse'")
        hanging.callback(None)
        await run
        self.lift(path)
        self.bucket.before = lambda: None
        self.bucket.put(path, b"good")
        await self.work()
        self.assertEqual(self.bucket.files, [path])

    async def test_one(self) -> None:
        """While one process works, others have nothing to do."""
        path = self.file()
        self.block(digest_of(path))
        hanging, asked = self.hang()
        run = Deferred.fromCoroutine(self.job.run())
        await asked
        self.assertIsNone(await self.clearing().run())
        hanging.callback(None)
        await run
        self.assertEqual(self.bucket.deleted, [paths_of(digest_of(path))])

    async def test_hanging(self) -> None:
        """A store that does not answer holds up the lifting of a block for no longer than a few
        seconds."""
        path = self.file()
        self.block(digest_of(path))
        _, asked = self.hang()
        run = Deferred.fromCoroutine(self.job.run())
        await asked
        self.clock.advance(DELETE_TIMEOUT)
        with self.assertRaises(StorageUnavailable):
            await run
        self.lift(path)

    def lift(self, path: str) -> None:
        """End the block of a file, or fail."""
        self.sql(
            "set lock_timeout = '50ms'; delete from blocked_files where sha256 = %s",
            digest_of(path),
        )

    def hang(self) -> tuple[Deferred[None], Deferred[None]]:
        """Let the store answer when the first is called; the second is called when it was asked."""
        hanging: Deferred[None] = Deferred()
        asked: Deferred[None] = Deferred()

        def before() -> Deferred[None]:
            reactor.callLater(0, asked.callback, None)
            return hanging

        self.bucket.before = before
        return hanging, asked
