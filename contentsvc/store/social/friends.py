"""Friends, requests for friendship, and blocks (social#friends).

The writes are about two users whose row is locked: contentsvc.store.social.pairs.
"""

from contentsvc.framework.db.query import Db, many, none, one
from contentsvc.store.fragments import BEFORE, USER, Numbered, within
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


_PROFILE = "id, username, avatar, emblem, profile"


def _since(number: str) -> str:
    page = f"""
        select p.{number} as number, {USER} as profile, unix(p.{number}_since) as since
        from pair_sides p join users u on u.id = p.other_id
        where p.user_id = :user and p.{number} < {BEFORE}
        order by p.{number} desc limit :limit
    """
    return within(page, f"number, {_PROFILE}, since", "number desc")


@many(_since("friends"))
async def friends(
    db: Db, user: str, before: int | None, limit: int, bytes: int
) -> list[Numbered[Friend]]:
    """The user's friends, the newest first: at most `limit`, and no more once the profiles have
    this many `bytes`."""


@many(_since("blocks"))
async def blocked(
    db: Db, user: str, before: int | None, limit: int, bytes: int
) -> list[Numbered[BlockedUser]]:
    """The users whom the user blocks, likewise."""


_REQUEST = f"number, {_PROFILE}, direction, created"


@many(
    within(
        f"""
        select p.requested as number, {USER} as profile,
               case when p.requester = p.user_id then 'outgoing' else 'incoming' end as direction,
               unix(p.requested_since) as created
        from pair_sides p join users u on u.id = p.other_id
        where p.user_id = :user and p.requested < {BEFORE}
          and (not :incoming::boolean or p.requester <> p.user_id)
        order by p.requested desc limit :limit
        """,
        _REQUEST,
        "number desc",
    )
)
async def requests(
    db: Db, user: str, incoming: bool, before: int | None, limit: int, bytes: int
) -> list[Numbered[PendingRequest]]:
    """The requests for friendship that the user has got, and, unless only the `incoming` are
    wanted, those that the user has made, likewise."""


@many(
    within(
        f"""
        select p.requested as number, {USER} as profile, 'outgoing' as direction,
               unix(p.requested_since) as created
        from pairs p
        join users u on u.id = case when p.lesser = :user then p.greater else p.lesser end
        where p.requester = :user and p.requested < {BEFORE}
        order by p.requested desc limit :limit
        """,
        _REQUEST,
        "number desc",
    )
)
async def outgoing(
    db: Db, user: str, before: int | None, limit: int, bytes: int
) -> list[Numbered[PendingRequest]]:
    """The requests for friendship that the user has made, likewise."""
