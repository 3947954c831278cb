"""What the plays, downloads, subscribers and favourites of content add up to: content#counts.

Each cause appends a row to content_tallies, in its own transaction. A job adds them up: to the
content's day, to the counts in its row, and to its ranks, all in one transaction. So the days of a
content always add up to its counts.
"""

from typing import Final

from contentsvc.framework.db.query import Db, many, none, one
from contentsvc.framework.db.statement import Batch
from contentsvc.store.fragments import seen
from contentsvc.store.rate_limits import DAY, PLAYS, taken
from contentsvc.wire.library import ContentDay

CONTENTS: Final = 200
"""Contents whose rows are locked at once."""
OLD: Final = 1000
"""Rows that one statement deletes."""
_LOCK: Final = 0x636F6E74656E7473
"""The advisory lock's number: the letters "contents"."""
_COUNTS: Final = ("plays", "players", "completions", "downloads", "subscribers", "favourites")
_NUMBERS: Final = (*_COUNTS, "seconds")
# Postgres takes the order out of an `exists`, and may read all rows then.
WAITING: Final = "(select true from content_tallies where not added order by content_id limit 1)"
"""True if there is anything to add up."""


def _each(form: str, names: tuple[str, ...] = _NUMBERS) -> str:
    return ", ".join(form.format(name) for name in names)


@many(f"""
    select id from contents
    where id = any(array(
        select distinct content_id from content_tallies
        where not added and content_id > :after and (select pg_try_advisory_xact_lock({_LOCK}))
        order by content_id limit {CONTENTS}
    ))
    order by id
    for no key update
""")
async def lock(tx: Db, after: str) -> list[str]:
    """Lock some content that has something to add up, after this id. Nothing while another process
    does it."""


@none(f"""
    with marked as (
        update content_tallies set added = true
        where content_id = any(:contents::uuid[]) and not added and user_id is not null
        returning content_id, day, {_each("{0}")}
    ), gone as (
        delete from content_tallies
        where content_id = any(:contents::uuid[]) and not added and user_id is null
        returning content_id, day, {_each("{0}")}
    ), days as materialized (
        select content_id, day, {_each("sum({0}) as {0}")}
        from (select * from marked union all select * from gone) t
        group by content_id, day
    ), kept as (
        insert into content_days as d (content_id, day, {_each("{0}")})
        select content_id, day, {_each("{0}")} from days order by content_id, day
        on conflict (content_id, day) do update set {_each("{0} = d.{0} + excluded.{0}")}
    ), counted as (
        update contents c set {_each("{0} = c.{0} + t.{0}", _COUNTS)}
        from (
            select content_id, {_each("sum({0}) as {0}", _COUNTS)} from days group by content_id
        ) t
        where c.id = any(:contents::uuid[]) and t.content_id = c.id
        returning c.number, c.players, c.subscribers
    )
    update content_ranks r set played = c.players, subscribed = c.subscribers
    from counted c
    where r.number = any(array(select number from counted)) and r.number = c.number
      and (r.played, r.subscribed) <> (c.players, c.subscribers)
""")
async def add_up(tx: Db, contents: list[str]) -> None:
    """Add up what there is of this content, which the transaction has locked."""


@one(f"""
    with old as (
        select ctid from content_tallies
        where added and created < now() - interval '{DAY} seconds'
        order by created limit {OLD}
        for update skip locked
    ), gone as (
        delete from content_tallies where ctid = any(array(select ctid from old)) returning 1
    )
    select count(*) from gone
""")
async def forget(db: Db) -> int:
    """Delete rows that no repeat can meet any more. Gives how many: if OLD, there may be more."""


@none("""
    insert into content_tallies (content_id, user_id, day, downloads)
    select c.id, d.user_id, d.day, 1
    from unnest(:users::uuid[], :contents::uuid[], :days::date[]) as d (user_id, content_id, day)
    join contents c on c.id = d.content_id and c.author_id <> d.user_id
    order by d.user_id, c.id, d.day
    on conflict (user_id, content_id, day) where downloads > 0 do nothing
""")
async def add_downloads(db: Db, users: list[str], contents: list[str], days: list[str]) -> None:
    """Note who has downloaded what, on which day. What is there, and what is the author's own,
    counts no more."""


