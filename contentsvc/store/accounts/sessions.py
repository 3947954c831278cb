"""Sessions and their refresh tokens."""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, found, many, maybe, none
from contentsvc.wire.accounts import CLIENT, IN_GAME, Session, SessionKind

LATELY = 3600
"""Seconds for which the end of a session matters to a process that missed it: more than the life of
an access token."""
IN_GAME_LIFETIME: Final = 12 * 3600
"""Seconds for which a session goes on that began with a portal code, at most."""
_LONGEST: Final = f"interval '{IN_GAME_LIFETIME} seconds'"

# The session that has asked for the code with which one of `sessions s` began, and the seconds for
# which this goes on: no longer than that one. Without a row it is over.
_ASKED = f"""
    select c.session_id as asked_by, floor(extract(epoch from least(
        s.created + {_LONGEST},
        (select max(a.expires) from refresh_tokens a where a.session_id = c.session_id)
    ) - now()))::integer as seconds
    from portal_codes c where c.begun = s.id
"""
GOES_ON: Final = f"""(s.revoked is null and case
    when s.kind = '{IN_GAME}' then exists (select from ({_ASKED}) g where g.seconds > 0)
    else exists (select from refresh_tokens t where t.session_id = s.id and t.expires > now())
end)"""
"""Whether one of `sessions s` goes on."""


class Presented(NamedTuple):
    """The meaning of a presented refresh token. `spent_for` is the seconds since it was used, None
    if it was not used. `salt` is that of its successor, in hex. Of a session that began with a
    portal code, `asked_by` is the one that has asked for it, and `left` the seconds for which it
    goes on; they are None of all others."""

    session_id: str
    user_id: str
    role: str
    guest: bool
    live: bool
    spent_for: float | None
    salt: str | None
    asked_by: str | None
    left: int | None


@maybe("""
    select role from users
    where id = :user and password_hash is not distinct from :password_hash
    for share
""")
async def lock_user(db: Db, user: str, password_hash: str | None) -> str | None:
    """Make a ban, a new role or a new password of the user wait until the transaction ends, or wait
    for one. Gives the role; None if this is not the password's hash any more."""


@maybe("""
    with session as (
        insert into sessions (user_id, device, kind)
        select :user, :device, :kind where not exists (
            select from bans where user_id = :user and (until is null or until > now())
        )
        returning id
    ), token as (
        insert into refresh_tokens (hash, session_id, expires)
        select decode(:refresh, 'hex'), id, now() + make_interval(secs => :lifetime) from session
    )
    select id from session
""")
async def begin(
    db: Db,
    user: str,
    refresh: str,
    lifetime: int,
    device: str | None,
    kind: SessionKind,
) -> str | None:
    """Begin a session with its first refresh token, given as its SHA-256 in hex and its lifetime in
    seconds. None if the user is banned."""


# One user's log-ins come one after the other until their transactions end, so that each sees those
# before. Tokens are locked before their sessions, as by those who renew.
@many(
    """
    with ended as materialized (
        select b.id from (
            select s.id, s.used from sessions s
            where s.user_id = :user and s.revoked is null and s.id <> :begun
              and exists (
                  select from refresh_tokens t where t.session_id = s.id and t.expires > now()
              )
            order by s.used desc, s.id offset :most::integer - 1
        ) b
        order by b.used, b.id limit 1000
    ), spent as (
        -- Retention deletes them, and the session with the last of them, a day after this time.
        -- An access token lives for less than two hours.
        update refresh_tokens t set expires = least(t.expires, now() - interval '22 hours')
        where t.session_id = any(array(select id from ended))
        returning t.session_id
    )
    update sessions s set revoked = now()
    where s.id = any(array(select session_id from spent)) and s.revoked is null
    returning s.id
    """,
    first="select pg_advisory_xact_lock(hashtext('sessions'), hashtext(:user::uuid::text))",
)
async def end_oldest(tx: Db, user: str, most: int, begun: str) -> list[str]:
    """End the sessions of a user that were used longest ago, so that the user has no more than
    `most`, with the one that has just `begun`. Gives the ids of those that it ends: 1,000 at most,
    and the next time more."""


