"""How a download is called: the Content-Disposition of RFC 6266 (files#downloads)."""

import re
from urllib.parse import quote

_NOT_PLAIN = re.compile(r"[^ !#-\[\]-~]")
"""All but printable ASCII, and what a quoted string would have to escape, which not all clients
undo."""


def attachment(name: str | None) -> str:
    """The header's value, by which a browser stores the file under this name and does not show it.
    Of the name stands there nothing but printable ASCII, whatever is in it."""
    if name is None:
        return "attachment"
    plain = _NOT_PLAIN.sub("_", name)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name, safe='')}"
