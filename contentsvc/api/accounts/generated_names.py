"""Names for users who have not chosen one."""

import re
import secrets
import unicodedata
from collections.abc import Iterator

from contentsvc.api.accounts.reserved_names import NO_NAMES, ReservedNames

_SHORTEST, _LONGEST = 3, 32
_DIGITS = (4, 4, 4, 8, 8, 8)
"""How many digits follow a name that is taken, each time that another one is."""
_OTHERS = re.compile(r"[^A-Za-z0-9_.-]+")


def names(proposed: str | None, reserved: ReservedNames = NO_NAMES) -> Iterator[str]:
    """Names that may be free, the best one first. The last ones are free but for bad luck. None of
    them is `reserved`, or begins with one that is."""
    name = _allowed(proposed or "")
    if len(name) < _SHORTEST or name in reserved:
        name = "player"
    else:
        yield name
    for digits in _DIGITS:
        number = secrets.randbelow(10**digits)
        yield f"{name[: _LONGEST - 1 - digits]}-{number:0{digits}}"


def _allowed(proposed: str) -> str:
    """What of a name may be in a username. Of an e-mail address, only what is before the @: the
    whole is nothing that everybody should read."""
    plain = unicodedata.normalize("NFKD", proposed.partition("@")[0][:_LONGEST])
    return _OTHERS.sub("", plain)[:_LONGEST]
