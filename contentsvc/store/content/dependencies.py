"""Entities and packages, of which content is made (content#parts, content#pre-check,
content#publishing).

A trigger notes what content uses (schema/functions/renew_uses.sql).
"""

from typing import Final, Literal, NamedTuple

from msgspec import Struct

from contentsvc.framework.db.query import Db, found, many, none
from contentsvc.store.fragments import LEAVING

Hidden = Literal["suspended", "deleted", "not_public"]
"""Why a content must not use a part: the content that brought it is so; another author's, if it is
not public."""


class KnownEntity(NamedTuple):
    """An entity revision that has been registered. The content that asks brought its `own`."""

    entity_id: str
    revision_id: str
    path: str
    hidden: Hidden | None
    own: bool


class StoredPackage(Struct):
    """A package and its paths; None for a platform that it is not for. `others` are those of
    platforms that have no column."""

    id: str
    win64: str | None = None
    osx64: str | None = None
    linux64: str | None = None
    others: dict[str, str] | None = None

    @property
    def paths(self) -> dict[str, str]:
        """The paths by platforms."""
        given = {"win64": self.win64, "osx64": self.osx64, "linux64": self.linux64}
        paths = {name: path for name, path in given.items() if path}
        return paths if self.others is None else paths | self.others


class NewPackage(StoredPackage):
    """A package to register, and what its files are called."""

    name: str | None = None


class KnownPackage(NamedTuple):
    """A package that has been registered. The content that asks brought its `own`."""

    hidden: Hidden | None
    own: bool
    package: StoredPackage


class Used(NamedTuple):
    """A dependency of a revision, with its place in the list."""

    originating: bool
    entity_id: str
    revision_id: str
    path: str


class Registered(NamedTuple):
    """Whether a publication has registered its `core`, and `all` that it brings: nobody had done so
    before, and it names each once."""

    core: bool
    all: bool


BROUGHT: Final = """
    entity as (
        insert into entities (entity_id, revision_id, path, content_id, name)
        select e."entityId", e."revisionId", e.path, :content, e.name
        from json_to_recordset(:entities)
            as e ("entityId" uuid, "revisionId" uuid, path text, name text)
        order by 1, 2
        on conflict do nothing
        returning entity_id, revision_id
    ), package as (
        insert into packages (id, win64, osx64, linux64, content_id, name, others)
        select p.id, p.win64, p.osx64, p.linux64, :content, p.name, p.others
        from json_to_recordset(:packages)
            as p (id uuid, win64 text, osx64 text, linux64 text, name text, others jsonb)
        order by 1
        on conflict do nothing
        returning id, others
    ), platform as (
        insert into package_platforms (name)
        select distinct had.name from package, jsonb_object_keys(others) as had (name)
        where not exists (select from package_platforms k where k.name = had.name)
        order by 1
        on conflict do nothing
    )
    select exists (
               select from entity where entity_id = :core and revision_id = :core_revision
           ) as core,
           (select count(*) from entity) = json_array_length(:entities)
           and (select count(*) from package) = json_array_length(:packages) as all
"""
"""The end of a statement that publishes: it registers those entities and packages that are new, and
gives a Registered."""


def _hidden(kept: str) -> str:
    """Why a part of content `c` must not be used, null if it may be; and whether the part is the
    content's own. `kept` says whether the revision `:current` uses it already."""
    return f"""
        case when c.id = :content then null
             when (c.deleted or c.author_id = any({LEAVING}))
                  and (c.suspended or not {kept}) then 'deleted'
             when c.suspended then 'suspended'
             when c.visibility <> 'public' and c.author_id <> (select :author::uuid)
                  and not {kept} then 'not_public' end as hidden,
        c.id = :content as own
    """


# The parameters are hidden behind `select`. Otherwise a plan for new content, which has no current
# revision, seems so much cheaper than one for any content that Postgres would plan each call anew:
# that takes three times as long as to run it.
_KEPT_ENTITY = """
    (e.entity_id, e.revision_id) in (
        select d.entity_id, d.entity_revision from revision_entities d
        where d.revision_id = (select :current::uuid)
        union all
        select r.entity_id, r.entity_revision from revisions r where r.id = (select :current::uuid)
    )
"""
_KEPT_PACKAGE = """
    p.id in (
        select d.package_id from revision_packages d
        where d.revision_id = (select :current::uuid)
    )
"""
_GIVEN = """
    (select distinct id, revision
     from unnest((select :entities::uuid[]), (select :revisions::uuid[]))
     as given (id, revision)) as given
    join entities e on e.entity_id = given.id and e.revision_id = given.revision
"""


@many(f"""
    select e.entity_id, e.revision_id, e.path, {_hidden(_KEPT_ENTITY)}
    from {_GIVEN} join contents c on c.id = e.content_id
""")
async def entities(
    db: Db,
    content: str,
    author: str,
    current: str | None,
    entities: list[str],
    revisions: list[str],
) -> list[KnownEntity]:
    """The registered ones among these entity revisions, for use by a content of the author's.

    A content may always use its own parts. It may also go on using parts of its `current` revision
    that their author has deleted, or made less than public. A part that is both suspended and
    deleted is "deleted"; one of these reasons comes before "not public".
    """


@many(f"""
    select {_hidden(_KEPT_PACKAGE)}, p.id, p.win64, p.osx64, p.linux64, p.others
    from packages p join contents c on c.id = p.content_id
    where p.id = any(:packages::uuid[])
""")
async def packages(
    db: Db, content: str, author: str, current: str | None, packages: list[str]
) -> list[KnownPackage]:
    """The same for packages."""


@none(f"""
    with brought as (
        select e.content_id from {_GIVEN}
        union
        select p.content_id from packages p where p.id = any(:packages::uuid[])
    ), locks as materialized (
        select distinct use_lock(content_id) as number from brought where content_id <> :content
        order by number
    )
    select pg_advisory_xact_lock_shared(hashtext('uses'), number) from locks
""")
async def lock_uses(
    tx: Db, content: str, entities: list[str], revisions: list[str], packages: list[str]
) -> None:
    """Hold off the suspension and deletion of all other content that brought these parts, until the
    transaction ends. See schema/functions/hold_uses.sql."""


@none("""
    select from entities where entity_id = :entity and revision_id = :revision for no key update
""")
async def lock_core(tx: Db, entity: str, revision: str) -> None:
    """Lock an entity revision, so that publications with this core come one after the other."""


@found("""
    select from revisions r join contents c on c.id = r.content_id
    where r.entity_id = :entity and r.entity_revision = :revision and c.author_id <> :author
      and not exists (
          select from revisions own join contents mine on mine.id = own.content_id
          where own.entity_id = :entity and own.entity_revision = :revision
            and mine.author_id = :author and own.id is distinct from :publishing
      )
    limit 1
""")
async def owned_by_other(
    db: Db, author: str, entity: str, revision: str, publishing: str | None
) -> bool:
    """Whether an entity revision is the core of another author's content. Not if it already is that
    of the author's own too: older releases let several authors have one core. The revision
    `publishing` does not count."""


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
    select p.id, p.win64, p.osx64, p.linux64, p.others
    from revision_packages d join packages p on p.id = d.package_id
    where d.revision_id = :revision
    order by d.place
""")
async def packages_of_revision(db: Db, revision: str) -> list[StoredPackage]:
    """The packages of a revision, in the given order."""
