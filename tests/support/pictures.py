"""Images: made by hand, small, each unlike any other, of whatever size their header says; and drawn
ones, which can be read. They have no metadata but what a test asks for: clients leave it out, and
what is left is unlike any other too."""

from __future__ import annotations

import secrets
import struct
import zlib
from io import BytesIO
from typing import Any

from PIL import Image

from contentsvc.framework.images import metadata as picture_metadata

PNG, JPEG, WEBP = "image/png", "image/jpeg", "image/webp"


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int = 4, height: int = 3) -> bytes:
    """A PNG whose header says this size."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + secrets.token_bytes(4) for _ in range(3)))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [chunk(b"IHDR", header), chunk(b"IDAT", rows), chunk(b"IEND", b"")]
    )


def segment(marker: int, data: bytes) -> bytes:
    """A segment of a JPEG."""
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def _table() -> bytes:
    """Steps of quantization, as nobody else has them."""
    return bytes(1 + secrets.randbelow(255) for _ in range(64))


def jpeg(width: int = 4, height: int = 3, *, before: bytes = b"", frame: int = 0xC0) -> bytes:
    """A JPEG of this size, with segments `before` the one that says it, of kind `frame`."""
    size = struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\0"
    return b"".join(
        [
            b"\xff\xd8",
            segment(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
            before,
            segment(0xDB, b"\0" + _table()),
            # The tables of a code, whose number lies among those of the frames.
            segment(0xC4, b"\0" + b"\0" * 16),
            segment(frame, size),
            segment(0xDA, b"\x01\x01\0\0\x3f\0"),
            b"\0\xff\xd9",
        ]
    )


def _riff(*chunks: tuple[bytes, bytes]) -> bytes:
    made = b"WEBP"
    for kind, data in chunks:
        made += kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
    return b"RIFF" + struct.pack("<I", len(made)) + made


def _lossy(width: int, height: int) -> tuple[bytes, bytes]:
    return b"VP8 ", b"\x10\0\0\x9d\x01\x2a" + struct.pack(
        "<HH", width, height
    ) + secrets.token_bytes(8)


def webp(width: int = 4, height: int = 3) -> bytes:
    """A lossy WebP."""
    return _riff(_lossy(width, height))


def webp_lossless(width: int = 4, height: int = 3) -> bytes:
    """A lossless WebP."""
    size = struct.pack("<I", (width - 1) | (height - 1) << 14)
    return _riff((b"VP8L", b"\x2f" + size + secrets.token_bytes(8)))


def webp_extended(width: int = 4, height: int = 3) -> bytes:
    """A WebP with the header that animations have."""
    size = struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]
    return _riff((b"VP8X", b"\0\0\0\0" + size), _lossy(width % 16_384, height % 16_384))


KINDS = {PNG: "PNG", JPEG: "JPEG", WEBP: "WEBP"}
RED, GREEN, BLUE, YELLOW = (220, 20, 20), (20, 200, 20), (20, 20, 220), (230, 220, 20)
_BACK = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
"""What undoes each orientation of EXIF."""


def corners(width: int = 640, height: int = 400) -> Image.Image:
    """A picture with a colour in each quarter: red, green, and below them blue and yellow."""
    picture = Image.new("RGB", (width, height), RED)
    x, y = width // 2, height // 2
    picture.paste(GREEN, (x, 0, width, y))
    picture.paste(BLUE, (0, y, x, height))
    picture.paste(YELLOW, (x, y, width, height))
    return picture


def written(picture: Image.Image, media_type: str = PNG, **options: Any) -> bytes:
    """A file with this picture, unlike any other."""
    out = BytesIO()
    picture.save(out, KINDS[media_type], **options)
    data = out.getvalue()
    if media_type == WEBP:
        return data
    if media_type == JPEG:
        # A table that no pixel uses.
        return data[:2] + segment(0xDB, b"\3" + _table()) + data[2:]
    start = len(b"\x89PNG\r\n\x1a\n") + len(chunk(b"IHDR", bytes(13)))
    return data[:start] + chunk(b"pHYs", secrets.token_bytes(8) + b"\1") + data[start:]


def drawn(width: int = 640, height: int = 400, media_type: str = PNG) -> bytes:
    """A file that can be read, with `corners`."""
    return written(corners(width, height), media_type)


def turned(orientation: int, media_type: str = JPEG) -> bytes:
    """A file with `corners` as a camera writes it that was held in this way."""
    picture = corners()
    if orientation in _BACK:
        picture = picture.transpose(_BACK[orientation])
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010E] = "taken at home"
    return written(picture, media_type, exif=exif)


def shown(data: bytes) -> Image.Image:
    """The picture in a file."""
    picture = Image.open(BytesIO(data))
    picture.load()
    return picture


def quarters(picture: Image.Image) -> list[str]:
    """The colours in the quarters of a picture, by name."""
    x, y = picture.width // 4, picture.height // 4
    places = [(x, y), (3 * x, y), (x, 3 * y), (3 * x, 3 * y)]
    return [_nearest(picture.convert("RGB").getpixel(place)) for place in places]


def _nearest(colour: Any) -> str:
    named = {"red": RED, "green": GREEN, "blue": BLUE, "yellow": YELLOW}
    return min(
        named, key=lambda name: sum(abs(a - b) for a, b in zip(named[name], colour, strict=True))
    )


AS_DRAWN = ["red", "green", "blue", "yellow"]
"""The quarters of `corners`."""


def many_scans(count: int = 20_000) -> bytes:
    """A JPEG of 16 million pixels whose last pass is repeated: small, and takes minutes to read."""
    data = written(Image.new("L", (4096, 4096), 128), JPEG, progressive=True)
    last = data[data.rindex(b"\xff\xda") : -2]
    return data[:-2] + last * count + b"\xff\xd9"


def noise(width: int = 24, height: int = 16) -> Image.Image:
    """A picture whose pixels no other has."""
    return Image.frombytes("RGB", (width, height), secrets.token_bytes(3 * width * height))


def without_metadata(data: bytes, media_type: str) -> bytes:
    """The same picture without its metadata."""
    parts = picture_metadata.of_bytes(media_type, data).parts
    if parts is None:
        return data
    return b"".join(p if isinstance(p, bytes) else data[p[0] : p[1]] for p in parts)
