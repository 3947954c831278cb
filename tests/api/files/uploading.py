"""POST /uploads on a store in memory, and what clients and the daemon do around it."""

import hashlib
from typing import Any

import msgspec
from twisted.internet import reactor

from contentsvc.api.files.blocks import FileBlocks
from contentsvc.api.files.files import Files
from contentsvc.api.files.uploads import Limits
from contentsvc.framework.core.timers import WallClock
from contentsvc.framework.db.database import Database
from contentsvc.store.files import files
from contentsvc.wire.files import BlockBody, UploadedFile, UploadsBody
from tests.api.support import ApiCase, Caller, acts
from tests.support.buckets import MemoryBucket
from tests.support.databases import guid

BASE = "http://files.example"
LIMITS = Limits(file_bytes=1000, image_bytes=500, user_bytes=0, pending_files=0)


def digest(data: bytes) -> str:
    """Its SHA-256."""
    return hashlib.sha256(data).hexdigest()


def fresh() -> bytes:
    """36 bytes that nobody has had before."""
    return guid().encode()


def of(data: bytes, use: str = "entity", **changes: Any) -> dict[str, Any]:
    """A file of a body."""
    return {"use": use, "sha256": digest(data), "size": len(data), **changes}


def image(data: bytes, media_type: str = "image/png", use: str = "screenshot") -> dict[str, Any]:
    """An image of a body."""
    return of(data, use, mediaType=media_type)


def token(file: UploadedFile) -> str:
    """The token in the URL of its upload."""
    if file.upload is None:
        raise AssertionError(f"{file.path} is there")
    return file.upload.url.rpartition("=")[2]


def place(file: UploadedFile) -> str:
    """Where its upload goes: a path, or a key of the user's own."""
    if file.upload is None:
        raise AssertionError(f"{file.path} is there")
    return file.upload.url.removeprefix(f"{BASE}/put/").partition("?")[0]


class UploadCase(ApiCase):
    """Ann and Bob, and a store that knows with which announcement an object came, as S3 does. If
    not `knows`, the daemon itself takes the bytes, as with `local`."""

    knows = True

    async def setUp(self) -> None:
        await super().setUp()
        self.bucket = MemoryBucket(staged=self.knows)
        self.woken = 0
        self.files = self.family()
        self.ann, self.bob = await self.user(), await self.user()

    def family(
        self,
        *,
        db: Database | None = None,
        reactor: Any = reactor,
        public_url: str | None = BASE,
        scaled: bool = True,
        refuses: bool = False,
        **limits: int,
    ) -> Files:
        """The operations, with another pool, public URL or limits, without smaller images, or one
        that refuses images with metadata."""
        place = reactor, db or self.db, self.bucket
        return Files(
            *place,
            option="local",
            limits=LIMITS._replace(**limits),
            public_url=public_url,
            scaled=scaled,
            refuses=refuses,
            blocks=FileBlocks(*place, acts(), self._count, WallClock()),
            stored=lambda: None,
        )

    def _count(self) -> None:
        self.woken += 1

    async def announce(
        self, *given: dict[str, Any], by: str | None = None, family: Files | None = None
    ) -> list[UploadedFile]:
        """POST /uploads, by Ann if nobody else."""
        caller = Caller(by or self.ann)
        return (await (family or self.files).announce_files(caller, self.body(*given))).files

    def body(self, *given: dict[str, Any]) -> UploadsBody:
        """A body of these files."""
        return msgspec.convert({"files": given}, UploadsBody)

    async def there(self, *given: dict[str, Any], by: str | None = None) -> list[bool]:
        """Of which files POST /uploads says that they are there."""
        return [file.upload is None for file in await self.announce(*given, by=by)]

    async def send(self, file: UploadedFile, data: bytes) -> files.Refusal | None:
        """PUT the bytes to the upload's URL."""
        self.bucket.put(place(file), data, token(file) if self.knows else None)
        if self.knows:
            return None
        async with self.db.transaction() as tx:
            return await files.arrived(tx, token(file), len(data), invalid=False)

    async def has(self, *data: bytes, by: str | None = None) -> None:
        """Announce entities, send and verify them."""
        given = [of(each) for each in data]
        for file, each in zip(await self.announce(*given, by=by), data, strict=True):
            self.assertIsNone(await self.send(file, each))
        self.assertEqual(await self.there(*given, by=by), [True] * len(data))

    async def usage(self, user: str | None = None) -> tuple[int, int]:
        """GET /user/{user}/storage: `used` and `pending`, Ann's if nobody else's."""
        user = user or self.ann
        storage = await self.files.get_user_storage(Caller(user), user)
        return storage.used, storage.pending

    def row(self, path: str) -> tuple[Any, ...]:
        """Size, stored and invalid of a file; none if there is no such row."""
        rows = self.sql("select size, stored, invalid from files where path = %s", path)
        return rows[0] if rows else ()

    async def claim(self, path: str, author: str, status: str = "active") -> str:
        """The id of a content that uses the file, whose row is made if need be."""
        content = await self.content(author)
        self.sql("insert into files (path) values (%s) on conflict do nothing", path)
        self.sql(
            """insert into claims (holder, kind, path, content_id, owner_id)
               select revision_id, 'revision', %s, id, author_id from contents where id = %s""",
            *(path, content),
        )
        flag = {"suspended": "suspended", "deleted": "deleted"}.get(status)
        if flag:
            self.sql(f"update contents set {flag} = true where id = %s", content)
        return content

    async def block(self, sha256: str, reason: str = "r") -> None:
        """PUT block, by an admin."""
        await self.files.block_file(Caller(guid(), admin=True), sha256, BlockBody(reason=reason))

    async def lift(self, sha256: str) -> None:
        """DELETE block, by an admin."""
        await self.files.unblock_file(Caller(guid(), admin=True), sha256)

    async def problem(self, *given: dict[str, Any], **options: Any) -> tuple[str, list[str]]:
        """Code and pointers of a refusal."""
        problem = await self.refused(self.announce(*given, **options))
        return problem.code, [each["pointer"] for each in problem.members["errors"]]
