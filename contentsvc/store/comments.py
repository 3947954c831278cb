"""Comments: spec §4.4."""

from typing import NamedTuple

from contentsvc.db.query import Db, found, many, maybe
from contentsvc.store.appending import append
from contentsvc.store.notifications import Following
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
    """A new comment. If `id` is None, either the author and somebody whom it would concern are
    `blocked`, or `wait` is the seconds until the author may write one more, or the comments are
    locked. `told` are the notifications of it that are stored with it."""

    id: int | None
    blocked: bool
    wait: int
    told: list[Following]


class _Telling(NamedTuple):
    """A new comment, and one of its notifications if there is one."""

    comment: int | None
    blocked: bool
    wait: int
    told: Following | None


_COMMENT = """
    m.id, m.parent_id, m.author_id, m.body,
    unix(m.created) as created, unix(m.updated) as updated, m.deleted
"""

# Who comments takes part in up to two pairs: with the content's author, and with the parent's. All
# take their locks in one order, and before the content's.
_SEEN = """
    select id, owner, parent, answered, silent,
           case when pair_blocked(:author, nearer) then true
                when nearer <> farther then pair_blocked(:author, farther)
                else false end as blocked
    from (
        select c.id, c.author_id as owner, p.id as parent, p.author_id as answered,
               p.deleted is true as silent,
               least(nullif(c.author_id, :author), nullif(p.author_id, :author)) as nearer,
               greatest(nullif(c.author_id, :author), nullif(p.author_id, :author)) as farther
        from contents c left join comments p on p.content_id = c.id and p.id = :parent
        where c.id = :content and visible(c.status, c.author_id, :author, :admin)
    ) seen
"""
_OPEN = "visible(c.status, c.author_id, :author, :admin) and not c.comments_locked"
# The time is taken under the content's row lock, so that times and ordinals have the same order.
_COUNTED = """
    c.id, c.comments, clock_timestamp() as now,
    owner, parent, answered, silent, c.status = 'active' as active
"""

# The reply wins: to one user nothing else is told.
_TOLD = """(
    select n, user_id, kind,
           '{"kind":"' || kind || '","sender":"' || :author || '","content":"' || :content
           || '","comment":' || made.id || '}' as data
    from content cross join made cross join lateral (values
        (1, 'CommentOnContent', case when answered is distinct from owner then owner end),
        (2, 'CommentReply', case
            when active or answered = owner
              or exists (select from users u where u.id = answered and u.admin)
            then answered
        end)
    ) told (n, kind, user_id)
    where user_id <> :author and not silent
) told"""

# Nobody was asked about the author of a parent that was committed meanwhile: it is still unknown.
_MADE = f"""
    made as (
        insert into comments (content_id, ordinal, parent_id, author_id, body, created, updated)
        select id, comments, case when :parent::bigint is not null then coalesce(parent, 0) end,
               :author, :body, now, now
        from content
        returning id
    ), {append(_TOLD)}
"""
_TELLING = "user_id, seq, a.id, created, false as read, data, previous"


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


@many(f"""
    with seen as ({_SEEN}), content as (
        update contents c set comments = comments + 1, live_comments = live_comments + 1
        from seen s where c.id = s.id and not s.blocked and {_OPEN}
        returning {_COUNTED}
    ), {_MADE}
    select m.id as comment, s.blocked, 0 as wait, {_TELLING}
    from seen s left join made m on true left join appended a on true
""")
async def _unlimited(
    db: Db, content: str, author: str, admin: bool, parent: int | None, body: str
) -> list[_Telling]:
    """`create` without a limit. It takes three quarters of the time in Postgres."""


@many(f"""
    with seen as ({_SEEN}), held as (
        select s.* from seen s join contents c on c.id = s.id
        where not s.blocked and {_OPEN}
        for no key update of c
    ), allowed as (
        -- An unknown parent is refused first, by the constraint.
        select *, case when :parent::bigint is null or parent is not null
            then comments_wait(:author, :most, make_interval(secs => :span)) else 0 end as wait
        from held
    ), content as (
        update contents c set comments = comments + 1, live_comments = live_comments + 1
        from allowed a where c.id = a.id and a.wait = 0
        returning {_COUNTED}
    ), {_MADE}
    select m.id as comment, s.blocked, coalesce(w.wait, 0) as wait, {_TELLING}
    from seen s left join allowed w on true left join made m on true left join appended a on true
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
) -> list[_Telling]:
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
    no limit. Store CommentOnContent for the content's author, or CommentReply for the parent's if
    they see the content. Nobody is told of a reply to a tombstone. None if the author cannot see
    the content.

    Raises Refused `comments_parent` if the content has no such parent.
    """
    if most:
        rows = await _limited(db, content, author, admin, parent, body, most, span)
    else:
        rows = await _unlimited(db, content, author, admin, parent, body)
    if not rows:
        return None
    first = rows[0]
    told = [row.told for row in rows if row.told is not None]
    return Written(first.comment, first.blocked, first.wait, told)


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


@maybe("""
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
    returning status
""")
async def delete(db: Db, content: str, comment: int) -> str | None:
    """Leave a tombstone. Gives the status of the content; None if there is a tombstone already."""


@maybe("""
    with content as (
        select id, author_id from contents
        where id = :content and visible(status, author_id, :caller, :admin)
    ), changed as (
        update contents c set comments_locked = :locked
        from content v
        where c.id = v.id and (:admin or c.author_id = :caller) and c.comments_locked <> :locked
        returning c.id, c.author_id, c.status
    ), noted as (
        -- Others do not see hidden content, so they are not refused.
        insert into moderation_actions (admin, action, subject_kind, subject, reason)
        select :caller, case when :locked then 'comments_locked' else 'comments_unlocked' end,
               'content', id::text, ''
        from changed where author_id <> :caller and status = 'active'
    )
    select :admin or author_id = :caller from content
""")
async def lock(db: Db, content: str, caller: str, admin: bool, locked: bool) -> bool | None:
    """Lock or unlock the comments on a content. No comment is written after they were locked. Notes
    it as the act of an admin unless the caller is the author. False if the caller may not, None if
    they cannot see the content."""


@found("""
    select from contents
    where id = :content and visible(status, author_id, :caller, :admin) and comments_locked
""")
async def locked(db: Db, content: str, caller: str, admin: bool) -> bool:
    """Whether the caller can see the content, and its comments are locked."""
