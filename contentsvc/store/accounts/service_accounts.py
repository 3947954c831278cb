"""Service accounts, their secrets, and what has ended of theirs (studio#service-accounts).

A secret's tokens name its grant. To end them is to note that grant as ended, and to give the secret
another one.
"""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, none, one
from contentsvc.store.fragments import BEFORE

MOST_SECRETS: Final = 2
"""Of an account: the one in use, and the next."""


class AccountState(NamedTuple):
    """What an account is now. `expires` is in Unix seconds."""

    name: str
    scopes: list[str]
    expires: int | None


class Account(NamedTuple):
    """An account with its secrets: their ids, and when they were made, in this order. `last_used`
    is the start of a day. Times are in Unix seconds."""

    number: int
    id: str
    name: str
    scopes: list[str]
    created: int
    expires: int | None
    last_used: int | None
    secrets: list[str]
    made: list[int]


class Grant(NamedTuple):
    """What a secret gives: tokens that name this grant, with scopes of the account, until it
    expires, in Unix seconds."""

    grant: str
    scopes: list[str]
    expires: int | None


@none("select pg_advisory_xact_lock(hashtext('service_accounts'), 0)")
async def lock_all(tx: Db) -> None:
    """Let nobody else make an account until the transaction ends."""


@maybe("select name, scopes, expires from service_accounts where id = :id for update")
async def lock(tx: Db, id: str) -> AccountState | None:
    """Lock an account. None if there is none."""


@found("select from users where id = :id")
async def is_user(tx: Db, id: str) -> bool:
    """Whether a user has this id."""


@none("""
    insert into service_accounts (id, name, name_key, scopes, expires)
    values (:id, :name, :key, :scopes, :expires::bigint)
""")
async def insert(
    tx: Db, id: str, name: str, key: str, scopes: list[str], expires: int | None
) -> None:
    """Make an account. `key` is the name as it is unique. Raises Refused
    `service_accounts_name`."""


@none("""
    update service_accounts
    set name = :name, name_key = :key, scopes = :scopes, expires = :expires::bigint
    where id = :id
""")
async def replace(
    tx: Db, id: str, name: str, key: str, scopes: list[str], expires: int | None
) -> None:
    """Change an account that is locked. Raises as `insert` does."""


@many("""
    with old as (
        select id, grant_id from service_secrets where account_id = :account
    ), ended as (
        insert into ended_grants (id) select grant_id from old
    ), renewed as (
        update service_secrets s set grant_id = gen_random_uuid() from old where s.id = old.id
    )
    select grant_id from old
""")
async def end_all(tx: Db, account: str) -> list[str]:
    """End all tokens of an account that is locked. Gives the grants that have ended."""


@none("delete from service_accounts where id = :id")
async def delete(tx: Db, id: str) -> None:
    """Delete an account that is locked, and whose tokens have ended, with its secrets."""


_ACCOUNT: Final = """
    select a.number, a.id, a.name, a.scopes, unix(a.created) as created, a.expires,
           unix(a.last_used::timestamp at time zone 'UTC') as last_used, s.secrets, s.made
    from service_accounts a cross join lateral (
        select coalesce(array_agg(s.id::text order by s.created, s.id), '{}') as secrets,
               coalesce(array_agg(unix(s.created) order by s.created, s.id), '{}') as made
        from service_secrets s where s.account_id = a.id
    ) s
"""


@many(f"{_ACCOUNT} where a.number < {BEFORE} order by a.number desc limit :limit")
async def page(db: Db, before: int | None, limit: int) -> list[Account]:
    """Accounts, the newest first."""


@maybe(f"{_ACCOUNT} where a.id = :id")
async def get(db: Db, id: str) -> Account | None:
    """An account. None if there is none."""


@maybe("select name from service_accounts where id = :id")
async def name_of(db: Db, id: str) -> str | None:
    """The name of an account. None if there is none."""


@one("select count(*) from service_secrets where account_id = :account")
async def count_secrets(tx: Db, account: str) -> int:
    """How many secrets a locked account has."""


@one("""
    insert into service_secrets (account_id, hash)
    values (:account, decode(:hash, 'hex')) returning id
""")
async def add_secret(tx: Db, account: str, hash: str) -> str:
    """Store a secret of an account that is locked, as its SHA-256 in hex. Gives its id."""


@maybe("""
    with gone as (
        delete from service_secrets where account_id = :account and id = :secret
        returning grant_id
    ), ended as (
        insert into ended_grants (id) select grant_id from gone
    )
    select grant_id from gone
""")
async def delete_secret(tx: Db, account: str, secret: str) -> str | None:
    """Delete a secret of an account, and end its tokens. Gives the grant that has ended; None if
    the account has no such secret."""


@maybe("""
    with given as (
        select a.id, s.grant_id as "grant", a.scopes, a.expires
        from service_secrets s join service_accounts a on a.id = s.account_id
        where a.id = :account and s.hash = decode(:hash, 'hex')
          and (a.expires is null or a.expires > extract(epoch from clock_timestamp()))
    ), used as (
        -- Once a day.
        update service_accounts a set last_used = (now() at time zone 'UTC')::date
        from given
        where a.id = given.id and a.last_used is distinct from (now() at time zone 'UTC')::date
    )
    select "grant", scopes, expires from given
""")
async def grant(db: Db, account: str, hash: str) -> Grant | None:
    """What a secret, by its SHA-256 in hex, gives, and note that the account is used. None if it is
    not one of this account, or the account has expired."""


@none("insert into ended_grants (id) values (:token) on conflict (id) do nothing")
async def end_token(db: Db, token: str) -> None:
    """End one token, by its id."""
