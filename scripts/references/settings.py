"""docs/reference/settings.md and etc/contentsvc.toml.sample, from contentsvc.config.table."""

from itertools import groupby
from textwrap import wrap
from typing import Any

from contentsvc.config.table import SETTINGS, STORE_KEYS
from contentsvc.framework.config.setting import Setting
from scripts.references.markdown import code, items, page, size, table

_ABOUT = """\
A setting is a key of the TOML file that `--config` or `CONTENTSVC_CONFIG` names. It is also an
option of `twistd contentsvc`, and an environment variable: `pool_size = 16` in the file is
`--pool-size 16` and `CONTENTSVC_POOL_SIZE=16`. An option overrides the environment, and the
environment overrides the file. [contentsvc.toml.sample](../../etc/contentsvc.toml.sample) is such a
file, with all settings."""

_RULES = (
    "Options and variables take lists with commas (`win64,linux64`) and flags as `on` or `off`. "
    "The file also takes arrays and booleans.",
    "A wrong setting stops the start with exit status 1. One line names the setting and the "
    "reason. An unknown key is wrong too.",
    "The daemon reads its settings once, at the start. Workers read them again at a rolling "
    "restart.",
)

_KEYS = """\
These are no options, because everybody on the machine can read a command line. They are variables
of the environment, by the names that AWS gave them, or keys of the file."""

_SAMPLE = """\
# Settings of contentsvc, for `twistd contentsvc --config` and `contentsvc --config`.
#
# This file has every setting with its default, commented out. Some settings have no default; for
# those it has an example. Each setting is also an option (--its-name) and an environment variable
# (CONTENTSVC_ITS_NAME). An option overrides the environment, and the environment overrides this
# file. `scripts/reference` makes this file from the code, and docs/reference/settings.md too."""
_WIDTH = 100


def reference() -> str:
    """The page."""
    parts: list[str] = [items(_RULES)]
    for section, settings in _sections():
        rows = [_row(setting) for setting in settings]
        parts += [f"## {section}", table(("Setting", "Default", "Values", "Meaning"), rows)]
    keys = [
        (code(name), code(name.upper()), declared.help) for name, declared in STORE_KEYS.items()
    ]
    parts += ["## Keys of the S3 store", _KEYS, table(("Key", "Variable", "Meaning"), keys)]
    return page("Settings", _ABOUT, *parts)


def sample() -> str:
    """The sample file."""
    parts = [_SAMPLE]
    for section, settings in _sections():
        parts.append(_heading(section))
        parts += [_sampled(each.sentences, each.name, _shown(each)) for each in settings]
    parts.append(_heading("Keys of the S3 store"))
    for name, declared in STORE_KEYS.items():
        words = f"{declared.help} The variable {name.upper()} is better."
        parts.append(_sampled(words, name, declared.example))
    return "\n\n".join(parts) + "\n"


def default(setting: Setting) -> str:
    """The default, for people."""
    value = setting.default
    if isinstance(value, bool):
        return code("on" if value else "off")
    if isinstance(value, int) and setting.name.endswith("_bytes"):
        return f"{code(str(value))} ({size(value)})"
    if value is None or value == ():
        return "none"
    return code(",".join(value) if isinstance(value, tuple) else _number(value))


def _sections() -> list[tuple[str, list[Setting]]]:
    groups = groupby(SETTINGS, key=lambda setting: setting.section)
    return [(section, list(settings)) for section, settings in groups]


def _row(setting: Setting) -> tuple[str, str, str, str]:
    return code(setting.name), default(setting), setting.values, setting.meaning


def _shown(setting: Setting) -> Any:
    return setting.example if setting.default is None else setting.default


def _heading(section: str) -> str:
    return f"# ---- {section} ----"


def _sampled(words: str, name: str, value: Any) -> str:
    lines = wrap(words, _WIDTH - 2, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*(f"# {line}" for line in lines), f"#{name} = {_toml(value)}"])


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _number(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
