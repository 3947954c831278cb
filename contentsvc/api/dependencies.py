"""The dependencies of content: one check for the pre-check and the create (spec §4.1, §4.2)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from msgspec import UNSET

from contentsvc.api.errors import (
    EntityConflict,
    PackageConflict,
    PlatformMissing,
    SuspendedDependency,
)
from contentsvc.db.query import Db
from contentsvc.store import dependencies as store
from contentsvc.store.dependencies import KnownEntity, KnownPackage, StoredPackage
from contentsvc.web.errors import Problem
from contentsvc.wire.dependencies import EntityReference, Package

Key = tuple[str, str]
"""The identity of an entity revision: its id and its revision's."""

key = attrgetter("entity_id", "revision_id")


class Dependencies:
    """The entities and packages that content depends on, and their registered state."""

    def __init__(
        self,
        references: Iterable[EntityReference],
        packages: Iterable[str],
        entities: Iterable[KnownEntity],
        bundles: Iterable[KnownPackage],
    ) -> None:
        # Each once, in their order.
        self._references: list[Key] = list(dict.fromkeys(map(key, references)))
        self._packages = list(dict.fromkeys(packages))
        self._entities: dict[Key, KnownEntity] = {key(row): row for row in entities}
        self._bundles = {row.package.id: row for row in bundles}

    @classmethod
    async def look_up(
        cls, db: Db, content: str, references: Sequence[EntityReference], packages: Sequence[str]
    ) -> "Dependencies":
        """The dependencies of content, which may use its own parts even while it is suspended."""
        ids = [reference.entity_id for reference in references]
        revisions = [reference.revision_id for reference in references]
        entities = await store.entities(db, content, ids, revisions)
        bundles = await store.packages(db, content, list(packages)) if packages else []
        return cls(references, packages, entities, bundles)

    def unknown(self) -> tuple[list[EntityReference], list[str]]:
        """The entities and packages that are not registered."""
        entities = [each for each in self._references if each not in self._entities]
        packages = [each for each in self._packages if each not in self._bundles]
        return _named(entities), packages

    def problems(
        self,
        *,
        paths: Mapping[Key, str],
        definitions: Sequence[Package] = (),
        platforms: Sequence[str],
    ) -> Iterator[Problem]:
        """Its problems: SuspendedDependency, EntityConflict, PackageConflict, PlatformMissing.

        Entities must have the `paths`, and packages those of their `definitions`. Each package
        needs a path for each of the `platforms`.
        """
        known = [self._entities[each] for each in self._references if each in self._entities]
        bundles = [self._bundles[each] for each in self._packages if each in self._bundles]

        suspended = [key(row) for row in known if row.suspended]
        packages = [row.package.id for row in bundles if row.suspended]
        if suspended or packages:
            yield SuspendedDependency(entities=_named(suspended), packages=packages)

        conflicts = [
            each
            for each, path in paths.items()
            if each in self._entities and self._entities[each].path != path
        ]
        if conflicts:
            yield EntityConflict(entities=_named(conflicts))

        packages = [
            package.id
            for package in definitions
            if package.id in self._bundles and self._bundles[package.id].package != _stored(package)
        ]
        if packages:
            yield PackageConflict(packages=packages)

        packages = [
            row.package.id
            for row in bundles
            if any(getattr(row.package, platform) is None for platform in platforms)
        ]
        if packages:
            yield PlatformMissing(packages=packages, platforms=list(platforms))


def _named(keys: Iterable[Key]) -> list[EntityReference]:
    return [EntityReference(entity_id=entity, revision_id=revision) for entity, revision in keys]


def _stored(package: Package) -> StoredPackage:
    win64, osx64, linux64 = (
        None if path is UNSET else path for path in (package.win64, package.osx64, package.linux64)
    )
    return StoredPackage(package.id, win64, osx64, linux64)
