"""The lists that can grow without bound: their cursors, and how they are given whole."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import msgspec
from msgspec import Raw

from contentsvc.web.errors import at_parameter
from contentsvc.web.reply import Encoded, Listed, Pieces
from contentsvc.wire.base import Paging

Row = TypeVar("Row")
Item = TypeVar("Item")
Cursor = TypeVar("Cursor")

LongList = Listed[Item] | Encoded[list[Item]] | Pieces[list[Item]]
"""The answer of a list that can grow without bound."""

ROWS = 200
"""Items of a list that is given in one piece, and of a page of one that is longer."""
BYTES = 128 * 1024
"""Bytes of such a list, and, with one item more, of a page."""

_DIGITS = 19
_encode = msgspec.json.Encoder().encode


def position(query: Paging) -> int | None:
    """The number that the cursor `after` stands for. Raises InvalidQuery."""
    if query.after is None:
        return None
    text = query.after
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS and int(text) < 2**63):
        raise at_parameter("after", "This is not a cursor of this list.")
    return int(text)


def listed(
    rows: Sequence[Row],
    query: Paging,
    number: Callable[[Row], int],
    item: Callable[[Row], Item | Raw],
    *,
    cut: bool = False,
) -> Listed[Item]:
    """The answer made of `rows`; with a cursor if there may be more after them, as where they were
    `cut` for their length."""
    full = cut or (query.limit is not None and len(rows) == query.limit)
    return Listed([item(row) for row in rows], str(number(rows[-1])) if full else None)


def whole(
    first: Sequence[Row],
    number: Callable[[Row], Cursor],
    item: Callable[[Row], Item | Raw],
    *,
    start: Cursor,
    page: Callable[[Cursor], Awaitable[Sequence[Row]]],
    state: Callable[[], Awaitable[str]],
) -> Encoded[list[Item]] | Pieces[list[Item]]:
    """A whole list, of which `first` are the first ROWS, or less where these are over BYTES. In one
    piece, if that is all of it; else in pages, each of what comes after the number of its
    predecessor's last, or after `start`."""
    body = _encode([item(row) for row in first])
    if len(first) < ROWS and len(body) < BYTES:
        return Encoded(body)

    # From the start again: the validator is read before the first page that is written, or it could
    # be newer than what it stands for.
    after = start

    async def more() -> bytes:
        nonlocal after
        rows = await page(after)
        if rows:
            after = number(rows[-1])
        return _encode([item(row) for row in rows])[1:-1]

    return Pieces(more, state)
