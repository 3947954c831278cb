"""All that the service touches of txpostgres which is private there.

It is kept as core.twisted_internals keeps Twisted's, and the same tests hold it.
"""

from collections.abc import Mapping
from operator import attrgetter
from typing import Final

from txpostgres import txpostgres

PRIVATE: Final[Mapping[str, tuple[str, ...]]] = {
    "txpostgres.txpostgres.Connection": ("_connection", "_pollingD"),
}
"""The private names, by the class that has them."""

UNDOCUMENTED: Final[Mapping[str, tuple[str, ...]]] = {
    "txpostgres.txpostgres.Connection": (
        "checkForNotifies",
        "connectionLost",
        "doRead",
        "doWrite",
        "fileno",
        "reactor",
    ),
}
"""Those without an underscore that its documentation does not promise."""


class PolledConnection(txpostgres.Connection):  # type: ignore[misc]
    """txpostgres's connection with names for its state."""

    raw = property(attrgetter("_connection"))
    """psycopg2's connection; None before there is one."""
    opening = property(attrgetter("_pollingD"))
    """The Deferred of its opening; None before and after."""
