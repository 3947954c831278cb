"""Publishing (spec §4.2, extensions §1): what may be used, and who owns a core. The pre-check says
the same as the real step."""

from typing import Any

from contentsvc.wire.content import ClientQuery
from tests.api.content.test_items import draft
from tests.api.content.test_revisions import RevisionCase, entity, reference, revision
from tests.api.support import Caller
from tests.support.databases import guid


class UseCase(RevisionCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.part, self.bundle = entity("bricks"), {"id": guid(), "win64": "w"}
        self.base = await self.made(
            draft(originating=[self.part], packagesOriginating=[self.bundle]), self.by_bob
        )

    def uses(self, **changes: Any) -> dict[str, Any]:
        """A revision that uses Bob's part and package."""
        return revision(using=[reference(self.part)], packagesUsing=[self.bundle["id"]], **changes)

    async def checked(self, body: dict[str, Any], **asked: Any) -> list[str]:
        """The problems that a pre-check finds in a body."""
        entities = [body["entity"], *body["originating"], *body["using"]]
        return await self.precheck(
            self.by_ann,
            dependencies=[reference(each) for each in entities],
            packages=body.get("packagesUsing", []),
            entity=reference(body["entity"]),
            **asked,
        )

    async def outcomes(self, body: dict[str, Any]) -> list[str]:
        """What a create, a revision and both pre-checks say."""
        created = await self.statuses(self.made({**draft(), **body, "revisionId": guid()}))
        asked = {"contentId": self.game, "operation": "update"}
        checked = [*await self.checked(body), "|", *await self.checked(body, **asked)]
        revised = await self.statuses(self.publish({**body, "revisionId": guid()}))
        return [*created, *revised, *checked]


class HiddenPartTests(UseCase):
    async def test_refused(self) -> None:
        """Parts of suspended and of deleted content are refused, each with its code; what is both
        is deleted. The pre-check says the same."""
        for flags, code in (
            ({"suspended": True}, "suspended_dependency"),
            ({"deleted": True}, "deleted_dependency"),
            ({"suspended": False}, "deleted_dependency"),
        ):
            self.flag(self.base, **flags)
            self.assertEqual(await self.outcomes(self.uses()), [code, code, code, "|", code])

    async def test_named(self) -> None:
        """A refusal names the parts."""
        self.flag(self.base, deleted=True)
        problem = await self.refused(self.publish(self.uses()))
        self.assertEqual(problem.status, 422)
        (named,) = problem.members["entities"]
        self.assertEqual(named.entity_id, self.part["entityId"])
        self.assertEqual(problem.members["packages"], [self.bundle["id"]])

    async def test_however(self) -> None:
        """They are refused as originating, as packages to register and as the core too."""
        self.flag(self.base, deleted=True)
        for body in (
            revision(originating=[self.part]),
            revision(packagesOriginating=[self.bundle]),
            revision(entity=self.part),
        ):
            self.assertEqual(await self.code(self.publish(body)), "deleted_dependency")

    async def test_kept(self) -> None:
        """What the current revision uses may be kept although it has been deleted, but not while it
        is suspended; a create may not use it."""
        await self.publish(self.uses())
        self.flag(self.base, deleted=True)
        found = await self.outcomes(self.uses())
        self.assertEqual(found, ["deleted_dependency", "done", "deleted_dependency", "|"])
        for deleted, code in ((True, "deleted_dependency"), (False, "suspended_dependency")):
            self.flag(self.base, deleted=deleted, suspended=True)
            self.assertEqual(await self.outcomes(self.uses()), [code, code, code, "|", code])

    async def test_kept_core(self) -> None:
        """So is what was kept under another name: a core of older content, or as originating."""
        await self.publish(revision(entity=self.part, packagesUsing=[self.bundle["id"]]))
        self.flag(self.base, deleted=True)
        for body in (self.uses(), revision(originating=[self.part]), revision(entity=self.part)):
            await self.publish(body)

    async def test_dropped(self) -> None:
        """What an older revision uses, but not the current one, may not be used again."""
        await self.publish(self.uses())
        await self.publish()
        self.flag(self.base, deleted=True)
        self.assertEqual(await self.code(self.publish(self.uses())), "deleted_dependency")

    async def test_another(self) -> None:
        """To use one part of deleted content does not allow another."""
        await self.publish(revision(using=[reference(self.part)]))
        self.flag(self.base, deleted=True)
        problem = await self.refused(self.publish(self.uses()))
        self.assertEqual(problem.members["entities"], [])
        self.assertEqual(problem.members["packages"], [self.bundle["id"]])

    async def test_going_back(self) -> None:
        """Going back onto suspended or deleted parts is refused, also where the current revision
        uses them; the current one itself can be chosen."""
        first, second = self.uses(), self.uses()
        for body in (first, second):
            await self.publish(body)
        for flags, code in (
            ({"deleted": True}, "deleted_dependency"),
            ({"suspended": True}, "deleted_dependency"),
            ({"deleted": False}, "suspended_dependency"),
        ):
            self.flag(self.base, **flags)
            self.assertEqual(await self.code(self.choose(first["revisionId"])), code)
            await self.choose(second["revisionId"])
        await self.choose(self.first)
        self.flag(self.base, suspended=False)
        await self.choose(first["revisionId"])

    async def test_own(self) -> None:
        """Content may always use its own parts, also those of an earlier revision, while it is
        suspended too."""
        bricks, bundle = entity("own"), {"id": guid(), "win64": "w"}
        await self.publish(revision(originating=[bricks], packagesOriginating=[bundle]))
        await self.publish()
        self.flag(self.game, suspended=True)
        await self.publish(revision(using=[reference(bricks)], packagesUsing=[bundle["id"]]))

    async def test_own_other(self) -> None:
        """Other content of the same author is other content."""
        other = await self.made(draft(originating=[part := entity()]))
        self.flag(other, deleted=True)
        body = revision(using=[reference(part)])
        self.assertEqual(await self.code(self.publish(body)), "deleted_dependency")


class CoreTests(UseCase):
    def setUp(self) -> Any:
        self.core = entity("core")
        return super().setUp()

    async def test_other(self) -> None:
        """The core of another author's content is no core, in a create and a revision; the
        pre-check says so. It can be used."""
        await self.made(draft(entity=self.core), self.by_bob)
        body = revision(entity=self.core)
        code = "entity_owned_by_other"
        self.assertEqual(await self.outcomes(body), [code, code, code, "|", code])
        problem = await self.refused(self.publish(body))
        self.assertEqual(problem.status, 403)
        self.assertEqual(
            [each.entity_id for each in problem.members["entities"]], [self.core["entityId"]]
        )
        await self.publish(revision(using=[reference(self.core)]))
        await self.publish(revision(originating=[self.core]))

    async def test_earlier(self) -> None:
        """So is the core of a revision that is not current, or of hidden content: there its own
        code says why."""
        base = await self.made(draft(entity=self.core), self.by_bob)
        await self.publish(revision(), self.by_bob, base)
        body = revision(entity=self.core)
        self.assertEqual(await self.code(self.publish(body)), "entity_owned_by_other")
        self.flag(base, suspended=True)
        self.assertEqual(await self.code(self.publish(body)), "suspended_dependency")
        sole = {"dependencies": [reference(self.core)]}
        self.assertEqual(await self.precheck(self.by_ann, **sole), ["suspended_dependency"])

    async def test_revision(self) -> None:
        """Another revision of the entity is another core, and what another author has brought
        without its being a core may become one."""
        await self.made(draft(entity=self.core), self.by_bob)
        await self.publish(revision(entity={**self.core, "revisionId": guid()}))
        await self.publish(revision(entity=self.part))

    async def test_same_author(self) -> None:
        """One author's content may share a core, which a new revision may keep; an admin publishes
        for the author."""
        await self.publish(revision(entity=self.core))
        await self.made(draft(entity=self.core))
        for by in (self.by_ann, self.by_admin):
            await self.publish(revision(entity=self.core), by)
        update = {"contentId": self.game, "operation": "update"}
        sole = {"dependencies": [reference(self.core)]}
        for by in (self.by_ann, self.by_admin):
            self.assertEqual(await self.precheck(by, **sole, **update), [])
        self.assertEqual(await self.precheck(self.by_admin, **sole), ["entity_owned_by_other"])

    async def test_older(self) -> None:
        """Where several authors have one core, from before there was the rule, each may keep it."""
        await self.publish(revision(entity=self.core))
        base = await self.made(draft(), self.by_bob)
        self.sql(
            "update revisions set entity_id = %s, entity_revision = %s where content_id = %s",
            *(self.core["entityId"], self.core["revisionId"], base),
        )
        for by, game in ((self.by_ann, self.game), (self.by_bob, base)):
            await self.publish(revision(entity=self.core), by, game)
        body = draft(entity=self.core)
        made = self.made(body, Caller(await self.user()))
        self.assertEqual(await self.code(made), "entity_owned_by_other")

    async def test_precheck(self) -> None:
        """In a pre-check a sole dependency is the core; of several, `entity` says which. Without it
        none is."""
        await self.made(draft(entity=self.core), self.by_bob)
        theirs, own = reference(self.core), reference(entity())
        for asked, expected in (
            ({"dependencies": [theirs]}, True),
            ({"dependencies": [own]}, False),
            ({"dependencies": [theirs, own]}, False),
            ({"dependencies": [theirs, own], "entity": theirs}, True),
            ({"dependencies": [theirs, own], "entity": own}, False),
            ({"dependencies": [], "entity": theirs}, True),
            ({"dependencies": [theirs], "entity": own}, False),
        ):
            found = await self.precheck(self.by_ann, **asked)
            self.assertEqual(found, ["entity_owned_by_other"] if expected else [], asked)


class PrecheckTests(UseCase):
    async def test_deleted(self) -> None:
        """The pre-check of an update of deleted content is refused; of another's it is 403."""
        self.flag(self.game, deleted=True)
        asked = {"contentId": self.game, "operation": "update"}
        for by, code in (
            (self.by_ann, "content_deleted"),
            (self.by_admin, "content_deleted"),
            (self.by_bob, "forbidden"),
        ):
            self.assertEqual(await self.code(self.precheck(by, **asked)), code)

    async def test_taken(self) -> None:
        """The id of deleted content is taken."""
        self.flag(self.game, deleted=True)
        code = await self.code(self.precheck(self.by_ann, contentId=self.game))
        self.assertEqual(code, "content_exists")


class UpdateTests(UseCase):
    async def test_deleted(self) -> None:
        """On deleted content a repeat of the create changes nothing, and everything else is
        refused; of another's it is 403."""
        await self.publish(body := revision())
        self.flag(self.game, deleted=True)
        await self.put(self.by_ann, self.game, {**self.sent, "description": "other"})
        update = {"description": "other", "screenshotUris": ["b.png"]}
        for sent in (
            update,
            {**update, "revisionId": guid()},
            {**update, "revisionId": body["revisionId"]},
        ):
            for by, code in ((self.by_ann, "content_deleted"), (self.by_admin, "content_deleted")):
                self.assertEqual(await self.code(self.put(by, self.game, sent)), code)
            self.assertEqual(await self.code(self.put(self.by_bob, self.game, sent)), "forbidden")
        malformed = {**update, "screenshotUris": ["../b.png"]}
        self.assertEqual(
            await self.code(self.put(self.by_ann, self.game, malformed)), "invalid_body"
        )
        detail = await self.contents.get_content(self.by_ann, self.game, ClientQuery())
        self.assertEqual(detail.description, self.sent["description"])

    async def test_not_published(self) -> None:
        """A revision id that is none of the content's is refused with the way to publish it."""
        update = {"description": "other", "screenshotUris": ["b.png"], "revisionId": guid()}
        problem = await self.refused(self.put(self.by_ann, self.game, update))
        self.assertEqual((problem.status, problem.code), (409, "revision_not_published"))
        self.assertIn("POST /api/v1/content/{contentId}/revisions", problem.detail)
