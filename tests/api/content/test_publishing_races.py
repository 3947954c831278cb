"""Publishing (content#publishing) at the same time as something else: one comes after the other."""

from collections.abc import Awaitable
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.framework.db.query import Db, Statements
from contentsvc.store.content import items as store
from contentsvc.store.content import ratings, withdrawal
from tests.api.content.test_items import draft
from tests.api.content.test_revisions import RevisionCase, entity, reference, revision
from tests.api.support import Caller

WAITING = (
    "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and datname = "
    "current_database()"
)

STATEMENTS = Statements()


@STATEMENTS.none("select rate_limit_lock('publications', :user)")
async def hold_limits(tx: Db, user: str) -> None:
    """Take the lock under which a user's publications are counted."""


@STATEMENTS.none("update contents set up = up + 1 where id = :content")
async def rate(db: Db, content: str) -> None:
    """What a vote does to a content."""


class RaceCase(RevisionCase):
    per_day = 100

    async def setUp(self) -> None:
        await super().setUp()
        self.other = await self.pool()

    async def suspend(self, db: Db, game: str) -> None:
        """What an admin's suspension does."""
        await store.set_status(db, None, game, "suspended")

    async def withdraw(self, db: Db, game: str) -> None:
        """What its author's withdrawal does."""
        ((author,),) = self.sql("select author_id::text from contents where id = %s", game)
        await withdrawal.set_deleted(db, game, author, False, True, 0)

    async def begin(self, *acts: Awaitable[Any]) -> list[Deferred[Any]]:
        """Begin acts, one after the other, each of which waits for a lock."""
        begun = []
        for act in acts:
            ((before,),) = self.sql(WAITING)
            outcome = Deferred.fromCoroutine(self.statuses(act))
            begun.append(outcome)
            while self.sql(WAITING) == [(before,)]:
                self.assertNoResult(outcome)
                await deferLater(reactor, 0)
        return begun

    async def during(self, change: Any, game: str, *acts: Awaitable[Any]) -> list[str]:
        """The outcomes of acts that begin while a change of a content is under way."""
        async with self.other.transaction() as tx:
            await change(tx, game)
            begun = await self.begin(*acts)
        return [(await each)[0] for each in begun]


class OwnRaceTests(RaceCase):
    """The content itself."""

    async def test_withdrawn(self) -> None:
        """What is published, chosen or updated while its author withdraws it is refused."""
        await self.publish()
        update = {"description": "other", "screenshotUris": ["b.png"]}
        found = await self.during(
            self.withdraw,
            self.game,
            self.publish(),
            self.choose(self.first),
            self.put(self.by_ann, self.game, update),
        )
        self.assertEqual(found, ["content_deleted"] * 3)
        self.assertEqual(len(await self.listed()), 2)

    async def test_suspended(self) -> None:
        """What is published while an admin suspends it is published, and nobody is told."""
        self.sql("insert into follows (follower, followed) values (%s, %s)", self.bob, self.ann)
        body = revision()
        found = await self.during(self.suspend, self.game, self.publish(body))
        self.assertEqual(found, ["done"])
        current, _, status = self.standing()
        self.assertEqual((current, status), (body["revisionId"], "suspended"))
        self.assertEqual(self.told(), [])

    async def test_rollback(self) -> None:
        """A choice that comes while a revision is being published comes after it, and the other
        way round. Each gives a listing id, and the last one decides."""
        for acts in ("publish, choose", "choose, publish"):
            await self.publish()
            body, (_, listing, _) = revision(), self.standing()
            begun = {"publish": self.publish(body), "choose": self.choose(self.first)}

            async def locked(tx: Db, game: str) -> None:
                await store.lock(tx, game, None, False)

            names = acts.split(", ")
            found = await self.during(locked, self.game, *(begun[name] for name in names))
            self.assertEqual(found, ["done"] * 2)
            last = self.first if names[1] == "choose" else body["revisionId"]
            self.assertEqual(self.standing()[:2], (last, listing + 2))

    async def test_many(self) -> None:
        """However many publish and choose at once, all succeed, and one revision is current."""
        acts = [act for _ in range(6) for act in (self.publish(), self.choose(self.first))]
        self.assertEqual(await self.statuses(*acts), ["done"] * 12)
        found = await self.listed()
        self.assertEqual((len(found), sum(info.current for info in found)), (7, 1))

    async def test_rated(self) -> None:
        """What is published while others vote does not wait for them in a circle."""
        voters = [await self.user() for _ in range(6)]
        for up in (True, False, True, False):
            acts: list[Awaitable[Any]] = [
                ratings.put(db, voter, self.game, False, up)
                for db, voter in zip([self.db, self.other] * 3, voters, strict=True)
            ]
            self.assertEqual(
                await self.statuses(*acts[:3], self.publish(), *acts[3:], self.choose(self.first)),
                ["done"] * 8,
            )

    async def test_two_admins(self) -> None:
        """Two admins who publish on each other's content at once do not block."""
        games = [await self.made(draft(), by) for by in (self.by_ann, self.by_bob)]
        admins = [Caller(self.bob, admin=True), Caller(self.ann, admin=True)]
        for author in (self.ann, self.bob):
            self.sql("insert into follows (follower, followed) values (%s, %s)", self.admin, author)
        for _ in range(6):
            acts = [self.publish(None, by, game) for by, game in zip(admins, games, strict=True)]
            self.assertEqual(await self.statuses(*acts), ["done"] * 2)


