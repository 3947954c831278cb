"""POST /uploads (extensions §3): what is there, and how to send the rest."""

import itertools

from twisted.internet.defer import Deferred, DeferredQueue

from contentsvc.bucket.bucket import StorageUnavailable as Away
from contentsvc.store.files import storage
from contentsvc.web.errors import Problem
from contentsvc.wire.files import path_of
from tests.api.files.uploading import BASE, UploadCase, digest, fresh, image, of, token
from tests.api.support import Caller
from tests.support.buckets import EXPIRES
from tests.support.databases import guid


class AnnounceTests(UploadCase):
    async def test_new(self) -> None:
        """A file that nobody has is given a path, and a signed upload of its length."""
        data = fresh()
        (file,) = await self.announce(of(data))
        self.assertEqual((file.sha256, file.path), (digest(data), path_of(digest(data))))
        self.assertEqual(file.upload.method, "PUT")
        self.assertEqual(file.upload.url, f"{BASE}/put/{file.path}?token={token(file)}")
        self.assertEqual(file.upload.headers["Content-Length"], "36")
        self.assertEqual(file.upload.expires, EXPIRES)

    async def test_paths(self) -> None:
        """Images have the extension of their type. Entities and packages have none, whatever media
        type they say."""
        data = fresh()
        given = [
            of(data),
            of(data, "package", mediaType="nonsense"),
            of(data, "package", mediaType=None),
            image(data),
            image(data, "image/jpeg", "avatar"),
            image(data, "image/webp", "emblem"),
        ]
        paths = [file.path for file in await self.announce(*given)]
        stem = path_of(digest(data))
        wanted = [stem, stem, stem, f"{stem}.png", f"{stem}.jpg", f"{stem}.webp"]
        self.assertEqual(paths, wanted)
        self.assertEqual(await self.usage(), (4 * 36, 4))

    async def test_order(self) -> None:
        """The answer has the files in their order, a repeated one each time. It counts once."""
        data = [fresh() for _ in range(20)]
        given = [of(each) for each in (*data, *data)]
        answers = await self.announce(*given)
        self.assertEqual([file.sha256 for file in answers], [file["sha256"] for file in given])
        self.assertEqual(answers[:20], answers[20:])
        self.assertEqual(await self.usage(), (20 * 36, 20))

    async def test_again(self) -> None:
        """The same call again gives the same path and the same token, and counts once."""
        data = fresh()
        first, again = await self.announce(of(data)), await self.announce(of(data))
        self.assertEqual(first, again)
        self.assertEqual(await self.usage(), (36, 1))

    async def test_tokens(self) -> None:
        """Two users who announce the same file have tokens of their own, and each counts it."""
        data = fresh()
        (one,) = await self.announce(of(data))
        (other,) = await self.announce(of(data), by=self.bob)
        self.assertEqual(one.path, other.path)
        self.assertNotEqual(token(one), token(other))
        self.assertEqual([await self.usage(), await self.usage(self.bob)], [(36, 1), (36, 1)])

    async def test_many(self) -> None:
        """A thousand files in one call are all announced; then half of them are there."""
        data = [fresh() for _ in range(1000)]
        files = await self.announce(*map(of, data))
        self.assertEqual(len({token(file) for file in files}), 1000)
        for file, each in list(zip(files, data, strict=True))[::2]:
            await self.send(file, each)
        self.assertEqual(await self.there(*map(of, data)), [True, False] * 500)
        self.assertEqual(await self.usage(), (36_000, 500))

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
    async def test_verified(self) -> None:
        """What was sent is there at the next call, for good, and pending no more."""
        data = fresh()
        (file,) = await self.announce(of(data))
        await self.send(file, data)
        for _ in range(2):
            self.assertEqual(await self.there(of(data)), [True])
        self.assertEqual(self.row(file.path), (36, True, False))
        self.assertEqual(await self.usage(), (36, 0))

    async def test_lost(self) -> None:
        """What has got lost in the store is given a new upload, and is pending again, until it has
        come once more."""
        data = fresh()
        await self.has(data)
        self.bucket.kept.clear()
        (file,) = await self.announce(of(data))
        self.assertIsNotNone(file.upload)
        self.assertEqual(self.row(file.path), (36, False, False))
        self.assertEqual(await self.usage(), (36, 1))
        await self.send(file, data)
        self.assertEqual(await self.there(of(data)), [True])
        self.assertEqual(await self.usage(), (36, 0))

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

    async def test_lost_in_use(self) -> None:
        """The same holds for what active content uses."""
        data = fresh()
        await self.has(data)
        await self.claim(path_of(digest(data)), self.ann)
        self.bucket.kept.clear()
        self.assertEqual(await self.there(of(data), by=self.bob), [False])
        self.assertEqual(await self.there(of(data)), [False])

    async def test_some(self) -> None:
        """What is there and what is not is said for each file of a call."""
        here, lost, new, another = fresh(), fresh(), fresh(), fresh()
        await self.has(here, lost)
        await self.has(another, by=self.bob)
        del self.bucket.kept[path_of(digest(lost))]
        given = [of(each) for each in (new, here, lost, another)]
        self.assertEqual(await self.there(*given), [False, True, False, False])

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
        self.assertEqual(used, [(0, 0, False)])

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
    async def test_other_user(self) -> None:
        """What another has sent is not there for who only knows the digest, until they have sent it
        too. Their storage does not show it either."""
        data = fresh()
        await self.has(data)
        wrong = {**of(data), "size": 7}
        (file,) = await self.announce(wrong, by=self.bob)
        self.assertIsNotNone(file.upload)
        self.assertEqual(await self.usage(self.bob), (7, 1))
        (file,) = await self.announce(of(data), by=self.bob)
        await self.send(file, data)
        self.assertEqual(await self.there(of(data), by=self.bob), [True])
        self.assertEqual(await self.there(of(data)), [True])
        self.assertEqual(await self.usage(self.bob), (36, 0))

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

    async def test_active(self) -> None:
        """What active content uses is there for everybody, and counts for who was told so."""
        data = fresh()
        await self.has(data)
        await self.claim(path_of(digest(data)), self.ann)
        self.assertEqual(await self.there(of(data), by=self.bob), [True])
        self.assertEqual(await self.usage(self.bob), (36, 0))

    async def test_told(self) -> None:
        """Who was told that it is there keeps it, whatever becomes of that content."""
        data = fresh()
        await self.has(data)
        game = await self.claim(path_of(digest(data)), self.ann)
        await self.announce(of(data), by=self.bob)
        self.sql("update contents set suspended = true where id = %s", game)
        self.assertEqual(await self.there(of(data), by=self.bob), [True])

    async def test_hidden(self) -> None:
        """What only suspended or deleted content uses is there for nobody else."""
        for status in ("suspended", "deleted"):
            data = fresh()
            await self.has(data)
            await self.claim(path_of(digest(data)), self.ann, status)
            self.assertEqual(await self.there(of(data), by=self.bob), [False])

    async def test_worn(self) -> None:
        """An avatar or an emblem that is in use makes its image good for nobody else."""
        data = fresh()
        await self.has(data)
        for kind in ("user", "challenge"):
            self.sql(
                "insert into claims (holder, kind, path, owner_id) values (%s, %s, %s, %s)",
                *(guid(), kind, path_of(digest(data)), self.ann),
            )
        self.assertEqual(await self.there(of(data), by=self.bob), [False])

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
