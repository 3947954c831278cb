"""Banned accounts."""

from typing import NamedTuple

from contentsvc.db.query import Db, found, maybe, none


class Ban(NamedTuple):
    """The reason, and the end in Unix seconds; None means forever."""

    reason: str
    until: int | None


@found("select from users where id = :user for update")
async def hold(db: Db, user: str) -> bool:
    """Lock the user, so that a log-in that is running either ends before the ban or sees it. False
    if there is no such user."""


@none("""
    insert into bans (user_id, reason, until)
    values (:user, :reason, to_timestamp(:until::bigint))
    on conflict (user_id) do update set reason = excluded.reason, until = excluded.until
""")
async def put(db: Db, user: str, reason: str, until: int | None) -> None:
    """Ban a user, or change the reason and end of a ban. `until` is in Unix seconds."""


@found("""
    with lifted as (delete from bans where user_id = :user)
    select from users where id = :user
""")
async def lift(db: Db, user: str) -> bool:
    """End a ban, if there is one. False if there is no such user."""


@maybe("""
    select reason, unix(until) as until from bans
    where user_id = :user and (until is null or until > now())
""")
async def of_user(db: Db, user: str) -> Ban | None:
    """The ban in force."""
