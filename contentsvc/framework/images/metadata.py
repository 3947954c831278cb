"""The metadata of pictures: what a JPEG, PNG or WebP says beside its pixels, and the same picture
without it.

Nothing is decoded, and no pixel changes: a picture without metadata is parts of the one that it was
made of, and a few bytes between them. What decides how the pixels look stays: the colour profile,
the density, and of EXIF the orientation alone. All else goes: EXIF, XMP, IPTC, comments, texts,
times, thumbnails, further pictures, and what comes after the end.

The bytes are asked for piece by piece, wherever they lie. So neither a large picture nor one that
was made to do harm takes more memory than a piece, or more time than to read each byte once.
`clients/javascript/src/pictures.js` does the same, and `clients/pictures.json` holds both to it.
"""

import re
import struct
import zlib
from collections.abc import Generator
from typing import Final, NamedTuple

PNG: Final = "image/png"
JPEG: Final = "image/jpeg"
WEBP: Final = "image/webp"
HEAD: Final = 12
"""First bytes by which the type of a file is known."""
PIECE: Final = 256 * 1024
"""Bytes that are asked for at once."""
MOST_PARTS: Final = 20_000
"""Segments, chunks and fill bytes that are read. A picture with more is left as it is."""
_TURN: Final = 2_000
"""Parts after which bytes are asked for again, so that the caller can do other work first."""
_MOST_ENTRIES: Final = 512
"""Entries of EXIF that are read."""

Part = tuple[int, int] | bytes
"""A part of a picture without metadata: from one place of the original to another, or new bytes."""


class Found(NamedTuple):
    """What was found in a picture. `metadata`: whether there is any. `parts` are those of the same
    picture without it; None if it stays as it is: there is none, or the picture is broken."""

    metadata: bool
    parts: tuple[Part, ...] | None


Search = Generator[tuple[int, int], bytes, Found]
"""Asks for bytes, by their place and number, and is sent them."""


def type_of(head: bytes) -> str | None:
    """The media type of a picture whose first `HEAD` bytes these are: "" if they are those of a
    file of another kind, None if they say nothing."""
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return PNG
    if head.startswith(b"\xff\xd8\xff"):
        return JPEG
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return WEBP
    return "" if head.startswith(_OTHERS) or head[4:8] == b"ftyp" else None


_OTHERS: Final = (b"GIF8", b"BM", b"II*\0", b"MM\0*", b"RIFF", b"%PDF", b"PK\3\4", b"<")
"""How files of other kinds begin that people take for pictures; those of HEIC, AVIF and videos have
`ftyp` after four bytes."""


def find(media_type: str, size: int, *, parts: bool = True) -> Search:
    """Find the metadata of a picture of `size` bytes. Without `parts` that ends as soon as some
    is found. Pictures of other types have none."""
    walk = {PNG: _Png, JPEG: _Jpeg, WEBP: _Webp}.get(media_type)
    if walk is None:
        return Found(False, None)
    return (yield from walk(size).run(parts=parts))


def of_bytes(media_type: str, data: bytes) -> Found:
    """Find the metadata of a picture that is in memory."""
    search = find(media_type, len(data))
    try:
        at, length = next(search)
        while True:
            at, length = search.send(data[at : at + length])
    except StopIteration as end:
        found: Found = end.value
        return found


class _Broken(Exception):
    """The bytes are not those of a picture, or they end too early."""


class _TooMany(Exception):
    """There are more parts than are read."""


