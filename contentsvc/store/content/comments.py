"""Comments: content#comments.

schema/functions/visible.sql says who sees a content, schema/functions/pair_blocked.sql who has
blocked whom.
"""

from typing import Final, NamedTuple

from contentsvc.framework.db.errors import Refused
from contentsvc.framework.db.query import Db, found, many, maybe, none
from contentsvc.framework.db.statement import Batch
from contentsvc.store.events.events import noting
from contentsvc.store.fragments import seen
from contentsvc.store.notifications.notifications import Following
from contentsvc.store.rate_limits import COMMENTS, taken
from contentsvc.wire.comments import Comment, CommentPage


class CommentState(NamedTuple):
    """The data that decide who may change a comment."""

    author_id: str
    content_author_id: str
    deleted: bool


class Locking(NamedTuple):
    """Whether the caller `may` lock comments, whether that was an `act` of a moderator, which
    changed something of another user's, and whether it `changed` anything."""

    may: bool
    act: bool
    changed: bool


class Written(NamedTuple):
    """A new comment. If `id` is None, either there is a block between the author and a recipient
    (`blocked`), or `wait` is the seconds until the author may write one more, or the comments are
    locked. `notified` are the notifications that are stored with it."""

    id: int | None
    blocked: bool
    wait: int
    notified: list[Following]


class Edited(NamedTuple):
    """Whether the text of a comment has `changed`. If not, its author and the author of the content
    or of the parent are `blocked`, or else the comments on the content are `locked`, or else it was
    deleted meanwhile."""

    blocked: bool
    locked: bool
    changed: bool


class _Row(NamedTuple):
    """What came of a comment, and one of its notifications if there is one. It is `repeated` if it
    was there. Without an `author` there is no such user."""

    comment: int | None
    repeated: bool
    blocked: bool
    locked: bool
    author: bool
    wait: int
    notified: Following | None


COMMENT: Final = """
    m.id, m.parent_id, m.author_id, m.body, unix(m.created) as created, unix(m.updated) as updated,
    m.deleted
"""
"""The columns of a Comment, of `comments m`."""


class _Listed(NamedTuple):
    """How many comments a content has, and one of the page, if there is one."""

    total: int
    comment: Comment | None


@many(
    f"""
    select c.comments as total, {COMMENT}
    from contents c
    left join comments m on m.content_id = c.id
      and m.ordinal > :page::bigint * :size::bigint
      and m.ordinal <= (:page::bigint + 1) * :size::bigint
    where c.id = :content::uuid
      and {seen("c", ":caller::uuid", ":moderate::boolean")}
    order by m.ordinal
    """,
    together=True,
    name="page",
)
async def _page(
    db: Db, content: str, caller: str | None, moderate: bool, size: int, page: int
) -> list[_Listed]:
    """A row for each comment of the page, and one if it has none."""


async def page(
    db: Db, content: str, caller: str | None, moderate: bool, size: int, page: int
) -> CommentPage | None:
    """A page of comments, oldest first. None if the caller cannot see the content."""
    rows = await _page(db, content, caller, moderate, size, page)
    if not rows:
        return None
    items = [row.comment for row in rows if row.comment is not None]
    return CommentPage(page, size, len(items), rows[0].total, items)


class _Answered(NamedTuple):
    """How many comments the list has, and one of the page, if there is one, with how many answer
    it."""

    total: int
    replies: int
    comment: Comment | None


_REPLIES: Final = """
    coalesce((
        select max(r.place) from comments r
        where r.content_id = m.content_id and coalesce(r.parent_id, 0) = m.id
    ), 0) as replies
"""


@many(
    f"""
    select c.comments as total, {_REPLIES}, {COMMENT}
    from contents c
    left join comments m on m.content_id = c.id
      and m.ordinal > c.comments - (:page::bigint + 1) * :size::bigint
      and m.ordinal <= c.comments - :page::bigint * :size::bigint
    where c.id = :content::uuid
      and {seen("c", ":caller::uuid", ":moderate::boolean")}
    order by m.ordinal desc
    """,
    together=True,
    name="newest",
)
async def _newest(
    db: Db, content: str, caller: str | None, moderate: bool, size: int, page: int
) -> list[_Answered]:
    """As `_page`, from the newest on."""


