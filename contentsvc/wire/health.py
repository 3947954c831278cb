"""The answers of /health if the process can serve."""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import UNSET, UnsetType

from contentsvc.wire.base import Record

WRITES: Final = frozenset({"disk", "read_only"})
"""The reasons that keep the process from writing, and not from reading."""


class Live(Record):
    """The process responds."""

    status: Literal["live"] = "live"


class Ready(Record):
    """The process can serve. If it is `degraded` only reads succeed, for these `reasons`."""

    status: Literal["ready", "degraded"] = "ready"
    reasons: list[str] | UnsetType = UNSET


def ready(missing: Sequence[str]) -> Ready | None:
    """The answer of a process that lacks this; None if it cannot serve."""
    if not missing:
        return Ready()
    return Ready("degraded", list(missing)) if WRITES.issuperset(missing) else None
