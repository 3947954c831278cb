"""Friends, requests for friendship, and blocks (social#friends).

The writes are about two users whose row is locked: contentsvc.store.social.pairs.
"""

from contentsvc.framework.db.json_text import json_object
from contentsvc.framework.db.query import Db, none, one
from contentsvc.store.fragments import BEFORE, USER, USER_JSON, JsonPart, json_part
from contentsvc.store.rate_limits import FRIEND_REQUESTS, taken
from contentsvc.store.social.pairs import THEIRS, RequestOutcome, may_notify
from contentsvc.wire.social import BlockedUser, Friend, PendingRequest

_NOT_REQUESTED = "requested = null, requested_since = null, requester = null"
_STRANGERS = f"friends = null, friends_since = null, {_NOT_REQUESTED}"


@one(f"""
    with allowed as materialized (
        select {taken(FRIEND_REQUESTS, ":user::uuid")} as wait
    ), due as materialized (
        select {may_notify("asked", "FriendRequest")} as due from pair_sides
        where user_id = :user and other_id = :other
    ), asked as (
        update pairs
        set requested = nextval('pair_numbers'), requested_since = clock_timestamp(),
            requester = :user,
            lesser_asked = case when due and lesser = :user then clock_timestamp()
                           else lesser_asked end,
            greater_asked = case when due and greater = :user then clock_timestamp()
                            else greater_asked end
        from allowed, due
        where wait = 0 and {THEIRS}
    )
    select wait, wait = 0 and due as notified from allowed, due
""")
async def ask(tx: Db, user: str, other: str, most: int) -> RequestOutcome:
    """Ask another user, between whom and the user there is nothing, for friendship. It counts for
    the user's limit of `most` FRIEND_REQUESTS, 0 for any number."""


@none(f"""
    update pairs
    set friends = nextval('pair_numbers'), friends_since = clock_timestamp(), {_NOT_REQUESTED}
    where {THEIRS}
""")
async def confirm(tx: Db, user: str, other: str) -> None:
    """Make two users friends, of whom one has asked the other."""


@none(f"""
    update pairs set {_STRANGERS}
    where {THEIRS} and (friends is not null or requested is not null)
""")
async def end(tx: Db, user: str, other: str) -> None:
    """End a friendship, or a request for it, whoever made it."""


@none(f"""
    with gone as (
        delete from follows
        where (follower, followed) in ((:user::uuid, :other::uuid), (:other::uuid, :user::uuid))
    )
    update pairs
    set {_STRANGERS},
        lesser_blocks = case when lesser = :user
            then coalesce(lesser_blocks, nextval('pair_numbers')) else lesser_blocks end,
        lesser_blocks_since = case when lesser = :user
            then coalesce(lesser_blocks_since, clock_timestamp()) else lesser_blocks_since end,
        greater_blocks = case when greater = :user
            then coalesce(greater_blocks, nextval('pair_numbers')) else greater_blocks end,
        greater_blocks_since = case when greater = :user
            then coalesce(greater_blocks_since, clock_timestamp()) else greater_blocks_since end
    where {THEIRS}
""")
async def block(tx: Db, user: str, other: str) -> None:
    """Let the user block another: from then on there is no friendship, request or following
    between them."""


@none(f"""
    update pairs
    set lesser_blocks = case when lesser <> :user then lesser_blocks end,
        lesser_blocks_since = case when lesser <> :user then lesser_blocks_since end,
        greater_blocks = case when greater <> :user then greater_blocks end,
        greater_blocks_since = case when greater <> :user then greater_blocks_since end
    where {THEIRS}
""")
async def unblock(tx: Db, user: str, other: str) -> None:
    """Take back the user's block of another."""


_FRIEND = json_object(Friend, {"user": USER_JSON, "since": "since"})
_BLOCKED_USER = json_object(BlockedUser, {"user": USER_JSON, "since": "since"})
_REQUEST = json_object(
    PendingRequest,
    {"user": USER_JSON, "direction": "direction", "created": "created"},
    unescaped=("direction",),
)


def _since(number: str, item: str) -> str:
    page = f"""
        select p.{number} as number, unix(p.{number}_since) as since, {USER} as profile
        from pair_sides p join users u on u.id = p.other_id
        where p.user_id = :user and p.{number} < {BEFORE}
        order by p.{number} desc limit :limit
    """
    return json_part(page, item)


@one(_since("friends", _FRIEND))
async def friends(db: Db, user: str, before: int | None, limit: int, bytes: int) -> JsonPart:
    """The user's friends, a list of Friend, the newest first: at most `limit`, and no more once the
    profiles have this many `bytes`."""


@one(_since("blocks", _BLOCKED_USER))
async def blocked(db: Db, user: str, before: int | None, limit: int, bytes: int) -> JsonPart:
    """The users whom the user blocks, a list of BlockedUser, likewise."""


@one(
    json_part(
        f"""
        select p.requested as number,
               case when p.requester = p.user_id then 'outgoing' else 'incoming' end as direction,
               unix(p.requested_since) as created, {USER} as profile
        from pair_sides p join users u on u.id = p.other_id
        where p.user_id = :user and p.requested < {BEFORE}
          and (not :incoming::boolean or p.requester <> p.user_id)
        order by p.requested desc limit :limit
        """,
        _REQUEST,
    )
)
async def requests(
    db: Db, user: str, incoming: bool, before: int | None, limit: int, bytes: int
) -> JsonPart:
    """The requests for friendship that the user has got, and, unless only the `incoming` are
    wanted, those that the user has made, a list of PendingRequest, likewise."""


@one(
    json_part(
        f"""
        select p.requested as number, 'outgoing' as direction,
               unix(p.requested_since) as created, {USER} as profile
        from pairs p
        join users u on u.id = case when p.lesser = :user then p.greater else p.lesser end
        where p.requester = :user and p.requested < {BEFORE}
        order by p.requested desc limit :limit
        """,
        _REQUEST,
    )
)
async def outgoing(db: Db, user: str, before: int | None, limit: int, bytes: int) -> JsonPart:
    """The requests for friendship that the user has made, likewise."""
