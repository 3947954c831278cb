"""Portal codes, with which a game opens the portal (accounts#portal-codes)."""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, many, maybe, one

LIFETIME: Final = 60
"""Seconds for which a code is good."""


class Asking(NamedTuple):
    """The session that asks for a code: whether it has not been ended, and how it began, if that is
    known."""

    live: bool
    kind: str | None


class Found(NamedTuple):
    """Whose a code is, and of which session."""

    user_id: str
    session_id: str


class Code(NamedTuple):
    """A code: whether it is young enough, whether the session that has asked for it has not been
    ended, and the session that it has begun."""

    fresh: bool
    live: bool
    begun: str | None


@maybe("select revoked is null as live, kind from sessions where id = :session for key share")
async def asking(tx: Db, session: str) -> Asking | None:
    """The session that asks for a code. None if it is there no more."""


@one(f"""
    insert into portal_codes (hash, session_id, expires)
    values (decode(:hash, 'hex'), :session, now() + interval '{LIFETIME} seconds')
    returning unix(expires)
""")
async def put(tx: Db, hash: str, session: str) -> int:
    """Store a code of a session, which is locked, as its SHA-256 in hex. Gives when it expires."""


@maybe("""
    select s.user_id, c.session_id from portal_codes c join sessions s on s.id = c.session_id
    where c.hash = decode(:hash, 'hex')
""")
async def find(db: Db, hash: str) -> Found | None:
    """Whose a code is."""


@maybe(
    """
    select c.expires > now() as fresh, s.revoked is null as live, c.begun
    from portal_codes c join sessions s on s.id = c.session_id
    where c.hash = decode(:hash, 'hex') and c.session_id = :session
    """,
    first="select from sessions where id = :session for no key update",
)
async def lock(tx: Db, hash: str, session: str) -> Code | None:
    """Lock the session that has asked for a code, and look at the code: the codes of a session are
    used one after the other, and it ends before that or after it."""


@many("""
    with spent as (
        update portal_codes set begun = :begun where hash = decode(:hash, 'hex')
    )
    update sessions set revoked = now() where revoked is null and id = any(array(
        select begun from portal_codes where session_id = :session
    ))
    returning id
""")
async def spend(tx: Db, hash: str, session: str, begun: str) -> list[str]:
    """Note what has begun with a code. Ends what began with an earlier one of the same session, and
    gives its id."""
