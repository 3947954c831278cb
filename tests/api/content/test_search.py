"""Browsing and searching content (extensions §1), with words as they are published."""

from typing import Any

from msgspec import json

from contentsvc.api.content.items import Content
from contentsvc.api.content.publishing import Publishing
from contentsvc.api.content.search import Search
from contentsvc.store.content import ratings
from contentsvc.web.call import Viewer
from contentsvc.web.decode import Either
from contentsvc.wire.content import ContentSearch
from tests.api.support import ApiCase, Caller, Notifier, Tasks, infos_of, no_types
from tests.support.databases import guid


class SearchCase(ApiCase):
    """Content of a class's tests is in one database: each test has an author, or words, of its
    own."""

    async def setUp(self) -> None:
        await super().setUp()
        queue = Tasks()
        publishing = Publishing(self.db, queue, (), 0, 0, None, no_types(self.db))
        self.contents = Content(self.db, Notifier(), queue, publishing, no_types(self.db))
        self.search = Search(self.db, no_types(self.db))
        self.author = await self.user()
        self.by_author = Caller(self.author)
        self.stranger = Caller()
        self.stranger.viewer = Viewer(None, False)
        self.by_admin = Caller(await self.user(), admin=True)

    async def made(
        self,
        name: str = "Castle",
        description: str = "",
        tags: list[str] | None = None,
        type: str = "game",
    ) -> str:
        """The id of new content of the author's."""
        content = guid()
        core = {"entityId": guid(), "revisionId": guid(), "path": "core"}
        body = {
            **{"name": name, "description": description, "tags": tags or [], "type": type},
            **{"screenshotUris": ["s.png"], "revisionId": guid(), "revisionDescription": ""},
            **{"version": "1", "entity": core, "originating": [], "using": []},
        }
        await self.contents.put_content(self.by_author, content, Either(json.encode(body), None))
        return content

    async def changed(self, content: str, **members: Any) -> None:
        """Update content."""
        body = json.encode({"screenshotUris": ["s.png"], **members})
        await self.contents.put_content(self.by_author, content, Either(body, None))

    async def found(self, by: Caller | None = None, **query: Any) -> list[str]:
        """The ids of a list, part by part."""
        found, after = [], None
        for _ in range(20):
            asked = ContentSearch(**query, after=after)
            part = await self.search.list_content(by or self.stranger, asked)
            found += [info.id for info in infos_of(part)]
            after = part.after
            if after is None:
                return found
        self.fail("it does not end")

    async def vote(self, content: str, up: int, down: int = 0) -> None:
        """So many users vote."""
        for n in range(up + down):
            await ratings.put(self.db, await self.user(), content, False, n < up)


class WordTests(SearchCase):
    async def check(self, q: str, *expected: str) -> None:
        """A search has these results, in whatever order."""
        found = await self.found(q=q, author=self.author)
        self.assertEqual(sorted(found), sorted(expected), q)

    async def test_places(self) -> None:
        """Words are those of the name, of the tags and of the description."""
        game = await self.made("Tilting Tower", "Stack it high", ["physics lab"])
        for q in ("tilting", "tower", "stack", "high", "physics", "lab"):
            await self.check(q, game)
        await self.check("low")

    async def test_all(self) -> None:
        """All words must match, wherever each of them is, in any order."""
        game = await self.made("Tilting Tower", "Stack it high", ["physics"])
        await self.check("physics high tower", game)
        await self.check("tower low")

    async def test_prefix(self) -> None:
        """The last word may be the beginning of one, and no other may."""
        game = await self.made("Tilting Tower")
        await self.check("tow", game)
        await self.check("t", game)
        await self.check("tilting tow", game)
        await self.check("tilt tower")
        await self.check("ower")

    async def test_case(self) -> None:
        """Case does not matter, beyond ASCII too, nor does the width of characters."""
        game = await self.made("ÆRØ Straße İstanbul ΣΊΣΥΦΟΣ \uff21\uff22\uff23")
        for q in ("ærø", "STRASSE", "istanbul", "İSTANBUL", "σίσυφος", "abc", "Ærø straß"):
            await self.check(q, game)

    async def test_characters(self) -> None:
        """Words are runs of letters and digits, in every script, with the marks on them."""
        game = await self.made("snake_case o'neill 3D-Welt", "हिन्दी 東京 ё")
        for q in ("snake", "case", "neill", "3d", "welt", "हिन्दी", "東", "Ё", "o'neill", "3d-welt"):
            await self.check(q, game)
        await self.check("हि", game)

    async def test_no_stop_words(self) -> None:
        """Every word counts, however frequent, and as it is written."""
        game = await self.made("The runs of the day")
        await self.check("the", game)
        await self.check("of the", game)
        await self.check("running")
        await self.check("day run", game)

    async def test_no_word(self) -> None:
        """Nothing has what is no word."""
        await self.made("!!! ???")
        await self.check("!!!")
        await self.check("_")

    async def test_awkward(self) -> None:
        """What means something to SQL or to Postgres' own search is nothing special here."""
        game = await self.made("a & b | !c <-> 'd' \\ e:* ~ f", "\\' :A")
        for q in ("a & b", "'d'", "\\ e:*", "~ f", "a:*", "!c", "a <-> b", "%s", "(a"):
            found = await self.found(q=q, author=self.author)
            self.assertEqual(found, [] if q == "%s" else [game], q)

    async def test_long_words(self) -> None:
        """Of a word that is too long its beginning counts, in what is searched too."""
        game = await self.made("x", "y" * 5000)
        for length in (1, 64, 65, 256):
            await self.check("y" * length, game)

    async def test_long_description(self) -> None:
        """The longest description is found by its first words, whatever characters it has."""
        many = " ".join(f"{chr(0x4E00 + n // 150)}{chr(0x3041 + n % 80)}" for n in range(16_000))
        first = await self.made("x", f"first {many} last")
        second = await self.made("x", "㌖㌔㌳㌆ " * 13_107)
        third = await self.made("x", " ".join(f"{n:x}㌖㌖㌖㌖㌖㌖" for n in range(6_000)))
        await self.check("first", first)
        await self.check("last")
        await self.check("キロメートル", second)
        await self.check("x", first, second, third)

    async def test_change(self) -> None:
        """With a new description or new tags, the old words are gone, and the name's stay."""
        game = await self.made("Tower", "high", ["physics"])
        await self.changed(game, description="low")
        await self.check("tower physics low", game)
        await self.check("high")
        await self.changed(game, description="low", tags=["race"])
        await self.check("race", game)
        await self.check("physics")
        self.assertEqual(await self.found(tags="physics", author=self.author), [])

    async def test_relevance(self) -> None:
        """The name comes before tags and those before the description, a word before a beginning;
        among equals the newest."""
        last = await self.made("x", "towers")
        whole = await self.made("x", "tower")
        tag_begins = await self.made("x", "", ["towers"])
        tag = await self.made("x", "", ["tower"])
        name_begins = await self.made("towers")
        older = await self.made("my tower", "tower", ["tower"])
        newer = await self.made("tower")
        expected = [newer, older, name_begins, tag, tag_begins, whole, last]
        for limit in (1, 3, 50):
            found = await self.found(q="tower", author=self.author, limit=limit)
            self.assertEqual(found, expected)

    async def test_relevance_of_several(self) -> None:
        """Content with more of the words in its name comes first."""
        one = await self.made("tower", "high")
        both = await self.made("high tower")
        none = await self.made("x", "high tower")
        self.assertEqual(await self.found(q="tower high", author=self.author), [both, one, none])

    async def test_sorts(self) -> None:
        """Matches can be sorted as other lists are."""
        games = [await self.made("tower") for _ in range(3)]
        await self.vote(games[0], 2)
        expected = [games[0], games[2], games[1]]
        for sort in ("top", "trending"):
            for limit in (1, 2, 50):
                asked = {"q": "tower", "author": self.author, "sort": sort, "limit": limit}
                self.assertEqual(await self.found(**asked), expected, asked)
        for sort in ("newest", "updated"):
            asked = {"q": "tower", "author": self.author, "sort": sort, "limit": 2}
            self.assertEqual(await self.found(**asked), games[::-1])


