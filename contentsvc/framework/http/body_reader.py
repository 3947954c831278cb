"""A long body that is read piece by piece, each while the client reads the one before."""

from collections.abc import Awaitable, Callable
from typing import Any, Final

FIRST: Final = 64 * 1024
"""Bytes of the smallest pieces. A client that reads slowly has no more waiting for it."""
LARGEST: Final = 1024 * 1024
_QUICK, _SLOW = 0.05, 0.5
"""Seconds in which a client reads a piece: the next one is larger, or smaller."""

Read = Callable[[int, int], Awaitable[bytes]]
"""Gives the bytes at an offset, of a length; fewer only at the end."""


class Truncated(Exception):
    """There are fewer bytes than there were."""


class BodyReader:
    """The bytes of `span`, by `read`. Quick clients get larger pieces."""

    def __init__(self, reactor: Any, read: Read, span: range) -> None:
        self._reactor = reactor
        self._read = read
        self._left = span
        self._size = FIRST
        self._given = 0.0
        self._first = b""

    def have(self, first: bytes) -> None:
        """These are the first bytes."""
        self._first = first

    async def more(self) -> bytes:
        """The next piece; nothing at the end. Raises Truncated, and what `read` raises."""
        now = self._reactor.seconds()
        if self._first:
            piece, self._first = self._first, b""
        elif not self._left:
            return b""
        else:
            if now - self._given < _QUICK:
                self._size = min(4 * self._size, LARGEST)
            elif now - self._given > _SLOW:
                self._size = max(self._size // 4, FIRST)
            length = min(self._size, len(self._left))
            piece = await self._read(self._left.start, length)
            if len(piece) < length:
                raise Truncated
        self._given = self._reactor.seconds()
        self._left = self._left[len(piece) :]
        return piece


KIB = 1024
BODY_LIMIT = 256 * KIB
"""Most bytes of a body, unless the route says otherwise."""
FORM_LIMIT = 16 * KIB
"""Most bytes of a form."""
SMALL = 16 * KIB
"""Most bytes of a body that comes without a token."""
