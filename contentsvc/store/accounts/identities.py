"""Accounts elsewhere, with which users log in (accounts#other-services)."""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.store.fragments import BEFORE, USER, Numbered
from contentsvc.wire.accounts import Identity
from contentsvc.wire.moderation import IdentityOwner

YOUNG: Final = 3
"""Days in which an account elsewhere that was linked is no proof of who the user is."""

# The one that the user was made with was linked in the transaction that made the user.
_FIRST = "(i.made or i.linked = u.created)"
_PROVES = f"({_FIRST} or i.linked <= now() - interval '{YOUNG} days') and u.password_hash is null"
_STAYS = f"(i.kept or {_FIRST})"


def _names(rows: str) -> str:
    """The issuers of these rows, a line each, with how many there are if there are several."""
    return f"""
        select coalesce(string_agg(
            issuer || case when n > 1 then ' (' || n || ')' else '' end, E'\\n' order by issuer
        ), '')
        from (select i.issuer, count(*) as n from {rows} group by i.issuer) issuers
    """


class Owner(NamedTuple):
    """The user to whom an account elsewhere is linked."""

    user: str
    role: str


class Ways(NamedTuple):
    """The ways of a user to log in: with a password, with this account elsewhere, with others."""

    password: bool
    this: bool
    others: bool

    @property
    def last(self) -> bool:
        """Whether this account elsewhere is the only one."""
        return self.this and not (self.password or self.others)


@maybe("select user_id from identities where issuer = :issuer and subject = :subject")
async def owner(db: Db, issuer: str, subject: str) -> str | None:
    """The user to whom this account elsewhere is linked."""


@maybe(f"""
    select {USER} as profile, unix(i.linked) as linked
    from identities i join users u on u.id = i.user_id
    where i.issuer = :issuer and i.subject = :subject
""")
async def owner_of(db: Db, issuer: str, subject: str) -> IdentityOwner | None:
    """The same, as those see it who may find users by it."""


@maybe("""
    select u.id as "user", u.role
    from identities i join users u on u.id = i.user_id
    where i.issuer = :issuer and i.subject = :subject
    for share of u
""")
async def lock_owner(db: Db, issuer: str, subject: str) -> Owner | None:
    """The user to whom this account elsewhere is linked, locked: a ban of the user waits until the
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


@maybe(f"""
    select i.id from identities i join users u on u.id = i.user_id
    where i.issuer = :issuer and i.subject = :subject and i.user_id = :user and {_PROVES}
""")
async def proof(db: Db, user: str, issuer: str, subject: str) -> str | None:
    """The id of this account elsewhere, if it proves who the user, who has no password, is: the
    one that the user was made with at once, another one YOUNG days after it was linked."""


@found(f"""
    select from identities i join users u on u.id = i.user_id
    where i.id = :identity and i.user_id = :user and {_PROVES}
""")
async def proves(db: Db, user: str, identity: str) -> bool:
    """Whether the account elsewhere with this id proves who the user is."""


@found("""
    insert into identities (user_id, issuer, subject, linked)
    values (:user, :issuer, :subject, clock_timestamp())
    on conflict (issuer, subject) do nothing
    returning true
""")
async def link(tx: Db, user: str, issuer: str, subject: str) -> bool:
    """Link this account elsewhere to the user, who is locked. False if it is linked already."""


@many(f"""
    select number, id, issuer, subject, unix(linked) as linked from identities
    where user_id = :user and number < {BEFORE}
    order by number desc limit :limit
""")
async def of_user(db: Db, user: str, before: int | None, limit: int) -> list[Numbered[Identity]]:
    """The accounts elsewhere that are linked to a user, the newest first."""


@maybe("""
    select password_hash is not null as password,
           exists (select from identities where user_id = :user and id = :identity) as this,
           exists (select from identities where user_id = :user and id <> :identity) as others
    from users where id = :user
""")
async def ways(db: Db, user: str, identity: str) -> Ways | None:
    """How the user can log in. None if there is no such user."""


@maybe("delete from identities where id = :identity and user_id = :user returning issuer")
async def unlink(tx: Db, user: str, identity: str) -> str | None:
    """Take the link of this account elsewhere to the user away. Gives its issuer, None if there was
    no such link."""


@one(f"""
    with gone as (
        delete from identities i using users u
        where u.id = :user and i.user_id = u.id and {_STAYS} is not true
        returning i.issuer
    )
    {_names("gone i")}
""")
async def unlink_doubtful(tx: Db, user: str) -> str:
    """Take the links away that somebody may have made who does not get the user's mail. Gives
    their issuers, a line each."""


@none("update identities set kept = :known where user_id = :user and kept is null")
async def keep(tx: Db, user: str, known: bool) -> None:
    """Note that the user, who is locked, has proved to get mail. `known`: not for the first time.
    Then what was linked since the last time stays when the password is reset by mail."""


@one(_names("identities i where i.user_id = :user"))
async def issuers(db: Db, user: str) -> str:
    """The issuers of the accounts elsewhere that are linked to the user, a line each."""


@one(
    _names(f"""
    identities i join users u on u.id = i.user_id where i.user_id = :user and {_STAYS}
""")
)
async def staying(db: Db, user: str) -> str:
    """The issuers of those that stay linked when the password is reset by mail, a line each."""
