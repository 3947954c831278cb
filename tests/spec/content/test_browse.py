"""Browsing content: which items GET /content lists (content#browsing)."""

from tests.spec.data import Content, User, guid
from tests.spec.harness import SpecCase
from tests.spec.notifications.support import bare, revision
from tests.spec.shapes import CONTENT, CONTENT_INFO


class BrowseCase(SpecCase):
    """GET /api/v1/content."""

    async def found(self, *, by: User | None = None, **query: object) -> list[str]:
        """The ids that GET content lists for this query."""
        sent = {key: str(value) for key, value in query.items()}
        listed = await self.read("content", [CONTENT_INFO], by=by, query=sent)
        return [item["id"] for item in listed]

    async def made(self, author: User, **changes: object) -> Content:
        """New content of nothing but its core."""
        return await self.content(author, **bare(**changes))

    async def refused(self, parameter: str, *, by: User | None = None, **query: object) -> None:
        """Assert that the query is 400 because of this parameter."""
        sent = {key: str(value) for key, value in query.items()}
        self.invalid_query(await self.get("content", by=by, query=sent), parameter)


class FilterTests(BrowseCase):
    """The filters, each alone and together."""

    async def test_elements(self):
        """content#browsing: anyone gets a list of ContentInfo, as the detail has it."""
        made = await self.content(await self.user())
        listed = await self.read("content", [CONTENT_INFO], query={"author": made.author.id})
        detail = await self.read(made.path, CONTENT)
        self.assertEqual([{member: detail[member] for member in CONTENT_INFO}], listed)

    async def test_without_query(self):
        """content#browsing: without any parameter it lists the newest, of all authors."""
        made = [await self.made(await self.someone()) for _ in range(2)]
        ids = await self.found()
        self.assertLessEqual(len(ids), 50)
        self.assertLess(ids.index(made[1].id), ids.index(made[0].id))

    async def test_author(self):
        """content#browsing: author is a GUID in any case; who has no content has an empty list."""
        made = await self.made(await self.user())
        self.assertEqual([made.id], await self.found(author=made.author.id))
        self.assertEqual([made.id], await self.found(author=made.author.id.upper()))
        self.assertEqual([], await self.found(author=(await self.user()).id))
        for bad in ("me", "", made.author.id.replace("-", ""), f"{made.author.id},{guid()}"):
            await self.refused("author", author=bad)

    async def test_active_only(self):
        """content#browsing: active ones only, for their author and for admins too."""
        author = await self.user()
        active, suspended, deleted = [await self.made(author) for _ in range(3)]
        await self.moderate(suspended, "suspended")
        await self.delete(deleted.path, by=author, expect=204)
        for user in (None, author, await self.someone(), await self.admin()):
            self.assertEqual([active.id], await self.found(author=author.id, by=user))

    async def test_status(self):
        """content#browsing: status is as in content#by-author: admins filter by it, `all` includes
        deleted."""
        author, admin = await self.user(), await self.admin()
        active, suspended, deleted = [await self.made(author) for _ in range(3)]
        await self.moderate(suspended, "suspended")
        await self.delete(deleted.path, by=author, expect=204)
        for status, expected in {
            "active": [active.id],
            "suspended": [suspended.id],
            "deleted": [deleted.id],
            "active,suspended": [suspended.id, active.id],
            "all": [deleted.id, suspended.id, active.id],
        }.items():
            found = await self.found(author=author.id, status=status, by=admin)
            self.assertEqual(expected, found, status)
            self.assertEqual([active.id], await self.found(author=author.id, status=status))
            found = await self.found(author=author.id, status=status, by=author)
            self.assertEqual([active.id], found, status)
        await self.refused("status", status="hidden", by=admin)
        self.assertEqual([active.id], await self.found(author=author.id, status="hidden"))

    async def test_category(self):
        """content#browsing: category is a comma list as in content#by-author, or all; unknown is
        400."""
        author = await self.user()
        kinds = ("game", "asset", "scene_box")
        game, asset, box = [(await self.made(author, type=kind)).id for kind in kinds]
        for category, expected in {
            "game": [game],
            "game,scene_box": [box, game],
            "avatar_box": [],
            "all": [box, asset, game],
        }.items():
            self.assertEqual(expected, await self.found(author=author.id, category=category))
        for bad in ("level", "game,level"):
            await self.refused("category", category=bad)

    async def test_tags(self):
        """content#browsing: tags are a comma list; all of them must be there, whatever the case."""
        author = await self.user()
        first = (await self.made(author, tags=["Moat", "co-op", "ÜBER"])).id
        second = (await self.made(author, tags=["moat"])).id
        for tags, expected in {
            "moat": [second, first],
            "MOAT": [second, first],
            "moat,co-op": [first],
            "Über,CO-OP": [first],
            "moat,tower": [],
            "mo": [],
        }.items():
            self.assertEqual(expected, await self.found(author=author.id, tags=tags), tags)
        await self.refused("tags", tags="a,,b")

    async def test_tags_with_commas(self):
        """content#browsing: a comma separates; a tag that has one itself is not matched by
        halves."""
        author = await self.user()
        await self.made(author, tags=["red, white"])
        split = (await self.made(author, tags=["red", "white"])).id
        self.assertEqual([split], await self.found(author=author.id, tags="red,white"))

    async def test_feature_hidden(self):
        """content#browsing: a curator does not feature what they do not see: 404, as of nothing."""
        author, curator, admin = await self.user(), await self.member("curator"), await self.admin()
        made = await self.content(author)
        body = {"visibility": "private"}
        await self.put(f"{made.path}/visibility", body, by=author, expect=204)
        for featured in (True, False):
            body, path = {"featured": featured}, f"{made.path}/featured"
            self.problem(await self.put(path, body, by=curator), 404, "content_not_found")
            await self.put(path, body, by=admin, expect=204)

    async def test_featured(self):
        """content#browsing: featured is true or false."""
        author = await self.user()
        plain, starred = await self.made(author), await self.made(author)
        body = {"featured": True}
        await self.put(f"{starred.path}/featured", body, by=await self.admin(), expect=204)
        self.assertEqual([starred.id], await self.found(author=author.id, featured="true"))
        self.assertEqual([plain.id], await self.found(author=author.id, featured="false"))
        self.assertEqual([starred.id, plain.id], await self.found(author=author.id))
        for bad in ("yes", "1", "", "null"):
            await self.refused("featured", featured=bad)

    async def test_together(self):
        """content#browsing: of several filters all must hold."""
        author = await self.user()
        both = (await self.made(author, type="asset", tags=["moat"])).id
        await self.made(author, type="asset", tags=["tower"])
        await self.made(author, type="game", tags=["moat"])
        await self.made(await self.someone(), type="asset", tags=["moat"])
        found = await self.found(author=author.id, category="asset", tags="moat")
        self.assertEqual([both], found)
        found = await self.found(author=author.id, category="asset", tags="moat", featured="true")
        self.assertEqual([], found)

    async def test_bad_values(self):
        """content#browsing: an unknown sort, and sort relevance without q, are 400."""
        for sort in ("best", "", "NEWEST", "newest,top", "relevance"):
            await self.refused("sort", sort=sort)

    async def test_nul(self):
        """A NUL in any parameter is 400, never an error of the service."""
        for parameter in ("q", "category", "tags", "author", "ids", "sort", "after", "featured"):
            response = await self.get(f"content?{parameter}=a%00b")
            self.problem(response, 400, "invalid_query")

    async def test_twice(self):
        """conventions#requests: a known parameter that appears twice is 400, an unknown one is
        ignored."""
        self.invalid_query(await self.get("content?q=abc&q=abd"), "q")
        self.invalid_query(await self.get("content?sort=top&sort=top"), "sort")
        await self.get("content?colour=red&colour=blue", expect=200)

    async def test_conditional(self):
        """conventions#answers: the list has a weak ETag, and is 304 to who has it."""
        made = await self.made(await self.user())
        path = f"content?author={made.author.id}"
        etag = (await self.get(path, expect=200)).header("ETag") or ""
        self.assertTrue(etag.startswith('W/"'))
        await self.get(path, headers={"If-None-Match": etag}, expect=304)
        await self.made(made.author)
        await self.get(path, headers={"If-None-Match": etag}, expect=200)


