"""Files of TOML that settings name, such as `brand`: what a studio says of its service.

Each is read once, with the files that it names in turn. A worker gets what its parent has read, so
that all of them say the same, whatever somebody writes meanwhile: a rolling restart reads anew.
"""

import os
import re
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, TypeVar
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct, msgpack

from contentsvc.framework.core.host_names import BadHost, ascii_host
from contentsvc.framework.core.utf8 import without_mark

MOST_BYTES: Final = 256 * 1024
"""Most bytes of a file."""
ONE_LINE: Final = r"^(?=.*\S)[^\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*\Z"
"""A line that shows something, without control and bidi characters."""
MOST_LABEL: Final = 64
_MOST_SAID: Final = 200
"""Most characters of a key, and of a reason: a file may have keys of any length."""
_MOST_PARTS: Final = 16
_LONG_KEY: Final = re.compile(
    r"""(?<![\w.-])(?:(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*)"""
    rf"{{{_MOST_PARTS}}}"
)
"""A key of so many parts that tomllib would take minutes and gigabytes for it."""
_AT = re.compile(r"(.*?)(?: - at `(?:key in )?\$\.?(.*)`)?", re.DOTALL)
_FIELD = re.compile(r"Object (contains unknown|missing required) field `(.*)`", re.DOTALL)
_MEANS = {"str of length": "a text of length", "str": "text", "object": "table", "Struct": "table"}
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+")

Line = Annotated[str, Meta(min_length=1, max_length=MOST_LABEL, pattern=ONE_LINE)]
"""A text of one line, of 1 to 64 characters."""
T = TypeVar("T")


class FileError(Exception):
    """A file cannot be used: `str()` is one line with its path, the key and the reason."""


class Languages(Struct, frozen=True, forbid_unknown_fields=True):
    """What players read, by language. In a file, one alone stands for both."""

    en: Line | None = None
    de: Line | None = None

    def __post_init__(self) -> None:
        if self.en is None and self.de is None:
            raise ValueError("must have a text for `en` or `de`")


LabelText = Line | Languages
"""The form of a label in a file."""


class Label(NamedTuple):
    """What players read of a name, by language."""

    en: str
    de: str

    @classmethod
    def of(cls, given: LabelText) -> "Label":
        """The label that a file gives."""
        if isinstance(given, str):
            return cls(given, given)
        one = given.en or given.de or ""
        return cls(given.en or one, given.de or one)


class Files:
    """Reads files, each once. A worker is `handed` what its parent has read."""

    def __init__(self, handed: bytes = b"") -> None:
        self._read: dict[str, bytes] = (
            msgpack.decode(handed, type=dict[str, bytes]) if handed else {}
        )

    def read(self, path: Path, most: int = MOST_BYTES, inside: Path | None = None) -> bytes:
        """What is in a file. Raises OSError, and ValueError if it is longer, is no file, or does
        not lie `inside` this folder, wherever links lead."""
        found = self._read.get(str(path))
        if found is None:
            found = self._read[str(path)] = _content(path, most, inside)
        return found

    def packed(self) -> bytes:
        """What has been read, for a worker; nothing if nothing has."""
        return msgpack.encode(self._read) if self._read else b""


def _content(path: Path, most: int, inside: Path | None) -> bytes:
    if inside is not None:
        try:
            path = path.resolve()
        except RuntimeError:
            raise ValueError("is a link to itself") from None
        if not path.is_relative_to(inside.resolve()):
            raise ValueError("is a link out of the folder")
    with open(path, "rb", opener=_opened) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"is larger than {most // 1024} KiB")
    return data


def _opened(path: str, flags: int) -> int:
    # A pipe without a writer would hold up the start for ever.
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise ValueError("is not a regular file")
    return descriptor


def read_toml(files: Files, path: Path, form: type[T]) -> T:
    """What is in a TOML file, as `form`: a Struct that forbids unknown fields. Raises FileError."""
    try:
        text = without_mark(files.read(path)).decode()
        if _LONG_KEY.search(text):
            raise ValueError(f"has a key of more than {_MOST_PARTS} parts")
        return msgspec.convert(tomllib.loads(text), form)
    except OSError as error:
        raise refused(path, "", error.strerror or "cannot be read") from None
    except UnicodeDecodeError:
        raise refused(path, "", "is not UTF-8") from None
    except RecursionError:
        raise refused(path, "", "is nested too deeply") from None
    except ValueError as error:  # those of tomllib and msgspec are ValueErrors
        raise refused(path, "", error) from None


def labels(path: Path, key: str, given: Mapping[str, Any]) -> dict[str, Label]:
    """The labels of a table whose keys are names, by them. The form has them as Any: so what is
    refused is named. Raises FileError."""
    found = {}
    for name, value in given.items():
        try:
            found[name] = Label.of(msgspec.convert(value, LabelText))
        except ValueError as error:
            raise refused(path, f"{key}.{name}", error) from None
    return found


def leads(url: str) -> bool:
    """Whether a link in a file can lead there: an https URL, or a path with one / at its start."""
    if not re.fullmatch("[!-~]+", url) or "\\" in url:
        return False
    if url.startswith("/"):
        return not url.startswith("//")
    try:
        parts = urlsplit(url)
        ascii_host(parts.hostname or "")
        return parts.scheme == "https" and "@" not in parts.netloc and parts.port != 0
    except (ValueError, BadHost):
        return False


def refused(path: Path, key: str, reason: object) -> FileError:
    """What is raised of a wrong value of `key`, or of the whole file if that is "". `reason` is a
    text, or an error, also of msgspec, which names a place itself."""
    said, at = _AT.fullmatch(str(reason)).groups()  # type: ignore[union-attr]
    where = f"{key}{'.' if key and at and at[0] != '[' else ''}{at or ''}"
    if field := _FIELD.fullmatch(said):
        where = f"{where}.{field[2]}" if where else field[2]
        said = "is no key of it" if field[1].startswith("contains") else "is missing"
    elif "matching regex" in said:
        said = "must be one line of text, without control and bidi characters"
    elif said.startswith("Expected"):
        said = f"must be {said.removeprefix('Expected ')}".replace("`", "")
        said = said.replace(" | null", "").replace(" | ", " or ")
        for name, meaning in _MEANS.items():
            said = re.sub(rf"\b{name}\b", meaning, said)
    return FileError(" ".join(filter(None, (f"{path}:", _short(where), _short(said)))))


def _short(text: str) -> str:
    line = " ".join(_BLANKS.sub(" ", text).split())
    return line if len(line) <= _MOST_SAID else line[: _MOST_SAID - 1] + "…"
