"""What a list of content is asked for, and which way leads to a page of it (extensions §1). The two
ways are in contentsvc.store.content.search."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from contentsvc.db.query import Db
from contentsvc.store.content import search
from contentsvc.store.content.requirements import Has
from contentsvc.store.content.search import ContentForClient, Cursor, FoundContent
from contentsvc.store.content.tokenizer import Question, all_of, filters

_Read = TypeVar("_Read", bound=Callable[..., Any])
_PARTS: Final = 8
"""In so many parts, which are read in the order of a list, a page must be found. Otherwise it takes
less to look the matches up."""


class Asked(NamedTuple):
    """What a list is asked for: see asked()."""

    types: list[str]
    every: bool
    """Whether there are no other types."""
    statuses: list[str]
    filters: list[str]
    """The terms of its tags, attributes, author and flag."""
    question: Question | None
    author: bool

    @property
    def empty(self) -> bool:
        """Whether there is a text to search for that has no word: nothing matches it."""
        return self.question is not None and self.question.empty

    @property
    def terms(self) -> str:
        """All that a match has."""
        types = [] if self.every else self.types
        of_words = [] if self.question is None else self.question.terms
        return all_of([*of_words, *self.filters, *filters(types=types, statuses=self.statuses)])

    @property
    def narrow(self) -> bool:
        """Whether this is little of all content, as far as one can tell before reading it."""
        return bool(self.filters) or self.question is not None or "active" not in self.statuses

    @property
    def other_terms(self) -> str | None:
        """The terms, if types and statuses do not say it all."""
        return self.terms if self.filters or self.question is not None else None


def asked(
    types: list[str],
    statuses: list[str],
    *,
    every: bool = False,
    tags: Sequence[str] = (),
    attributes: Sequence[str] = (),
    author: str | None = None,
    featured: bool | None = None,
    q: str | None = None,
) -> Asked:
    """Content of one of the `types` and `statuses`, with all `tags`, all `attributes` and all
    words of `q`. None is
    any."""
    question = None if q is None else Question(q)
    narrowing = filters(tags=tags, attributes=attributes, author=author, featured=featured)
    return Asked(types, every, statuses, narrowing, question, author is not None)


async def page(db: Db, asked: Asked, sort: str, place: Cursor, limit: int) -> list[FoundContent]:
    """The next `limit` after the place in the list; fewer at its end. Only what has a text can be
    sorted by `relevance`."""
    if not asked.narrow or (asked.question is None and not asked.author and sort != "newest"):
        rows = await _in_order(db, asked, sort, place, limit)
        if rows is not None:
            return rows
    return await _matching(db, asked, sort, place, limit)


async def page_for_client(
    db: Db, asked: Asked, sort: str, place: Cursor, limit: int, has: Has
) -> tuple[list[ContentForClient], Cursor | None]:
    """The next in the list that fits a client too, of at most LOOKED that are read for one part, so
    that these may be few, or none. Also the place at which the list goes on; None at its end."""
    ordered = asked.question is None and not asked.author and sort != "newest"
    if not asked.narrow or ordered:
        rows = await search.in_order_for_client(sort, len(asked.types))(
            db, asked.types, asked.statuses, asked.other_terms, *place, limit, *has
        )
        few = bool(rows) and rows[-1].n == search.LOOKED and rows[-1].hits * _PARTS < search.LOOKED
        if not (asked.narrow and few):
            return _part(rows, limit)
    read, given = _read_of(search.MATCHING_FOR_CLIENT, asked, sort)
    return _part(await read(db, *given, *place, limit, *has), limit)


def _part(rows: list[ContentForClient], limit: int) -> tuple[list[ContentForClient], Cursor | None]:
    fitting = [row for row in rows if row.fitting is not None]
    more = len(fitting) == limit or (bool(rows) and rows[-1].n == search.LOOKED)
    return fitting, rows[-1].place if more else None


async def _in_order(
    db: Db, asked: Asked, sort: str, place: Cursor, limit: int
) -> list[FoundContent] | None:
    """None if too little of what is read in order fits."""
    found: list[FoundContent] = []
    part = 0
    while True:
        part += 1
        left = limit - len(found)
        rows = await search.in_order(sort, len(asked.types))(
            db, asked.types, asked.statuses, asked.other_terms, *place, left
        )
        found += [row for row in rows if row.fits]
        if len(found) == limit or not rows or rows[-1].n < search.LOOKED:
            return found
        if len(found) * _PARTS < limit * part and (asked.narrow or sort == "newest"):
            return None
        place = rows[-1].place


async def _matching(
    db: Db, asked: Asked, sort: str, place: Cursor, limit: int
) -> list[FoundContent]:
    read, given = _read_of(search.MATCHING, asked, sort)
    return await read(db, *given, *place, limit)


def _read_of(
    reads: Mapping[str, _Read], asked: Asked, sort: str
) -> tuple[_Read, tuple[str | int, ...]]:
    """The read of matches, and what it is given before the place."""
    question = asked.question
    if sort == "newest":
        return reads[sort], (asked.terms,)
    words_of = (question.exact, question.beginning) if question and sort == "relevance" else ()
    most = search.ALL if question is None else search.RANKED
    return reads[sort], (asked.terms, *words_of, most)
