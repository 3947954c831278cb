"""Lists that can grow without bound: their cursors, and whole lists in pieces."""

import json
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Awaitable, Callable, Iterable, Sequence
from datetime import date
from hashlib import md5
from math import isfinite
from operator import attrgetter
from typing import Final, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Raw

from contentsvc.framework.http.errors import at_parameter
from contentsvc.framework.http.guids import is_guid
from contentsvc.framework.http.reply import Encoded, Listed, Pieces
from contentsvc.store import fragments
from contentsvc.store.content.found_parts import Cursor
from contentsvc.store.fragments import Numbered
from contentsvc.wire.accounts import UserInfo
from contentsvc.wire.base import MOST_IDS, Paging
from contentsvc.wire.content import ContentInfo

PageRow = TypeVar("PageRow")
Item = TypeVar("Item")
Number = TypeVar("Number")

LongList = Listed[Item] | Encoded[list[Item]] | Pieces[list[Item]]
"""The answer of a list that can grow without bound."""

PART: Final = fragments.PART
"""Bytes of what may be long after which a part of a list ends, whatever its `limit`."""
NUMBERED: Final = (attrgetter("number"), attrgetter("item"))
"""The place of a row of a list by age, and its item."""
_DIGITS = 19
_KEY = 4
_FORMATS = {1: ">q", 2: ">dq"}
_encode = msgspec.json.Encoder().encode


def position(query: Paging) -> int | None:
    """The number that the cursor `after` means. Raises InvalidQuery."""
    if query.after is None:
        return None
    text = query.after
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS and int(text) < 2**63):
        raise at_parameter("after", "This is not a cursor of this list.")
    return int(text)


def key_of(*asked: object) -> bytes:
    """Identifies the query of a list."""
    return md5(json.dumps(asked).encode(), usedforsecurity=False).digest()[:_KEY]


def encoded(key: bytes, place: Cursor) -> str:
    """The cursor of the content after this place."""
    raw = key + struct.pack(_FORMATS[len(place)], *place)
    return urlsafe_b64encode(raw).decode().rstrip("=")


def decoded(key: bytes, text: str, length: int) -> Cursor:
    """The place that a cursor means; it has `length` numbers. Raises InvalidQuery."""
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        place: Cursor = struct.unpack(_FORMATS[length], raw[_KEY:])
        if raw[:_KEY] == key and isfinite(place[0]):
            return place
    except (ValueError, struct.error):
        pass
    raise at_parameter("after", "This is not a cursor of this list.")


def listed(
    rows: Sequence[PageRow],
    query: Paging,
    number: Callable[[PageRow], int],
    item: Callable[[PageRow], Item | Raw],
    *,
    cut: bool = False,
) -> Listed[Item]:
    """The answer with these rows. It has a cursor if there may be more: also if the rows were `cut`
    for their length."""
    full = cut or (query.limit is not None and len(rows) == query.limit)
    return Listed([item(row) for row in rows], str(number(rows[-1])) if full else None)


def full(users: Iterable[UserInfo], bytes: int) -> bool:
    """Whether the profiles of these users have as many bytes as a part may have."""
    profiles = (user.profile for user in users)
    return sum(len(profile.encode()) for profile in profiles if profile is not None) >= bytes


def heavy(infos: Iterable[ContentInfo]) -> bool:
    """Whether these contents may have as many bytes as a part may have. Stored they are little
    longer than here, so that no list ends too early; the next part may be empty."""
    sizes = (2 * len(_encode(info.attributes)) + fragments.REST for info in infos)
    return sum(sizes) >= PART


def numbered(
    rows: Sequence[Numbered[Item | None]], query: Paging, *, cut: bool = False
) -> Listed[Item]:
    """The same of a list by age. Rows without an item are left out."""
    return listed([row for row in rows if row.item is not None], query, *NUMBERED, cut=cut)


class EncodedPart(NamedTuple, Generic[Number]):
    """A part of a list: the JSON of the list of its items, how many they are, and the number of the
    last; None if there are none."""

    json: bytes
    length: int
    last: Number | None


class Piece(NamedTuple):
    """The most that a list has in one piece, and a page of a longer list: items, and bytes. A page
    may have one item more than fits into the bytes."""

    rows: int
    bytes: int

    def whole(
        self,
        first: Sequence[PageRow],
        number: Callable[[PageRow], Number],
        item: Callable[[PageRow], Item | Raw],
        *,
        start: Number,
        page: Callable[[Number], Awaitable[Sequence[PageRow]]],
        state: Callable[[], Awaitable[str]],
    ) -> Encoded[list[Item]] | Pieces[list[Item]]:
        """A whole list, in one piece if `first` is all of it, else in pages.

        `first` has the first items, as many as one piece may have. `page` reads the items after a
        number: first after `start`, then after the last item of the page before.
        """

        def part(rows: Sequence[PageRow]) -> EncodedPart[Number]:
            body = _encode([item(row) for row in rows])
            return EncodedPart(body, len(rows), number(rows[-1]) if rows else None)

        async def parts(after: Number) -> EncodedPart[Number]:
            return part(await page(after))

        return self.of_parts(part(first), start=start, page=parts, state=state)

    def of_parts(
        self,
        first: EncodedPart[Number],
        *,
        start: Number,
        page: Callable[[Number], Awaitable[EncodedPart[Number]]],
        state: Callable[[], Awaitable[str]],
    ) -> Encoded[list[Item]] | Pieces[list[Item]]:
        """The same of parts that are JSON already."""
        if first.length < self.rows and len(first.json) < self.bytes:
            return Encoded(first.json)

        # Reading starts again: the validator must be read before the first page that is written.
        # Otherwise it could be newer than the list.
        after = start

        async def more() -> bytes:
            nonlocal after
            part = await page(after)
            if part.last is not None:
                after = part.last
            return part.json[1:-1]

        return Pieces(more, state)


PIECE: Final = Piece(rows=200, bytes=128 * 1024)


MOST: Final = 366
"""Days in one answer."""


def asked_day(parameter: str, text: str) -> date:
    """Raises InvalidQuery: there is no such day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise at_parameter(parameter, "There is no such day.") from None


def check_days(first: date, last: date) -> None:
    """Raises InvalidQuery unless the first of the days is not after the last, and they are not too
    many."""
    if first > last:
        raise at_parameter("from", "This must not be after `to`.")
    if (last - first).days >= MOST:
        raise at_parameter("from", f"There may be at most {MOST} days.")


def asked_days(first: str, last: str) -> tuple[date, date]:
    """The first and the last day. Raises InvalidQuery."""
    days = asked_day("from", first), asked_day("to", last)
    check_days(*days)
    return days


def choice(parameter: str, text: str, allowed: Sequence[str]) -> list[str]:
    """The words of a list; all allowed ones for `all`. Raises InvalidQuery."""
    if text == "all":
        return list(allowed)
    chosen = words(text)
    for word in chosen:
        if word not in allowed:
            raise at_parameter(
                parameter, f"This must be all, or a comma-separated list of {', '.join(allowed)}."
            )
    return chosen


def ids(parameter: str, text: str) -> list[str]:
    """The GUIDs of a list of at most MOST_IDS, each once, in lower case. Raises InvalidQuery."""
    found = words(text.lower())
    if text.count(",") >= MOST_IDS or not all(map(is_guid, found)):
        raise at_parameter(
            parameter, f"This must be a comma-separated list of 1 to {MOST_IDS} GUIDs with dashes."
        )
    return found


def words(text: str) -> list[str]:
    """The words of a list, each once, in their order."""
    return list(dict.fromkeys(word.strip() for word in text.split(",")))
