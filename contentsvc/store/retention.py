"""What is old enough to go: a batch of it at a time (extensions §5).

Any number of processes may ask at once: one of them gets an advisory lock with its statement, for
the others there is nothing to do. The database's clock decides what is old.

Neither statement waits for anybody. A row that another transaction has locked is left for the next
batch: who holds one lock while they wait for another holds up all who want the first.
"""

from typing import NamedTuple

from contentsvc.store.query import Db, one

LOGS, ROWS = 50, 100
"""Users in a batch of notifications, and rows of each."""
TOKENS = 100
"""Refresh tokens in a batch."""
_LOCK = 0x72657461696E6564
"""The advisory lock's number: the letters "retained"."""


class Batch(NamedTuple):
    """What a batch came to: how many logs or tokens it was about, and the rows deleted. Where the
    first is as many as there can be, there may be more."""

    seen: int
    deleted: int


@one(f"""
    with edge as materialized (
        select clock_timestamp() - make_interval(days => :days) as oldest
        where pg_try_advisory_xact_lock({_LOCK})
    ), due as materialized (
        select c.user_id, c.seq, c.trimmed from notification_counters c
        where c.kept_since < (select oldest from edge)
        order by c.kept_since limit {LOGS}
        for update skip locked
    ), reach as materialized (
        -- Up to the first that is young enough; its time is when to look again. A log whose rows
        -- are all old begins anew; one with more than a batch of them stays due.
        select due.user_id, due.trimmed,
               coalesce(young.seq - 1, last.seq, due.trimmed) as upto,
               case when young.seq is not null then young.created
                    when last.seq is null or last.seq >= due.seq then clock_timestamp()
               end as kept_since
        from due
        left join lateral (
            select f.seq, f.created from (
                select n.seq, n.created from notifications n
                where n.user_id = due.user_id and n.seq > due.trimmed
                order by n.seq limit {ROWS}
            ) f
            where f.created >= (select oldest from edge)
            order by f.seq limit 1
        ) young on true
        left join lateral (
            select max(f.seq) as seq from (
                select n.seq from notifications n
                where young.seq is null and n.user_id = due.user_id and n.seq > due.trimmed
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
        select r.user_id, r.trimmed, r.upto, r.kept_since, coalesce(o.rows, 0) as rows,
               coalesce(o.unread, 0) as unread
        from reach r
        left join (select user_id, count(*) as rows from there group by 1) t using (user_id)
        left join (
            select user_id, count(*) as rows, count(*) filter (where not read) as unread
            from old group by 1
        ) o using (user_id)
        where coalesce(t.rows, 0) = coalesce(o.rows, 0)
    ), gone as (
        delete from notifications n using whole w
        where n.user_id = w.user_id and n.seq > w.trimmed and n.seq <= w.upto
    ), moved as (
        update notification_counters c
        set trimmed = greatest(c.trimmed, w.upto), unread = c.unread - w.unread,
            kept_since = coalesce(w.kept_since, c.kept_since)
        from whole w where c.user_id = w.user_id
        returning w.rows
    )
    select count(*) as seen, coalesce(sum(rows), 0)::bigint as deleted from moved
""")  # noqa: S608
async def trim_notifications(db: Db, days: int) -> Batch:
    """Delete notifications older than `days`, the unread ones too, from the old ends of at most
    LOGS logs."""


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
    select (select count(*) from old) as seen, (select count(*) from ended) as deleted
""")  # noqa: S608
async def trim_sessions(db: Db, margin: int) -> Batch:
    """Delete at most TOKENS refresh tokens that expired more than `margin` seconds ago, spent ones
    and others, and each session with the last of its tokens."""
