"""Entering a challenge: challenges#entries."""

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.challenges.support import HOUR, ChallengeCase, hence
from tests.spec.data import guid
from tests.spec.notifications.support import bare
from tests.spec.shapes import CHALLENGE, CONTENT, CONTENT_INFO
from tests.support.deferreds import together


class EnterTests(ChallengeCase):
    """PUT /api/v1/design-challenges/{id}/entries/{content}."""

    async def test_enter(self):
        """challenges#entries: its author enters content: 204, and it is in the list and counted."""
        made, content = await self.challenge(), await self.content(await self.user())
        await self.enter(made, content)
        self.assertEqual(1, (await self.shown(made))["entries"])
        detail = await self.read(content.path, CONTENT)
        found = await self.read(f"{made.path}/entries", [CONTENT_INFO])
        self.assertEqual([{member: detail[member] for member in CONTENT_INFO}], found)

    async def test_any_case(self):
        """conventions#requests: GUIDs are taken in any case; what is none is 400."""
        made, content = await self.challenge(), await self.content(await self.someone())
        path = f"design-challenges/{made.id.upper()}/entries/{content.id.upper()}"
        await self.put(path, by=content.author, expect=204)
        self.assertEqual([content.id], await self.entries(made))
        for bad in (f"{made.path}/entries/x", f"design-challenges/x/entries/{content.id}"):
            self.problem(await self.put(bad, by=content.author), 400, "invalid_path")

    async def test_repeat(self):
        """challenges#entries: a repeat is 204 and changes nothing, not even the order."""
        made, someone = await self.challenge(), await self.someone()
        one, two = [await self.content(someone, **bare()) for _ in range(2)]
        await self.enter(made, one, two, one)
        self.assertEqual([two.id, one.id], await self.entries(made))
        self.assertEqual(2, (await self.shown(made))["entries"])

    async def test_repeat_always(self):
        """challenges#entries: a repeat is always 204: with hidden content, another type, and after
        the challenge has ended and closed."""
        made, content = await self.challenge(), await self.content(await self.user())
        await self.enter(made, content)
        await self.redefine(made, opens=hence(HOUR))
        await self.enter(made, content)
        await self.redefine(made, types=["asset"])
        await self.enter(made, content)
        await self.moderate(content, "suspended")
        await self.enter(made, content)
        await self.moderate(content, "active")
        await self.withdraw(content)
        await self.enter(made, content)
        await self.end(made)
        await self.enter(made, content)
        await self.close(made)
        await self.enter(made, content)

    async def test_who(self):
        """challenges#entries: the content's author alone: others are 403, and so are admins but
        with content of their own; nobody is 401."""
        made, content = await self.challenge(), await self.content(await self.user())
        self.problem(await self.put(made.entry(content)), 401, "unauthorized")
        for user in (await self.someone(), await self.admin()):
            self.problem(await self.put(made.entry(content), by=user), 403, "forbidden")
        self.assertEqual([], await self.entries(made))
        await self.enter(made, await self.content(await self.admin(), **bare()))

    async def test_missing(self):
        """challenges#design-challenges: an unknown challenge is 404 challenge_not_found,
        content that does not exist or is hidden content_not_found."""
        made, content = await self.challenge(), await self.content(await self.user())
        await self.withdraw(content)
        for path, user, code in (
            (f"design-challenges/{guid()}/entries/{content.id}", content.author, "challenge"),
            (f"design-challenges/{guid()}/entries/{guid()}", content.author, "challenge"),
            (f"{made.path}/entries/{guid()}", content.author, "content"),
            (made.entry(content), await self.someone(), "content"),
        ):
            for refused in (await self.put(path, by=user), await self.delete(path, by=user)):
                self.problem(refused, 404, f"{code}_not_found")

    async def test_order_of_judgement(self):
        """challenges#entries: another's content is 403 before anything else; then the state comes,
        then the type, then the content's status."""
        made, content = await self.challenge(), await self.content(await self.user(), **bare())
        await self.moderate(content, "suspended")
        for changes, status, code in (
            ({"opens": hence(HOUR), "types": ["asset"]}, 409, "challenge_not_open"),
            ({"types": ["asset"]}, 422, "type_not_allowed"),
            ({}, 409, "content_not_active"),
        ):
            await self.redefine(made, **changes)
            refused = await self.put(made.entry(content), by=content.author)
            self.problem(refused, status, code)
            refused = await self.put(made.entry(content), by=await self.admin())
            self.problem(refused, 403, "forbidden")

    async def test_not_open(self):
        """challenges#entries: before, after and once closed it is 409 challenge_not_open."""
        content = await self.content(await self.someone())
        upcoming = await self.challenge(opens=hence(HOUR))
        judging = await self.challenge(opens=hence(-2 * HOUR), closes=hence(-HOUR))
        closed = await self.challenge()
        await self.close(closed)
        for made in (upcoming, judging, closed):
            refused = await self.put(made.entry(content), by=content.author)
            self.problem(refused, 409, "challenge_not_open")
            self.assertEqual([], await self.entries(made))

    async def test_type(self):
        """challenges#entries: a type that may not enter is 422 type_not_allowed, which lists those
        that may."""
        made, someone = await self.challenge(types=["asset", "scene_box"]), await self.someone()
        game = await self.content(someone, **bare(type="game"))
        refused = await self.put(made.entry(game), by=someone)
        found = self.problem(refused, 422, "type_not_allowed")
        self.assertEqual(["asset", "scene_box"], found["types"])
        await self.enter(made, await self.content(someone, **bare(type="scene_box")))

    async def test_not_active(self):
        """challenges#entries: suspended and deleted content is 409 content_not_active."""
        made, author = await self.challenge(), await self.user()
        suspended, deleted = [await self.content(author, **bare()) for _ in range(2)]
        await self.moderate(suspended, "suspended")
        await self.withdraw(deleted)
        for content in (suspended, deleted):
            refused = await self.put(made.entry(content), by=author)
            self.problem(refused, 409, "content_not_active")

    async def test_several(self):
        """challenges#entries: an author may enter several, and one content several challenges."""
        made, other = await self.challenge(), await self.challenge()
        author = await self.someone()
        one, two = await self.entry(made, author), await self.entry(made, author)
        await self.enter(other, one)
        self.assertEqual([two.id, one.id], await self.entries(made))
        self.assertEqual([one.id], await self.entries(other))

    async def test_twice_at_once(self):
        """challenges#entries: entered several times at once it is 204 each time, and one entry."""
        made, content = await self.challenge(), await self.content(await self.someone())
        sends = [self.put(made.entry(content), by=content.author) for _ in range(4)]
        answers = await together(*sends)
        self.assertEqual([204] * 4, [answer.status for answer in answers])
        self.assertEqual(1, (await self.shown(made))["entries"])

    async def test_while_it_is_suspended(self):
        """challenges#entries: entering while the content is suspended is 204 or 409
        content_not_active; no entry is seen then, and after a restore as the answer said."""
        made = await self.challenge()
        for _ in range(4):
            content = await self.content(await self.someone(), **bare())
            entered, _ = await gatherResults(
                Deferred.fromCoroutine(one)
                for one in (
                    self.put(made.entry(content), by=content.author),
                    self.moderate(content, "suspended"),
                )
            )
            self.assertNotIn(content.id, await self.entries(made))
            await self.moderate(content, "active")
            if entered.status != 204:
                self.problem(entered, 409, "content_not_active")
            self.assertEqual(entered.status == 204, content.id in await self.entries(made))


