"""Content in the order of a list (content#browsing). The tables are described in
schema/tables/content.sql.

There are two ways to read a page. This one reads content in the order of the sort, and leaves out
what does not match: it is right where much matches. The other, in contentsvc.store.content.matches,
looks up the matches, shelf by shelf from the newest, and then sorts them: it is right where few
match.
"""

from typing import Final

from contentsvc.framework.db.connection_bulkhead import SEARCHES, WHOLE
from contentsvc.framework.db.query import Db, many, one
from contentsvc.store.content.found_parts import (
    BY_AGE,
    READ_AT_ONCE,
    TERMS,
    Cursor,
    FoundPart,
    Read,
    page_for_client,
    page_of,
)
from contentsvc.store.fragments import (
    AUTHOR,
    INFO,
    INFO_BYTES,
    INFO_COLUMNS,
    LAST,
    PART,
    STATUS,
    state,
    status_of,
    within,
)
from contentsvc.wire.content import ContentInfo

_AS_READ: Final = f"(select {READ_AT_ONCE})"
"""READ_AT_ONCE, hidden from the planner. The planner takes an unknown limit for a small one, and
reads an index only as far as it must. With a known one, it would read and sort all of a small
table."""
_FEW: Final = 5
_MANY: Final = 48
"""Most types that one statement merges. The few are those that every service has."""


_FITS_TERMS: Final = f"""exists (
    select from documents d
    where d.content_id = o.id and d.terms @@ shelved({TERMS}, d.number)::tsquery
)"""
# To parse the terms of words for each content would take longer than all else: it is done once for
# each shelf.
_HAS_WORDS: Final = f"""exists (
    select from documents d
    where d.content_id = o.id and d.terms @@ (
        select array_agg(replace(asked.terms, '~', to_hex(shelf))::tsquery order by shelf)
        from (select {TERMS} as terms offset 0) asked,
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


_PUBLIC = "visibility = 'public'"
_NUMBERS: Final = {
    "newest": ("number", "number"),
    "updated": ("listing_id", "listing_id as number"),
}
"""The lists by a number: the number, and the column. That of the second is the listingId."""


def _fits(listed: str, *, words: bool) -> str:
    """Whether a content that is read fits: it has the terms, of `words` or others. `listed` is the
    condition without terms, which otherwise name the statuses, too. See HIDDEN."""
    if words:
        return _HAS_WORDS
    return f"case when (select :terms::text) is null then {listed} else {_FITS_TERMS} end"


def _in_order_of(sort: str, types: int, *, words: bool = False) -> str:
    """The rows to read in the order of a list of so many types."""
    if sort in _NUMBERS:
        number, column = _NUMBERS[sort]
        return _looked(
            "contents",
            f"id, {BY_AGE}, {column}, author_id, status",
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
    sql = page_of(_in_order_of(sort, types))
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
    sql, name = page_of(_in_order_of(sort, types, words=True)), f"{sort}_of_words{suffix}"
    if sort in _NUMBERS:

        @one(sql, lane=SEARCHES, replica=True, name=name)
        async def by_number(
            db: Db, types: list[str], terms: str, number: int, limit: int
        ) -> FoundPart:
            """Content in the order of its numbers: of the `types`, with all `terms`, after the
            place in the list, at most `limit`, of READ_AT_ONCE that are next."""

        return by_number

    @one(sql, lane=SEARCHES, replica=True, name=name)
    async def by_rank(
        db: Db, types: list[str], terms: str, rank: float, number: int, limit: int
    ) -> FoundPart:
        """The same in the order of a rank."""

    return by_rank


def _in_order_for_client(sort: str, types: int, suffix: str) -> Read:
    sql, name = page_for_client(_in_order_of(sort, types)), f"{sort}_for_client{suffix}"
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
            """Those of the next READ_AT_ONCE that also fit a client; the last one, if all were
            read."""

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
half; by how many have ever played it; by its subscribers."""
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


_OF_IDS: Final = f"""
    from unnest(:contents::uuid[]) with ordinality as g (id, n)
    join contents c on c.id = g.id {AUTHOR}
    where c.type = any(:types) and {STATUS} = any(:statuses)
      and c.visibility = 'public' and (
        :terms::text is null or exists (
            select from documents d
            where d.content_id = c.id and d.terms @@ shelved({TERMS}, d.number)::tsquery
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


def start(sort: str) -> Cursor:
    """The place before the first content of a list."""
    return (LAST,) if sort in {"newest", "updated"} else (float("inf"), LAST)
