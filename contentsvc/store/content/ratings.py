"""Ratings: content#ratings. A trigger maintains the tallies."""

from contentsvc.framework.db.connection_bulkhead import WHOLE
from contentsvc.framework.db.query import Db, found, one
from contentsvc.framework.db.statement import Batch
from contentsvc.store import fragments
from contentsvc.store.fragments import seen


@found(
    f"""
    with call as (
        select *
        from unnest((select :user::uuid[]), (select :content::uuid[]),
                    (select :moderate::boolean[]), (select :up::boolean[]))
             with ordinality as call (user_id, content_id, moderate, up, n)
    ), content as (
        select call.n, call.user_id, call.up, c.id
        from call join contents c on c.id = call.content_id
        where {seen("c", "call.user_id", "call.moderate")}
        -- All take their locks in one order: new votes and changed ones have different triggers.
        order by c.id for no key update of c
    ), vote as (
        insert into ratings as r (user_id, content_id, up)
        -- The last of a user's votes on one content counts.
        select distinct on (id, user_id) user_id, id, up from content order by id, user_id, n desc
        on conflict (user_id, content_id) do update set up = excluded.up, voted = now()
        where r.up <> excluded.up
    )
    select n from content
    """,
    batch=Batch(("content",)),
)
async def put(db: Db, user: str, content: str, moderate: bool, up: bool) -> bool:
    """Vote. False if the user cannot see the content."""


@found(f"""
    with content as (
        select c.id from contents c
        where c.id = :content and {seen("c", ":user")}
        -- The content before the vote, as who votes does.
        for no key update of c
    ), gone as (
        delete from ratings where user_id = :user and content_id in (select id from content)
    )
    select true from content
""")
async def delete(db: Db, user: str, content: str, moderate: bool) -> bool:
    """Take a vote back. False if the user cannot see the content."""


@found("select from ratings where user_id = :user and content_id = :content and up = :up")
async def is_so(db: Db, user: str, content: str, up: bool) -> bool:
    """Whether the user has voted so."""


# Look the content up for each vote: an index has the few that are hidden. A join would read all of
# them. What is hidden because its author is leaving is in no such index. Next to never does anybody
# leave: that is asked once, not for each vote. So is whether the caller moderates.
_SEEN = """(
            :moderate::boolean
            or not exists (
                select from contents c
                where c.id = r.content_id
                  and not visible(c.status, c.id, c.author_id, :user, false)
                offset 0
            )
            and (
                (select not exists (select from departures where pending))
                or r.content_id not in (
                    select k.id from departures d cross join lateral (
                        select id from contents where author_id = d.user_id offset 0
                    ) k
                    where d.pending
                )
            )
        )"""
# The quote before an id is part of the separator: that is one text less to put together for each.
_ENTRIES = """
    coalesce('"' || string_agg(
        content_id || case when up then '":"1"' else '":"0"' end, ',"' order by content_id
    ), '')"""
ENTRY = 42
"""Characters of each entry of a map. A comma separates two entries."""


@one(
    f"""
    select {_ENTRIES} as ratings
    from (
        select r.content_id, r.up from ratings r where r.user_id = :user::uuid and {_SEEN}
        order by r.content_id limit :limit::bigint
    ) votes
    """,
    together=True,
)
async def of_user(db: Db, user: str, moderate: bool, limit: int) -> str:
    """The user's first `limit` votes on content that the user can see, in the order of content ids.
    They are the entries of a JSON object from content ids to "1" or "0".

    The result is text: with a row for each, a map of 200 took 1.53 of the CPU of the service and
    Postgres together (scripts/bench, five rounds).
    """


@one(f"""
    select {_ENTRIES} as ratings
    from (
        select r.content_id, r.up from ratings r
        where r.user_id = :user and r.content_id > :after and {_SEEN}
        order by r.content_id limit :limit
    ) votes
""")
async def page(db: Db, user: str, moderate: bool, after: str, limit: int) -> str:
    """The entries after that of the content `after`."""


@one(
    f"""
    select {fragments.state("row(r.content_id, r.up)")}
    from ratings r where r.user_id = :user and {_SEEN}
    """,
    lane=WHOLE,
)
async def state(db: Db, user: str, moderate: bool) -> str:
    """A value that changes whenever anything in the map does."""
