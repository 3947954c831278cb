"""How a setting is declared: beside its name and type, in a table of settings."""

import inspect
from collections.abc import Callable
from dataclasses import field
from typing import Any, NamedTuple


class StoreKey(NamedTuple):
    """A key of the S3 store. It is no option."""

    help: str
    example: str


def store_key(help: str, example: str) -> Any:
    """The field of such a key."""
    return field(metadata={StoreKey: StoreKey(help, example)})


class Section(NamedTuple):
    """A section of the sample file and of the reference."""

    name: str

    def setting(
        self,
        parse: Callable[[Any], Any],
        default: Any,
        help: str,
        more: str = "",
        example: Any = None,
    ) -> Any:
        """The field of a setting of this section.

        `parse` is like those of contentsvc.framework.config.kinds. `help` is one line, for --help.
        `more` are sentences after it, for the sample file and the reference. `example` is for a
        setting without a default.
        """
        return field(metadata={Setting: (self.name, parse, default, help, more, example)})


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
