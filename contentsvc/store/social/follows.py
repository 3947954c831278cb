"""Followers and following: social#following."""

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.query import Db, found, many, one
from contentsvc.store.fragments import BEFORE, USER, Numbered, state, within
from contentsvc.store.rate_limits import FOLLOWS, taken
from contentsvc.store.social.pairs import THEIRS, RequestOutcome, may_notify
from contentsvc.wire.accounts import UserInfo

_PAGE = within(
    """
        select f.number, {columns} as profile
        from follows f join users u on u.id = f.{other}
        where f.{user} = :user and f.number < {before}
        order by f.number desc limit :limit
    """,
    "number, id, username, avatar, emblem, profile",
    "number desc",
)
_STATE = """
    select {state}
    from follows f join users u on u.id = f.{other}
    where f.{user} = :user and f.number < {before}
"""
_COLUMNS = {"before": BEFORE, "columns": USER, "state": state(f"row(f.number, {USER})")}
_FOLLOWERS = {"user": "followed", "other": "follower", **_COLUMNS}
_FOLLOWING = {"user": "follower", "other": "followed", **_COLUMNS}


@many(_PAGE.format(**_FOLLOWERS))
async def followers(
    db: Db, user: str, before: int | None, limit: int, bytes: int
) -> list[Numbered[UserInfo]]:
    """The user's followers, newest first: at most `limit`, and no more once the profiles have this
    many `bytes`."""


@one(_STATE.format(**_FOLLOWERS), lane=WHOLE)
async def followers_state(db: Db, user: str, before: int | None) -> str:
    """A value that changes whenever anything in that list does."""


@many(_PAGE.format(**_FOLLOWING))
async def following(
    db: Db, user: str, before: int | None, limit: int, bytes: int
) -> list[Numbered[UserInfo]]:
    """The users whom the user follows, likewise."""


@one(_STATE.format(**_FOLLOWING), lane=WHOLE)
async def following_state(db: Db, user: str, before: int | None) -> str:
    """A value that changes whenever anything in that list does."""


@one(f"""
    with allowed as materialized (
        select case when exists (
                   select from follows where follower = :user and followed = :other
               ) then 0 else {taken(FOLLOWS, ":user::uuid")} end as wait
    ), made as (
        insert into follows (follower, followed) select :user, :other from allowed where wait = 0
        on conflict do nothing
        returning follower
    ), notified as (
        update pairs
        set lesser_followed = case when lesser = follower then clock_timestamp()
                              else lesser_followed end,
            greater_followed = case when greater = follower then clock_timestamp()
                               else greater_followed end
        from made
        where {THEIRS} and {
    may_notify(
        "case when lesser = follower then lesser_followed else greater_followed end",
        "NewFollower",
    )
}
        returning true
    )
    select wait, exists (select from notified) as notified from allowed
""")
async def follow(tx: Db, user: str, other: str, most: int) -> RequestOutcome:
    """Follow another user, where the row of the two is locked. A new follow counts for the user's
    limit of `most` FOLLOWS, 0 for any number, also if it is taken back.

    Raises Refused `follows_followed` if there is no such other user.
    """


@found("""
    with gone as (delete from follows where follower = :user and followed = :other)
    select from users where id = :other
""")
async def unfollow(db: Db, user: str, other: str) -> bool:
    """Stop following. False if there is no such other user."""
