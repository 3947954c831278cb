"""Accounts: registration and log-in."""

from typing import NamedTuple

from contentsvc.store.query import Db, maybe, none, one


class Credentials(NamedTuple):
    """What a log-in is checked against. `wait` is the seconds until another try is allowed,
    0 if one is now."""

    id: str
    password_hash: str
    admin: bool
    wait: int


@one("""
    insert into users (username, email, password_hash, admin)
    values (:username, :email, :password_hash, :admin)
    returning id
""")
async def register(db: Db, username: str, email: str, password_hash: str, admin: bool) -> str:
    """Make a user. Raises Refused `users_username` or `users_email` where it is taken."""


@maybe("""
    select u.id, u.password_hash, u.admin,
           case when f.failures >= :most and f.since > now() - make_interval(secs => :window)
                then ceil(extract(epoch from f.since - now()) + :window)::integer
                else 0 end as wait
    from users u left join login_failures f on f.user_id = u.id
    where u.username_key = lower(:name collate "C") or u.email_key = lower(:name collate "C")
    order by u.username_key = lower(:name collate "C") desc
    limit 1
""")
async def credentials(db: Db, name: str, most: int, window: int) -> Credentials | None:
    """Find an account by username or e-mail; `most` failures are allowed in `window` s."""


@one("""
    insert into login_failures as f (user_id, failures, since) values (:user, 1, now())
    on conflict (user_id) do update
    set failures = case when f.since > now() - make_interval(secs => :window)
                        then f.failures + 1 else 1 end,
        since = case when f.since > now() - make_interval(secs => :window)
                     then f.since else now() end
    returning case when failures > :most
                   then ceil(extract(epoch from since - now()) + :window)::integer
                   else 0 end as wait
""")
async def failed(db: Db, user: str, most: int, window: int) -> int:
    """Count a failed log-in; a new window of `window` seconds starts when the last is over.

    Gives the seconds to wait where `most` others at the same time have failed before.
    """


@one("""
    with gone as (
        delete from login_failures
        where user_id = :user
          and (failures < :most or since <= now() - make_interval(secs => :window))
    )
    select coalesce(max(ceil(extract(epoch from since - now()) + :window)::integer), 0) as wait
    from login_failures
    where user_id = :user and failures >= :most and since > now() - make_interval(secs => :window)
""")
async def succeeded(db: Db, user: str, most: int, window: int) -> int:
    """Forget the failed log-ins, or give the seconds to wait where `most` at the same time have
    failed before."""


@none("delete from login_failures where user_id = :user")
async def forget_failures(db: Db, user: str) -> None:
    """Let a user log in again at once."""


@maybe("""
    select u.id, u.password_hash, u.admin,
           case when f.failures >= :most and f.since > now() - make_interval(secs => :window)
                then ceil(extract(epoch from f.since - now()) + :window)::integer
                else 0 end as wait
    from users u left join login_failures f on f.user_id = u.id
    where u.id = :user
""")
async def credentials_of(db: Db, user: str, most: int, window: int) -> Credentials | None:
    """The same for a user who is known by id."""


@maybe("""
    update users set password_hash = :new where id = :user and password_hash = :current
    returning true
""")
async def set_password(db: Db, user: str, current: str, new: str) -> bool | None:
    """Replace the password's hash; None where it is another by now."""
