"""POST /uploads (files#announcing): what is there, and how to send the rest."""

import itertools

from twisted.internet.defer import Deferred, DeferredQueue

from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import InvalidHost, Problem
from contentsvc.framework.storage.bucket import StorageUnavailable as Away
from contentsvc.framework.storage.paths import path_of
from contentsvc.store.files import blocks, storage
from tests.api.files.uploading import UploadCase, digest, fresh, of, token
from tests.api.support import Caller


class AnnounceTests(UploadCase):
    async def test_kept(self) -> None:
        """The collector looks at a file a day after it was named last, at the user's announcement
        too, even if both were due, or nobody had to look again."""
        data = fresh()
        (file,) = await self.announce(of(data))
        for due in ("now()", "null"):
            for table in ("files", "user_files"):
                self.sql(f"update {table} set due = {due} where path = %s", file.path)
            await self.announce(of(data))
            for table in ("files", "user_files"):
                ((hours,),) = self.sql(
                    f"select extract(epoch from due - now()) / 3600 from {table} where path = %s",
                    file.path,
                )
                self.assertTrue(24 <= hours < 24.1, hours)

    async def test_unchanged(self) -> None:
        """Naming the same files again at once writes no row of them."""
        data = [fresh() for _ in range(3)]
        await self.has(*data)
        versions = """
            select f.path, f.xmin::text, u.xmin::text from files f join user_files u using (path)
            where u.user_id = %s order by 1"""
        before = self.sql(versions, self.ann)
        await self.announce(*map(of, data))
        self.assertEqual(self.sql(versions, self.ann), before)

    async def test_base(self) -> None:
        """Without a public URL, the uploads are at the one that the client has called."""
        files = self.family(public_url=None)
        (file,) = await self.announce(of(fresh()), family=files)
        self.assertEqual(file.upload.url, f"{Caller.base_url}/put/{file.path}?token={token(file)}")


class VerifyTests(UploadCase):
    async def test_damaged(self) -> None:
        """What the store has only a part of is lost too, also if active content uses it."""
        data = fresh()
        await self.has(data)
        path = path_of(digest(data))
        await self.claim(path, self.ann)
        self.bucket.kept[path] = data[:-1], self.bucket.kept[path][1]
        for by in (self.bob, self.ann):
            for _ in range(2):
                self.assertEqual(await self.there(of(data), by=by), [False])
        self.assertEqual(self.row(path), (36, False, False))
        (file,) = await self.announce(of(data))
        await self.send(file, data)
        self.assertEqual(await self.there(of(data)), [True])
        self.assertEqual(await self.there(of(data), by=self.bob), [True])

    async def test_wrong_at_first(self) -> None:
        """A store that has said a wrong length is believed the right one, once the bytes have come
        again."""
        data = fresh()
        path = path_of(digest(data))
        (file,) = await self.announce(of(data))
        self.bucket.put(path, data + b"x", token(file))
        self.assertEqual(await self.there(of(data)), [True])
        self.bucket.put(path, data, token(file))
        self.assertEqual(await self.there(of(data)), [False])
        self.assertEqual(await self.there(of(data)), [True])
        self.assertEqual(self.row(path), (36, True, False))
        self.assertEqual(await self.usage(), (36, 0))

    async def test_looks(self) -> None:
        """The store is asked only for what may be there, all at once; and for one file at least, to
        know that it answers."""
        data = [fresh() for _ in range(3)]
        await self.has(*data[:2])
        self.bucket.looked.clear()
        await self.announce(*map(of, data))
        await self.announce(of(fresh()), of(fresh()))
        self.assertEqual([len(paths) for paths in self.bucket.looked], [2, 1])

    async def test_no_connection(self) -> None:
        """While the store is looked at, no connection to the database is held."""
        pool = await self.pool(size=1)
        used: list[object] = []

        def before() -> Deferred[None]:
            return Deferred.fromCoroutine(storage.usage(pool, self.ann)).addCallback(used.append)

        self.bucket.before = before
        await self.announce(of(fresh()), family=self.family(db=pool))
        self.assertEqual(used, [storage.Usage(0, 0, False, False)])

    async def test_turns(self) -> None:
        """The calls of one user look at the store one after the other. Another user's look goes in
        between, and who waits holds no connection."""
        files, waiting = self.family(db=await self.pool(size=1)), DeferredQueue[Deferred[None]]()

        def before() -> Deferred[None]:
            answer: Deferred[None] = Deferred()
            waiting.put(answer)
            return answer

        self.bucket.before = before
        data = [fresh() for _ in range(4)]
        paths = [path_of(digest(each)) for each in data]
        calls = [
            Deferred.fromCoroutine(self.announce(of(each), by=by, family=files))
            for each, by in zip(data, (self.ann, self.ann, self.ann, self.bob), strict=True)
        ]
        first, other = await waiting.get(), await waiting.get()
        self.assertEqual(self.looked(), [paths[0], paths[3]])
        other.callback(None)
        await calls[3]
        self.assertEqual(self.looked(), [paths[0], paths[3]])
        first.errback(Away("it is away"))
        (await waiting.get()).callback(None)
        self.assertEqual(self.looked(), [paths[0], paths[3], paths[1]])
        (await waiting.get()).callback(None)
        with self.assertRaises(Problem):
            await calls[0]
        for call in calls[1:3]:
            await call

    def looked(self) -> list[str]:
        """The files that were looked for."""
        return [path for paths in self.bucket.looked for path in paths]

    async def test_come_since(self) -> None:
        """Bytes that have come since the look are not taken for lost."""
        data = fresh()
        (file,) = await self.announce(of(data))
        self.bucket.after = lambda: self.sql(
            "update files set stored = true, size = %s where path = %s", len(data), file.path
        )
        await self.announce(of(data))
        self.assertEqual(self.row(file.path), (len(data), True, False))

    async def test_gone_since(self) -> None:
        """Bytes that have gone since the look are not taken for there."""
        data = fresh()
        await self.has(data)
        path = path_of(digest(data))
        self.bucket.after = lambda: self.sql(
            "update files set stored = false where path = %s", path
        )
        self.assertEqual(await self.there(of(data)), [False])
        self.assertEqual(self.row(path), (len(data), False, False))


