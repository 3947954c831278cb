"""Accounts as moderators see them (moderation#accounts)."""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, many, maybe
from contentsvc.store.accounts.sessions import GOES_ON
from contentsvc.store.content.comments import COMMENT
from contentsvc.store.fragments import BEFORE, USER, Numbered
from contentsvc.store.moderation.bans import IN_FORCE
from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.moderation import UserComment


class Account(NamedTuple):
    """An account. `sessions` are those that have not ended. `reason` and `until` are of its ban:
    without `reason` there is none. Times are in Unix seconds."""

    email: str
    email_verified: bool
    role: str
    guest: bool
    created: int
    sessions: int
    reason: str | None
    until: int | None
    info: UserInfo


_ACCOUNT = f"""
    select coalesce(u.email, '') as email,
           u.email is not null and u.email_confirmed as email_verified,
           u.role, u.guest, unix(u.created) as created,
           (
               select count(*) from sessions s
               where s.user_id = u.id and {GOES_ON}
           ) as sessions,
           b.reason, unix(b.until) as until, {USER} as profile
    from users u left join bans b on b.user_id = u.id and {IN_FORCE}
"""


@maybe(f"{_ACCOUNT} where u.id = :user")
async def of_id(db: Db, user: str) -> Account | None:
    """The account of this user."""


@maybe(f"""{_ACCOUNT} where u.username_key = lower(:name collate "C")""")
async def of_name(db: Db, name: str) -> Account | None:
    """The account with this username, whatever the case."""


@maybe(f"""
    {_ACCOUNT}
    where u.email_key = lower(:email collate "C")
      and (:name::text is null or u.username_key = lower(:name::text collate "C"))
""")
async def of_email(db: Db, email: str, name: str | None) -> Account | None:
    """The account with this address, and this username if one is given, whatever the case."""


@many(f"""
    select m.id as number, m.content_id as content, {COMMENT}
    from users u left join lateral (
        select * from comments where author_id = u.id and id < {BEFORE}
        order by id desc limit :limit
    ) m on true
    where u.id = :user
    order by m.id desc
""")
async def comments(
    db: Db, user: str, before: int | None, limit: int
) -> list[Numbered[UserComment | None]]:
    """What the user has written, newest first, on any content, with tombstones. No row at all if
    there is no such user."""
