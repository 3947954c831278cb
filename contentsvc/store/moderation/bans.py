"""Banned accounts."""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, found, maybe
from contentsvc.store.events.events import noting


class Ban(NamedTuple):
    """The ban in force of a user who exists, and its end in Unix seconds; None means forever.
    Without `reason` there is none."""

    reason: str | None
    until: int | None


_BANNED = noting(
    "UserBanned",
    ":actor::uuid",
    "user",
    "user_id",
    rows="banned",
    data="json_build_object('until', unix(until))",
)


@found(f"""
    with banned as (
        insert into bans as b (user_id, reason, until)
        values (:user, :reason, to_timestamp(:until::bigint))
        on conflict (user_id) do update set reason = excluded.reason, until = excluded.until
        where (b.reason, b.until) is distinct from (excluded.reason, excluded.until)
        returning user_id, until
    ), noted as ({_BANNED})
    select from banned
""")
async def put(db: Db, actor: str | None, user: str, reason: str, until: int | None) -> bool:
    """Ban a user, who is locked, or change the reason and end of a ban. `until` is in Unix seconds.
    False if there is exactly this ban already."""


IN_FORCE = "(until is null or until > now())"


_LIFTED = noting(
    "BanLifted", ":actor::uuid", "user", "user_id", rows="(select * from lifted where held) l"
)


@maybe(f"""
    with lifted as (delete from bans where user_id = :user returning user_id, {IN_FORCE} as held),
         noted as ({_LIFTED})
    select coalesce((select held from lifted), false) from users where id = :user
""")
async def lift(db: Db, actor: str | None, user: str) -> bool | None:
    """End a ban. False if none is in force, None if there is no such user."""


@maybe(f"""
    select b.reason, unix(b.until) as until
    from users u left join bans b on b.user_id = u.id and {IN_FORCE}
    where u.id = :user
""")
async def of_user(db: Db, user: str) -> Ban | None:
    """The ban in force of a user. None if there is no such user."""
