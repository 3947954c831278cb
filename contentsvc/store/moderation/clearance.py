"""The clearance of a user by a moderator: all content, comments and collections at once.

It is a task, `UserClearance`, whose batches are each a short transaction of their own. Each goes
from the newest row to the oldest, and reads a fixed number of rows, whether or not there is
anything to do. So a batch can be done again, and none is long. It does to each row what moderation
does to a single one: see contentsvc.store.content.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, one
from contentsvc.store.events.events import noting
from contentsvc.store.fragments import shown_status, status_of
from contentsvc.wire.moderation import ClearableCounts

SHOWN: Final = 1000
"""Most of each kind that are counted for a moderator who opens an account."""
COLLECTIONS: Final = 5
"""Collections of a batch. Each may have a thousand items, which go with it."""


class Place(NamedTuple):
    """Where a clearance is: before these numbers of content and comments, and how much it has taken
    away of each."""

    contents: int
    comments: int
    content: int = 0
    comment: int = 0
    collection: int = 0


class LockedForClearance(NamedTuple):
    """A content that the transaction has locked, and the status that others saw."""

    id: str
    before: str


class Suspended(NamedTuple):
    """A content that was suspended: the status that it shows, whether others use it, and whether it
    has subscribers (`kept`)."""

    id: str
    status: str
    used: bool
    kept: bool


class Removed(NamedTuple):
    """A comment of which a tombstone is left."""

    comment: int
    content: str


class Next(NamedTuple):
    """A row that comes next: its number, and the content."""

    number: int
    content: str


@maybe(f"""
    select (select count(*) from (
               select from (
                   select suspended from contents where author_id = :user
                   order by number desc limit {SHOWN}
               ) c where not suspended
           ) c) as content,
           (select count(*) from (
               select from (
                   select deleted from comments where author_id = :user
                   order by id desc limit {SHOWN}
               ) m where not deleted
           ) m) as comments,
           (select count(*) from (
               select from collections where owner_id = :user and id <> owner_id limit {SHOWN}
           ) k) as collections
    from users where id = :user
""")
async def clearable(db: Db, user: str) -> ClearableCounts | None:
    """How much a clearance of a user would take away. None if there is no such user."""


@many("""
    select number, id as content from contents
    where author_id = :user and number < :before order by number desc limit :limit
""")
async def next_contents(tx: Db, user: str, before: int, limit: int) -> list[Next]:
    """The user's newest content before a number."""


@many(f"""
    select c.id, {status_of("c")} as before from contents c
    where c.id = any(:contents::uuid[]) order by c.id for no key update of c
""")
async def lock(tx: Db, contents: Sequence[str]) -> list[LockedForClearance]:
    """Lock content in the one order of all."""


_SUSPENDED = noting(
    "ContentStatus",
    ":actor::uuid",
    "content",
    "id",
    rows="changed",
    data=f"json_build_object('status', {shown_status('status')})",
)


@many(f"""
    with changed as (
        update contents set suspended = true
        where id = any(:contents::uuid[]) and not suspended
        returning id, number, {status_of("contents")} as status
    ), noted as ({_SUSPENDED})
    select c.id, {shown_status("c.status")} as status,
           exists (select from content_uses u where u.used = c.id) as used,
           exists (select from subscriptions s where s.content_id = c.id) as kept
    from changed c order by c.number desc
""")
async def suspend(tx: Db, actor: str | None, contents: Sequence[str]) -> list[Suspended]:
    """Suspend content that is locked. What is suspended already is left out."""


@many("""
    select id as number, content_id as content from comments
    where author_id = :user and id < :before order by id desc limit :limit
""")
async def next_comments(tx: Db, user: str, before: int, limit: int) -> list[Next]:
    """The user's newest comments before a number, the tombstones too."""


_REMOVED = noting(
    "CommentRemoved", ":actor::uuid", "comment", "id", rows="gone", content="content_id"
)


@many(f"""
    with gone as (
        update comments set body = '', deleted = true, updated = clock_timestamp()
        where id = any(:comments::bigint[]) and not deleted
        returning id, content_id
    ), noted as ({_REMOVED}), counted as (
        update contents c set live_comments = live_comments - g.comments
        from (select content_id, count(*) as comments from gone group by content_id) g
        where c.id = g.content_id
    )
    select id as comment, content_id as content from gone order by id desc
""")
async def remove(tx: Db, actor: str | None, comments: Sequence[int]) -> list[Removed]:
    """Leave tombstones of comments on content that is locked."""


@one(f"""
    with gone as (
        delete from collections where id = any(array(
            select id from collections where owner_id = :user and id <> owner_id
            order by number limit {COLLECTIONS}
        ))
        returning 1
    )
    select count(*) from gone
""")
async def delete_collections(tx: Db, user: str) -> int:
    """Delete some of the user's collections, the favourites excepted. Gives how many."""


@found("""
    update collections set public = false, updated = clock_timestamp()
    where id = :user and owner_id = :user and public
    returning true
""")
async def hide_favourites(tx: Db, user: str) -> bool:
    """Make the user's favourites private; they cannot be deleted. False if they are private
    already."""


@maybe("""
    select id from tasks
    where topic = :topic and place is null and tries = 0
      and (task::json ->> 'what')::jsonb @> :what::jsonb
    order by id desc limit 1
    for update
""")
async def waiting(tx: Db, topic: str, what: str) -> int | None:
    """A clearance that has not begun, and takes all of this away: it does not begin before the
    transaction ends. `what` is a JSON array."""
