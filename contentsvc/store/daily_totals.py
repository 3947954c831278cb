"""What happened on each day of UTC (studio#statistics). The numbers are written where their causes
are: see schema/functions/count_days.sql.
"""

from contentsvc.framework.db.query import Db, many, none, one
from contentsvc.wire.moderation import DayStatistics

_FEW = 100
"""Rows of two days that are left as they are."""
_MOST = 10_000
"""Rows that are added up at once."""
_LATELY = "t.day > (now() at time zone 'UTC')::date - 2"
# Postgres takes the order out of an `exists`, and may read all rows then.
WAITING = f"(select true from tallies t where {_LATELY} order by t.day offset {_FEW} limit 1)"
"""True if there is anything to add up."""
_LOCK = 0x74616C6C69656421
"""The advisory lock's number: the letters "tallied!"."""


@many("""
    select to_char(d.day, 'YYYY-MM-DD') as day,
           coalesce(sum(t.number) filter (where t.what = 'registered'), 0)::bigint as registered,
           coalesce(sum(t.number) filter (where t.what = 'guests'), 0)::bigint as guests,
           coalesce(sum(t.number) filter (where t.what = 'active'), 0)::bigint as active,
           coalesce(sum(t.number) filter (where t.what = 'deleted'), 0)::bigint as deleted,
           coalesce(sum(t.number) filter (where t.what = 'published'), 0)::bigint as published,
           coalesce(sum(t.number) filter (where t.what = 'revised'), 0)::bigint as revised,
           coalesce(sum(t.number) filter (where t.what = 'comments'), 0)::bigint as comments,
           coalesce(sum(t.number) filter (where t.what = 'messages'), 0)::bigint as messages,
           coalesce(sum(t.number) filter (where t.what = 'ratings'), 0)::bigint as ratings,
           coalesce(sum(t.number) filter (where t.what = 'downloads'), 0)::bigint as downloads,
           coalesce(sum(t.number) filter (where t.what = 'bytes'), 0)::bigint as bytes
    from (
        select :first::date + n as day
        from generate_series(0, :last::date - :first::date) as n
    ) d
    left join tallies t on t.day = d.day and t.day between :first and :last
    group by d.day order by d.day
""")
async def of_days(db: Db, first: str, last: str) -> list[DayStatistics]:
    """The numbers of these days, both included, written as 2026-11-22."""


@none("""
    insert into tallies (day, what, number)
    select (clock_timestamp() at time zone 'UTC')::date, n.what, n.number
    from (values ('downloads', :downloads::bigint), ('bytes', :bytes::bigint)) n (what, number)
""")
async def add_downloads(db: Db, downloads: int, bytes: int) -> None:
    """Count downloads of today, which no transaction causes."""


@one(f"""
    with lately as materialized (
        select t.ctid as row from tallies t
        where {_LATELY}
          and (select pg_try_advisory_xact_lock({_LOCK}))
        order by t.day limit {_MOST}
    ), gone as (
        delete from tallies t
        where t.ctid = any(array(select l.row from lately l))
          and (select count(*) from lately) > {_FEW}
        returning t.day, t.what, t.number
    ), summed as (
        insert into tallies (day, what, number)
        select day, what, sum(number) from gone group by day, what
    )
    select count(*) from gone
""")
async def add_up(db: Db) -> int:
    """Make one row of many, for the last two days. Gives how many there were: if as many as fit,
    there may be more."""


def is_more(rows: int) -> bool:
    """Whether there may be more to add up after so many rows."""
    return rows == _MOST
