"""Banned accounts."""

from typing import NamedTuple

from contentsvc.db.query import Db, found, maybe, none


class Ban(NamedTuple):
    """The ban in force of a user who exists, and its end in Unix seconds; None means forever.
    Without `reason` there is none."""

    reason: str | None
    until: int | None


@maybe("select admin from users where id = :user for update")
async def hold(db: Db, user: str) -> bool | None:
    """Lock the user, so that a log-in that is running either ends before the ban or sees it. Gives
    whether this is an admin, None if there is no such user."""


@none("select pg_advisory_xact_lock(hashtext('admins'), 0)")
async def hold_admins(tx: Db) -> None:
    """Let no other admin be banned until the transaction ends."""


@found("""
    insert into bans as b (user_id, reason, until)
    values (:user, :reason, to_timestamp(:until::bigint))
    on conflict (user_id) do update set reason = excluded.reason, until = excluded.until
    where (b.reason, b.until) is distinct from (excluded.reason, excluded.until)
    returning true
""")
async def put(db: Db, user: str, reason: str, until: int | None) -> bool:
    """Ban a user who is held, or change the reason and end of a ban. `until` is in Unix seconds.
    False if there is exactly this ban already."""


_IN_FORCE = "(until is null or until > now())"


@found(f"""
    select from users u
    where u.admin and not exists (select from bans where user_id = u.id and {_IN_FORCE})
    limit 1
""")
async def admin_left(tx: Db) -> bool:
    """Whether there is an admin who is not banned."""


@maybe(f"""
    with lifted as (delete from bans where user_id = :user returning {_IN_FORCE} as held)
    select coalesce((select held from lifted), false) from users where id = :user
""")
async def lift(db: Db, user: str) -> bool | None:
    """End a ban. False if none is in force, None if there is no such user."""


@maybe(f"""
    select b.reason, unix(b.until) as until
    from users u left join bans b on b.user_id = u.id and {_IN_FORCE}
    where u.id = :user
""")
async def of_user(db: Db, user: str) -> Ban | None:
    """The ban in force of a user. None if there is no such user."""
