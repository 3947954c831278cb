"""Lists of a user's content, and the states of content: content#status, content#by-author."""

from tests.spec.data import Content, User, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import COMMENT_PAGE, CONTENT, CONTENT_INFO, MODERATION


class ContentListTests(SpecCase):
    """GET /api/v1/user/{userId}/content."""

    async def listed(self, of: User, **more) -> list[str]:
        """The ids in the list of a user's content."""
        found = await self.read(f"user/{of.id}/content", [CONTENT_INFO], **more)
        return [item["id"] for item in found]

    async def of_two_states(self) -> tuple[User, Content, Content]:
        """An author, their active item and their suspended one."""
        author = await self.user()
        active, suspended = await self.content(author), await self.content(author)
        await self.moderate(suspended, "suspended")
        return author, active, suspended

    async def test_list(self):
        """content#by-author: 200 with an array of ContentInfo, as the detail has it."""
        made = await self.content(await self.user())
        found = await self.read(f"user/{made.author.id}/content", [CONTENT_INFO])
        detail = await self.read(made.path, CONTENT)
        self.assertEqual([{member: detail[member] for member in CONTENT_INFO}], found)

    async def test_empty(self):
        """content#by-author: a user without content has an empty array."""
        self.assertEqual([], await self.listed(await self.user()))

    async def test_order(self):
        """content#by-author: the newest content comes first."""
        author = await self.user()
        made = [(await self.content(author)).id for _ in range(3)]
        self.assertEqual(made[::-1], await self.listed(author))

    async def test_author_avatar_and_emblem(self):
        """content#contentinfo: authorAvatar and authorEmblem are the author's."""
        made, emblem = await self.content(await self.user()), guid()
        change = {"avatar": "a/me.png", "emblem": emblem, "fullProfile": {}, "publicProfile": {}}
        await self.put(f"user/{made.author.id}", change, by=made.author, expect=204)
        (found,) = await self.read(f"user/{made.author.id}/content", [CONTENT_INFO])
        self.assertEqual(("a/me.png", emblem), (found["authorAvatar"], found["authorEmblem"]))

    async def test_category(self):
        """content#by-author: category filters on the content type; the default is all types."""
        author = await self.user()
        game = await self.content(author, type="game")
        asset = await self.content(author, type="asset")
        box = await self.content(author, type="scene_box")
        everything = [box.id, asset.id, game.id]
        self.assertEqual(everything, await self.listed(author))
        self.assertEqual([game.id], await self.listed(author, query={"category": "game"}))
        self.assertEqual([], await self.listed(author, query={"category": "avatar_box"}))
        both = await self.listed(author, query={"category": "game,scene_box"})
        self.assertEqual([box.id, game.id], both)
        self.assertEqual(everything, await self.listed(author, query={"category": "all"}))

    async def test_unknown_category(self):
        """content#by-author: an unknown category is 400 and lists the allowed
        ones."""
        path = f"user/{(await self.someone()).id}/content"
        found = self.invalid_query(
            await self.get(path, query={"category": "game,level"}), "category"
        )
        self.assertIn("gameplay_box", found["errors"][0]["detail"])

    async def test_default_for_others(self):
        """content#status and content#by-author: other users, and nobody, see only active items."""
        author, active, _ = await self.of_two_states()
        self.assertEqual([active.id], await self.listed(author))
        self.assertEqual([active.id], await self.listed(author, by=await self.someone()))

    async def test_default_for_author(self):
        """content#status and content#by-author: the author sees active and suspended items by
        default."""
        author, active, suspended = await self.of_two_states()
        self.assertEqual([suspended.id, active.id], await self.listed(author, by=author))

    async def test_status_for_admin(self):
        """content#by-author: status filters for admins, whose default is active items."""
        author, active, suspended = await self.of_two_states()
        admin = await self.admin()
        self.assertEqual([active.id], await self.listed(author, by=admin))
        for status, expected in {
            "active": [active.id],
            "suspended": [suspended.id],
            "active,suspended": [suspended.id, active.id],
            "all": [suspended.id, active.id],
        }.items():
            found = await self.listed(author, by=admin, query={"status": status})
            self.assertEqual(expected, found, status)

    async def test_status_for_others(self):
        """content#by-author: only admins see the effect of status; from others
        it is never an error."""
        author, active, suspended = await self.of_two_states()
        for status in ("suspended", "all", "bogus"):
            query = {"status": status}
            self.assertEqual([active.id], await self.listed(author, query=query))
            found = await self.listed(author, by=author, query=query)
            self.assertEqual([suspended.id, active.id], found)

    async def test_unknown_status(self):
        """content#by-author: an admin's unknown status is 400 and lists the
        allowed ones."""
        path = f"user/{(await self.someone()).id}/content"
        response = await self.get(path, by=await self.admin(), query={"status": "hidden"})
        found = self.invalid_query(response, "status")
        for allowed in ("suspended", "deleted"):
            self.assertIn(allowed, found["errors"][0]["detail"])

    async def test_pages_filtered(self):
        """conventions#lists: the link to the next page keeps the filter."""
        author = await self.user()
        for kind in ("game", "asset", "game", "game"):
            await self.content(author, type=kind)
        path = f"user/{author.id}/content?limit=1&category=game"
        found = [item for page in await self.pages(path, [CONTENT_INFO]) for item in page]
        self.assertEqual(["game"] * 3, [item["type"] for item in found])

    async def test_limit_range(self):
        """conventions#lists: limit is 1 to 200."""
        path = f"user/{(await self.someone()).id}/content"
        for limit in ("0", "201", "-1", "x"):
            self.invalid_query(await self.get(path, query={"limit": limit}), "limit")
        await self.get(path, query={"limit": "200"}, expect=200)


