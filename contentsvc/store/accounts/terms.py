"""Which version of the terms a user has accepted (notices#terms)."""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, found, maybe


class State(NamedTuple):
    """Whether a user has accepted a version, and whether they are of the `staff`: no player."""

    accepted: bool
    staff: bool


@found("""
    update users set
        terms_accepted = case when terms = :version then terms_accepted else clock_timestamp() end,
        terms = :version
    where id = :user
    returning true
""")
async def accept(db: Db, user: str, version: str) -> bool:
    """Note that a user accepts a version of the terms, now, or has done it. False if there is no
    such user."""


@maybe("""
    select terms is not distinct from :version::text as accepted, role <> 'player' as staff
    from users where id = :user
""")
async def state(db: Db, user: str, version: str) -> State | None:
    """What is known of a user and a version. None if there is no such user."""
