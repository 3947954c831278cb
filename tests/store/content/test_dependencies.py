"""Entities and packages (content#pre-check, content#publishing): what is registered, and what a
revision uses."""

from collections.abc import Sequence

from contentsvc.framework.db.errors import Refused
from contentsvc.store.content import dependencies, revisions
from contentsvc.store.content.dependencies import KnownPackage, StoredPackage, Used
from tests.support.databases import StoreCase, entity, guid


class DependencyTests(StoreCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.author = await self.user()
        self.entity = (guid(), guid(), "bricks")
        self.package = guid()
        self.revision = guid()
        self.game = await self.content(
            self.author,
            revision=self.revision,
            entities=[(guid(), guid(), "core"), self.entity],
            packages=[self.package],
        )

    async def test_known(self) -> None:
        """Of those asked for, those that exist exactly so are given, each once."""
        entity, revision, path = self.entity
        asked = [(entity, revision), (entity, revision), (entity, guid()), (guid(), revision)]
        ids, theirs = [each[0] for each in asked], [each[1] for each in asked]
        found = await dependencies.entities(self.db, guid(), self.author, None, ids, theirs)
        self.assertEqual(found, [(entity, revision, path, None, False)])

    async def test_known_packages(self) -> None:
        """The same for packages; a platform that was not given is None."""
        found = await dependencies.packages(
            self.db, guid(), self.author, None, [self.package, self.package, guid()]
        )
        known = StoredPackage(self.package, "w", None, None)
        self.assertEqual(found, [KnownPackage(None, False, known)])

    async def test_kept_core(self) -> None:
        """The core of the current revision is kept as its other entities are."""
        ((core, theirs),) = self.sql(
            "select entity_id::text, entity_revision::text from revisions where id = %s",
            self.revision,
        )
        self.sql("update contents set deleted = true where id = %s", self.game)
        for current, expected in ((None, "deleted"), (self.revision, None)):
            (known,) = await dependencies.entities(
                self.db, guid(), self.author, current, [core], [theirs]
            )
            self.assertEqual(known.hidden, expected)

    async def test_of_revision(self) -> None:
        """A revision's dependencies come in the order they were given, with how they came."""
        others = [(guid(), guid(), f"other {n}") for n in range(5)]
        await self.content(self.author, entities=others)
        using = [others[3], others[0], others[4]]
        packages = sorted([guid() for _ in range(5)], reverse=True)
        await self.content(self.author, packages=packages)
        await self.depend([self.entity], using, [*packages, self.package])
        found = await dependencies.of_revision(self.db, self.revision)
        for originating, given in ((True, [self.entity]), (False, using)):
            rows = [row for row in found if row.originating is originating]
            self.assertEqual(rows, [Used(originating, *each) for each in given])
        rows = await dependencies.packages_of_revision(self.db, self.revision)
        self.assertEqual([row.id for row in rows], [*packages, self.package])

    async def depend(
        self,
        originating: Sequence[tuple[str, str, str]] = (),
        using: Sequence[tuple[str, str, str]] = (),
        packages: Sequence[str] = (),
    ) -> None:
        """Register dependencies of the revision."""
        await revisions.depend(
            self.db,
            revision=self.revision,
            originating=[entity(*each) for each in originating],
            using=[entity(*each) for each in using],
            packages=list(packages),
            publisher=self.author,
            most=0,
        )

    async def test_unregistered(self) -> None:
        """The schema itself refuses a dependency on what nothing has registered."""
        with self.assertRaises(Refused):
            await self.depend(using=[(guid(), guid(), "path")])
        with self.assertRaises(Refused):
            await self.depend(packages=[guid()])
        self.assertEqual(await dependencies.of_revision(self.db, self.revision), [])