class ModerationTests(SpecCase):
    """PUT content/{contentId}/status and …/featured."""

    async def test_suspend_and_restore(self):
        """content#status: admins set the status, which can be read
        back."""
        made = await self.content(await self.someone())
        for status in ("suspended", "active"):
            await self.moderate(made, status)
            got = await self.read(made.path, CONTENT, by=made.author)
            self.assertEqual(status, got["status"])

    async def test_author_is_told(self):
        """notifications#kinds: the author gets ContentSuspended, then ContentRestored, with
        the reason."""
        made = await self.content(await self.user())
        await self.moderate(made, "suspended", "rude")
        await self.moderate(made, "active", "appeal")
        path = f"user/{made.author.id}/notifications"
        told = await self.read(path, [MODERATION], by=made.author)
        expected = [("ContentSuspended", "rude"), ("ContentRestored", "appeal")]
        self.assertEqual(expected, [(one["kind"], one["reason"]) for one in told])
        self.assertEqual({made.id}, {one["content"] for one in told})

    async def test_same_status_again(self):
        """Setting the status that content already has tells nobody again."""
        made = await self.content(await self.user())
        for _ in range(2):
            await self.moderate(made, "suspended")
        self.assertEqual(1, len(await self.notifications(made.author)))

    async def test_featured(self):
        """content#contentinfo: featured tells whether the item has been featured; admins set it."""
        made, admin = await self.content(await self.someone()), await self.admin()
        for featured in (True, False):
            await self.put(f"{made.path}/featured", {"featured": featured}, by=admin, expect=204)
            self.assertIs(featured, (await self.read(made.path, CONTENT))["featured"])

    async def test_hidden_from_others(self):
        """content#status: to all but its author and admins suspended
        content does not exist."""
        made, other = await self.content(await self.user()), await self.someone()
        comment = await self.comment(made, made.author)
        await self.moderate(made, "suspended")
        revision = f"{made.path}/revisions/{made.sent['revisionId']}"
        for path in (made.path, revision, f"{made.path}/comments", comment):
            self.problem(await self.get(path), 404)
            self.problem(await self.get(path, by=other), 404)
        body = {"body": "still there?"}
        refused = await self.post(f"{made.path}/comments", body, by=other)
        self.problem(refused, 404, "content_not_found")
        refused = await self.put(f"user/{other.id}/rating/{made.id}", {"value": "1"}, by=other)
        self.problem(refused, 404, "content_not_found")

    async def test_open_to_author_and_admins(self):
        """content#status: its author and admins see suspended content as
        before."""
        made = await self.content(await self.user())
        await self.moderate(made, "suspended")
        for user in (made.author, await self.admin()):
            await self.read(made.path, CONTENT, by=user)
            await self.read(f"{made.path}/comments", COMMENT_PAGE, by=user)

    async def test_ratings_hidden(self):
        """content#ratings: a rating of suspended content is not listed, and
        is again once restored."""
        rater, made = await self.user(), await self.content(await self.someone())
        await self.rate(rater, made, "1")
        path = f"user/{rater.id}/ratings"
        await self.moderate(made, "suspended")
        self.assertEqual({}, await self.read(path, dict, by=rater))
        await self.moderate(made, "active")
        self.assertEqual({made.id: "1"}, await self.read(path, dict, by=rater))
