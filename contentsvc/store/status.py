"""What an operator wants to know of the database at a glance.

It must be quick on a big database: nothing here reads a table that grows from end to end. So some
numbers are estimates, and say so.
"""

from typing import NamedTuple

from msgspec import Struct

from contentsvc.framework.db.query import Db, many, one
from contentsvc.store.fragments import NIL

_STATEMENT_TIMEOUT = "10s"
"""How long each statement may take."""


class Server(NamedTuple):
    """Postgres's version, and the size of the database in bytes. The tables say whether they are
    there: the schema may be an older one."""

    version: str
    bytes: int
    has_upgrades: bool
    has_tasks: bool
    has_processes: bool
    has_logs: bool
    has_reports: bool
    has_maintenance: bool
    has_webhooks: bool


class Count(Struct):
    """A number of rows, approximate if `estimated`."""

    count: int
    estimated: bool


class Oldest(Struct):
    """When the oldest notification was made, in Unix seconds, None without one. With `estimated`,
    only some users' logs were read."""

    created: int | None
    estimated: bool


class Reported(Struct):
    """What waits for a decision of admins: how many subjects have open reports, and the age of the
    oldest of these, in seconds (0 without one). With `more` there are more than this number of
    subjects, and only these were read."""

    subjects: int
    more: bool
    oldest: int


class Waiting(Struct):
    """Tasks: how many, the age of the oldest in seconds (0 without one), and how
    many have failed."""

    rows: int
    oldest: int
    failing: int


class Failure(Struct):
    """A task that has failed `tries` times. Its age and the time until it is tried
    again are in seconds."""

    kind: str
    age: int
    tries: int
    again: int
    failure: str


@one(f"""
    select current_setting('server_version') as version,
           pg_database_size(current_database()) as bytes,
           to_regclass('schema_upgrades') is not null as has_upgrades,
           to_regclass('tasks') is not null as has_tasks,
           to_regclass('processes') is not null as has_processes,
           exists (
               select from pg_attribute a
               where a.attrelid = to_regclass('notification_counters') and a.attname = 'trimmed'
           ) as has_logs,
           to_regclass('report_queue') is not null as has_reports,
           to_regclass('maintenance') is not null as has_maintenance,
           to_regclass('webhooks') is not null as has_webhooks
    from (select set_config('statement_timeout', '{_STATEMENT_TIMEOUT}', true)) limits
""")
async def server(db: Db) -> Server:
    """The database itself. The statements after this one may each take so long at most."""


@many("select name from schema_upgrades order by name")
async def applied(db: Db) -> list[str]:
    """The names of the upgrades that have been applied."""


@one(f"""
    with few as materialized (
        select count(*) as rows from (
            select from users u where u.id >= '{NIL}' order by u.id limit :exact::bigint + 1
        ) u
    )
    select case when few.rows > :exact
                then greatest(c.reltuples, few.rows) else few.rows end::bigint as count,
           few.rows > :exact as estimated
    from few, pg_class c where c.oid = 'users'::regclass
""")
async def users(db: Db, exact: int) -> Count:
    """How many users there are. Up to `exact` are counted; beyond, it is the planner's estimate."""


@one(f"""
    with looked as materialized (
        select c.user_id, c.trimmed from notification_counters c
        where c.user_id >= '{NIL}'
        order by c.user_id limit :sample::bigint + 1
    ), first as materialized (
        select n.created from (select * from looked order by user_id limit :sample) l
        cross join lateral (
            select n.created from notifications n
            where n.user_id = l.user_id and n.seq > l.trimmed
            order by n.seq limit 1
        ) n
    )
    select (select unix(min(created)) from first) as created,
           (select count(*) > :sample from looked) as estimated
""")
async def oldest_notification(db: Db, sample: int) -> Oldest:
    """The oldest one of the first `sample` users. Their ids are random, so it is a fair sample."""


