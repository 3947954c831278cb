"""What is old enough to go: a batch of it at a time (extensions §5).

Any number of processes may ask at once: one of them gets an advisory lock with its statement, for
the others there is nothing to do. The database's clock decides what is old.

Logs are walked over from user to user, a slice at a time: so no index by age is needed on the
notifications, and each insert costs what it did.

Neither statement waits for a log or a token. A row that another transaction has locked is left for
another time: who holds one lock while they wait for another holds up all who want the first.
"""

from typing import NamedTuple

from contentsvc.db.query import Db, one

SLICE = 1000
"""Users whose logs are looked at in one statement."""
LOGS, ROWS = 50, 100
"""Users in a batch of notifications, and rows of each."""
TOKENS = 100
"""Refresh tokens in a batch."""
FIRST = "00000000-0000-0000-0000-000000000000"
"""Where a walk over all users begins."""
_LOCK = 0x72657461696E6564
"""The advisory lock's number: the letters "retained"."""


class Step(NamedTuple):
    """How far a walk over the users' logs has come. `ours` is False where another process had the
    lock; `next` is the user to go on with, None at the end; `again` says that there was more to
    delete than a batch has."""

    ours: bool
    next: str | None
    again: bool
    deleted: int


class Batch(NamedTuple):
    """Tokens that were deleted, and sessions. Where the tokens are as many as there can be, there
    may be more."""

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
        -- Up to the first that is young enough, or as many as there may be in a batch.
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
        -- Of a log of which a row is locked nothing is taken: numbers would get holes.
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
        update notification_counters c set trimmed = w.upto, unread = c.unread - w.unread
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
    """Look at the logs of SLICE users, from the user id `start` on, and delete notifications older
    than `days`, the unread ones too, from the old ends of at most LOGS of them."""


@one(f"""
    with edge as materialized (
        select clock_timestamp() - make_interval(secs => :margin) as oldest
        where pg_try_advisory_xact_lock({_LOCK})
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
async def trim_sessions(db: Db, margin: int) -> Batch:
    """Delete at most TOKENS refresh tokens that expired more than `margin` seconds ago, spent ones
    and others, and each session with the last of its tokens."""
