"""Guests: users whom a secret of their client makes and logs in (accounts#guests).

The secret is locked last: after the user, and after sessions and their tokens.
"""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, maybe, none, one
from contentsvc.store.rate_limits import HOUR


class Known(NamedTuple):
    """The user of a secret, and whether it is a guest still."""

    user: str
    guest: bool


class Account(NamedTuple):
    """An account that a guest may be, or have become."""

    id: str
    username: str
    email: str | None
    guest: bool


class Idle(NamedTuple):
    """A guest who is not kept, and when it was seen, as Postgres writes it."""

    user: str
    seen: str


FIRST: Final = "-infinity"
"""Before any guest was seen."""
_HASH: Final = "decode(:secret, 'hex')"
_OLD: Final = f"make_interval(days => :days) + interval '{HOUR} seconds'"
"""How long ago a guest was seen who is not kept. When one was seen is known to the hour."""
_LOCK: Final = 0x6964656775657374
"""The advisory lock's number: the letters "ideguest"."""
_SHOWN: Final = "exists (select from contents c where c.author_id = g.user_id and not c.deleted)"


@maybe(f"""
    select u.id as "user", u.guest
    from guest_secrets g join users u on u.id = g.user_id
    where g.hash = {_HASH}
    for share of u
""")
async def lock_known(tx: Db, secret: str) -> Known | None:
    """The user of a secret, given as its SHA-256 in hex, who is locked: a ban, and what makes a
    guest a full account, wait until the transaction ends."""


@one(f"""
    with made as (insert into users (username, guest) values (:username, true) returning id)
    insert into guest_secrets (hash, user_id) select {_HASH}, id from made
    returning user_id
""")
async def make(tx: Db, username: str, secret: str) -> str:
    """Make a guest of this name. Raises Refused `users_username` if the name is taken,
    `guest_secrets_hash` if another request has just made the guest."""


@none(f"""
    update guest_secrets set seen = clock_timestamp()
    where user_id = :user and seen < clock_timestamp() - interval '{HOUR} seconds'
""")
async def see(tx: Db, user: str) -> None:
    """Note that a guest logs in, or renews a log-in."""


@found("select from users where id = :user and guest")
async def is_guest(db: Db, user: str) -> bool:
    """Whether the user is a guest. False if there is no such user."""


@maybe("select id, username, email, guest from users where id = :user")
async def account(db: Db, user: str) -> Account | None:
    """The account of a user."""


@none("""
    with ended as (update guest_secrets set seen = null where user_id = :user)
    update users set guest = false, username = :username, email = :email, email_since = now(),
                     email_confirmed = false, password_hash = :password_hash
    where id = :user
""")
async def register(tx: Db, user: str, username: str, email: str, password_hash: str) -> None:
    """Make a guest, who is locked, a full account. The secret is no guest's any more.

    Raises Refused `users_username` or `users_email` if it is taken."""


@found("select from users where id = :user and guest for update")
async def lock(tx: Db, user: str) -> bool:
    """Lock a user. False if that is no guest."""


@found("""
    with made as (
        insert into identities (user_id, issuer, subject, linked, made)
        values (:user, :issuer, :subject, clock_timestamp(), true)
        on conflict (issuer, subject) do nothing
        returning user_id
    ), ended as (
        update guest_secrets set seen = null where user_id = (select user_id from made)
    )
    update users set guest = false, username = :username
    where id = (select user_id from made)
    returning true
""")
async def join(tx: Db, user: str, username: str, issuer: str, subject: str) -> bool:
    """Make a guest, who is locked, a full account to which this account elsewhere is linked, as if
    it had made the user. False if that is linked already. Raises Refused `users_username` if the
    name is taken."""


@maybe(f"""
    with turn as materialized (
        select clock_timestamp() - ({_OLD}) as oldest where pg_try_advisory_xact_lock({_LOCK})
    )
    select g.user_id as "user", g.seen::text from guest_secrets g
    where g.seen < (select oldest from turn) and g.seen >= :since::timestamptz and not {_SHOWN}
    order by g.seen limit 1
""")
async def idle(tx: Db, days: int, since: str) -> Idle | None:
    """The guest who was seen longest ago, so many days ago but not before `since`, and of whom
    there is no content that is not withdrawn. None if there is none, or another process looks for
    one."""


@found(f"""
    select from guest_secrets g
    where g.user_id = :user and g.seen < clock_timestamp() - ({_OLD}) and not {_SHOWN}
""")
async def is_idle(tx: Db, user: str, days: int) -> bool:
    """Whether a user, who is locked, is one of them."""
