"""Revisions (extensions §1): who publishes them, how often, and how they are listed."""

import json
from typing import Any

import msgspec

from contentsvc.api.content.items import Content
from contentsvc.api.content.precheck import UploadPrecheck
from contentsvc.api.content.publishing import Publishing
from contentsvc.api.content.revisions import Revisions
from contentsvc.api.errors import translate
from contentsvc.web.decode import Either
from contentsvc.wire.base import Part
from contentsvc.wire.content import (
    ClientQuery,
    CurrentRevision,
    Precheck,
    RevisionCreate,
    RevisionInfo,
)
from tests.api.content.test_items import draft
from tests.api.support import ApiCase, Caller, Notifier, Tasks, no_types
from tests.support.databases import guid


def entity(path: str = "part") -> dict[str, str]:
    """A new entity revision."""
    return {"entityId": guid(), "revisionId": guid(), "path": path}


def reference(of: dict[str, str]) -> dict[str, str]:
    """The reference to an entity revision."""
    return {name: of[name] for name in ("entityId", "revisionId")}


def revision(**changes: Any) -> dict[str, Any]:
    """A body that publishes a revision."""
    return {
        "revisionId": guid(),
        "revisionDescription": "second",
        "version": "2.0",
        "entity": entity("core"),
        "originating": [],
        "using": [],
        **changes,
    }


class RevisionCase(ApiCase):
    per_day = 0

    async def setUp(self) -> None:
        await super().setUp()
        self.queue = Tasks()
        publishing = Publishing(self.db, self.queue, (), self.per_day, 0, None, no_types(self.db))
        self.contents = Content(self.db, Notifier(), self.queue, publishing, no_types(self.db))
        self.family = Revisions(self.db, publishing, files=False)
        self.prechecks = UploadPrecheck(self.db, required_platforms=(), files=False)
        self.ann, self.bob, self.admin = [await self.user() for _ in range(3)]
        self.by_ann, self.by_bob = Caller(self.ann), Caller(self.bob)
        self.by_admin = Caller(self.admin, admin=True)
        self.sent = draft()
        self.game = await self.made(self.sent)
        self.first = self.sent["revisionId"]

    async def put(self, by: Caller, game: str, body: dict[str, Any]) -> None:
        """PUT content."""
        await self.contents.put_content(by, game, Either(msgspec.json.encode(body), None))

    async def made(self, body: dict[str, Any], by: Caller | None = None) -> str:
        """The id of a new content, Ann's if nobody else's."""
        game = guid()
        await self.put(by or self.by_ann, game, body)
        return game

    async def publish(
        self, body: dict[str, Any] | None = None, by: Caller | None = None, game: str | None = None
    ) -> str:
        """POST revisions; the Location's path."""
        decoded = msgspec.convert(body or revision(), RevisionCreate)
        made = await self.family.publish_revision(by or self.by_ann, game or self.game, decoded)
        return made.path

    async def choose(self, chosen: str, by: Caller | None = None, game: str | None = None) -> None:
        """PUT revisions/current."""
        body = CurrentRevision(revision_id=chosen)
        await self.family.set_current_revision(by or self.by_ann, game or self.game, body)

    async def precheck(self, by: Caller, **body: Any) -> list[str]:
        """The codes of the problems of a pre-check."""
        given = {"contentId": guid(), "operation": "create", "dependencies": [], "packages": []}
        answer = await self.prechecks.check_upload(by, msgspec.convert({**given, **body}, Precheck))
        return [problem.code for problem in answer.problems]

    def flag(self, game: str, **flags: bool) -> None:
        """Suspend, delete or restore a content."""
        for flag, value in flags.items():
            self.sql(f"update contents set {flag} = %s where id = %s", value, game)

    def standing(self, game: str | None = None) -> tuple[str, int, str]:
        """Its current revision, listing id and status."""
        ((current, listing, status),) = self.sql(
            "select revision_id, listing_id, status from contents where id = %s", game or self.game
        )
        return str(current), listing, status

    def told(self) -> list[dict[str, Any]]:
        """The tasks about the content for followers."""
        rows = self.sql(
            "select task from tasks where task like %s and kind <> 'LibraryChanged' order by id",
            f"%{self.game}%",
        )
        return [json.loads(task) for (task,) in rows]

    async def listed(self, **query: Any) -> list[RevisionInfo]:
        """GET revisions."""
        return list(
            (await self.family.list_content_revisions(self.by_ann, self.game, Part(**query))).items
        )

    async def code(self, act: Any) -> str:
        """The code of a refusal."""
        return (await self.refused(act)).code


