"""Browsing and searching content (extensions §1)."""

from msgspec import Struct

from contentsvc.api.checks import trimmed
from contentsvc.api.comma_lists import choice, ids, words
from contentsvc.api.paging import decoded, encoded, key_of
from contentsvc.db.query import Db
from contentsvc.roles import MODERATE
from contentsvc.store.content import browsing
from contentsvc.store.content.browsing import Asked
from contentsvc.store.content.search import by_ids, start
from contentsvc.web.call import Call
from contentsvc.web.errors import at_parameter
from contentsvc.web.permissions import ANYONE
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


class Search(Struct):
    """The lists of all content."""

    db: Db

    @route("GET", "/content", allow=ANYONE)
    async def list_content(self, call: Call, query: ContentSearch) -> Listed[ContentInfo]:
        """Browse and search content (extensions §1). Without parameters, this lists all active
        content, newest first. Each parameter is one more condition. Only admins can ask for content
        that is not active, with `status`."""
        asked = _asked(call, query)
        sort = query.sort or ("newest" if query.q is None else "relevance")
        if sort == "relevance" and query.q is None:
            raise at_parameter("sort", "Relevance needs a q.")
        key = key_of(sort, asked.terms)
        place = start(sort)
        if query.after is not None:
            place = decoded(key, query.after, len(place))
        given = None if query.ids is None else ids("ids", query.ids)
        if asked.empty:
            return Listed([], None)
        if given is not None:
            fit = asked.types, asked.statuses, asked.other_terms
            rows = await by_ids(self.db, given, *fit)
            return Listed([row.info for row in rows], None)
        rows = await browsing.page(self.db, asked, sort, place, query.limit)
        more = encoded(key, rows[-1].place) if len(rows) == query.limit else None
        return Listed([row.info for row in rows], more)


def _asked(call: Call, query: ContentSearch) -> Asked:
    """Raises InvalidQuery."""
    types = choice("category", query.category, CONTENT_TYPES)
    statuses = ["active"]
    if call.may(MODERATE) and query.status is not None:
        statuses = choice("status", query.status, CONTENT_STATUSES)
    tags = [] if query.tags is None else words(query.tags)
    if not all(tags) or len(tags) > MOST_TAGS:
        raise at_parameter("tags", f"This must be a comma-separated list of 1 to {MOST_TAGS} tags.")
    q = None if query.q is None else trimmed("q", query.q, 1, _LONGEST_QUERY)
    return browsing.asked(
        types, statuses, tags=tags, author=query.author, featured=query.featured, q=q
    )
