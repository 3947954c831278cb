"""The header traceparent of W3C Trace Context: which trace of the client's a request belongs to."""

import re
from collections.abc import Sequence
from typing import NamedTuple

_LONGEST = 256
"""Bytes of a header. One of version 00 has 55."""
_PARENT = re.compile(
    rb"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?"
)


class Trace(NamedTuple):
    """The ids of a trace and of the step in it that made the request, in hexadecimal digits. As
    text it is the end of the request's line in the log."""

    trace_id: str
    parent_id: str

    def __str__(self) -> str:
        return f" trace={self.trace_id} parent={self.parent_id}"


def trace_of(values: Sequence[bytes]) -> Trace | str:
    """What the values of the header say; an empty text if it is not valid, or there are several."""
    if len(values) != 1 or len(values[0]) > _LONGEST:
        return ""
    found = _PARENT.fullmatch(values[0])
    # Later versions may go on after the fields of the first.
    if found is None or (found[3] is not None and values[0].startswith(b"00")):
        return ""
    return Trace(found[1].decode(), found[2].decode())
