"""Browsing and searching content (extensions §1). The tables are described
in schema/tables/content.sql.

There are two ways to a page. One reads content in the order of the sort, and leaves out what is not
asked for: it is right where much is asked for. The other looks up what is asked for, shelf by shelf
from the newest, and then sorts: it is right where that is little.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple

from contentsvc.db.connection_bulkhead import SEARCHES
from contentsvc.db.query import Db, many
from contentsvc.store.fragments import AUTHOR, INFO, LAST, STATUS, status_of
from contentsvc.wire.content import ContentInfo

LOOKED: Final = 500
"""So many are read in the order of a list, at most, to find those that fit."""
RANKED: Final = 2000
"""Of the matches of words so many are ranked, the newest."""
ALL: Final = 2**31 - 1
"""More content than there can be."""
_EXCLUDED = 1000
"""Of the users who are leaving so many are left out by terms: a tsquery must not grow too long."""
_TERMS = f"""(
    select :terms::text || coalesce(string_agg(' & !''~@' || user_id || '''', ''), '')
    from (select user_id from departures where pending limit {_EXCLUDED}) leaving
)"""
"""The terms, without the content of users who are leaving: its documents have its text still."""

Cursor = tuple[float, ...]
"""Where a content stands in a list: its rank and its number; in a list by age only a number."""


class FoundContent(NamedTuple):
    """A content in a list. Lists by age have no rank. `n` counts what was read in the order of the
    list, from 1. What does not fit is only there because the reading ended at it."""

    rank: float | None
    number: int
    n: int
    fits: bool
    info: ContentInfo

    @property
    def place(self) -> Cursor:
        """Where the list goes on after it."""
        return (self.number,) if self.rank is None else (self.rank, self.number)


Read = Callable[..., Awaitable[list[FoundContent]]]


_FEW: Final = 5
_MANY: Final = 48
"""So many types a statement merges. The few are those that every service has."""


def _read(table: str, columns: str, place: str, order: str, *, types: int, merged: str) -> str:
    """Reads content of the types in the order of a list, from a place on, for what fits. A list of
    several `types` merges the indexes, each of which has one type, as far as it is read. `merged`
    is the order by the names of the columns: with one more, such as a rank that all lack, Postgres
    would read all parts whole and sort them."""
    of_types = " union all ".join(
        f"""(
            select {columns} from {table} where type = (:types::text[])[{n}]
            and {place} order by {order} limit {LOOKED}
        )"""
        for n in range(1, types + 1)
    )
    return f"""
        with page as materialized (
            select o.id, o.rank, o.number, o.n, f.fits
            from (
                select o.*, row_number() over (order by {merged}) as n
                from (
                    select * from ({of_types}) o order by {merged} limit {LOOKED}
                ) o
            ) o
            cross join lateral (
                -- The terms name the statuses, too.
                select case when :terms::text is null then (
                    select {status_of("c")} = any(:statuses) and c.visibility = 'public'
                    from contents c where c.id = o.id
                ) else exists (
                    select from documents d
                    where d.content_id = o.id
                      and d.terms @@ shelved({_TERMS}, d.number)::tsquery
                ) end as fits
                offset 0
            ) f
            where f.fits or o.n = {LOOKED}
            limit :limit
        )
        select p.rank, p.number, p.n, p.fits, {INFO}
        from page p join contents c on c.id = p.id {AUTHOR}
        order by {merged}
    """


_PUBLIC = "visibility = 'public'"
_BY_AGE = "null::float8 as rank"


def _newest(types: int) -> str:
    return _read(
        "contents",
        f"id, {_BY_AGE}, number",
        f"{_PUBLIC} and number < :number",
        "number desc",
        types=types,
        merged="number desc",
    )


def _updated(types: int) -> str:
    return _read(
        "contents",
        f"id, {_BY_AGE}, listing_id as number",
        f"{_PUBLIC} and listing_id < :number",
        "listing_id desc",
        types=types,
        merged="number desc",
    )


def _by_rank(rank: str, types: int) -> str:
    return _read(
        "content_ranks",
        f"content_id as id, {rank} as rank, number",
        f"({rank}, number) < (:rank, :number)",
        f"{rank} desc, number desc",
        types=types,
        merged="rank desc, number desc",
    )


def _in_order(sort: str, sql: str) -> Read:
    @many(sql, replica=True, name=sort)
    async def read(
        db: Db, types: list[str], statuses: list[str], terms: str | None, number: int, limit: int
    ) -> list[FoundContent]:
        """Content in the order of its numbers: of the `types` and `statuses`, with all `terms` (a
        tsquery; None for any), after the place in the list, at most `limit`."""

    return read


def _in_order_of_rank(sort: str, sql: str) -> Read:
    @many(sql, replica=True, name=sort)
    async def read(
        db: Db,
        types: list[str],
        statuses: list[str],
        terms: str | None,
        rank: float,
        number: int,
        limit: int,
    ) -> list[FoundContent]:
        """The same in the order of a rank."""

    return read


def _reads(types: int, suffix: str) -> Mapping[str, Read]:
    """The reads of all content of up to so many types, by sort."""
    return {
        # By age.
        "newest": _in_order(f"newest{suffix}", _newest(types)),
        # By the latest publication. The number is the listingId.
        "updated": _in_order(f"updated{suffix}", _updated(types)),
        # By all votes.
        "top": _in_order_of_rank(f"top{suffix}", _by_rank("top", types)),
        # By the votes, of which those of a week ago count half.
        "trending": _in_order_of_rank(f"trending{suffix}", _by_rank("trending", types)),
        # By how many have ever played it, and by how many keep it.
        "played": _in_order_of_rank(f"played{suffix}", _by_rank("played", types)),
        "subscribed": _in_order_of_rank(f"subscribed{suffix}", _by_rank("subscribed", types)),
    }


_OF_FEW, _OF_MANY = _reads(_FEW, ""), _reads(_MANY, "_of_many")


def in_order(sort: str, types: int) -> Read:
    """The read of all content of so many types in this order."""
    return (_OF_FEW if types <= _FEW else _OF_MANY)[sort]


def _matches(most: str, before: str | None = None) -> str:
    """The newest matches, of `most`. It looks at one shelf after the other, until it has them."""
    last = "(select last_value >> 14 from listing_ids)"
    return f"""
        select m.content_id, m.number
        from generate_series(
            {f"least({before}::bigint >> 14, {last})" if before else last}, 0, -1
        ) as shelf
        cross join lateral (
            select d.content_id, d.number from documents d
            where d.terms @@ replace({_TERMS}, '~', to_hex(shelf))::tsquery
              {f"and d.number < {before}" if before else ""}
            order by d.number desc limit {most}
        ) m
        limit {most}
    """


def _match(rank: str, number: str, place: str) -> str:
    """Looks the matches up, and sorts them. An array of their numbers is one scan of the ranks'
    primary key, which has all that is sorted by."""
    return f"""
        with page as materialized (
            select {rank} as rank, {number} as number, r.number as content
            from content_ranks r
            where r.number = any(array(select m.number from ({_matches(":most")}) m))
              and {place}
            order by {rank} desc, {number} desc limit :limit
        )
        select p.rank, p.number, 0::bigint as n, true as fits, {INFO}
        from page p join content_ranks r on r.number = p.content
        join contents c on c.id = r.content_id {AUTHOR}
        order by p.rank desc, p.number desc
    """


@many(
    f"""
    with page as materialized ({_matches(":limit", ":number")})
    select {_BY_AGE}, p.number, 0::bigint as n, true as fits, {INFO}
    from page p
    -- One by one: the planner cannot see the limit.
    cross join lateral (select * from contents where id = p.content_id offset 0) c
    {AUTHOR}
    order by p.number desc
    """,
    lane=SEARCHES,
    replica=True,
)
async def matching_newest(db: Db, terms: str, number: int, limit: int) -> list[FoundContent]:
    """Content that has all `terms`, by age."""


@many(
    _match("null::float8", "r.listing_id", "r.listing_id < :number"),
    lane=SEARCHES,
    replica=True,
)
async def matching_updated(
    db: Db, terms: str, most: int, number: int, limit: int
) -> list[FoundContent]:
    """The newest `most` that have all `terms`, by the latest publication."""


def _matching_by_rank(sort: str) -> Read:
    @many(
        _match(f"r.{sort}", "r.number", f"(r.{sort}, r.number) < (:rank, :number)"),
        lane=SEARCHES,
        replica=True,
        name=f"matching_{sort}",
    )
    async def read(
        db: Db, terms: str, most: int, rank: float, number: int, limit: int
    ) -> list[FoundContent]:
        """The newest `most` that have all `terms`, in the order of a rank."""

    return read


@many(
    # Each word by the best place that has it; the last as a word, and as a beginning. The documents
    # are looked up one by one (`offset 0`), however many the planner takes them for.
    f"""
    with page as materialized (
        select m.content_id as id, k.rank, m.number
        from ({_matches(":most")}) m cross join lateral (
            select (
                       ts_rank('{{0.05, 0.1, 0.4, 1}}', d.terms,
                               shelved(:exact, d.number)::tsquery)
                       + case when ts_filter(d.terms, '{{a}}') @@ b.beginning then 0.5
                              when ts_filter(d.terms, '{{b}}') @@ b.beginning then 0.2
                              else 0.025 end
                   )::float8 as rank
            from documents d
            cross join lateral (
                select shelved(:beginning, d.number)::tsquery as beginning offset 0
            ) b
            where d.content_id = m.content_id
            offset 0
        ) k
        where (k.rank, m.number) < (:rank, :number)
        order by k.rank desc, m.number desc limit :limit
    )
    select p.rank, p.number, 0::bigint as n, true as fits, {INFO}
    from page p join contents c on c.id = p.id {AUTHOR}
    order by p.rank desc, p.number desc
    """,
    lane=SEARCHES,
    replica=True,
)
async def matching_relevance(
    db: Db,
    terms: str,
    exact: str,
    beginning: str,
    most: int,
    rank: float,
    number: int,
    limit: int,
) -> list[FoundContent]:
    """The newest `most` that have all `terms`, by where they have the words `exact` and one with
    the `beginning`."""


@many(f"""
    select {_BY_AGE}, c.number, g.n, true as fits, {INFO}
    from unnest(:contents::uuid[]) with ordinality as g (id, n)
    join contents c on c.id = g.id {AUTHOR}
    where c.type = any(:types) and {STATUS} = any(:statuses)
      and c.visibility = 'public' and (
        :terms::text is null or exists (
            select from documents d
            where d.content_id = c.id and d.terms @@ shelved({_TERMS}, d.number)::tsquery
        )
    )
    order by g.n
""")
async def by_ids(
    db: Db, contents: list[str], types: list[str], statuses: list[str], terms: str | None
) -> list[FoundContent]:
    """Those of these contents that fit, in this order."""


MATCHING: Final[Mapping[str, Read]] = {
    "newest": matching_newest,
    "relevance": matching_relevance,
    "updated": matching_updated,
    "top": _matching_by_rank("top"),
    "trending": _matching_by_rank("trending"),
    "played": _matching_by_rank("played"),
    "subscribed": _matching_by_rank("subscribed"),
}


def start(sort: str) -> Cursor:
    """The place before the first content of a list."""
    return (LAST,) if sort in {"newest", "updated"} else (float("inf"), LAST)
