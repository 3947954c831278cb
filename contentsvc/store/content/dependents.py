"""Content that uses what other content has brought (content#dependents)."""

from typing import Final, NamedTuple

from contentsvc.framework.db.query import Db, many
from contentsvc.store.fragments import BEFORE, INFO, LEAVING, Numbered, infos_within, seen
from contentsvc.store.rate_limits import DAY
from contentsvc.wire.content import ContentInfo

MOST: Final = 10_000
"""Most dependents of a content, through all levels, whose authors are notified of what happens to
it."""


class Author(NamedTuple):
    """An author whose content depends on another: the newest, and how many do. `notified`: the
    author is to be notified."""

    author_id: str
    newest: str
    contents: int
    notified: bool


_DEPENDENTS: Final = f"""
    select n.number, {INFO}
    from content_uses n
    join contents c on c.id = n.content_id
    join users u on u.id = c.author_id
    -- Not o.id: of a content that many use, the planner then knows that they are many.
    where n.used = :content and c.status = 'active'
      and n.number < {BEFORE}
    order by n.number desc limit :limit
"""


@many(f"""
    select d.*
    from contents o
    left join lateral ({infos_within(_DEPENDENTS, "number", "number desc")}) d on true
    where o.id = :content and {seen("o")}
    order by d.number desc
""")
async def of_content(
    db: Db, content: str, caller: str | None, moderate: bool, before: int | None, limit: int
) -> list[Numbered[ContentInfo | None]]:
    """The active, public content whose current revision uses a part that this one brought, newest
    first. No row at all if the caller cannot see the content."""


# The nearest levels come first, and of what uses one content the newest. A content that is met
# again, on another way or in a circle, is left out: so this ends.
@many(f"""
    with recursive reached (content_id, author_id, number) as (
        select :dependency::uuid, null::uuid, null::bigint
        union
        select n.id, n.author_id, n.number from reached r cross join lateral (
            select c.id, c.author_id, c.number
            from content_uses u join contents c on c.id = u.content_id
            where u.used = r.content_id and c.status not in ('suspended', 'deleted')
              and c.id <> :dependency
              and c.author_id <> all({LEAVING})
            order by u.number desc limit :reach
        ) n
    ), nearest as (
        select * from reached limit :reach + 1
    ), authors as materialized (
        select author_id, (array_agg(content_id order by number desc))[1] as newest,
               count(*) as contents
        from nearest
        where author_id <> :actor and author_id > :after
        group by author_id
        order by author_id limit :limit
    ), noted as (
        insert into dependency_tellings as t (dependency, recipient, told)
        select :dependency, author_id, clock_timestamp() from authors
        where :by_author
        order by author_id
        on conflict (dependency, recipient) do update set told = excluded.told
        -- A time later than now is from before the clock was set back.
        where excluded.told not between t.told and t.told + interval '{DAY} seconds'
        returning recipient
    )
    select a.author_id, a.newest, a.contents,
           not :by_author or a.author_id in (select recipient from noted) as notified
    from authors a
    order by a.author_id
""")
async def authors(
    db: Db, dependency: str, actor: str, by_author: bool, after: str, limit: int, reach: int
) -> list[Author]:
    """The next authors of active content that depends on this one, by their current revisions,
    through all levels up to `reach` dependents; the `actor` is left out. They come in the order of
    their ids, after that of the user `after`.

    With `by_author` each author is notified of this content at most once in a day, and the time of
    it is written.
    """