@maybe(f"""
    select s.id as session_id, s.user_id, u.role, u.guest,
           s.revoked is null and case
               when s.kind = '{IN_GAME}' then coalesce(g.seconds, 0) > 0 else t.expires > now()
           end as live,
           extract(epoch from now() - t.spent)::float8 as spent_for,
           encode(t.salt, 'hex') as salt, g.asked_by, g.seconds as "left"
    from refresh_tokens t
    join sessions s on s.id = t.session_id
    join users u on u.id = s.user_id
    left join lateral ({_ASKED}) g on s.kind = '{IN_GAME}'
    where t.hash = decode(:refresh, 'hex')
    for update of t
""")
async def presented(db: Db, refresh: str) -> Presented | None:
    """Look a refresh token up and lock it."""


@maybe("select spent is not null from refresh_tokens where hash = decode(:refresh, 'hex')")
async def is_spent(db: Db, refresh: str) -> bool | None:
    """Whether a refresh token has been used. None if there is no such token."""


@none("""
    with spent as (
        update refresh_tokens set spent = coalesce(spent, now()), salt = decode(:salt, 'hex')
        where hash = decode(:refresh, 'hex')
    ), settled as (
        -- Older than any grace period: such a token gets no successor. Retention deletes those that
        -- have expired.
        update refresh_tokens set salt = null
        where session_id = :session and expires >= now() and hash <> decode(:refresh, 'hex')
          and salt is not null and spent < now() - interval '10 minutes'
    ), used as (
        update sessions set used = now(), kind = coalesce(kind, :kind) where id = :session
    )
    insert into refresh_tokens (hash, session_id, expires)
    values (decode(:successor, 'hex'), :session, now() + make_interval(secs => :lifetime))
""")
async def rotate(
    db: Db,
    refresh: str,
    session: str,
    successor: str,
    lifetime: int,
    salt: str,
    kind: SessionKind,
) -> None:
    """Spend a refresh token, and register its successor, which was made with `salt` (in hex). The
    session is of this `kind` if nothing says how it began."""


@found("""
    update sessions set revoked = coalesce(revoked, now()) where id = :session returning true
""")
async def revoke(db: Db, session: str) -> bool:
    """End a session. False if there is none."""


# What has asked for a portal code is locked before what began with it, as by who ends it alone: see
# schema/functions/end_begun.sql.
@many("""
    update sessions set revoked = now() where id = any(array(
        select id from sessions
        where user_id = :user and revoked is null and id is distinct from :spared
          -- With the one that has asked for its portal code, the spared one would end too.
          and id is distinct from (select session_id from portal_codes where begun = :spared)
        order by created, id for no key update
    ))
    returning id
""")
async def revoke_all(db: Db, user: str, spared: str | None) -> list[str]:
    """End all sessions of a user but one, and give their ids."""


@found("""
    update sessions set revoked = coalesce(revoked, now())
    where id = :session and user_id = :user
    returning true
""")
async def revoke_own(db: Db, user: str, session: str) -> bool:
    """End a session of this user. False if the user has no such session."""


@many(f"""
    select s.id, unix(s.created) as created, unix(s.used) as used, s.id = :current as current,
           s.device, coalesce(s.kind, '{CLIENT}') as kind
    from sessions s
    where s.user_id = :user and {GOES_ON}
    order by s.used desc, s.id
""")
async def of_user(db: Db, user: str, current: str) -> list[Session]:
    """The user's open sessions, the most recently used first."""


@maybe("select session_id from refresh_tokens where hash = decode(:refresh, 'hex')")
async def session_of(db: Db, refresh: str) -> str | None:
    """The session of a refresh token."""


@many(f"""
    select id from sessions where revoked > now() - make_interval(secs => :seconds::integer)
    union all
    select id from ended_grants where ended > now() - make_interval(secs => :seconds::integer)
    union all
    -- A session begins before its code expires, by a minute at most.
    select id from sessions where id = any(array(
        select begun from portal_codes
        where expires > now() - {_LONGEST} - make_interval(secs => :seconds::integer)
          and expires <= now() - {_LONGEST} + interval '1 minute'
    )) and created <= now() - {_LONGEST}
""")
async def revoked(db: Db, seconds: int) -> list[str]:
    """The sessions that have ended within the last `seconds` seconds, also by their age, and what
    was of services."""
