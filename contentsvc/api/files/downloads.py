"""The files that content needs, and where to get them (files#downloads)."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Final

from msgspec import Struct, json

from contentsvc.api.call import Call
from contentsvc.api.content.types_and_platforms import Platforms
from contentsvc.api.errors import ContentNotFound, RevisionNotFound
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import InvalidHost
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.reply import Encoded, Pieces
from contentsvc.framework.http.route import route
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.storage.paths import EXTENSIONS, digest_of, media_type_of, path_of
from contentsvc.store.files import downloads as store
from contentsvc.store.files.downloads import Part, Shown
from contentsvc.wire.base import file_name
from contentsvc.wire.files import ContentFile, FilesQuery, FileUse

PIECE: Final = 40
"""Files in one piece of an answer: to sign them takes some milliseconds."""
PAGE: Final = 240
"""Parts that are read at once: entities, and platforms of packages."""
_encode = json.Encoder().encode


async def _parts(
    db: Db, revision: str, platform: str | None
) -> AsyncIterator[tuple[FileUse, Part]]:
    """The files of a revision and their uses: of its core, the entities that it brought, those that
    it uses, and its packages for one platform or all."""
    for part in await store.core(db, revision):
        yield "entity", part
    for originating in (True, False):
        after = 0
        while parts := await store.entities(db, revision, originating, after, PAGE):
            for part in parts:
                yield "entity", part
            after = parts[-1].place
    after = 0
    while parts := await store.packages(db, revision, platform, after, PAGE // 3):
        for part in parts:
            yield "package", part
        after = parts[-1].place


async def _take(
    parts: AsyncIterator[tuple[FileUse, Part]], most: int
) -> list[tuple[FileUse, Part]]:
    """The next ones that are the service's own files, up to a limit; none at the end."""
    found: list[tuple[FileUse, Part]] = []
    async for use, part in parts:
        if part.path is not None:
            found.append((use, part))
            if len(found) == most:
                break
    return found


class Downloads(Struct):
    """The files of content's entities and packages. They lie in `bucket`. `downloaded` is called
    for each URL that is handed out, with the bytes of its file, and `taken` for each user who gets
    the files of a content, with the content (content#counts)."""

    db: Database
    bucket: Bucket
    platforms: Platforms
    public_url: str | None
    downloaded: Callable[[int, int], object] | None = None
    taken: Callable[[str, str], object] = lambda user, content: None
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
        and of its packages. `url` is null for a file that cannot be had. What it gives is an
        attachment with the file's `name`, or one that is made of the content's."""
        platform = await self.platforms.asked(query.platform)
        base = self.public_url or call.base_url
        shown = await store.shown(self.db, content, None, *call.viewer)
        if shown is None or shown.revision_id is None:
            raise ContentNotFound()
        self._count(call, content)
        return await self._files(base, shown.revision_id, shown, platform)

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
        platform = await self.platforms.asked(query.platform)
        base = self.public_url or call.base_url
        shown = await store.shown(self.db, content, revision, *call.viewer)
        if shown is None:
            raise ContentNotFound()
        if shown.revision_id is None:
            raise RevisionNotFound()
        self._count(call, content)
        return await self._files(base, revision, shown, platform)

    def _count(self, call: Call, content: str) -> None:
        if call.caller is not None and not call.service:
            call.when_given(partial(self.taken, call.user, content))

    async def _files(
        self, base: str, revision: str, shown: Shown, platform: str | None
    ) -> Encoded[list[ContentFile]] | Pieces[list[ContentFile]]:
        def encoded(found: list[tuple[FileUse, Part]]) -> bytes:
            return _encode([self._file(base, use, part, shown) for use, part in found])

        first = await _take(_parts(self.db, revision, platform), self.piece + 1)
        if len(first) <= self.piece:
            return Encoded(encoded(first))

        # It is read again: nothing that is written may be older than the validator.
        db = self.db.whole()
        parts = _parts(db, revision, platform)

        async def more() -> bytes:
            return encoded(await _take(parts, self.piece))[1:-1]

        async def state() -> str:
            # One URL shows the hour and the key of all, and the name of the content.
            zero = path_of("0" * 64)
            url = self.bucket.sign_download(base, zero, shown.name).url if shown.active else ""
            return f"{url} {await store.files_state(db, revision, platform)}"

        return Pieces(more, state)

    def _file(self, base: str, use: FileUse, part: Part, shown: Shown) -> ContentFile:
        path, size = part.path or "", part.size or 0
        media_type = media_type_of(path)
        signed = None
        if shown.active and part.readable:
            # That of the content that is asked for: another that brought the part may be hidden.
            name = part.name or file_name(shown.name, EXTENSIONS.get(media_type, ".bin"))
            signed = self.bucket.sign_download(base, path, name)
        if signed is not None and self.downloaded is not None:
            self.downloaded(1, size)
        return ContentFile(
            path=path,
            use=use,
            sha256=digest_of(path),
            size=size,
            media_type=media_type,
            url=None if signed is None else signed.url,
            expires=None if signed is None else signed.expires,
            platform=part.platform,
            name=part.name,
        )