class _Walk:
    """A walk through the parts of a picture."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._first, self._piece = 0, b""
        self._count = 0
        self._parts: list[Part] = []
        self._dropped = False
        self._shown = False
        """Whether the pixels have begun: then one that ends too early is shown all the same."""
        self._turned = False
        """Whether an orientation has been found."""

    def run(self, *, parts: bool) -> Search:
        try:
            at: int | None = yield from self._begin()
            while at is not None and at < self._size:
                self._step()
                at = yield from self._next(at)
                if self._dropped and not parts:
                    return Found(True, None)
            if not self._shown:
                raise _Broken
        except _TooMany:
            return Found(True, None)
        except _Broken:
            return Found(self._dropped, None)
        if not self._dropped:
            return Found(False, None)
        self._finish()
        return Found(True, tuple(self._parts))

    def _step(self) -> None:
        self._count += 1
        if self._count > MOST_PARTS:
            raise _TooMany
        if self._count % _TURN == 0:
            self._piece = b""

    def _begin(self) -> Generator[tuple[int, int], bytes, int]:
        """Keep what comes before the first part. Its place."""
        raise NotImplementedError

    def _next(self, at: int) -> Generator[tuple[int, int], bytes, int | None]:
        """Read the part at this place. The place of the next; None at the end."""
        raise NotImplementedError

    def _finish(self) -> None:
        """What follows from what was left out."""

    def _bytes(self, at: int, length: int) -> Generator[tuple[int, int], bytes, bytes]:
        """Some bytes. Raises _Broken if there are not so many."""
        if at + length > self._size:
            raise _Broken
        start = at - self._first
        if start < 0 or start + length > len(self._piece):
            wanted = min(max(length, PIECE), self._size - at)
            self._first, start = at, 0
            self._piece = yield at, wanted
            if len(self._piece) < length:
                raise _Broken
        return self._piece[start : start + length]

    def _keep(self, start: int, end: int) -> None:
        last = self._parts[-1] if self._parts else b""
        if isinstance(last, tuple) and last[1] == start:
            self._parts[-1] = (last[0], end)
        elif start < end:
            self._parts.append((start, end))

    def _drop(self) -> None:
        self._dropped = True

    def _cut(self, at: int, *, pixels: bool, stays: bool) -> None:
        """The last part is not there whole: keep what there is of the pixels, leave out what is
        metadata. Raises _Broken if it is neither, or if there are no pixels."""
        if pixels:
            self._keep(at, self._size)
            return
        self._dropped |= not stays
        if stays or not self._shown:
            raise _Broken

    def _end(self, at: int) -> None:
        """The picture ends here: what comes after it is left out."""
        if at < self._size:
            self._drop()

    def _orientation(
        self, at: int, length: int
    ) -> Generator[tuple[int, int], bytes, tuple[int, bool]]:
        """The orientation that EXIF says, 0 if none, and whether it says nothing else."""
        if length < 14:
            return 0, False
        head = yield from self._bytes(at, 8)
        order = {b"II*\0": "<", b"MM\0*": ">"}.get(head[:4])
        if order is None:
            return 0, False
        (offset,) = struct.unpack_from(f"{order}I", head, 4)
        if offset < 8 or offset + 2 > length:
            return 0, False
        first = yield from self._bytes(at + offset, 2)
        (count,) = struct.unpack(f"{order}H", first)
        count = min(count, (length - offset - 2) // 12, _MOST_ENTRIES)
        entries = yield from self._bytes(at + offset + 2, 12 * count)
        for entry in range(0, 12 * count, 12):
            if struct.unpack_from(f"{order}HHI", entries, entry) == (_ORIENTATION, _SHORT, 1):
                value, rest = struct.unpack_from(f"{order}HH", entries, entry + 8)
                if not 1 <= value <= 8:
                    return 0, False
                alone = (length, offset, count, rest) == (26, 8, 1, 0)
                if alone:
                    alone = (yield from self._bytes(at + 22, 4)) == b"\0\0\0\0"
                return value, alone
        return 0, False

    def _exif(
        self, start: int, end: int, at: int, length: int
    ) -> Generator[tuple[int, int], bytes, bytes]:
        """Handle the part from `start` to `end`, whose EXIF begins `at` a place: it stays if it has
        only the first orientation, and else is left out. Returns the EXIF to put in its place."""
        if self._turned:
            self._drop()
            return b""
        value, alone = yield from self._orientation(at, length)
        self._turned = value > 0
        if alone:
            self._keep(start, end)
            return b""
        self._drop()
        return struct.pack(">4sIHHHIHHI", b"MM\0*", 8, 1, _ORIENTATION, _SHORT, 1, value, 0, 0) * (
            value > 1
        )


_ORIENTATION, _SHORT = 0x0112, 3
"""The tag of EXIF (TIFF 6.0), and the type of its value."""


class _Jpeg(_Walk):
    """Segments (ITU-T T.81, annex B). Of those for applications, JFIF, the colour profile, and
    Adobe's, which says how colours are coded, decide how the pixels look."""

    def _begin(self) -> Generator[tuple[int, int], bytes, int]:
        if (yield from self._bytes(0, 3)) != b"\xff\xd8\xff":
            raise _Broken
        self._keep(0, 2)
        return 2

    def _next(self, at: int) -> Generator[tuple[int, int], bytes, int | None]:
        mark, code = yield from self._bytes(at, 2)
        marker = at
        while mark == code == 0xFF:  # any number of FF may come before
            marker += 1
            self._step()
            mark, code = yield from self._bytes(marker, 2)
        if mark != 0xFF or code in {0x00, 0xD8}:
            raise _Broken
        if code == 0xD9:
            self._keep(at, marker + 2)
            self._end(marker + 2)
            return None
        if code == 0x01 or 0xD0 <= code <= 0xD7:
            self._keep(at, marker + 2)
            return marker + 2
        length = int.from_bytes((yield from self._bytes(marker + 2, 2)), "big")
        data, end = marker + 4, marker + 2 + length
        if length < 2 or end > self._size:
            raise _Broken
        if code == 0xFE or 0xE0 <= code <= 0xEF:
            head = yield from self._bytes(data, min(14, length - 2))
            yield from self._application(code, head, at, data, end)
            return end
        self._keep(at, end)
        if code != 0xDA:
            return end
        self._shown = True
        after = yield from self._marker(end)
        self._keep(end, after)
        return after

    def _application(
        self, code: int, head: bytes, at: int, data: int, end: int
    ) -> Generator[tuple[int, int], bytes, None]:
        if code == 0xE0 and head.startswith(b"JFIF\0"):
            if len(head) == 14 and end - data > 14:
                # A thumbnail comes after the density.
                self._parts.append(b"\xff\xe0\0\x10" + head[:12] + b"\0\0")
                self._drop()
            else:
                self._keep(at, end)
        elif (code == 0xE2 and head.startswith(b"ICC_PROFILE\0")) or (
            code == 0xEE and head.startswith(b"Adobe")
        ):
            self._keep(at, end)
        elif code == 0xE1 and head.startswith(b"Exif\0"):
            turn = yield from self._exif(at, end, data + 6, end - data - 6)
            if turn:
                self._parts.append(b"\xff\xe1\0\x22Exif\0\0" + turn)
        else:
            self._drop()

    def _marker(self, at: int) -> Generator[tuple[int, int], bytes, int]:
        """The place of the next marker after coded pixels; the end if there is none."""
        while at + 1 < self._size:
            yield from self._bytes(at, 2)
            found = _MARKER.search(self._piece, at - self._first)
            if found is not None:
                return self._first + found.start()
            at = self._first + len(self._piece) - 1
        return self._size


