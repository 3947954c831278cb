"""Images of any size, a few bytes each: whole headers, and no picture behind them."""

import struct
from zlib import compress, crc32


def chunk(name: bytes, data: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", crc32(name + data))


def png(width: int, height: int) -> bytes:
    """A PNG. Its picture is black, and whole only if it is 1 pixel."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    picture = chunk(b"IDAT", compress(bytes(4)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + picture + chunk(b"IEND", b"")


def segment(code: int, data: bytes) -> bytes:
    """A segment of a JPEG."""
    return struct.pack(">BBH", 0xFF, code, len(data) + 2) + data


def jpeg(width: int, height: int, *, before: bytes = b"", frame: int = 0xC0) -> bytes:
    """A JPEG, with more segments before its frame, which has this code."""
    size = struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\x00"
    start = segment(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0")
    return b"\xff\xd8" + start + before + segment(frame, size) + b"\xff\xda\0\x02\xff\xd9"


def _riff(name: bytes, data: bytes) -> bytes:
    body = b"WEBP" + name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webp(width: int, height: int) -> bytes:
    """A lossy WebP."""
    return _riff(b"VP8 ", b"\x10\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height) + bytes(6))


def webp_lossless(width: int, height: int) -> bytes:
    """A lossless WebP."""
    return _riff(b"VP8L", b"\x2f" + struct.pack("<I", (width - 1) | (height - 1) << 14) + b"\0")


def webp_extended(width: int, height: int) -> bytes:
    """An extended WebP, as those with metadata or several frames are."""
    sides = [(side - 1).to_bytes(3, "little") for side in (width, height)]
    return _riff(b"VP8X", bytes(4) + b"".join(sides))
