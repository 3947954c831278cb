"""What content depends on, checked the same way before the upload and at it (spec §4.1, §4.2)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET

from contentsvc.api.errors import (
    EntityConflict,
    PackageConflict,
    PlatformMissing,
    SuspendedDependency,
    UnknownReference,
)
from contentsvc.db.query import Db
from contentsvc.store import dependencies
from contentsvc.web.errors import Problem
from contentsvc.wire.content import Entity, EntityReference, Package

Key = tuple[str, str]


class Known(NamedTuple):
    """Those of the dependencies that have been registered."""

    entities: Mapping[Key, dependencies.KnownEntity]
    packages: Mapping[str, dependencies.KnownPackage]


def key(reference: EntityReference) -> Key:
    """What identifies an entity revision, whatever the case it was written in."""
    return reference.entity_id.lower(), reference.revision_id.lower()


async def known(
    db: Db, content: str, references: Sequence[EntityReference], packages: Iterable[str]
) -> Known:
    """Look up the dependencies of a content."""
    keys = {key(reference) for reference in references}
    bundles = sorted({package.lower() for package in packages})
    ids, revisions = [k[0] for k in keys], [k[1] for k in keys]
    entities = await dependencies.entities(db, content, ids, revisions)
    found = await dependencies.packages(db, content, bundles) if bundles else []
    return Known(
        {(row.entity_id, row.revision_id): row for row in entities},
        {row.id: row for row in found},
    )


def unknown(
    known: Known, references: Sequence[EntityReference], packages: Sequence[str]
) -> tuple[list[EntityReference], list[str]]:
    """The dependencies that nothing has registered, each once, in their order."""
    entities = {key(r): r for r in references if key(r) not in known.entities}
    missing = {p.lower(): p.lower() for p in packages if p.lower() not in known.packages}
    references_ = [EntityReference(entity_id=k[0], revision_id=k[1]) for k in entities]
    return references_, list(missing)


def unresolved(
    known: Known, references: Sequence[EntityReference], packages: Sequence[str]
) -> list[Problem]:
    """UnknownReference, if there is cause."""
    entities, missing = unknown(known, references, packages)
    return [UnknownReference(entities=entities, packages=missing)] if entities or missing else []


def suspended(
    known: Known, references: Sequence[EntityReference], packages: Sequence[str]
) -> list[Problem]:
    """SuspendedDependency, if there is cause."""
    entities = [
        EntityReference(entity_id=k[0], revision_id=k[1])
        for k in dict.fromkeys(map(key, references))
        if k in known.entities and known.entities[k].suspended
    ]
    bundles = [
        p
        for p in dict.fromkeys(package.lower() for package in packages)
        if p in known.packages and known.packages[p].suspended
    ]
    if not entities and not bundles:
        return []
    return [SuspendedDependency(entities=entities, packages=bundles)]


def entity_conflicts(known: Known, paths: Iterable[tuple[Key, str]]) -> list[Problem]:
    """EntityConflict, if an entity revision is registered under another path."""
    conflicts = [
        EntityReference(entity_id=k[0], revision_id=k[1])
        for k, path in dict(paths).items()
        if k in known.entities and known.entities[k].path != path
    ]
    return [EntityConflict(entities=conflicts)] if conflicts else []


def package_conflicts(known: Known, packages: Sequence[Package]) -> list[Problem]:
    """PackageConflict, if a package is registered with other paths."""
    conflicts = [
        package.id.lower()
        for package in packages
        if package.id.lower() in known.packages
        and known.packages[package.id.lower()][1:4] != paths(package)
    ]
    return [PackageConflict(packages=conflicts)] if conflicts else []


def platforms_missing(
    known: Known, packages: Iterable[str], required: Sequence[str]
) -> list[Problem]:
    """PlatformMissing, if a package lacks a platform that is required."""
    lacking = [
        p
        for p in dict.fromkeys(package.lower() for package in packages)
        if p in known.packages
        and any(getattr(known.packages[p], platform) is None for platform in required)
    ]
    if not lacking:
        return []
    return [PlatformMissing(packages=lacking, platforms=list(required))]


def paths(package: Package) -> tuple[str | None, str | None, str | None]:
    """The package's path for each platform, in the order of the columns."""
    win64, osx64, linux64 = (
        None if path is UNSET else path for path in (package.win64, package.osx64, package.linux64)
    )
    return win64, osx64, linux64


def path_of(entity: Entity) -> tuple[Key, str]:
    """What is compared with what is registered."""
    return key(entity), entity.path
