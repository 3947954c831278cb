"""Revisions (content#revisions): several at once, who has published them, and how often."""

import json
from typing import Any

import msgspec

from contentsvc.api.content.items import Content
from contentsvc.api.content.publishing import Publishing
from contentsvc.api.content.revisions import Revisions
from contentsvc.api.errors import translate
from contentsvc.framework.http.decode import Either
from contentsvc.roles import ADMINISTER, CURATE, MODERATE
from contentsvc.store.content import subscriptions
from contentsvc.wire.base import Part
from contentsvc.wire.content import CurrentRevision, RevisionCreate, RevisionInfo
from tests.api.content.test_items import draft
from tests.api.support import (
    ApiCase,
    Caller,
    Tasks,
    acts,
    no_platforms,
    no_types,
)
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
        kinds = no_types(self.db), no_platforms(self.db)
        publishing = Publishing(self.db, self.queue, (), self.per_day, 0, None, *kinds)
        self.contents = Content(self.db, acts(queue=self.queue), publishing, *kinds)
        self.family = Revisions(self.db, publishing, files=False)
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
        sent = Either[RevisionCreate](msgspec.json.encode(body or revision()), None)
        made = await self.family.publish_revision(by or self.by_ann, game or self.game, sent)
        return made.path

    async def choose(self, chosen: str, by: Caller | None = None, game: str | None = None) -> None:
        """PUT revisions/current."""
        body = CurrentRevision(revision_id=chosen)
        await self.family.set_current_revision(by or self.by_ann, game or self.game, body)

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

    async def test_publisher(self) -> None:
        """It is noted who has published each, the author or an admin."""
        await self.publish(by=self.by_admin)
        rows = self.sql(
            "select publisher_id::text from revisions where content_id = %s order by ordinal",
            self.game,
        )
        self.assertEqual(rows, [(self.ann,), (self.admin,)])

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

    async def test_older_core(self) -> None:
        """Where several authors have one core, from before there was the rule, each may keep it."""
        core = entity("core")
        await self.publish(revision(entity=core))
        base = await self.made(draft(), self.by_bob)
        self.sql(
            "update revisions set entity_id = %s, entity_revision = %s where content_id = %s",
            *(core["entityId"], core["revisionId"], base),
        )
        for by, game in ((self.by_ann, self.game), (self.by_bob, base)):
            await self.publish(revision(entity=core), by, game)
        made = self.made(draft(entity=core), Caller(await self.user()))
        self.assertEqual(await self.code(made), "entity_owned_by_other")


class PermissionTests(RevisionCase):
    async def test_change(self) -> None:
        """Only who may administer changes another's content. Who may moderate sees what is hidden:
        they are refused, where for others it is not there."""
        missing, refused = "content_not_found", "forbidden"
        for permissions, active, hidden in (
            ((), refused, missing),
            ((CURATE,), refused, missing),
            ((MODERATE,), refused, refused),
            ((ADMINISTER,), "done", missing),
            ((MODERATE, ADMINISTER), "done", "done"),
        ):
            for suspended, expected in ((False, active), (True, hidden)):
                self.flag(self.game, suspended=suspended)
                act = self.choose(self.first, Caller(self.bob, permissions=permissions))
                self.assertEqual(await self.statuses(act), [expected], permissions)


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


class KeptTests(RevisionCase):
    async def test_told(self) -> None:
        """Those who keep the content are told of a publication, and of a roll-back."""
        await subscriptions.put(self.db, self.bob, self.game, None, False, 0)
        rows = "select 1 from tasks where kind = 'LibraryChanged' and task like %s"
        await self.publish()
        self.assertEqual(len(self.sql(rows, f"%{self.game}%")), 1)
        await self.choose(self.first)
        self.assertEqual(len(self.sql(rows, f"%{self.game}%")), 2)
