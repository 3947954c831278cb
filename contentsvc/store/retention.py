"""Deletes old data, a batch at a time (notifications#retention).

Any number of processes may ask at once. One of them gets an advisory lock with its statement; the
others have nothing to do. The database's clock decides what is old.

The statements go through the logs user by user, a slice at a time. So the notifications need no
index by age, which would make each insert more expensive.

Neither statement waits for a lock on a log or a token. It skips a row that another transaction has
locked. If it held one lock while it waited for another, it would hold up everybody who wants the
first.
"""

from typing import NamedTuple

from contentsvc.framework.db.query import Db, one
from contentsvc.store.accounts.mails import KEPT
from contentsvc.store.fragments import NIL
from contentsvc.store.rate_limits import DAY

SLICE = 1000
"""Users whose logs one statement checks."""
LOGS, ROWS = 50, 100
"""Users in a batch of notifications, and rows of each user."""
TOKENS = 100
"""Refresh tokens in a batch."""
NOTES = 1000
"""Notes in a batch. A note is what a limit or a rule of one day goes by."""
NAMES_KEPT = 30 * DAY
"""Seconds for which the name of a user who has left stays taken (accounts#accounts)."""
FIRST = NIL
"""The start of a walk over all users."""
_LOCK = 0x72657461696E6564
"""The advisory lock's number: the letters "retained". Each kind of data has a number of its own, so
that no kind waits for another."""


class Step(NamedTuple):
    """The progress of a walk over the users' logs. `ours` is False if another process had the lock.
    `next` is the user to go on with, None at the end. `again` says that there was more to delete
    than a batch holds."""

    ours: bool
    next: str | None
    again: bool
    deleted: int


class Trimmed(NamedTuple):
    """The number of deleted tokens and sessions. If the tokens fill the batch, there may be
    more."""

    tokens: int
    sessions: int


@one(f"""
    with edge as materialized (
        select clock_timestamp() - make_interval(days => :days) as oldest
        where pg_try_advisory_xact_lock({_LOCK})
    ), looked as materialized (
        select c.user_id, c.trimmed from notification_counters c
        where c.user_id >= :start and (select true from edge)
        order by c.user_id limit {SLICE} + 1
    ), due as materialized (
        select l.user_id from looked l cross join lateral (
            select n.created from notifications n
            where n.user_id = l.user_id and n.seq > l.trimmed
            order by n.seq limit 1
        ) first
        where first.created < (select oldest from edge)
        order by l.user_id limit {LOGS} + 1
    ), held as materialized (
        select c.user_id, c.trimmed from notification_counters c
        where c.user_id = any(array(select user_id from due order by user_id limit {LOGS}))
        for update skip locked
    ), reach as materialized (
        -- Up to the first one that is young enough, or up to the size of a batch.
        select held.user_id, held.trimmed, coalesce(young.seq - 1, last.seq, held.trimmed) as upto,
               last.rows = {ROWS} as more
        from held
        left join lateral (
            select f.seq from (
                select n.seq, n.created from notifications n
                where n.user_id = held.user_id and n.seq > held.trimmed
                order by n.seq limit {ROWS}
            ) f
            where f.created >= (select oldest from edge)
            order by f.seq limit 1
        ) young on true
        left join lateral (
            select max(f.seq) as seq, count(*) as rows from (
                select n.seq from notifications n
                where young.seq is null and n.user_id = held.user_id and n.seq > held.trimmed
                order by n.seq limit {ROWS}
            ) f
        ) last on true
    ), there as materialized (
        select n.user_id, n.seq from reach r cross join lateral (
            select n.user_id, n.seq from notifications n
            where n.user_id = r.user_id and n.seq > r.trimmed and n.seq <= r.upto
            offset 0
        ) n
    ), old as materialized (
        select n.user_id, n.seq, n.read from there t cross join lateral (
            select n.user_id, n.seq, n.read from notifications n
            where n.user_id = t.user_id and n.seq = t.seq
            for update skip locked
        ) n
    ), whole as materialized (
        -- Take nothing from a log with a locked row: its numbers would get holes.
        select r.user_id, r.trimmed, r.upto, r.more, o.rows, o.unread
        from reach r
        join (select user_id, count(*) as rows from there group by 1) t using (user_id)
        join (
            select user_id, count(*) as rows, count(*) filter (where not read) as unread
            from old group by 1
        ) o using (user_id)
        where t.rows = o.rows
    ), gone as (
        delete from notifications n using whole w
        where n.user_id = w.user_id and n.seq > w.trimmed and n.seq <= w.upto
    ), moved as (
        update notification_counters c
        set trimmed = w.upto, unread = c.unread - w.unread,
            changes = c.changes + (w.unread > 0)::int
        from whole w where c.user_id = w.user_id
    ), rest as materialized (
        (select user_id from due order by user_id offset {LOGS})
        union all select user_id from whole where more
    )
    select exists (select from edge) as ours,
           (select user_id from (
                select user_id from rest
                union all (select user_id from looked order by user_id offset {SLICE})
            ) following order by user_id limit 1) as next,
           exists (select from rest) as again,
           (select coalesce(sum(rows), 0) from whole)::bigint as deleted
""")
async def trim_notifications(db: Db, days: int, start: str) -> Step:
    """Check the logs of SLICE users, from the user id `start` on. Delete notifications older than
    `days`, read or unread, from the old ends of at most LOGS logs."""


