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
    """The ids of a trace, and of the step in it that made the request, in hexadecimal digits."""

    trace_id: str
    parent_id: str


class Traced(str):
    """The end of the line of a request that has a trace, or changes a content: the content's id, ""
    if there is none, the trace, and then its `note`."""

    trace: Trace | None
    note: str
    content: str

    @classmethod
    def of(cls, trace: Trace | None, note: str, content: str = "") -> "Traced":
        """The text of all."""
        of = f" content={content}" if content else ""
        if trace is not None:
            of += f" trace={trace.trace_id} parent={trace.parent_id}"
        made = cls(of + note)
        made.trace, made.note, made.content = trace, note, content
        return made


def trace_of(values: Sequence[bytes]) -> Trace | None:
    """What the values of the header say; None if it is not valid, or there are several."""
    if len(values) != 1 or len(values[0]) > _LONGEST:
        return None
    found = _PARENT.fullmatch(values[0])
    # Later versions may go on after the fields of the first.
    if found is None or (found[3] is not None and values[0].startswith(b"00")):
        return None
    return Trace(found[1].decode(), found[2].decode())


def noted(values: Sequence[bytes], note: str, content: str = "") -> str:
    """The end of a request's line: `note`, after the content and the trace, if it has one and the
    header a valid one."""
    trace = trace_of(values)
    return Traced.of(trace, note, content) if content or trace is not None else note
