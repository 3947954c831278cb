"""What is at `/`: a browser is led to /docs, a program is told where everything is."""

from collections.abc import Iterable

from msgspec import json
from werkzeug.http import parse_accept_header

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


def prefers_html(values: Iterable[bytes]) -> bool:
    """Whether these values of Accept (RFC 9110 §12.5.1) weigh HTML more than JSON. Where they weigh
    the same, as in `*/*`, the client is no browser."""
    html, json = _weights(values)
    return html > json


def prefers_json(values: Iterable[bytes]) -> bool:
    """Whether these values of Accept weigh JSON more than HTML."""
    html, json = _weights(values)
    return json > html


def _weights(values: Iterable[bytes]) -> tuple[float, float]:
    """What these values of Accept weigh HTML and JSON."""
    accept = parse_accept_header(b",".join(values).decode("latin-1"))
    # The heaviest comes first in it, and so last here.
    weights = {media.partition(";")[0].lower(): weight for media, weight in reversed(accept)}

    def weight(*ranges: str) -> float:
        return next((weights[media] for media in ranges if media in weights), 0.0)

    html = weight("text/html", "text/*", "*/*")
    return html, weight("application/json", "application/*", "*/*")
