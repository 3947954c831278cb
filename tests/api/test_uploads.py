"""POST /uploads (extensions §3), beside a store in memory that knows whose upload came last."""

import hashlib
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec
from twisted.internet import reactor

from contentsvc.api.files import Files
from contentsvc.api.uploads import Limits
from contentsvc.wire.files import UploadedFile, UploadsBody, path_of
from tests.api.support import ApiCase, Caller
from tests.support.buckets import EXPIRES, MemoryBucket
from tests.support.databases import guid

BASE = "http://files.example"
LIMITS = Limits(file_bytes=1000, image_bytes=500, user_bytes=0, pending_files=0)


def digest(data: bytes) -> str:
    """Its SHA-256."""
    return hashlib.sha256(data).hexdigest()


def fresh() -> bytes:
    """Bytes that nobody has had before: 36 of them."""
    return guid().encode()


def of(data: bytes, use: str = "entity", **changes: Any) -> dict[str, Any]:
    """A file of a body."""
    return {"use": use, "sha256": digest(data), "size": len(data), **changes}


def image(data: bytes, media_type: str = "image/png", use: str = "screenshot") -> dict[str, Any]:
    """An image of a body."""
    return of(data, use, mediaType=media_type)


def token(upload: UploadedFile) -> str:
    """The token in its URL."""
    return parse_qs(urlsplit(upload.upload.url).query)["token"][0]


class UploadCase(ApiCase):
    tokens = True

    async def setUp(self) -> None:
        await super().setUp()
        self.bucket = MemoryBucket(tokens=self.tokens)
        self.woken: list[None] = []
        self.files = self.family()
        self.ann, self.bob = await self.user(), await self.user()

    def family(self, **limits: int) -> Files:
        """The operations, with other limits."""
        return Files(
            reactor,
            self.db,
            self.bucket,
            option="local",
            limits=LIMITS._replace(**limits),
            public_url=BASE,
            media_url=None,
            wake=lambda: self.woken.append(None),
        )

    async def announce(
        self, *given: dict[str, Any], by: str | None = None, family: Files | None = None
    ) -> list[UploadedFile]:
        """POST /uploads, by Ann if nobody else."""
        body = msgspec.convert({"files": given}, UploadsBody)
        caller = Caller(by or self.ann)
        return (await (family or self.files).announce(caller, body)).files

    def send(self, upload: UploadedFile, data: bytes) -> None:
        """Send the bytes with the upload."""
        self.bucket.put(upload.path, data, token(upload))

    async def sent(self, *data: bytes, by: str | None = None) -> None:
        """Announce, send and verify entities."""
        for upload, each in zip(await self.announce(*map(of, data), by=by), data, strict=True):
            self.send(upload, each)
        again = await self.announce(*map(of, data), by=by)
        self.assertEqual([each.upload for each in again], [None] * len(data))

    async def usage(self, user: str | None = None) -> tuple[int, int]:
        """GET /user/{user}/storage: `used` and `pending`."""
        user = user or self.ann
        storage = await self.files.usage(Caller(user), user)
        return storage.used, storage.pending

    def row(self, path: str) -> tuple[Any, ...]:
        """Size, stored and invalid of a file; none if there is no such row."""
        rows = self.sql("select size, stored, invalid from files where path = %s", path)
        return rows[0] if rows else ()

    async def problem(self, *given: dict[str, Any], **options: Any) -> tuple[str, list[str]]:
        """Code and pointers of a refusal."""
        problem = await self.refused(self.announce(*given, **options))
        return problem.code, [each["pointer"] for each in problem.members["errors"]]


class AnnounceTests(UploadCase):
    async def test_new(self) -> None:
        """A file that nobody has is given a path and a signed upload."""
        data = fresh()
        (file,) = await self.announce(of(data))
        self.assertEqual((file.sha256, file.path), (digest(data), path_of(digest(data))))
        self.assertEqual(file.upload.method, "PUT")
        self.assertEqual(file.upload.url, f"{BASE}/put/{file.path}?token={token(file)}")
        self.assertEqual(file.upload.headers["Content-Length"], "36")
        self.assertEqual(file.upload.expires, EXPIRES)

    async def test_paths(self) -> None:
        """Images have the extension of their type, entities and packages none, whatever media type
        they say."""
        data = fresh()
        given = [
            of(data),
            of(data, "package", mediaType="nonsense"),
            image(data),
            image(data, "image/jpeg", "avatar"),
            image(data, "image/webp", "emblem"),
        ]
        paths = [file.path for file in await self.announce(*given)]
        stem = path_of(digest(data))
        self.assertEqual(paths, [stem, stem, f"{stem}.png", f"{stem}.jpg", f"{stem}.webp"])

    async def test_order(self) -> None:
        """The answer has the files in their order, a repeated one each time."""
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

    async def test_verified(self) -> None:
        """What was sent is there at the next call, for good, and pending no more."""
        data = fresh()
        (file,) = await self.announce(of(data))
        self.send(file, data)
        self.assertEqual(self.row(file.path), (None, False, False))
        for _ in range(2):
            (there,) = await self.announce(of(data))
            self.assertEqual((there.path, there.upload), (file.path, None))
        self.assertEqual(self.row(file.path), (36, True, False))
        self.assertEqual(await self.usage(), (36, 0))

    async def test_lost(self) -> None:
        """What has got lost in the store is given a new upload, and is pending again."""
        data = fresh()
        await self.sent(data)
        self.bucket.kept.clear()
        (file,) = await self.announce(of(data))
        self.assertIsNotNone(file.upload)
        self.assertEqual(self.row(file.path), (36, False, False))
        self.assertEqual(await self.usage(), (36, 1))
        self.send(file, data)
        self.assertEqual([each.upload for each in await self.announce(of(data))], [None])
