"""Users who announce the same file, on a store that knows with which announcement an object came
(files#announcing): all but the first send it to keys of their own."""

import contextlib
from collections.abc import Awaitable, Callable

from twisted.internet.defer import Deferred, gatherResults

from contentsvc.api.errors import FileBlocked, QuotaExceeded, StorageUnavailable
from contentsvc.framework.storage.bucket import StorageUnavailable as Away
from contentsvc.framework.storage.paths import path_of
from contentsvc.wire.files import UploadedFile
from tests.api.files.uploading import UploadCase, digest, fresh, of, place, token


class ApartCase(UploadCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.data = fresh()
        self.path = path_of(digest(self.data))
        self.eve = await self.user()

    async def asked(self, user: str) -> UploadedFile:
        """The answer to a user who announces the file."""
        return (await self.announce(of(self.data), by=user))[0]

    async def sent(self, user: str) -> str:
        """A user announces and sends the file; where to."""
        file = await self.asked(user)
        await self.send(file, self.data)
        return place(file)

    async def told(self, user: str) -> bool:
        """Whether a user is told that it is there."""
        return (await self.asked(user)).upload is None

    def key(self, file: UploadedFile) -> str:
        """The key of their own of who is asked for the file."""
        return f"incoming/{token(file)}/{self.path}"


class PlaceTests(ApartCase):
    """Where an upload goes."""

    async def test_first(self) -> None:
        """The first who announces a file sends it to its path, and whoever announces it later to a
        key of their own; again and again."""
        for _ in range(2):
            self.assertEqual(place(await self.asked(self.ann)), self.path)
            for user in (self.bob, self.eve):
                file = await self.asked(user)
                self.assertEqual(place(file), self.key(file))

    async def test_stored(self) -> None:
        """If the bytes are there, nobody else sends them to their path, also if nobody has
        announced the file."""
        await self.has(self.data)
        self.sql("delete from user_files")
        file = await self.asked(self.bob)
        self.assertEqual(place(file), self.key(file))

    async def test_first_late(self) -> None:
        """The first who announces a file and does not send it sends it to a key of their own too,
        once another has sent it; what went to its path before still counts."""
        first = await self.asked(self.ann)
        await self.sent(self.bob)
        self.assertTrue(await self.told(self.bob))
        file = await self.asked(self.ann)
        self.assertEqual(place(file), self.key(file))
        await self.send(first, self.data)
        self.assertTrue(await self.told(self.ann))

    async def test_stays(self) -> None:
        """It is decided once: who was not the first is not so later, when the first has given it
        up; nor is who comes then."""
        for user in (self.ann, self.bob):
            await self.asked(user)
        self.sql("delete from user_files where user_id = %s", self.ann)
        for user in (self.bob, self.ann):
            file = await self.asked(user)
            self.assertEqual(place(file), self.key(file))

    async def test_alone(self) -> None:
        """Whoever announces what nobody announces any more, and is not there, is the first."""
        await self.asked(self.ann)
        self.sql("delete from user_files")
        self.assertEqual(place(await self.asked(self.bob)), self.path)

    async def test_brought(self) -> None:
        """Who has it by their own content, and not by an announcement, is not the first, also when
        the bytes have got lost."""
        await self.has(self.data)
        await self.claim(self.path, self.ann)
        self.assertTrue(await self.told(self.bob))
        self.bucket.kept.clear()
        file = await self.asked(self.bob)
        self.assertEqual(place(file), self.key(file))
        await self.send(file, self.data)
        self.assertTrue(await self.told(self.bob))
        self.assertTrue(await self.told(self.ann))

    async def test_at_once(self) -> None:
        """Of many who announce a file at the same moment, exactly one is the first."""
        users = [await self.user() for _ in range(10)]
        files = await gatherResults(Deferred.fromCoroutine(self.asked(u)) for u in users)
        self.assertEqual([place(file) for file in files].count(self.path), 1)
        self.assertEqual(len({place(file) for file in files}), len(users))


class VerifyTests(ApartCase):
    """What the next call makes of it."""

    async def test_second_only(self) -> None:
        """If only the second sends it, it is there for them, at its path, and nowhere else; not for
        the first, nor for a stranger."""
        await self.asked(self.ann)
        await self.asked(self.eve)
        await self.sent(self.bob)
        self.assertTrue(await self.told(self.bob))
        self.assertEqual(self.bucket.files, [self.path])
        self.assertFalse(await self.told(self.ann))
        self.assertFalse(await self.told(self.eve))
        self.assertEqual(self.row(self.path), (36, True, False))
        await self.sent(self.ann)
        for user in (self.ann, self.bob):
            self.assertTrue(await self.told(user))

    async def test_first_before(self) -> None:
        """What is at the path already is not written over, and the second key goes."""
        await self.sent(self.ann)
        await self.sent(self.bob)
        before = self.bucket.kept[self.path]
        self.assertTrue(await self.told(self.bob))
        self.assertEqual(self.bucket.kept, {self.path: before})
        self.assertEqual(self.bucket.copied, [])
        self.assertTrue(await self.told(self.ann))

    async def test_other_size(self) -> None:
        """An object of another size than the file's, or with another's token, proves nothing."""
        await self.has(self.data)
        file = await self.asked(self.bob)
        for data, by in ((self.data + b".", token(file)), (self.data, "other"), (self.data, None)):
            self.bucket.put(self.key(file), data, by)
            self.assertFalse(await self.told(self.bob))
        await self.send(file, self.data)
        self.assertTrue(await self.told(self.bob))

    async def test_damaged(self) -> None:
        """What has another length at the path is replaced by what a user has sent."""
        await self.has(self.data)
        await self.has(self.data, by=self.bob)
        self.bucket.put(self.path, self.data[:-1])
        self.assertFalse(await self.told(self.bob))
        await self.sent(self.bob)
        self.assertTrue(await self.told(self.bob))
        self.assertEqual(self.bucket.kept[self.path][0], self.data)

    async def test_twice_at_once(self) -> None:
        """Two calls of one user at once to two processes, in either order of what they do, both say
        null."""
        other = self.family()

        async def told() -> bool:
            (file,) = await self.announce(of(self.data), by=self.bob, family=other)
            return file.upload is None

        for step in range(12):
            self.data = fresh()
            self.path = path_of(digest(self.data))
            await self.asked(self.ann)
            await self.sent(self.bob)
            self.assertTrue(await self.interrupted(step, told, self.bob))
            self.assertTrue(await self.told(self.bob))

    async def test_users_at_once(self) -> None:
        """So do those of two users."""
        for step in range(12):
            self.data = fresh()
            self.path = path_of(digest(self.data))
            await self.asked(self.ann)
            for user in (self.bob, self.eve):
                await self.sent(user)
            self.assertTrue(await self.interrupted(step, lambda: self.told(self.eve), self.bob))
            self.assertFalse(await self.told(self.ann))

    async def interrupted(self, step: int, act: Callable[[], Awaitable[bool]], user: str) -> bool:
        """Whether a user is told null by a call which another act interrupts before this one of
        its requests to the store; that act must be true too."""
        left, done = [step], []

        def before() -> Deferred[None] | None:
            left[0] -= 1
            if left[0] != -1:
                return None
            return Deferred.fromCoroutine(act()).addCallback(done.append)

        self.bucket.before = before
        try:
            told = await self.told(user)
        finally:
            self.bucket.before = lambda: None
        self.assertIn(done, ([], [True]))
        return told

    async def test_dies(self) -> None:
        """Wherever a call ends, the next one says null, and leaves nothing but the file."""
        for step in range(8):
            self.data = fresh()
            self.path = path_of(digest(self.data))
            await self.asked(self.ann)
            await self.sent(self.bob)
            left = [step]

            def before(left: list[int] = left) -> None:
                left[0] -= 1
                self.bucket.away = left[0] < 0

            self.bucket.before = before
            with contextlib.suppress(StorageUnavailable):
                await self.told(self.bob)
            self.bucket.before, self.bucket.away = lambda: None, False
            self.assertTrue(await self.told(self.bob))
            self.assertIn(self.path, self.bucket.files)

    async def test_deletion_fails(self) -> None:
        """That the second key cannot be deleted is no error."""
        await self.sent(self.ann)
        key = await self.sent(self.bob)
        delete, self.bucket.delete = self.bucket.delete, self.refuse
        self.assertTrue(await self.told(self.bob))
        self.assertIn(key, self.bucket.files)
        self.bucket.delete = delete
        self.assertTrue(await self.told(self.bob))

    async def refuse(self, paths: object) -> None:
        raise Away("no")

    async def test_looks(self) -> None:
        """A key of one's own is looked for only until one has sent the file."""
        await self.asked(self.ann)
        key = await self.sent(self.bob)
        self.assertTrue(await self.told(self.bob))
        self.bucket.looked.clear()
        self.assertTrue(await self.told(self.bob))
        self.assertEqual(self.bucket.looked, [[self.path]])
        self.assertNotIn(key, self.bucket.files)

    async def test_refused(self) -> None:
        """A refusal after the copy takes nothing away: the same call says null later."""
        await self.asked(self.ann)
        await self.sent(self.bob)
        given = [of(self.data), of(fresh())]
        with self.assertRaises(QuotaExceeded):
            await self.announce(*given, by=self.bob, family=self.family(user_bytes=40))
        self.assertEqual(await self.there(*given, by=self.bob), [True, False])


class BlockTests(ApartCase):
    async def test_meanwhile(self) -> None:
        """If the file is blocked while it is copied, the call is refused."""
        await self.asked(self.ann)
        await self.sent(self.bob)

        def before() -> Deferred[None] | None:
            self.bucket.before = lambda: None
            return Deferred.fromCoroutine(self.block(digest(self.data)))

        self.bucket.before = before
        with self.assertRaises(FileBlocked):
            await self.told(self.bob)

    async def test_lifted(self) -> None:
        """What lies at keys of their own is deleted with a block, so that it must be sent again."""
        await self.asked(self.ann)
        await self.sent(self.bob)
        await self.block(digest(self.data))
        await self.lift(digest(self.data))
        self.assertEqual(self.bucket.files, [])
        self.assertFalse(await self.told(self.bob))

    async def test_collecting(self) -> None:
        """While the file is being deleted, nothing is copied."""
        await self.asked(self.ann)
        await self.sent(self.bob)
        self.sql("update files set collecting = true where path = %s", self.path)
        with self.assertRaises(StorageUnavailable):
            await self.told(self.bob)
        self.assertEqual(self.bucket.copied, [])
