"""Content: content#publishing, content#by-author and the detail, status and featured operations.

A trigger derives the status (schema/functions/derive_status.sql); it says who sees a content
(visible.sql).
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.query import Db, found, maybe, one
from contentsvc.store.content.dependencies import BROUGHT, NewPackage, Registered
from contentsvc.store.content.requirements import fitting
from contentsvc.store.events.events import noting
from contentsvc.store.fragments import (
    ATTRIBUTES,
    AUTHOR,
    BEFORE,
    INFO,
    INFO_FITTING_JSON,
    INFO_JSON,
    LEAVING,
    STATUS,
    cut_after,
    seen,
    shown_status,
    state,
    status_of,
    unless_left,
)
from contentsvc.store.rate_limits import CHANGES, taken
from contentsvc.wire.content import ContentInfo, Entity


class ContentState(NamedTuple):
    """The data that decide who may do what with a content. `status` is what it shows.
    `first_revision` identifies a repeated create, `revision_id` is the current one. `visible` says
    whether the caller sees it, and `editor` whether they do as a member who may edit it."""

    author_id: str
    status: str
    revision_id: str
    first_revision: str
    visible: bool
    editor: bool


class LockedContent(NamedTuple):
    """A content that an update has locked."""

    author_id: str
    screenshots: list[str]


class Changed(NamedTuple):
    """What an update did. `wait` is the seconds until the caller may change one more, then nothing
    has changed. `reworded` says that the description, the tags or the attributes differ. If
    anything has changed, the others are what the content has now; `attributes` as they are
    found."""

    wait: int
    reworded: bool
    name: str | None
    tags: list[str] | None
    attributes: list[str] | None


class Act(NamedTuple):
    """What suspending, withdrawing or restoring did. `status` is what the content shows now; if the
    act has not `changed` anything, what it showed before the act. `before` is the status before,
    which others saw."""

    author_id: str
    status: str
    changed: bool
    before: str


class AuthorsPart(NamedTuple):
    """A part of an author's list. `json` has the ContentInfo of each content that was `found`,
    between commas; the last of them has the number `last`. It may be `cut` for its length: then
    there may be more."""

    json: str
    found: int
    last: int | None
    cut: bool


class Detail(NamedTuple):
    """The content's own data, beside those of its info. `updated` is in Unix seconds."""

    description: str
    screenshots: list[str]
    tags: list[str]
    updated: int
    comments_locked: bool
    info: ContentInfo


_SIGHT = "case when l.user_id is null then c.status else 'deleted' end"
"""The status that decides who sees the content, as status_of gives it."""
_VISIBLE = f"visible({_SIGHT}, c.id, c.author_id, :caller::uuid, :moderate::boolean)"
_EDITOR = f"{_SIGHT} not in ('suspended', 'deleted') and edits(c.id, :caller::uuid)"
_STATE = f"""
    select c.author_id, {shown_status(_SIGHT)} as status, c.revision_id,
           r.id as first_revision, {_VISIBLE} as visible,
           c.author_id is distinct from :caller::uuid and {_EDITOR} as editor
    from contents c join revisions r on r.content_id = c.id and r.ordinal = 1
    left join departures l on l.user_id = c.author_id and l.pending
    where c.id = :content
"""


@maybe(_STATE)
async def state_of(db: Db, content: str, caller: str | None, moderate: bool) -> ContentState | None:
    """The author, status and revisions of a content, and what it is to the caller. None if there is
    no such content."""


@maybe(f"{_STATE} for no key update of c")
async def lock(tx: Db, content: str, caller: str | None, moderate: bool) -> ContentState | None:
    """The same, locked until the transaction ends: publications, withdrawals and suspensions of one
    content come one after the other."""


@maybe(f"""
    {_STATE} and {_VISIBLE} and (c.author_id = :caller or :administer::boolean or {_EDITOR})
    for no key update of c
""")
async def lock_to_change(
    tx: Db, content: str, caller: str | None, moderate: bool, administer: bool
) -> ContentState | None:
    """The same, if the caller may change the content: its author, its members, and with
    `administer` anybody. Otherwise None, and nothing is locked: nobody else can delay a
    publication."""


