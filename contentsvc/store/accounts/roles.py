"""Who has which role (studio#roles). The names of roles are those of contentsvc.roles."""

from contentsvc.framework.db.query import Db, found, many, maybe, none
from contentsvc.store.fragments import USER, Numbered
from contentsvc.store.moderation.bans import IN_FORCE
from contentsvc.wire.moderation import StaffMember


@maybe("select role from users where id = :user for update")
async def lock(tx: Db, user: str) -> str | None:
    """Lock the user, so that a log-in that is running either ends before what follows or sees it.
    Gives the user's role, None if there is no such user."""


@maybe("select role from users where id = :user for share")
async def share(tx: Db, user: str) -> str | None:
    """Lock the user until the transaction ends, and give the role. None if there is no such
    user."""


@none("select pg_advisory_xact_lock(hashtext('admins'), 0)")
async def lock_admins(tx: Db) -> None:
    """Let no other admin lose the role until the transaction ends."""


@none("update users set role = :role where id = :user")
async def put(tx: Db, user: str, role: str) -> None:
    """Give a user, who is locked, a role. See schema/functions/keep_role.sql."""


@found(f"""
    select from users u
    where u.role = 'admin' and not exists (select from bans where user_id = u.id and {IN_FORCE})
    limit 1
""")
async def admin_left(tx: Db) -> bool:
    """Whether there is an admin who is not banned."""


@many(f"""
    select u.role_number as number, {USER} as profile, u.role, unix(u.role_since) as since
    from users u
    where u.role <> 'player' and u.role_number < coalesce(:before::bigint, {2**63 - 1})
    order by u.role_number desc limit :limit
""")
async def staff(db: Db, before: int | None, limit: int) -> list[Numbered[StaffMember]]:
    """All users with a role other than player, newest first."""
