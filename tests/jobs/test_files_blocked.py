"""The bytes of blocked digests: when they are deleted, and until when."""

import hashlib
from collections.abc import Iterable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from contentsvc.framework.db.query import Db
from contentsvc.framework.storage.bucket import StorageUnavailable
from contentsvc.framework.storage.paths import digest_of, paths_of
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.task_runners import EffectRunner
from contentsvc.jobs.files import BLOCKED_AGAIN, BLOCKED_LEASE, BLOCKED_MARGIN, blocked_kind
from contentsvc.store.files import blocks
from contentsvc.store.files.blocks import WINDOW
from tests.jobs.files import FilesCase


def digest(data: bytes) -> str:
    """Its digest."""
    return hashlib.sha256(data).hexdigest()


class BlockedFileTests(FilesCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.clock = Clock()
        self.job = self.deletion()

    def deletion(self, **options: Any) -> EffectRunner:
        """One more process's."""
        how = blocked_kind(self.clock, self.db, self.bucket)._replace(**options)
        return EffectRunner(self.clock, self.db, how)

    def named(self, ago: int = 0) -> str:
        """The path of a file that was named so many seconds ago."""
        return self.file(f"now() + interval '24 hours' - interval '{ago} seconds'")

    async def work(self, job: EffectRunner | None = None) -> None:
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
        await self.block(sha256)
        await self.work()
        self.assertEqual((self.bucket.files, self.uncleared()), ([other], set()))
        self.pass_time(BLOCKED_AGAIN)
        for job in (self.job, self.deletion()):
            await self.work(job)
        self.assertEqual(self.bucket.deleted, [paths_of(sha256)])

    async def test_again(self) -> None:
        """What is uploaded later, with a URL from before, is deleted too, every few seconds."""
        path = self.named(WINDOW - 60)
        await self.block(digest_of(path))
        for _ in range(3):
            self.bucket.put(path, b"bad")
            await self.work()
            self.assertEqual(self.bucket.files, [])
            self.bucket.put(path, b"bad")
            for job in (self.job, self.deletion()):
                await self.work(job)
            self.assertEqual(self.bucket.files, [path])
            self.pass_time(BLOCKED_AGAIN)

    async def test_window(self) -> None:
        """When no URL can be good any more, they are deleted once more, and that is all."""
        path = self.named()
        await self.block(digest_of(path))
        await self.work()
        self.assertEqual(self.uncleared(), {digest_of(path)})
        self.sql("update files set due = due - make_interval(secs => %s)", WINDOW + 1)
        self.pass_time(BLOCKED_AGAIN)
        await self.work()
        self.assertEqual(self.bucket.deleted, [paths_of(digest_of(path))] * 2)
        self.assertEqual(self.uncleared(), set())

    async def test_announcement(self) -> None:
        """A URL is known by its announcement too, whatever has become of the file's time."""
        path, user = self.file("null"), await self.user()
        for ago, left in ((WINDOW - 60, {digest_of(path)}), (WINDOW + 1, set())):
            self.sql("delete from user_files")
            self.announce(user, path, f"now() + interval '24 hours' - interval '{ago} seconds'")
            self.sql("delete from blocked_files; delete from tasks")
            await self.block(digest_of(path))
            await self.work()
            self.assertEqual(self.uncleared(), left)

    async def test_apart(self) -> None:
        """What users have sent to keys of their own, and have not been told to be there, is
        deleted too."""
        self.bucket.staged = True
        path, user = self.named(), await self.user()
        ((token,),) = self.sql(
            """insert into user_files (user_id, path, size, apart) values (%s, %s, 3, true)
               returning token::text""",
            *(user, path),
        )
        await self.block(digest_of(path))
        for _ in range(3):
            self.bucket.put(f"incoming/{token}/{path}", b"bad", token)
            await self.work()
            self.assertEqual(self.bucket.files, [])
            self.pass_time(BLOCKED_AGAIN)

    async def test_away(self) -> None:
        """While the store is away nothing counts as deleted, however long that is."""
        path = self.file()
        await self.block(digest_of(path))
        self.bucket.away = True
        for _ in range(2):
            with self.assertRaises(StorageUnavailable):
                await self.job.run()
            self.assertEqual(self.uncleared(), {digest_of(path)})
        self.bucket.away = False
        await self.work()
        self.assertEqual((self.bucket.files, self.uncleared()), ([], set()))

    async def test_clock_set_back(self) -> None:
        """A block that is due much later than it can be is due now."""
        path = self.file()
        await self.block(digest_of(path))
        self.pass_time(-3600)
        await self.work()
        self.assertEqual((self.bucket.files, self.uncleared()), ([], set()))

    async def test_many(self) -> None:
        """Each is done once, and those first that have waited longest."""
        digests = [digest(str(n).encode()) for n in range(9)]
        for sha256 in digests:
            await self.block(sha256)
        await self.work(self.deletion(sessions=1))
        self.assertEqual(self.bucket.deleted, [paths_of(sha256) for sha256 in digests])
        self.assertEqual(self.uncleared(), set())

    async def test_slow(self) -> None:
        """What a slow store has deleted in time counts. What it has not is tried again after the
        others."""
        digests = [digest(str(n).encode()) for n in range(9)]
        for sha256 in digests:
            await self.block(sha256)
        answers: list[Deferred[None]] = []

        def before() -> Deferred[None]:
            answers.append(Deferred())
            if len(answers) == 5:
                reactor.callLater(0, asked.callback, None)
            elif len(answers) == 4:
                reactor.callLater(0, answers[0].callback, None)
            return answers[-1]

        asked: Deferred[None] = Deferred()
        self.bucket.before = before
        run = Deferred.fromCoroutine(self.job.run())
        await asked
        self.clock.advance(BLOCKED_LEASE - BLOCKED_MARGIN)
        with self.assertRaises(StorageUnavailable):
            await run
        ((first, *_),) = self.bucket.deleted
        late = set(digests[:5]) - {digest_of(first)}
        self.assertEqual((len(late), self.uncleared()), (4, {*late, *digests[5:]}))
        self.bucket.before = lambda: None
        await self.work(self.deletion(sessions=1))
        again = [digest_of(paths[0]) for paths in self.bucket.deleted[1:]]
        self.assertEqual((again[:4], set(again[4:])), (digests[5:], late))

    async def test_one_fails(self) -> None:
        """A file that the store does not delete holds up no other."""
        digests = [digest(str(n).encode()) for n in range(3)]
        for sha256 in digests:
            await self.block(sha256)
        bad, delete = digests[0], self.bucket.delete

        async def but_one(paths: Iterable[str]) -> None:
            if bad in str(asked := list(paths)):
                raise StorageUnavailable("denied")
            await delete(asked)

        self.patch(self.bucket, "delete", but_one)
        for _ in range(2):
            with self.assertRaises(StorageUnavailable):
                await self.job.run()
        self.assertEqual(self.uncleared(), {bad})

    async def test_unblocked(self) -> None:
        """Bytes of a digest that is not blocked stay."""
        path = self.named()
        await self.block(digest_of(path))
        self.sql("delete from blocked_files")
        await self.work()
        self.assertEqual((self.bucket.files, self.uncleared()), ([path], set()))

    async def test_stood_still(self) -> None:
        """A process that stood still deletes nothing when its lease may soon be over, and others
        can do it at once."""
        path = self.named()
        await self.block(digest_of(path))
        look = blocks.reachable

        async def freeze(db: Db, sha256: str, paths: list[str]) -> bool | None:
            self.clock.advance(BLOCKED_LEASE - BLOCKED_MARGIN)
            return await look(db, sha256, paths)

        self.patch(blocks, "reachable", freeze)
        with self.assertRaises(StorageUnavailable):
            await self.job.run()
        self.assertEqual((self.bucket.files, self.bucket.deleted), ([path], []))
        self.patch(blocks, "reachable", look)
        await self.work(self.deletion())
        self.assertEqual(self.bucket.files, [])

    async def test_stood_still_amid(self) -> None:
        """Nor does it go on with what it had begun."""
        self.bucket.staged = True
        path, user = self.named(), await self.user()
        self.announce(user, path)
        self.sql("update user_files set apart = true")
        await self.block(digest_of(path))

        def freeze() -> None:
            self.clock.rightNow += BLOCKED_LEASE

        self.bucket.before = freeze
        with self.assertRaises(StorageUnavailable):
            await self.job.run()
        self.assertEqual(self.bucket.deleted, [paths_of(digest_of(path))])

    async def test_one(self) -> None:
        """While one process works, others have nothing to do."""
        path = self.file()
        await self.block(digest_of(path))
        hanging, asked = self.hang()
        run = Deferred.fromCoroutine(self.job.run())
        await asked
        self.assertIsNone(await self.deletion().run())
        hanging.callback(None)
        await run
        self.assertEqual(self.bucket.deleted, [paths_of(digest_of(path))])

    async def test_hanging(self) -> None:
        """A store that does not answer is given up before the lease ends."""
        path = self.file()
        await self.block(digest_of(path))
        _, asked = self.hang()
        run = Deferred.fromCoroutine(self.job.run())
        await asked
        self.clock.advance(BLOCKED_LEASE - BLOCKED_MARGIN)
        with self.assertRaises(StorageUnavailable):
            await run
        self.assertEqual(await task_queue.withdraw(self.db, blocks.QUEUE, digest_of(path)), 1)

    def hang(self) -> tuple[Deferred[None], Deferred[None]]:
        """Let the store answer when the first is called; the second is called when it was asked."""
        hanging: Deferred[None] = Deferred()
        asked: Deferred[None] = Deferred()

        def before() -> Deferred[None]:
            reactor.callLater(0, asked.callback, None)
            return hanging

        self.bucket.before = before
        return hanging, asked
