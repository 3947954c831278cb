"""What /health answers where all is well."""

from typing import Literal

from contentsvc.wire.base import Record


class Live(Record):
    """The process turns."""

    status: Literal["live"] = "live"


class Ready(Record):
    """The process can serve."""

    status: Literal["ready"] = "ready"
