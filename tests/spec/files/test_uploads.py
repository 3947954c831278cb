"""Announcing files, and who has which: files#announcing."""

from __future__ import annotations

import json
import secrets
from typing import Any

from tests.spec.data import guid, reference
from tests.spec.files.support import EXTENSIONS, File, FilesCase, blob, picture
from tests.spec.shapes import FILE
from tests.support.deferreds import together

IMAGE_USES = ("screenshot", "avatar", "emblem")


class UploadsTests(FilesCase):
    """POST /api/v1/uploads."""

    async def test_answer(self):
        """files#announcing: 200 with the files in the order asked, each with its digest, its path
        and how to upload it: PUT, a URL, headers, and until when."""
        user = await self.someone()
        asked = [blob(), picture(), blob(use="package"), picture("avatar"), picture("emblem")]
        response = await self.announcing(user, *asked)
        self.assertEqual(200, response.status, repr(response))
        self.shape(response.json(), {"files": [FILE]})
        found = response.json()["files"]
        self.assertEqual([file.digest for file in asked], [one["sha256"] for one in found])
        self.assertNotIn(None, [one["upload"] for one in found])

    async def test_paths(self):
        """files#announcing: the path is the digest below its first two digits, with .png, .jpg or
        .webp by media type for the last three uses, and with nothing for the others."""
        user, digest = await self.user(), secrets.token_hex(32)
        base = f"{digest[:2]}/{digest}"
        for use in IMAGE_USES:
            for media, extension in EXTENSIONS.items():
                asked = {"use": use, "sha256": digest, "size": 9, "mediaType": media}
                (found,) = (await self.announcing(user, asked)).json()["files"]
                self.assertEqual(base + extension, found["path"])
        for use in ("entity", "package"):
            (found,) = (
                await self.announcing(user, {"use": use, "sha256": digest, "size": 9})
            ).json()["files"]
            self.assertEqual(base, found["path"])
        self.assertEqual((4, 4 * 9), await self.counted(user), "each path once")

    async def test_media_type_ignored(self):
        """files#announcing: `mediaType` is ignored for entity and package."""
        user = await self.someone()
        for use in ("entity", "package"):
            for media in ("image/png", "image/gif", "x", "", None):
                file = blob(use=use)
                (found,) = (
                    await self.announcing(user, file.announced | {"mediaType": media})
                ).json()["files"]
                self.assertEqual(file.path, found["path"])

    async def test_media_type_required(self):
        """files#announcing: it is required for the last three: 400 invalid_body without it."""
        user = await self.someone()
        for use in IMAGE_USES:
            lacking = {"use": use, "sha256": secrets.token_hex(32), "size": 9}
            for sent in (lacking, lacking | {"mediaType": None}):
                self.invalid(await self.announcing(user, blob(), sent), "/files/1/mediaType")

    async def test_two_sizes(self):
        """files#announcing: one digest with two sizes in a call is 400, also under two
        paths."""
        user, file = await self.user(), blob()
        for other in (File(file.data, "package"), File(file.data, "screenshot", "image/png")):
            sent = other.announced | {"size": len(file.data) + 1}
            self.invalid(await self.announcing(user, file, blob(), sent), "/files/2/size")
        self.assertEqual((0, 0), await self.counted(user))

    async def test_media_type_not_allowed(self):
        """files#announcing: images are image/png, image/jpeg and image/webp; another type is 422
        media_type_not_allowed, which points at each file concerned, and registers none."""
        user = await self.user()
        wrong = ("image/gif", "image/svg+xml", "application/octet-stream", "png", "")
        wrong += ("text/html", "IMAGE/PNG", "image/png; q=1", " image/png")
        asked: list[Any] = [blob(), picture()]
        asked += [picture(use).announced | {"mediaType": wrong[0]} for use in IMAGE_USES]
        response = await self.announcing(user, *asked)
        self.at_files(response, 422, "media_type_not_allowed", 2, 3, 4)
        for media in wrong[1:]:
            response = await self.announcing(user, picture().announced | {"mediaType": media})
            self.at_files(response, 422, "media_type_not_allowed", 0)
        self.assertEqual(0, (await self.storage(user))["pending"])

    async def test_number(self):
        """files#announcing: 1 to 1,000 files in one call; a digest is 64 digits and nothing
        else."""
        user = await self.user()
        self.invalid(await self.post("uploads", {"files": []}, by=user), "/files")
        line = blob().announced
        line["sha256"] += "\n"
        self.invalid(await self.announcing(user, line), "/files/0/sha256")
        many = [{"use": "entity", "sha256": f"{n:064x}", "size": 1} for n in range(1, 1_002)]
        self.invalid(await self.post("uploads", {"files": many}, by=user), "/files")
        found = (await self.post("uploads", {"files": many[:1_000]}, by=user, expect=200)).json()
        self.assertEqual(
            [one["sha256"] for one in many[:1_000]], [one["sha256"] for one in found["files"]]
        )
        self.assertEqual(1_000, (await self.storage(user))["pending"])

    async def test_body_limit(self):
        """A body of /uploads may have 1 MiB."""
        user, right = await self.someone(), blob().announced
        for size, status in ((2**20, 200), (2**20 + 1, 413)):
            body = json.dumps({"files": [right | {"note": ""}]})
            body = body.replace('""', f'"{"x" * (size - len(body))}"')
            wire = await self.wire(
                "POST",
                "uploads",
                body.encode(),
                by=user,
                Content_Length=size,
                Connection="close",
            )
            self.assertEqual(status, (await wire.answer()).status)

    async def test_upload(self):
        """files#announcing: once the bytes have been sent, the same call answers null: it is
        there; then it can be published."""
        user = await self.user()
        for file in (blob(), blob(1), picture(), blob(use="package")):
            await self.send(await self.place(user, file), file.data)
            await self.there(user, file)
        entity, shot = blob(), picture()
        await self.upload(user, entity, shot)
        await self.usable(user, entity, shot)

    async def test_big(self):
        """files#announcing: a file of any size comes back byte for byte, one of some MiB too."""
        author = await self.user()
        for size in (1, 65_536, 65_537, 5 * 2**20 + 7):
            file = blob(size)
            made = await self.holding(author, file)
            await self.gets(await self.link(made, file), file.data)

    async def test_resumes(self):
        """files#announcing: the same call again resumes: what has arrived is null, the rest is
        still to be sent."""
        user, files = await self.someone(), [blob(), blob(), picture()]
        first, _, third = await self.announce(user, *files)
        await self.send(first or {}, files[0].data)
        await self.send(third or {}, files[2].data)
        first, second, third = await self.announce(user, *files)
        self.assertEqual((None, None), (first, third))
        await self.send(second or {}, files[1].data)
        await self.there(user, *files)

    async def test_named_twice(self):
        """files#announcing: a file that is named twice in one call is answered twice and
        counts once."""
        user, file = await self.user(), blob()
        uploads = await self.announce(user, file, file)
        self.assertEqual((1, len(file.data)), await self.counted(user))
        await self.send(uploads[1] or {}, file.data)
        await self.there(user, file, file)

    async def counted(self, user) -> tuple[int, int]:
        """How many files of the user are pending, and the bytes used."""
        found = await self.storage(user)
        return found["pending"], found["used"]

    async def test_all_or_nothing(self):
        """files#announcing: a refused call registers nothing."""
        user = await self.user()
        limits = (await self.get("storage", expect=200)).json()["limits"]
        big = blob().announced | {"size": limits["fileBytes"] + 1}
        self.at_files(await self.announcing(user, blob(), big), 422, "file_too_large", 1)
        self.assertEqual((0, 0), await self.counted(user))

    async def test_too_large(self):
        """files#announcing: 422 file_too_large {limit}: that of a file, or of an image, which
        points at each file concerned and says its own limit; at the limit it is taken."""
        user = await self.user()
        limits = (await self.get("storage", expect=200)).json()["limits"]
        both = [blob().announced | {"size": limits["fileBytes"] + 1}]
        both.append(picture().announced | {"size": limits["imageBytes"] + 1})
        response = await self.announcing(user, blob(), *both)
        found = self.at_files(response, 422, "file_too_large", 1, 2)
        self.assertEqual(limits["fileBytes"], found["limit"])
        for number, (error, kind) in enumerate(
            zip(found["errors"], ("fileBytes", "imageBytes"), strict=True), 1
        ):
            self.assertEqual(f"/files/{number}/size", error["pointer"])
            self.assertEqual(f"This must be at most {limits[kind]}.", error["detail"])
        for file, limit in (
            (blob(), limits["fileBytes"]),
            (blob(use="package"), limits["fileBytes"]),
            *((picture(use), limits["imageBytes"]) for use in IMAGE_USES),
        ):
            over = file.announced | {"size": limit + 1}
            response = await self.announcing(user, over, blob(), over)
            found = self.at_files(response, 422, "file_too_large", 0, 2)
            self.assertEqual(limit, found["limit"])
            response = await self.announcing(await self.user(), over | {"size": limit})
            self.assertEqual(200, response.status, repr(response))

    async def test_verifies(self):
        """files#announcing: the same call verifies: bytes that are no longer in the store are asked
        for again, and then the pre-check counts what has them as needed."""
        self.own_daemon()
        author, file = await self.user(), blob()
        made = await self.holding(author, file)
        url = await self.link(made, file)
        self.lose(file)
        await self.missing(author, file)
        self.assertEqual((1, len(file.data)), await self.counted(author))
        asked = {
            "contentId": guid(),
            "operation": "create",
            "dependencies": [reference(made.sent["entity"])],
            "packages": [],
        }
        found = await self.post("content/upload-precheck", asked, by=author, expect=200)
        self.assertEqual(asked["dependencies"], found.json()["needed"])
        self.assertIn(None, (await self.urls(made)).values())
        await self.unusable(await self.user(), file)
        await self.upload(author, file)
        self.assertEqual((0, len(file.data)), await self.counted(author))
        await self.gets(url, file.data)
        found = await self.post("content/upload-precheck", asked, by=author, expect=200)
        self.assertEqual([], found.json()["needed"])

    async def test_wrong_size_by_another(self):
        """files#announcing: who announces a digest with a wrong size keeps nobody from uploading
        it, and changes nothing of it afterwards."""
        liar, author, file = await self.user(), await self.user(), blob(60)
        for size in (1, 61):
            lie = file.announced | {"size": size}
            self.assertEqual(200, (await self.announcing(liar, lie)).status)
        made = await self.holding(author, file)
        self.assertLess((await self.announcing(liar, lie)).status, 500)
        (one,) = await self.files(made)
        self.assertEqual(60, one["size"])
        await self.gets(one["url"], file.data)
        await self.there(author, file)
        self.assertEqual(60, (await self.storage(author))["used"])

    async def test_same_at_once(self):
        """files#announcing: the same files announced by several calls of two users at once, in
        different orders, count once for each user."""
        users, files = [await self.user() for _ in range(2)], [blob(10) for _ in range(40)]
        calls = [
            self.announcing(user, *(files if n % 2 else reversed(files)))
            for n in range(4)
            for user in users
        ]
        for response in await together(*calls):
            self.assertEqual(200, response.status, repr(response))
        for user in users:
            self.assertEqual((40, 400), await self.counted(user))

    async def test_earlier_url(self):
        """files#announcing: the same call again resumes: an upload under way over the URL of the
        first call is good."""
        user, file = await self.someone(), blob()
        first = await self.place(user, file)
        await self.missing(user, file)
        await self.send(first, file.data)
        await self.there(user, file)

    async def test_entity_and_image(self):
        """files#announcing: the same bytes as entity and as image are two paths, each to be
        sent."""
        user, shot = await self.user(), picture()
        entity = File(shot.data)
        await self.upload(user, entity)
        await self.missing(user, shot)
        await self.upload(user, shot)
        await self.usable(user, entity, shot)

    async def test_sent_twice(self):
        """files#sending: the same bytes sent again to the same URL are taken
        again."""
        user, file = await self.someone(), blob()
        upload = await self.place(user, file)
        await self.send(upload, file.data)
        await self.send(upload, file.data)
        await self.there(user, file)
