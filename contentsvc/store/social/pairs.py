"""Two users: the row that every write about both locks first (social#friends)."""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, none, one
from contentsvc.store.rate_limits import DAY


class Pair(NamedTuple):
    """What there is between a user and another, as the user sees it. `sent` and `received` are
    requests for friendship without an answer. `blocked` says that either has blocked the other."""

    friends: bool
    sent: bool
    received: bool
    blocked: bool


class RequestOutcome(NamedTuple):
    """What became of a follow or a request: the seconds until there may be one more, 0 if it counts
    now. `notified`: the other user is to be notified."""

    wait: int
    notified: bool


THEIRS: Final = """
    lesser = least(:user::uuid, :other::uuid) and greater = greatest(:user::uuid, :other::uuid)
"""
"""Of `pairs`: the row of the parameters `user` and `other`."""


def row(user: str, other: str) -> str:
    """Names the row of two users: transactions that lock it first take turns by this name."""
    return f"pair {min(user, other)} {max(user, other)}"


def may_notify(notified: str, kind: str) -> str:
    """SQL that says whether `other` is to be notified of a `kind`, which is sent once in 24 hours,
    if they were last `notified` at this moment. Users who have muted the kind are not notified."""
    return f"""(
        seconds_left({notified}, interval '{DAY} seconds') = 0
        and not exists (
            select from notification_counters where user_id = :other and '{kind}' = any(muted)
        )
    )"""


@one(
    """
    select friends is not null as friends,
           requester is not distinct from :user as sent,
           requester is not distinct from :other as received,
           lesser_blocks is not null or greater_blocks is not null as blocked
    from hold_pair(:user, :other)
    """,
    lane="pairs writes",
)
async def lock_or_make(tx: Db, user: str, other: str) -> Pair:
    """Lock the row of two different users until the end of the transaction; make it if there is
    none. Only the statements that follow see all that was committed meanwhile.

    Raises Refused `pairs_lesser` or `pairs_greater` if one of them does not exist. See
    schema/functions/hold_pair.sql.
    """


@found(f"select from pairs where {THEIRS} for no key update")
async def lock(tx: Db, user: str, other: str) -> bool:
    """Lock the row of two users until the end of the transaction, if there is one. False: there is
    none, so there is nothing between them to be undone."""


@none(
    "select pg_advisory_xact_lock(hashtext('pair'), pair_key(:user::uuid, :other::uuid))",
    lane="pairs writes",
)
async def bar(tx: Db, user: str, other: str) -> None:
    """Wait for the transactions that only read the pair of two users: comments and replies take
    this lock shared, in the function pair_blocked. Others wait until the end of this one. The
    pair's row is locked already."""