class BadTests(SearchCase):
    async def test_refused(self) -> None:
        """What makes no sense is refused, by the name of its parameter."""
        for parameter, query in {
            "sort": {"sort": "relevance"},
            "category": {"category": "level"},
            "tags": {"tags": "a,,b"},
            "q": {"q": " \t"},
            "ids": {"ids": ",".join([guid()] * 101)},
            "after": {"after": "12"},
        }.items():
            problem = await self.refused(
                self.search.list_content(self.stranger, ContentSearch(**query))
            )
            self.assertEqual(problem.status, 400)
            self.assertEqual(problem.members["errors"][0]["parameter"], parameter)
        for query in (
            {"q": "x" * 257},
            {"tags": ""},
            {"tags": ","},
            {"ids": ""},
            {"ids": "x"},
            {"tags": ",".join(map(str, range(65)))},
        ):
            asked = ContentSearch(**query)
            problem = await self.refused(self.search.list_content(self.stranger, asked))
            self.assertEqual(problem.status, 400, query)

    async def test_limits(self) -> None:
        """A q of 256 characters without its blanks, and one, are good."""
        for q in (f" {'x' * 256} ", "x", "a " * 128):
            self.assertEqual(await self.found(q=q, author=self.author), [])

    async def test_status(self) -> None:
        """An admin's status is checked; others' is ignored, whatever it is."""
        asked = ContentSearch(status="gone", author=self.author)
        problem = await self.refused(self.search.list_content(self.by_admin, asked))
        self.assertEqual(problem.status, 400)
        self.assertEqual(infos_of(await self.search.list_content(self.by_author, asked)), [])

    async def test_cursors(self) -> None:
        """A cursor is good for the list that gave it, and for no other; made-up ones are none."""
        for _ in range(3):
            await self.made("tower", tags=["a"])
        lists: list[dict[str, Any]] = [
            {"sort": sort, **more}
            for sort in ("newest", "updated", "top", "trending")
            for more in ({}, {"q": "tower"}, {"tags": "a"}, {"author": self.author})
        ]
        cursors = []
        for query in lists:
            asked = ContentSearch(**query, limit=1)
            (_, cursor) = await self.search.list_content(self.stranger, asked)
            cursors.append(cursor)
        self.assertEqual(len(set(cursors)), len(lists))
        for query, own in zip(lists, cursors, strict=True):
            for cursor in (*cursors, "A" * 16, "A" * 27, "-", "é", "====", "x" * 64):
                asked = ContentSearch(**query, after=cursor)
                if cursor == own:
                    part = await self.search.list_content(self.stranger, asked)
                    self.assertTrue(infos_of(part))
                    continue
                problem = await self.refused(self.search.list_content(self.stranger, asked))
                self.assertEqual(problem.status, 400)
