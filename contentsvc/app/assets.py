"""The files of /docs, which are Swagger UI for /openapi.json, and the JavaScript client.

`scripts/vendor` fetches Swagger UI. `scripts/javascript-package` builds the JavaScript client.
"""

from gzip import compress
from html import escape
from pathlib import Path

from msgspec import json

from contentsvc.framework.http.assets import Asset
from contentsvc.framework.http.headers import prefers_html
from contentsvc.framework.http.request import ApiRequest
from contentsvc.framework.http.urls import base_path

_DOCS = Path(__file__).with_name("docs")
_JAVASCRIPT = Path(__file__).with_name("javascript") / "client.js"

_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",  # the icons in Swagger UI's style sheet
        "connect-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)
"""The Content Security Policy of the page: what it may load, and from where."""


def docs(site: str) -> dict[bytes, Asset]:
    """The page /docs of a site of this name, and the files that it loads, by their paths."""
    page = _read("index.html").replace(b"{site}", escape(site).encode())
    return {
        b"/docs": Asset(page, "text/html; charset=utf-8", policy=_POLICY),
        b"/docs/page.css": Asset(_read("page.css"), "text/css; charset=utf-8"),
        b"/docs/start.js": Asset(_read("start.js"), "text/javascript; charset=utf-8"),
        b"/docs/swagger-ui.css": Asset(
            _read("swagger-ui/swagger-ui.css.gz"), "text/css; charset=utf-8", gzipped=True
        ),
        b"/docs/swagger-ui-bundle.js": Asset(
            _read("swagger-ui/swagger-ui-bundle.js.gz"),
            "text/javascript; charset=utf-8",
            gzipped=True,
        ),
    }


def client() -> Asset:
    """The JavaScript client at /client.js, for pages without a build step."""
    stored = compress(_JAVASCRIPT.read_bytes(), mtime=0)
    return Asset(stored, "text/javascript; charset=utf-8", gzipped=True)


def _read(name: str) -> bytes:
    return (_DOCS / name).read_bytes()


_VARY = b"Vary: Accept\r\n"


class Index:
    """The answer at `/`. Its links begin with the path of `public_url`, for a proxy may serve the
    API below a path of its own."""

    def __init__(self, public_url: str | None = None) -> None:
        base = base_path(public_url)
        self._docs = f"{base}/docs".encode()
        links = {
            "service": "contentsvc",
            "documentation": f"{base}/docs",
            "openapi": f"{base}/openapi.json",
            "api": f"{base}/api/v1",
        }
        self._links = Asset(json.encode(links), "application/json")

    def answer(self, request: ApiRequest, fields: bytes) -> None:
        """Answer a GET or HEAD: 303 to the documentation if the client prefers HTML, otherwise 200
        with the links, or 304. `fields` are the header fields of every answer."""
        fields += _VARY
        if prefers_html(request.header_values(b"Accept")):
            request.answer(303, None, b"", fields + b"Location: %s\r\n" % self._docs)
        else:
            self._links.answer(request, fields)
