"""The revisions of content: content#revisions, and the dependencies of each."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.store.content.dependencies import BROUGHT, NewPackage, Registered
from contentsvc.store.events.events import noting
from contentsvc.store.files.references import PROMPT
from contentsvc.store.fragments import AUTHOR, BEFORE, PART, SEEN, Numbered, unless_left, within
from contentsvc.store.rate_limits import PUBLICATIONS, taken
from contentsvc.wire.content import Entity, EntityReference, Revision, RevisionInfo


class RevisionRow(NamedTuple):
    """A revision and its core entity. `revision` is None if the content has no such revision."""

    entity_id: str
    entity_revision: str
    path: str
    gone: bool
    requires: str | None
    revision: Revision | None


_PUBLISHED = noting(
    "RevisionPublished",
    ":publisher::uuid",
    "content",
    ":content::uuid",
    rows="revision",
    data="json_build_object('author', :author::uuid, 'revision', id)",
)


@one(f"""
    with revision as (
        insert into revisions (id, content_id, ordinal, version, description, entity_id,
                               entity_revision, publisher_id, created)
        select :revision, :content, max(r.ordinal) + 1, :version, :description, :core,
               :core_revision, :publisher, clock_timestamp()
        from revisions r where r.content_id = :content
        returning id
    ), noted as ({_PUBLISHED}), {BROUGHT}
""")
async def create(
    tx: Db,
    *,
    content: str,
    author: str,
    publisher: str,
    revision: str,
    version: str,
    description: str,
    core: str,
    core_revision: str,
    entities: Sequence[Entity],
    packages: Sequence[NewPackage],
) -> Registered:
    """Insert one more revision of a content that this transaction has locked, and those of the
    `entities` (the core is one) and `packages` that are new.

    Entities and packages that exist stay as they are; the caller compares them. Raises Refused
    `revisions_id`.
    """


_ENTITIES = """
    rows from (json_to_recordset({}) as ("entityId" uuid, "revisionId" uuid))
    with ordinality as e (id, revision, place)
"""


_DEPEND = f"""
    entity as (
        insert into revision_entities (revision_id, originating, place, entity_id, entity_revision)
        select :revision::uuid, true, e.place, e.id, e.revision
        from {_ENTITIES.format(":originating")}
        union all
        select :revision::uuid, false, e.place, e.id, e.revision
        from {_ENTITIES.format(":using")}
    ), package as (
        insert into revision_packages (revision_id, package_id, place)
        select :revision, p.id, p.place
        from unnest(:packages::uuid[]) with ordinality as p (id, place)
    )
"""
_WAIT = taken(PUBLICATIONS, ":publisher::uuid")


@one(f"with {_DEPEND} select {_WAIT} as wait")
async def depend(
    db: Db,
    *,
    revision: str,
    originating: Sequence[EntityReference],
    using: Sequence[EntityReference],
    packages: list[str],
    publisher: str,
    most: int,
) -> int:
    """Register the dependencies of a revision, which publishes it. It counts for the publisher's
    limit of `most` PUBLICATIONS, 0 for any number. Gives 0, or the seconds until the publisher may
    publish: then the transaction must be rolled back."""


@one(f"with {PROMPT}, {_DEPEND} select case when claimed then {_WAIT} end as wait from whole")
async def depend_promptly(
    db: Db,
    *,
    revision: str,
    originating: Sequence[EntityReference],
    using: Sequence[EntityReference],
    packages: list[str],
    content: str,
    publisher: str,
    paths: list[str],
    most: int,
) -> int | None:
    """The same of a revision whose publisher is the content's author, with its files: claims the
    `paths` of new parts and screenshots, if the publisher has announced and sent all of them
    lately. Otherwise it claims nothing and gives None: then `claims.claim` must, and
    nothing is counted."""


@none("""
    update contents
    set revision_id = :revision, listing_id = nextval('listing_ids'), updated = clock_timestamp()
    where id = :content
""")
async def make_current(tx: Db, content: str, revision: str) -> None:
    """Make another revision the current one. The content gets a new listing id."""


_TEXTS = f"""
    {unless_left("r.version", "''")} as version,
    {unless_left("r.description", "''")} as description
"""


@maybe(f"""
    select r.entity_id, r.entity_revision, e.path, r.gone,
           {unless_left("r.requires", "null")} as requires,
           r.id, {_TEXTS}, unix(r.created) as created
    from contents c {AUTHOR}
    left join revisions r on r.content_id = c.id and r.id = :revision
    left join entities e on e.entity_id = r.entity_id and e.revision_id = r.entity_revision
    where c.id = :content
      and {SEEN}
""")
async def get(
    db: Db, content: str, revision: str, caller: str | None, moderate: bool
) -> RevisionRow | None:
    """A revision. None if the caller cannot see the content."""


@found("select from revisions where id = :revision and content_id = :content")
async def published(db: Db, content: str, revision: str) -> bool:
    """Whether the content has this revision."""


@found("select from revisions where id = :revision and gone")
async def is_gone(db: Db, revision: str) -> bool:
    """Whether the author of a revision has deleted it."""


@none("update revisions set gone = true where id = :revision and not gone")
async def delete(tx: Db, revision: str) -> None:
    """Mark a revision as deleted. The content is locked, and shows another one."""


@many("""
    select r.entity_id, r.entity_revision as revision_id
    from revisions r where r.id = :revision and r.content_id = :content
    union all
    select d.entity_id, d.entity_revision
    from revisions r join revision_entities d on d.revision_id = r.id
    where r.id = :revision and r.content_id = :content
""")
async def references(db: Db, content: str, revision: str) -> list[EntityReference]:
    """The entities of a revision, its core first. None at all if the content has no such
    revision."""


_PAGE: Final = f"""
    select coalesce(r.ordinal, 0) as number, r.id, {_TEXTS},
           unix(r.created) as created, r.id = c.revision_id as current, r.gone
    from contents c {AUTHOR}
    left join lateral (
        select * from revisions r
        where r.content_id = c.id and r.ordinal < {BEFORE}
        order by r.ordinal desc limit :limit
    ) r on true
    where c.id = :content and {SEEN}
"""


@many(
    within(
        _PAGE,
        "number, id, version, description, created, current, gone",
        "number desc",
        "octet_length(description)",
        str(PART),
    )
)
async def page(
    db: Db, content: str, caller: str | None, moderate: bool, before: int | None, limit: int
) -> list[Numbered[RevisionInfo | None]]:
    """The revisions of a content, newest first: at most `limit`, and no more once their change
    notes have PART bytes. No row at all if the caller cannot see the content."""
