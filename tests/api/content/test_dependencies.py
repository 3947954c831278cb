"""The objections to the dependencies of a content."""

from collections.abc import Sequence

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.api.content.dependencies import Dependencies
from contentsvc.api.errors import (
    DeletedDependency,
    EntityConflict,
    PackageConflict,
    PlatformMissing,
    SuspendedDependency,
)
from contentsvc.store.content.dependencies import Hidden, KnownEntity, KnownPackage, StoredPackage
from contentsvc.wire.content import EntityReference
from contentsvc.wire.packages import Package


def reference(name: str) -> EntityReference:
    """The first revision of an entity."""
    return EntityReference(entity_id=name, revision_id=f"{name} 1")


def entity(name: str, hidden: Hidden | None = None) -> KnownEntity:
    """It is registered under its name as a path."""
    return KnownEntity(name, f"{name} 1", name, hidden, own=False)


def package(name: str, win64: str | None = "w", *, hidden: Hidden | None = None) -> KnownPackage:
    """It is registered for one platform at most."""
    return KnownPackage(hidden, False, StoredPackage(name, win64, None, None))


class DependencyTests(SynchronousTestCase):
    def depends(
        self,
        entities: str,
        packages: str = "",
        *,
        known: Sequence[KnownEntity] = (),
        bundles: Sequence[KnownPackage] = (),
    ) -> Dependencies:
        """Those with these letters as names."""
        return Dependencies(map(reference, entities), packages, known, bundles)

    def test_unknown(self) -> None:
        """A dependency that nothing has registered is named once, in the order of the
        dependencies."""
        depends = self.depends("cabac", "zyxyz", known=[entity("a")], bundles=[package("y")])
        entities, packages = depends.unknown()
        self.assertEqual((entities, packages), ([reference("c"), reference("b")], ["z", "x"]))

    def test_good(self) -> None:
        """There is nothing against what is registered so."""
        depends = self.depends("ab", "x", known=[entity("a")], bundles=[package("x")])
        problems = depends.problems(
            paths={("a", "a 1"): "a", ("b", "b 1"): "new"},
            definitions=[Package(id="x", win64="w"), Package(id="y", win64="new")],
            platforms=["win64"],
            required=["win64"],
        )
        self.assertEqual(list(problems), [])

    def test_all(self) -> None:
        """All problems are found, in one order; each names what it is about."""
        depends = self.depends(
            "abcd",
            "wxyz",
            known=[entity("a", "suspended"), entity("b"), entity("c"), entity("d", "deleted")],
            bundles=[
                package("w", hidden="deleted"),
                package("x"),
                package("y", hidden="suspended"),
                package("z", None),
            ],
        )
        problems = depends.problems(
            paths={("b", "b 1"): "other", ("c", "c 1"): "c"},
            definitions=[Package(id="x", win64="other")],
            platforms=["win64"],
            required=["win64"],
        )
        self.assertEqual(
            [(type(problem), problem.members) for problem in problems],
            [
                (DeletedDependency, {"entities": [reference("d")], "packages": ["w"]}),
                (SuspendedDependency, {"entities": [reference("a")], "packages": ["y"]}),
                (EntityConflict, {"entities": [reference("b")]}),
                (PackageConflict, {"packages": ["x"]}),
                (PlatformMissing, {"packages": ["z"], "platforms": ["win64"]}),
            ],
        )
