"""What newer content with the same beginnings must not hide (content#browsing)."""

from contextlib import closing
from typing import ClassVar

import psycopg2
from psycopg2.extras import execute_values

from contentsvc.api.call import Viewer
from contentsvc.api.content.search import Search
from contentsvc.store.content import search_index
from contentsvc.store.content.matches import RANKED
from contentsvc.wire.searches import ContentSearch
from tests.api.support import ApiCase, Caller, infos_of, no_platforms, no_types
from tests.support.databases import guid

NEWER = RANKED + 10


class NewerTests(ApiCase):
    """Some content, and then more whose names begin alike than are sorted; made once."""

    alone = True
    timeout = 120.0
    found: ClassVar[dict[str, str]] = {}

    async def setUp(self) -> None:
        await super().setUp()
        self.search = Search(self.db, no_types(self.db), no_platforms(self.db))
        self.stranger = Caller()
        self.stranger.viewer = Viewer(None, False)
        if self.found:
            return
        author = await self.user()
        names = ["Tower", "Tówer", "The tower", *(f"Towering {n}" for n in range(NEWER))]
        names += ["Castle", *(f"Castle {n}" for n in range(NEWER))]
        rows = [
            (guid(), author, "game", 50 if name in {"Tower", "Castle"} else 0, name, guid())
            for name in names
        ]
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            execute_values(
                cursor,
                "insert into contents (id, author_id, type, up, name, description, screenshots,"
                " tags, revision_id) values %s",
                rows,
                template="(%s::uuid, %s::uuid, %s, %s, %s, '', '{s.png}', '{}', %s::uuid)",
            )
            connection.commit()
        self.sql("update content_ranks set trending = top, played = top, subscribed = top")
        while await search_index.renew_stale(self.db):
            pass
        type(self).found = {row[4]: row[0] for row in rows}

    async def names(self, q: str, sort: str, limit: int = 200) -> list[str]:
        """The names of a list, all parts."""
        found, after = [], None
        while True:
            asked = ContentSearch(q=q, sort=sort, limit=limit, after=after)
            part = await self.search.list_content(self.stranger, asked)
            found += [info.name for info in infos_of(part)]
            after = part.after
            if after is None:
                return found

    async def test_first(self) -> None:
        """What has the most votes, plays or subscribers is first, and an exact name by relevance,
        however much newer content begins like it."""
        for q in ("tower", "castle"):
            for sort in ("top", "trending", "played", "subscribed", "relevance"):
                asked = ContentSearch(q=q, sort=sort, limit=5)
                part = await self.search.list_content(self.stranger, asked)
                self.assertEqual(infos_of(part)[0].name, q.title(), sort)

    async def test_whole(self) -> None:
        """All parts have all matches, each once."""
        expected = sorted(name for name in self.found if "ower" in name or "ówer" in name)
        for sort in ("newest", "updated", "top", "trending", "played", "subscribed"):
            self.assertEqual(sorted(await self.names("tower", sort)), expected, sort)

    async def test_relevance(self) -> None:
        """Of those that only begin so the newest are found; before them those that are named so,
        and those that have the word, though they are the oldest."""
        found = await self.names("tower", "relevance")
        self.assertEqual(found[:3], ["Tower", "Tówer", "The tower"])
        self.assertEqual(len(found), RANKED + 3)
        self.assertEqual(len(set(found)), len(found))
        self.assertNotIn("Towering 1", found)

    async def test_same_word(self) -> None:
        """Where the newest have the word too, only what is named so is found beyond them."""
        found = await self.names("castle", "relevance")
        self.assertEqual(found[0], "Castle")
        self.assertEqual(len(found), RANKED + 1)
        self.assertEqual(len(set(found)), len(found))
