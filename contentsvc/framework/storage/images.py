"""The headers of images (files#announcing): is it one, is it of its type, and is it small enough?
Nothing is decoded."""

import re
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, Protocol

from contentsvc.framework.images.metadata import find
from contentsvc.framework.storage.paths import media_type_of

MOST_SIDE: Final = 8192
"""Pixels of a side."""
MOST_PIXELS: Final = 33_000_000
"""Pixels in all."""
STEPS: Final = (64 * 1024, 512 * 1024, 4 * 1024 * 1024)
"""Bytes to read, until the size is among them. A JPEG may have much metadata before it. An image
whose size comes later than this counts as none."""

Read = Callable[[str, int], Awaitable[bytes]]
"""Gives the first bytes of the file at a path; fewer if it has no more, none if there is none."""


class ReadAt(Protocol):
    """Gives bytes of the file at a path."""

    async def __call__(self, path: str, length: int, offset: int = 0) -> bytes:
        """Gives the bytes from an offset on; fewer at the end, none if there is no file."""


class Pixels(NamedTuple):
    """The size of an image."""

    width: int
    height: int


class NoImage(Exception):
    """The bytes are not an image of this type."""


class TooShort(Exception):
    """The bytes end before the size of the image."""


def pixels(media_type: str, head: bytes) -> Pixels:
    """The size that the first bytes of an image say. Raises NoImage, TooShort."""
    width, height = _PARSERS[media_type](head)
    if not width or not height:
        raise NoImage()
    return Pixels(width, height)


def fits(size: Pixels) -> bool:
    """Whether an image is no larger than images may be."""
    width, height = size
    return max(width, height) <= MOST_SIDE and width * height <= MOST_PIXELS


async def good(path: str, read: Read) -> bool | None:
    """Whether the image at one of the service's own paths is one of its type, and not too large.
    None if there is no file. Raises what `read` raises."""
    media_type = media_type_of(path)
    for length in STEPS:
        head = await read(path, length)
        if not head:
            return None
        try:
            return fits(pixels(media_type, head))
        except NoImage:
            return False
        except TooShort:
            if len(head) < length:
                return False
    return False


async def judge(path: str, size: int, read: ReadAt, metadata: bool) -> tuple[bool | None, bool]:
    """What `good` says of an image of `size` bytes, and whether it is good but has metadata, if
    that is asked."""
    is_good = await good(path, read)
    return is_good, bool(is_good and metadata and await _has_metadata(path, size, read))


async def _has_metadata(path: str, size: int, read: ReadAt) -> bool:
    search = find(media_type_of(path), size, parts=False)
    try:
        at, length = next(search)
        while True:
            at, length = search.send(await read(path, length, at))
    except StopIteration as end:
        return bool(end.value.metadata)


def _png(head: bytes) -> tuple[int, int]:
    # The signature, then the chunk IHDR, whose 13 bytes begin with width and height.
    _expect(head, 0, b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")
    return _number(head, 16, 4), _number(head, 20, 4)


def _jpeg(head: bytes) -> tuple[int, int]:
    _expect(head, 0, b"\xff\xd8\xff")
    at = 2
    for _ in range(_MOST_SEGMENTS):
        # A marker: any number of FF, then its code.
        _expect(head, at, b"\xff")
        found = _CODE.search(head, at)
        if found is None:
            raise TooShort()
        code, at = head[found.start()], found.end()
        if code in _SIZED:
            # The length, the bits of a sample, height, width.
            return _number(head, at + 5, 2), _number(head, at + 3, 2)
        if code in _ENDS:
            raise NoImage()
        if code not in _BARE:
            length = _number(head, at, 2)
            if length < 2:
                raise NoImage()
            at += length
    raise NoImage()


_MOST_SEGMENTS = 1000
"""Segments before the size. More would only keep the reactor busy."""
_CODE = re.compile(rb"[^\xff]")
_SIZED = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""The markers SOF: all of this range but DHT, JPG and DAC."""
_ENDS = frozenset({0x00, 0xD8, 0xD9, 0xDA})
"""SOI, EOI and SOS, which do not come before the size, and 00, which is no marker."""
_BARE = frozenset({0x01, *range(0xD0, 0xD8)})
"""Markers without a length: TEM and RST."""


def _webp(head: bytes) -> tuple[int, int]:
    _expect(head, 0, b"RIFF")
    _expect(head, 8, b"WEBPVP8")
    _need(head, 16)
    form = head[15:16]
    if form == b" ":
        # Lossy: a tag of three bytes whose lowest bit is 0 in a key frame, the start code, then
        # width and height of 14 bits each, with a scale above them.
        if _little(head, 20, 1) & 1:
            raise NoImage()
        _expect(head, 23, b"\x9d\x01\x2a")
        return _little(head, 26, 2) & 0x3FFF, _little(head, 28, 2) & 0x3FFF
    if form == b"L":
        # Lossless: the signature, then 14 bits each of width and height less 1, a bit for alpha,
        # and the version, 0.
        _expect(head, 20, b"\x2f")
        bits = _little(head, 21, 4)
        if bits >> 29:
            raise NoImage()
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if form == b"X":
        # Extended: four bytes of flags, then 24 bits each of the canvas's width and height less 1.
        return _little(head, 24, 3) + 1, _little(head, 27, 3) + 1
    raise NoImage()


_PARSERS: Final = {"image/png": _png, "image/jpeg": _jpeg, "image/webp": _webp}


def _expect(head: bytes, at: int, wanted: bytes) -> None:
    """Raises NoImage if there is something else at this place, TooShort if it may still come."""
    there = head[at : at + len(wanted)]
    if not wanted.startswith(there):
        raise NoImage()
    _need(head, at + len(wanted))


def _need(head: bytes, length: int) -> None:
    if len(head) < length:
        raise TooShort()


def _number(head: bytes, at: int, length: int) -> int:
    _need(head, at + length)
    return int.from_bytes(head[at : at + length], "big")


def _little(head: bytes, at: int, length: int) -> int:
    _need(head, at + length)
    return int.from_bytes(head[at : at + length], "little")
