"""The files that content needs, and where to get them (extensions §3)."""

from collections.abc import Awaitable, Callable
from typing import Final

from msgspec import Struct, json

from contentsvc.api.errors import ContentNotFound, RevisionNotFound
from contentsvc.bucket.bucket import Bucket
from contentsvc.db.database import Database
from contentsvc.db.query import Db
from contentsvc.store.files import downloads as store
from contentsvc.store.files.downloads import Part
from contentsvc.web.call import Call
from contentsvc.web.errors import InvalidHost
from contentsvc.web.permissions import ANYONE
from contentsvc.web.reply import Encoded, Pieces
from contentsvc.web.route import route
from contentsvc.wire.files import (
    ContentFile,
    FilesQuery,
    FileUse,
    digest_of,
    media_type_of,
    path_of,
)

PIECE: Final = 40
"""Files in one piece of an answer: to sign them takes some milliseconds."""
PAGE: Final = 240
"""Parts that are read at once: entities, and platforms of packages."""
_encode = json.Encoder().encode
_Read = Callable[[int], Awaitable[list[Part]]]
"""Gives parts after a place; none at the end."""


class Walk:
    """A walk over the files of a revision: of its core, the entities that it brought, those that it
    uses, and its packages for one platform or all."""

    def __init__(self, db: Db, revision: str, platform: str | None) -> None:
        self._db = db
        self._revision = revision
        self._platform = platform
        sections: list[tuple[FileUse, _Read]] = [
            ("entity", self._core),
            ("entity", self._originating),
            ("entity", self._using),
            ("package", self._packages),
        ]
        self._sections = iter(sections)
        self._section = next(self._sections, None)
        self._after = 0
        self._held: list[tuple[FileUse, Part]] = []

    async def take(self, most: int) -> list[tuple[FileUse, Part]]:
        """The next files and their uses, at most so many; none at the end."""
        while self._section is not None and len(self._held) < most:
            use, read = self._section
            parts = await read(self._after)
            self._held += [(use, part) for part in parts if part.path is not None]
            if parts:
                self._after = parts[-1].place
            else:
                self._section, self._after = next(self._sections, None), 0
        taken, self._held = self._held[:most], self._held[most:]
        return taken

    async def _core(self, after: int) -> list[Part]:
        return await store.core(self._db, self._revision) if after == 0 else []

    async def _originating(self, after: int) -> list[Part]:
        return await store.entities(self._db, self._revision, True, after, PAGE)

    async def _using(self, after: int) -> list[Part]:
        return await store.entities(self._db, self._revision, False, after, PAGE)

    async def _packages(self, after: int) -> list[Part]:
        return await store.packages(self._db, self._revision, self._platform, after, PAGE // 3)


class Downloads(Struct):
    """The files of content's entities and packages. They lie in `bucket`."""

    db: Database
    bucket: Bucket
    public_url: str | None
    piece: int = PIECE

    @route(
        "GET",
        "/content/<guid:content>/files",
        allow=ANYONE,
        raises=(InvalidHost, ContentNotFound),
    )
    async def list_content_files(
        self, call: Call, content: str, query: FilesQuery
    ) -> Encoded[list[ContentFile]] | Pieces[list[ContentFile]]:
        """List the files that a content item needs: those of its core entity, of all dependencies
        and of its packages. `url` is null for a file that cannot be had."""
        base = self.public_url or call.base_url
        shown = await store.shown(self.db, content, None, *call.viewer)
        if shown is None or shown.revision_id is None:
            raise ContentNotFound()
        return await self._files(base, shown.revision_id, shown.active, query.platform)

    @route(
        "GET",
        "/content/<guid:content>/revisions/<guid:revision>/files",
        allow=ANYONE,
        raises=(InvalidHost, ContentNotFound, RevisionNotFound),
    )
    async def list_revision_files(
        self, call: Call, content: str, revision: str, query: FilesQuery
    ) -> Encoded[list[ContentFile]] | Pieces[list[ContentFile]]:
        """List the files that one revision of a content item needs, in the same way."""
        base = self.public_url or call.base_url
        shown = await store.shown(self.db, content, revision, *call.viewer)
        if shown is None:
            raise ContentNotFound()
        if shown.revision_id is None:
            raise RevisionNotFound()
        return await self._files(base, revision, shown.active, query.platform)

    async def _files(
        self, base: str, revision: str, active: bool, platform: str | None
    ) -> Encoded[list[ContentFile]] | Pieces[list[ContentFile]]:
        def encoded(found: list[tuple[FileUse, Part]]) -> bytes:
            return _encode([self._file(base, use, part, active) for use, part in found])

        first = await Walk(self.db, revision, platform).take(self.piece + 1)
        if len(first) <= self.piece:
            return Encoded(encoded(first))

        # It is read again: nothing that is written may be older than the validator.
        db = self.db.whole()
        walk = Walk(db, revision, platform)

        async def more() -> bytes:
            return encoded(await walk.take(self.piece))[1:-1]

        async def state() -> str:
            # One URL stands for the hour and the key of all.
            url = self.bucket.sign_download(base, path_of("0" * 64)).url if active else ""
            return f"{url} {await store.files_state(db, revision, platform)}"

        return Pieces(more, state)

    def _file(self, base: str, use: FileUse, part: Part, active: bool) -> ContentFile:
        path, size = part.path or "", part.size or 0
        readable = active and part.readable
        signed = self.bucket.sign_download(base, path) if readable else None
        return ContentFile(
            path=path,
            use=use,
            sha256=digest_of(path),
            size=size,
            media_type=media_type_of(path),
            url=None if signed is None else signed.url,
            expires=None if signed is None else signed.expires,
        )
