"""The header Accept (RFC 9110 §12.5.1)."""

import re
from collections.abc import Iterable, Sequence

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


_UNIT = re.compile(rb"(?i)bytes=(.*)\Z", re.DOTALL)
_RANGE = re.compile(rb"([0-9]*)-([0-9]*)\Z")
_DIGITS = 18
"""Enough for every position. Python would refuse numbers of thousands of digits."""


class Unsatisfiable(Exception):
    """No byte of the whole is in the range."""


def wanted(values: Sequence[bytes] | None, size: int) -> range | None:
    """The positions that the values of the header Range ask for, of `size` bytes.

    None if the whole is to be answered: without the header, with one of another unit or form, and
    for several ranges, which need not be heeded. Raises Unsatisfiable.
    """
    found = _UNIT.match(b",".join(values)) if values else None
    if found is None:
        return None
    sets = [part.strip(b" \t") for part in found[1].split(b",")]
    spans = [_RANGE.match(part) for part in sets if part]
    if len(spans) != 1 or spans[0] is None:
        return None
    first, last = spans[0].groups()
    if not (first or last):
        return None
    if not first:
        length = min(_number(last), size)
        if not length:
            raise Unsatisfiable
        return range(size - length, size)
    start, end = _number(first), _number(last) if last else size - 1
    if last and end < start:
        return None
    if start >= size:
        raise Unsatisfiable
    return range(start, min(end + 1, size))


def _number(digits: bytes) -> int:
    digits = digits.lstrip(b"0")
    return int(digits or b"0") if len(digits) <= _DIGITS else 10**_DIGITS
