"""Users' e-mail addresses: who has one, and who confirms one (accounts#mail).

An address that nobody has confirmed for a week can be taken by another user. Then the account that
had it has none. An operator who deletes a user can reserve the address for 30 days.
"""

from typing import Final

from contentsvc.framework.db.query import Db, found, many, none

KEPT: Final = 7
"""Days for which an address that nobody confirms stays with its account."""

_LAPSED = f"not email_confirmed and email_since <= now() - interval '{KEPT} days'"
_SAME = 'email_key = lower(:email collate "C")'


@none(f"update users set email = null where {_SAME} and {_LAPSED}")
async def free(db: Db, email: str) -> None:
    """Take an address from an account that has not confirmed it in time."""


_OF_DELETED = """email = sha256(convert_to(lower(:email collate "C"), 'UTF8'))"""


@found(f"""
    select from users where {_SAME} and id <> :user and not ({_LAPSED})
    union all
    select from departures
    where {_OF_DELETED} and departed > clock_timestamp() - interval '30 days'
""")
async def taken(db: Db, user: str, email: str) -> bool:
    """Whether another user has this address, or it is reserved for one whom an operator has
    deleted."""


@none(f"update departures set email = null where {_OF_DELETED}")
async def release(db: Db, email: str) -> None:
    """Take an address from the users whom an operator has deleted."""


@many(f"select id from users where id = :user or {_SAME} order by id for update")
async def lock(db: Db, user: str, email: str) -> list[str]:
    """Lock the accounts of a user, and of whoever has an address, until the transaction ends."""


@found(f"""
    update users set email_confirmed = true where id = :user and {_SAME}
    returning true
""")
async def confirm(db: Db, user: str, email: str) -> bool:
    """Note that a user gets mail at this address. False if it is not the account's any more."""


@none(f"""
    update users set email = :email, email_confirmed = true,
                     email_since = case when {_SAME} then email_since else now() end
    where id = :user
""")
async def change(db: Db, user: str, email: str) -> None:
    """Give a user this address, which is confirmed. Raises Refused `users_email` if it is taken."""


@none(f"""
    update users set email = :email, email_confirmed = email_confirmed and {_SAME},
                     email_since = case when {_SAME} then email_since else now() end
    where id = :user
""")
async def replace(db: Db, user: str, email: str) -> None:
    """Give a user this address, which is not confirmed if it is another one. Raises Refused
    `users_email` if it is taken."""


@found(f"""
    update users set password_hash = :new, email_confirmed = true where id = :user and {_SAME}
    returning true
""")
async def reset(db: Db, user: str, email: str, new: str) -> bool:
    """Give a user who gets mail at this address the hash of a new password. False if it is not the
    account's any more."""


@none("update users set email_confirmed = true where id = :user")
async def vouch(db: Db, user: str) -> None:
    """Note that an operator knows the address to be the user's."""
