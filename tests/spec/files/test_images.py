"""Images that are none, or too large: files#announcing."""

from __future__ import annotations

from collections.abc import Callable

from tests.spec.data import User
from tests.spec.files.support import File, FilesCase, blob, emblems, made_of, picture
from tests.support import pictures

MAKERS: dict[str, list[Callable[..., bytes]]] = {
    pictures.PNG: [pictures.png],
    pictures.JPEG: [pictures.jpeg],
    pictures.WEBP: [pictures.webp, pictures.webp_lossless, pictures.webp_extended],
}


def shot(data: bytes, media: str = pictures.PNG) -> File:
    """A screenshot of these bytes, whatever they are."""
    return File(data, "screenshot", media)


class ImagesTests(FilesCase):
    """422 file_invalid."""

    async def judged(self, user: User, good: list[File], bad: list[File]) -> None:
        """Assert which of these images can be used, once they have been uploaded."""
        await self.upload(user, *good, *bad)
        response = await self.creating(user, screenshotUris=[file.path for file in (*good, *bad)])
        if bad:
            self.at_paths(response, "file_invalid", *(file.path for file in bad))
        else:
            self.assertEqual(204, response.status, repr(response))

    async def test_right(self):
        """files#announcing: a PNG, a JPEG and a WebP of each kind are taken for what they are."""
        made = [shot(one(), media) for media, makers in MAKERS.items() for one in makers]
        made.append(shot(pictures.jpeg(frame=0xC2), pictures.JPEG))
        await self.judged(await self.someone(), made, [])

    async def test_another_type(self):
        """files#announcing: one that is not of its type is not."""
        bad = [
            shot(one(), media)
            for media in MAKERS
            for other, makers in MAKERS.items()
            for one in makers
            if other != media
        ]
        await self.judged(await self.someone(), [picture()], bad)

    async def test_none(self):
        """files#announcing: nor is what is no image, or only the beginning of one; where something
        is missing too, that is said first."""
        bad = []
        for media, makers in MAKERS.items():
            whole = makers[0]()
            broken = [b"x", b"<svg/>", b"GIF89a" + whole, whole[:4], whole[:12], b"\0" + whole]
            bad += [shot(data + bytes([n]), media) for n, data in enumerate(broken)]
        user, lost = await self.someone(), blob()
        await self.judged(user, [], bad)
        response = await self.creating(user, screenshotUris=[bad[0].path], entity=made_of(lost))
        self.at_paths(response, "file_missing", lost.path)

    async def test_side(self):
        """files#announcing: 8,192 pixels a side are taken, more are not."""
        good, bad = [], []
        for media, makers in MAKERS.items():
            for make in makers:
                good += [shot(make(*size), media) for size in ((8_192, 1), (1, 8_192))]
                bad += [shot(make(*size), media) for size in ((8_193, 1), (1, 8_193))]
        await self.judged(await self.someone(), good, bad)

    async def test_pixels(self):
        """files#announcing: 33 million pixels in all are taken, more are not."""
        good, bad = [], []
        for media, makers in MAKERS.items():
            for make in makers:
                good += [shot(make(*size), media) for size in ((6_000, 5_500), (8_192, 4_028))]
                bad += [shot(make(*size), media) for size in ((6_000, 5_501), (8_192, 8_192))]
        await self.judged(await self.someone(), good, bad)

    async def test_no_pixels(self):
        """An image without pixels is none."""
        bad = [shot(pictures.png(*size)) for size in ((0, 9), (9, 0))]
        await self.judged(await self.someone(), [], bad)

    async def test_much_before_the_size(self):
        """files#announcing: a JPEG whose size comes after much else is judged by its header too."""
        exif = pictures.segment(0xE1, b"Exif\0\0" + b"x" * 65_000) * 3
        good = shot(pictures.jpeg(before=exif), pictures.JPEG)
        bad = shot(pictures.jpeg(8_193, 1, before=exif), pictures.JPEG)
        await self.judged(await self.someone(), [good], [bad])

    async def test_avatar(self):
        """files#announcing: answered where the path is used: in PUT user."""
        user, file = await self.user(), File(pictures.png(9_000, 9), "avatar", pictures.PNG)
        await self.upload(user, file)
        self.at_paths(await self.dress(user, file.path), "file_invalid", file.path)

    async def test_challenge(self):
        """files#announcing: and in challenges."""
        admin, good = await self.admin(), picture("emblem")
        bad = File(pictures.jpeg(), "emblem", pictures.PNG)
        await self.upload(admin, good, bad)
        response = await self.post("design-challenges", emblems(good.path, bad.path), by=admin)
        self.at_paths(response, "file_invalid", bad.path)

    async def test_update(self):
        """files#announcing: and in an update."""
        author, bad = await self.user(), shot(b"no image")
        made = await self.holding(author, picture())
        await self.upload(author, bad)
        body = {"description": "", "screenshotUris": [bad.path]}
        self.at_paths(await self.put(made.path, body, by=author), "file_invalid", bad.path)
