"""Browsing and searching content (extensions §1). The tables are described
in schema/tables/content.sql.

There are two ways to a page. One reads content in the order of the sort, and leaves out what is not
asked for: it is right where much is asked for. The other looks up what is asked for, shelf by shelf
from the newest, and then sorts: it is right where that is little.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final, NamedTuple

from contentsvc.db.connection_bulkhead import SEARCHES, WHOLE
from contentsvc.db.query import Db, many, one
from contentsvc.store.content.requirements import fitting
from contentsvc.store.fragments import (
    AUTHOR,
    INFO,
    INFO_BYTES,
    INFO_COLUMNS,
    INFO_FITTING_JSON,
    INFO_JSON,
    LAST,
    PART,
    STATUS,
    cut_after,
    state,
    status_of,
    within,
)
from contentsvc.wire.content import ContentInfo

LOOKED: Final = 500
"""So many are read in the order of a list, at most, to find those that fit."""
_HIDDEN: Final = "(select :limit::bigint)"
"""The limit, hidden from the planner: what it knows of one call, such as how few rows are asked for
or that there are no terms, makes it plan each call anew. That takes longer than to run it."""
_AS_READ: Final = f"(select {LOOKED})"
"""LOOKED, hidden from the planner. It takes an unknown limit for a small one, and reads an index as
far as it is asked for. Of little content it would else read and sort all."""
RANKED: Final = 2000
"""Of the matches of words so many are sorted by relevance, the newest."""
OLDER: Final = 500
"""So many older ones too that have all of the words, where the newest only begin with the last."""
FEW: Final = 500
"""Matches of words that are looked up and sorted at once, in another order: nearly all searches
have less."""
MANY: Final = 20_000
"""Those that are looked up where too few are first in the order."""
ALL: Final = 2**31 - 1
"""More content than there can be."""
_EXCLUDED = 1000
"""Of the users who are leaving so many are left out by terms: a tsquery must not grow too long."""


def _terms(parameter: str) -> str:
    """The terms, without the content of users who are leaving: its documents have its text
    still."""
    return f"""(
    select :{parameter}::text || coalesce(string_agg(' & !''~@' || user_id || '''', ''), '')
    from (select user_id from departures where pending limit {_EXCLUDED}) leaving
)"""


_TERMS = _terms("terms")

Cursor = tuple[float, ...]
"""Where a content stands in a list: its rank and its number; in a list by age only a number."""


class FoundPart(NamedTuple):
    """A part of a list. `json` has the ContentInfo of each content that was `found`, between
    commas. `read` is how many were looked at in the order of the list, of which so many `hits` are
    what was asked for; they are `found` only if they fit the client, too. It is 0 for what was
    looked up. The last of them has this rank, which lists by age do not have, and this number; None
    if there was none. It may be `cut` for its length: then there may be more. If there are more
    matches than were looked up, none are found: `likely` is how many there may be, and every so
    many contents `apart` one of the newest is. Both are 0 otherwise."""

    json: str
    found: int
    hits: int
    read: int
    rank: float | None
    number: int | None
    cut: bool
    likely: int
    apart: float

    @property
    def more(self) -> bool:
        """Whether there are more matches than were looked up."""
        return self.likely > 0

    @property
    def place(self) -> Cursor:
        """Where the list goes on. Raises ValueError if there was none."""
        if self.number is None:
            raise ValueError("nothing was read")
        return (self.number,) if self.rank is None else (self.rank, self.number)


Read = Callable[..., Awaitable[FoundPart]]


_FEW: Final = 5
_MANY: Final = 48
"""So many types a statement merges. The few are those that every service has."""


_FITS_TERMS: Final = f"""exists (
    select from documents d
    where d.content_id = o.id and d.terms @@ shelved({_TERMS}, d.number)::tsquery
)"""
# To parse the terms of words for each content would take longer than all else: it is done once for
# each shelf.
_HAS_WORDS: Final = f"""exists (
    select from documents d
    where d.content_id = o.id and d.terms @@ (
        select array_agg(replace(asked.terms, '~', to_hex(shelf))::tsquery order by shelf)
        from (select {_TERMS} as terms offset 0) asked,
             generate_series(0, (select last_value >> 14 from listing_ids)) as shelf
    )[(d.number >> 14) + 1]
)"""


def _looked(
    table: str, columns: str, place: str, order: str, *, types: int, merged: str, fits: str
) -> str:
    """What is next in the order of a list, from a place on, and whether it fits. A list of
    several `types` merges the indexes, each of which has one type, as far as it is read. `merged`
    is the order by the names of the columns: with one more, such as a rank that all lack, Postgres
    would read all parts whole and sort them."""
    of_types = " union all ".join(
        f"""(
            select {columns} from {table} where type = (:types::text[])[{n}]
            and {place} order by {order} limit {_AS_READ}
        )"""
        for n in range(1, types + 1)
    )
    return f"""
        select o.id, o.rank, o.number, o.n, f.fits
        from (
            select o.*, row_number() over (order by {merged}) as n
            from (
                select * from ({of_types}) o order by {merged} limit {_AS_READ}
            ) o
        ) o
        cross join lateral (
            select {fits} as fits offset 0
        ) f
    """


_KEPT: Final = "filter (where kept)"
_LAST: Final = f"""
    (array_agg(rank) {_KEPT})[(count(*) {_KEPT})::int] as rank,
    (array_agg(number) {_KEPT})[(count(*) {_KEPT})::int] as number,
    coalesce(bool_or(not kept), false) as cut
"""
_ORDER: Final = "rank desc, number desc"
_ALL: Final = "0::bigint as likely, 0::float8 as apart"


def _part_of(
    rows: str, hits: str = "count(*) filter (where fits and kept)", more: str = _ALL
) -> str:
    """The FoundPart of these rows: `rank`, `number`, `n`, `fits`, and a content's `info`."""
    # The aggregates take the rows in the order of the subquery. With an order of their own they
    # would sort them again.
    return f"""
        select coalesce(string_agg(info, ',') filter (where fits and kept), '') as json,
               count(*) filter (where fits and kept) as found, {hits} as hits,
               coalesce(max(n) {_KEPT}, 0) as read, {_LAST}, {more}
        from ({cut_after(rows, _ORDER)} order by {_ORDER}) found
    """


def _looked_up(rows: str, more: str = _ALL) -> str:
    """The same where all fit, and none were read in the order of the list."""
    return f"""
        select coalesce(string_agg(info, ',') {_KEPT}, '') as json, count(*) {_KEPT} as found,
               count(*) {_KEPT} as hits, 0::bigint as read, {_LAST}, {more}
        from ({cut_after(rows, _ORDER)} order by {_ORDER}) found
    """


def _page(looked: str) -> str:
    """Of what is looked at, what fits, as far as it is asked for."""
    return _part_of(f"""
        select p.rank, p.number, p.n, p.fits, {INFO_JSON} as info
        from ({looked} where f.fits or o.n = {LOOKED} limit {_HIDDEN}) p
        join contents c on c.id = p.id {AUTHOR}
    """)


def _page_for_client(looked: str, matched: str = "", more: str = _ALL) -> str:
    """The same of what fits a client too. The rest of what is looked at is not read whole: only
    those are that are shown."""
    page = f"""
        select o.id, o.rank, o.number, o.n, t.fitting
        from (select * from looked where fits or n = {LOOKED} order by n) o
        cross join lateral (
            select case when o.fits then (
                select {fitting("k.id", "k.revision_id")} from contents k where k.id = o.id
            ) end as fitting
            offset 0
        ) t
        where t.fitting is not null or o.n = {LOOKED}
        limit {_HIDDEN}
    """
    rows = f"""
        select p.rank, p.number, p.n, p.fitting is not null as fits, {INFO_FITTING_JSON} as info
        from ({page}) p join contents c on c.id = p.id {AUTHOR}
    """
    part = _part_of(rows, "(select count(*) from looked where fits)", more)
    return f"with {matched} looked as materialized ({looked}) {part}"


_PUBLIC = "visibility = 'public'"
_BY_AGE = "null::float8 as rank"
_NUMBERS: Final = {
    "newest": ("number", "number"),
    "updated": ("listing_id", "listing_id as number"),
}
"""The lists by a number: the number, and the column. That of the second is the listingId."""


def _fits(listed: str, *, words: bool) -> str:
    """Whether a content fits that is looked at: it has the terms, of `words` or others. `listed` is
    that where no terms are asked for: they name the statuses, too. See _HIDDEN."""
    if words:
        return _HAS_WORDS
    return f"case when (select :terms::text) is null then {listed} else {_FITS_TERMS} end"


def _in_order_of(sort: str, types: int, *, words: bool = False) -> str:
    """What is looked at in the order of a list of so many types."""
    if sort in _NUMBERS:
        number, column = _NUMBERS[sort]
        return _looked(
            "contents",
            f"id, {_BY_AGE}, {column}, author_id, status",
            f"{_PUBLIC} and {number} < :number",
            f"{number} desc",
            types=types,
            merged="number desc",
            fits=_fits(f"{status_of('o')} = any(:statuses)", words=words),
        )
    return _looked(
        "content_ranks",
        f"content_id as id, {sort} as rank, number",
        f"({sort}, number) < (:rank, :number)",
        f"{sort} desc, number desc",
        types=types,
        merged="rank desc, number desc",
        fits=_fits(
            f"""(
                select {status_of("c")} = any(:statuses) and c.visibility = 'public'
                from contents c where c.id = o.id
            )""",
            words=words,
        ),
    )


def _in_order(sort: str, types: int, suffix: str) -> Read:
    sql = _page(_in_order_of(sort, types))
    if sort in _NUMBERS:

        @one(sql, replica=True, name=f"{sort}{suffix}")
        async def by_number(
            db: Db,
            types: list[str],
            statuses: list[str],
            terms: str | None,
            number: int,
            limit: int,
        ) -> FoundPart:
            """Content in the order of its numbers: of the `types` and `statuses`, with all `terms`
            (a tsquery; None for any), after the place in the list, at most `limit`."""

        return by_number

    @one(sql, replica=True, name=f"{sort}{suffix}")
    async def by_rank(
        db: Db,
        types: list[str],
        statuses: list[str],
        terms: str | None,
        rank: float,
        number: int,
        limit: int,
    ) -> FoundPart:
        """The same in the order of a rank."""

    return by_rank


def _words_in_order(sort: str, types: int, suffix: str) -> Read:
    sql, name = _page(_in_order_of(sort, types, words=True)), f"{sort}_of_words{suffix}"
    if sort in _NUMBERS:

        @one(sql, lane=SEARCHES, replica=True, name=name)
        async def by_number(
            db: Db, types: list[str], terms: str, number: int, limit: int
        ) -> FoundPart:
            """Content in the order of its numbers: of the `types`, with all `terms`, after the
            place in the list, at most `limit`, of LOOKED that are next."""

        return by_number

    @one(sql, lane=SEARCHES, replica=True, name=name)
    async def by_rank(
        db: Db, types: list[str], terms: str, rank: float, number: int, limit: int
    ) -> FoundPart:
        """The same in the order of a rank."""

    return by_rank


def _in_order_for_client(sort: str, types: int, suffix: str) -> Read:
    sql, name = _page_for_client(_in_order_of(sort, types)), f"{sort}_for_client{suffix}"
    if sort in _NUMBERS:

        @one(sql, replica=True, name=name)
        async def by_number(
            db: Db,
            types: list[str],
            statuses: list[str],
            terms: str | None,
            number: int,
            limit: int,
            game: list[int] | None,
            platform: str | None,
            features: list[str] | None,
        ) -> FoundPart:
            """What fits a client too, of LOOKED that are next; the last one if all were read."""

        return by_number

    @one(sql, replica=True, name=name)
    async def by_rank(
        db: Db,
        types: list[str],
        statuses: list[str],
        terms: str | None,
        rank: float,
        number: int,
        limit: int,
        game: list[int] | None,
        platform: str | None,
        features: list[str] | None,
    ) -> FoundPart:
        """The same in the order of a rank."""

    return by_rank


SORTS: Final = ("newest", "updated", "top", "trending", "played", "subscribed")
"""By age; by the latest publication; by all votes; by the votes, of which those of a week ago count
half; by how many have ever played it; by how many keep it."""
_OF_FEW: Final = {sort: _in_order(sort, _FEW, "") for sort in SORTS}
_OF_MANY: Final = {sort: _in_order(sort, _MANY, "_of_many") for sort in SORTS}
SORTED: Final = SORTS[1:]
"""Those in which matches of words must be sorted: they are found from the newest on."""
_WORDS_OF_FEW: Final = {sort: _words_in_order(sort, _FEW, "") for sort in SORTED}
_WORDS_OF_MANY: Final = {sort: _words_in_order(sort, _MANY, "_of_many") for sort in SORTED}
_OF_FEW_FOR_CLIENT: Final = {sort: _in_order_for_client(sort, _FEW, "") for sort in SORTS}
_OF_MANY_FOR_CLIENT: Final = {sort: _in_order_for_client(sort, _MANY, "_of_many") for sort in SORTS}


def in_order(sort: str, types: int) -> Read:
    """The read of all content of so many types in this order."""
    return (_OF_FEW if types <= _FEW else _OF_MANY)[sort]


def words_in_order(sort: str, types: int) -> Read:
    """The read in this order of all content of so many types that has words."""
    return (_WORDS_OF_FEW if types <= _FEW else _WORDS_OF_MANY)[sort]


def in_order_for_client(sort: str, types: int) -> Read:
    """The same of what fits a client."""
    return (_OF_FEW_FOR_CLIENT if types <= _FEW else _OF_MANY_FOR_CLIENT)[sort]


def _matches(most: str, before: str | None = None, terms: str = _TERMS) -> str:
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
    (select coalesce(max(newest / apart), 0)::bigint from more) as likely,
    (select coalesce(max(apart), 0)::float8 from more) as apart
"""
_MATCHED: Final = f"""
    matched as materialized ({_matches(":most")}),
    more as materialized (
        select max(number) as newest, (1.0 + max(number) - min(number)) / count(*) as apart
        from matched having count(*) >= :most
    )
"""


def _matched(rank: str, number: str, place: str) -> str:
    """The matches after a place, with what they are sorted by; none if there are more of them. An
    array of their numbers is one scan of the ranks' primary key, which has all of that. It is read
    apart, so that the planner does not read an index of the sort from end to end."""
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
    part = _looked_up(
        f"""
        select p.rank, p.number, {INFO_JSON} as info
        from (
            {_matched(rank, number, place)} order by rank desc, number desc limit {_HIDDEN}
        ) p join contents c on c.id = p.id {AUTHOR}
        """,
        _HOW_MANY,
    )
    return f"with {_MATCHED} {part}"


@one(
    _looked_up(f"""
        select {_BY_AGE}, p.number, {INFO_JSON} as info
        from ({_matches(_HIDDEN, ":number")}) p
        -- One by one: the planner cannot see the limit.
        cross join lateral (select * from contents where id = p.content_id offset 0) c
        {AUTHOR}
    """),
    lane=SEARCHES,
    replica=True,
)
async def matching_newest(db: Db, terms: str, number: int, limit: int) -> FoundPart:
    """Content that has all `terms`, by age."""


@one(
    _match("null::float8", "r.listing_id", "r.listing_id < :number"),
    lane=SEARCHES,
    replica=True,
)
async def matching_updated(db: Db, terms: str, most: int, number: int, limit: int) -> FoundPart:
    """Content that has all `terms`, if it is less than `most`, by the latest publication."""


def _ranked(looked: str) -> str:
    """What is looked at, numbered in its order."""
    return f"""
        select s.*, row_number() over (order by s.rank desc, s.number desc) as n, true as fits
        from ({looked} order by rank desc, number desc limit {LOOKED}) s
    """


def _matching_by_rank(sort: str) -> Read:
    @one(
        _match(f"r.{sort}", "r.number", f"(r.{sort}, r.number) < (:rank, :number)"),
        lane=SEARCHES,
        replica=True,
        name=f"matching_{sort}",
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
        where d.ctid = m.place and d.terms @@ shelved({_terms("whole")}, d.number)::tsquery
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
        select * from ({_before_newest(_terms("named"), "(select :most::bigint)")}) named
        where {_CUT}
        union all
        select * from ({_before_newest(_terms("whole"), str(OLDER))}) whole
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
    + _looked_up(f"""
        select p.rank, p.number, {INFO_JSON} as info
        from ({_RELEVANT} order by k.rank desc, m.number desc limit {_HIDDEN}) p
        join contents c on c.id = p.id {AUTHOR}
    """),
    lane=SEARCHES,
    replica=True,
)
async def matching_relevance(
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


_OF_IDS: Final = f"""
    from unnest(:contents::uuid[]) with ordinality as g (id, n)
    join contents c on c.id = g.id {AUTHOR}
    where c.type = any(:types) and {STATUS} = any(:statuses)
      and c.visibility = 'public' and (
        :terms::text is null or exists (
            select from documents d
            where d.content_id = c.id and d.terms @@ shelved({_TERMS}, d.number)::tsquery
        )
    )
"""


@many(
    within(
        f"select g.n, {INFO} {_OF_IDS}",
        INFO_COLUMNS,
        "n",
        INFO_BYTES,
        str(PART),
    )
)
async def by_ids(
    db: Db, contents: list[str], types: list[str], statuses: list[str], terms: str | None
) -> list[ContentInfo]:
    """Those of these contents that fit, in this order, and no more once their attributes have PART
    bytes."""


@one(f"select {state('info')} from (select g.n, {INFO} {_OF_IDS}) info", lane=WHOLE)
async def by_ids_state(
    db: Db, contents: list[str], types: list[str], statuses: list[str], terms: str | None
) -> str:
    """A value that changes whenever one of them does."""


MATCHING: Final[Mapping[str, Read]] = {
    "newest": matching_newest,
    "relevance": matching_relevance,
    "updated": matching_updated,
    "top": _matching_by_rank("top"),
    "trending": _matching_by_rank("trending"),
    "played": _matching_by_rank("played"),
    "subscribed": _matching_by_rank("subscribed"),
}


_NEWEST_MATCHES = f"""
    select m.content_id as id, {_BY_AGE}, m.number,
           row_number() over (order by m.number desc) as n, true as fits
    from ({_matches(str(LOOKED), ":number")}) m
"""


@one(_page_for_client(_NEWEST_MATCHES), lane=SEARCHES, replica=True)
async def matching_newest_for_client(
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
    _page_for_client(
        _ranked(_matched("null::float8", "r.listing_id", "r.listing_id < :number")),
        f"{_MATCHED},",
        _HOW_MANY,
    ),
    lane=SEARCHES,
    replica=True,
)
async def matching_updated_for_client(
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


def _matching_by_rank_for_client(sort: str) -> Read:
    matched = _matched(f"r.{sort}", "r.number", f"(r.{sort}, r.number) < (:rank, :number)")

    @one(
        _page_for_client(_ranked(matched), f"{_MATCHED},", _HOW_MANY),
        lane=SEARCHES,
        replica=True,
        name=f"matching_{sort}_for_client",
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


@one(_page_for_client(_ranked(_RELEVANT), f"{_NEWEST},"), lane=SEARCHES, replica=True)
async def matching_relevance_for_client(
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
    "newest": matching_newest_for_client,
    "relevance": matching_relevance_for_client,
    "updated": matching_updated_for_client,
    "top": _matching_by_rank_for_client("top"),
    "trending": _matching_by_rank_for_client("trending"),
    "played": _matching_by_rank_for_client("played"),
    "subscribed": _matching_by_rank_for_client("subscribed"),
}


def start(sort: str) -> Cursor:
    """The place before the first content of a list."""
    return (LAST,) if sort in {"newest", "updated"} else (float("inf"), LAST)
