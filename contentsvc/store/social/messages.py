"""Messages between friends (social#messages).

A pair that goes takes its conversation along (schema/functions/end_conversations.sql).
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, many, maybe, none
from contentsvc.store.fragments import BEFORE, USER, Numbered, within
from contentsvc.store.notifications.notifications import Following
from contentsvc.store.rate_limits import MESSAGES, taken
from contentsvc.store.social.pairs import THEIRS
from contentsvc.wire.social import Conversation, Message


class Sent(NamedTuple):
    """A message that is stored, and its recipient's notification: None if they have muted it."""

    notified: Following | None


class Unsent(NamedTuple):
    """Why a message was not stored. `repeated`: it was there. `blocked`: either has blocked the
    other. Otherwise the two are no friends, unless there is a time to `wait`, in seconds."""

    repeated: bool
    blocked: bool
    wait: int = 0


class _Row(NamedTuple):
    """What came of a message. If it is stored, it has a `number`, and the rest is the recipient's
    notification, None if they have muted it. `wait` is None if nothing else allows it."""

    repeated: bool
    blocked: bool
    wait: int | None
    number: int | None
    seq: int | None
    id: str | None
    created: int | None
    previous: str | None


_MESSAGE = "m.id, m.sender, m.text, unix(m.created) as created"


# Blocking locks the pair: after a block, no message is stored. Of two at once with the same id,
# the later one finds the other.
@maybe(
    f"""
    with known as materialized (
        select exists (
            select from pairs p join messages m on m.pair = p.number
            where {THEIRS} and m.sender = :user and m.id = :id
        ) as repeated, exists (
            select from pairs
            where {THEIRS} and (lesser_blocks is not null or greater_blocks is not null)
        ) as blocked
        from users where id = :other
    ), allowed as materialized (
        select p.number as pair, {taken(MESSAGES, ":user::uuid")} as wait
        from known cross join pairs p
        where {THEIRS} and p.friends is not null and not (repeated or blocked)
    ), stored as (
        insert into messages (pair, sender, id, text)
        select pair, :user, :id, :text from allowed where wait = 0
        returning pair, number
    ), newest as (
        insert into conversations (pair, lesser, greater, newest)
        select pair, least(:user::uuid, :other::uuid), greatest(:user::uuid, :other::uuid), number
        from stored
        on conflict (pair) do update set newest = excluded.newest
    )
    select repeated, blocked, a.wait, s.number, n.seq, n.id, n.created, n.previous
    from known left join allowed a on true left join stored s on true
    left join lateral notify_user(
        case when s.number > 0 then :other::uuid end, 'FriendMessage', :data
    ) n on true
    """,
    first=f"select from pairs where {THEIRS} for no key update",
)
async def _send(
    db: Db, user: str, other: str, id: str, text: str, data: str, most: int
) -> _Row | None:
    """`send`. None if there is no such other user."""


@none("select keep_commits()", lane="messages writes")
async def _keep(db: Db) -> None:
    """Have what was committed before on the disk. See schema/functions/keep_commits.sql."""


async def send(
    db: Db, user: str, other: str, id: str, text: str, data: str, most: int
) -> Sent | Unsent | None:
    """Store a message of the user's to the other, if they are friends. It counts for the user's
    limit of `most` MESSAGES, 0 for any number. Append its notification, of which `data` is the kind
    as JSON text. None if there is no such other user.
    """
    row = await _send(db, user, other, id, text, data, most)
    if row is None:
        return None
    if row.number is None:
        if row.repeated:
            # Its sender has had no answer: perhaps it is not on the disk yet.
            await _keep(db)
        return Unsent(row.repeated, row.blocked, row.wait or 0)
    if row.seq is None or row.id is None or row.created is None:
        return Sent(None)
    return Sent(Following(other, row.seq, row.id, row.created, False, data, row.previous))


@many(f"""
    select m.number, {_MESSAGE} from messages m
    where m.pair = (select number from pairs where {THEIRS}) and m.number < {BEFORE}
    order by m.number desc limit :limit
""")
async def between(
    db: Db, user: str, other: str, before: int | None, limit: int
) -> list[Numbered[Message]]:
    """The messages between two users, newest first."""


@maybe(f"""
    select {_MESSAGE} from messages m
    where m.pair = (select number from pairs where {THEIRS}) and m.sender in (:user, :other)
      and m.id = :id
    order by m.sender = :user desc limit 1
""")
async def get(db: Db, user: str, other: str, id: str) -> Message | None:
    """One of them. If both have sent one with this id, the user's own."""


def _side(user: str, other: str) -> str:
    return f"""
        (select c.pair, c.newest, c.{other} as other from conversations c
         where c.{user} = :user and c.newest < {BEFORE} order by c.newest desc limit :limit)
    """


@many(
    within(
        f"""
        select m.number, m.id as message, m.sender, m.text, unix(m.created) as created,
               {USER} as profile
        from (
            {_side("lesser", "greater")} union all {_side("greater", "lesser")}
            order by newest desc limit :limit
        ) c
        join messages m on m.pair = c.pair and m.number = c.newest
        join users u on u.id = c.other
        """,
        "number, id, username, avatar, emblem, profile, message as id, sender, text, created",
        "number desc",
    )
)
async def conversations(
    db: Db, user: str, before: int | None, limit: int, bytes: int
) -> list[Numbered[Conversation]]:
    """The user's conversations, those with the newest messages first: at most `limit`, and no more
    once the profiles have this many `bytes`."""