class LeaveTests(ChallengeCase):
    """DELETE /api/v1/design-challenges/{id}/entries/{content}."""

    async def test_leave(self):
        """challenges#entries: its author takes it out while it is open; 204 also where there is
        none; it may enter again."""
        made = await self.challenge()
        one = await self.entry(made, await self.someone())
        two = await self.entry(made, one.author)
        for _ in range(2):
            await self.delete(made.entry(one), by=one.author, expect=204)
        self.assertEqual([two.id], await self.entries(made))
        self.assertEqual(1, (await self.shown(made))["entries"])
        await self.enter(made, one)
        self.assertEqual([one.id, two.id], await self.entries(made), "newest of entering")

    async def test_who(self):
        """challenges#entries: the author and admins; others are 403, nobody is 401."""
        made = await self.challenge()
        entry = await self.entry(made)
        self.problem(await self.delete(made.entry(entry)), 401, "unauthorized")
        refused = await self.delete(made.entry(entry), by=await self.someone())
        self.problem(refused, 403, "forbidden")
        await self.delete(made.entry(entry), by=await self.admin(), expect=204)
        self.assertEqual([], await self.entries(made))

    async def test_hidden(self):
        """challenges#entries: hidden content is taken out by its author and by admins too."""
        made = await self.challenge()
        for hide in (self.withdraw, lambda content: self.moderate(content, "suspended")):
            for admin in (False, True):
                entry = await self.entry(made)
                await hide(entry)
                by = await self.admin() if admin else entry.author
                await self.delete(made.entry(entry), by=by, expect=204)
        await self.delete(made.path, by=await self.admin(), expect=204)

    async def test_after_the_end(self):
        """challenges#entries: while it is judged, and before it opens, only admins may; its author
        is 409 challenge_not_open."""
        made = await self.challenge()
        one, two, three = [await self.entry(made) for _ in range(3)]
        for entry, times in ((one, {"closes": hence(-60)}), (two, {"opens": hence(HOUR)})):
            await self.redefine(made, **times)
            refused = await self.delete(made.entry(entry), by=entry.author)
            self.problem(refused, 409, "challenge_not_open")
            for _ in range(2):
                await self.delete(made.entry(entry), by=await self.admin(), expect=204)
        self.assertEqual([three.id], await self.entries(made))

    async def test_closed(self):
        """challenges#entries: after closing it is 409 challenge_closed, for both."""
        made = await self.challenge()
        entry = await self.entry(made)
        await self.close(made)
        for user in (entry.author, await self.admin()):
            refused = await self.delete(made.entry(entry), by=user)
            self.problem(refused, 409, "challenge_closed")
        self.assertEqual([entry.id], await self.entries(made))


