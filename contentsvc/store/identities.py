"""Accounts elsewhere, with which users log in (extensions §8)."""

from typing import NamedTuple

from contentsvc.db.query import Db, many, maybe, none, one
from contentsvc.store.fragments import BEFORE
from contentsvc.wire.identities import Identity


class Owner(NamedTuple):
    """The user to whom an account elsewhere is linked."""

    user: str
    admin: bool


class Numbered(NamedTuple):
    """An account elsewhere. `number` is its place in a list by age."""

    number: int
    identity: Identity


class Ways(NamedTuple):
    """The ways of a user to log in: with a password, with this account elsewhere, with others."""

    password: bool
    this: bool
    others: bool


@maybe("select user_id from identities where issuer = :issuer and subject = :subject")
async def owner(db: Db, issuer: str, subject: str) -> str | None:
    """The user to whom this account elsewhere is linked."""


@maybe("""
    select u.id as "user", u.admin
    from identities i join users u on u.id = i.user_id
    where i.issuer = :issuer and i.subject = :subject
    for share of u
""")
async def hold(db: Db, issuer: str, subject: str) -> Owner | None:
    """The user to whom this account elsewhere is linked. A ban of the user waits until the
    transaction ends."""


@one("""
    with joined as (insert into users (username) values (:username) returning id)
    insert into identities (user_id, issuer, subject)
    select id, :issuer, :subject from joined
    returning user_id
""")
async def join(db: Db, username: str, issuer: str, subject: str) -> str:
    """Make a user without address and password, to whom this account elsewhere is linked. Raises
    Refused `users_username` if the name is taken, `identities_subject` if the account is linked."""


@one("""
    insert into identities as i (user_id, issuer, subject) values (:user, :issuer, :subject)
    -- An update that changes nothing gives the row that is there, also if it came just now.
    on conflict (issuer, subject) do update set user_id = i.user_id
    returning user_id
""")
async def link(db: Db, user: str, issuer: str, subject: str) -> str:
    """Link this account elsewhere to the user, if it is not linked. Gives whose it is. Raises
    Refused `identities_user` if there is no such user."""


@many(f"""
    select number, id, issuer, subject, unix(linked) as linked from identities
    where user_id = :user and number < {BEFORE}
    order by number desc limit :limit
""")
async def of_user(db: Db, user: str, before: int | None, limit: int) -> list[Numbered]:
    """The accounts elsewhere that are linked to a user, the newest first."""


@maybe("""
    select password_hash is not null as password,
           exists (select from identities where user_id = :user and id = :identity) as this,
           exists (select from identities where user_id = :user and id <> :identity) as others
    from users where id = :user
""")
async def ways(db: Db, user: str, identity: str) -> Ways | None:
    """How the user can log in. None if there is no such user."""


@none("delete from identities where id = :identity and user_id = :user")
async def unlink(db: Db, user: str, identity: str) -> None:
    """Take the link of this account elsewhere to the user away."""


@none("delete from identities where user_id = :user")
async def unlink_all(db: Db, user: str) -> None:
    """Take the links of all accounts elsewhere to the user away."""