@one("""
    with looked as materialized (
        select q.subject from report_queue q where q.reason = ''
        order by q.kind, q.reports, q.newest limit :most::bigint + 1
    )
    select least(count(*), :most) as subjects, count(*) > :most as more,
           coalesce(greatest(extract(epoch from clock_timestamp() - min(r.created)), 0), 0)::integer
               as oldest
    from looked cross join lateral (
        select r.created from report_subjects s join reports r on r.number = s.oldest
        where s.number = looked.subject limit 1
    ) r
""")
async def reported(db: Db, most: int) -> Reported:
    """The queue of reports. No more than `most` subjects are counted."""


class Due(NamedTuple):
    """How many subjects have open reports, of how many the first is overdue, and how many have a
    notice of the abuse of children. In how many seconds half of the outcomes of the last 24 hours
    came, and nine tenths, after the first report that they close: None without one."""

    open: int
    overdue: int
    child: int
    half: float | None
    most: float | None


@one("""
    with waits as (
        select extract(epoch from d.created - r.created)::float8 as seconds
        from (
            select subject, upto, created from report_decisions
            where created > clock_timestamp() - interval '24 hours'
            order by created desc limit 1000
        ) d
        cross join lateral (
            select created from reports
            where subject = d.subject and not replaced and number <= d.upto and number > coalesce((
                select max(upto) from report_decisions where subject = d.subject and upto < d.upto
            ), 0)
            order by number limit 1
        ) r
    )
    select count(*) as open, count(*) filter (where due <= clock_timestamp()) as overdue,
           (
               select count(*) from (
                   select from report_queue where reason = 'child' limit :most::bigint
               ) c
           ) as child,
           (select percentile_disc(0.5) within group (order by seconds) from waits) as half,
           (select percentile_disc(0.9) within group (order by seconds) from waits) as most
    from (
        select due from report_queue where reason = '' order by kind, due limit :most::bigint
    ) q
""")
async def due(db: Db, most: int) -> Due:
    """What of the queue of reports is due, and how long the outcomes of a day took. No more than
    `most` subjects are counted, and 1,000 outcomes looked at."""


class Disputed(NamedTuple):
    """How many appeals are open, and how many were answered in the last 24 hours, by the outcome;
    and how many decisions were reversed in that time, on appeal or without."""

    open: int
    confirmed: int
    reversed: int
    reversals: int


@one("""
    select (
        select count(*) from (
            select from appeals where state = 'open' order by party, number limit :most::bigint
        ) o
    ) as open, count(*) filter (where state = 'confirmed') as confirmed,
    count(*) filter (where state = 'reversed') as reversed, (
        select count(*) from (
            select from decisions where reversed > now() - interval '24 hours'
            order by reversed limit :most::bigint
        ) r
    ) as reversals
    from (
        select state from appeals where decided > now() - interval '24 hours'
        order by decided limit :most::bigint
    ) a
""")
async def disputed(db: Db, most: int) -> Disputed:
    """Appeals and reversals. No more than `most` of each are counted."""


@one("""
    select count(*) as rows,
           coalesce(greatest(extract(epoch from clock_timestamp() - min(created)), 0), 0)::integer
               as oldest,
           count(*) filter (where tries > 0) as failing
    from tasks where (queue = any(:queues::text[])) = :only and created <= clock_timestamp()
""")
async def waiting(db: Db, queues: list[str], only: bool) -> Waiting:
    """The tasks of these queues, if `only` they are asked for, or all others. An effect that was
    done, and is to be done again later, does not count until then."""


@many("""
    select kind, greatest(extract(epoch from clock_timestamp() - created), 0)::integer as age,
           tries,
           greatest(extract(epoch from due - clock_timestamp()), 0)::integer as again,
           coalesce(failure, '') as failure
    from tasks where tries > 0 and queue <> all(:without::text[])
    order by tries desc, id limit :limit
""")
async def failures(db: Db, without: list[str], limit: int) -> list[Failure]:
    """The tasks that have failed most often, but for those of some queues."""
