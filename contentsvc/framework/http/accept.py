"""The header Accept (RFC 9110 §12.5.1)."""

from collections.abc import Iterable

from werkzeug.http import parse_accept_header


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
