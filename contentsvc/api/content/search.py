"""Browsing and searching content (extensions §1)."""

from msgspec import Struct

from contentsvc.api.checks import trimmed
from contentsvc.api.comma_lists import choice, ids, words
from contentsvc.api.content import attributes
from contentsvc.api.content.requirements import client, put_fitting
from contentsvc.api.content.types import Chosen, ContentTypes
from contentsvc.api.paging import decoded, encoded, key_of
from contentsvc.db.query import Db
from contentsvc.roles import MODERATE
from contentsvc.store.content import browsing
from contentsvc.store.content.browsing import Asked
from contentsvc.store.content.search import by_ids, start
from contentsvc.web.call import Call
from contentsvc.web.errors import at_parameter
from contentsvc.web.permissions import ANYONE
from contentsvc.web.reply import Encoded, Listed
from contentsvc.web.route import route
from contentsvc.wire.content import (
    CONTENT_STATUSES,
    MOST_TAGS,
    ContentInfo,
    ContentSearch,
)

_LONGEST_QUERY = 256


class Search(Struct):
    """The lists of all content."""

    db: Db
    types: ContentTypes

    @route("GET", "/content", allow=ANYONE)
    async def list_content(self, call: Call, query: ContentSearch) -> Listed[ContentInfo]:
        """Browse and search content (extensions §1). Without parameters, this lists all active
        content, newest first. Each parameter is one more condition. Only admins can ask for content
        that is not active, with `status`. If the query says what the client has, only what fits it
        is listed; then a part may be shorter than `limit`, even empty, while its link goes on."""
        has = client(query)
        asked = _asked(call, query, await self.types.choice(query.category))
        sort = query.sort or ("newest" if query.q is None else "relevance")
        if sort == "relevance" and query.q is None:
            raise at_parameter("sort", "Relevance needs a q.")
        key = key_of(sort, asked.terms, *(has if has.asked else ()))
        place = start(sort)
        if query.after is not None:
            place = decoded(key, query.after, len(place))
        given = None if query.ids is None else ids("ids", query.ids)
        if asked.empty:
            return Listed([], None)
        if given is not None:
            fit = asked.types, asked.statuses, asked.other_terms
            infos = await by_ids(self.db, given, *fit)
            if has.asked:
                await put_fitting(self.db, infos, has)
                infos = [info for info in infos if info.fitting is not None]
            return Listed(infos, None)
        if has.asked:
            part = await browsing.page_for_client(self.db, asked, sort, place, query.limit, has)
        else:
            part = await browsing.page(self.db, asked, sort, place, query.limit)
        more = None if part.goes_on is None else encoded(key, part.goes_on)
        return Listed(Encoded(part.json.encode()), more)


def _asked(call: Call, query: ContentSearch, types: Chosen) -> Asked:
    """Raises InvalidQuery."""
    statuses = ["active"]
    if call.may(MODERATE) and query.status is not None:
        statuses = choice("status", query.status, CONTENT_STATUSES)
    tags = [] if query.tags is None else words(query.tags)
    if not all(tags) or len(tags) > MOST_TAGS:
        raise at_parameter("tags", f"This must be a comma-separated list of 1 to {MOST_TAGS} tags.")
    attr = attributes.asked(query.attr)
    q = None if query.q is None else trimmed("q", query.q, 1, _LONGEST_QUERY)
    return browsing.asked(
        types,
        statuses,
        every=types.every,
        tags=tags,
        attributes=attr,
        author=query.author,
        featured=query.featured,
        q=q,
    )
