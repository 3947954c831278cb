"""Parts of lists of content that says much of itself: they end after 512 KiB (specification, 5)."""

from typing import Any

from tests.spec.challenges.support import ChallengeCase
from tests.spec.data import Content, User, draft, entity, guid, reference
from tests.spec.notifications.support import revision
from tests.spec.shapes import CONTENT_INFO

PART, MOST = 512 * 1024, 34 * 1024
"""Bytes after which a part ends, and of one item at most."""
LONG = {f"key-{n:02}": "\u20ac" * 256 for n in range(32)}
"""Attributes of 25 KB."""
HOW_MANY = 45


class LongPartsTests(ChallengeCase):
    """Lists of the content of one author, with all the attributes that there may be."""

    author: User
    made: list[Content]
    brought: dict[str, Any]

    async def publish(self) -> None:
        """Publish the content, all of which uses a part of the first."""
        self.author, self.brought = await self.user(), entity()
        first = await self.content(self.author, originating=[self.brought], attributes=LONG)
        using = [reference(self.brought)]
        self.made = [first]
        for n in range(HOW_MANY - 1):
            body = draft(attributes=LONG, using=using, name=f"Castle {n}")
            made = Content(guid(), self.author, body)
            await self.put(made.path, body, by=self.author, expect=204)
            self.made.append(made)

    async def whole(self, path: str, by: User | None = None) -> list[str]:
        """The ids of a list, none of whose parts is much longer than it may be."""
        found: list[str] = []
        at: str | None = path
        while at is not None:
            response = await self.get(at, by=by, expect=200)
            self.assertLess(len(response.body), PART + MOST, at)
            items = response.json()
            for each in items:
                info = each.get("content", each)
                self.assertEqual(LONG, info["attributes"])
                found.append(info["id"])
            link = response.header("Link")
            self.assertTrue(items or link is None)
            at = None if link is None else link.partition(">")[0][1:]
        return found

    async def test_lists(self):
        """Each list of content gives all of it, in order, in parts that are not long."""
        await self.publish()
        author, ids = self.author, [each.id for each in self.made]
        newest = [*reversed(ids)]
        of_author = f"author={author.id}&limit=200"
        for path, expected in (
            (f"content?{of_author}", newest),
            (f"content?{of_author}&sort=updated", newest),
            (f"content?{of_author}&q=castle&sort=newest", newest),
            (f"user/{author.id}/content?limit=200", newest),
            (f"content/{ids[0]}/dependents?limit=200", newest[:-1]),
        ):
            self.assertEqual(expected, await self.whole(path), path)
        for sort in ("top", "trending", "played", "subscribed"):
            self.assertEqual(newest, await self.whole(f"content?{of_author}&sort={sort}"), sort)
        found = await self.whole(f"content?{of_author}&q=castle")
        self.assertEqual(sorted(ids), sorted(found))
        found = await self.whole(f"content?{of_author}&platform=win64&game=1.0.0.0")
        self.assertEqual(newest, found)

    async def test_kept(self):
        """So do what a user has collected and keeps, and what the author has withdrawn."""
        await self.publish()
        user, collection = await self.user(), guid()
        path = f"user/{user.id}/collections/{collection}"
        body = {"name": "Castles", "description": "", "public": True}
        await self.put(path, body, by=user, expect=204)
        for made in self.made:
            item = f"{path}/items/{made.id}"
            await self.put(item, {"before": None}, by=user, expect=204)
            kept = f"user/{user.id}/subscription/{made.id}"
            await self.put(kept, {"pin": None}, by=user, expect=204)
        ids = [each.id for each in self.made]
        self.assertEqual(ids, await self.whole(f"collections/{collection}/items?limit=200"))
        newest = [*reversed(ids)]
        kept = await self.whole(f"user/{user.id}/subscriptions?limit=200", user)
        self.assertEqual(newest, kept)
        for made in self.made:
            await self.delete(made.path, by=self.author, expect=204)
        path = f"user/{self.author.id}/content/deleted?limit=200"
        self.assertEqual(newest, await self.whole(path, self.author))

    async def test_ids(self):
        """Content that is asked for by its ids is whole, in their order."""
        await self.publish()
        ids = [each.id for each in self.made]
        path = f"content?ids={','.join(ids)}"
        found = await self.read(path, [CONTENT_INFO])
        self.assertEqual(ids, [each["id"] for each in found])
        response = await self.get(path, expect=200)
        self.assertIsNone(response.header("Link"))
        headers = {"If-None-Match": response.header("ETag")}
        self.assertEqual(304, (await self.get(path, headers=headers)).status)

    async def test_revisions(self):
        """The change notes of revisions are long too."""
        author = await self.user()
        made = await self.content(author)
        ids = [made.sent["revisionId"]]
        for _ in range(12):
            body = revision(revisionDescription="x" * 65_000)
            await self.post(f"{made.path}/revisions", body, by=author, expect=201)
            ids.insert(0, body["revisionId"])
        found: list[str] = []
        at: str | None = f"{made.path}/revisions?limit=200"
        while at is not None:
            response = await self.get(at, expect=200)
            self.assertLess(len(response.body), PART + 66_000)
            found += [each["id"] for each in response.json()]
            link = response.header("Link")
            at = None if link is None else link.partition(">")[0][1:]
        self.assertEqual(ids, found)
