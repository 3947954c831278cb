"""Large files by blocking sockets, for threads: their bytes are never all in memory."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import BinaryIO, NamedTuple
from urllib.parse import urlsplit

PIECE = 1 << 20
SILENCE = 60.0


class Large(NamedTuple):
    """A file on this disk, and its digest."""

    file: Path
    size: int
    digest: str

    @property
    def path(self) -> str:
        """Where the service has it."""
        return f"{self.digest[:2]}/{self.digest}"


def sparse(file: Path, size: int) -> Large:
    """A file that takes little of the disk, and that nobody else has."""
    with file.open("wb") as made:
        for at in range(0, size, size // 4 or 1):
            made.seek(at)
            made.write(os.urandom(32)[: size - at])
        made.truncate(size)
    with file.open("rb") as read:
        return Large(file, size, hashlib.file_digest(read, "sha256").hexdigest())


class _Watched:
    """A file that is read, with a call after each piece."""

    def __init__(self, file: BinaryIO, after: Callable[[], None]) -> None:
        self._file = file
        self._after = after

    def read(self, size: int = -1) -> bytes:
        self._after()
        return self._file.read(size)


def send(
    url: str, headers: Mapping[str, str], large: Large, after: Callable[[], None]
) -> tuple[int, bytes]:
    """PUT a file, with a call after each piece. The status and body of the answer."""
    parts = urlsplit(url)
    lengths = {"Content-Length": str(large.size)}
    with (
        closing(HTTPConnection(parts.netloc, timeout=SILENCE, blocksize=PIECE)) as connection,
        large.file.open("rb") as file,
    ):
        target = f"{parts.path}?{parts.query}"
        body = _Watched(file, after)
        connection.request("PUT", target, body, {**headers, **lengths})  # type: ignore[arg-type]
        answer = connection.getresponse()
        return answer.status, answer.read()


def receive(url: str, after: Callable[[], None]) -> tuple[int, int, str]:
    """GET a file, with a call after each piece. The status, and length and digest of what came."""
    parts = urlsplit(url)
    digest, size, buffer = hashlib.sha256(), 0, memoryview(bytearray(PIECE))
    with closing(HTTPConnection(parts.netloc, timeout=SILENCE)) as connection:
        connection.request("GET", f"{parts.path}?{parts.query}")
        answer = connection.getresponse()
        while got := answer.readinto(buffer):
            digest.update(buffer[:got])
            size += got
            after()
        return answer.status, size, digest.hexdigest()