# The parent 0 is none.
@many(
    f"""
    select t.total, {_REPLIES}, {COMMENT}
    from contents c
    cross join lateral (
        select coalesce(max(p.place), 0) as total from comments p
        where p.content_id = c.id and coalesce(p.parent_id, 0) = :parent::bigint
    ) t
    cross join lateral (
        select case when :newest::boolean then t.total - (:page::bigint + 1) * :size::bigint
                    else :page::bigint * :size::bigint end as before
    ) b
    -- With the offset the places are looked up in the index. Else all that answers would be read.
    left join lateral (
        select * from comments m
        where m.content_id = c.id and coalesce(m.parent_id, 0) = :parent::bigint
          and m.place > b.before and m.place <= b.before + :size::bigint
        offset 0
    ) m on true
    where c.id = :content::uuid
      and {seen("c", ":caller::uuid", ":moderate::boolean")}
    order by case when :newest::boolean then -m.place else m.place end
    """,
    together=True,
    name="answering",
)
async def _answering(
    db: Db,
    content: str,
    parent: int,
    newest: bool,
    caller: str | None,
    moderate: bool,
    size: int,
    page: int,
) -> list[_Answered]:
    """The same of what answers a comment."""


async def answered_page(
    db: Db,
    content: str,
    parent: int | None,
    newest: bool,
    caller: str | None,
    moderate: bool,
    size: int,
    page: int,
) -> CommentPage | None:
    """A page of the newest comments, with how many answer each; or, with a `parent`, of what
    answers that comment, and with 0 of what answers none."""
    place = caller, moderate, size, page
    if parent is None:
        rows = await _newest(db, content, *place)
    else:
        rows = await _answering(db, content, parent, newest, *place)
    if not rows:
        return None
    items: list[Comment] = []
    for row in rows:
        if row.comment is not None:
            row.comment.replies = row.replies
            items.append(row.comment)
    return CommentPage(page, size, len(items), rows[0].total, items)


@maybe(f"""
    select {COMMENT}
    from comments m join contents c on c.id = m.content_id
    where m.id = :comment and m.content_id = :content
      and {seen()}
""")
async def get(
    db: Db, content: str, comment: int, caller: str | None, moderate: bool
) -> Comment | None:
    """One comment."""


@maybe(f"""
    select m.author_id, c.author_id as content_author_id, m.deleted
    from comments m join contents c on c.id = m.content_id
    where m.id = :comment and m.content_id = :content
      and {seen()}
""")
async def state_of(
    db: Db, content: str, comment: int, caller: str, moderate: bool
) -> CommentState | None:
    """The authors of a comment and of its content, if the caller can see it."""


@maybe("select author_id from comments where id = :comment and content_id = :content")
async def _author(db: Db, content: str, comment: int) -> str | None:
    """The author of a comment, a tombstone too."""


_POSTED = noting("CommentPosted", "author", "comment", "comment", rows="made", content="content_id")


