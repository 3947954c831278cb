"""The lists of all content (content#browsing): each has what a plain look at all rows gives."""

from contextlib import closing
from itertools import product
from random import Random
from typing import Any, ClassVar, NamedTuple

import psycopg2
from psycopg2.extras import execute_values

from contentsvc.api.call import Viewer
from contentsvc.api.content.search import Search
from contentsvc.store.content import browsing, matches, search_index
from contentsvc.store.content.found_parts import READ_AT_ONCE
from contentsvc.store.content.matches import RANKED
from contentsvc.wire.content import CONTENT_TYPES
from contentsvc.wire.searches import ContentSearch
from tests.api.support import ApiCase, Caller, infos_of, no_platforms, no_types
from tests.support.databases import guid

CONTENTS = RANKED + 300
SORTS = ("newest", "updated", "top", "trending", "played", "subscribed")


class Item(NamedTuple):
    """A content, as a test sees it."""

    id: str
    number: int
    listing_id: int
    type: str
    status: str
    author: str
    featured: bool
    tags: list[str]
    name: str
    top: float
    trending: float
    played: float
    subscribed: float
    current: str
    older: str | None

    @property
    def n(self) -> int:
        """The number in its name."""
        return int(self.name.rpartition("n")[2])

    def fits(self, game: str = "2", platform: str = "win64", features: str = "vr") -> str | None:
        """The revision that fits a client."""
        if (features == "vr" or self.n % 7 == 0) and (platform == "win64" or self.n % 700 == 3):
            return self.current
        return self.older if game == "2" and platform == "win64" else None

    def place(self, sort: str) -> tuple[float, int]:
        """What the list is sorted by, the greatest first."""
        if sort == "newest":
            return 0, self.number
        if sort == "updated":
            return 0, self.listing_id
        return float(getattr(self, sort)), self.number