@one(f"""
    with edge as materialized (
        select clock_timestamp() - make_interval(secs => :margin) as oldest
        where pg_try_advisory_xact_lock({_LOCK} + 1)
    ), old as materialized (
        select t.hash, t.session_id from refresh_tokens t
        where t.expires < (select oldest from edge)
        order by t.expires limit {TOKENS}
        for update skip locked
    ), gone as (
        delete from refresh_tokens t where t.hash = any(array(select hash from old))
        returning t.session_id
    ), ended as (
        delete from sessions s where s.id = any(array(select session_id from gone))
        and not exists (
            select from refresh_tokens t
            where t.session_id = s.id and t.hash <> all(array(select hash from old))
        )
        returning 1
    )
    select (select count(*) from old) as tokens, (select count(*) from ended) as sessions
""")
async def trim_sessions(db: Db, margin: int) -> Trimmed:
    """Delete at most TOKENS refresh tokens, spent or not, that expired more than `margin` seconds
    ago. Delete each session with the last of its tokens."""


def _notes(table: str, moment: str, seconds: int = DAY, which: str = "true") -> str:
    """Deletes the oldest notes of a table, of those `which` may go, if the `moment` of each was so
    long ago."""
    return f"""
        with old as materialized (
            select ctid from {table}
            where {moment} < now() - interval '{seconds} seconds' and {which}
            order by {moment} limit {NOTES}
            for update skip locked
        ), gone as (
            delete from {table} where ctid = any(array(select ctid from old))
            returning 1
        )
        select count(*) from gone
    """


@one(_notes("dependency_tellings", "told"))
async def trim_tellings(db: Db) -> int:
    """Delete at most NOTES notes of who was notified that an author withdrew or restored content.
    Gives their number."""


@one(_notes("subscription_tellings", "told"))
async def trim_subscription_tellings(db: Db) -> int:
    """The same of who was notified of a new revision of content that they subscribe to."""


@one(_notes("departures", "departed", NAMES_KEPT, "not pending"))
async def trim_departures(db: Db) -> int:
    """Delete at most NOTES notes of users who have left: their names are free again. Gives their
    number."""


@one(_notes("former_names", "changed", NAMES_KEPT))
async def trim_former_names(db: Db) -> int:
    """The same of names that users had before."""


@one(f"""
    with old as materialized (
        select ctid from studio_notifications
        where created < now() - make_interval(days => :days) and state <> 'telling'
        order by created limit {NOTES}
        for update skip locked
    ), gone as (
        delete from studio_notifications where ctid = any(array(select ctid from old))
        returning 1
    )
    select count(*) from gone
""")
async def trim_studio_notifications(db: Db, days: int) -> int:
    """Delete at most NOTES of the studio's notifications that are over and older than `days`. Gives
    their number."""


@one(_notes("rate_limits", "expires", 0))
async def trim_rate_limits(db: Db) -> int:
    """Delete at most NOTES effects that count for no limit any more. Gives their number."""


@one(_notes("ended_grants", "ended"))
async def trim_grants(db: Db) -> int:
    """Delete at most NOTES notes of tokens of services that were ended before they expired. Gives
    their number."""


@one(_notes("portal_codes", "expires"))
async def trim_portal_codes(db: Db) -> int:
    """Delete at most NOTES portal codes, a day after they expired: what began with one is over
    then. Gives their number."""


@one(_notes("mails", "created", KEPT * DAY))
async def trim_mails(db: Db) -> int:
    """Delete at most NOTES old mails, whose links are not good any more. Gives their number."""