@many("""
    select to_char(s.day, 'YYYY-MM-DD') as day, coalesce(d.plays, 0) as plays,
           coalesce(d.players, 0) as players, coalesce(d.completions, 0) as completions,
           coalesce(d.seconds, 0) as seconds, coalesce(d.downloads, 0) as downloads,
           coalesce(d.subscribers, 0) as subscribers
    from (
        select :first::date + n as day
        from generate_series(0, :last::date - :first::date) as n
    ) s
    left join content_days d on d.content_id = :content and d.day = s.day
    order by s.day
""")
async def of_days(db: Db, content: str, first: str, last: str) -> list[ContentDay]:
    """The change of each of these days, both included, written as 2026-11-22."""


_YESTERDAY: Final = "clock_timestamp() - interval '24 hours'"
NO_CONTENT: Final = -1
NO_REVISION: Final = -2
"""What `add` gives where there is nothing to play."""


# A repeat is looked for under the lock of the user's limit, if there is one: so the plays of a user
# come one after the other.
@one(
    f"""
    with call as (
        select *
        from unnest((select :user::uuid[]), (select :content::uuid[]),
                    (select :moderate::boolean[]), (select :revision::uuid[]),
                    (select :id::uuid[]), (select :seconds::integer[]),
                    (select :completed::boolean[]), (select :most::integer[]))
             with ordinality as call
                 (user_id, content_id, moderate, revision, id, seconds, completed, most, n)
    ), about as materialized (
        select call.*, c.author_id as owner, call.revision is null or exists (
                   select from revisions r
                   where r.id = call.revision and r.content_id = call.content_id
               ) as known,
               coalesce(t.created > {_YESTERDAY}, false) as repeated
        from call left join content_tallies t on t.user_id = call.user_id and t.play = call.id
        left join contents c
            on c.id = call.content_id and {seen("c", "call.user_id", "call.moderate")}
    ), allowed as materialized (
        select a.*, {taken(PLAYS, "a.user_id", "a.most")} as wait
        from (
            select * from about where known and owner is not null and not repeated
            order by user_id, n
            offset 0
        ) a
    ), counted as (
        -- An author's own count nowhere.
        select *, owner <> user_id as counts,
               row_number() over (partition by user_id, content_id order by n) as nth
        from allowed where wait = 0
    ), fresh as (
        insert into content_players (user_id, content_id)
        select user_id, content_id from counted where counts and nth = 1
        on conflict do nothing
        returning user_id, content_id
    ), played as (
        -- An author's row is there for repeats.
        insert into content_tallies as t
            (content_id, user_id, play, added, plays, players, completions, seconds)
        select content_id, user_id, id, not counts, counts::integer,
               (f.user_id is not null and nth = 1)::integer, (counts and completed)::integer,
               case when counts then seconds else 0 end
        from counted left join fresh f using (user_id, content_id)
        on conflict (user_id, play) where play is not null do update
        -- An old one that nobody has deleted yet is no repeat.
        set content_id = excluded.content_id, day = excluded.day, created = excluded.created,
            added = excluded.added, plays = excluded.plays, players = excluded.players,
            completions = excluded.completions, seconds = excluded.seconds
        where t.added and t.created <= {_YESTERDAY}
    )
    select n, case when a.repeated then 0 when a.owner is null then {NO_CONTENT}
                   when not a.known then {NO_REVISION} else l.wait end as answer
    from about a left join allowed l using (n)
    """,
    batch=Batch(("user",), once=("user", "id")),
    first="""
    select rate_limit_lock('plays', user_id)
    from (
        select distinct user_id
        from unnest((select :user::uuid[]), (select :most::integer[])) as call (user_id, most)
        where most > 0
        order by user_id
        offset 0
    ) player
    """,
)
async def add(
    db: Db,
    user: str,
    content: str,
    moderate: bool,
    revision: str | None,
    id: str,
    seconds: int,
    completed: bool,
    most: int,
) -> int:
    """Count a play of a user, unless it is the author's own. One with the same `id` within 24 hours
    is a repeat, and changes nothing. It counts for the user's limit of `most` PLAYS, 0 for any
    number.

    Gives 0, or the seconds until the user may report one more, NO_CONTENT or NO_REVISION. Raises
    Refused `content_players_user` if there is no such user.
    """
