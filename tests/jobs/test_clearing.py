"""The bytes of blocked digests: when they are deleted, and until when."""

import hashlib
from datetime import timedelta

from psycopg2.errors import LockNotAvailable
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from contentsvc.bucket.bucket import StorageUnavailable
from contentsvc.jobs.clearing import PATIENCE, Clearing
from contentsvc.store.clearing import BLOCKS, WINDOW
from contentsvc.wire.files import digest_of, paths_of
from tests.jobs.files import FilesCase

NEW, OLD = timedelta(0), timedelta(seconds=WINDOW + 1)


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

    def block(self, sha256: str, ago: timedelta = NEW) -> None:
        """Block a digest, so long ago."""
        self.sql(
            "insert into blocked_files (sha256, reason, created) values (%s, 'bad', now() - %s)",
            *(sha256, ago),
        )

    def uncleared(self) -> set[str]:
        """The digests whose bytes may still come."""
        rows = self.sql("select sha256 from blocked_files where cleared is null")
        return {sha256 for (sha256,) in rows}

    async def work(self, job: Clearing | None = None) -> None:
        """A round."""
        while await (job or self.job).run() is not None:
            pass

    async def test_all_paths(self) -> None:
        """The bytes of all paths of the digest are deleted, known or not; others stay."""
        sha256 = digest(b"bad")
        for path in paths_of(sha256):
            self.bucket.put(path, b"bad")
        other = self.file()
        self.block(sha256)
        await self.work()
        self.assertEqual(self.bucket.files, [other])
        self.assertEqual(self.uncleared(), {sha256})

    async def test_again(self) -> None:
        """What is uploaded later, with a URL from before, is deleted too."""
        path = self.file()
        self.block(digest_of(path))
        for _ in range(3):
            self.bucket.put(path, b"bad")
            await self.work()
            self.assertEqual(self.bucket.files, [])

    async def test_apart(self) -> None:
        """So is what users have sent to keys of their own and have not been told to be there."""
        self.bucket.apart = True
        path, user = self.file(), await self.user()
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

    async def test_unknown(self) -> None:
        """A path that nobody has announced gets no bytes, so it is asked for once."""
        self.block(digest(b"bad"))
        for _ in range(3):
            await self.work()
        self.assertEqual(self.bucket.deleted, [paths_of(digest(b"bad"))])

    async def test_cleared(self) -> None:
        """When no URL can be good any more, all paths are deleted once more, and that is all."""
        path = self.file()
        self.block(digest_of(path))
        await self.work()
        self.sql("update blocked_files set created = created - %s", OLD)
        await self.work()
        self.assertEqual(self.bucket.deleted, [paths_of(digest_of(path))] * 2)
        self.assertEqual(self.uncleared(), set())
        await self.work()
        self.assertEqual(len(self.bucket.deleted), 2)

    async def test_away(self) -> None:
        """While the store is away nothing counts as deleted, however long that is."""
        path = self.file()
        self.block(digest_of(path), OLD)
        self.bucket.away = True
        for _ in range(2):
            with self.assertRaises(StorageUnavailable):
                await self.job.run()
        self.assertEqual(self.uncleared(), {digest_of(path)})
        self.bucket.away = False
        await self.work()
        self.assertEqual((self.bucket.files, self.uncleared()), ([], set()))

    async def test_another_process(self) -> None:
        """Another process begins with all paths, as it does not know what was deleted."""
        sha256 = digest(b"bad")
        self.block(sha256)
        await self.work()
        await self.work(self.clearing())
        self.assertEqual(self.bucket.deleted, [paths_of(sha256)] * 2)

    async def test_many(self) -> None:
        """Many blocks are done in batches, the newest first."""
        digests = [digest(str(n).encode()) for n in range(2 * BLOCKS + 1)]
        for n, sha256 in enumerate(digests):
            self.block(sha256, timedelta(seconds=n))
        await self.work()
        self.assertEqual(
            self.bucket.deleted,
            [
                [path for sha256 in digests[start : start + BLOCKS] for path in paths_of(sha256)]
                for start in range(0, len(digests), BLOCKS)
            ],
        )

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
        self.clock.advance(PATIENCE)
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
