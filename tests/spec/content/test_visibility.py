"""Who sees a content, and how that changes (content#visibility)."""

from tests.spec.challenges.support import Challenge, ChallengeCase
from tests.spec.content.letting_in import VISIBILITIES, GuestsCase
from tests.spec.data import User, draft, guid, reference
from tests.spec.notifications.support import bare, revision
from tests.spec.shapes import CONTENT, CONTENT_INFO


class VisibilityTests(GuestsCase):
    """PUT /api/v1/content/{content}/visibility."""

    async def test_default(self):
        """content#visibility: content is public unless its author says otherwise."""
        made = await self.content(await self.someone())
        self.assertEqual("public", (await self.read(made.path, CONTENT))["visibility"])

    async def test_change(self):
        """content#visibility: the author changes it, to and fro; a repeat changes nothing."""
        made = await self.content(await self.user())
        for visibility in (*VISIBILITIES, "private", "public"):
            await self.show(made, visibility)
            found = await self.read(made.path, CONTENT, by=made.author)
            self.assertEqual(visibility, found["visibility"])
        await self.read(made.path, CONTENT)

    async def test_who(self):
        """content#visibility: author and admins; others who see it are 403, and who does not is
        404."""
        made, body = await self.content(await self.user()), {"visibility": "private"}
        path = f"{made.path}/visibility"
        self.problem(await self.put(path, body), 401, "unauthorized")
        stranger, moderator = await self.someone(), await self.member("moderator")
        for user in (stranger, moderator):
            self.problem(await self.put(path, body, by=user), 403, "forbidden")
        await self.put(path, body, by=await self.admin(), expect=204)
        self.problem(await self.put(path, body, by=stranger), 404, "content_not_found")
        self.problem(await self.put(path, body, by=moderator), 403, "forbidden")

    async def test_unknown(self):
        """content#visibility: content that does not exist is 404, after what is wrong with the
        body."""
        path, user = f"content/{guid()}/visibility", await self.someone()
        self.invalid(await self.put(path, {"visibility": "secret"}, by=user), "/visibility")
        refused = await self.put(path, {"visibility": "private"}, by=user)
        self.problem(refused, 404, "content_not_found")

    async def test_action(self):
        """moderation#moderation: what an admin does is noted, with what they chose; a repeat is
        not."""
        made, admin = await self.content(await self.user()), await self.admin()
        for _ in range(2):
            await self.show(made, "unlisted", by=admin)
        path = f"moderation/actions?subject={made.id}"
        (found,) = (await self.get(path, by=admin, expect=200)).json()
        self.assertEqual(("visibility_changed", "unlisted"), (found["action"], found["reason"]))

    async def test_create_with_unknown(self):
        """content#visibility: a create with another word is 400."""
        sent = draft(visibility="hidden")
        self.invalid(
            await self.put(f"content/{guid()}", sent, by=await self.someone()), "/visibility"
        )

    async def test_friendship(self):
        """content#visibility: who becomes a friend sees it, and does not when the friendship
        ends."""
        made, other = await self.content(await self.user(), visibility="friends"), await self.user()
        await self.get(made.path, by=other, expect=404)
        await self.befriend(made.author, other)
        await self.get(made.path, by=other, expect=200)
        await self.delete(f"user/{other.id}/friend/{made.author.id}", by=other, expect=204)
        await self.get(made.path, by=other, expect=404)

    async def test_suspended(self):
        """content#visibility: suspended content is not in a moderator's list of all while it is
        private."""
        author, admin = await self.user(), await self.admin()
        made = await self.content(author, visibility="private")
        await self.moderate(made, "suspended")
        query = {"author": author.id, "status": "suspended"}
        self.assertEqual([], await self.read("content", [CONTENT_INFO], by=admin, query=query))
        (found,) = await self.read(f"user/{author.id}/content", [CONTENT_INFO], by=author)
        self.assertEqual(("suspended", "private"), (found["status"], found["visibility"]))
        await self.get(made.path, by=await self.someone(), expect=404)

    async def test_comment_reply(self):
        """social#blocks: the author of a comment hears of a reply if they see the content."""
        made, tester = await self.content(await self.user()), await self.user()
        other = await self.user()
        await self.let_in(made, tester=tester)
        heard = {}
        for user in (tester, other):
            path = await self.comment(made, user)
            heard[user.id] = int(path.rpartition("/")[2])
        await self.show(made, "private")
        for user in (tester, other):
            body = {"body": "x", "parentId": heard[user.id]}
            await self.post(f"{made.path}/comments", body, by=made.author, expect=201)
        for user, expected in ((tester, 1), (other, 0)):
            kinds = [each["kind"] for each in await self.notifications(user)]
            self.assertEqual(expected, kinds.count("CommentReply"))


