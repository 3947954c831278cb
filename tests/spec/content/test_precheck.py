"""Upload pre-check: content#pre-check."""

from tests.spec.data import User, draft, entity, guid, package, reference
from tests.spec.harness import SpecCase
from tests.spec.shapes import PRECHECK


class PrecheckTests(SpecCase):
    """POST /api/v1/content/upload-precheck."""

    async def precheck(self, by: User, expect: int | None = 200, **body):
        """The response to a pre-check of a new item without parts, or as `body` says."""
        sent = {
            "contentId": guid(),
            "operation": "create",
            "dependencies": [],
            "packages": [],
            **body,
        }
        return await self.post("content/upload-precheck", sent, by=by, expect=expect)

    async def problems(self, by: User, **body) -> list[str]:
        """The codes of the problems that a pre-check finds."""
        found = (await self.precheck(by, **body)).json()
        return [problem["code"] for problem in found["problems"]]

    async def test_answer(self):
        """specification, 4.1 Pre-check: the answer has needed, neededPackages and problems."""
        found = (await self.precheck(await self.someone())).json()
        self.shape(found, PRECHECK)
        self.assertEqual({"needed": [], "neededPackages": [], "problems": []}, found)

    async def test_unknown_entities_needed(self):
        """content#pre-check: needed lists the entities to upload before the next step."""
        new = [reference(entity()), reference(entity())]
        found = (await self.precheck(await self.someone(), dependencies=new)).json()
        self.assertCountEqual(new, found["needed"])

    async def test_unknown_packages_needed(self):
        """content#pre-check: neededPackages lists the package IDs to upload before the next
        step."""
        new = [guid(), guid()]
        found = (await self.precheck(await self.someone(), packages=new)).json()
        self.assertCountEqual(new, found["neededPackages"])

    async def test_registered_entities_not_needed(self):
        """content#pre-check: what a create has registered need not be uploaded again."""
        made = await self.content(await self.someone())
        new = reference(entity())
        known = [reference(made.sent["entity"]), reference(made.sent["originating"][0])]
        found = (await self.precheck(made.author, dependencies=[*known, new])).json()
        self.assertEqual([new], found["needed"])

    async def test_registered_packages_not_needed(self):
        """content#pre-check: a package that a create has registered need not be uploaded again."""
        made = await self.content(await self.someone())
        new = guid()
        known = made.sent["packagesOriginating"][0]["id"]
        found = (await self.precheck(made.author, packages=[known, new])).json()
        self.assertEqual([new], found["neededPackages"])

    async def test_other_revision_needed(self):
        """specification, 4.1 Pre-check: an entity is needed unless exactly that revision of it is
        registered."""
        made = await self.content(await self.someone())
        other = reference(made.sent["entity"]) | {"revisionId": guid()}
        found = (await self.precheck(made.author, dependencies=[other])).json()
        self.assertEqual([other], found["needed"])

    async def test_registers_nothing(self):
        """content#pre-check: a check before creating: asked twice it answers the same."""
        new = reference(entity())
        someone = await self.someone()
        for _ in range(2):
            found = (await self.precheck(someone, dependencies=[new])).json()
            self.assertEqual([new], found["needed"])

    async def test_lower_case_out(self):
        """conventions#requests: GUIDs are taken in any case and given in lower case."""
        new = reference(entity())
        upper = {member: value.upper() for member, value in new.items()}
        found = (await self.precheck(await self.someone(), dependencies=[upper])).json()
        self.assertEqual([new], found["needed"])

    async def test_create_taken(self):
        """specification, 4.1 Pre-check: the pre-check of a create with a taken contentId is 409
        content_exists."""
        made = await self.content(await self.someone())
        self.problem(
            await self.precheck(made.author, None, contentId=made.id), 409, "content_exists"
        )

    async def test_update_by_author(self):
        """content#pre-check: operation update of one's own content is answered like a create."""
        made = await self.content(await self.someone())
        found = await self.precheck(made.author, contentId=made.id, operation="update")
        self.shape(found.json(), PRECHECK)

    async def test_update_of_anothers(self):
        """conventions#hidden-is-404: the pre-check of an update of another's content is 403,
        whatever its status."""
        made = await self.content(await self.user())
        for status in ("active", "suspended"):
            await self.moderate(made, status)
            found = await self.precheck(
                await self.someone(), None, contentId=made.id, operation="update"
            )
            self.problem(found, 403, "forbidden")

    async def test_update_by_admin(self):
        """accounts#authentication: admins may update, so the pre-check lets them."""
        made = await self.content(await self.someone())
        await self.precheck(await self.admin(), contentId=made.id, operation="update")

    async def test_update_of_missing(self):
        """specification, 4.1 Pre-check: the pre-check of an update of missing content is 404."""
        found = await self.precheck(await self.someone(), None, operation="update")
        self.problem(found, 404, "content_not_found")

    async def test_suspended_dependency(self):
        """specification, 4.1 Pre-check: problems names a dependency of suspended content, as the
        create then does, however that brings it."""
        made = await self.content(await self.user())
        await self.moderate(made, "suspended")
        other, core = await self.someone(), made.sent["entity"]
        bundle = made.sent["packagesOriginating"][0]
        for asked, sent in (
            ({"dependencies": [reference(core)]}, {"using": [reference(core)]}),
            ({"dependencies": [core]}, {"originating": [core]}),
            ({"dependencies": [core]}, {"entity": core}),
            ({"packages": [bundle["id"]]}, {"packagesUsing": [bundle["id"]]}),
            ({"packages": [bundle["id"]]}, {"packagesOriginating": [bundle]}),
        ):
            self.assertEqual(["suspended_dependency"], await self.problems(other, **asked))
            refused = await self.put(f"content/{guid()}", draft(**sent), by=other)
            self.problem(refused, 422, "suspended_dependency")

    async def test_update_of_suspended(self):
        """content#revisions: that content's own parts are suspended with it stops no update of
        it."""
        made = await self.content(await self.user())
        await self.moderate(made, "suspended")
        asked = {
            "contentId": made.id,
            "operation": "update",
            "dependencies": [reference(made.sent["entity"])],
            "packages": [made.sent["packagesOriginating"][0]["id"]],
        }
        self.assertEqual([], await self.problems(made.author, **asked))

    async def test_entity_conflict(self):
        """specification, 4.1 Pre-check: a dependency given with another path than the registered
        one is a problem."""
        made = await self.content(await self.someone())
        moved = made.sent["entity"] | {"path": "elsewhere"}
        self.assertEqual(
            ["entity_conflict"], await self.problems(made.author, dependencies=[moved])
        )

    async def test_precheck_then_create(self):
        """content#pre-check: with what was needed uploaded, the create goes through and nothing
        is."""
        author, item, content_id = await self.someone(), draft(), guid()
        parts = [reference(item["entity"]), reference(item["originating"][0])]
        bundles = [item["packagesOriginating"][0]["id"]]
        found = (await self.precheck(author, dependencies=parts, packages=bundles)).json()
        self.assertCountEqual(parts, found["needed"])
        await self.put(f"content/{content_id}", item, by=author, expect=204)
        found = (await self.precheck(author, dependencies=parts, packages=bundles)).json()
        self.assertEqual({"needed": [], "neededPackages": [], "problems": []}, found)

    async def test_package_by_one_platform(self):
        """content#parts: a package for one platform is enough
        unless the operator requires more."""
        one = {"id": package()["id"], "linux64": "packages/one"}
        made = await self.content(await self.someone(), packagesOriginating=[one])
        self.assertEqual([], await self.problems(made.author, packages=[one["id"]]))
