"""The files that content needs, and their URLs (files#downloads)."""

from typing import Any

import msgspec

from contentsvc.api.files.downloads import PIECE, Downloads
from contentsvc.framework.http.reply import Encoded, Pieces
from contentsvc.wire.files import FilesQuery
from tests.api.content.test_items import draft
from tests.api.content.test_revisions import reference
from tests.api.files.filing import FilingCase, bundle, new, part
from tests.api.support import Caller, no_platforms
from tests.support.buckets import MemoryBucket

BASE = "https://content.example"


class DownloadCase(FilingCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.bucket = MemoryBucket()
        self.downloads = Downloads(self.db, self.bucket, no_platforms(self.db), public_url=BASE)

    async def answer(
        self, game: str, chosen: str | None = None, *, by: Caller | None = None, **query: Any
    ) -> Any:
        """GET of the files of a content, or of one of its revisions."""
        given = FilesQuery(**query)
        caller = by or self.by_ann
        if chosen is None:
            return await self.downloads.list_content_files(caller, game, given)
        return await self.downloads.list_revision_files(caller, game, chosen, given)

    async def files(self, *args: Any, **more: Any) -> list[dict[str, Any]]:
        """The list."""
        answer = await self.answer(*args, **more)
        assert isinstance(answer, Encoded)
        found: list[dict[str, Any]] = msgspec.json.decode(answer.json)
        return found

    async def urls(self, *args: Any, **more: Any) -> dict[str, str | None]:
        """The URLs by paths."""
        return {file["path"]: file["url"] for file in await self.files(*args, **more)}


class UrlTests(DownloadCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.base_path, self.own = self.uploaded()[0], self.uploaded()[0]
        self.base = draft(entity=part(self.base_path))
        self.lower = await self.made(self.base, self.by_bob_sending(self.base_path))
        body = draft(entity=part(self.own), using=[reference(self.base["entity"])])
        self.upper = await self.made(body)

    def by_bob_sending(self, path: str) -> Caller:
        """Bob has sent the file too."""
        self.sql(
            "insert into user_files (user_id, path, size, sent) values (%s, %s, 10, true)",
            *(self.bob, path),
        )
        return self.by_bob

    async def has(self, game: str, **more: Any) -> list[bool]:
        """Which of its files have a URL."""
        return [url is not None for url in (await self.urls(game, **more)).values()]

    async def test_dependents(self) -> None:
        """What suspended content has brought has no URL, also if it is deleted too; what deleted
        content has brought keeps its own, also after it has given up its files."""
        self.flag(self.lower, deleted=True)
        self.assertEqual(await self.has(self.upper), [True, True])
        self.sql("delete from claims where content_id = %s", self.lower)
        self.assertEqual(await self.has(self.upper), [True, True])
        self.flag(self.lower, suspended=True)
        self.assertEqual(await self.has(self.upper), [True, False])
        self.flag(self.lower, deleted=False)
        self.assertEqual(await self.has(self.upper), [True, False])
        self.flag(self.lower, suspended=False)
        self.assertEqual(await self.has(self.upper), [True, True])

    async def test_bytes(self) -> None:
        """What is blocked, lost or given up has no URL; it is listed for as long as there is a
        trace of it."""
        self.sql("insert into blocked_files (sha256, reason) values (%s, '')", self.own[3:])
        self.assertEqual(await self.has(self.upper), [False, True])
        self.sql("delete from blocked_files")
        self.sql("update files set stored = false where path = %s", self.own)
        self.assertEqual(await self.has(self.upper), [False, True])
        self.sql("update files set stored = true where path = %s", self.own)
        current = self.standing(self.upper)[0]
        await self.publish(game=self.upper)
        await self.delete_revision(self.upper, current)
        urls = await self.urls(self.upper, current)
        self.assertEqual(urls, {self.own: None, self.base_path: None})
        self.sql("delete from user_files where path = %s", self.own)
        self.sql("delete from files where path = %s", self.own)
        self.assertEqual(await self.urls(self.upper, current), {self.base_path: None})

    async def test_text(self) -> None:
        """A path that was stored before it was anybody's own has no URL: claims give them."""
        (path,) = self.uploaded()
        self.sql("update entities set path = %s where content_id = %s", path, self.game)
        self.assertEqual(await self.urls(self.game), {path: None})


class LongTests(DownloadCase):
    async def whole(self, pieces: Pieces[Any]) -> list[dict[str, Any]]:
        """All of a long list."""
        found: list[bytes] = []
        while piece := await pieces.more():
            self.assertLessEqual(piece.count(b'"sha256"'), PIECE)
            found.append(piece)
        items: list[dict[str, Any]] = msgspec.json.decode(b"[" + b",".join(found) + b"]")
        return items

    async def test_pieces(self) -> None:
        """A long list comes in pieces, whole, in order, and the studio's paths are no end of it."""
        paths = [new() for _ in range(700)]
        self.sql("insert into files (path, size, stored) select unnest(%s), 10, true", paths)
        self.sql(
            """insert into user_files (user_id, path, size, sent)
               select %s, unnest(%s), 10, true""",
            *(self.ann, paths),
        )
        studio = [part("studio/part") for _ in range(500)]
        lower = draft(
            entity=part(paths[0]),
            originating=[*studio, *map(part, paths[1:301])],
            packagesOriginating=[
                *(bundle(win64="studio/package") for _ in range(100)),
                *(
                    bundle(win64=win, osx64=osx)
                    for win, osx in zip(paths[301:500], paths[501:], strict=True)
                ),
            ],
        )
        game = await self.made(lower)
        answer = await self.answer(game)
        found = await self.whole(answer)
        packages = [path for pair in zip(paths[301:500], paths[501:], strict=True) for path in pair]
        self.assertEqual([file["path"] for file in found], [*paths[:301], *packages])
        self.assertTrue(all(file["url"] for file in found))
        answer = await self.answer(game, platform="osx64")
        found = await self.whole(answer)
        self.assertEqual([file["path"] for file in found], [*paths[:301], *paths[501:]])

    async def test_state(self) -> None:
        """The validator changes with the files, the hour of the URLs and who sees them, and with
        nothing else."""
        self.downloads = Downloads(
            self.db, self.bucket, no_platforms(self.db), public_url=BASE, piece=2
        )
        (core,), (brought,), (other,) = (self.uploaded() for _ in range(3))
        body = draft(
            entity=part(core),
            originating=[part(brought)],
            packagesOriginating=[bundle(win64=other)],
        )
        game = await self.made(body)

        async def state(**query: Any) -> str:
            answer = await self.answer(game, **query)
            assert isinstance(answer, Pieces)
            return str(await answer.state())

        first = await state()
        await self.made(draft())
        self.assertEqual(await state(), first)
        seen = {first}
        for change in (
            "update files set stored = false where path = %s",
            "update files set size = 11 where path = %s",
        ):
            self.sql(change, other)
            seen.add(await state())
        self.downloads = Downloads(
            self.db, self.bucket, no_platforms(self.db), public_url="https://x", piece=2
        )
        seen.add(await state())
        self.flag(game, suspended=True)
        seen.add(await state())
        self.assertEqual(len(seen), 5)
