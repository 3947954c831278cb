"""The XML of a ListObjectsV2 answer, from a store that is not trusted: no entities, no namespaces,
nothing but what is needed."""

import re
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple
from urllib.parse import unquote_plus
from xml.parsers.expat import ExpatError, ParserCreate

from contentsvc.framework.storage.bucket import ListedFile, StorageUnavailable

DEEPEST = 8
"""Elements in each other. A listing has four."""


class Page(NamedTuple):
    """A page of a listing. `next` is the token of the next page."""

    files: list[ListedFile]
    next: str | None


class _Bad(Exception):
    """This is no listing."""


class _Reader:
    """Takes the parts of the document, as expat calls them."""

    def __init__(self) -> None:
        self.files: list[ListedFile] = []
        self.facts: dict[str, str] = {}
        self._object: dict[str, str] = {}
        self._path: list[str] = []
        self._text: list[str] = []

    def start(self, name: str, attributes: object) -> None:
        self._path.append(name.rpartition(":")[2])
        self._text.clear()
        if len(self._path) > DEEPEST or self._path[0] != "ListBucketResult":
            raise _Bad

    def text(self, text: str) -> None:
        self._text.append(text)

    def end(self, name: str) -> None:
        match self._path[1:]:
            case ["Contents"]:
                self.files.append(self._file())
                self._object = {}
            case ["Contents", what]:
                self._object[what] = "".join(self._text)
            case [what]:
                self.facts[what] = "".join(self._text)
        self._path.pop()
        self._text.clear()

    def _file(self) -> ListedFile:
        size = self._object.get("Size", "")
        if "Key" not in self._object or not re.fullmatch("[0-9]{1,18}", size):
            raise _Bad
        return ListedFile(
            self._object["Key"], int(size), _time(self._object.get("LastModified", ""))
        )

    def refuse(self, *declaration: object) -> None:
        """A document type, which alone could declare entities."""
        raise _Bad


def parse(body: bytes) -> Page:
    """The page in this answer. Raises StorageUnavailable if it is none."""
    reader, parser = _Reader(), ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.StartDoctypeDeclHandler = reader.refuse
    try:
        parser.Parse(body, True)
    except (ExpatError, _Bad, ValueError):
        raise StorageUnavailable("the store answers a list with something else") from None
    files, facts = reader.files, reader.facts
    if facts.get("EncodingType") == "url":
        files = [file._replace(path=unquote_plus(file.path)) for file in files]
    token = facts.get("NextContinuationToken") if facts.get("IsTruncated") == "true" else None
    if token is None and facts.get("IsTruncated") == "true":
        raise StorageUnavailable("the store answers a list without its next page")
    return Page(files, token)


def _time(text: str) -> float | None:
    with suppress(ValueError, OverflowError):
        when = datetime.fromisoformat(text)
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
    return None
