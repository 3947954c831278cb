"""The query of a list of content, and the choice between the two ways to read a page of it
(content#browsing): contentsvc.store.content.search and contentsvc.store.content.matches.

Nobody knows beforehand how much content has some words. So matches are looked up first, and sorted
if there are at most FEW. If there are more, content is read in the order of the list, where a page
is often found soon. If it is not, up to MANY matches are looked up. If there are more still, a page
has what LONGEST reads find: it may be short, and the list goes on.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from contentsvc.framework.db.query import Db
from contentsvc.store.content import matches, search
from contentsvc.store.content.found_parts import READ_AT_ONCE, Cursor, FoundPart
from contentsvc.store.content.requirements import Has
from contentsvc.store.content.tokenizer import Question, all_of, filters, weighted
from contentsvc.store.fragments import PART

_Read = TypeVar("_Read", bound=Callable[..., Any])
_PARTS: Final = 8
"""Parts that are read in the order of a list until a page must be found. Beyond that, looking the
matches up takes less."""
LONGEST: Final = 40
"""Parts in the order of a list that are read for one page with words: 20,000 contents, at most."""


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
    terms: str
    """All that a match has."""
    named: str
    """The same, with the words as its name."""
    whole: str
    """The same, with the words elsewhere, and the last not as a beginning."""

    @property
    def empty(self) -> bool:
        """Whether there is a text to search for that has no word: nothing matches it."""
        return self.question is not None and self.question.empty

    @property
    def narrow(self) -> bool:
        """Whether this query probably matches little of all content."""
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
    of_words = [] if question is None else question.terms
    others = filters(types=[] if every else types, statuses=statuses)
    rest = [*narrowing, *others]
    terms = all_of([*of_words, *rest])
    named = whole = terms
    if question is not None:
        named = all_of([question.name, *rest])
        whole = all_of([question.whole, f"!{question.name}", *rest])
    return Asked(
        types, every, statuses, narrowing, question, author is not None, terms, named, whole
    )


class ContentPage(NamedTuple):
    """A page of a list: the JSON of a list of ContentInfo, and where the list goes on; None at its
    end."""

    json: str
    goes_on: Cursor | None


async def page(db: Db, asked: Asked, sort: str, place: Cursor, limit: int) -> ContentPage:
    """The next `limit` after the place in the list; fewer at its end, or where very much that has
    words is late in the order. Only what has a text can be sorted by `relevance`."""
    if asked.question is not None and sort in search.SORTED:
        return await _with_words(db, asked, sort, place, limit)
    if not asked.narrow or (asked.question is None and not asked.author and sort != "newest"):
        parts = await _in_order(db, asked, sort, place, limit)
        if parts is not None:
            return _joined(parts, limit)
    return _joined([await _matching(db, asked, sort, place, limit)], limit)


def _full(parts: Sequence[FoundPart]) -> bool:
    """Whether the page ends here for its length."""
    return parts[-1].cut or sum(len(part.json) for part in parts) >= PART


def _joined(parts: Sequence[FoundPart], limit: int, *, goes_on: bool = False) -> ContentPage:
    json = ",".join(part.json for part in parts if part.json)
    more = goes_on or sum(part.found for part in parts) == limit or _full(parts)
    return ContentPage(f"[{json}]", parts[-1].place if more else None)


async def _with_words(db: Db, asked: Asked, sort: str, place: Cursor, limit: int) -> ContentPage:
    """A page of what has words, which must be sorted."""
    lookup, in_order = matches.MATCHING[sort], search.words_in_order(sort, len(asked.types))
    few = await lookup(db, asked.terms, matches.FEW, *place, limit)
    if not few.more:
        return _joined([few], limit)
    parts: list[FoundPart] = []
    found, begun, looked = 0, place, False
    # Contents that may be read in order before looking the matches up takes less.
    worth = min(few.likely, matches.MANY)
    if limit * few.spacing > worth:
        worth = 0
    while len(parts) < LONGEST:
        if not looked and len(parts) * READ_AT_ONCE >= worth:
            looked = True
            many = await lookup(db, asked.terms, matches.MANY, *begun, limit)
            if not many.more:
                return _joined([many], limit)
        part = await in_order(db, asked.types, asked.terms, *place, limit - found)
        parts.append(part)
        found += part.found
        if found == limit or part.read < READ_AT_ONCE or _full(parts):
            return _joined(parts, limit)
        place = part.place
    return _joined(parts, limit, goes_on=True)


async def page_for_client(
    db: Db, asked: Asked, sort: str, place: Cursor, limit: int, has: Has
) -> ContentPage:
    """The next of the list that also fits a client. One part reads at most READ_AT_ONCE, so it may
    have few, or none."""
    if asked.question is not None and sort in search.SORTED:
        return await _with_words_for_client(db, asked, sort, place, limit, has)
    ordered = asked.question is None and not asked.author and sort != "newest"
    if not asked.narrow or ordered:
        part = await search.in_order_for_client(sort, len(asked.types))(
            db, asked.types, asked.statuses, asked.other_terms, *place, limit, *has
        )
        few = part.read == READ_AT_ONCE and part.hits * _PARTS < READ_AT_ONCE
        if not (asked.narrow and few):
            return _cut(part, limit)
    read, given = _read_of(matches.MATCHING_FOR_CLIENT, asked, sort)
    return _cut(await read(db, *given, *place, limit, *has), limit)


async def _with_words_for_client(
    db: Db, asked: Asked, sort: str, place: Cursor, limit: int, has: Has
) -> ContentPage:
    """The same of what has words, which must be sorted."""
    lookup = matches.MATCHING_FOR_CLIENT[sort]
    few = await lookup(db, asked.terms, matches.FEW, *place, limit, *has)
    if not few.more:
        return _cut(few, limit)
    part = await search.in_order_for_client(sort, len(asked.types))(
        db, asked.types, asked.statuses, asked.terms, *place, limit, *has
    )
    late = part.read == READ_AT_ONCE and part.hits * _PARTS < READ_AT_ONCE
    if late and few.likely <= matches.MANY:
        many = await lookup(db, asked.terms, matches.MANY, *place, limit, *has)
        part = part if many.more else many
    return _cut(part, limit)


def _cut(part: FoundPart, limit: int) -> ContentPage:
    more = part.found == limit or part.read == READ_AT_ONCE or part.cut
    return ContentPage(f"[{part.json}]", part.place if more else None)


async def _in_order(
    db: Db, asked: Asked, sort: str, place: Cursor, limit: int
) -> list[FoundPart] | None:
    """None if too little of what is read in order fits."""
    parts: list[FoundPart] = []
    found = 0
    while True:
        part = await search.in_order(sort, len(asked.types))(
            db, asked.types, asked.statuses, asked.other_terms, *place, limit - found
        )
        parts.append(part)
        found += part.found
        if found == limit or part.read < READ_AT_ONCE or _full(parts):
            return parts
        if found * _PARTS < limit * len(parts) and (asked.narrow or sort == "newest"):
            return None
        place = part.place


async def _matching(db: Db, asked: Asked, sort: str, place: Cursor, limit: int) -> FoundPart:
    read, given = _read_of(matches.MATCHING, asked, sort)
    return await read(db, *given, *place, limit)


def _read_of(
    reads: Mapping[str, _Read], asked: Asked, sort: str
) -> tuple[_Read, tuple[str | int, ...]]:
    """The read of matches, and what it is given before the place."""
    question = asked.question
    if sort == "newest":
        return reads[sort], (asked.terms,)
    if question is None:
        return reads[sort], (asked.terms, matches.ALL)
    # By relevance: all other orders of words are read elsewhere.
    places = [weighted(question.beginning, weight) for weight in "ABC"]
    words = question.name, question.exact, *places
    return reads[sort], (asked.terms, asked.named, asked.whole, *words, matches.RANKED)
