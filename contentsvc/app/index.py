"""What is at `/`: a browser is led to /docs, a program is told where everything is."""

from msgspec import json

from contentsvc.framework.http.accept import prefers_html
from contentsvc.framework.http.assets import Asset
from contentsvc.framework.http.request import ApiRequest
from contentsvc.framework.http.urls import base_path

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
