"""Publishing revisions and reading them: content#revisions."""

from twisted.internet.defer import Deferred, gatherResults

from tests.spec.data import draft, entity, guid, package, reference
from tests.spec.notifications.support import TellingCase, bare, revision
from tests.spec.shapes import CONTENT, CONTENT_INFO, REVISION, REVISION_ITEM
from tests.support.deferreds import together


class PublishTests(TellingCase):
    """POST /api/v1/content/{content}/revisions."""

    async def test_publish(self):
        """content#revisions: 201 with the revision's path, where it can be read as it was sent."""
        made = await self.content(await self.someone())
        known = await self.content(await self.someone())
        used, bundle = known.sent["entity"], known.sent["packagesOriginating"][0]
        sent = revision(
            originating=[entity()],
            using=[reference(used)],
            packagesOriginating=[package()],
            packagesUsing=[bundle["id"]],
        )
        response = await self.post(f"{made.path}/revisions", sent, by=made.author, expect=201)
        location = response.header("Location")
        self.assertEqual(f"/api/v1/{made.path}/revisions/{sent['revisionId']}", location)
        got = await self.read(location, REVISION)
        self.assertEqual(sent["revisionDescription"], got["description"])
        for member in ("version", "entity", "originating"):
            self.assertEqual(sent[member], got[member], member)
        self.assertEqual([used], got["using"], "each with its path")
        self.assertCountEqual([*sent["packagesOriginating"], bundle], got["packages"])

    async def test_becomes_current(self):
        """content#revisions: it becomes the current one, with a new listingId; what
        content#publishing lets an update change stays."""
        made = await self.content(await self.user())
        before = await self.read(made.path, CONTENT)
        sent = await self.publish(made)
        got = await self.read(made.path, CONTENT)
        self.assertEqual(sent["revisionId"], got["revisionId"])
        self.assertEqual(sent["revisionId"], got["revision"]["id"])
        self.assertEqual("2.0", got["revision"]["version"])
        self.assertEqual("second", got["revision"]["description"])
        self.assertEqual(sent["entity"], got["entity"])
        self.assertEqual(([], [], []), (got["originating"], got["using"], got["packages"]))
        self.assertGreater(got["listingId"], before["listingId"])
        for member in ("name", "type", "description", "screenshotUris", "tags", "created"):
            self.assertEqual(before[member], got[member], member)
        (listed,) = await self.read(f"user/{made.author.id}/content", [CONTENT_INFO])
        self.assertEqual(sent["revisionId"], listed["revisionId"])

    async def test_who(self):
        """content#revisions: the author and admins may; others are 403, nobody is 401."""
        made = await self.content(await self.user())
        path = f"{made.path}/revisions"
        self.problem(await self.post(path, revision()), 401, "unauthorized")
        refused = await self.post(path, revision(), by=await self.someone())
        self.problem(refused, 403, "forbidden")
        sent = await self.publish(made, by=await self.admin())
        got = await self.read(made.path, CONTENT)
        self.assertEqual(sent["revisionId"], got["revisionId"])
        self.assertEqual(made.author.username, got["authorUsername"], "its author stays")

    async def test_repeat(self):
        """content#revisions: a revisionId of this content is 201 again, with the same Location, and
        changes nothing."""
        made = await self.content(await self.someone())
        path, sent = f"{made.path}/revisions", revision()
        first = await self.post(path, sent, by=made.author, expect=201)
        before = await self.read(made.path, CONTENT)
        for user, body in (
            (made.author, sent),
            (made.author, revision(revisionId=sent["revisionId"].upper())),
            (await self.admin(), sent | {"version": "9"}),
            (made.author, sent | {"using": [reference(entity())]}),
        ):
            again = await self.post(path, body, by=user, expect=201)
            self.assertEqual(first.header("Location"), again.header("Location"))
        self.assertEqual(before, await self.read(made.path, CONTENT))
        self.assertEqual(2, len(await self.read(path, [REVISION_ITEM])))

    async def test_repeat_of_an_earlier_one(self):
        """content#revisions: also if another is current by now; so is the create's revisionId."""
        made = await self.content(await self.someone())
        second = await self.publish(made)
        await self.publish(made)
        before = await self.read(made.path, CONTENT)
        for earlier in (second, revision(revisionId=made.sent["revisionId"])):
            response = await self.post(
                f"{made.path}/revisions", earlier, by=made.author, expect=201
            )
            location = response.header("Location") or ""
            self.assertTrue(location.endswith(earlier["revisionId"]), location)
        self.assertEqual(before, await self.read(made.path, CONTENT))

    async def test_revision_of_another(self):
        """content#revisions: 409 revision_exists where another content has it; nothing changes."""
        made, other = [await self.content(await self.someone()) for _ in range(2)]
        taken = await self.publish(other)
        before = await self.read(made.path, CONTENT)
        for one in (other.sent["revisionId"], taken["revisionId"]):
            body = revision(revisionId=one)
            refused = await self.post(f"{made.path}/revisions", body, by=made.author)
            self.problem(refused, 409, "revision_exists")
            core = [reference(body["entity"])]
            asked = {"contentId": guid(), "operation": "create", "packages": []}
            asked["dependencies"] = core
            found = await self.post("content/upload-precheck", asked, by=made.author, expect=200)
            self.assertEqual(core, found.json()["needed"], "nothing registered")
        self.assertEqual(before, await self.read(made.path, CONTENT))

    async def test_package_without_paths(self):
        """content#parts: a package needs a path of one platform at
        least; 400 comes before 403 and 404."""
        made = await self.content(await self.user())
        body = revision(packagesOriginating=[{"id": guid()}])
        for path, user in (
            (made.path, made.author),
            (made.path, await self.someone()),
            (f"content/{guid()}", made.author),
        ):
            refused = await self.post(f"{path}/revisions", body, by=user)
            self.invalid(refused, "/packagesOriginating/0")

    async def test_checked_as_a_create(self):
        """content#revisions: it is checked exactly as a create is; a refused one changes
        nothing."""
        made = await self.content(await self.someone())
        hidden = await self.content(await self.user())
        await self.moderate(hidden, "suspended")
        path, before = f"{made.path}/revisions", await self.read(made.path, CONTENT)
        moved = made.sent["originating"][0] | {"path": "elsewhere"}
        bundle = package() | {"id": made.sent["packagesOriginating"][0]["id"]}
        for status, code, change in (
            (422, "unknown_reference", {"using": [reference(entity())]}),
            (422, "unknown_reference", {"packagesUsing": [guid()]}),
            (422, "suspended_dependency", {"using": [reference(hidden.sent["entity"])]}),
            (409, "entity_conflict", {"originating": [moved]}),
            (409, "entity_conflict", {"entity": made.sent["entity"] | {"path": "elsewhere"}}),
            (409, "package_conflict", {"packagesOriginating": [bundle]}),
        ):
            new = entity()
            body = revision(**{"originating": [new], **change})
            refused = await self.post(path, body, by=made.author)
            found = self.problem(refused, status, code)
            self.assertTrue("entities" in found or "packages" in found, found)
            body = {"contentId": guid(), "operation": "create", "packages": []}
            body["dependencies"] = [reference(new)]
            found = await self.post("content/upload-precheck", body, by=made.author, expect=200)
            if "originating" not in change:
                self.assertEqual([reference(new)], found.json()["needed"], "nothing registered")
        self.assertEqual(before, await self.read(made.path, CONTENT))
        self.assertEqual(1, len(await self.read(path, [REVISION_ITEM])))

    async def test_size(self):
        """content#revisions: the limit of the body is 1 MiB."""
        made = await self.content(await self.someone())
        sent = await self.publish(made, version="v" * 600_000)
        got = await self.read(f"{made.path}/revisions/{sent['revisionId']}", REVISION)
        self.assertEqual(600_000, len(got["version"]))
        wire = await self.wire(
            "POST", f"{made.path}/revisions", by=made.author, Content_Length=1_048_577
        )
        found = self.problem(await wire.answer(), 413, "payload_too_large")
        self.assertEqual(1_048_576, found["limit"])

    async def test_guids_in_any_case(self):
        """conventions#requests: GUIDs are taken in any case and given in lower case, in Location
        too."""
        made, sent = await self.content(await self.someone()), revision()
        response = await self.post(
            f"content/{made.id.upper()}/revisions",
            sent | {"revisionId": sent["revisionId"].upper()},
            by=made.author,
            expect=201,
        )
        location = f"/api/v1/{made.path}/revisions/{sent['revisionId']}"
        self.assertEqual(location, response.header("Location"))

    async def test_precheck_then_publish(self):
        """content#revisions: this is the step that pre-check `update` prepares, for its callers."""
        made, sent = await self.content(await self.someone()), revision(originating=[entity()])
        parts = [reference(sent["entity"]), reference(sent["originating"][0])]
        asked = {"contentId": made.id, "operation": "update", "dependencies": parts, "packages": []}
        for user, needed in ((made.author, parts), (await self.admin(), [])):
            found = await self.post("content/upload-precheck", asked, by=user, expect=200)
            self.assertCountEqual(needed, found.json()["needed"])
            self.assertEqual([], found.json()["problems"])
            await self.post(f"{made.path}/revisions", sent, by=user, expect=201)

    async def test_repeat_of_the_create(self):
        """content#revisions: the first revisionId is kept: the create sent again is 204 and changes
        nothing, whatever has been published or chosen since. Another revisionId is an update."""
        made = await self.content(await self.someone())
        sent, first = await self.publish(made), made.sent["revisionId"]
        again = draft(revisionId=first, description="other", tags=[])
        for chosen in (sent["revisionId"], first):
            await self.roll(made, chosen)
            before = await self.read(made.path, CONTENT)
            await self.put(made.path, again, by=made.author, expect=204)
            self.assertEqual(before, await self.read(made.path, CONTENT))
        named = made.sent | {"revisionId": sent["revisionId"], "description": "other"}
        await self.put(made.path, named, by=made.author, expect=204)
        got = await self.read(made.path, CONTENT)
        self.assertEqual(("other", first), (got["description"], got["revisionId"]))


