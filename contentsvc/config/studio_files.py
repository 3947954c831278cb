"""What the TOML files say that settings name. A process reads them once, at its start."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from contentsvc.config import ConfigError, Settings, brand, legal, tags
from contentsvc.config.brand import Brand
from contentsvc.config.legal import Legal
from contentsvc.config.tags import TagsFile
from contentsvc.framework.config.toml_files import FileError, Files

T = TypeVar("T")


class StudioFiles(NamedTuple):
    """What they say, by settings; None where there is no such file."""

    brand: Brand | None = None
    tags: TagsFile | None = None
    legal: Legal | None = None


def read_files(settings: Settings, files: Files) -> StudioFiles:
    """Read them all. Raises ConfigError."""
    found = StudioFiles(
        brand=_read("brand", settings.brand, files, brand.read),
        tags=_read("tags", settings.tags, files, tags.read),
        legal=_read("legal", settings.legal, files, legal.read),
    )
    if settings.require_terms and (found.legal is None or found.legal.terms is None):
        raise ConfigError("require_terms needs the table [terms] in the file of legal")
    return found


def _read(
    setting: str, path: Path | None, files: Files, read: Callable[[Files, Path], T]
) -> T | None:
    try:
        return None if path is None else read(files, path)
    except FileError as error:
        raise ConfigError(f"{setting} {error}") from None