class IdsTests(BrowseCase):
    """The parameter ids."""

    async def test_order(self):
        """content#browsing: ids give the items in that order, a repeated one once."""
        someone = await self.someone()
        one, two, three = [(await self.made(someone)).id for _ in range(3)]
        ids = f"{two},{three},{two.upper()},{one},{three}"
        self.assertEqual([two, three, one], await self.found(ids=ids))

    async def test_not_visible(self):
        """content#browsing: ids leave out what is not visible or does not exist."""
        author = await self.user()
        active, suspended, deleted = [await self.made(author) for _ in range(3)]
        await self.moderate(suspended, "suspended")
        await self.delete(deleted.path, by=author, expect=204)
        ids = ",".join((suspended.id, guid(), active.id, deleted.id))
        self.assertEqual([active.id], await self.found(ids=ids))
        self.assertEqual([active.id], await self.found(ids=ids, by=await self.someone()))
        self.assertEqual([], await self.found(ids=guid()))

    async def test_whole(self):
        """content#browsing: ids give the whole list: more than the 50 of a page, and no link."""
        author = await self.user()
        made = [(await self.made(author)).id for _ in range(52)]
        ids = [guid() for _ in range(48)] + made
        response = await self.get("content", query={"ids": ",".join(ids)}, expect=200)
        self.assertEqual(made, [item["id"] for item in response.json()])
        self.assertIsNone(response.header("Link"))
        pages = await self.pages(f"content?author={author.id}", [CONTENT_INFO])
        self.assertEqual([50, 2], [len(page) for page in pages], "limit is 50 where none is given")
        self.assertEqual(made[::-1], [item["id"] for page in pages for item in page])

    async def test_with_filters(self):
        """content#browsing: with other filters those of ids that have them are left, in that
        order."""
        author = await self.user()
        made = [await self.made(author, type=kind) for kind in ("game", "asset", "game")]
        ids = ",".join(one.id for one in made)
        expected = [made[0].id, made[2].id]
        self.assertEqual(expected, await self.found(ids=ids, category="game"))
        self.assertEqual(expected, await self.found(ids=ids, category="game", author=author.id))
        self.assertEqual([], await self.found(ids=ids, author=guid()))

    async def test_limits(self):
        """content#browsing: ids are up to 100 GUIDs; 101, none and others are 400."""
        self.assertEqual([], await self.found(ids=",".join(guid() for _ in range(100))))
        for bad in (",".join(guid() for _ in range(101)), "", "x", f"{guid()},x"):
            await self.refused("ids", ids=bad)


