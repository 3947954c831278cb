"""What a user logs in with: name, address and password."""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, found, maybe, one


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
