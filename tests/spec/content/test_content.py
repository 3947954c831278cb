"""Creating, updating and reading content: content#publishing."""

from typing import ClassVar

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.data import draft, entity, guid, package, reference
from tests.spec.harness import SpecCase
from tests.spec.shapes import CONTENT, CONTENT_TYPES, GUID, REVISION


class CreateTests(SpecCase):
    """PUT /api/v1/content/{contentId} where it does not exist."""

    async def test_create(self):
        """content#publishing: a create is 204 and every member of its body can be read back."""
        author = await self.user()
        known = await self.content(await self.someone())
        used = known.sent["entity"]
        bundles = known.sent["packagesOriginating"]
        made = await self.content(author, using=[reference(used)], packagesUsing=[bundles[0]["id"]])
        sent, got = made.sent, await self.read(made.path, CONTENT)
        for member in ("name", "description", "screenshotUris", "type", "entity"):
            self.assertEqual(sent[member], got[member], member)
        self.assertCountEqual(sent["tags"], got["tags"])
        self.assertEqual(sent["originating"], got["originating"])
        self.assertEqual([used], got["using"], "each with its path")
        self.assertCountEqual(sent["packagesOriginating"] + bundles, got["packages"])
        self.assertEqual(sent["revisionId"], got["revision"]["id"])
        self.assertEqual(sent["revisionDescription"], got["revision"]["description"])
        self.assertEqual(sent["version"], got["revision"]["version"])

    async def test_initial_state(self):
        """content#contentinfo: new content is active, not featured, unrated, by its author."""
        author = await self.user()
        made = await self.content(author)
        got = await self.read(made.path, CONTENT)
        expected = {
            "id": made.id,
            "authorId": author.id,
            "authorUsername": author.username,
            "authorAvatar": "",
            "authorEmblem": None,
            "status": "active",
            "featured": False,
            "rating": 0,
            "votes": {"up": 0, "down": 0},
            "commentCount": 0,
            "revisionId": made.sent["revisionId"],
        }
        self.assertEqual(expected, {member: got[member] for member in expected})
        self.assertEqual(got["created"], got["updated"])

    async def test_author_id(self):
        """ContentInfo: each list says by its id whose the content is."""
        author = await self.user()
        made = await self.content(author)
        for path in (f"user/{author.id}/content", f"content?ids={made.id}", "content?limit=1"):
            for one in (await self.get(path, by=author, expect=200)).json():
                if one["id"] == made.id:
                    self.assertEqual(author.id, one["authorId"], path)
                self.assertRegex(one["authorId"], GUID)

    async def test_primary_screenshot(self):
        """content#publishing: the first screenshot is the primary image, ContentInfo's
        thumbnailUri."""
        made = await self.content(await self.someone(), screenshotUris=["b.png", "a.png"])
        self.assertEqual("b.png", (await self.read(made.path, CONTENT))["thumbnailUri"])

    async def test_types(self):
        """content#publishing: type is one of game, asset, avatar_box, gameplay_box, scene_box."""
        someone = await self.someone()
        for kind in sorted(CONTENT_TYPES):
            made = await self.content(someone, type=kind)
            self.assertEqual(kind, (await self.read(made.path, CONTENT))["type"])
        refused = await self.put(f"content/{guid()}", draft(type="level"), by=someone)
        self.invalid(refused, "/type")

    async def test_version_is_free(self):
        """content#publishing and conventions#versions: there are no restrictions on the value of
        version."""
        for version in ("", "1.0-rc.2+b7", "Zweite Fassung ✓ 🏰", "v" * 300):
            made = await self.content(await self.someone(), version=version)
            got = await self.read(made.path, CONTENT)
            self.assertEqual(version, got["revision"]["version"])

    async def test_optional_members(self):
        """content#publishing: tags, packagesOriginating and packagesUsing are not required."""
        optional = ("tags", "packagesOriginating", "packagesUsing")
        body = {key: value for key, value in draft().items() if key not in optional}
        content_id = guid()
        await self.put(f"content/{content_id}", body, by=await self.someone(), expect=204)
        got = await self.read(f"content/{content_id}", CONTENT)
        self.assertEqual([], got["tags"])
        self.assertEqual([], got["packages"])

    async def test_any_user(self):
        """accounts#authentication: a create has no restriction besides authentication."""
        made = await self.content(await self.user())
        await self.read(made.path, CONTENT)

    async def test_unknown_using(self):
        """content#publishing: unknown references are 422
        unknown_reference listing them; nothing is made."""
        lost, bundle, path = reference(entity()), guid(), f"content/{guid()}"
        body = draft(using=[lost], packagesUsing=[bundle])
        found = self.problem(
            await self.put(path, body, by=await self.someone()), 422, "unknown_reference"
        )
        self.assertEqual([lost], found["entities"])
        self.assertEqual([bundle], found["packages"])
        self.problem(await self.get(path), 404, "content_not_found")

    async def test_failed_create_registers_nothing(self):
        """content#publishing: a create is one transaction: a refused one
        registers no entity."""
        someone, body = await self.someone(), draft(using=[reference(entity())])
        await self.put(f"content/{guid()}", body, by=someone, expect=422)
        part = reference(body["entity"])
        check = {"contentId": guid(), "operation": "create", "dependencies": [part], "packages": []}
        found = await self.post("content/upload-precheck", check, by=someone, expect=200)
        self.assertEqual([part], found.json()["needed"])

    async def test_originating_again(self):
        """content#publishing: an originating entity or package that
        exists identically is fine."""
        someone = await self.someone()
        first = await self.content(someone)
        same = {key: first.sent[key] for key in ("originating", "packagesOriginating")}
        again = await self.content(someone, **same)
        got = await self.read(again.path, CONTENT)
        self.assertEqual(same["originating"], got["originating"])
        self.assertEqual(same["packagesOriginating"], got["packages"])

    async def test_originating_differs(self):
        """content#publishing: an originating entity that exists otherwise
        is 409 entity_conflict."""
        made = await self.content(await self.someone())
        moved = made.sent["originating"][0] | {"path": "elsewhere"}
        refused = await self.put(f"content/{guid()}", draft(originating=[moved]), by=made.author)
        self.problem(refused, 409, "entity_conflict")

    async def test_package_differs(self):
        """content#publishing: an originating package that exists
        otherwise is 409 package_conflict."""
        made = await self.content(await self.someone())
        moved = package() | {"id": made.sent["packagesOriginating"][0]["id"]}
        body = draft(packagesOriginating=[moved])
        refused = await self.put(f"content/{guid()}", body, by=made.author)
        self.problem(refused, 409, "package_conflict")

    async def test_revision_taken(self):
        """content#revisions: a revisionId that another content has is 409 revision_exists."""
        made = await self.content(await self.someone())
        body = draft(revisionId=made.sent["revisionId"])
        refused = await self.put(f"content/{guid()}", body, by=made.author)
        self.problem(refused, 409, "revision_exists")

    async def test_repeated_create(self):
        """content#publishing: a create sent again by its author is 204
        and changes nothing."""
        made = await self.content(await self.someone())
        before = await self.read(made.path, CONTENT)
        again = made.sent | {"description": "other", "tags": [], "name": "other"}
        await self.put(made.path, again, by=made.author, expect=204)
        self.assertEqual(before, await self.read(made.path, CONTENT))

    async def test_two_creates_at_once(self):
        """content#publishing: of two users creating one content at once,
        one has it, whole."""
        users, path = [await self.user(), await self.user()], f"content/{guid()}"
        bodies = [draft(), draft()]
        both = await gatherResults(
            Deferred.fromCoroutine(self.put(path, body, by=user))
            for user, body in zip(users, bodies, strict=True)
        )
        statuses = [response.status for response in both]
        self.assertEqual(1, statuses.count(204), both)
        self.assertIn(max(statuses), (403, 409))
        won = statuses.index(204)
        got = await self.read(path, CONTENT)
        self.assertEqual(users[won].username, got["authorUsername"])
        self.assertEqual(bodies[won]["entity"], got["entity"])

    async def test_one_create_twice_at_once(self):
        """content#publishing: one create sent twice at once is 204 both
        times."""
        someone, path, body = await self.someone(), f"content/{guid()}", draft()
        both = await gatherResults(
            Deferred.fromCoroutine(self.put(path, body, by=someone)) for _ in range(2)
        )
        self.assertEqual([204, 204], [response.status for response in both])
        self.assertEqual(body["name"], (await self.read(path, CONTENT))["name"])

    async def test_guid_in_any_case(self):
        """conventions#requests: GUIDs are taken in any case and given in lower case."""
        content_id, someone = guid(), await self.someone()
        await self.put(f"content/{content_id.upper()}", draft(), by=someone, expect=204)
        self.assertEqual(content_id, (await self.read(f"content/{content_id}", CONTENT))["id"])

    async def test_listing_ids(self):
        """content#contentinfo: listingId is a number from one sequence, new with each
        publish."""
        first = await self.content(await self.someone())
        second = await self.content(await self.someone())
        got = [(await self.read(made.path, CONTENT))["listingId"] for made in (first, second)]
        self.assertLess(*got)

    async def test_revision(self):
        """content#by-author: GET content/{contentId}/revisions/{revisionId} is
        the revision as published."""
        made = await self.content(await self.someone())
        sent = made.sent
        got = await self.read(f"{made.path}/revisions/{sent['revisionId']}", REVISION)
        self.assertEqual(sent["revisionId"], got["id"])
        self.assertEqual(sent["revisionDescription"], got["description"])
        for member in ("version", "entity", "originating", "using"):
            self.assertEqual(sent[member], got[member], member)
        self.assertEqual(sent["packagesOriginating"], got["packages"])

    async def test_missing_revision(self):
        """A revision of another content is 404 revision_not_found."""
        made = await self.content(await self.someone())
        other = await self.content(await self.someone())
        path = f"{made.path}/revisions/{other.sent['revisionId']}"
        self.problem(await self.get(path), 404, "revision_not_found")
        path = f"content/{guid()}/revisions/{made.sent['revisionId']}"
        self.problem(await self.get(path), 404)