# The locks have the common order: pairs, contents, limits, counters, and those of each kind one
# order too. Whoever blocks, locks or hides waits for them, and nothing is written afterwards. A
# user who leaves cannot write: the row of the author is locked, as by a foreign key. If the parent
# is not `known`, nothing is written.
@many(
    f"""
    with call as (
        select *
        from unnest((select :content::uuid[]), (select :author::uuid[]),
                    (select :moderate::boolean[]), (select :parent::bigint[]),
                    (select :body::text[]), (select :write_id::uuid[]), (select :most::integer[]),
                    (select :answered::uuid[]), (select :known::boolean[]))
             with ordinality as call
                 (content_id, author, moderate, parent, body, write_id, most, answered, known, n)
    ), about as materialized (
        select call.*, c.author_id as owner, c.comments_locked as locked,
               (
                   select m.id from comments m
                   where m.author_id = call.author and m.content_id = call.content_id
                     and m.write_id = call.write_id
               ) as repeated,
               exists (
                   select from (values (c.author_id), (call.answered)) o (id) join pairs p
                       on p.lesser = least(o.id, call.author)
                          and p.greater = greatest(o.id, call.author)
                   where p.lesser_blocks is not null or p.greater_blocks is not null
               ) as blocked
        from call join contents c on c.id = call.content_id
        where {seen("c", "call.author", "call.moderate")}
    ), held as materialized (
        select c.id from contents c
        where not c.comments_locked and c.id in (
            select content_id from about where repeated is null and not blocked and known
        )
        order by c.id
        for no key update
    ), able as materialized (
        select a.* from about a join held h on h.id = a.content_id
        where a.repeated is null and not a.blocked and a.known
    ), writer as materialized (
        select id from users where id in (select author from able) order by id for key share
    ), allowed as materialized (
        select b.*, {taken(COMMENTS, "b.author", "b.most")} as wait
        from (
            select b.* from able b join writer u on u.id = b.author
            order by b.author, b.n
            offset 0
        ) b
    ), counted as (
        update contents c
        set comments = c.comments + k.more, live_comments = c.live_comments + k.more
        from (
            select content_id, count(*) as more from allowed where wait = 0 group by content_id
        ) k
        where c.id = k.content_id
        -- The time is taken under the row's lock: times and ordinals have the same order.
        returning c.id as content_id, c.comments - k.more as before, clock_timestamp() as moment,
                  c.status = 'active' as active
    ), numbered as materialized (
        select a.*, before + row_number() over (partition by content_id order by n) as ordinal,
               moment, active
        from allowed a join counted using (content_id)
        where wait = 0
    ), written as (
        insert into comments
            (content_id, ordinal, parent_id, author_id, body, created, updated, write_id)
        select content_id, ordinal, parent, author, body, moment, moment, write_id
        from numbered order by n
        returning id, content_id, ordinal
    ), made as materialized (
        select m.*, w.id as comment from numbered m join written w using (content_id, ordinal)
    ), tallied as (
        insert into tallies (day, what, number)
        select (moment at time zone 'UTC')::date, 'comments', count(*) from numbered group by 1
    ), noted as ({_POSTED}), recipient as (
        -- Nobody is notified of a reply to a tombstone. Deleting a comment locks the content.
        select m.n, r.user_id, r.kind, format(
            '{{"kind":"%s","sender":"%s","content":"%s","comment":%s}}',
            r.kind, m.author, m.content_id, m.comment
        ) as data
        from made m cross join lateral (
            values ('CommentOnContent', case when m.owner is distinct from m.answered
                                             then m.owner end),
                   ('CommentReply', m.answered)
        ) r (kind, user_id)
        where r.user_id <> m.author
          and not coalesce((select p.deleted from comments p where p.id = m.parent), false)
          and (
              m.active or r.user_id = m.owner or shown_to(m.content_id, r.user_id)
              -- Who has `moderate`.
              or (select u.role in ('moderator', 'admin') from users u where u.id = r.user_id)
          )
        order by r.user_id, m.n
        offset 0
    ), notified as (
        select r.n, t.*
        from recipient r cross join lateral notify_user(r.user_id, r.kind, r.data) t
        where t.user_id is not null
    )
    select n, coalesce(a.repeated, m.comment) as comment, a.repeated is not null as repeated,
           a.blocked, a.locked, b.n is null or u.id is not null as author,
           coalesce(l.wait, 0) as wait,
           t.user_id, t.seq, t.id, t.created, false as read, t.data, t.previous
    from about a left join able b using (n) left join writer u on u.id = b.author
    left join allowed l using (n) left join made m using (n) left join notified t using (n)
    """,
    batch=Batch(("content",), once=("author", "content", "write_id")),
    first=f"""
    with call as (
        select *
        from unnest((select :content::uuid[]), (select :author::uuid[]),
                    (select :moderate::boolean[]), (select :answered::uuid[]),
                    (select :known::boolean[]))
             with ordinality as call (content_id, author, moderate, answered, known, n)
    ), about as materialized (
        select call.*, c.author_id as owner from call join contents c on c.id = call.content_id
        where {seen("c", "call.author", "call.moderate")}
    ), judged as materialized (
        select n, pair_blocked(lesser, greater) as blocked
        from (
            select a.n, least(o.id, a.author) as lesser, greatest(o.id, a.author) as greater
            from about a cross join lateral (values (a.owner), (a.answered)) o (id)
            where o.id <> a.author
            order by lesser, greater
            offset 0
        ) pair
    )
    select from contents
    where not comments_locked and id in (
        select content_id from about
        where known and n <> all (array(select n from judged where blocked))
    )
    order by id
    for no key update
    """,
)
async def _write(
    db: Db,
    content: str,
    author: str,
    moderate: bool,
    parent: int | None,
    body: str,
    write_id: str | None,
    most: int,
    answered: str | None,
    known: bool,
) -> list[_Row]:
    """`create`, of several comments at once. Each may be a reply to a comment of `answered`. There
    is a row for each recipient of a notification, or one without; none if the author cannot see the
    content."""


@none("select keep_commits()", lane="comments writes")
async def _keep(db: Db) -> None:
    """Have what was committed before on the disk. See schema/functions/keep_commits.sql."""


