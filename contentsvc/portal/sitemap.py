"""What there is for search engines at /sitemap.xml (sitemaps.org): an index, whose pages are
`?page=0` and those that follow. `Show more` of the portal is a button, which they do not press."""

import re
from collections.abc import Callable, Iterable
from gzip import compress
from html import escape
from typing import Final

from twisted.internet.defer import Deferred, DeferredLock
from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.concurrency import Cached
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.assets import Asset
from contentsvc.framework.http.errors import NotFound, Problem
from contentsvc.framework.http.reply import Reply
from contentsvc.framework.http.request import ApiRequest
from contentsvc.store.content import sitemap

PLACES: Final = ("/", "/browse", "/challenges", "/legal", "/notice")
"""The places of the first page, before all challenges."""
FRESH: Final = 3600
"""Seconds for which the index and a page count."""
_KEPT: Final = 100
"""Pages that are kept at once: some 4 MB."""
_MOST: Final = 50_000
"""Pages that an index may name."""
_PAGE: Final = re.compile(rb"[^?]*\?page=([0-9]{1,5})")
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SPACE: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"


class Sitemap:
    """Answers at /sitemap.xml.

    `public_url` is the URL of the service, and `types` are those of content. `translate` gives the
    problem for an error of the database, and `fail` answers after another. Each process reads a
    page once in FRESH seconds, and one at a time, however many ask.
    """

    def __init__(
        self,
        clock: IReactorTime,
        db: Database,
        reply: Reply,
        public_url: str,
        types: Iterable[str],
        translate: Callable[[Exception], Problem | None],
        fail: Callable[[ApiRequest], object],
    ) -> None:
        self._clock = clock
        self._db = db
        self._reply = reply
        self._url = escape(public_url.rstrip("/"))
        self._types = list(types)
        self._translate = translate
        self._fail = fail
        self._turn = DeferredLock()
        self._last = Cached(clock, FRESH, self._read_last, 0)
        self._pages: dict[int, Cached[Asset | None]] = {}

    def answer(self, request: ApiRequest, fields: bytes) -> None:
        """Answer a GET or HEAD, later: 404 for a page that there is not."""
        Deferred.fromCoroutine(self._answer(request))

    async def _answer(self, request: ApiRequest) -> None:
        try:
            asset = await self._asked(request.uri)
        except Exception as error:
            problem = error if isinstance(error, Problem) else self._translate(error)
            if problem is None:
                self._fail(request)
            else:
                self._reply.problem(request, problem)
            return
        request.setHeader(b"Cache-Control", b"public, max-age=%d" % FRESH)
        asset.answer(request, self._reply.fields(request, public=True))

    async def _asked(self, uri: bytes) -> Asset:
        """The index, or the page that the query names. Raises NotFound, and what the database
        raises."""
        pages = min(await self._last.get() // sitemap.NUMBERS + 1, _MOST)
        if b"?" not in uri:
            urls = (f"{self._url}/sitemap.xml?page={n}" for n in range(pages))
            return _listed("sitemapindex", "sitemap", urls)
        found = _PAGE.fullmatch(uri)
        if found is None or int(found[1]) >= pages:
            raise NotFound()
        asset = await self._page(int(found[1])).get()
        if asset is None:
            raise NotFound()
        return asset

    def _page(self, page: int) -> Cached[Asset | None]:
        if page not in self._pages:
            if len(self._pages) >= _KEPT:
                del self._pages[next(iter(self._pages))]
            self._pages[page] = Cached(self._clock, FRESH, lambda: self._read_page(page), None)
        return self._pages[page]

    async def _read_last(self) -> int:
        return await sitemap.last(self._db)

    async def _read_page(self, page: int) -> Asset:
        await self._turn.acquire()
        try:
            paths = []
            if page == 0:
                ids = await sitemap.challenges(self._db)
                paths = [*PLACES, *(f"/challenges/{id}" for id in ids)]
            found = await sitemap.content(self._db, self._types, page * sitemap.NUMBERS)
        finally:
            self._turn.release()
        paths += [f"/content/{one.id}" for one in found]
        paths += [f"/user/{id}" for id in dict.fromkeys(one.author_id for one in found)]
        return _listed("urlset", "url", (self._url + path for path in paths))


def _listed(name: str, each: str, urls: Iterable[str]) -> Asset:
    """A list of URLs, which are escaped already."""
    items = "".join(f"<{each}><loc>{url}</loc></{each}>\n" for url in urls)
    text = f'{_HEAD}<{name} xmlns="{_SPACE}">\n{items}</{name}>\n'
    data = compress(text.encode(), 4, mtime=0)
    return Asset(data, "application/xml; charset=utf-8", gzipped=True)
