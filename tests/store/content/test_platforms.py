"""The platforms that packages have (content#platforms)."""

from contentsvc.store.content import revisions
from contentsvc.store.content.dependencies import NewPackage, packages_of_revision
from contentsvc.store.content.types_and_platforms import platforms
from tests.support.databases import StoreCase, entity, guid


class PackagesCase(StoreCase):
    async def revise(self, content: str, author: str, packages: list[NewPackage]) -> None:
        """One more revision, which brings these packages."""
        core = entity(guid(), guid(), "core")
        await revisions.create(
            self.db,
            content=content,
            author=author,
            publisher=author,
            revision=guid(),
            version="2",
            description="",
            core=core.entity_id,
            core_revision=core.revision_id,
            entities=[core],
            packages=packages,
        )


class OthersTests(PackagesCase):
    alone = True

    async def test_others(self) -> None:
        """Those of each package are known from its publication on, without those that are taken."""
        author = await self.user()
        content = await self.content(author)
        self.assertEqual(await platforms(self.db, []), [])
        package = NewPackage(guid(), others={"ps5": "a", "__proto__": "b"})
        for more in ([package], [package, NewPackage(guid(), osx64="c", others={"ps5": "d"})]):
            await self.revise(content, author, more)
        found = await platforms(self.db, [])
        self.assertEqual(sorted(found), ["__proto__", "osx64", "ps5"])
        self.assertEqual(await platforms(self.db, ["ps5", "osx64"]), ["__proto__"])


class PathsTests(PackagesCase):
    async def test_none_new(self) -> None:
        """A package that is there already brings no platform that it does not have."""
        author, package = await self.user(), guid()
        content = await self.content(author, packages=[package])
        await self.revise(content, author, [NewPackage(package, others={"later": "a"})])
        self.assertNotIn("later", await platforms(self.db, []))

    async def test_paths(self) -> None:
        """A package of a revision has its paths by platforms, whichever they are."""
        author, revision = await self.user(), guid()
        package = guid()
        await self.content(author, revision=revision, packages=[package])
        self.sql('update packages set others = \'{"ps5": "p"}\' where id = %s', package)
        await revisions.depend(
            self.db,
            revision=revision,
            originating=[],
            using=[],
            packages=[package],
            publisher=author,
            most=0,
        )
        (found,) = await packages_of_revision(self.db, revision)
        self.assertEqual(found.paths, {"win64": "w", "ps5": "p"})