_MARKER: Final = re.compile(rb"\xff[\xc0-\xcf\xd8-\xfe]")
"""RST, and FF 00, are among coded pixels."""


class _Png(_Walk):
    """Chunks (PNG, third edition, §5). Those that all must understand stay, and of the others those
    that decide how the pixels look."""

    def _begin(self) -> Generator[tuple[int, int], bytes, int]:
        if (yield from self._bytes(0, 16)) != b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR":
            raise _Broken
        self._keep(0, 8)
        return 8

    def _next(self, at: int) -> Generator[tuple[int, int], bytes, int | None]:
        head = yield from self._bytes(at, 8)
        length: int = int.from_bytes(head[:4], "big")
        kind = head[4:]
        end = at + 12 + length
        stays = kind[0] < 0x60 or kind in _SHOWN
        if not kind.isalpha():
            raise _Broken
        is_pixels = kind in {b"IDAT", b"fdAT"}
        self._shown |= is_pixels
        if end > self._size:
            self._cut(at, pixels=is_pixels, stays=stays)
            return None
        if kind == b"eXIf":
            turn = yield from self._exif(at, end, at + 8, length)
            if turn:
                chunk = b"eXIf" + turn
                self._parts.append(struct.pack(">I", 26) + chunk + _crc(chunk))
        elif stays:
            self._keep(at, end)
        else:
            self._drop()
        if kind == b"IEND":
            self._end(end)
            return None
        return end