_PUBLISHED = noting(
    "ContentPublished",
    ":author::uuid",
    "content",
    "id",
    rows="content",
    where="announced",
    data="""json_build_object(
        'author', :author::uuid, 'revision', :revision::uuid, 'type', :type::text
    )""",
)


@one(f"""
    with content as (
        insert into contents (id, revision_id, author_id, type, name, description,
                              screenshots, tags, visibility, announced, attributes)
        values (:content, :revision, :author, :type, :name, :description, :screenshots, :tags,
                :visibility, :visibility = 'public', :attributes)
        returning id, announced
    ), revision as (
        -- From the content, so that a repeat is refused for its content, not for its revision.
        insert into revisions (id, content_id, version, description, entity_id, entity_revision,
                               publisher_id)
        select :revision, id, :version, :revision_description, :core, :core_revision, :author
        from content
    ), noted as ({_PUBLISHED}), {BROUGHT}
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
    visibility: str,
    attributes: str,
    revision: str,
    version: str,
    revision_description: str,
    core: str,
    core_revision: str,
    entities: Sequence[Entity],
    packages: Sequence[NewPackage],
) -> Registered:
    """Insert a content, its first revision, and those of the `entities` (the core is one) and
    `packages` that are new. `attributes` are JSON text.

    Entities and packages that exist stay as they are; the caller compares them. Raises Refused
    `contents_id` or `revisions_id`.
    """


@found("""
    select from contents
    where id = :content and screenshots = :screenshots::text[]
      and tags = coalesce(:tags::text[], tags) and description = :description
      and attributes::text = coalesce(:attributes::text, attributes::text)
""")
async def shows(
    db: Db,
    content: str,
    description: str,
    screenshots: list[str],
    tags: list[str] | None,
    attributes: str | None,
) -> bool:
    """Whether a content has all of this already. `tags` and `attributes` None mean whatever
    there are."""


@maybe(f"""
    select author_id, screenshots from contents
    where id = :content and not deleted and author_id <> all({LEAVING})
    for no key update
""")
async def lock_for_update(tx: Db, content: str) -> LockedContent | None:
    """Lock a content until the transaction ends, to change it. None if it is deleted."""


_CHANGED = noting("ContentChanged", ":caller::uuid", "content", "id", rows="changed")


@one(f"""
    with old as materialized (
        select description <> :description or tags <> coalesce(:tags::text[], tags)
               or attributes::text <> coalesce(:attributes::text, attributes::text) as reworded,
               screenshots <> :screenshots::text[] as reshot
        from contents where id = :content
    ), allowed as materialized (
        select case when reworded or reshot then {taken(CHANGES, ":caller::uuid")}
               else 0 end as wait
        from old
    ), changed as (
        update contents c
        -- What stays is not written again, however long it is.
        set description = case when reworded then :description else description end,
            screenshots = :screenshots, tags = coalesce(:tags, tags),
            attributes = coalesce(:attributes::json, attributes), updated = now()
        from old, allowed
        where c.id = :content and (reworded or reshot) and wait = 0
        returning c.id, c.name, c.tags, {ATTRIBUTES} as attributes
    ), noted as ({_CHANGED})
    select wait, reworded, changed.name, changed.tags, changed.attributes
    from old cross join allowed left join changed on true
""")
async def update(
    tx: Db,
    content: str,
    description: str,
    screenshots: list[str],
    tags: list[str] | None,
    attributes: str | None,
    caller: str,
    most: int,
) -> Changed:
    """Change the members that may change (content#publishing) of a content that the transaction has
    locked. `tags` None leaves the tags, and so it is with `attributes`, which are JSON text. What
    differs counts for the caller's limit of `most` CHANGES, 0 for any number."""


_OF_AUTHOR = f"""
    from contents c join users u on u.id = c.author_id
    where c.author_id = :author and visible(c.status, c.id, c.author_id, :caller, :moderate)
      and c.status = any(:statuses) and c.type = any(:types)
      and (
          cardinality(:attributes::text[]) = 0
          or has_attributes(c.attributes, :attributes::text[])
      )
      -- Whoever has its id sees it. So it is not given away here.
      and (
          c.visibility <> 'unlisted' or :moderate or c.author_id is not distinct from :caller
          or let_in(c.id, :caller)
      )
      and c.number < {BEFORE}
"""


def _part_of(rows: str) -> str:
    # The aggregate takes the rows in the order of the subquery.
    read = cut_after(f"{rows} order by number desc limit :limit", "number desc")
    return f"""
        select coalesce(string_agg(info, ',') filter (where kept), '') as json,
               count(*) filter (where kept) as found, min(number) filter (where kept) as last,
               coalesce(bool_or(not kept), false) as cut
        from ({read} order by number desc) part
    """


@one(_part_of(f"select c.number, {INFO_JSON} as info {_OF_AUTHOR}"))
async def by_author(
    db: Db,
    author: str,
    types: list[str],
    statuses: list[str],
    attributes: list[str],
    caller: str | None,
    moderate: bool,
    before: int | None,
    limit: int,
) -> AuthorsPart:
    """An author's content that the caller may see and that has all of these `attributes`, newest
    first (content#by-author). The `statuses` are those of the column: see statuses_of."""


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
    attributes: list[str],
    caller: str | None,
    moderate: bool,
    before: int | None,
) -> str:
    """A value that changes whenever anything in that list does."""


_FITS = f"cross join lateral (select {fitting('c.id', 'c.revision_id')} as fitting offset 0) f"
_FITTING_OF_AUTHOR = f"{_OF_AUTHOR.replace('where', f'{_FITS} where', 1)} and f.fitting is not null"


@one(_part_of(f"select c.number, {INFO_FITTING_JSON} as info {_FITTING_OF_AUTHOR}"))
async def by_author_fitting(
    db: Db,
    author: str,
    types: list[str],
    statuses: list[str],
    attributes: list[str],
    caller: str | None,
    moderate: bool,
    before: int | None,
    limit: int,
    game: list[int] | None,
    platform: str | None,
    features: list[str] | None,
) -> AuthorsPart:
    """The same of what fits."""


@one(
    f"""
    select {state("info")} from (select f.fitting, {INFO} {_FITTING_OF_AUTHOR}) info
    """,
    lane=WHOLE,
)
async def by_author_fitting_state(
    db: Db,
    author: str,
    types: list[str],
    statuses: list[str],
    attributes: list[str],
    caller: str | None,
    moderate: bool,
    before: int | None,
    game: list[int] | None,
    platform: str | None,
    features: list[str] | None,
) -> str:
    """A value that changes whenever anything in that list does."""


_NO_SCREENSHOTS = """'{""}'"""


@maybe(
    f"""
    select {unless_left("c.description", "''")} as description,
           {unless_left("c.screenshots", _NO_SCREENSHOTS)} as screenshots,
           {unless_left("c.tags", "'{}'")} as tags,
           unix(c.updated) as updated, c.comments_locked, {INFO}
    from contents c {AUTHOR}
    where c.id = :content::uuid
      and visible({STATUS}, c.id, c.author_id, :caller::uuid, :moderate::boolean)
    """,
    together=True,
)
async def detail(db: Db, content: str, caller: str | None, moderate: bool) -> Detail | None:
    """A content as the caller may see it."""


_STATUS_NOTED = noting(
    "ContentStatus",
    ":actor::uuid",
    "content",
    "id",
    rows="changed",
    data=f"json_build_object('status', {shown_status('status')})",
)


@maybe(f"""
    with changed as (
        update contents set suspended = (:status = 'suspended')
        where id = :content and suspended <> (:status = 'suspended')
        returning id, {status_of("contents")} as status
    ), noted as ({_STATUS_NOTED})
    select c.author_id, {shown_status("coalesce(f.status, " + status_of("c") + ")")} as status,
           f.status is not null as changed, {status_of("c")} as before
    from contents c left join changed f on true
    where c.id = :content
""")
async def set_status(
    db: Db, actor: str | None, content: str, status: Literal["active", "suspended"]
) -> Act | None:
    """Suspend or restore, as a moderator. What its author has withdrawn stays withdrawn. None if
    there is no such content."""


@maybe(f"""
    with held as materialized (
        select id from contents c where id = :content and {seen()} for no key update
    ), changed as (
        update contents set featured = :featured
        where id = (select id from held) and featured <> :featured
        returning true
    )
    select exists (select from changed) from held
""")
async def set_featured(
    db: Db, content: str, caller: str | None, moderate: bool, featured: bool
) -> bool | None:
    """Feature a content, or stop featuring it. False if that is so already, None if the caller
    sees no such content."""
