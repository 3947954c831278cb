"""Finds places in the text of a JSON body, for errors that name them.

The text is known to be valid JSON. It is searched as text and not decoded: to skip half a million
values is cheap, to build them is not. The cost is linear in the length of the text.
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
"""At most so many strings, brackets and commas before a place are read."""
POINTER = 1024
"""Most characters of a pointer. A longer one ends at the nearest member that it can name."""


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
    """The JSON pointer (RFC 6901) of the value at an offset, and whether a member's name is there.

    If it is a name, the pointer is that of the object. It is "" if the offset is behind TOKENS.
    """
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
    """A member's name as a step of a pointer."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def _plain(text: bytes) -> bytes:
    """The text with blanks in place of escaped backslashes and quotes, so that offsets stay.

    In it, a string ends at the next quote, and every backslash begins an escape.
    """
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
