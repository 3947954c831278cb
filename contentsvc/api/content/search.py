"""Browsing and searching content (content#browsing)."""

from uuid import uuid4

import msgspec
from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import trimmed
from contentsvc.api.content import attributes
from contentsvc.api.content.requirements import client, put_fitting
from contentsvc.api.content.types_and_platforms import Chosen, ContentTypes, Platforms
from contentsvc.api.paging import choice, decoded, encoded, heavy, ids, key_of, words
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import at_parameter
from contentsvc.framework.http.permissions import ANYONE
from contentsvc.framework.http.reply import Encoded, Listed, Pieces
from contentsvc.framework.http.route import route
from contentsvc.roles import MODERATE
from contentsvc.store.content import browsing, suggestions
from contentsvc.store.content.browsing import Asked
from contentsvc.store.content.requirements import Has
from contentsvc.store.content.search import by_ids, by_ids_state, start
from contentsvc.wire.content import CONTENT_STATUSES, MOST_TAGS, ContentInfo
from contentsvc.wire.searches import ContentSearch, Suggestion, SuggestionQuery

_LONGEST_QUERY = 256


class Search(Struct):
    """The lists of all content."""

    db: Database
    types: ContentTypes
    platforms: Platforms

    @route("GET", "/content", allow=ANYONE)
    async def list_content(
        self, call: Call, query: ContentSearch
    ) -> Listed[ContentInfo] | Pieces[list[ContentInfo]]:
        """Browse and search content (content#browsing). Without parameters, this lists all active
        content, newest first. Each parameter is one more condition. Only admins can ask for content
        that is not active, with `status`. If the query says what the client has, only what fits it
        is listed; then a part may be shorter than `limit`, even empty, while its link goes on."""
        has = await client(query, self.platforms)
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
            return await self._of_ids(given, asked, has)
        if has.asked:
            part = await browsing.page_for_client(self.db, asked, sort, place, query.limit, has)
        else:
            part = await browsing.page(self.db, asked, sort, place, query.limit)
        more = None if part.goes_on is None else encoded(key, part.goes_on)
        return Listed(Encoded(part.json.encode()), more)

    @route("GET", "/suggestions", allow=ANYONE)
    async def get_suggestion(self, call: Call, query: SuggestionQuery) -> Suggestion:
        """Correct a misspelt search (content#suggestions). Of the first 8 words of `q`, each of 4
        letters or more that is in no name and no tag is replaced by the most frequent word that
        differs from it by a letter more, a letter less, another letter, or two that are swapped."""
        q = await suggestions.mended(self.db, trimmed("q", query.q, 1, _LONGEST_QUERY))
        return Suggestion(q if q is not None and len(q) <= _LONGEST_QUERY else None)

    async def _of_ids(
        self, given: list[str], asked: Asked, has: Has
    ) -> Listed[ContentInfo] | Pieces[list[ContentInfo]]:
        """These contents, as far as they fit. It is written in pieces if it is long."""
        fit = asked.types, asked.statuses, asked.other_terms
        left, db = given, self.db.whole()

        async def read(db: Db) -> tuple[list[ContentInfo], bool]:
            nonlocal left
            infos = await by_ids(db, left, *fit) if left else []
            left = left[left.index(infos[-1].id) + 1 :] if infos else []
            goes_on = heavy(infos)
            if has.asked:
                await put_fitting(db, infos, has)
            return [info for info in infos if not has.asked or info.fitting is not None], goes_on

        first, goes_on = await read(self.db)
        if not goes_on:
            return Listed(first, None)
        # Reading starts again: no piece may be older than the validator.
        left = given

        async def more() -> bytes:
            while left:
                infos, _ = await read(db)
                if infos:
                    return msgspec.json.encode(infos)[1:-1]
            return b""

        async def state() -> str:
            # What fits depends on more than they say.
            return str(uuid4()) if has.asked else await by_ids_state(db, given, *fit)

        return Pieces(more, state)


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