class EntryListTests(ChallengeCase):
    """GET /api/v1/design-challenges/{id}/entries."""

    async def test_newest(self):
        """challenges#entries: newest is the default, and is that of entering, not of creation."""
        made, someone = await self.challenge(), await self.someone()
        one, two, three = [await self.content(someone, **bare()) for _ in range(3)]
        await self.enter(made, two, three, one)
        expected = [one.id, three.id, two.id]
        self.assertEqual(expected, await self.entries(made))
        self.assertEqual(expected, await self.entries(made, sort="newest"))

    async def test_top(self):
        """challenges#entries: top goes by the votes' lower bound: 2 of 2 are above 3 of 4; then by
        entering, the last first."""
        made, someone = await self.challenge(), await self.someone()
        one, two, three, four, five = [await self.entry(made, someone) for _ in range(5)]
        voters = [someone, *[await self.user() for _ in range(3)]]
        for entry, votes in ((one, "1110"), (two, "11"), (three, "0")):
            for voter, vote in zip(voters, votes, strict=False):
                await self.rate(voter, entry, vote)
        expected = [each.id for each in (two, one, five, four, three)]
        self.assertEqual(expected, await self.entries(made, sort="top"))
        pages = await self.pages(f"{made.path}/entries?sort=top&limit=2", [CONTENT_INFO])
        self.assertEqual(expected, [item["id"] for page in pages for item in page])

    async def test_visible(self):
        """challenges#entries: hidden entries are listed and counted for those alone who see them,
        and for all when back; what is suspended and withdrawn is so when both have ended."""
        made, author = await self.challenge(), await self.user()
        one, two, three = [await self.entry(made, author) for _ in range(3)]
        await self.moderate(one, "suspended")
        await self.withdraw(two)
        await self.moderate(two, "suspended")
        for user, expected in (
            (None, [three.id]),
            (author, [three.id, two.id, one.id]),
            (await self.admin(), [three.id, two.id, one.id]),
        ):
            for sort in ("newest", "top"):
                path, query = f"{made.path}/entries", {"sort": sort}
                found = await self.read(path, [CONTENT_INFO], by=user, query=query)
                self.assertEqual(expected, [item["id"] for item in found])
            shown = await self.read(made.path, CHALLENGE, by=user)
            self.assertEqual(len(expected), shown["entries"])
        await self.moderate(one, "active")
        await self.restore(two)
        self.assertEqual([three.id, one.id], await self.entries(made))
        self.assertEqual(2, (await self.shown(made))["entries"])
        await self.moderate(two, "active")
        self.assertEqual([three.id, two.id, one.id], await self.entries(made))
        self.assertEqual(3, (await self.shown(made))["entries"])

    async def test_pages(self):
        """Extensions: limit is 1 to 200, and 50 where none is given; after goes on, in each
        sort."""
        made, author = await self.challenge(), await self.user()
        ids = [(await self.entry(made, author)).id for _ in range(51)][::-1]
        path = f"{made.path}/entries"
        for query, sizes in (("", [50, 1]), ("?limit=20", [20, 20, 11])):
            pages = await self.pages(path + query, [CONTENT_INFO])
            self.assertEqual(sizes, [len(page) for page in pages if page])
            self.assertEqual(ids, [item["id"] for page in pages for item in page])
        pages = await self.pages(f"{path}?limit=20&sort=top", [CONTENT_INFO])
        self.assertCountEqual(ids, [item["id"] for page in pages for item in page])
        for sort, other in (("newest", "top"), ("top", "newest")):
            response = await self.get(f"{path}?limit=20&sort={sort}", expect=200)
            link = (response.header("Link") or "").partition(">")[0].removeprefix("<")
            self.assertIn(f"sort={sort}", link)
            refused = await self.get(link.replace(f"sort={sort}", f"sort={other}"))
            self.invalid_query(refused, "after")

    async def test_bad_queries(self):
        """challenges#entries: sort is newest or top, limit 1 to 200, after a cursor of this list;
        an unknown challenge is 404."""
        path = f"{(await self.challenge()).path}/entries"
        for sort in ("best", "", "trending"):
            self.invalid_query(await self.get(path, query={"sort": sort}), "sort")
        for limit in ("0", "201"):
            self.invalid_query(await self.get(path, query={"limit": limit}), "limit")
        for sort in ("newest", "top"):
            for after in ("x", "", "-1", "9" * 30, "null", "7", "7-1", "ä", "A" * 16, "A" * 27):
                query = {"after": after, "sort": sort}
                self.invalid_query(await self.get(path, query=query), "after")
            query = {"sort": sort}
            unknown = await self.get(f"design-challenges/{guid()}/entries", query=query)
            self.problem(unknown, 404, "challenge_not_found")
            self.assertEqual([], await self.read(path, [CONTENT_INFO], query=query))
