"""Banned accounts."""

from typing import NamedTuple

from contentsvc.db.query import Db, found, maybe, none


class Ban(NamedTuple):
    """Why, and until when in Unix seconds; None is for ever."""

    reason: str
    until: int | None


@found("select from users where id = :user for update")
async def hold(db: Db, user: str) -> bool:
    """Lock the user, so that a log-in under way ends before the ban, or sees it; False where there
    is none."""


@none("""
    insert into bans (user_id, reason, until)
    values (:user, :reason, to_timestamp(:until::bigint))
    on conflict (user_id) do update set reason = excluded.reason, until = excluded.until
""")
async def put(db: Db, user: str, reason: str, until: int | None) -> None:
    """Ban, or change the reason and end of a ban; `until` in Unix seconds."""


@found("""
    with lifted as (delete from bans where user_id = :user)
    select from users where id = :user
""")
async def lift(db: Db, user: str) -> bool:
    """End a ban, if there is one; False where there is no such user."""


@maybe("""
    select reason, unix(until) as until from bans
    where user_id = :user and (until is null or until > now())
""")
async def of_user(db: Db, user: str) -> Ban | None:
    """The ban in force."""
