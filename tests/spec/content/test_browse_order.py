"""The orders of GET /content (content#browsing)."""

from typing import ClassVar

from tests.spec.content.test_browse import BrowseCase
from tests.spec.data import Content, User
from tests.spec.notifications.support import revision
from tests.spec.shapes import CONTENT, CONTENT_INFO


class OrderTests(BrowseCase):
    """Each sort."""

    _voters: ClassVar[dict[str, list[User]]] = {}

    async def votes(self, content: Content, up: int, down: int = 0) -> None:
        """Give the content so many votes, the downs first."""
        voters = self._voters.setdefault(self.url, [])
        while len(voters) < up + down:
            voters.append(await self.user())
        for n, voter in enumerate(voters[: up + down]):
            await self.rate(voter, content, "0" if n < down else "1")

    async def test_newest(self):
        """content#browsing: newest is the default and goes by creation, whatever is revised."""
        author = await self.user()
        made = [await self.made(author) for _ in range(3)]
        await self.post(f"{made[0].path}/revisions", revision(), by=author, expect=201)
        newest = [one.id for one in made[::-1]]
        self.assertEqual(newest, await self.found(author=author.id))
        self.assertEqual(newest, await self.found(author=author.id, sort="newest"))

    async def test_updated(self):
        """content#browsing: updated goes by listingId: a new revision, or a change of the current
        one, brings the content to the front; an update of its words does not."""
        author = await self.user()
        one, two, three = [await self.made(author) for _ in range(3)]
        self.assertEqual(
            [three.id, two.id, one.id], await self.found(author=author.id, sort="updated")
        )
        await self.post(f"{one.path}/revisions", revision(), by=author, expect=201)
        body = {"description": "x", "screenshotUris": ["x.png"]}
        await self.put(two.path, body, by=author, expect=204)
        self.assertEqual(
            [one.id, three.id, two.id], await self.found(author=author.id, sort="updated")
        )
        await self.post(f"{three.path}/revisions", revision(), by=author, expect=201)
        back = {"revisionId": one.sent["revisionId"]}
        await self.put(f"{one.path}/revisions/current", back, by=author, expect=204)
        found = await self.read("content", [CONTENT_INFO], query={
            "author": author.id, "sort": "updated",
        })  # fmt: skip
        self.assertEqual([one.id, three.id, two.id], [item["id"] for item in found])
        listings = [item["listingId"] for item in found]
        self.assertEqual(sorted(listings, reverse=True), listings)

    async def test_top(self):
        """content#browsing: top is Wilson's lower bound at 95 %, not the rating alone."""
        author = await self.user()
        one, most, two, even = [await self.made(author) for _ in range(4)]
        await self.votes(one, 1)
        await self.votes(most, 4, 1)
        await self.votes(two, 2)
        await self.votes(even, 1, 1)
        # 0.376, 0.342, 0.207, 0.095
        expected = [most.id, two.id, one.id, even.id]
        self.assertEqual(expected, await self.found(author=author.id, sort="top"))

    async def test_top_follows_votes(self):
        """content#browsing: a vote that is changed or taken back changes the rank."""
        author, voter = await self.user(), await self.user()
        one, two = await self.made(author), await self.made(author)
        await self.rate(voter, two, "1")
        self.assertEqual([two.id, one.id], await self.found(author=author.id, sort="top"))
        await self.rate(voter, one, "1")
        await self.rate(voter, two, "0")
        for sort in ("top", "trending"):
            self.assertEqual([one.id, two.id], await self.found(author=author.id, sort=sort))
        await self.delete(f"user/{voter.id}/rating/{one.id}", by=voter, expect=204)
        await self.rate(voter, two, "1")
        for sort in ("top", "trending"):
            self.assertEqual([two.id, one.id], await self.found(author=author.id, sort=sort))

    async def test_trending(self):
        """content#browsing: trending goes by votes up less votes down; what is at or below 0 comes
        last, newest first."""
        author = await self.user()
        down, two, none, one, minus, zero = [await self.made(author) for _ in range(6)]
        await self.votes(down, 0, 1)
        await self.votes(two, 2)
        await self.votes(one, 1)
        await self.votes(minus, 1, 2)
        expected = [two.id, one.id, zero.id, minus.id, none.id, down.id]
        self.assertEqual(expected, await self.found(author=author.id, sort="trending"))

    async def test_ranks_leave_the_content(self):
        """content#browsing: what is ranked otherwise is the same otherwise: a vote changes neither
        listingId nor updated."""
        author = await self.user()
        made = await self.made(author)
        before = await self.read(made.path, CONTENT)
        await self.votes(made, 1)
        after = await self.read(made.path, CONTENT)
        self.assertEqual(
            {"rating", "votes"}, {member for member in after if after[member] != before[member]}
        )
        (listed,) = await self.read("content", [CONTENT_INFO], query={"author": author.id})
        self.assertEqual(1, listed["rating"])

    async def test_hidden_in_each(self):
        """content#browsing: suspended and deleted content is in no order, whatever its votes."""
        author = await self.user()
        suspended, deleted, active = [await self.made(author) for _ in range(3)]
        for one in (suspended, deleted):
            await self.votes(one, 2)
        await self.moderate(suspended, "suspended")
        await self.delete(deleted.path, by=author, expect=204)
        for sort in ("newest", "updated", "top", "trending"):
            self.assertEqual([active.id], await self.found(author=author.id, sort=sort), sort)
            one = await self.found(author=author.id, sort=sort, limit=1)
            self.assertEqual([active.id], one, sort)

    async def test_pages_of_ranks(self):
        """content#browsing: pages of ranked items hold each once, in the one order, ties
        included."""
        author = await self.user()
        made = [await self.made(author) for _ in range(7)]
        for n, one in enumerate(made[:4]):
            await self.votes(one, 1 + n % 2)
        for sort in ("top", "trending"):
            whole = await self.found(author=author.id, sort=sort)
            path = f"content?author={author.id}&sort={sort}&limit=3"
            pages = await self.pages(path, [CONTENT_INFO])
            self.assertEqual(whole, [item["id"] for page in pages for item in page], sort)
            self.assertCountEqual([one.id for one in made], whole)
