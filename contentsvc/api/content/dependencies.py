"""The dependencies of content: one check for the pre-check, the create, a new revision and the way
back to an old one (content#pre-check, content#publishing)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter

from contentsvc.api.errors import (
    DeletedDependency,
    EntityConflict,
    EntityOwnedByOther,
    NotPublic,
    PackageConflict,
    PlatformMissing,
    SuspendedDependency,
)
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import Problem
from contentsvc.framework.storage.paths import is_ours
from contentsvc.store.content import dependencies as store
from contentsvc.store.content.dependencies import Hidden, KnownEntity, KnownPackage, NewPackage
from contentsvc.wire.content import Entity, EntityReference
from contentsvc.wire.packages import PLATFORMS, AnyPackage, paths_of

Key = tuple[str, str]
"""The identity of an entity revision: its id and its revision's."""

key = attrgetter("entity_id", "revision_id")


class Dependencies:
    """The entities and packages that content depends on, and their registered state. `foreign` is
    its core entity, if that is the core of another author's content."""

    def __init__(
        self,
        references: Iterable[EntityReference],
        packages: Iterable[str],
        entities: Iterable[KnownEntity],
        bundles: Iterable[KnownPackage],
        foreign: EntityReference | None = None,
    ) -> None:
        # Each once, in their order.
        self._references: list[Key] = list(dict.fromkeys(map(key, references)))
        self._packages = list(dict.fromkeys(packages))
        self._entities: dict[Key, KnownEntity] = {key(row): row for row in entities}
        self._bundles = {row.package.id: row for row in bundles}
        self._foreign = None if foreign is None else key(foreign)

    @classmethod
    async def look_up(
        cls,
        db: Db,
        content: str,
        author: str,
        references: Sequence[EntityReference],
        packages: Sequence[str],
        *,
        current: str | None = None,
        foreign: EntityReference | None = None,
        new: tuple[Sequence[Entity], Sequence[AnyPackage]] = ((), ()),
        hold: bool = False,
    ) -> "Dependencies":
        """The dependencies of a content of the author's. It may use its own parts even while it is
        suspended, and go on using deleted and not public ones of its revision `current`. `foreign`
        is as for the class.

        What is `new` was registered for this content by the transaction `db`, so it is not looked
        up. With `hold`, other content that has brought a part is locked until the transaction ends:
        after a suspension has been answered, nothing new uses the part.
        """
        entities = [KnownEntity(*key(entity), entity.path, None, own=True) for entity in new[0]]
        bundles = [KnownPackage(None, own=True, package=new_package(package)) for package in new[1]]
        known, registered = set(map(key, entities)), {row.package.id for row in bundles}
        ids, revisions = _columns([each for each in references if key(each) not in known])
        sought = [each for each in packages if each not in registered]
        if hold and (ids or sought):
            await store.lock_uses(db, content, ids, revisions, sought)
        if ids:
            entities += await store.entities(db, content, author, current, ids, revisions)
        if sought:
            bundles += await store.packages(db, content, author, current, sought)
        return cls(references, packages, entities, bundles, foreign)

    def unknown(self) -> tuple[list[EntityReference], list[str]]:
        """The entities and packages that are not registered."""
        entities = [each for each in self._references if each not in self._entities]
        packages = [each for each in self._packages if each not in self._bundles]
        return _named(entities), packages

    def hidden(self, *, new: bool = True) -> Iterator[Problem]:
        """The problems of what it must not use now: DeletedDependency, SuspendedDependency; if the
        use is `new`, NotPublic."""
        problems: dict[Hidden, type[Problem]] = {
            "deleted": DeletedDependency,
            "suspended": SuspendedDependency,
        }
        if new:
            problems["not_public"] = NotPublic
        for hidden, problem in problems.items():
            entities = [key(row) for row in self._known() if row.hidden == hidden]
            packages = [row.package.id for row in self._known_bundles() if row.hidden == hidden]
            if entities or packages:
                yield problem(entities=_named(entities), packages=packages)

    def problems(
        self,
        *,
        paths: Mapping[Key, str],
        definitions: Sequence[AnyPackage] = (),
        platforms: Sequence[str] = (),
        required: Sequence[str],
    ) -> Iterator[Problem]:
        """Its problems: those of `hidden`, EntityOwnedByOther, EntityConflict, PackageConflict,
        PlatformMissing.

        Entities must have the `paths`, and packages those of their `definitions` for the
        `platforms`. Each package needs a path for each platform that is `required`.
        """
        yield from self.hidden()

        # What is hidden cannot be used in another way either.
        known = None if self._foreign is None else self._entities.get(self._foreign)
        if self._foreign is not None and (known is None or known.hidden is None):
            yield EntityOwnedByOther(entities=_named([self._foreign]))

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
            if package.id in self._bundles
            and _now(self._bundles[package.id].package.paths, platforms) != paths_of(package)
        ]
        if packages:
            yield PackageConflict(packages=packages)

        packages = [
            row.package.id
            for row in self._known_bundles()
            if any(platform not in row.package.paths for platform in required)
        ]
        if packages:
            yield PlatformMissing(packages=packages, platforms=list(required))

    def files(self) -> Iterator[tuple[str, bool]]:
        """The paths of all registered ones, and whether the content itself brought each."""
        for entity in self._entities.values():
            yield entity.path, entity.own
        for bundle in self._bundles.values():
            for path in bundle.package.paths.values():
                yield path, bundle.own

    def needed(self, stored: Collection[str]) -> tuple[list[EntityReference], list[str]]:
        """The entities and packages that are not registered, or a file of which is the service's
        own and not among those that are `stored`."""

        def is_there(path: str) -> bool:
            return path in stored or not is_ours(path)

        entities = [
            each
            for each in self._references
            if each not in self._entities or not is_there(self._entities[each].path)
        ]
        packages = [
            each
            for each in self._packages
            if each not in self._bundles
            or not all(map(is_there, self._bundles[each].package.paths.values()))
        ]
        return _named(entities), packages

    def _known(self) -> list[KnownEntity]:
        return [self._entities[each] for each in self._references if each in self._entities]

    def _known_bundles(self) -> list[KnownPackage]:
        return [self._bundles[each] for each in self._packages if each in self._bundles]


async def foreign_core(
    db: Db, author: str, core: EntityReference, *, publishing: str | None = None
) -> EntityReference | None:
    """The core of an author's content, if it is the core of another author's, else None.

    If a revision is `publishing`, it was inserted in the transaction `db`: others with this core
    wait until that ends.
    """
    given = core.entity_id, core.revision_id
    if publishing is not None:
        await store.lock_core(db, *given)
    return core if await store.owned_by_other(db, author, *given, publishing) else None


def new_package(package: AnyPackage) -> NewPackage:
    """What is stored of a package that is brought."""
    paths = paths_of(package)
    win64, osx64, linux64 = (paths.pop(platform, None) for platform in PLATFORMS)
    name = getattr(package, "name", None)
    return NewPackage(package.id, win64, osx64, linux64, paths or None, name)


def _now(paths: Mapping[str, str], platforms: Sequence[str]) -> dict[str, str]:
    """Those of the platforms that the service has now."""
    return {name: path for name, path in paths.items() if name in platforms}


def _named(keys: Iterable[Key]) -> list[EntityReference]:
    return [EntityReference(entity_id=entity, revision_id=revision) for entity, revision in keys]


def _columns(references: Sequence[EntityReference]) -> tuple[list[str], list[str]]:
    ids = [reference.entity_id for reference in references]
    return ids, [reference.revision_id for reference in references]
