"""Comments: spec §4.4."""

from typing import NamedTuple

from contentsvc.db.query import Db, found, many, maybe
from contentsvc.wire.comments import Comment


class Row(NamedTuple):
    """One comment of a page and the total. For an empty page, only the total."""

    total: int
    comment: Comment | None


class Standing(NamedTuple):
    """The data that decide who may change a comment."""

    author_id: str
    content_author_id: str
    deleted: bool


class Written(NamedTuple):
    """A new comment. If `id` is None, the seconds until its author may write one more."""

    id: int | None
    wait: int


_COMMENT = """
    m.id, m.parent_id, m.author_id, m.body,
    unix(m.created) as created, unix(m.updated) as updated, m.deleted
"""

# Under the content's row lock, so that times and ordinals have the same order.
_MOMENT = "select id, comments, clock_timestamp() as now from content"
_INSERT = """
    insert into comments (content_id, ordinal, parent_id, author_id, body, created, updated)
    select id, comments, :parent, :author, :body, now, now from moment
    returning id
"""


@many(
    f"""
    select c.comments as total, {_COMMENT}
    from contents c
    left join comments m on m.content_id = c.id
         and m.ordinal > :page::bigint * :size::bigint
         and m.ordinal <= (:page::bigint + 1) * :size::bigint
    where c.id = :content::uuid
      and visible(c.status, c.author_id, :caller::uuid, :admin::boolean)
    order by m.ordinal
    """,
    together=True,
)
async def page(
    db: Db, content: str, caller: str | None, admin: bool, size: int, page: int
) -> list[Row]:
    """A page, oldest first. No row at all if the caller cannot see the content."""


@maybe(f"""
    select {_COMMENT}
    from comments m join contents c on c.id = m.content_id
    where m.id = :comment and m.content_id = :content
      and visible(c.status, c.author_id, :caller, :admin)
""")
async def get(
    db: Db, content: str, comment: int, caller: str | None, admin: bool
) -> Comment | None:
    """One comment."""


@maybe("""
    select m.author_id, c.author_id as content_author_id, m.deleted
    from comments m join contents c on c.id = m.content_id
    where m.id = :comment and m.content_id = :content
      and visible(c.status, c.author_id, :caller, :admin)
""")
async def standing(
    db: Db, content: str, comment: int, caller: str, admin: bool
) -> Standing | None:
    """The owners of a comment, if the caller can see it."""


@maybe(f"""
    with content as (
        update contents set comments = comments + 1, live_comments = live_comments + 1
        where id = :content and visible(status, author_id, :author, :admin)
          and not comments_locked
        returning id, comments
    ), moment as ({_MOMENT}) {_INSERT}
""")
async def _unlimited(
    db: Db, content: str, author: str, admin: bool, parent: int | None, body: str
) -> int | None:
    """`create` without a limit. It takes three quarters of the time in Postgres."""


@maybe(f"""
    with seen as (
        select id from contents
        where id = :content and visible(status, author_id, :author, :admin)
          and not comments_locked
        for no key update
    ), allowed as (
        -- An unknown parent is refused first, by the constraint.
        select id, case when :parent::bigint is null or exists (
            select from comments where content_id = :content and id = :parent
        ) then comments_wait(:author, :most, make_interval(secs => :span)) else 0 end as wait
        from seen
    ), content as (
        update contents c set comments = comments + 1, live_comments = live_comments + 1
        from allowed a where c.id = a.id and a.wait = 0
        returning c.id, c.comments
    ), moment as ({_MOMENT}), made as ({_INSERT})
    select (select id from made) as id, wait from allowed
""")
async def _limited(
    db: Db,
    content: str,
    author: str,
    admin: bool,
    parent: int | None,
    body: str,
    most: int,
    span: int,
) -> Written | None:
    """`create` with a limit."""


async def create(
    db: Db,
    content: str,
    author: str,
    admin: bool,
    parent: int | None,
    body: str,
    most: int,
    span: int,
) -> Written | None:
    """Append a comment, if the author has written fewer than `most` within `span` seconds; 0 means
    no limit. None if the author cannot see the content, or its comments are locked.

    Raises Refused `comments_parent` if the content has no such parent.
    """
    if most:
        return await _limited(db, content, author, admin, parent, body, most, span)
    id = await _unlimited(db, content, author, admin, parent, body)
    return None if id is None else Written(id, 0)


# Both lock the content before the comment, so that they do not wait for each other.
@maybe("""
    with content as (
        select id from contents where id = :content and not comments_locked
        for share
    ), changed as (
        update comments m set body = :body, updated = clock_timestamp()
        from content c
        where m.id = :comment and m.content_id = c.id and not m.deleted
        returning m.id
    )
    select exists (select from changed) from content
""")
async def update(db: Db, content: str, comment: int, body: str) -> bool | None:
    """Change the text. False if the comment was deleted meanwhile, None if the comments on the
    content are locked."""


@found("""
    with content as (
        select id from contents
        where id = :content and exists (
            select from comments m
            where m.id = :comment and m.content_id = :content and not m.deleted
        )
        for no key update
    ), gone as (
        update comments m set body = '', deleted = true, updated = clock_timestamp()
        from content c
        where m.id = :comment and m.content_id = c.id and not m.deleted
        returning m.content_id
    )
    update contents set live_comments = live_comments - 1
    where id in (select content_id from gone)
    returning true
""")
async def delete(db: Db, content: str, comment: int) -> bool:
    """Leave a tombstone. False if there is one already."""


@maybe("""
    with content as (
        select id, author_id from contents
        where id = :content and visible(status, author_id, :caller, :admin)
    ), changed as (
        update contents c set comments_locked = :locked
        from content v
        where c.id = v.id and (:admin or c.author_id = :caller) and c.comments_locked <> :locked
    )
    select :admin or author_id = :caller from content
""")
async def lock(db: Db, content: str, caller: str, admin: bool, locked: bool) -> bool | None:
    """Lock or unlock the comments on a content. No comment is written after they were locked. False
    if the caller may not, None if they cannot see the content."""


@found("""
    select from contents
    where id = :content and visible(status, author_id, :caller, :admin) and comments_locked
""")
async def locked(db: Db, content: str, caller: str, admin: bool) -> bool:
    """Whether the caller can see the content, and its comments are locked."""