class PageTests(BrowseCase):
    """limit and after."""

    async def test_pages(self):
        """content#browsing: limit gives pages linked by rel=next that keep the query, for each
        sort; together they are the whole list."""
        author = await self.user()
        made = [(await self.made(author, type=kind)).id for kind in ("game", "asset") * 3]
        games = made[4::-2]
        for sort in ("newest", "updated", "top", "trending"):
            path = f"content?author={author.id}&category=game&limit=2&sort={sort}"
            pages = await self.pages(path, [CONTENT_INFO])
            self.assertLessEqual(max(len(page) for page in pages), 2)
            self.assertCountEqual(games, [item["id"] for page in pages for item in page], sort)

    async def test_limit_range(self):
        """Extensions: limit is 1 to 200."""
        for limit in (0, 201, -1, "x", "1.5", ""):
            await self.refused("limit", limit=limit)
        self.assertLessEqual(len(await self.found(limit=1)), 1)
        await self.found(limit=200)

    async def test_made_up_cursors(self):
        """conventions#lists: after is a cursor that the service gave; another is 400 in each
        sort."""
        for query in ({}, {"q": "castle"}, *({"sort": x} for x in ("updated", "top", "trending"))):
            for after in ("x", "", "-1", "1e9", "9" * 40, "ÿ", "AAAA", "null", "[]", "1:2:3"):
                await self.refused("after", after=after, **query)

    async def test_cursor_of_another_sort(self):
        """content#browsing: the cursor of one sort, given to another, is never an
        error of the service."""
        author = await self.user()
        for _ in range(3):
            await self.made(author)
        sorts = ("newest", "updated", "top", "trending")
        for sort in sorts:
            response = await self.get(f"content?author={author.id}&limit=1&sort={sort}", expect=200)
            link = response.header("Link") or self.fail("no Link")
            path = link.partition(">")[0].removeprefix("<")
            for other in sorts:
                response = await self.get(path.replace(f"sort={sort}", f"sort={other}"))
                if response.status != 200:
                    self.invalid_query(response, "after")

    async def test_stable(self):
        """content#browsing: newest goes by creation: what is published, revised or rated while a
        list is read moves nothing in it."""
        for path in ("content?author={}&limit=2", "user/{}/content?limit=2"):
            author = await self.user()
            made = [await self.made(author) for _ in range(4)]
            response = await self.get(path.format(author.id), expect=200)
            first = [item["id"] for item in response.json()]
            link = response.header("Link") or self.fail("no Link")
            await self.rate(await self.someone(), made[0], "1")
            await self.post(f"{made[0].path}/revisions", revision(), by=author, expect=201)
            await self.made(author)
            response = await self.get(link.partition(">")[0].removeprefix("<"), expect=200)
            rest = [item["id"] for item in response.json()]
            self.assertEqual([one.id for one in made[::-1]], first + rest)
