"""Cursors of lists that have several orders. A cursor is good for one list, as it was asked for."""

import json
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import md5
from math import isfinite

from contentsvc.store.content.search import Cursor
from contentsvc.web.errors import at_parameter

_KEY = 4
_FORMATS = {1: ">q", 2: ">dq"}


def key_of(*asked: object) -> bytes:
    """Stands for a list that was asked for so."""
    return md5(json.dumps(asked).encode(), usedforsecurity=False).digest()[:_KEY]


def encoded(key: bytes, place: Cursor) -> str:
    """The cursor of the content after this place."""
    raw = key + struct.pack(_FORMATS[len(place)], *place)
    return urlsafe_b64encode(raw).decode().rstrip("=")


def decoded(key: bytes, text: str, length: int) -> Cursor:
    """The place that a cursor means; it has `length` numbers. Raises InvalidQuery."""
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        place: Cursor = struct.unpack(_FORMATS[length], raw[_KEY:])
        if raw[:_KEY] == key and isfinite(place[0]):
            return place
    except (ValueError, struct.error):
        pass
    raise at_parameter("after", "This is not a cursor of this list.")
