"""The file of the option `brand`: what a studio calls its service, and how that looks."""

from pathlib import Path
from typing import Annotated, NamedTuple

from msgspec import Meta, Struct

from contentsvc.framework.config.toml_files import ONE_LINE, Files, Line, read_toml

_Tagline = Annotated[str, Meta(min_length=1, max_length=200, pattern=ONE_LINE)]


class _File(Struct, forbid_unknown_fields=True):
    name: Line | None = None
    tagline: _Tagline | None = None


class Brand(NamedTuple):
    """What the file says."""

    name: str | None = None
    tagline: str | None = None


def read(files: Files, path: Path) -> Brand:
    """Read the file. Raises FileError."""
    file = read_toml(files, path, _File)
    return Brand(file.name, file.tagline)
