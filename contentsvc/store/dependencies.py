"""Entities and packages, of which content is made (spec §2, §4.1, §4.2)."""

from typing import NamedTuple

from msgspec import Struct

from contentsvc.db.query import Db, many


class KnownEntity(NamedTuple):
    """An entity revision that has been registered."""

    entity_id: str
    revision_id: str
    path: str
    suspended: bool


class StoredPackage(Struct):
    """A package and its paths; None for a platform that it is not for."""

    id: str
    win64: str | None
    osx64: str | None
    linux64: str | None


class KnownPackage(NamedTuple):
    """A package that has been registered."""

    suspended: bool
    package: StoredPackage


class Used(NamedTuple):
    """A dependency of a revision, with its place in the list."""

    originating: bool
    entity_id: str
    revision_id: str
    path: str


@many("""
    select e.entity_id, e.revision_id, e.path,
           c.status = 'suspended' and c.id <> :content as suspended
    from (select distinct id, revision from unnest(:entities::uuid[], :revisions::uuid[])
          as given (id, revision)) as given
    join entities e on e.entity_id = given.id and e.revision_id = given.revision
    join contents c on c.id = e.content_id
""")
async def entities(
    db: Db, content: str, entities: list[str], revisions: list[str]
) -> list[KnownEntity]:
    """The registered ones among these entity revisions. `suspended` says that the content that
    brought one is suspended, unless it is this content."""


@many("""
    select c.status = 'suspended' and c.id <> :content as suspended,
           p.id, p.win64, p.osx64, p.linux64
    from packages p join contents c on c.id = p.content_id
    where p.id = any(:packages::uuid[])
""")
async def packages(db: Db, content: str, packages: list[str]) -> list[KnownPackage]:
    """The registered ones among these packages. `suspended` as above."""


@many("""
    select d.originating, e.entity_id, e.revision_id, e.path
    from revision_entities d
    join entities e on e.entity_id = d.entity_id and e.revision_id = d.entity_revision
    where d.revision_id = :revision
    order by d.place
""")
async def of_revision(db: Db, revision: str) -> list[Used]:
    """The entities of a revision except its core, in the given order."""


@many("""
    select p.id, p.win64, p.osx64, p.linux64
    from revision_packages d join packages p on p.id = d.package_id
    where d.revision_id = :revision
    order by d.place
""")
async def packages_of_revision(db: Db, revision: str) -> list[StoredPackage]:
    """The packages of a revision, in the given order."""