async def create(
    db: Db,
    content: str,
    author: str,
    moderate: bool,
    parent: int | None,
    body: str,
    most: int,
    write_id: str | None = None,
) -> Written | None:
    """Append a comment. It counts for the author's limit of `most` COMMENTS, 0 for any number.
    Store CommentOnContent for the content's author, or CommentReply for the parent's if they see
    the content. Nobody is notified of a reply to a tombstone. None if the author cannot see the
    content. The author's comment with this `write_id` is given again, and nothing is written.

    Raises Refused `comments_parent` if the content has no such parent.
    """
    answered = None if parent is None else await _author(db, content, parent)
    # A parent that is committed from now on is unknown too: nobody is asked whether its author has
    # blocked the writer.
    known = parent is None or answered is not None
    given = content, author, moderate, parent, body, write_id, most
    rows = await _write(db, *given, answered, known)
    if not rows:
        return None
    first = rows[0]
    if first.repeated:
        # Its author has had no answer yet: perhaps it is not on the disk.
        await _keep(db)
        return Written(first.comment, False, 0, [])
    if not (known or first.blocked or first.locked):
        raise Refused("comments_parent")
    if not first.author:
        raise Refused("comments_author")
    notified = [row.notified for row in rows if row.notified is not None]
    return Written(first.comment, first.blocked, first.wait, notified)


# Both lock the content before the comment, so that they do not wait for each other.
@maybe("""
    with parties as materialized (
        -- The pairs, which may be the same, in one order for all writers.
        select m.author_id as writer,
               least(nullif(c.author_id, m.author_id), nullif(p.author_id, m.author_id)) as nearer,
               greatest(nullif(c.author_id, m.author_id), nullif(p.author_id, m.author_id))
                   as farther
        from comments m join contents c on c.id = m.content_id
        left join comments p on p.content_id = m.content_id and p.id = m.parent_id
        where m.id = :comment and m.content_id = :content
    ), judged as materialized (
        select case when nearer is null then false
                    when pair_blocked(writer, nearer) then true
                    when farther = nearer then false
                    else pair_blocked(writer, farther) end as blocked
        from parties
    ), content as (
        select id from contents
        where id = :content and not comments_locked and not (select blocked from judged)
        for share
    ), changed as (
        update comments m set body = :body, updated = clock_timestamp()
        from content c
        where m.id = :comment and m.content_id = c.id and not m.deleted
        returning m.id
    )
    select blocked, not exists (select from content) as locked,
           exists (select from changed) as changed
    from judged
""")
async def update(db: Db, content: str, comment: int, body: str) -> Edited | None:
    """Change the text, unless there is a block between its author and a recipient. None if there is
    no such comment."""


@found("""
    with content as materialized (select id from contents where id = :content for share)
    select from comments m join content c on c.id = m.content_id
    where m.id = :comment
    for no key update of m
""")
async def lock_comment(tx: Db, content: str, comment: int) -> bool:
    """Lock a comment until the transaction ends, in the order of `update`. False if there is no
    such comment."""


_REMOVED = noting(
    "CommentRemoved", ":actor::uuid", "comment", "id", rows="gone", content="content_id"
)


@found(f"""
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
        returning m.id, m.content_id
    ), noted as ({_REMOVED})
    update contents set live_comments = live_comments - 1
    where id in (select content_id from gone)
    returning true
""")
async def delete(db: Db, actor: str | None, content: str, comment: int) -> bool:
    """Leave a tombstone. False if there is one already."""


@found("""
    with back as (
        update comments m set body = :body, deleted = false, updated = clock_timestamp()
        where m.id = :comment and m.content_id = :content and m.deleted
          -- Whoever deletes the account waits, and then empties this comment too.
          and exists (select from users u where u.id = m.author_id for key share)
        returning m.content_id
    )
    update contents set live_comments = live_comments + 1
    where id in (select content_id from back)
    returning true
""")
async def give_back(tx: Db, content: str, comment: int, body: str) -> bool:
    """Give a tombstone its text again, whose content the transaction has locked. False if it is
    none, or its author has left."""


@found("""
    select from comments
    where author_id = :author and content_id = :content and write_id = :write_id::uuid
""")
async def written(db: Db, content: str, author: str, write_id: str | None) -> bool:
    """Whether the author has written the comment with this `write_id`."""


@maybe(f"""
    with content as (
        select c.id, c.author_id from contents c
        where c.id = :content and {seen()}
    ), changed as (
        update contents c set comments_locked = :locked
        from content v
        where c.id = v.id and (:moderate or c.author_id = :caller) and c.comments_locked <> :locked
        returning c.author_id
    )
    select :moderate or author_id = :caller as may,
           exists (select from changed where author_id <> :caller) as act,
           exists (select from changed) as changed
    from content
""")
async def lock(tx: Db, content: str, caller: str, moderate: bool, locked: bool) -> Locking | None:
    """Lock or unlock the comments on a content, if the caller may. No comment is written after they
    were locked. None if the caller cannot see the content."""


@found(f"""
    select from contents c
    where c.id = :content and {seen()}
      and c.comments_locked
""")
async def locked(db: Db, content: str, caller: str, moderate: bool) -> bool:
    """Whether the caller can see the content, and its comments are locked."""
