"""What is at `/`: a browser is led to /docs, a program is told where everything is."""

import re
from collections.abc import Iterable
from urllib.parse import quote, urlsplit

from msgspec import json

from contentsvc.web.assets import Asset
from contentsvc.web.request import ApiRequest

_WEIGHT = re.compile(r"0(?:\.\d{0,3})?|1(?:\.0{0,3})?")
_VARY = b"Vary: Accept\r\n"


class Index:
    """The answer at `/`. Its links begin with the path of `public_url`, for a proxy may serve the
    API below a path of its own."""

    def __init__(self, public_url: str | None = None) -> None:
        base = quote(urlsplit(public_url or "").path.rstrip("/"), safe="/%")
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
        if prefers_html(request.requestHeaders.getRawHeaders(b"Accept") or ()):
            request.answer(303, None, b"", fields + b"Location: %s\r\n" % self._docs)
        else:
            self._links.answer(request, fields)


def prefers_html(values: Iterable[bytes]) -> bool:
    """Whether these values of Accept (RFC 9110 §12.5.1) weigh HTML more than JSON. Where they weigh
    the same, as in `*/*`, the client is no browser."""
    weights: dict[str, float] = {}
    for each in b",".join(values).decode("latin-1").lower().split(","):
        media, *parameters = (part.strip() for part in each.split(";"))
        weights[media] = max(_weight(parameters), weights.get(media, 0.0))

    def weight(*ranges: str) -> float:
        return next((weights[media] for media in ranges if media in weights), 0.0)

    html = weight("text/html", "text/*", "*/*")
    return html > weight("application/json", "application/*", "*/*")


def _weight(parameters: Iterable[str]) -> float:
    """What the parameters of a media range say; 0 for what is no weight."""
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            value = value.strip()
            return float(value) if _WEIGHT.fullmatch(value) else 0.0
    return 1.0
