"""The pages of the portal: one shell for all places. Its script shows the place of the address."""

from collections.abc import Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from functools import partial
from gzip import compress
from html import escape
from typing import Any, Final, Protocol, TypeVar
from urllib.parse import unquote

from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.web.server import NOT_DONE_YET

from contentsvc.config import Settings
from contentsvc.config.brand import Brand
from contentsvc.config.legal import Legal
from contentsvc.config.studio_files import StudioFiles
from contentsvc.framework.db.database import Database
from contentsvc.framework.http.assets import Asset
from contentsvc.framework.http.body_reader import SMALL
from contentsvc.framework.http.errors import MethodNotAllowed
from contentsvc.framework.http.guids import is_guid
from contentsvc.framework.http.headers import prefers_html, prefers_json
from contentsvc.framework.http.reply import Reply
from contentsvc.framework.http.request import ApiRequest
from contentsvc.framework.http.urls import base_path, origin_of
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.portal import face
from contentsvc.portal.assets import FIRST, FOLDER, Assets
from contentsvc.portal.heads import SCRIPT_NEEDED, Head, Heads
from contentsvc.portal.previews import Preview, preview

log = Logger()

PREVIEWED: Final = frozenset({"content", "user", "challenges", "collections"})
"""The places of one thing, which have its GUID behind this segment."""
NOT_PAGES: Final = (b"/methods/", b"/oauth/", b"/docs", b"/files/", b"/health/")
"""What is below these is never answered with a page."""
LANGUAGES: Final = ("en", "de")
ALONE: Final = ("/account", "/console", "/register", "/settings")
"""What these begin is never in a frame; `router.js` has them too."""
_BELOW: Final = b"/portal/"
_FOREVER: Final = b"public, max-age=31536000, immutable"
_READ = "GET, HEAD, OPTIONS"
ANSWER_PATIENCE: Final = 4
"""Seconds that a page waits for its preview, or for the issuers."""

Previews = Callable[[str, str], Coroutine[Any, Any, Preview | None]]
T = TypeVar("T")


class Issuers(Protocol):
    """Those with which people log in."""

    def token_endpoints(self) -> list[str]:
        """Where the page brings the codes of log-ins, as far as that is known."""

    async def known(self) -> None:
        """Wait until that is known of all, or cannot be."""