class UpdateTests(SpecCase):
    """PUT /api/v1/content/{contentId} where it exists."""

    CHANGE: ClassVar = {"description": "Now with a moat", "screenshotUris": ["moat.png", "old.png"]}

    async def test_update(self):
        """content#publishing: an update is 204 and changes description, screenshots and tags."""
        made = await self.content(await self.someone())
        await self.put(made.path, self.CHANGE | {"tags": ["moat"]}, by=made.author, expect=204)
        got = await self.read(made.path, CONTENT)
        self.assertEqual(self.CHANGE["description"], got["description"])
        self.assertEqual(self.CHANGE["screenshotUris"], got["screenshotUris"])
        self.assertEqual("moat.png", got["thumbnailUri"])
        self.assertEqual(["moat"], got["tags"])
        self.assertGreaterEqual(got["updated"], got["created"])

    async def test_only_these(self):
        """content#publishing: only description, screenshots and tags can be updated this way."""
        made = await self.content(await self.someone())
        before = await self.read(made.path, CONTENT)
        body = self.CHANGE | {"name": "Other", "type": "asset", "entity": entity(), "version": "9"}
        await self.put(made.path, body, by=made.author, expect=204)
        got = await self.read(made.path, CONTENT)
        changed = {member for member in got if got[member] != before[member]}
        self.assertLessEqual(changed, {"description", "screenshotUris", "thumbnailUri", "updated"})
        self.assertEqual(self.CHANGE["description"], got["description"])

    async def test_tags_stay(self):
        """content#publishing: an update without tags leaves them; an
        empty array removes them."""
        made = await self.content(await self.someone())
        await self.put(made.path, self.CHANGE, by=made.author, expect=204)
        self.assertCountEqual(made.sent["tags"], (await self.read(made.path, CONTENT))["tags"])
        await self.put(made.path, self.CHANGE | {"tags": []}, by=made.author, expect=204)
        self.assertEqual([], (await self.read(made.path, CONTENT))["tags"])

    async def test_foreign_revision(self):
        """content#publishing: an update that names a revision which the
        content has not is 409 revision_not_published, which names POST revisions, from its author
        and from admins, and changes nothing."""
        someone = await self.someone()
        made, other = await self.content(someone), await self.content(someone)
        before = await self.read(made.path, CONTENT)
        for user in (made.author, await self.admin()):
            for revision in (guid(), other.sent["revisionId"]):
                for body in (self.CHANGE, draft()):
                    named = body | {"revisionId": revision}
                    refused = await self.put(made.path, named, by=user)
                    found = self.problem(refused, 409, "revision_not_published")
                    self.assertIn("POST /api/v1/content/{contentId}/revisions", found["detail"])
        self.assertEqual(before, await self.read(made.path, CONTENT))

    async def test_foreign_revision_of_a_stranger(self):
        """content#publishing: who may not update hears that, whatever
        revision the body names."""
        made = await self.content(await self.someone())
        for revision in (guid(), made.sent["revisionId"], "x"):
            body = self.CHANGE | {"revisionId": revision}
            self.problem(await self.put(made.path, body, by=await self.user()), 403, "forbidden")

    async def test_foreign_revision_of_a_bad_body(self):
        """conventions#error-order: 400 comes before 409: of a revisionId that is no
        GUID, or of the rest."""
        made = await self.content(await self.someone())
        for revision in ("", "x", 7, [], {}):
            body = self.CHANGE | {"revisionId": revision}
            self.invalid(await self.put(made.path, body, by=made.author), "/revisionId")
        body = {"revisionId": guid(), "description": "x", "screenshotUris": []}
        self.invalid(await self.put(made.path, body, by=made.author), "/screenshotUris")

    async def test_own_revision(self):
        """content#publishing: an admin's update may name the revision
        that there is; null names none."""
        made = await self.content(await self.someone())
        for user, revision in (
            (await self.admin(), made.sent["revisionId"].upper()),
            (made.author, None),
        ):
            body = self.CHANGE | {"description": str(revision), "revisionId": revision}
            await self.put(made.path, body, by=user, expect=204)
            self.assertEqual(str(revision), (await self.read(made.path, CONTENT))["description"])

    async def test_by_admin(self):
        """accounts#authentication: admins may update anyone's content, and its author stays."""
        made = await self.content(await self.someone())
        await self.put(made.path, self.CHANGE, by=await self.admin(), expect=204)
        got = await self.read(made.path, CONTENT)
        self.assertEqual(self.CHANGE["description"], got["description"])
        self.assertEqual(made.author.username, got["authorUsername"])

    async def test_by_another(self):
        """conventions#hidden-is-404: nobody but the author and admins updates; others get 403
        whatever its status, and it is unchanged."""
        made = await self.content(await self.user())
        other = await self.someone()
        for status in ("active", "suspended"):
            await self.moderate(made, status)
            for body in (self.CHANGE, draft()):
                self.problem(await self.put(made.path, body, by=other), 403, "forbidden")
        got = await self.read(made.path, CONTENT, by=made.author)
        self.assertEqual(made.sent["description"], got["description"])

    async def test_own_suspended(self):
        """accounts#authentication: the author may update suspended content."""
        made = await self.content(await self.someone())
        await self.moderate(made, "suspended")
        await self.put(made.path, self.CHANGE, by=made.author, expect=204)
        got = await self.read(made.path, CONTENT, by=made.author)
        self.assertEqual(self.CHANGE["description"], got["description"])
