"""Pictures on this machine without their metadata: read from the file, which stays as it is."""

from collections.abc import Callable, Sequence
from typing import BinaryIO

from contentsvc.framework.images.metadata import Part, look


class Parts:
    """Reads parts of a file, with other bytes between them, as if they were one. The file is
    closed with it."""

    def __init__(self, file: BinaryIO, parts: Sequence[Part]) -> None:
        self._file = file
        self._left = list(reversed(parts))
        self.name = file.name

    def read(self, size: int) -> bytes:
        """The next bytes, at most `size`; none at the end, or where the file has become shorter.
        Raises OSError."""
        found = b""
        while self._left and len(found) < size:
            part = self._left.pop()
            wanted = size - len(found)
            if isinstance(part, bytes):
                data, rest = part[:wanted], part[wanted:]
                if rest:
                    self._left.append(rest)
            else:
                start, end = part
                self._file.seek(start)
                data = self._file.read(min(wanted, end - start))
                if not data:
                    self._left.clear()
                elif start + len(data) < end:
                    self._left.append((start + len(data), end))
            found += data
        return found

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def length_of(parts: Sequence[Part]) -> int:
    """The bytes of all of these parts."""
    return sum(len(part) if isinstance(part, bytes) else part[1] - part[0] for part in parts)


def parts_of(
    file: BinaryIO, media_type: str, size: int, stopped: Callable[[], bool]
) -> tuple[Part, ...] | None:
    """The parts that stay of a picture of `size` bytes without its metadata; None if it stays as it
    is. Raises OSError."""
    looking = look(media_type, size)
    try:
        at, length = next(looking)
        while not stopped():
            file.seek(at)
            at, length = looking.send(file.read(length))
    except StopIteration as end:
        parts: tuple[Part, ...] | None = end.value.parts
        return parts
    return None