class ListCase(ApiCase):
    """More content than is read in order at a time, or ranked; made once."""

    alone = True
    items: ClassVar[list[Item]] = []
    authors: ClassVar[list[str]] = []

    async def setUp(self) -> None:
        await super().setUp()
        self.search = Search(self.db, no_types(self.db), no_platforms(self.db))
        self.stranger, self.admin = Caller(), Caller(admin=True)
        self.stranger.viewer = Viewer(None, False)
        if not self.items:
            await self.fill()

    async def fill(self) -> None:
        """Make the content. What has no votes has the tag `low`, and so has little else."""
        type(self).authors = [await self.user() for _ in range(3)]
        dice = Random(7)
        rows = []
        for n in range(CONTENTS):
            up, down = dice.choice([(0, 0), (0, 2), (1, 0), (3, 1), (dice.randrange(50), 5)])
            tags = [f"T{n % 2}", f"t{n % 40}", *(["low"] if up == 0 else [])]
            tags += ["rare"] if n % 600 == 5 else []
            author = self.authors[0 if n % 100 == 0 else dice.choice((1, 2))]
            flags = dice.random() < 0.03, dice.random() < 0.03
            listing = dice.randrange(10**9)
            status = "deleted" if flags[1] else "suspended" if flags[0] else "active"
            name = f"Castle{' keep' if n % 10 == 0 else ''} n{n}"
            row = guid(), listing, author, dice.choice(CONTENT_TYPES), *flags, status, up, down
            rows.append((*row, name, "all", ["s.png"], tags, n % 9 == 0, guid()))
        with closing(psycopg2.connect(self.url)) as connection, connection.cursor() as cursor:
            execute_values(
                cursor,
                "insert into contents (id, listing_id, author_id, type, suspended, deleted, status,"
                " up, down, name, description, screenshots, tags, featured, revision_id) values %s",
                rows,
                template="(%s::uuid, %s, %s::uuid, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s,"
                " %s::uuid)",
            )
            connection.commit()
        self.sql("select setseed(0.5)")
        self.sql("update content_ranks set net = floor(random() * 20 - 10)")
        self.sql("update content_ranks set trending = trend(net)")
        self.sql("update content_ranks set played = floor(random() * 9), subscribed = number % 4")
        # Most need something that not all clients have, and of some an older one does not.
        self.sql(
            """insert into revisions (id, content_id, version, description, entity_id,
                                      entity_revision, ordinal, game_min, platforms, features)
               select case o when 2 then revision_id else gen_random_uuid() end, id, '', '',
                      gen_random_uuid(), gen_random_uuid(), o,
                      case o when 1 then '{2,0,0,0}'::integer[] end,
                      case when o = 1 or n % 700 <> 3 then '{win64}'::text[] end,
                      case when o = 2 and n % 7 <> 0 then '{vr}'::text[] end
               from (select *, substring(name from '[0-9]+$')::integer as n from contents) c,
                    generate_series(1, 2) o
               where o = 2 or n % 5 = 0"""
        )
        while await search_index.renew_stale(self.db):
            pass
        found = self.sql(
            "select c.id, c.number, c.listing_id, c.type, status, author_id, featured, tags, name,"
            " top, trending, played, subscribed, c.revision_id, o.id"
            " from contents c join content_ranks r on r.content_id = c.id"
            " left join revisions o on o.content_id = c.id and o.ordinal = 1"
        )
        type(self).items = [Item(*row) for row in found]

    async def parts(self, by: Caller, limit: int, **query: Any) -> list[str]:
        """The ids of a list, part by part."""
        found: list[str] = []
        after = None
        while True:
            asked = ContentSearch(**query, limit=limit, after=after)
            part = await self.search.list_content(by, asked)
            infos, after = infos_of(part), part.after
            self.assertLessEqual(len(infos), limit)
            found += [info.id for info in infos]
            if after is None:
                return found

    def fitting(self, q: str = "", **query: Any) -> list[Item]:
        """The content that a query is about."""
        types = query.get("category", ",".join(CONTENT_TYPES)).split(",")
        tags = [tag.lower() for tag in query.get("tags", "").split(",") if tag]
        words = q.lower().split()
        return [
            item
            for item in self.items
            if item.type in types
            and item.status in query.get("status", "active").split(",")
            and set(tags) <= {tag.lower() for tag in item.tags}
            and query.get("author", item.author) == item.author
            and query.get("featured", item.featured) == item.featured
            and set(words) <= {*item.name.lower().split(), *item.tags, "all"}
        ]

    async def check(self, by: Caller | None = None, limit: int = 200, **query: Any) -> int:
        """A list is what it should be. Gives its length."""
        sort = query["sort"]
        expected = self.fitting(**{name: query[name] for name in query if name != "sort"})
        expected.sort(key=lambda item: item.place(sort), reverse=True)
        found = await self.parts(by or self.stranger, limit, **query)
        self.assertEqual(found, [item.id for item in expected], query)
        return len(found)