def _crc(chunk: bytes) -> bytes:
    return struct.pack(">I", zlib.crc32(chunk))


_SHOWN: Final = frozenset(
    b"tRNS gAMA cHRM sRGB iCCP sBIT bKGD pHYs hIST sPLT cICP mDCV cLLI acTL fcTL fdAT".split()
)


class _Webp(_Walk):
    """Chunks (RFC 9649). What has no header VP8X is one chunk."""

    _whole = 0
    """Where the chunks end."""
    _said = 0
    """What the file says where they end."""
    _header = b""
    """The header VP8X up to its flags, or none."""
    _has_exif = False

    def _begin(self) -> Generator[tuple[int, int], bytes, int]:
        head = yield from self._bytes(0, 20)
        if head[:4] != b"RIFF" or head[8:15] != b"WEBPVP8" or head[15] not in b" LX":
            raise _Broken
        self._said, length = struct.unpack("<4xI8xI", head)
        self._whole = min(8 + self._said, self._size)
        self._parts.append(head[:12])
        if head[15:16] == b"X":
            if length < 10 or self._whole < 30:
                raise _Broken
            self._header = yield from self._bytes(12, 9)
        return 12

    def _next(self, at: int) -> Generator[tuple[int, int], bytes, int | None]:
        if at >= self._whole:
            self._end(self._whole)
            return None
        if self._whole - at < 8:
            self._drop()
            return None
        head = yield from self._bytes(at, 8)
        kind, length = head[:4], int.from_bytes(head[4:], "little")
        end = at + 8 + length
        is_pixels = kind in {b"VP8 ", b"VP8L", b"ANMF"}
        stays = is_pixels or kind in {b"VP8X", b"ICCP", b"ANIM", b"ALPH"}
        if self._shown and not self._header:
            self._drop()
            return None
        self._shown |= is_pixels
        if end > self._whole:
            self._cut(at, pixels=is_pixels, stays=stays)
            return None
        end = min(end + length % 2, self._whole)
        if kind == b"EXIF":
            yield from self._seen(at, end, length)
        elif stays:
            self._keep(at, end)
        else:
            self._drop()
        return end

    def _seen(self, at: int, end: int, length: int) -> Generator[tuple[int, int], bytes, None]:
        # Some write what begins EXIF in a JPEG here too.
        lead = 6 if length > 6 and (yield from self._bytes(at + 8, 5)) == b"Exif\0" else 0
        before = len(self._parts), self._parts[-1]
        turn = yield from self._exif(at, end, at + 8 + lead, length - lead)
        if turn:
            self._parts.append(b"EXIF\x1a\0\0\0" + turn)
        self._has_exif |= (len(self._parts), self._parts[-1]) != before

    def _finish(self) -> None:
        length = sum(
            len(part) if isinstance(part, bytes) else part[1] - part[0] for part in self._parts
        )
        said = (self._said + length - self._whole) & 0xFFFFFFFF
        head = struct.pack("<4sI4s", b"RIFF", said, b"WEBP")
        first = self._parts[1]
        if self._header and isinstance(first, tuple):
            flags = self._header[8] & ~0x0C | 0x08 * self._has_exif
            head += self._header[:8] + bytes([flags])
            self._parts[1] = (21, first[1])
        self._parts[0] = head
