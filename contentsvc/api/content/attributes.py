"""What content says of itself (content#attributes): attributes, and the search for them.

An attribute is found by a text: its key, `=`, and its value as the answers have it.
"""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import json

from contentsvc.framework.http.errors import at_parameter, at_pointer
from contentsvc.wire.content import ATTRIBUTE_KEY, WHOLE, Attributes
from contentsvc.wire.searches import MOST_ASKED

_KEY = re.compile(ATTRIBUTE_KEY)
_KEYS: Final = "Keys have 1 to 32 of a-z, 0-9, `.`, `_` and `-`."
_RANGE: Final = f"A whole number must be from {-WHOLE} to {WHOLE - 1}."
_LONGEST: Final = 512


def stored(given: Attributes) -> str:
    """Attributes as the JSON that is stored and shown: by the order of their keys. Raises
    InvalidBody."""
    if not all(map(_KEY.fullmatch, given)):
        raise at_pointer("/attributes", _KEYS)
    for key, value in given.items():
        if isinstance(value, int) and not -WHOLE <= value < WHOLE:
            raise at_pointer(f"/attributes/{key}", _RANGE)
    return json.encode({key: _shown(given[key]) for key in sorted(given)}).decode()


def texts(attributes: str) -> list[str]:
    """The texts by which stored attributes are found."""
    found: Attributes = json.decode(attributes)
    return [
        f"{key}={value if isinstance(value, str) else json.encode(value).decode()}"
        for key, value in found.items()
    ]


def asked(attr: Mapping[str, str] | None) -> list[str]:
    """The texts of what a list is asked for. Raises InvalidQuery."""
    found = attr or {}
    if len(found) > MOST_ASKED:
        raise at_parameter("attr", f"There may be at most {MOST_ASKED} attributes.")
    for key, value in found.items():
        if _KEY.fullmatch(key) is None:
            raise at_parameter("attr", _KEYS)
        if len(value) > _LONGEST:
            raise at_parameter("attr", f"A value has at most {_LONGEST} characters.")
    return [f"{key}={found[key]}" for key in sorted(found)]


def _shown(value: str | bool | int | float) -> str | bool | int | float:
    if isinstance(value, float) and value.is_integer() and -WHOLE <= value < WHOLE:
        return int(value)
    return value