class ConditionTests(ListCase):
    timeout = 120.0

    async def test_all(self) -> None:
        """Without conditions, a list has all active content, in parts of whatever length."""
        for sort, limit in product(SORTS, (200, 171)):
            self.assertGreater(await self.check(sort=sort, limit=limit), 2 * READ_AT_ONCE)

    async def test_category(self) -> None:
        """A list has the types that are asked for."""
        for sort, category in product(SORTS, ("game", "asset,scene_box", ",".join(CONTENT_TYPES))):
            await self.check(sort=sort, category=category)

    async def test_conditions(self) -> None:
        """It has what all conditions hold for: whether that is much or little, first in the order
        of the list or last."""
        conditions: list[dict[str, Any]] = [
            {"tags": "t0"},
            {"tags": "T1,t3"},
            {"tags": "rare"},
            {"tags": "LOW"},
            {"tags": "none"},
            {"author": self.authors[0]},
            {"author": self.authors[1]},
            {"author": guid()},
            {"featured": True},
            {"featured": False},
            {"featured": True, "category": "game", "tags": "low", "author": self.authors[2]},
        ]
        for sort, condition in product(SORTS, conditions):
            await self.check(sort=sort, **condition)
        for sort in SORTS:
            await self.check(sort=sort, limit=1, tags="rare")
            await self.check(sort=sort, limit=7, tags="low", featured=True)

    async def test_words(self) -> None:
        """Matches of words are sorted, all of them, whether these are few or much of all."""
        for sort in SORTS:
            for q in ("castle", "keep", "n600", "castle keep all", "nothing", "rare"):
                await self.check(sort=sort, q=q)
            await self.check(sort=sort, q="castle", tags="low", category="game,asset")
            await self.check(sort=sort, q="keep", author=self.authors[0], featured=True)
        self.assertGreater(len(self.fitting(q="castle")), RANKED)

    async def test_many_words(self) -> None:
        """So are they where more are found than are looked up: parts may be short then, as the
        words are late in the order, while the list goes on."""
        self.patch(matches, "FEW", 5)
        for many, longest in ((2000, 40), (10, 40), (10, 1)):
            self.patch(matches, "MANY", many)
            self.patch(browsing, "LONGEST", longest)
            for sort in SORTS:
                for limit, q in ((200, "castle"), (200, "low"), (200, "rare"), (7, "keep")):
                    await self.check(sort=sort, q=q, limit=limit)
        asked = ContentSearch(q="low", sort="top", limit=10)
        part = await self.search.list_content(self.stranger, asked)
        self.assertEqual(infos_of(part), [])
        self.assertIsNotNone(part.after)

    async def test_status(self) -> None:
        """Admins get the statuses that they ask for, and by default what everybody gets."""
        for sort in SORTS:
            await self.check(self.admin, sort=sort)
            for status in ("suspended", "deleted,suspended", "active,suspended,deleted"):
                self.assertTrue(await self.check(self.admin, sort=sort, status=status))
                await self.check(self.admin, sort=sort, status=status, tags="low", q="castle")
        found = await self.parts(self.admin, 200, status="all")
        self.assertEqual(len(found), CONTENTS)
        found = await self.parts(self.stranger, 200, status="suspended")
        self.assertEqual(len(found), len(self.fitting()))

    async def test_ids(self) -> None:
        """ids give these contents in this order, each once, without those that do not fit;
        whatever the sort and the limit."""
        items = Random(3).sample(self.items, 60)
        given = [*(item.id for item in items), guid(), items[0].id, items[1].id.upper()]
        active = [item for item in items if item.status == "active"]
        self.assertLess(len(active), len(items))

        async def listed(by: Caller, **query: Any) -> list[str]:
            asked = ContentSearch(ids=",".join(given), **query)
            part = await self.search.list_content(by, asked)
            self.assertIsNone(part.after)
            return [info.id for info in infos_of(part)]

        expected = [item.id for item in active]
        self.assertEqual(await listed(self.stranger), expected)
        self.assertEqual(await listed(self.stranger, limit=1, sort="top"), expected)
        self.assertEqual(await listed(self.admin, status="all"), [item.id for item in items])
        for query in ({"category": "game"}, {"tags": "t0,low"}, {"q": "keep"}, {"featured": True}):
            fitting = {item.id for item in self.fitting(**query)}  # type: ignore[arg-type]
            expected = [item.id for item in active if item.id in fitting]
            self.assertEqual(await listed(self.stranger, **query), expected, query)
        self.assertEqual(await listed(self.stranger, q="?"), [])

    async def test_cursors(self) -> None:
        """A cursor is good for the list that gave it, and for no other; made-up ones are none."""
        lists: list[dict[str, Any]] = [
            {"sort": sort, **more}
            for sort in ("newest", "updated", "top", "trending")
            for more in ({}, {"q": "castle"}, {"tags": "t0"}, {"author": self.authors[1]})
        ]
        cursors = []
        for query in lists:
            asked = ContentSearch(**query, limit=1)
            cursors.append((await self.search.list_content(self.stranger, asked)).after)
        self.assertEqual(len(set(cursors) - {None}), len(lists))
        for query, own in zip(lists, cursors, strict=True):
            for cursor in (*cursors, "A" * 16, "A" * 27, "-", "é", "====", "x" * 64):
                asked = ContentSearch(**query, after=cursor)
                if cursor == own:
                    part = await self.search.list_content(self.stranger, asked)
                    self.assertTrue(infos_of(part))
                    continue
                problem = await self.refused(self.search.list_content(self.stranger, asked))
                self.assertEqual(problem.status, 400)


