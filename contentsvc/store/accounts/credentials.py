"""What a user logs in with: name, address and password."""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, found, maybe, none, one


class Credentials(NamedTuple):
    """The data against which a log-in is checked. An account that the studio's own log-in made has
    no password at first."""

    id: str
    password_hash: str | None
    role: str


@one("""
    insert into users (username, email, password_hash, role)
    values (:username, :email, :password_hash, :role)
    returning id
""")
async def register(db: Db, username: str, email: str, password_hash: str, role: str) -> str:
    """Make a user. Raises Refused `users_username` or `users_email` if it is taken."""


@maybe("""
    select id, password_hash, role from users
    where username_key = lower(:name collate "C") or email_key = lower(:name collate "C")
    order by username_key = lower(:name collate "C") desc
    limit 1
""")
async def by_name(db: Db, name: str) -> Credentials | None:
    """Find an account by username or e-mail."""


@maybe("select id, password_hash, role from users where id = :user")
async def by_id(db: Db, user: str) -> Credentials | None:
    """Find an account by the user's id."""


@found("""
    update users set password_hash = :new
    where id = :user and password_hash is not distinct from :current
    returning true
""")
async def set_password(db: Db, user: str, current: str | None, new: str) -> bool:
    """Replace the password's hash. False if the hash has changed meanwhile."""


class Named(NamedTuple):
    """A user who is locked: the name, the role, whether a new name differs in its case alone, and
    whether somebody else has it."""

    username: str
    role: str
    same: bool
    taken: bool


@maybe("""
    select username, role, username_key = lower(:username collate "C") as same,
           exists (
               select from users o
               where o.username_key = lower(:username collate "C") and o.id <> :user
           ) as taken
    from users where id = :user
    for update of users
""")
async def lock_for_username(tx: Db, user: str, username: str) -> Named | None:
    """Lock the user, who is to have this name. None if there is no such user."""


@none("""
    with kept as (
        insert into former_names (user_id, name, username)
        select id, sha256(convert_to(username_key, 'UTF8')), username from users
        where id = :user and username_key <> lower(:username collate "C")
    )
    update users set username = :username where id = :user
""")
async def rename(tx: Db, user: str, username: str) -> None:
    """Give a user, who is locked, this name, and reserve the old one. Raises Refused
    `users_username` if the name is taken or reserved."""
