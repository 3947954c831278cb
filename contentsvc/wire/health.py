"""The answers of /health if all is well."""

from typing import Literal

from contentsvc.wire.base import Record


class Live(Record):
    """The process responds."""

    status: Literal["live"] = "live"


class Ready(Record):
    """The process can serve."""

    status: Literal["ready"] = "ready"
