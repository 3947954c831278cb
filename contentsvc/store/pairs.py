"""Two users: the row that every write about both locks first (extensions §4)."""

from typing import NamedTuple

from contentsvc.db.query import Db, found, none, one


class Pair(NamedTuple):
    """What there is between a user and another, as the user sees it. `sent` and `received` are
    requests for friendship without an answer. `blocked` says that either has blocked the other."""

    friends: bool
    sent: bool
    received: bool
    blocked: bool


@none("select hold_pair(:user, :other)")
async def _hold(db: Db, user: str, other: str) -> None:
    """Lock the row of these two."""


_SIDE = "from pair_sides where user_id = :user and other_id = :other"


@one(f"""
    select friends is not null as friends,
           requester is not distinct from :user as sent,
           requester is not distinct from :other as received,
           blocks is not null or blocked is not null as blocked
    {_SIDE}
""")
async def _seen(db: Db, user: str, other: str) -> Pair:
    """What there is between two users whose row is locked."""


async def hold(tx: Db, user: str, other: str) -> Pair:
    """Lock the row of two different users until the end of the transaction; make it if there is
    none.

    Raises Refused `pairs_lesser` or `pairs_greater` if one of them does not exist.
    """
    await _hold(tx, user, other)
    return await _seen(tx, user, other)


@found(f"select {_SIDE} and (blocks is not null or blocked is not null)")
async def blocked(db: Db, user: str, other: str) -> bool:
    """Whether either of two users has blocked the other. It locks nothing."""