class PublishTests(RevisionCase):
    async def test_current(self) -> None:
        """A new revision is the current one, with a new listing id, and its parts are shown."""
        _, listing, _ = self.standing()
        bricks, bundle = entity("bricks"), {"id": guid(), "win64": "w"}
        old = self.sent["entity"]
        body = revision(originating=[bricks], using=[reference(old)], packagesOriginating=[bundle])
        path = await self.publish(body)
        self.assertEqual(path, f"/api/v1/content/{self.game}/revisions/{body['revisionId']}")
        detail = await self.contents.get_content(self.by_bob, self.game, ClientQuery())
        self.assertEqual((detail.revision_id, detail.revision.id), (body["revisionId"],) * 2)
        self.assertEqual((detail.revision.version, detail.revision.description), ("2.0", "second"))
        self.assertEqual(detail.entity.entity_id, body["entity"]["entityId"])
        self.assertEqual([part.path for part in detail.originating], ["bricks"])
        self.assertEqual([part.path for part in detail.using], ["core"])
        self.assertEqual([each.id for each in detail.packages], [bundle["id"]])
        self.assertGreater(detail.listing_id, listing)
        self.assertEqual(detail.name, self.sent["name"])

    async def test_number(self) -> None:
        """A new revision moves nothing in a list by age."""
        second = await self.made(draft())
        await self.publish()
        numbers = dict(self.sql("select id::text, number from contents"))
        self.assertLess(numbers[self.game], numbers[second])

    async def test_repeated(self) -> None:
        """A repeat has the same Location and changes nothing, also if another is current by now, or
        the content is deleted; so has the first revision's id."""
        body = revision()
        path = await self.publish(body)
        await self.publish()
        changed = {**body, "version": "3", "using": [reference(entity())]}
        for deleted in (False, True):
            self.flag(self.game, deleted=deleted)
            before = self.standing()
            for again in (body, changed):
                self.assertEqual(await self.publish(again), path)
            self.assertIn(self.first, await self.publish({**body, "revisionId": self.first}))
            self.assertEqual(self.standing(), before)
        self.assertEqual(len(await self.listed()), 3)

    async def test_repeated_at_once(self) -> None:
        """A revision that is sent several times at once is published once, and all succeed."""
        body = revision()
        found = await self.statuses(*(self.publish(body) for _ in range(8)))
        self.assertEqual(found, ["done"] * 8)
        self.assertEqual(len(await self.listed()), 2)

    async def test_at_once(self) -> None:
        """Of several revisions at once each has a place of its own, and the last is current."""
        found = await self.statuses(*(self.publish() for _ in range(6)))
        self.assertEqual(found, ["done"] * 6)
        rows = self.sql(
            "select ordinal, id::text from revisions where content_id = %s order by ordinal",
            self.game,
        )
        self.assertEqual([ordinal for ordinal, _ in rows], [1, 2, 3, 4, 5, 6, 7])
        self.assertEqual(self.standing()[0], rows[-1][1])

    async def test_who(self) -> None:
        """Its author and admins publish; for others it is 403, and 404 if they do not see it."""
        await self.publish(by=self.by_admin)
        self.assertEqual(await self.code(self.publish(by=self.by_bob)), "forbidden")
        for flags in ({"suspended": True}, {"suspended": False, "deleted": True}):
            self.flag(self.game, **flags)
            self.assertEqual(await self.code(self.publish(by=self.by_bob)), "content_not_found")
        self.assertEqual(await self.code(self.publish(game=guid())), "content_not_found")
        rows = self.sql(
            "select publisher_id::text from revisions where content_id = %s order by ordinal",
            self.game,
        )
        self.assertEqual(rows, [(self.ann,), (self.admin,)])

    async def test_elsewhere(self) -> None:
        """A revision id that other content has is refused, and leaves nothing."""
        other = await self.made(draft(revisionId=guid()))
        ((taken,),) = self.sql("select revision_id::text from contents where id = %s", other)
        before = self.standing()
        body = revision(revisionId=taken)
        self.assertEqual(await self.statuses(self.publish_translated(body)), ["revision_exists"])
        core = body["entity"]["entityId"]
        self.assertEqual(self.sql("select 1 from entities where entity_id = %s", core), [])
        self.assertEqual(self.standing(), before)

    async def publish_translated(self, body: dict[str, Any], game: str | None = None) -> None:
        """POST revisions, with the database's refusal as its problem."""
        try:
            await self.publish(body, game=game)
        except Exception as error:
            raise translate(error) or error from None

    async def test_elsewhere_at_once(self) -> None:
        """Of two contents that publish one revision id at once, one has it."""
        other = await self.made(draft())
        body = revision()
        acts = [self.publish_translated(body, game) for game in (self.game, other)]
        self.assertEqual(sorted(await self.statuses(*acts)), ["done", "revision_exists"])

    async def test_unknown(self) -> None:
        """What nobody has registered is refused, and nothing is left."""
        body = revision(using=[reference(entity())], packagesUsing=[guid()])
        self.assertEqual(await self.code(self.publish(body)), "unknown_reference")
        self.assertEqual(len(await self.listed()), 1)

    async def test_conflicts(self) -> None:
        """Another path of what is registered is refused."""
        moved = {**self.sent["entity"], "path": "other"}
        self.assertEqual(await self.code(self.publish(revision(entity=moved))), "entity_conflict")
        bundle = {"id": guid(), "win64": "w"}
        await self.publish(revision(packagesOriginating=[bundle]))
        body = revision(packagesOriginating=[{**bundle, "win64": "x"}])
        self.assertEqual(await self.code(self.publish(body)), "package_conflict")

    async def test_no_platform(self) -> None:
        """A package without any path is malformed, whatever else is wrong."""
        body = revision(packagesOriginating=[{"id": guid()}])
        problem = await self.refused(self.publish(body, by=self.by_bob, game=guid()))
        self.assertEqual((problem.status, problem.code), (400, "invalid_body"))
        self.assertEqual(problem.members["errors"][0]["pointer"], "/packagesOriginating/0")

    async def test_deleted(self) -> None:
        """Nothing is published on deleted content, by admins neither."""
        self.flag(self.game, deleted=True)
        for by in (self.by_ann, self.by_admin):
            self.assertEqual(await self.code(self.publish(by=by)), "content_deleted")

    async def test_suspended(self) -> None:
        """On suspended content it is published; it stays suspended and nobody is told."""
        self.sql("insert into follows (follower, followed) values (%s, %s)", self.bob, self.ann)
        self.flag(self.game, suspended=True)
        body = revision()
        await self.publish(body)
        current, _, status = self.standing()
        self.assertEqual((current, status), (body["revisionId"], "suspended"))
        self.assertEqual(self.told(), [])

    async def test_told(self) -> None:
        """The author's followers are told of it, also where an admin has published it; a repeat
        tells nobody."""
        self.sql("insert into follows (follower, followed) values (%s, %s)", self.bob, self.ann)
        bodies = [revision(), revision()]
        for body, by in zip(bodies, (self.by_ann, self.by_admin), strict=True):
            await self.publish(body, by)
            await self.publish(body, by)
        fields = ("kind", "author", "content", "revision")
        self.assertEqual(
            [tuple(task[field] for field in fields) for task in self.told()],
            [("RevisionPublished", self.ann, self.game, body["revisionId"]) for body in bodies],
        )


