"""Revisions (content#revisions): in order, each once, and one of them current."""

from typing import Any

from contentsvc.store.content import dependencies, items, revisions
from contentsvc.store.content.dependencies import NewPackage
from contentsvc.wire.content import Entity
from tests.support.databases import StoreCase, entity, guid
from tests.support.deferreds import together


class RevisionCase(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.author = await self.user()
        self.first = guid()
        self.game = await self.content(self.author, revision=self.first)

    async def revise(self, **fields: Any) -> str:
        """The id of a new revision, which becomes the current one."""
        core: Entity = fields.pop("core", None) or entity(guid(), guid(), "core")
        revision = fields.pop("revision", None) or guid()
        async with self.db.transaction() as tx:
            await items.lock(tx, self.game, None, False)
            given: dict[str, Any] = {
                "content": self.game,
                "author": self.author,
                "publisher": self.author,
                "version": "2.0",
                "description": "second",
                "entities": [core],
                "packages": [],
            }
            await revisions.create(
                tx,
                revision=revision,
                core=core.entity_id,
                core_revision=core.revision_id,
                **given | fields,
            )
            await revisions.make_current(tx, self.game, revision)
        return revision

    async def listed(self, before: int | None = None, limit: int = 100) -> list[tuple[int, str]]:
        """The revisions as their author sees them."""
        rows = await revisions.page(self.db, self.game, self.author, False, before, limit)
        return [(row.number, row.item.id) for row in rows if row.item is not None]


class CreateTests(RevisionCase):
    async def test_order(self) -> None:
        """However many at once, their places are dense, in the order in which they came."""
        made = await together(*(self.revise() for _ in range(6)))
        found = await self.listed()
        self.assertEqual([place for place, _ in found], [7, 6, 5, 4, 3, 2, 1])
        self.assertEqual({id for _, id in found}, {self.first, *made})
        rows = self.sql(
            "select id::text from revisions where content_id = %s order by created desc", self.game
        )
        self.assertEqual([id for (id,) in rows], [id for _, id in found])

    async def test_shared(self) -> None:
        """Entities and packages that exist stay as they are; new ones are the content's."""
        part, bundle = (guid(), guid(), "first"), guid()
        base = await self.content(self.author, entities=[part], packages=[bundle])
        new = NewPackage(guid(), "w")
        packages = [NewPackage(bundle, "other"), new]
        core = entity(*part[:2], "second")
        await self.revise(core=core, packages=packages)
        rows = self.sql("select path, content_id::text from entities where entity_id = %s", part[0])
        self.assertEqual(rows, [("first", base)])
        for id, expected in ((bundle, ("w", base)), (new.id, ("w", self.game))):
            rows = self.sql("select win64, content_id::text from packages where id = %s", id)
            self.assertEqual(rows, [expected])

    async def test_registered(self) -> None:
        """It is said whether the core is new, and whether all of it is, and named once."""
        old, new = entity(guid(), guid(), "old"), entity(guid(), guid(), "new")
        bundle = NewPackage(guid(), "w")
        await self.content(self.author, entities=[(old.entity_id, old.revision_id, old.path)])
        for core, others, packages, expected in (
            (new, [old], [], (True, False)),
            (old, [], [], (False, False)),
            (entity(guid(), guid(), "core"), [entity(guid(), guid(), "x")], [], (True, True)),
            (entity(guid(), guid(), "core"), [], [bundle], (True, True)),
            (entity(guid(), guid(), "core"), [], [bundle], (True, False)),
            (entity(guid(), guid(), "core"), [], [NewPackage(guid())] * 2, (True, False)),
        ):
            found = await revisions.create(
                self.db,
                content=self.game,
                author=self.author,
                publisher=self.author,
                revision=guid(),
                version="2.0",
                description="second",
                core=core.entity_id,
                core_revision=core.revision_id,
                entities=[core, *others],
                packages=packages,
            )
            self.assertEqual(found, expected)


class CurrentTests(RevisionCase):
    async def test_listing(self) -> None:
        """Each change gives a listing id above all others, and a later time."""
        await revisions.make_current(self.db, self.game, await self.revise())
        other = await self.content(self.author)
        self.sql("update contents set updated = '2020-01-01' where id = %s", self.game)
        await revisions.make_current(self.db, self.game, self.first)
        rows = self.sql(
            "select id::text from contents where id = any(%s::uuid[]) order by listing_id desc",
            [other, self.game],
        )
        self.assertEqual(rows, [(self.game,), (other,)])
        ((year,),) = self.sql(
            "select date_part('year', updated) from contents where id = %s", self.game
        )
        self.assertGreater(year, 2020)


class ReadTests(RevisionCase):
    async def test_references(self) -> None:
        """The entities of a revision are its core and its dependencies, each with its revision."""
        parts = [entity(guid(), guid(), "part") for _ in range(3)]
        core = entity(guid(), guid(), "core")
        second = await self.revise(core=core, entities=[core, *parts])
        await revisions.depend(
            self.db,
            revision=second,
            originating=parts[:2],
            using=parts[2:],
            packages=[],
            publisher=self.author,
            most=0,
            span=0,
        )
        found = await revisions.references(self.db, self.game, second)
        names = [(each.entity_id, each.revision_id) for each in found]
        self.assertEqual(names[0], (core.entity_id, core.revision_id))
        self.assertCountEqual(names[1:], [(each.entity_id, each.revision_id) for each in parts])


class OwnerTests(RevisionCase):
    async def test_owner(self) -> None:
        """A core is another author's if that author's content has it in any revision, and one's own
        has it in none but the one that is being published."""
        core = entity(guid(), guid(), "core")
        given = core.entity_id, core.revision_id
        other = await self.user()
        second = await self.revise(core=core)
        await self.revise()
        for author, publishing, expected in (
            (other, None, True),
            (self.author, None, False),
            (self.author, second, False),
        ):
            found = await dependencies.owned_by_other(self.db, author, *given, publishing)
            self.assertEqual(found, expected)
        theirs = guid()
        await self.content(other, revision=theirs, entities=[(*given, "core")])
        for author, publishing, expected in (
            (other, theirs, True),
            (other, None, False),
            (self.author, second, True),
            (self.author, None, False),
        ):
            found = await dependencies.owned_by_other(self.db, author, *given, publishing)
            self.assertEqual(found, expected)
        self.assertFalse(
            await dependencies.owned_by_other(self.db, other, core.entity_id, guid(), None)
        )
