"""Browsing and searching content (extensions §1)."""

from typing import Final, NamedTuple

from contentsvc.api.checks import trimmed
from contentsvc.api.commas import choice, ids, words
from contentsvc.api.cursors import decoded, encoded, key_of
from contentsvc.db.query import Db
from contentsvc.store import search as store
from contentsvc.store.search import Found, Place
from contentsvc.store.words import Question, all_of, filters
from contentsvc.web.allow import ANYONE
from contentsvc.web.call import Call
from contentsvc.web.errors import at_parameter
from contentsvc.web.reply import Listed
from contentsvc.web.route import route
from contentsvc.wire.content import (
    CONTENT_STATUSES,
    CONTENT_TYPES,
    MOST_TAGS,
    ContentInfo,
    ContentSearch,
)

_LONGEST_QUERY = 256
_PARTS: Final = 8
"""In so many parts, which are read in the order of a list, a page must be found. Otherwise it takes
less to look the matches up."""


class _Asked(NamedTuple):
    """What a request asks for."""

    types: list[str]
    statuses: list[str]
    filters: list[str]
    """The terms of its tags, author and flag."""
    question: Question | None
    author: bool

    @property
    def terms(self) -> str:
        """All that a match has."""
        types = self.types if len(self.types) < len(CONTENT_TYPES) else []
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


class Search:
    """The lists of all content."""

    def __init__(self, db: Db) -> None:
        self._db = db

    @route("GET", "/content", allow=ANYONE)
    async def content(self, call: Call, query: ContentSearch) -> Listed[ContentInfo]:
        """Browse and search content (extensions §1). Without parameters, this lists all active
        content, newest first. Each parameter is one more condition. Only admins can ask for content
        that is not active, with `status`."""
        asked = _asked(call, query)
        sort = query.sort or ("newest" if asked.question is None else "relevance")
        if sort == "relevance" and asked.question is None:
            raise at_parameter("sort", "Relevance needs a q.")
        key = key_of(sort, asked.terms)
        place = store.start(sort)
        if query.after is not None:
            place = decoded(key, query.after, len(place))
        given = None if query.ids is None else ids("ids", query.ids)
        if asked.question is not None and asked.question.empty:
            return Listed([], None)
        if given is not None:
            rows = await store.by_ids(
                self._db, given, asked.types, asked.statuses, asked.other_terms
            )
            return Listed([row.info for row in rows], None)
        rows = await self._page(asked, sort, place, query.limit)
        more = encoded(key, rows[-1].place) if len(rows) == query.limit else None
        return Listed([row.info for row in rows], more)

    async def _page(self, asked: _Asked, sort: str, place: Place, limit: int) -> list[Found]:
        if not asked.narrow or (asked.question is None and not asked.author and sort != "newest"):
            rows = await self._in_order(asked, sort, place, limit)
            if rows is not None:
                return rows
        return await self._matching(asked, sort, place, limit)

    async def _in_order(
        self, asked: _Asked, sort: str, place: Place, limit: int
    ) -> list[Found] | None:
        """None if too little of what is read in order fits."""
        found: list[Found] = []
        part = 0
        while True:
            part += 1
            left = limit - len(found)
            rows = await store.IN_ORDER[sort](
                self._db, asked.types, asked.statuses, asked.other_terms, *place, left
            )
            found += [row for row in rows if row.fits]
            if len(found) == limit or not rows or rows[-1].n < store.LOOKED:
                return found
            if len(found) * _PARTS < limit * part and (asked.narrow or sort == "newest"):
                return None
            place = rows[-1].place

    async def _matching(self, asked: _Asked, sort: str, place: Place, limit: int) -> list[Found]:
        read, question = store.MATCHING[sort], asked.question
        if sort == "newest":
            return await read(self._db, asked.terms, *place, limit)
        words_of = [question.exact, question.beginning] if question and sort == "relevance" else []
        most = store.ALL if question is None else store.RANKED
        return await read(self._db, asked.terms, *words_of, most, *place, limit)


def _asked(call: Call, query: ContentSearch) -> _Asked:
    """Raises InvalidQuery."""
    types = choice("category", query.category, CONTENT_TYPES)
    statuses = ["active"]
    if call.viewer.admin and query.status is not None:
        statuses = choice("status", query.status, CONTENT_STATUSES)
    tags = [] if query.tags is None else words(query.tags)
    if not all(tags) or len(tags) > MOST_TAGS:
        raise at_parameter("tags", f"This must be a comma-separated list of 1 to {MOST_TAGS} tags.")
    question = None
    if query.q is not None:
        question = Question(trimmed("q", query.q, 1, _LONGEST_QUERY))
    narrowing = filters(tags=tags, author=query.author, featured=query.featured)
    return _Asked(types, statuses, narrowing, question, query.author is not None)