class Pages:
    """Answers the portal's paths.

    `previews` gives what a link to a place shows, by kind and id. `media_url` is where pictures
    are, `store` the URLs of the file store, `public_url` the URL of the service: without one a
    link has no picture, for the host of a request is not to be believed. `brand` is what the
    studio says of it, `legal` what the operator says of the law, and `embedders` are the origins
    whose pages may have those of the portal in a frame.
    """

    def __init__(
        self,
        clock: IReactorTime,
        reply: Reply,
        assets: Assets,
        previews: Previews,
        issuers: Issuers,
        *,
        public_url: str | None,
        media_url: str | None,
        store: Iterable[str] | None,
        brand: Brand | None = None,
        legal: Legal | None = None,
        embedders: Iterable[str] = (),
    ) -> None:
        self._clock = clock
        self._reply = reply
        self._assets = assets
        self._previews = previews
        self._issuers = issuers
        self._base = base_path(public_url)
        self._media = (origin_of(media_url),) if media_url else ()
        self._store = [origin_of(url) for url in store or ()]
        self._template = (FOLDER / "shell.html").read_text()
        self._start = f"{self._base}/portal/{assets.digest}"
        self._brand = brand
        self._legal = legal
        self._known = known = (public_url or "").rstrip("/")
        self._heads = Heads(
            brand,
            known,
            media_url or (known and f"{known}/files/media"),
            known and f"{known}/portal/{assets.digest}",
            self._base,
        )
        self._icon = face.icon(brand)
        self._ancestors = " ".join(embedders) or "'none'"

    def beside(self) -> dict[bytes, Asset]:
        """What browsers and search engines ask for beside the pages, by its paths."""
        return {
            b"/favicon.ico": self._assets.files[self._icon[0]],
            b"/manifest.webmanifest": face.manifest(self._brand, self._base, self._start),
            b"/robots.txt": face.robots(self._base, self._known),
        }

    def has(self, request: ApiRequest) -> bool:
        """Whether this path is a page, or a file of the pages. A place is one
        unless JSON is preferred: what shows a shared link elsewhere often accepts `*/*`. A browser
        gets a page for what is nowhere, too."""
        path = request.path
        if path.startswith(NOT_PAGES):
            return False
        if path.startswith(_BELOW):
            return path != b"/portal/session"
        if request.method not in {b"GET", b"HEAD"}:
            return False
        accept = request.header_values(b"Accept")
        if path != b"/" and self._assets.place(_place(path)):
            return not prefers_json(accept)
        return prefers_html(accept)

    def judge(self, request: ApiRequest) -> int:
        """The bytes that the body may have. Raises MethodNotAllowed."""
        if request.method not in {b"GET", b"HEAD", b"OPTIONS"}:
            raise MethodNotAllowed(f"This path allows {_READ}.", headers={"Allow": _READ})
        return SMALL

    def render(self, request: ApiRequest) -> int:
        """Answer the request, now or later. Never raises."""
        if request.method == b"OPTIONS":
            self._reply.options(request, _READ.encode())
        elif request.path.startswith(_BELOW):
            self._file(request)
        else:
            Deferred.fromCoroutine(self._page(request))
        return NOT_DONE_YET

    def _file(self, request: ApiRequest) -> None:
        request.route = "/portal/"
        digest, _, name = request.path.decode("latin-1").removeprefix("/portal/").partition("/")
        asset = self._assets.files.get(name) if digest == self._assets.digest else None
        if asset is None:
            request.answer(404, b"text/plain", b"", self._reply.fields(request))
        else:
            request.setHeader(b"Cache-Control", _FOREVER)
            asset.answer(request, self._reply.own_fields(request))

    async def _page(self, request: ApiRequest) -> None:
        request.route = "/portal"
        path = _place(request.path)
        module = self._assets.place(path)
        kind, _, id = path[1:].partition("/")
        language = preferred(request.header_values(b"Accept-Language"))
        status = 200 if module else 404
        head = self._heads.of_place(path, language) if module else self._heads.nowhere()
        if module and kind in PREVIEWED and is_guid(id):
            head = self._heads.unknown()
            try:
                shown = await self._soon(self._previews(kind, id.lower()))
                if shown:
                    head = self._heads.of_thing(shown, f"/{kind}/{id.lower()}", language)
                else:
                    status, head = 404, self._heads.nowhere()
            except Exception as error:
                # Log: a page was sent without what a shared link shows. Do: see why the database
                # did not answer.
                log.warn("A page has no preview: {error}", error=str(error))
        elif path == "/log-in" and b"code=" in request.uri:
            # The policy of the page that comes from an issuer must name it, also when the process
            # has just started.
            with suppress(TimeoutError):
                await self._soon(self._issuers.known())
        page = self._shell(module, head, language, _is_alone(path))
        request.setHeader(b"Referrer-Policy", b"same-origin")
        fields = self._reply.fields(request) + b"Vary: Accept, Accept-Language\r\n"
        page.answer(request, fields, status)

    async def _soon(self, work: Coroutine[Any, Any, T]) -> T:
        """What this work gives. Raises TimeoutError where it takes too long. The work goes on:
        nobody cancels a statement."""
        answer: Deferred[T] = Deferred()
        asked = Deferred.fromCoroutine(work)
        asked.addCallbacks(answer.callback, answer.errback)
        return await answer.addTimeout(ANSWER_PATIENCE, self._clock)

    def _shell(self, module: str | None, head: Head, language: str, alone: bool) -> Asset:
        needed = self._assets.needed("main.js") + (self._assets.needed(module) if module else [])
        needed.append(f"texts/{language}.js")
        if "parts/form.js" in needed:
            needed.append(f"texts/{language}.errors.js")
        if module and module != FIRST:
            needed.append(f"texts/{language}.more.js")
        preloads = "".join(
            f'<link rel="modulepreload" href="{self._start}/{name}">\n'
            for name in dict.fromkeys(needed)
        )
        text = self._template.format(
            language=language,
            title=escape(head.title),
            members=head.members,
            scriptless=f"{head.body}<p>{SCRIPT_NEEDED._asdict()[language]}</p>",
            icon=f"{self._start}/{self._icon[0]}",
            icon_media=self._icon[1],
            brand=face.header(self._brand, self._start),
            footer=face.footer(self._brand, self._base, self._legal),
            assets=self._start,
            base=self._base,
            sheet=f'<link rel="stylesheet" href="{self._start}/places.css">\n'
            if module != FIRST
            else "",
            preloads=preloads,
        )
        issuers = (origin_of(url) for url in self._issuers.token_endpoints())
        ancestors = "'none'" if alone else self._ancestors
        policy = _policy(self._media, dict.fromkeys((*self._store, *issuers)), ancestors)
        data = compress(text.encode(), mtime=0)
        return Asset(data, "text/html; charset=utf-8", gzipped=True, policy=policy)


def _place(path: bytes) -> str:
    """The path as the table of places has it."""
    return path.decode("latin-1").rstrip("/") or "/"


def _is_alone(path: str) -> bool:
    """Whether no page of others has this one in a frame, where it could cover what is pressed."""
    return unquote(path).lower().startswith(ALONE)


def preferred(values: Iterable[bytes]) -> str:
    """The first language of Accept-Language that the pages have: English where there is none. A
    visitor may have chosen another, which the page then loads by itself."""
    for tag in b",".join(values).decode("latin-1").lower().split(","):
        if (language := tag.strip()[:2]) in LANGUAGES:
            return language
    return LANGUAGES[0]


def make_pages(
    settings: Settings,
    clock: IReactorTime,
    db: Database,
    issuers: Issuers,
    bucket: Bucket | None,
    reply: Reply,
    studio: StudioFiles,
    modules: Mapping[str, bytes],
) -> Pages:
    """The pages of this service, with the `modules` that have what it says of itself."""
    media_url = bucket.media_url(settings.public_url or "") if bucket is not None else None
    return Pages(
        clock,
        reply,
        Assets(studio.brand, modules),
        partial(preview, db, settings.markup),
        issuers,
        public_url=settings.public_url,
        media_url=media_url if media_url and "://" in media_url else None,
        store=None if bucket is None else bucket.urls(),
        brand=studio.brand,
        legal=studio.legal,
        embedders=settings.embed_origins,
    )


def _policy(media: Iterable[str], elsewhere: Iterable[str], ancestors: str) -> str:
    """The Content Security Policy of a page: what it may load, and from where."""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            " ".join(("img-src 'self' blob:", *media)),
            " ".join(("connect-src 'self'", *elsewhere)),
            "manifest-src 'self'",
            "require-trusted-types-for 'script'",
            "trusted-types 'none'",
            "base-uri 'none'",
            "form-action 'none'",
            f"frame-ancestors {ancestors}",
        )
    )