class TogetherTests(TellingCase):
    """Revisions at the same time."""

    async def test_one_revision_at_once(self):
        """content#revisions: one revision sent several times at once is 201 each time, and is
        one."""
        made, sent = await self.content(await self.someone()), revision()
        path = f"{made.path}/revisions"
        sends = [self.post(path, sent, by=made.author) for _ in range(4)]
        answers = await together(*sends)
        self.assertEqual([201] * 4, [answer.status for answer in answers])
        listed = await self.read(path, [REVISION_ITEM])
        self.assertEqual(
            [sent["revisionId"], made.sent["revisionId"]], [one["id"] for one in listed]
        )

    async def test_several_at_once(self):
        """content#revisions: several revisions at once are all published, and one is current."""
        made = await self.content(await self.someone())
        path, bodies = f"{made.path}/revisions", [revision() for _ in range(6)]
        sends = [self.post(path, body, by=made.author) for body in bodies]
        answers = await together(*sends)
        self.assertEqual([201] * 6, [answer.status for answer in answers])
        listed = await self.read(path, [REVISION_ITEM])
        ids = {body["revisionId"] for body in bodies} | {made.sent["revisionId"]}
        self.assertEqual(ids, {one["id"] for one in listed})
        self.assertEqual(7, len(listed))
        got = await self.read(made.path, CONTENT)
        self.assertEqual([got["revisionId"]], [one["id"] for one in listed if one["current"]])
        self.assertEqual(got["revisionId"], listed[0]["id"], "the last one published")

    async def test_one_id_for_two_contents(self):
        """content#revisions: of two contents that publish one revisionId at once one has it, the
        other is 409 revision_exists."""
        author, sent = await self.user(), guid()
        made = [await self.content(author, **bare()) for _ in range(2)]
        sends = [
            self.post(f"{one.path}/revisions", revision(revisionId=sent), by=author) for one in made
        ]
        answers = await together(*sends)
        self.assertEqual([201, 409], sorted(answer.status for answer in answers))
        (refused,) = [answer for answer in answers if answer.status == 409]
        self.problem(refused, 409, "revision_exists")

    async def test_revision_during_a_rollback(self):
        """content#revisions: a revision at the same time as a rollback: both succeed, and the last
        of them is current, whole."""
        made = await self.content(await self.someone())
        await self.publish(made)
        first, path = made.sent["revisionId"], f"{made.path}/revisions"
        for _ in range(4):
            sent = revision()
            answers = await gatherResults(
                Deferred.fromCoroutine(one)
                for one in (
                    self.post(path, sent, by=made.author),
                    self.put(f"{path}/current", {"revisionId": first}, by=made.author),
                )
            )
            self.assertEqual([201, 204], [answer.status for answer in answers])
            got = await self.read(made.path, CONTENT)
            cores = {first: made.sent["entity"], sent["revisionId"]: sent["entity"]}
            self.assertEqual(cores.get(got["revisionId"]), got["entity"])
            listed = await self.read(path, [REVISION_ITEM])
            self.assertEqual([got["revisionId"]], [one["id"] for one in listed if one["current"]])
