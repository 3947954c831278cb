"""Where in the text of a JSON body something stands.

The text is known to be JSON by then. It is looked at as text, not decoded: half a million values
are no work to skip, and much to build. Everything here is linear in the text.
"""

import re
from itertools import islice
from math import isinf

import msgspec

_TOKEN = re.compile(rb'[^"\[\]{},]*+(?:("[^"]*+")(\s*+:)?|([\[\]{},]))')
_STRING = re.compile(rb'"[^"]*+"')
_EXPONENT = re.compile(rb"[eE]\+?[0-9]{3}")
_LARGE = re.compile(rb"(?<![0-9.])[0-9]++(?:\.[0-9]++)?+[eE]\+?[0-9]{3,}+")

TOKENS = 50_000
"""How far a place is looked for: strings, brackets and commas before it."""
POINTER = 1024
"""Characters of a pointer; longer, it ends at the nearest member that it can name."""


def nul(text: bytes) -> int:
    """The offset of the first escaped NUL, -1 if there is none."""
    if b"\\u0000" not in text:
        return -1
    return _plain(text).find(b"\\u0000")


def infinite(text: bytes) -> int:
    """The offset of the first number beyond what a double holds, -1 if there is none."""
    if _EXPONENT.search(text) is None:
        return -1
    # Of the same length, so that offsets stay.
    numbers = _STRING.sub(lambda string: b" " * len(string[0]), _plain(text))
    for number in _LARGE.finditer(numbers):
        if isinf(float(number[0])):
            return number.start()
    return -1


def pointer(text: bytes, offset: int) -> tuple[str, bool]:
    """The JSON pointer (RFC 6901) of the value at an offset, and whether it is the name of a
    member there: then of what it is a member of. "" for what is further in than TOKENS."""
    steps: list[int | bytes] = []
    for token in islice(_TOKEN.finditer(_plain(text)), TOKENS):
        _, colon, mark = token.groups()
        if token.end() > offset:
            return _joined(steps[:-1] if colon else steps), bool(colon)
        if colon:
            steps[-1] = text[token.start(1) : token.end(1)]
        elif mark == b",":
            if isinstance(steps[-1], int):
                steps[-1] += 1
        elif mark == b"[":
            steps.append(0)
        elif mark == b"{":
            steps.append(b"")
        elif mark:
            steps.pop()
    return "", False


def step(name: str) -> str:
    """A member's name as a pointer has it."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _plain(text: bytes) -> bytes:
    """The text without escaped backslashes and quotes, byte for byte in the same places: now a
    string ends at the next quote, and a backslash is an escape."""
    return text.replace(b"\\\\", b"  ").replace(b'\\"', b"  ")


def _joined(steps: list[int | bytes]) -> str:
    found, length = [], 0
    for each in steps:
        if isinstance(each, int):
            part = f"/{each}"
        elif len(each) > 6 * POINTER:  # six bytes at most are a character, escaped
            break
        else:
            part = step(msgspec.json.decode(each))
        length += len(part)
        if length > POINTER:
            break
        found.append(part)
    return "".join(found)
