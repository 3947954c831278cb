"""Images made by hand: small, each unlike any other, of whatever size their header says."""

from __future__ import annotations

import secrets
import struct
import zlib

PNG, JPEG, WEBP = "image/png", "image/jpeg", "image/webp"


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int = 4, height: int = 3) -> bytes:
    """A PNG whose header says this size."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0\0\0\0\0" * 3)
    mark = b"Comment\0" + secrets.token_hex(8).encode()
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [chunk(b"IHDR", header), chunk(b"tEXt", mark), chunk(b"IDAT", rows), chunk(b"IEND", b"")]
    )


def segment(marker: int, data: bytes) -> bytes:
    """A segment of a JPEG."""
    return struct.pack(">BBH", 0xFF, marker, len(data) + 2) + data


def jpeg(width: int = 4, height: int = 3, *, before: bytes = b"", frame: int = 0xC0) -> bytes:
    """A JPEG of this size, with segments `before` the one that says it, of kind `frame`."""
    size = struct.pack(">BHHB", 8, height, width, 1) + b"\x01\x11\0"
    return b"".join(
        [
            b"\xff\xd8",
            segment(0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
            segment(0xFE, secrets.token_hex(8).encode()),
            before,
            segment(0xDB, b"\0" + b"\x01" * 64),
            # The tables of a code, whose number lies among those of the frames.
            segment(0xC4, b"\0" + b"\0" * 16),
            segment(frame, size),
            segment(0xDA, b"\x01\x01\0\0\x3f\0"),
            b"\0\xff\xd9",
        ]
    )


def _riff(*chunks: tuple[bytes, bytes]) -> bytes:
    made = b"WEBP"
    for kind, data in (*chunks, (b"note", secrets.token_bytes(8))):
        made += kind + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
    return b"RIFF" + struct.pack("<I", len(made)) + made


def _lossy(width: int, height: int) -> tuple[bytes, bytes]:
    return b"VP8 ", b"\x10\0\0\x9d\x01\x2a" + struct.pack("<HH", width, height) + b"\0" * 8


def webp(width: int = 4, height: int = 3) -> bytes:
    """A lossy WebP."""
    return _riff(_lossy(width, height))


def webp_lossless(width: int = 4, height: int = 3) -> bytes:
    """A lossless WebP."""
    size = struct.pack("<I", (width - 1) | (height - 1) << 14)
    return _riff((b"VP8L", b"\x2f" + size + b"\0" * 8))


def webp_extended(width: int = 4, height: int = 3) -> bytes:
    """A WebP with the header that animations have."""
    size = struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]
    return _riff((b"VP8X", b"\0\0\0\0" + size), _lossy(width % 16_384, height % 16_384))
