"""Content that is looked up by its terms, shelf by shelf from the newest, and then sorted
(content#browsing). Words are such terms (schema/tables/content.sql). The other way to a page is in
contentsvc.store.content.search."""

from collections.abc import Mapping
from typing import Final

from contentsvc.framework.db.connection_bulkhead import SEARCHES
from contentsvc.framework.db.query import Db, one
from contentsvc.store.content.found_parts import (
    BY_AGE,
    HIDDEN,
    READ_AT_ONCE,
    TERMS,
    FoundPart,
    Read,
    looked_up,
    page_for_client,
    terms_of,
)
from contentsvc.store.fragments import AUTHOR, INFO_JSON

RANKED: Final = 2000
"""Matches of words that are sorted by relevance: the newest."""
OLDER: Final = 500
"""Older matches that are sorted as well if they have all of the words, where the newest only begin
with the last."""
FEW: Final = 500
"""Matches of words that are looked up and sorted at once, in another order: nearly all searches
have less."""
MANY: Final = 20_000
"""Matches that are looked up where too few come first in the order."""
ALL: Final = 2**31 - 1
"""More content than there can be."""


def _matches(most: str, before: str | None = None, terms: str = TERMS) -> str:
    """The newest matches, of `most`, and where their documents are for this statement. It looks at
    one shelf after the other, until it has them."""
    last = "(select last_value >> 14 from listing_ids)"
    return f"""
        select m.content_id, m.number, m.place
        from generate_series(
            {f"least({before}::bigint >> 14, {last})" if before else last}, 0, -1
        ) as shelf
        cross join lateral (
            select d.content_id, d.number, d.ctid as place from documents d
            where d.terms @@ replace({terms}, '~', to_hex(shelf))::tsquery
              {f"and d.number < {before}" if before else ""}
            order by d.number desc limit {most}
        ) m
        limit {most}
    """


_HOW_MANY: Final = """
    (select coalesce(max(newest / spacing), 0)::bigint from more) as likely,
    (select coalesce(max(spacing), 0)::float8 from more) as spacing
"""
_MATCHED: Final = f"""
    matched as materialized ({_matches(":most")}),
    more as materialized (
        select max(number) as newest, (1.0 + max(number) - min(number)) / count(*) as spacing
        from matched having count(*) >= :most
    )
"""


def _matched(rank: str, number: str, place: str) -> str:
    """The matches after a place, with what they are sorted by; none if there are more of them. An
    array of their numbers is one scan of the ranks' primary key, which has all of that. It is read
    separately, so that the planner does not read an index of the sort from end to end."""
    return f"""
        select r.content_id as id, {rank} as rank, {number} as number
        from (
            select * from content_ranks where number = any(array(
                select number from matched where not exists (select from more)
            )) offset 0
        ) r
        where {place}
    """


def _match(rank: str, number: str, place: str) -> str:
    """Looks the matches up, and sorts them."""
    part = looked_up(
        f"""
        select p.rank, p.number, {INFO_JSON} as info
        from (
            {_matched(rank, number, place)} order by rank desc, number desc limit {HIDDEN}
        ) p join contents c on c.id = p.id {AUTHOR}
        """,
        _HOW_MANY,
    )
    return f"with {_MATCHED} {part}"


@one(
    looked_up(f"""
        select {BY_AGE}, p.number, {INFO_JSON} as info
        from ({_matches(HIDDEN, ":number")}) p
        -- One by one: the planner cannot see the limit.
        cross join lateral (select * from contents where id = p.content_id offset 0) c
        {AUTHOR}
    """),
    lane=SEARCHES,
    replica=True,
)
async def newest(db: Db, terms: str, number: int, limit: int) -> FoundPart:
    """Content that has all `terms`, by age."""


@one(
    _match("null::float8", "r.listing_id", "r.listing_id < :number"),
    lane=SEARCHES,
    replica=True,
)
async def updated(db: Db, terms: str, most: int, number: int, limit: int) -> FoundPart:
    """Content that has all `terms`, if it is less than `most`, by the latest publication."""


def _ranked(looked: str) -> str:
    """The read rows, numbered in their order."""
    return f"""
        select s.*, row_number() over (order by s.rank desc, s.number desc) as n, true as fits
        from ({looked} order by rank desc, number desc limit {READ_AT_ONCE}) s
    """


def _by_rank(sort: str) -> Read:
    @one(
        _match(f"r.{sort}", "r.number", f"(r.{sort}, r.number) < (:rank, :number)"),
        lane=SEARCHES,
        replica=True,
        name=f"{sort}",
    )
    async def read(
        db: Db, terms: str, most: int, rank: float, number: int, limit: int
    ) -> FoundPart:
        """Content that has all `terms`, if it is less than `most`, in the order of a rank."""

    return read


_CUT: Final = "(select count(*) from newest) >= :most"
_SAMPLE: Final = 20
# Whether there is a word where the list was cut, and mostly only its beginning.
_MOSTLY_BEGINNINGS: Final = f"""(
    select count(*) * 2 < {_SAMPLE}
    from (select * from newest order by number limit {_SAMPLE}) m
    cross join lateral (
        select from documents d
        where d.ctid = m.place and d.terms @@ shelved({terms_of("whole")}, d.number)::tsquery
        offset 0
    ) d
)"""


def _before_newest(terms: str, most: str) -> str:
    return _matches(most, "(select min(number) from newest)", terms)