class PartRaceTests(RaceCase):
    """What another content has brought."""

    async def setUp(self) -> None:
        await super().setUp()
        self.part = entity("bricks")
        self.base = await self.made(draft(originating=[self.part]), self.by_bob)

    def uses(self) -> dict[str, Any]:
        """A revision that uses Bob's part."""
        return revision(using=[reference(self.part)])

    async def test_hidden(self) -> None:
        """What begins to use a part while it is suspended or withdrawn is refused: a create, a
        revision, and going back."""
        await self.publish(first := self.uses())
        await self.publish()
        for change, code in (
            (self.suspend, "suspended_dependency"),
            (self.withdraw, "deleted_dependency"),
        ):
            found = await self.during(
                change,
                self.base,
                self.publish(self.uses()),
                self.made({**draft(), **self.uses()}),
            )
            self.assertEqual(found, [code] * 2)
            self.flag(self.base, suspended=False, deleted=False)
            found = await self.during(change, self.base, self.choose(first["revisionId"]))
            self.assertEqual(found, [code])
            self.flag(self.base, suspended=False, deleted=False)

    async def test_used_before(self) -> None:
        """A suspension or withdrawal waits for a publication that has begun to use a part, so that
        none comes after its answer. Ratings do not wait."""
        for change in (self.suspend, self.withdraw):
            body = self.uses()
            async with self.other.transaction() as tx:
                await hold_limits(tx, self.ann)
                (published,) = await self.begin(self.publish(body))
                await rate(self.other, self.base)
                (hidden,) = await self.begin(change(self.db, self.base))
            self.assertEqual([*await published, *await hidden], ["done"] * 2)
            self.assertEqual(self.standing()[0], body["revisionId"])
            self.assertNotEqual(self.standing(self.base)[2], "active")
            self.flag(self.base, suspended=False, deleted=False)

    async def test_each_other(self) -> None:
        """Contents that begin to use each other at once do not block."""
        own = entity()
        await self.publish(revision(originating=[own]))
        for _ in range(6):
            acts = [
                self.publish(self.uses()),
                self.publish(revision(using=[reference(own)]), self.by_bob, self.base),
            ]
            self.assertEqual(await self.statuses(*acts), ["done"] * 2)

    async def test_circle(self) -> None:
        """Contents that use each other, with one core, while admins suspend both: whoever waits
        waits in no circle."""
        own, core = entity(), entity("core")
        await self.publish(revision(originating=[own], entity=core))
        other = await self.made(draft(entity=core))
        for _ in range(6):
            for game in (self.game, self.base, other):
                self.flag(game, suspended=False)
            acts = [
                self.publish(revision(using=[reference(self.part)], entity=core)),
                self.publish(revision(using=[reference(own)]), self.by_bob, self.base),
                self.publish(self.uses() | {"entity": core}, self.by_ann, other),
                self.suspend(self.other, self.base),
                self.suspend(self.db, self.game),
                self.suspend(self.other, self.base),
            ]
            found = await self.statuses(*acts)
            self.assertLessEqual({*found}, {"done", "suspended_dependency"})
            self.assertEqual(found[3:], ["done"] * 3)


class CoreRaceTests(RaceCase):
    async def test_authors(self) -> None:
        """Of several authors who publish one core at once one succeeds, whether it is new or has
        been registered."""
        known = entity("core")
        await self.made(draft(originating=[known]))
        authors = [Caller(await self.user()) for _ in range(4)]
        games = [await self.made(draft(), by) for by in authors]
        for core in (entity("core"), known):
            acts = [self.made(draft(entity=core), by) for by in authors]
            acts += [
                self.publish(revision(entity=core), by, game)
                for by, game in zip(authors, games, strict=True)
            ]
            found = await self.statuses(*acts)
            # The one author may have published twice.
            self.assertEqual({*found}, {"done", "entity_owned_by_other"})
            owners = self.sql(
                """select distinct c.author_id
                   from revisions r join contents c on c.id = r.content_id
                   where r.entity_id = %s and r.entity_revision = %s""",
                *(core["entityId"], core["revisionId"]),
            )
            self.assertEqual(len(owners), 1)
