"""How much a user may keep: files#own-files."""

from __future__ import annotations

from typing import ClassVar

from tests.spec.data import User, reference
from tests.spec.files.support import File, FilesCase, blob, made_of, packed, picture
from tests.spec.shapes import STORAGE, USER_STORAGE
from tests.support.deferreds import together

BYTES = 1_000
LIMITS = {
    "FILE_BYTES": "800",
    "IMAGE_BYTES": "400",
    "USER_BYTES": f"{BYTES}",
    "PENDING_FILES": "4",
    "MEDIA_URL": "https://media.example/here",
}


class StorageTests(FilesCase):
    """GET /api/v1/storage and /api/v1/user/{user}/storage."""

    async def test_storage(self):
        """files#own-files: anyone reads where files lie, where media is read, which types, and the
        limits: 512 MiB a file, 8 MiB an image, 2 GiB a user; 8,192 pixels a side of an image, 33
        million in all."""
        found = await self.read("storage", STORAGE)
        self.assertEqual(self.backend, found["files"])
        self.assertCountEqual(["image/png", "image/jpeg", "image/webp"], found["mediaTypes"])
        self.assertFalse(found["mediaUrl"].endswith("/"), found)
        self.own_daemon()
        limits = {"fileBytes": 512 * 2**20, "imageBytes": 8 * 2**20, "userBytes": 2 * 2**30}
        limits |= {"imageSide": 8_192, "imagePixels": 33_000_000}
        self.assertEqual(limits, found["limits"])

    async def test_used(self):
        """files#own-files: `used` is the bytes announced, stored or claimed, `pending` how many
        announced files have no bytes yet; below /methods/v1 too."""
        user, files = await self.user(), [blob(100), picture()]
        limit = (await self.read("storage", STORAGE))["limits"]["userBytes"]
        self.assertEqual({"used": 0, "limit": limit, "pending": 0}, await self.storage(user))
        both = sum(len(file.data) for file in files)
        await self.announce(user, *files)
        self.assertEqual({"used": both, "limit": limit, "pending": 2}, await self.storage(user))
        await self.upload(user, files[0])
        expected = {"used": both, "limit": limit, "pending": 1}
        self.assertEqual(expected, await self.storage(user))
        await self.upload(user, *files)
        path = f"/methods/v1/user/{user.id}/storage"
        found = await self.read(path, USER_STORAGE, by=user)
        self.assertEqual({"used": both, "limit": limit, "pending": 0}, found)

    async def test_counts_once(self):
        """files#own-files: a file counts once for each user, however often it is announced, claimed
        and used."""
        user, file = await self.user(), blob(100)
        for _ in range(2):
            await self.upload(user, file)
            await self.content(
                user,
                entity=made_of(file),
                originating=[made_of(file)],
                packagesOriginating=[packed(win64=file, osx64=file)],
            )
        self.assertEqual(100, (await self.storage(user))["used"])

    async def test_counts_for_each(self):
        """files#own-files: for each user who registered it, or whose own content brings it, and not
        for who uses it."""
        owner, told, brings, uses = [await self.user() for _ in range(4)]
        file = blob(100)
        made = await self.holding(owner, file)
        await self.there(told, file)
        await self.content(brings, entity=made_of(file), originating=[], packagesOriginating=[])
        await self.content(
            uses, originating=[], packagesOriginating=[], using=[reference(made.sent["entity"])]
        )
        used = [(await self.storage(user))["used"] for user in (owner, told, brings, uses)]
        self.assertEqual([100, 100, 100, 0], used)