# Where there are more matches than are sorted, some come from before the newest too: what is named
# so, and what has the words where the newest only begin with the last one.
_NEWEST: Final = f"""
    newest as materialized ({_matches(":most")}),
    matched as materialized (
        select * from newest
        union all
        select * from ({_before_newest(terms_of("named"), "(select :most::bigint)")}) named
        where {_CUT}
        union all
        select * from ({_before_newest(terms_of("whole"), str(OLDER))}) whole
        where {_CUT} and {_MOSTLY_BEGINNINGS}
    ),
    -- To parse them for each content would take longer than all else.
    asked as materialized (
        select shelf, {
    ", ".join(
        f"replace(:{each}, '~', to_hex(shelf))::tsquery as {each}"
        for each in ("exact", "in_name", "in_tag", "in_form", "name")
    )
}
        from (select distinct number >> 14 as shelf from matched) shelves
    )
"""
# A name that is the whole of what is asked for, in whatever spelling, comes before all else. Then
# each word counts by the best place that has it; the last as a word, and as a beginning; a looser
# form as its weight says. The documents are looked up one by one (`offset 0`), however many the
# planner takes them for.
_RELEVANT: Final = """
    select m.content_id as id, k.rank, m.number
    from matched m join asked on asked.shelf = m.number >> 14
    cross join lateral (
        select (
                   ts_rank('{0.05, 0.2, 0.4, 1}', d.terms, asked.exact)
                   + case when w.terms @@ asked.in_name then 0.5
                          when w.terms @@ asked.in_tag then 0.2
                          when w.terms @@ asked.in_form then 0.1
                          else 0.025 end
                   + case when d.terms @@ asked.name then 2 else 0 end
               )::float8 as rank
        from documents d
        -- A term without a weight has every weight for a tsquery.
        cross join lateral (select ts_filter(d.terms, '{{a, b, c}}') as terms offset 0) w
        where d.ctid = m.place
        offset 0
    ) k
    where (k.rank, m.number) < (:rank, :number)
"""


@one(
    f"with {_NEWEST}"
    + looked_up(f"""
        select p.rank, p.number, {INFO_JSON} as info
        from ({_RELEVANT} order by k.rank desc, m.number desc limit {HIDDEN}) p
        join contents c on c.id = p.id {AUTHOR}
    """),
    lane=SEARCHES,
    replica=True,
)
async def relevance(
    db: Db,
    terms: str,
    named: str,
    whole: str,
    name: str,
    exact: str,
    in_name: str,
    in_tag: str,
    in_form: str,
    most: int,
    rank: float,
    number: int,
    limit: int,
) -> FoundPart:
    """The newest `most` that have all `terms`, by where they have the words `exact`, and one that
    begins with the last, `in_name`, `in_tag` or `in_form`; first of all those with the term `name`.
    If there may be more, also the newest of the others that are `named` so, and, where the newest
    mostly begin with the last word only, OLDER that have the `whole` words. Both are terms with the
    rest of what is asked for, and no content has both."""


MATCHING: Final[Mapping[str, Read]] = {
    "newest": newest,
    "relevance": relevance,
    "updated": updated,
    "top": _by_rank("top"),
    "trending": _by_rank("trending"),
    "played": _by_rank("played"),
    "subscribed": _by_rank("subscribed"),
}


_NEWEST_MATCHES = f"""
    select m.content_id as id, {BY_AGE}, m.number,
           row_number() over (order by m.number desc) as n, true as fits
    from ({_matches(str(READ_AT_ONCE), ":number")}) m
"""


@one(page_for_client(_NEWEST_MATCHES), lane=SEARCHES, replica=True)
async def newest_for_client(
    db: Db,
    terms: str,
    number: int,
    limit: int,
    game: list[int] | None,
    platform: str | None,
    features: list[str] | None,
) -> FoundPart:
    """Content that has all `terms` and fits a client, by age."""


@one(
    page_for_client(
        _ranked(_matched("null::float8", "r.listing_id", "r.listing_id < :number")),
        f"{_MATCHED},",
        _HOW_MANY,
    ),
    lane=SEARCHES,
    replica=True,
)
async def updated_for_client(
    db: Db,
    terms: str,
    most: int,
    number: int,
    limit: int,
    game: list[int] | None,
    platform: str | None,
    features: list[str] | None,
) -> FoundPart:
    """The same, if `terms` have less than `most`, by the latest publication."""


def _by_rank_for_client(sort: str) -> Read:
    matched = _matched(f"r.{sort}", "r.number", f"(r.{sort}, r.number) < (:rank, :number)")

    @one(
        page_for_client(_ranked(matched), f"{_MATCHED},", _HOW_MANY),
        lane=SEARCHES,
        replica=True,
        name=f"{sort}_for_client",
    )
    async def read(
        db: Db,
        terms: str,
        most: int,
        rank: float,
        number: int,
        limit: int,
        game: list[int] | None,
        platform: str | None,
        features: list[str] | None,
    ) -> FoundPart:
        """The same, in the order of a rank."""

    return read


@one(page_for_client(_ranked(_RELEVANT), f"{_NEWEST},"), lane=SEARCHES, replica=True)
async def relevance_for_client(
    db: Db,
    terms: str,
    named: str,
    whole: str,
    name: str,
    exact: str,
    in_name: str,
    in_tag: str,
    in_form: str,
    most: int,
    rank: float,
    number: int,
    limit: int,
    game: list[int] | None,
    platform: str | None,
    features: list[str] | None,
) -> FoundPart:
    """The same that fit a client too."""


MATCHING_FOR_CLIENT: Final[Mapping[str, Read]] = {
    "newest": newest_for_client,
    "relevance": relevance_for_client,
    "updated": updated_for_client,
    "top": _by_rank_for_client("top"),
    "trending": _by_rank_for_client("trending"),
    "played": _by_rank_for_client("played"),
    "subscribed": _by_rank_for_client("subscribed"),
}
