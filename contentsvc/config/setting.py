"""How one setting is declared: beside its name and type, in `config.table`."""

import inspect
from collections.abc import Callable
from typing import Any, NamedTuple


class Declared(NamedTuple):
    """What the field of a setting is annotated with.

    `parse` is one of `config.kinds`. `help` is one line, for --help. `more` are sentences after it,
    for the sample file and the reference. `example` is for a setting without a default.
    """

    section: str
    parse: Callable[[Any], Any]
    default: Any
    help: str
    more: str = ""
    example: Any = None


class StoreKey(NamedTuple):
    """What the field of a key of the S3 store is annotated with. It is no option."""

    help: str
    example: str


class Setting(NamedTuple):
    """How one setting is written and read."""

    name: str
    section: str
    parse: Callable[[Any], Any]
    default: Any
    help: str
    more: str
    example: Any

    @property
    def option(self) -> str:
        """The command line option, without its leading dashes."""
        return self.name.replace("_", "-")

    @property
    def values(self) -> str:
        """What its values are, in a few words."""
        return (inspect.getdoc(self.parse) or "").replace("\n", " ").partition(". ")[0].rstrip(".")

    @property
    def usage(self) -> str:
        """What it is for and its values, in a line for --help."""
        values = self.values.replace("`", "")
        return f"{self.help} ({values if values[1].isupper() else values[0].lower() + values[1:]})"

    @property
    def meaning(self) -> str:
        """What it is for, in sentences."""
        return self._sentences(self.help)

    @property
    def sentences(self) -> str:
        """The same, with its values."""
        return self._sentences(self.usage)

    def _sentences(self, line: str) -> str:
        end = "" if line.endswith("?") else "."
        return f"{line[0].upper()}{line[1:]}{end} {self.more}".rstrip()
