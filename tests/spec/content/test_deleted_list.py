"""The list of one's withdrawn content, and locked comments: content#withdrawal."""

from tests.spec.data import guid
from tests.spec.notifications.support import TellingCase, bare
from tests.spec.shapes import COMMENT_PAGE, CONTENT, CONTENT_INFO


class DeletedTests(TellingCase):
    """GET /api/v1/user/{user}/content/deleted."""

    async def test_list(self):
        """content#withdrawal: the user and admins get a list of ContentInfo, newest first; what is
        restored has gone from it."""
        author = await self.user()
        one, _, three = [await self.content(author, **bare()) for _ in range(3)]
        path = f"user/{author.id}/content/deleted"
        self.assertEqual([], await self.read(path, [CONTENT_INFO], by=author))
        for made in (three, one):
            await self.withdraw(made)
        for user in (author, await self.admin()):
            found = await self.read(path, [CONTENT_INFO], by=user)
            self.assertEqual([three.id, one.id], [item["id"] for item in found])
            self.assertEqual({"deleted"}, {item["status"] for item in found})
        await self.restore(three)
        found = await self.read(f"/methods/v1/{path}", [CONTENT_INFO], by=author)
        self.assertEqual([one.id], [item["id"] for item in found])

    async def test_suspended_too(self):
        """content#withdrawal: what is suspended as well is in it, as deleted."""
        made = await self.content(await self.user(), **bare())
        await self.moderate(made, "suspended")
        path = f"user/{made.author.id}/content/deleted"
        self.assertEqual([], await self.read(path, [CONTENT_INFO], by=made.author))
        await self.withdraw(made)
        (found,) = await self.read(path, [CONTENT_INFO], by=made.author)
        self.assertEqual((made.id, "deleted"), (found["id"], found["status"]))


class LockedCommentsTests(TellingCase):
    """PUT /api/v1/content/{content}/comments-locked."""

    async def lock(self, path: str, locked: object = True, **more):
        """The response to locking."""
        return await self.put(f"{path}/comments-locked", {"locked": locked}, **more)

    async def test_lock(self):
        """content#withdrawal: no new comments and no edits, by anybody: 403 comments_locked."""
        made, other = await self.content(await self.user()), await self.someone()
        written = {user: await self.comment(made, user) for user in (other, made.author)}
        await self.lock(made.path, by=made.author, expect=204)
        for user in (other, made.author, await self.admin()):
            for body in ({"body": "x"}, {"body": "x", "parentId": 2**31 - 1}):
                refused = await self.post(f"{made.path}/comments", body, by=user)
                self.problem(refused, 403, "comments_locked")
        for user, path in written.items():
            refused = await self.amend(path, {"body": "y"}, by=user)
            self.problem(refused, 403, "comments_locked")
            refused = await self.amend(path, {"body": "y"}, by=await self.admin())
            self.problem(refused, 403, "forbidden")
        found = await self.read(f"{made.path}/comments", COMMENT_PAGE)
        self.assertEqual(["Well made"] * 2, [one["body"] for one in found["items"]])

    async def test_deletions(self):
        """content#withdrawal: deletions go on."""
        made, other = await self.content(await self.user()), await self.someone()
        paths = [await self.comment(made, other) for _ in range(2)]
        await self.lock(made.path, by=made.author, expect=204)
        await self.delete(paths[0], by=other, expect=204)
        await self.delete(paths[1], by=made.author, expect=204)
        self.assertEqual(0, (await self.read(made.path, CONTENT))["commentCount"])

    async def test_detail(self):
        """content#withdrawal: the detail has commentsLocked: false at first, then as it was set; a
        repeat is 204."""
        made, admin = await self.content(await self.user()), await self.admin()
        self.assertIs(False, (await self.read(made.path, CONTENT))["commentsLocked"])
        for user, locked in ((made.author, True), (admin, True), (admin, False)):
            await self.lock(made.path, locked, by=user, expect=204)
            self.assertIs(locked, (await self.read(made.path, CONTENT))["commentsLocked"])
        await self.comment(made, await self.someone())

    async def test_who(self):
        """content#withdrawal: the author and admins may, also while it is hidden; others are 403,
        nobody is 401."""
        made = await self.content(await self.user())
        self.problem(await self.lock(made.path), 401, "unauthorized")
        self.problem(await self.lock(made.path, by=await self.someone()), 403, "forbidden")
        self.problem(
            await self.lock(f"content/{guid()}", by=await self.admin()), 404, "content_not_found"
        )
        await self.moderate(made, "suspended")
        refused = await self.lock(made.path, by=await self.someone())
        self.problem(refused, 404, "content_not_found")
        self.assertIs(
            False, (await self.read(made.path, CONTENT, by=made.author))["commentsLocked"]
        )
        await self.withdraw(made)
        for user in (await self.admin(), made.author):
            await self.lock(made.path, by=user, expect=204)
        refused = await self.post(f"{made.path}/comments", {"body": "x"}, by=await self.someone())
        self.problem(refused, 404, "content_not_found")

    async def test_blocked(self):
        """social#blocks: a block comes before locked comments, an unknown parent and a deleted
        comment. What was written before can be deleted, but not changed."""
        made, other = await self.content(await self.user()), await self.user()
        path = await self.comment(made, other)
        number = int(path.rpartition("/")[2])
        await self.put(f"user/{made.author.id}/blocked/{other.id}", by=made.author, expect=204)
        for locked in (False, True):
            await self.lock(made.path, locked, by=made.author, expect=204)
            for parent in (None, number, 2**31 - 1):
                body = {"body": "x", "parentId": parent}
                refused = await self.post(f"{made.path}/comments", body, by=other)
                self.problem(refused, 403, "blocked")
            for _ in range(2):
                self.problem(await self.amend(path, {"body": "y"}, by=other), 403, "blocked")
                await self.delete(path, by=other, expect=204)
        self.assertEqual(1, len(await self.notifications(made.author)))

    async def test_order_of_judgement(self):
        """Extensions: 403 comments_locked comes after 400 and 404."""
        made = await self.content(await self.someone())
        path = await self.comment(made, made.author)
        await self.lock(made.path, by=made.author, expect=204)
        for refused in (
            await self.post(f"{made.path}/comments", {"body": ""}, by=made.author),
            await self.amend(path, {"body": 7}, by=made.author),
        ):
            self.invalid(refused, "/body")
        missing = f"{made.path}/comments/{2**31 - 1}"
        refused = await self.amend(missing, {"body": "x"}, by=made.author)
        self.problem(refused, 404, "comment_not_found")

    async def test_replies(self):
        """content#withdrawal: a reply is a new comment."""
        made, other = await self.content(await self.user()), await self.someone()
        parent = int((await self.comment(made, other)).rpartition("/")[2])
        await self.lock(made.path, by=await self.admin(), expect=204)
        body = {"body": "x", "parentId": parent}
        refused = await self.post(f"{made.path}/comments", body, by=other)
        self.problem(refused, 403, "comments_locked")
