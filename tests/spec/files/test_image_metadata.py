"""Images with metadata, where the service refuses them: files#announcing."""

from __future__ import annotations

from typing import ClassVar

from PIL import Image

from tests.spec.data import User
from tests.spec.files.support import File, FilesCase, blob, emblems
from tests.support import pictures
from tests.support.pictures import JPEG, PNG, WEBP, chunk, segment


def telling(media_type: str, use: str = "screenshot") -> File:
    """An image of a camera, with EXIF, that nobody else has."""
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "taken at home"
    return File(pictures.written(pictures.noise(), media_type, exif=exif), use, media_type)


def silent(media_type: str, use: str = "screenshot") -> File:
    """An image without metadata that nobody else has."""
    data = pictures.written(pictures.noise(), media_type)
    return File(pictures.without_metadata(data, media_type), use, media_type)


class KeptTests(FilesCase):
    """Without the setting."""

    async def test_kept(self):
        """files#announcing: images are taken with their metadata, as they are."""
        user = await self.someone()
        for media_type in (PNG, JPEG, WEBP):
            await self.uploaded(user, telling(media_type))


class RefusedTests(FilesCase):
    """422 image_has_metadata."""

    settings: ClassVar = {"IMAGE_METADATA": "refuse"}

    async def sent(self, user: User, *files: File) -> None:
        """Announce files, and send their bytes."""
        for file, upload in zip(files, await self.announce(user, *files), strict=True):
            assert upload is not None
            await self.send(upload, file.data)

    async def refused(self, user: User, *files: File, wrong: tuple[int, ...] = (0,)) -> None:
        """Assert that the verification of files that were sent names these."""
        found = self.at_files(
            await self.announcing(user, *files), 422, "image_has_metadata", *wrong
        )
        self.assertCountEqual([files[n].path for n in wrong], found["paths"])

    async def test_refused(self):
        """files#announcing: an image of each type and for each use that has metadata is 422 at the
        verification, which names it, and again whenever it is verified."""
        user = await self.someone()
        files = [
            telling(media_type, use)
            for media_type in (PNG, JPEG, WEBP)
            for use in ("screenshot", "avatar", "emblem")
        ]
        for file in files:
            await self.sent(user, file)
            for _ in range(2):
                await self.refused(user, file)

    async def test_silent(self):
        """files#announcing: one that says nothing but its orientation and colours is taken, and so
        is what is no image."""
        user = await self.someone()
        for media_type in (PNG, JPEG, WEBP):
            turned = telling(media_type, "avatar").data
            data = pictures.without_metadata(turned, media_type)
            await self.upload(user, File(data, "avatar", media_type))
            await self.uploaded(user, silent(media_type))
        await self.uploaded(user, blob())
        shot = silent(JPEG)
        await self.uploaded(user, shot)
        await self.usable(user, shot)

    async def test_others(self):
        """files#announcing: a call that is refused names the images that have metadata, and nothing
        is announced; without them it is taken."""
        user, good, bad = await self.someone(), silent(JPEG), telling(JPEG)
        await self.sent(user, good, bad)
        await self.refused(user, good, bad, blob(), wrong=(1,))
        await self.there(user, good)

    async def test_late(self):
        """files#announcing: metadata is found wherever it is, also after the pixels and the end."""
        user = await self.someone()
        jpeg, png = (silent(kind).data for kind in (JPEG, PNG))
        webp = silent(WEBP).data
        for data, media_type in (
            (jpeg + b"ftypmp42", JPEG),
            (jpeg[:-2] + segment(0xFE, b"at home") + jpeg[-2:], JPEG),
            (png[:-12] + chunk(b"tEXt", b"Comment\0at home") + png[-12:], PNG),
            (png + b"at home", PNG),
            (webp + b"at home" + blob(3).data, WEBP),
        ):
            file = File(data, "screenshot", media_type)
            await self.sent(user, file)
            await self.refused(user, file)

    async def test_not_used(self):
        """files#announcing: one that was sent, and refused, cannot be used."""
        user = await self.someone()
        shot, avatar = telling(JPEG), telling(JPEG, "avatar")
        code = "image_has_metadata"
        for file in (shot, avatar):
            await self.sent(user, file)
            await self.refused(user, file)
        self.at_paths(await self.creating(user, screenshotUris=[shot.path]), code, shot.path)
        self.at_paths(await self.dress(user, avatar.path), code, avatar.path)
        challenge = emblems(shot.path, shot.path)
        curator = await self.admin()
        await self.sent(curator, shot)
        await self.refused(curator, shot)
        self.at_paths(await self.post("design-challenges", challenge, by=curator), code, shot.path)

    async def test_invalid(self):
        """files#announcing: what is no good image is `file_invalid` where it is used, as ever."""
        user = await self.someone()
        broken = File(b"\xff\xd8\xff" + segment(0xFE, blob().data)[1:], "screenshot", JPEG)
        await self.upload(user, broken)
        response = await self.creating(user, screenshotUris=[broken.path])
        self.at_paths(response, "file_invalid", broken.path)

    async def test_another_user(self):
        """files#announcing: who only knows the digest is told nothing of it, before they have sent
        it."""
        user, other, file = await self.user(), await self.user(), telling(JPEG)
        await self.sent(user, file)
        await self.missing(other, file)
        await self.sent(other, file)
        await self.refused(other, file)
