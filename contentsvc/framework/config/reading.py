"""Where the values of settings come from: an option overrides the environment, which overrides a
TOML file, which overrides the default."""

import tomllib
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from contentsvc.framework.config.kinds import Secret
from contentsvc.framework.config.setting import Setting
from contentsvc.framework.core.utf8 import without_mark


class ConfigError(Exception):
    """A setting is wrong: `str()` is one line with its key and the reason."""


@frozen
class Source:
    """Options, the variables of an environment that begin with `prefix`, and the `table` of the
    TOML file `file`. `options` has an entry for each given option."""

    prefix: str
    options: Mapping[str, Any]
    environ: Mapping[str, str]
    file: str
    table: Mapping[str, Any]

    def given(self, setting: Setting) -> tuple[str, Any]:
        """Where a setting comes from, in words for an error, and its value there."""
        variable = self.prefix + setting.name.upper()
        if self.options.get(setting.option) is not None:
            return f"--{setting.option}", self.options[setting.option]
        if variable in self.environ:
            return variable, self.environ[variable]
        if setting.name in self.table:
            return f"{self.file}: {setting.name}", self.table[setting.name]
        return setting.name, setting.default

    def values(self, settings: Iterable[Setting]) -> dict[str, Any]:
        """The values of these settings by their names; None if there is none. Raises
        ConfigError."""
        found: dict[str, Any] = {}
        for setting in settings:
            source, value = self.given(setting)
            try:
                found[setting.name] = None if value is None else setting.parse(value)
            except ValueError as error:
                raise ConfigError(f"{source} {error}") from None
        return found


def toml(path: Path) -> dict[str, Any]:
    """The table of a TOML file. Raises OSError and ValueError."""
    return tomllib.loads(without_mark(path.read_bytes()).decode())


def table(path: Path, known: Collection[str]) -> dict[str, Any]:
    """The table of a TOML file, whose keys are all `known`. Raises ConfigError."""
    try:
        found = toml(path)
    except OSError as error:
        raise ConfigError(f"config {path}: {error.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"config {path}: {error}") from None
    unknown = sorted(set(found) - set(known))
    if unknown:
        raise ConfigError(f"config {path}: {unknown[0]} is not a setting")
    return found


def written(value: Any) -> str | None:
    """The value of a setting as its variable has it; None if it has none."""
    if value is None:
        return None
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Secret):
        return value.value
    return ",".join(value) if isinstance(value, tuple) else str(value)
