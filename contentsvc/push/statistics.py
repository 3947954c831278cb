"""Numbers about the sockets of a process, for its operators."""

from collections import Counter
from collections.abc import Callable
from typing import Final, Literal

from twisted.internet.interfaces import IReactorTime

CLIENTS: Final = ("game", "portal")
OTHER: Final = "other"
"""The word for all types of client that this release does not know."""
CODES: Final = frozenset(
    {1000, 1001, 1002, 1003, 1005, 1006, 1007, 1008, 1009, 1010, 1011, 1013}
    | {4401, 4403, 4408, 4409, 4410}
)
"""The codes of closes that have a count of their own. A client may send any other too."""
GONE: Final = 1006
"""The code of a socket that is gone without a close (RFC 6455 §7.1.5)."""
NO_CODE: Final = 1005
"""The code of a close that has none."""

OWN: Final = "own"
OTHERS: Final = "others"
"""A notification was stored by this process, or by another one."""

Closer = Literal["server", "client", "nobody"]

_USUAL: Final[tuple[tuple[Closer, int], ...]] = (
    *(("server", code) for code in (1001, 1008, 1013, 4401, 4403, 4408, 4409, 4410)),
    *(("client", code) for code in (1000, 1001, NO_CODE)),
    ("nobody", GONE),
)
"""These counts are 0 from the start, so that the first close shows as an increase."""


class Delays:
    """How long notifications take to the sockets of this process. `observe` is called once for each
    that has been written to at least one, with OWN or OTHERS and the seconds."""

    def __init__(self, clock: IReactorTime, observe: Callable[[str, float], object]) -> None:
        self.seconds = clock.seconds
        self._observe = observe

    def own(self, began: float) -> None:
        """This process began to store it at this time."""
        self._observe(OWN, self.seconds() - began)

    def others(self, age: float) -> None:
        """A notification of another process was this many seconds old, by the database's clock,
        when this process read it. It was written to sockets in the same turn."""
        self._observe(OTHERS, max(0.0, age))


class SocketCounts:
    """The live sockets and the sign-ins by type of client, and the closes by who began them and by
    code; the code 0 stands for all that are not in CODES."""

    def __init__(self) -> None:
        self.live: Counter[str] = Counter()
        self.sign_ins: Counter[str] = Counter()
        self.closes: Counter[tuple[Closer, int]] = Counter(dict.fromkeys(_USUAL, 0))

    def signed_in(self, client: str) -> str:
        """Count a socket of this type of client. Returns the word for `closed`."""
        known = next((each for each in CLIENTS if each == client), OTHER)
        self.live[known] += 1
        self.sign_ins[known] += 1
        return known

    def closed(self, client: str, closer: Closer, code: int | None) -> None:
        """Count the end of a socket. `client` is the word of `signed_in`, empty without a
        sign-in."""
        if client:
            self.live[client] -= 1
        found = NO_CODE if code is None else code
        self.closes[closer, found if found in CODES else 0] += 1