class ClientTests(ListCase):
    timeout = 120.0

    async def check_for_client(self, client: dict[str, str], limit: int = 200, **query: Any) -> int:
        """A list for a client has what fits of it, with the revision that does, in its order. Gives
        the number of its parts."""
        sort = query["sort"]
        items = self.fitting(**{name: query[name] for name in query if name != "sort"})
        items.sort(key=lambda item: item.place(sort), reverse=True)
        fitting = [(item.id, item.fits(**client)) for item in items]
        expected = [each for each in fitting if each[1] is not None]
        found: list[tuple[str, str | None]] = []
        after, parts = None, 0
        while parts == 0 or after is not None:
            asked = ContentSearch(**query, **client, limit=limit, after=after)
            part = await self.search.list_content(self.stranger, asked)
            infos, after = infos_of(part), part.after
            self.assertLessEqual(len(infos), limit)
            found += [(info.id, info.fitting) for info in infos]
            parts += 1
        self.assertEqual(found, expected, (client, query))
        return parts

    async def test_all(self) -> None:
        """All content, for clients that much or little of it fits."""
        for sort in SORTS:
            for client in (
                {"game": "1"},
                {"features": ""},
                {"game": "1", "features": ""},
                {"platform": "osx64"},
            ):
                await self.check_for_client(client, sort=sort)

    async def test_conditions(self) -> None:
        """The same of what conditions hold for, whether that is much or little."""
        for sort, client in product(SORTS, ({"features": ""}, {"platform": "osx64"})):
            for condition in (
                {"tags": "t0"},
                {"tags": "low"},
                {"tags": "rare"},
                {"author": self.authors[1]},
                {"q": "castle"},
                {"q": "keep", "tags": "t0"},
            ):
                await self.check_for_client(client, sort=sort, **condition)

    async def test_many_words(self) -> None:
        """So it is where more have the words than are looked up."""
        self.patch(matches, "FEW", 5)
        for many in (2000, 10):
            self.patch(matches, "MANY", many)
            for sort, q in product(SORTS, ("castle", "low", "keep")):
                await self.check_for_client({"features": ""}, sort=sort, q=q)

    async def test_parts(self) -> None:
        """At most 500 are read for a part: where little fits, there are more than it fills."""
        parts = await self.check_for_client({"platform": "osx64"}, sort="played")
        self.assertGreater(parts, len(self.fitting()) // READ_AT_ONCE)

    async def test_short(self) -> None:
        """Parts of any length follow each other."""
        for sort in SORTS:
            await self.check_for_client({"game": "1", "features": ""}, 7, sort=sort)


class ManyHiddenTests(ListCase):
    timeout = 120.0

    async def test_hidden(self) -> None:
        """Where the first in the order of a list are all hidden, the list begins after them."""
        for sort in SORTS:
            order = sorted(self.items, key=lambda item: item.place(sort), reverse=True)
            hidden, shown = order[: READ_AT_ONCE + 500], order[READ_AT_ONCE + 500 :]
            self.sql("update contents set suspended = false, deleted = false")
            self.sql(
                "update contents set suspended = true where id = any(%s::uuid[])",
                [item.id for item in hidden],
            )
            found = await self.parts(self.stranger, 200, sort=sort)
            self.assertEqual(found, [item.id for item in shown])