class LimitTests(RevisionCase):
    per_day = 2

    async def test_limit(self) -> None:
        """Creates and revisions count together, for who published; repeats and refusals do not."""
        body = revision()
        await self.publish(body)
        problem = await self.refused(self.publish())
        self.assertEqual((problem.status, problem.code), (429, "too_many_requests"))
        self.assertIn("Retry-After", problem.headers)
        await self.publish(body)
        self.assertEqual(
            await self.code(self.publish(revision(using=[reference(entity())]))),
            "unknown_reference",
        )
        self.assertEqual(await self.code(self.made(draft())), "too_many_requests")
        for _ in range(2):
            await self.publish(by=self.by_admin)
        self.assertEqual(await self.code(self.publish(by=self.by_admin)), "too_many_requests")
        self.assertEqual(len(await self.listed()), 4)


class ListTests(RevisionCase):
    async def test_order(self) -> None:
        """The newest comes first, whichever is current."""
        ids = [self.first]
        for version in ("2", "3"):
            body = revision(version=version, revisionDescription=f"notes {version}")
            await self.publish(body)
            ids.append(body["revisionId"])
        await self.choose(ids[1])
        found = await self.listed()
        self.assertEqual([info.id for info in found], ids[::-1])
        self.assertEqual([info.current for info in found], [False, True, False])
        self.assertEqual((found[0].version, found[0].description), ("3", "notes 3"))

    async def test_parts(self) -> None:
        """It comes in parts, 50 at a time if the caller does not say."""
        for _ in range(4):
            await self.publish()
        everything = await self.listed()
        found, after = [], None
        for _ in range(3):
            part = await self.family.list_content_revisions(
                self.by_ann, self.game, Part(limit=2, after=after)
            )
            found += part.items
            after = part.after
        self.assertEqual((found, after), (everything, None))
        self.sql(
            """insert into revisions (id, content_id, version, description, entity_id,
                                      entity_revision, ordinal)
               select gen_random_uuid(), %s, '', '', gen_random_uuid(), gen_random_uuid(), n
               from generate_series(6, 52) n""",
            self.game,
        )
        part = await self.family.list_content_revisions(self.by_ann, self.game, Part())
        self.assertEqual((len(part.items), part.after), (50, "3"))

    async def test_beyond(self) -> None:
        """After the last there is nothing."""
        self.assertEqual(await self.listed(after="1"), [])

    async def test_cursor(self) -> None:
        """A cursor that was made up is malformed."""
        for after in ("x", "-1", "1.5", str(2**63)):
            self.assertEqual(await self.code(self.listed(after=after)), "invalid_query")

    async def test_hidden(self) -> None:
        """Hidden content has a list for its author and admins only."""
        for flags in ({"suspended": True}, {"suspended": False, "deleted": True}):
            self.flag(self.game, **flags)
            for by in (self.by_ann, self.by_admin):
                self.assertEqual(
                    len((await self.family.list_content_revisions(by, self.game, Part())).items), 1
                )
            act = self.family.list_content_revisions(self.by_bob, self.game, Part())
            self.assertEqual(await self.code(act), "content_not_found")
