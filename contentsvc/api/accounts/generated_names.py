"""Names for users who have not chosen one."""

import re
import secrets
from collections.abc import Iterator
from typing import Final

from contentsvc.api.accounts.reserved_names import NO_NAMES, ReservedNames
from contentsvc.wire.accounts import LONGEST_NAME, SHORTEST_NAME

_DIGITS: Final = (4, 4, 4, 8, 8, 8)
"""How many digits a made-up name has, each time that another one is."""
_NAME: Final = re.compile(rf"[A-Za-z0-9_.-]{{{SHORTEST_NAME},{LONGEST_NAME}}}")


def names(proposed: str | None, reserved: ReservedNames = NO_NAMES) -> Iterator[str]:
    """Names that may be free, the best one first. The last ones are free but for bad luck. The one
    that an issuer has `proposed` comes first if it is a name as it stands, and none of the
    `reserved`. Nothing is made of another one: what is in an address, or somebody's real name, is
    nothing that everybody should read."""
    if proposed is not None and _NAME.fullmatch(proposed) and proposed not in reserved:
        yield proposed
    for digits in _DIGITS:
        yield f"player-{secrets.randbelow(10**digits):0{digits}}"
