"""Cursors of the lists that can grow without bound."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from contentsvc.web.errors import at_parameter
from contentsvc.web.reply import Listed
from contentsvc.wire.base import Paging

Row = TypeVar("Row")

_DIGITS = 19


def position(query: Paging) -> int | None:
    """The number that the cursor `after` stands for. Raises InvalidQuery."""
    if query.after is None:
        return None
    text = query.after
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS and int(text) < 2**63):
        raise at_parameter("after", "This is no cursor of this list.")
    return int(text)


def listed(
    rows: Sequence[Row],
    query: Paging,
    number: Callable[[Row], int],
    item: Callable[[Row], object],
) -> Listed:
    """The answer made of `rows`; with a cursor if there may be more after them."""
    full = query.limit is not None and len(rows) == query.limit
    return Listed([item(row) for row in rows], str(number(rows[-1])) if full else None)