class PossessionTests(UploadCase):
    async def test_both(self) -> None:
        """If both have sent it before either asks, it is there for both at once, whoever sends and
        asks first."""
        for first, last in itertools.product((0, 1), repeat=2):
            data = fresh()
            users = [self.ann, self.bob]
            sent = [(await self.announce(of(data), by=user))[0] for user in users]
            await self.send(sent[first], data)
            await self.send(sent[1 - first], data)
            for user in (users[last], users[1 - last]):
                self.assertEqual(await self.there(of(data), by=user), [True])
            self.assertIn(path_of(digest(data)), self.bucket.files)

    async def test_actual_size(self) -> None:
        """If the file is there with another length than announced, its own counts."""
        data = fresh()
        await self.has(data)
        await self.claim(path_of(digest(data)), self.ann)
        self.assertEqual(await self.there({**of(data), "size": 900}, by=self.bob), [True])
        self.assertEqual(await self.usage(self.bob), (36, 0))

    async def test_corrected_size(self) -> None:
        """As long as it is not there, the length that was announced last counts, and is signed."""
        data = fresh()
        for size in (900, 10, 36):
            (file,) = await self.announce({**of(data), "size": size})
            self.assertEqual(file.upload.headers["Content-Length"], str(size))
            self.assertEqual(await self.usage(), (size, 1))


class LocalPossessionTests(PossessionTests):
    knows = False


class LocalVerifyTests(VerifyTests):
    knows = False

    async def test_arrived(self) -> None:
        """What the daemon has taken itself counts before anybody asks."""
        data = fresh()
        (file,) = await self.announce(of(data))
        await self.send(file, data)
        self.assertEqual(self.row(file.path), (36, True, False))
        self.assertEqual(await self.usage(), (36, 0))

    async def test_not_noted(self) -> None:
        """Bytes that came while the daemon died are known to be there, but not whose they are:
        they are sent again."""
        data = fresh()
        (file,) = await self.announce(of(data))
        self.bucket.put(file.path, data)
        self.assertEqual(await self.there(of(data)), [False])
        self.assertEqual(self.row(file.path), (36, True, False))
        self.assertIsNone(await self.send(file, data))
        self.assertEqual(await self.there(of(data)), [True])

    async def test_blocked_meanwhile(self) -> None:
        """What arrives while its digest is being blocked is hidden with it."""
        data = fresh()
        (file,) = await self.announce(of(data))
        put = blocks.put

        async def arrives_first(tx: Db, sha256: str, reason: str) -> bool:
            self.assertIsNone(await self.send(file, data))
            return await put(tx, sha256, reason)

        self.patch(blocks, "put", arrives_first)
        await self.block(digest(data))
        _, stored, _ = self.row(file.path)
        self.assertFalse(stored)


class Nowhere(Caller):
    """A call whose Host header names no host."""

    @property
    def base_url(self) -> str:
        raise InvalidHost()


class StorageTests(UploadCase):
    """GET /storage."""

    async def test_not_scaled(self) -> None:
        """Where no smaller images are made, there are no widths."""
        found = await self.family(scaled=False).get_storage(Caller())
        self.assertEqual(found.image_widths, [])

    async def test_called(self) -> None:
        """Without a public URL, media is where the client has called."""
        found = await self.family(public_url=None).get_storage(Caller())
        self.assertEqual(found.media_url, f"{Caller.base_url}/media")

    async def test_no_host(self) -> None:
        """If that is no host, it is 400, and nothing is announced."""
        files = self.family(public_url=None)
        acts = (
            files.get_storage(Nowhere()),
            files.announce_files(Nowhere(self.ann), self.body(of(fresh()))),
        )
        for act in acts:
            self.assertIsInstance(await self.refused(act), InvalidHost)
        self.assertEqual(await self.usage(), (0, 0))
