"""Messages between friends (social#messages).

A pair that goes takes its conversation along (schema/functions/end_conversations.sql).
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, many, maybe, none
from contentsvc.framework.db.statement import Batch
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


_MESSAGE = "m.id, m.sender, m.text, unix(m.created) as created, m.unsent or m.withheld as removed"


_PAIR = (
    "p.lesser = least(call.sender, call.other) and p.greater = greatest(call.sender, call.other)"
)
"""Finds the row of `pairs p` of a call."""


# Blocking locks the pair: after a block, no message is stored. The locks have the common order:
# pairs, limits, counters, and those of each kind one order too.
@maybe(
    f"""
    with call as (
        select *
        from unnest((select :user::uuid[]), (select :other::uuid[]), (select :id::uuid[]),
                    (select :text::text[]), (select :data::text[]), (select :most::integer[]))
             with ordinality as call (sender, other, id, text, data, most, n)
    ), known as materialized (
        select call.*, p.number as pair, p.friends is not null as friends,
               p.lesser_blocks is not null or p.greater_blocks is not null as blocked,
               exists (
                   select from messages m
                   where m.pair = p.number and m.sender = call.sender and m.id = call.id
               ) as repeated
        from call join users u on u.id = call.other left join pairs p on {_PAIR}
    ), allowed as materialized (
        select k.*, {taken(MESSAGES, "k.sender", "k.most")} as wait
        from (
            select * from known where friends and not (blocked or repeated)
            order by sender, n
            offset 0
        ) k
    ), notified as materialized (
        select s.n, t.*
        from (select * from allowed where wait = 0 order by other, n offset 0) s
        cross join lateral notify_user(s.other, 'FriendMessage', s.data) t
    ), stored as (
        insert into messages (pair, sender, id, text, notified)
        select a.pair, a.sender, a.id, a.text, coalesce(t.seq, 0)
        from allowed a join notified t using (n) order by n
        returning pair, sender, id, number
    ), sent as materialized (
        select a.n, a.pair, a.sender, a.other, s.number
        from allowed a join stored s using (pair, sender, id)
    ), newest as (
        insert into conversations (pair, lesser, greater, newest)
        select pair, least(sender, other), greatest(sender, other), max(number)
        from sent group by 1, 2, 3
        on conflict (pair) do update set newest = excluded.newest
    )
    select n, k.repeated, k.blocked, a.wait, s.number, t.seq, t.id, t.created, t.previous
    from known k left join allowed a using (n) left join sent s using (n)
    left join notified t using (n)
    """,
    batch=Batch(("other",), once=("user", "other", "id")),
    first=f"""
    select from unnest((select :user::uuid[]), (select :other::uuid[])) as call (sender, other)
    join pairs p on {_PAIR}
    order by p.lesser, p.greater
    for no key update of p
    """,
)
async def _send(
    db: Db, user: str, other: str, id: str, text: str, data: str, most: int
) -> _Row | None:
    """`send`, of several messages at once. None if there is no such other user."""


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
               m.unsent or m.withheld as removed, {USER} as profile
        from (
            {_side("lesser", "greater")} union all {_side("greater", "lesser")}
            order by newest desc limit :limit
        ) c
        join messages m on m.pair = c.pair and m.number = c.newest
        join users u on u.id = c.other
        """,
        """number, id, username, avatar, emblem, profile, message as id, sender, text, created,
           removed""",
        "number desc",
    )
)
async def conversations(
    db: Db, user: str, before: int | None, limit: int, bytes: int
) -> list[Numbered[Conversation]]:
    """The user's conversations, those with the newest messages first: at most `limit`, and no more
    once the profiles have this many `bytes`."""