class PartsTests(GuestsCase):
    """What is not public, as a part of other content."""

    async def using(self, part, user, **changes):
        """The answer to a create that uses a part."""
        sent = draft(using=[reference(part)], **changes)
        return await self.put(f"content/{guid()}", sent, by=user)

    async def test_new_use(self):
        """content#visibility: a new use by another author is 422 not_public, in the pre-check too;
        the author's own is good."""
        made = await self.content(await self.user(), visibility="unlisted")
        part, other = made.sent["entity"], await self.user()
        refused = self.problem(await self.using(part, other), 422, "not_public")
        self.assertEqual([reference(part)], refused["entities"])
        asked = {
            "contentId": guid(),
            "operation": "create",
            "dependencies": [reference(part), reference(draft()["entity"])],
            "packages": [],
        }
        found = (await self.post("content/upload-precheck", asked, by=other, expect=200)).json()
        self.assertEqual(["not_public"], [each["code"] for each in found["problems"]])
        self.assertEqual(204, (await self.using(part, made.author)).status)

    async def test_package(self):
        """content#visibility: so it is with packages."""
        made = await self.content(await self.user(), visibility="private")
        package = made.sent["packagesOriginating"][0]["id"]
        sent = draft(packagesUsing=[package])
        refused = await self.put(f"content/{guid()}", sent, by=await self.user())
        self.assertEqual([package], self.problem(refused, 422, "not_public")["packages"])

    async def test_uses_stay(self):
        """content#visibility: uses that exist stay, in new revisions too, and on the way back."""
        made, other = await self.content(await self.user()), await self.user()
        uses = {"using": [reference(made.sent["entity"])]}
        user = await self.content(other, **uses)
        await self.show(made, "private")
        await self.post(f"{user.path}/revisions", revision(**uses), by=other, expect=201)
        await self.post(f"{user.path}/revisions", revision(), by=other, expect=201)
        again = await self.post(f"{user.path}/revisions", revision(**uses), by=other)
        self.problem(again, 422, "not_public")
        back = {"revisionId": user.sent["revisionId"]}
        await self.put(f"{user.path}/revisions/current", back, by=other, expect=204)

    async def test_both(self):
        """content#visibility: what is deleted too is refused as that."""
        made = await self.content(await self.user(), visibility="private")
        await self.delete(made.path, by=made.author, expect=204)
        refused = await self.using(made.sent["entity"], await self.user())
        self.problem(refused, 422, "deleted_dependency")


class VisibilityTellingTests(GuestsCase):
    """Whom a visibility tells."""

    async def test_first_time(self):
        """content#visibility: followers hear of it the first time that it is public, and never
        again; of its revisions before they hear nothing."""
        author, follower = await self.user(), await self.user()
        await self.follow(follower, author)
        made = await self.content(author, visibility="private", **bare())
        await self.publish(made)
        await self.show(made, "unlisted")
        await self.told(follower)
        for visibility in ("public", "private", "public"):
            await self.show(made, visibility)
        expected = {"kind": "ContentPublished", "author": author.id, "content": made.id}
        self.assertIn(expected, await self.told(follower, 2))

    async def test_public_before(self):
        """content#visibility: what was public from its creation is not told again."""
        author, follower = await self.user(), await self.user()
        made = await self.content(author, **bare())
        await self.follow(follower, author)
        await self.show(made, "private")
        await self.show(made, "public")
        await self.told(follower)

    async def test_suspended_first(self):
        """content#visibility: what becomes public while it is suspended is told once it is
        restored."""
        author, follower = await self.user(), await self.user()
        await self.follow(follower, author)
        made = await self.content(author, visibility="private", **bare())
        await self.moderate(made, "suspended")
        await self.show(made, "public")
        await self.moderate(made, "active")
        (told,) = await self.told(follower, 1)
        self.assertEqual(made.id, told["content"])


class EntryVisibilityTests(ChallengeCase):
    """What is not public, in challenges."""

    async def counted(self, of: Challenge, by: User | None) -> tuple[int, list[str]]:
        """How many entries the challenge counts for somebody, and those that are listed."""
        found = await self.read(f"{of.path}/entries", [CONTENT_INFO], by=by)
        top = await self.read(f"{of.path}/entries?sort=top", [CONTENT_INFO], by=by)
        ids = [item["id"] for item in found]
        self.assertEqual(ids, [item["id"] for item in top])
        return (await self.get(of.path, by=by, expect=200)).json()["entries"], ids

    async def test_enter(self):
        """content#visibility: entering is 422 not_public."""
        challenge, author = await self.challenge(), await self.user()
        for visibility in ("unlisted", "friends", "private"):
            made = await self.content(author, visibility=visibility)
            path = f"{challenge.path}/entries/{made.id}"
            self.problem(await self.put(path, by=author), 422, "not_public")

    async def test_hidden(self):
        """content#visibility: entries are hidden from everybody, and are there again once it is
        public."""
        challenge, author = await self.challenge(), await self.user()
        made, other = [await self.content(author) for _ in range(2)]
        await self.enter(challenge, made, other)
        callers = (None, author, await self.admin(), await self.someone())
        for visibility, expected in (("private", [other.id]), ("public", [other.id, made.id])):
            body = {"visibility": visibility}
            await self.put(f"{made.path}/visibility", body, by=author, expect=204)
            for caller in callers:
                found = await self.counted(challenge, caller)
                self.assertEqual((len(expected), expected), found)

    async def test_suspended(self):
        """content#visibility: what is suspended too counts for nobody while it is not public, and
        then for its author and staff, as what is suspended does."""
        challenge, author = await self.challenge(), await self.user()
        made = await self.content(author)
        await self.enter(challenge, made)
        await self.moderate(made, "suspended")
        close, others = (author, await self.admin()), (None, await self.someone())
        for visibility, count in (("private", 0), ("public", 1)):
            body = {"visibility": visibility}
            await self.put(f"{made.path}/visibility", body, by=author, expect=204)
            for caller in close:
                self.assertEqual(count, (await self.counted(challenge, caller))[0])
            for caller in others:
                self.assertEqual(0, (await self.counted(challenge, caller))[0])
