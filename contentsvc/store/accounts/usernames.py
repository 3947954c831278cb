"""Users change their names: accounts#names.

The old name stays the user's for 30 days: nobody else gets it. A trigger refuses it to others
(schema/functions/leave.sql), whoever gives them the name.
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, maybe, none


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
async def hold(tx: Db, user: str, username: str) -> Named | None:
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
