"""What the TOML files say that settings name. A process reads them once, at its start."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from contentsvc.config import ConfigError, Settings, brand
from contentsvc.config.brand import Brand
from contentsvc.framework.config.toml_files import FileError, Files

T = TypeVar("T")


class StudioFiles(NamedTuple):
    """What they say, by settings; None where there is no such file."""

    brand: Brand | None = None


def read_files(settings: Settings, files: Files) -> StudioFiles:
    """Read them all. Raises ConfigError."""
    return StudioFiles(brand=_read("brand", settings.brand, files, brand.read))


def _read(
    setting: str, path: Path | None, files: Files, read: Callable[[Files, Path], T]
) -> T | None:
    try:
        return None if path is None else read(files, path)
    except FileError as error:
        raise ConfigError(f"{setting} {error}") from None
