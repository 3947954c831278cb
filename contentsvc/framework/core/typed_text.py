"""Names and addresses as somebody types them."""

import re
from typing import Final

_BLANKS: Final = re.compile(
    r"^[\t \u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]+"
    r"|[\t \u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff]+\Z"
)


def trimmed(text: str) -> str:
    """A name or an address without the blanks at its ends: what a phone's keyboard or a copied cell
    adds. A line break is none."""
    return _BLANKS.sub("", text)
