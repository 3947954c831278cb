"""Content: spec §4.2, §4.3 and the detail, status and featured operations."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from contentsvc.db.lanes import WHOLE
from contentsvc.db.query import Db, found, many, maybe, none, one
from contentsvc.store.floods import wait
from contentsvc.store.fragments import INFO, state
from contentsvc.wire.content import ContentInfo, Revision
from contentsvc.wire.dependencies import Entity, EntityReference, Package


class Standing(NamedTuple):
    """The data that decide who may do what with a content. `first_revision` identifies a repeated
    create."""

    author_id: str
    status: str
    first_revision: str


class Act(NamedTuple):
    """What suspending, withdrawing or restoring did. `status` is what the content shows now; if the
    act has not `changed` anything, what it showed before the act."""

    author_id: str
    status: str
    changed: bool


class Detail(NamedTuple):
    """The content's own data. `created` and `updated` are in Unix seconds."""

    author_id: str
    description: str
    screenshots: list[str]
    tags: list[str]
    created: int
    updated: int
    up: int
    down: int
    live_comments: int
    comments_locked: bool
    info: ContentInfo


class Numbered(NamedTuple):
    """A content in a list by age, with its place there."""

    number: int
    info: ContentInfo


class RevisionRow(NamedTuple):
    """A revision and its core entity. `revision` is None if the content has no such revision."""

    entity_id: str
    entity_revision: str
    path: str
    revision: Revision | None


@maybe("""
    select author_id, status, revision_id as first_revision from contents where id = :content
""")
async def standing(db: Db, content: str) -> Standing | None:
    """The author of a content, and what it shows as its status. None if there is no such
    content."""


@none("""
    with content as (
        insert into contents (id, revision_id, author_id, type, name, description,
                              screenshots, tags)
        values (:content, :revision, :author, :type, :name, :description, :screenshots, :tags)
        returning id
    ), revision as (
        -- From the content, so that a repeat is refused for its content, not for its revision.
        insert into revisions (id, content_id, version, description, entity_id, entity_revision,
                               publisher_id)
        select :revision, id, :version, :revision_description, :core, :core_revision, :author
        from content
    ), entity as (
        insert into entities (entity_id, revision_id, path, content_id)
        select e."entityId", e."revisionId", e.path, :content
        from json_to_recordset(:entities) as e ("entityId" uuid, "revisionId" uuid, path text)
        order by 1, 2
        on conflict do nothing
    )
    insert into packages (id, win64, osx64, linux64, content_id)
    select p.id, p.win64, p.osx64, p.linux64, :content
    from json_to_recordset(:packages) as p (id uuid, win64 text, osx64 text, linux64 text)
    order by 1
    on conflict do nothing
""")
async def create(
    db: Db,
    *,
    content: str,
    author: str,
    type: str,
    name: str,
    description: str,
    screenshots: list[str],
    tags: list[str],
    revision: str,
    version: str,
    revision_description: str,
    core: str,
    core_revision: str,
    entities: Sequence[Entity],
    packages: Sequence[Package],
) -> None:
    """Insert a content, its first revision, and those of the `entities` (the core is one) and
    `packages` that are new.

    Entities and packages that exist stay as they are; the caller compares them. Raises Refused
    `contents_id` or `revisions_id`.
    """


_ENTITIES = """
    rows from (json_to_recordset({}) as ("entityId" uuid, "revisionId" uuid))
    with ordinality as e (id, revision, place)
"""


@one(f"""
    with entity as (
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
    select {wait("publications_wait", ":author")} as wait
""")
async def depend(
    db: Db,
    *,
    revision: str,
    originating: Sequence[EntityReference],
    using: Sequence[EntityReference],
    packages: list[str],
    author: str,
    most: int,
    span: int,
) -> int:
    """Register the dependencies of a revision, which publishes it. Gives the seconds until the
    author may publish, 0 if they may now. At most `most` publications are allowed within `span`
    seconds; 0 means no limit."""


@none("""
    update contents
    set description = :description, screenshots = :screenshots,
        tags = coalesce(:tags, tags), updated = now()
    where id = :content
""")
async def update(
    db: Db, content: str, description: str, screenshots: list[str], tags: list[str] | None
) -> None:
    """Change the members that may change (spec §4.2). `tags` None leaves the tags."""


_OF_AUTHOR = """
    from contents c join users u on u.id = c.author_id
    where c.author_id = :author and visible(c.status, c.author_id, :caller, :admin)
      and c.status = any(:statuses) and c.type = any(:types)
      and (:before::bigint is null or c.number < :before)
"""


@many(f"select c.number, {INFO} {_OF_AUTHOR} order by c.number desc limit :limit")
async def by_author(
    db: Db,
    author: str,
    types: list[str],
    statuses: list[str],
    caller: str | None,
    admin: bool,
    before: int | None,
    limit: int,
) -> list[Numbered]:
    """An author's content that the caller may see, newest first (spec §4.3)."""


@one(
    f"""
    select {state("info")} from (select {INFO} {_OF_AUTHOR}) info
    """,
    lane=WHOLE,
)
async def by_author_state(
    db: Db,
    author: str,
    types: list[str],
    statuses: list[str],
    caller: str | None,
    admin: bool,
    before: int | None,
) -> str:
    """A value that changes whenever anything in that list does."""


@maybe(
    f"""
    select c.author_id, c.description, c.screenshots, c.tags,
           unix(c.created) as created, unix(c.updated) as updated,
           c.up, c.down, c.live_comments, c.comments_locked, {INFO}
    from contents c join users u on u.id = c.author_id
    where c.id = :content::uuid
      and visible(c.status, c.author_id, :caller::uuid, :admin::boolean)
    """,
    together=True,
)
async def detail(db: Db, content: str, caller: str | None, admin: bool) -> Detail | None:
    """A content as the caller may see it."""


@maybe("""
    select r.entity_id, r.entity_revision, e.path,
           r.id, r.version, r.description, unix(r.created) as created
    from contents c
    left join revisions r on r.content_id = c.id and r.id = :revision
    left join entities e on e.entity_id = r.entity_id and e.revision_id = r.entity_revision
    where c.id = :content
      and visible(c.status, c.author_id, :caller, :admin)
""")
async def revision(
    db: Db, content: str, revision: str, caller: str | None, admin: bool
) -> RevisionRow | None:
    """A revision. None if the caller cannot see the content."""


@found("select from revisions where id = :revision and content_id = :content")
async def published(db: Db, content: str, revision: str) -> bool:
    """Whether the content has this revision."""


@maybe("""
    with changed as (
        update contents set suspended = (:status = 'suspended')
        where id = :content and suspended <> (:status = 'suspended')
        returning status
    )
    select c.author_id, coalesce(f.status, c.status) as status, f.status is not null as changed
    from contents c left join changed f on true
    where c.id = :content
""")
async def set_status(
    db: Db, content: str, status: Literal["active", "suspended"]
) -> Act | None:
    """Suspend or restore, as an admin. What its author has withdrawn stays withdrawn. None if there
    is no such content."""


@found("update contents set featured = :featured where id = :content returning true")
async def set_featured(db: Db, content: str, featured: bool) -> bool:
    """Feature a content, or stop featuring it. False if there is no such content."""
