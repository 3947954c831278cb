"""The list of revisions, and which one is current: content#revisions."""

from tests.spec.data import guid, reference
from tests.spec.notifications.support import TellingCase, bare
from tests.spec.shapes import CONTENT, CONTENT_INFO, REVISION_ITEM


class ListTests(TellingCase):
    """GET /api/v1/content/{content}/revisions."""

    async def test_list(self):
        """content#revisions: anyone gets {id, version, description, created, current} of each, the
        newest first."""
        made = await self.content(await self.someone())
        sent = await self.publish(made)
        found = await self.read(f"{made.path}/revisions", [REVISION_ITEM])
        for one in found:
            del one["created"]
        new = {"id": sent["revisionId"], "version": "2.0", "description": "second"}
        old = {"id": made.sent["revisionId"], "version": "1.0", "description": "first"}
        self.assertEqual([new | {"current": True}, old | {"current": False}], found)

    async def test_after_a_rollback(self):
        """content#revisions: going back changes which is current, not the order."""
        made = await self.content(await self.someone())
        sent = await self.publish(made)
        await self.roll(made, made.sent["revisionId"])
        found = await self.read(f"{made.path}/revisions", [REVISION_ITEM])
        expected = [(sent["revisionId"], False), (made.sent["revisionId"], True)]
        self.assertEqual(expected, [(one["id"], one["current"]) for one in found])

    async def test_as_the_detail(self):
        """content#revisions: who may not see the content may not see its revisions: 404."""
        made = await self.content(await self.user())
        path = f"{made.path}/revisions"
        self.problem(await self.get(f"content/{guid()}/revisions"), 404, "content_not_found")
        for hide in (self.moderate(made, "suspended"), self.withdraw(made)):
            await hide
            for user in (None, await self.someone()):
                self.problem(await self.get(path, by=user), 404, "content_not_found")
            for user in (made.author, await self.admin()):
                self.assertEqual(1, len(await self.read(path, [REVISION_ITEM], by=user)))

    async def test_made_up_cursors(self):
        """conventions#lists: a cursor that was made up is 400."""
        made = await self.content(await self.someone())
        for after in ("x", "-1", "1.5", str(2**63)):
            response = await self.get(f"{made.path}/revisions", query={"after": after})
            self.invalid_query(response, "after")


class CurrentTests(TellingCase):
    """PUT /api/v1/content/{content}/revisions/current."""

    async def test_back_and_forward(self):
        """content#revisions: PUT current goes back or forward; the detail, ContentInfo and
        listingId follow."""
        made = await self.content(await self.user())
        sent, seen = await self.publish(made), []
        for one in (made.sent, sent, made.sent):
            await self.roll(made, one["revisionId"].upper())
            got = await self.read(made.path, CONTENT)
            self.assertEqual(one["revisionId"], got["revisionId"])
            self.assertEqual(one["version"], got["revision"]["version"])
            self.assertEqual(
                (one["entity"], one["originating"]), (got["entity"], got["originating"])
            )
            (listed,) = await self.read(f"user/{made.author.id}/content", [CONTENT_INFO])
            self.assertEqual(
                (one["revisionId"], got["listingId"]), (listed["revisionId"], listed["listingId"])
            )
            seen.append(got["listingId"])
        self.assertEqual(sorted(set(seen)), seen, "new each time")

    async def test_same(self):
        """content#revisions: there is a new listingId only if it changed."""
        made = await self.content(await self.someone())
        before = await self.read(made.path, CONTENT)
        await self.roll(made, made.sent["revisionId"])
        self.assertEqual(before["listingId"], (await self.read(made.path, CONTENT))["listingId"])

    async def test_who(self):
        """content#revisions: the author and admins may; others are 403, nobody is 401."""
        made = await self.content(await self.user())
        await self.publish(made)
        path, body = f"{made.path}/revisions/current", {"revisionId": made.sent["revisionId"]}
        self.problem(await self.put(path, body), 401, "unauthorized")
        self.problem(await self.put(path, body, by=await self.someone()), 403, "forbidden")
        await self.put(path, body, by=await self.admin(), expect=204)
        got = await self.read(made.path, CONTENT)
        self.assertEqual(made.sent["revisionId"], got["revisionId"])

    async def test_unknown(self):
        """content#revisions: 404 revision_not_found for what is no revision of this content, and
        content_not_found where there is no content."""
        made, other = [await self.content(await self.someone()) for _ in range(2)]
        for unknown in (guid(), other.sent["revisionId"]):
            self.problem(await self.roll(made, unknown, None), 404, "revision_not_found")
        path = f"content/{guid()}/revisions/current"
        refused = await self.put(path, {"revisionId": guid()}, by=made.author)
        self.problem(refused, 404, "content_not_found")

    async def test_checked(self):
        """content#revisions: it is checked as a create is: going back onto suspended or deleted
        parts is refused, also where the current revision uses them, and what is both is
        deleted_dependency. The current one itself can be chosen."""
        part = await self.content(await self.user())
        uses = {"using": [reference(part.sent["entity"])]}
        for current in ({}, uses):
            made = await self.content(await self.someone(), **bare(**uses))
            sent = await self.publish(made, **current)
            await self.moderate(part, "suspended")
            refused = await self.roll(made, made.sent["revisionId"], None)
            found = self.problem(refused, 422, "suspended_dependency")
            self.assertEqual(uses["using"], found["entities"])
            await self.withdraw(part)
            for _ in range(2):
                await self.roll(made, sent["revisionId"])
                refused = await self.roll(made, made.sent["revisionId"], None)
                self.problem(refused, 422, "deleted_dependency")
                await self.moderate(part, "active")
            got = await self.read(made.path, CONTENT)
            self.assertEqual(sent["revisionId"], got["revisionId"])
            await self.restore(part)
            await self.roll(made, made.sent["revisionId"])

    async def test_packages_are_checked(self):
        """content#revisions: packages are parts as entities are."""
        part = await self.content(await self.user())
        bundle = part.sent["packagesOriginating"][0]["id"]
        made = await self.content(await self.someone(), **bare(packagesUsing=[bundle]))
        await self.publish(made)
        await self.withdraw(part)
        refused = await self.roll(made, made.sent["revisionId"], None)
        found = self.problem(refused, 422, "deleted_dependency")
        self.assertEqual([bundle], found["packages"])

    async def test_on_suspended(self):
        """content#revisions: on suspended content its author still goes back; it stays
        suspended."""
        made = await self.content(await self.user())
        await self.publish(made)
        await self.moderate(made, "suspended")
        await self.roll(made, made.sent["revisionId"])
        got = await self.read(made.path, CONTENT, by=made.author)
        self.assertEqual((made.sent["revisionId"], "suspended"), (got["revisionId"], got["status"]))
