"""Ratings: content#ratings."""

from tests.spec.data import Content, User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import CONTENT, CONTENT_INFO


class RatingTests(SpecCase):
    """PUT and DELETE rating, GET ratings, and what they make of the content."""

    def path(self, user: User, content: Content) -> str:
        """The path of one rating."""
        return f"user/{user.id}/rating/{content.id}"

    async def votes(self, content: Content) -> tuple[int, int, float]:
        """Up, down and the aggregate of a content item."""
        found = await self.read(content.path, CONTENT)
        return found["votes"]["up"], found["votes"]["down"], found["rating"]

    async def test_lists(self):
        """content#browsing: a list shows votes, comments and the time of the create as the detail
        does."""
        made = await self.content(await self.user())
        for vote in ("1", "1", "0"):
            await self.rate(await self.user(), made, vote)
        for _ in range(2):
            path = await self.comment(made, made.author)
        await self.delete(path, by=made.author, expect=204)
        detail = await self.read(made.path, CONTENT)
        self.assertEqual(({"up": 2, "down": 1}, 1), (detail["votes"], detail["comments"]))
        for path in (f"user/{made.author.id}/content", f"content?ids={made.id}"):
            (info,) = await self.read(path, [CONTENT_INFO])
            self.assertEqual({member: detail[member] for member in info}, info)

    async def ratings(self, user: User) -> dict[str, str]:
        """The map of the user's ratings."""
        return await self.read(f"user/{user.id}/ratings", dict, by=user)

    async def test_rate(self):
        """content#ratings: PUT with accountId, contentId and value is 204 and can be read back."""
        user, made = await self.user(), await self.content(await self.someone())
        body = {"accountId": user.id, "contentId": made.id, "value": "1"}
        await self.put(self.path(user, made), body, by=user, expect=204)
        self.assertEqual({made.id: "1"}, await self.ratings(user))

    async def test_ratings(self):
        """content#ratings: a map of content IDs to strings, 1 an upvote and 0 a downvote."""
        user, author = await self.user(), await self.someone()
        self.assertEqual({}, await self.ratings(user))
        liked, disliked = await self.content(author), await self.content(author)
        await self.rate(user, liked, "1")
        await self.rate(user, disliked, "0")
        self.assertEqual({liked.id: "1", disliked.id: "0"}, await self.ratings(user))

    async def test_aggregate(self):
        """content#contentinfo: rating is up-votes / all votes, from 0 to 1; 0 without
        votes."""
        made = await self.content(await self.someone())
        self.assertEqual((0, 0, 0), await self.votes(made))
        for value, expected in (("1", (1, 0, 1)), ("0", (1, 1, 0.5)), ("0", (1, 2, 1 / 3))):
            await self.rate(await self.user(), made, value)
            up, down, rating = await self.votes(made)
            self.assertEqual(expected[:2], (up, down))
            self.assertAlmostEqual(expected[2], rating, places=4)

    async def test_in_list(self):
        """content#contentinfo: the list's ContentInfo has the same rating."""
        made = await self.content(await self.user())
        await self.rate(made.author, made, "1")
        (found,) = await self.read(f"user/{made.author.id}/content", [CONTENT_INFO])
        self.assertEqual(1, found["rating"])

    async def test_change(self):
        """content#ratings: a user has one rating of an item, which a further PUT replaces."""
        user, made = await self.user(), await self.content(await self.someone())
        for value, expected in (("1", (1, 0, 1)), ("1", (1, 0, 1)), ("0", (0, 1, 0))):
            await self.rate(user, made, value)
            self.assertEqual(expected, await self.votes(made))
        self.assertEqual({made.id: "0"}, await self.ratings(user))

    async def test_delete(self):
        """content#ratings: DELETE takes a rating back, and is 204 also where there
        is none."""
        user, made = await self.user(), await self.content(await self.someone())
        await self.rate(user, made, "1")
        for _ in range(2):
            await self.delete(self.path(user, made), by=user, expect=204)
        self.assertEqual({}, await self.ratings(user))
        self.assertEqual((0, 0, 0), await self.votes(made))

    async def test_own_content(self):
        """content#ratings: authors may rate their own content."""
        made = await self.content(await self.user())
        await self.rate(made.author, made, "1")
        self.assertEqual({made.id: "1"}, await self.ratings(made.author))

    async def test_ids_must_agree(self):
        """content#ratings: an accountId or contentId that differs from the path is
        400."""
        user, made = await self.user(), await self.content(await self.someone())
        for member in ("accountId", "contentId"):
            body = {"value": "1", member: guid()}
            self.invalid(await self.put(self.path(user, made), body, by=user), f"/{member}")
        self.assertEqual({}, await self.ratings(user))

    async def test_ids_in_any_case(self):
        """conventions#requests: GUIDs are equal whatever their case."""
        user, made = await self.user(), await self.content(await self.someone())
        body = {"value": "1", "accountId": user.id.upper(), "contentId": made.id.upper()}
        await self.put(self.path(user, made), body, by=user, expect=204)
        self.assertEqual({made.id: "1"}, await self.ratings(user))
