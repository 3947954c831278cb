"""The file of the option `legal`: whom to write to in matters of law, and the terms of the
service."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, NamedTuple

from msgspec import Meta, Struct, field

from contentsvc.framework.config.toml_files import Files, Line, leads, read_toml, refused

MOST_CONTACTS: Final = 32

_Contact = Annotated[str, Meta(min_length=1, max_length=1024, pattern=r"\S")]


class _Terms(Struct, forbid_unknown_fields=True):
    version: Line
    url: Annotated[str, Meta(min_length=1, max_length=2048)]


class _File(Struct, forbid_unknown_fields=True):
    contacts: Annotated[dict[Line, _Contact], Meta(max_length=MOST_CONTACTS)] = field(
        default_factory=dict
    )
    terms: _Terms | None = None


class Terms(NamedTuple):
    """The terms of the service: their present version, and where they can be read."""

    version: str
    url: str


class Legal(NamedTuple):
    """What the file says. `contacts` are whatever the operator names so."""

    contacts: Mapping[str, str] = {}
    terms: Terms | None = None


def read(files: Files, path: Path) -> Legal:
    """Read the file. Raises FileError."""
    file = read_toml(files, path, _File)
    if file.terms is None:
        return Legal(file.contacts)
    if not leads(file.terms.url):
        raise refused(
            path,
            "terms.url",
            f"{file.terms.url!r} must be an https URL, or a path with one / at its start",
        )
    return Legal(file.contacts, Terms(file.terms.version, file.terms.url))