class QuotaTests(FilesCase):
    """With small limits."""

    settings: ClassVar[dict[str, str]] = LIMITS

    async def full(self, *sizes: int) -> tuple[User, list[File]]:
        """A user who has announced files of these sizes."""
        user, files = await self.user(), [blob(size) for size in sizes]
        await self.announce(user, *files)
        return user, files

    async def test_settings(self):
        """files#own-files: the limits are the operator's, and so is where media is read."""
        found = await self.read("storage", STORAGE)
        limits = {"fileBytes": 800, "imageBytes": 400, "userBytes": BYTES}
        self.assertLessEqual(limits.items(), found["limits"].items())
        self.assertEqual(LIMITS["MEDIA_URL"], found["mediaUrl"])
        self.assertEqual(BYTES, (await self.storage(await self.someone()))["limit"])

    async def test_bytes(self):
        """files#own-files: beyond the limit 403 quota_exceeded {limit, used}; up to it they are
        taken, whether the others have been sent or only announced."""
        user, files = await self.full(600)
        for sent in (False, True):
            if sent:
                await self.upload(user, *files)
            response = await self.announcing(user, blob(401))
            found = self.at_files(response, 403, "quota_exceeded", 0)
            self.assertEqual((BYTES, 600), (found["limit"], found["used"]))
        await self.upload(user, blob(400))
        self.assertEqual(BYTES, (await self.storage(user))["used"])
        response = await self.announcing(user, blob(1))
        self.assertEqual(BYTES, self.at_files(response, 403, "quota_exceeded", 0)["used"])

    async def test_all_or_nothing(self):
        """files#own-files: a call that is too much as a whole registers nothing of it, and points
        at the files that no longer fit."""
        user, (old,) = await self.full(600)
        two = blob(300)
        more = File(two.data, "package"), blob(10)
        response = await self.announcing(user, blob(300), old, two, *more)
        found = self.at_files(response, 403, "quota_exceeded", 2, 3, 4)
        expected = [f"/files/{n}/size" for n in (2, 3, 4)]
        self.assertEqual(expected, [error["pointer"] for error in found["errors"]])
        found = await self.storage(user)
        self.assertEqual((600, 1), (found["used"], found["pending"]))

    async def test_goes_on_at_a_full_quota(self):
        """files#own-files: what is announced already goes on at a full quota."""
        user, files = await self.full(600, 400)
        await self.upload(user, files[0])
        first, second = await self.announce(user, *files)
        self.assertIsNone(first)
        await self.send(second or {}, files[1].data)
        await self.there(user, *files)

    async def test_publishing(self):
        """files#own-files: publishing is never refused by the quota; what one's content brings
        counts, and then nothing new can be announced."""
        brought = blob(700)
        await self.holding(await self.user(), brought)
        user, (own, other) = await self.full(500, 400)
        await self.upload(user, own, other)
        await self.content(
            user, entity=made_of(brought), originating=[made_of(own)], packagesOriginating=[]
        )
        self.assertEqual(1_600, (await self.storage(user))["used"])
        response = await self.announcing(user, blob(1))
        found = self.at_files(response, 403, "quota_exceeded", 0)
        self.assertEqual((BYTES, 1_600), (found["limit"], found["used"]))
        await self.there(user, own, brought)

    async def test_pending(self):
        """files#own-files: too many pending files are 403 quota_exceeded with that limit; once
        some are there, others can be announced."""
        user, files = await self.full(1, 2, 3, 4)
        response = await self.announcing(user, files[0], blob(5))
        found = self.at_files(response, 403, "quota_exceeded", 1)
        self.assertEqual((4, 4), (found["limit"], found["used"]))
        response = await self.announcing(user, blob(800), blob(200))
        found = self.problem(response, 403, "quota_exceeded")
        self.assertEqual((BYTES, 10), (found["limit"], found["used"]), "bytes come first")
        await self.announce(user, *files)
        await self.upload(user, files[0])
        await self.announce(user, blob(5))
        response = await self.announcing(user, blob(6))
        self.assertEqual(4, self.at_files(response, 403, "quota_exceeded", 0)["limit"])

    async def test_pending_at_once(self):
        """files#own-files: more in one call than may be pending is refused whole."""
        user = await self.user()
        response = await self.announcing(user, *[blob(1 + n) for n in range(5)])
        self.assertEqual(4, self.problem(response, 403, "quota_exceeded")["limit"])
        self.assertEqual(0, (await self.storage(user))["pending"])

    async def test_told_null_is_not_pending(self):
        """files#own-files: what is there counts in bytes and is not pending."""
        file = blob(50)
        await self.holding(await self.user(), file)
        user, _ = await self.full(1, 2, 3, 4)
        await self.there(user, file)
        found = await self.storage(user)
        self.assertEqual((60, 4), (found["used"], found["pending"]))

    async def test_real_size(self):
        """files#own-files: what is there counts with the bytes that it has, whatever size the call
        says."""
        file = blob(700)
        await self.holding(await self.user(), file)
        user = await self.user()
        response = await self.announcing(user, file.announced | {"size": 1})
        if response.status == 200 and response.json()["files"][0]["upload"] is None:
            self.assertEqual(700, (await self.storage(user))["used"])
        else:
            self.assertLess(response.status, 500, repr(response))

    async def test_ten_at_once(self):
        """files#own-files: sums are made under a lock: of ten calls at once at the edge exactly
        those that fit are taken."""
        user = await self.user()
        asked = await together(*(self.announcing(user, blob(300)) for _ in range(10)))
        for response in asked:
            if response.status != 200:
                self.problem(response, 403, "quota_exceeded")
        self.assertEqual(3, sum(response.status == 200 for response in asked))
        found = await self.storage(user)
        self.assertEqual((900, 3), (found["used"], found["pending"]))

    async def test_too_large(self):
        """files#own-files: a file over the limit is 422 file_too_large, whatever the quota."""
        user, _ = await self.full(500, 400)
        for file, limit in ((blob(801), 800), (File(b"x" * 401, "avatar", "image/png"), 400)):
            found = self.at_files(await self.announcing(user, file), 422, "file_too_large", 0)
            self.assertEqual(limit, found["limit"])
