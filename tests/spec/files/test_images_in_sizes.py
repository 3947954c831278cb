"""Smaller images beside each image: files#image-sizes, "Images in sizes"."""

from __future__ import annotations

from PIL import Image
from twisted.internet import reactor
from twisted.internet.task import deferLater

from tests.spec.files.support import File, FilesCase
from tests.spec.shapes import STORAGE
from tests.support import pictures
from tests.support.pictures import AS_DRAWN, JPEG, PNG, WEBP, quarters, shown

MADE_WITHIN = 60.0
"""Seconds. The page says 10, for a machine that has nothing else to do."""
WIDTHS = (320, 1280)


class SizesCase(FilesCase):
    async def smaller(self, file: File) -> list[str]:
        """The URLs of the smaller images of an image."""
        url = await self.media(file)
        return [f"{url}.{width}.webp" for width in WIDTHS]

    async def made(self, file: File) -> list[Image.Image]:
        """The smaller images, once they are there."""
        found = []
        deadline = reactor.seconds() + MADE_WITHIN
        for url in await self.smaller(file):
            while (response := await self.fetch(url)).status != 200:
                self.assertLess(reactor.seconds(), deadline, repr(response))
                await deferLater(reactor, 0.1)
            self.assertEqual("image/webp", response.header("Content-Type"))
            found.append(shown(response.body))
        return found


class SizesTests(SizesCase):
    async def test_storage(self):
        """files#image-sizes: GET /storage has the widths."""
        self.assertEqual([*WIDTHS], (await self.read("storage", STORAGE))["imageWidths"])

    async def test_each_use(self):
        """files#image-sizes: a screenshot, an avatar and an emblem have them, of whatever type, as
        WebP, at most that wide, turned as EXIF says and without metadata."""
        user = await self.user()
        large = File(pictures.drawn(2560, 1600), "screenshot", PNG)
        photo = File(pictures.turned(6), "avatar", JPEG)
        small = File(pictures.drawn(200, 100, WEBP), "emblem", WEBP)
        await self.upload(user, large, photo, small)
        for file, sizes in (
            (large, [(320, 200), (1280, 800)]),
            (photo, [(320, 200), (640, 400)]),
            (small, [(200, 100), (200, 100)]),
        ):
            found = await self.made(file)
            self.assertEqual(sizes, [each.size for each in found])
            self.assertEqual([AS_DRAWN] * 2, [quarters(each) for each in found])
            self.assertFalse(any(each.getexif() for each in found))

    async def test_quota(self):
        """files#image-sizes: they count for no quota."""
        user, file = await self.user(), File(pictures.drawn(), "screenshot", PNG)
        await self.upload(user, file)
        await self.made(file)
        self.assertEqual(len(file.data), (await self.storage(user))["used"])

    async def test_not_there(self):
        """files#image-sizes: before they are there, they are as unknown as any other path; other
        widths and smaller images of smaller images never are."""
        file = File(pictures.drawn(), "screenshot", PNG)
        unknown = [404] if self.backend == "local" else [403, 404]
        for url in await self.smaller(file):
            self.assertIn((await self.fetch(url)).status, unknown)
        await self.upload(await self.user(), file)
        await self.made(file)
        url = await self.media(file)
        for ending in (".640.webp", ".320.png", ".320", ".320.webp.320.webp", "320.webp"):
            self.assertIn((await self.fetch(url + ending)).status, unknown, ending)

    async def test_unreadable(self):
        """files#image-sizes: what cannot be read has none, and those that come after it do."""
        user = await self.user()
        bad = [
            File(pictures.png(8000, 4000), "screenshot", PNG),
            File(pictures.jpeg(8000, 4000, frame=0xC2), "screenshot", JPEG),
            File(pictures.webp(8000, 4000), "screenshot", WEBP),
        ]
        good = File(pictures.drawn(), "screenshot", PNG)
        await self.upload(user, *bad)
        await self.upload(user, good)
        await self.made(good)
        for file in bad[::2]:
            for url in await self.smaller(file):
                self.assertGreaterEqual((await self.fetch(url)).status, 400)

    async def test_blocked(self):
        """files#image-sizes: they are blocked with their image, and are back when it is sent
        again."""
        user, file = await self.user(), File(pictures.drawn(), "screenshot", PNG)
        await self.upload(user, file)
        await self.made(file)
        urls = await self.smaller(file)
        await self.block(file)
        for url in urls:
            await self.gone(url)
        await self.lift(file)
        await self.upload(user, file)
        await self.made(file)


class ServedTests(SizesCase):
    """How the daemon serves them."""

    async def served(self) -> tuple[str, bytes]:
        """The URL of a smaller image, and its bytes."""
        file = File(pictures.drawn(2560, 1600), "screenshot", PNG)
        await self.upload(await self.user(), file)
        await self.made(file)
        url = (await self.smaller(file))[1]
        return url, (await self.fetch(url)).body

    async def test_as_images(self):
        """files#image-sizes: with the headers of images, ranges, HEAD, and an ETag of their own."""
        url, data = await self.served()
        whole = await self.fetch(url)
        self.assertEqual("public, max-age=31536000, immutable", whole.header("Cache-Control"))
        self.assertEqual("nosniff", whole.header("X-Content-Type-Options"))
        self.assertEqual("bytes", whole.header("Accept-Ranges"))
        self.assertIsNone(whole.header("Content-Disposition"))
        tag = whole.header("ETag") or ""
        self.assertRegex(tag, r'^"[^"]+"$')
        other = await self.fetch(url.replace(".1280.webp", ""))
        self.assertNotEqual(tag, other.header("ETag"))
        self.assertEqual(304, (await self.fetch(url, If_None_Match=tag)).status)
        part = await self.fetch(url, Range="bytes=4-9", If_Range=tag)
        self.assertEqual((206, data[4:10]), (part.status, part.body))
        head = await self.fetch(url, "HEAD")
        self.assertEqual((200, str(len(data))), (head.status, head.header("Content-Length")))
        self.assertEqual(416, (await self.fetch(url, Range=f"bytes={len(data)}-")).status)

    async def test_no_upload(self):
        """files#image-sizes: nobody can send one."""
        url, data = await self.served()
        response = await self.bare("PUT", url, headers={"Content-Type": "image/webp"}, data=b"x")
        self.problem(response, 403, "invalid_signature")
        await self.gets(url, data)
