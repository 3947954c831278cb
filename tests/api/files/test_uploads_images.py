"""POST /uploads judges images when their bytes have come."""

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.framework.storage.paths import path_of
from contentsvc.store.files import files
from tests.api.files.uploading import UploadCase, digest, fresh, image, of, place, token
from tests.support.pictures import jpeg, png, segment


class ImageTests(UploadCase):
    async def shown(self, data: bytes, media_type: str = "image/png") -> tuple[bool, bool]:
        """Whether an image that was sent is there, and whether it is invalid."""
        (file,) = await self.announce(image(data, media_type))
        await self.send(file, data)
        (there,) = await self.there(image(data, media_type))
        return there, self.row(file.path)[2]

    def padded(self, data: bytes) -> bytes:
        """An image that nobody has had before."""
        return data + fresh()

    async def test_valid(self) -> None:
        """An image that is one is there, and valid. Its first bytes are read once."""
        data = self.padded(png(640, 480))
        self.assertEqual(await self.shown(data), (True, False))
        await self.announce(image(data))
        self.assertEqual(len(self.bucket.reads), 1)

    async def test_both_types(self) -> None:
        """The same bytes under two types are two files: one of them is invalid."""
        data = self.padded(jpeg(3, 2))
        self.assertEqual(await self.shown(data, "image/png"), (True, True))
        self.assertEqual(await self.shown(data, "image/jpeg"), (True, False))

    async def test_content(self) -> None:
        """An entity is never read."""
        await self.has(fresh())
        self.assertEqual(self.bucket.reads, [])

    async def test_metadata(self) -> None:
        """If the size of an image does not come at once, more is read."""
        self.files = self.family(image_bytes=10**6)
        data = self.padded(jpeg(640, 480, before=3 * segment(0xE1, bytes(60_000))))
        self.assertEqual(await self.shown(data, "image/jpeg"), (True, False))
        self.assertEqual(len(self.bucket.reads), 2)

    async def test_lost_and_found(self) -> None:
        """An invalid image stays so when it is sent again: these are the same bytes."""
        data = fresh()
        await self.shown(data)
        self.bucket.kept.clear()
        self.assertEqual(await self.shown(data), (True, True))
        self.assertEqual(len(self.bucket.reads), 1)

    async def test_damaged_at_first(self) -> None:
        """What somebody else has put there before is not what a whole image is judged by."""
        for data, invalid in ((self.padded(png(3, 2)), False), (fresh(), True)):
            (file,) = await self.announce(image(data))
            self.bucket.put(file.path, data[:10], None)
            self.assertEqual(await self.there(image(data)), [False])
            self.assertEqual(await self.shown(data), (True, invalid))

    async def test_other_damage(self) -> None:
        """A part of an image says nothing of the image that was there before."""
        data = self.padded(png(3, 2))
        await self.shown(data)
        self.bucket.put(path_of(digest(data), "image/png"), data[:20], None)
        self.assertEqual(await self.there(image(data)), [False])
        self.assertEqual(await self.shown(data), (True, False))

    async def test_gone_meanwhile(self) -> None:
        """An image that goes between the look and the reading is not there, and not judged."""
        data = self.padded(png(3, 2))
        (file,) = await self.announce(image(data))
        await self.send(file, data)
        self.bucket.after = self.bucket.kept.clear
        self.assertEqual(await self.there(image(data)), [False])
        self.assertEqual(self.row(file.path), (None, False, False))

    async def test_many(self) -> None:
        """Of many new images all are read, at most eight at once."""
        data = [self.padded(png(3, 2)) for _ in range(20)] + [fresh() for _ in range(20)]
        given = [image(each) for each in data]
        for file, each in zip(await self.announce(*given), data, strict=True):
            await self.send(file, each)
        running: list[int] = [0]

        def before() -> Deferred[None]:
            running.append(running[-1] + 1)
            return deferLater(reactor, 0, lambda: running.append(running[-1] - 1))

        self.bucket.before = before
        self.assertEqual(await self.there(*given), [True] * 40)
        self.assertEqual(max(running), 8)
        paths = [path_of(digest(each), "image/png") for each in data]
        self.assertEqual([self.row(path)[2] for path in paths], [False] * 20 + [True] * 20)


class MetadataTests(UploadCase):
    """Images with metadata, of which the daemon itself has taken the bytes."""

    knows = False

    async def arrives(self, data: bytes) -> None:
        """Announce an image, and send it where images with metadata are refused."""
        (file,) = await self.announce(image(data))
        self.bucket.put(place(file), data, None)
        async with self.db.transaction() as tx:
            await files.arrived(tx, token(file), len(data), invalid=False, metadata=True)

    async def test_refused(self) -> None:
        """One that was refused stays so, and no byte of it is read again."""
        data = png(3, 2)
        await self.arrives(data)
        family = self.family(refuses=True)
        for _ in range(2):
            code, pointers = await self.problem(image(data), family=family)
            self.assertEqual((code, pointers), ("image_has_metadata", ["/files/0/sha256"]))
        self.assertEqual(self.row(path_of(digest(data), "image/png"))[2], True)
        self.assertEqual(self.bucket.reads, [])

    async def test_taken_again(self) -> None:
        """Once the service takes such images, it is as good as any."""
        data = png(3, 2)
        await self.arrives(data)
        self.assertEqual(await self.there(image(data)), [True])
        self.assertEqual(self.row(path_of(digest(data), "image/png"))[2], False)

    async def test_from_before(self) -> None:
        """One that was taken before the service refused them stays good, also when somebody else
        sends it."""
        data = png(3, 2)
        (file,) = await self.announce(image(data))
        await self.send(file, data)
        (again,) = await self.announce(image(data), by=self.bob)
        async with self.db.transaction() as tx:
            await files.arrived(tx, token(again), len(data), invalid=False, metadata=True)
        family = self.family(refuses=True)
        (there,) = await self.announce(image(data), by=self.bob, family=family)
        self.assertIsNone(there.upload)
        self.assertEqual(self.row(file.path)[2], False)


class StoreMetadataTests(UploadCase):
    """Images with metadata that were sent to a store."""

    async def test_read_once(self) -> None:
        """One is read once, however often it is refused; files beside it are not announced."""
        data, other = jpeg(3, 2, before=segment(0xFE, b"at home")), of(fresh())
        given = image(data, "image/jpeg")
        (file,) = await self.announce(given)
        await self.send(file, data)
        family = self.family(refuses=True)
        for _ in range(3):
            code, pointers = await self.problem(other, given, family=family)
            self.assertEqual((code, pointers), ("image_has_metadata", ["/files/1/sha256"]))
        self.assertEqual(len(self.bucket.reads), 2)
        self.assertEqual(await self.usage(), (len(data), 0))
