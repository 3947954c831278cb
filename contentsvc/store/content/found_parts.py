"""Parts of lists of content, and the SQL that makes them of what is read in order or looked up
(content#browsing): see contentsvc.store.content.search and contentsvc.store.content.matches."""

from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from contentsvc.store.content.requirements import fitting
from contentsvc.store.fragments import AUTHOR, INFO_FITTING_JSON, INFO_JSON, cut_after

READ_AT_ONCE: Final = 500
"""Most contents that are read in the order of a list to find those that fit."""
HIDDEN: Final = "(select :limit::bigint)"
"""The limit, hidden from the planner: what it knows of one call, such as how few rows are asked for
or that there are no terms, makes it plan each call anew. That takes longer than to run it."""
BY_AGE: Final = "null::float8 as rank"
_EXCLUDED = 1000
"""Most leaving users who are excluded by terms: a tsquery must not grow too long."""


def terms_of(parameter: str) -> str:
    """The terms, without the content of users who are leaving: its documents have its text
    still."""
    return f"""(
    select :{parameter}::text || coalesce(string_agg(' & !''~@' || user_id || '''', ''), '')
    from (select user_id from departures where pending limit {_EXCLUDED}) leaving
)"""


TERMS = terms_of("terms")

Cursor = tuple[float, ...]
"""The place of a content in a list: its rank and its number; in a list by age only a number."""


class FoundPart(NamedTuple):
    """A part of a list. `json` has the ContentInfo of each content that was `found`, between
    commas. `read` is how many were read in the order of the list, 0 for matches that were looked
    up. Of these, `hits` match the query; they are `found` only if they fit the client, too. `rank`
    (None in lists by age) and `number` are the place of the last one; None if there was none. It
    may be `cut` for its length: then there may be more. If there are more matches than were looked
    up, none are found: `likely` is how many there may be, and `spacing` how many contents lie
    between two of the newest. Both are 0 otherwise."""

    json: str
    found: int
    hits: int
    read: int
    rank: float | None
    number: int | None
    cut: bool
    likely: int
    spacing: float

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


_KEPT: Final = "filter (where kept)"
_LAST: Final = f"""
    (array_agg(rank) {_KEPT})[(count(*) {_KEPT})::int] as rank,
    (array_agg(number) {_KEPT})[(count(*) {_KEPT})::int] as number,
    coalesce(bool_or(not kept), false) as cut
"""
_ORDER: Final = "rank desc, number desc"
_ALL: Final = "0::bigint as likely, 0::float8 as spacing"


def part_of(
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


def looked_up(rows: str, more: str = _ALL) -> str:
    """The same where all fit, and none were read in the order of the list."""
    return f"""
        select coalesce(string_agg(info, ',') {_KEPT}, '') as json, count(*) {_KEPT} as found,
               count(*) {_KEPT} as hits, 0::bigint as read, {_LAST}, {more}
        from ({cut_after(rows, _ORDER)} order by {_ORDER}) found
    """


def page_of(looked: str) -> str:
    """Those of the read rows that fit, up to the limit."""
    return part_of(f"""
        select p.rank, p.number, p.n, p.fits, {INFO_JSON} as info
        from ({looked} where f.fits or o.n = {READ_AT_ONCE} limit {HIDDEN}) p
        join contents c on c.id = p.id {AUTHOR}
    """)


def page_for_client(looked: str, matched: str = "", more: str = _ALL) -> str:
    """The same of what also fits a client. Only the rows that are shown are read whole."""
    page = f"""
        select o.id, o.rank, o.number, o.n, t.fitting
        from (select * from looked where fits or n = {READ_AT_ONCE} order by n) o
        cross join lateral (
            select case when o.fits then (
                select {fitting("k.id", "k.revision_id")} from contents k where k.id = o.id
            ) end as fitting
            offset 0
        ) t
        where t.fitting is not null or o.n = {READ_AT_ONCE}
        limit {HIDDEN}
    """
    rows = f"""
        select p.rank, p.number, p.n, p.fitting is not null as fits, {INFO_FITTING_JSON} as info
        from ({page}) p join contents c on c.id = p.id {AUTHOR}
    """
    part = part_of(rows, "(select count(*) from looked where fits)", more)
    return f"with {matched} looked as materialized ({looked}) {part}"
