"""Parts of a page in Markdown."""

from collections.abc import Iterable, Sequence


def page(title: str, about: str, *parts: str) -> str:
    """A page: its title, what it is, its parts."""
    made = "This page is made from the code by `scripts/reference`. Do not edit it."
    return "\n\n".join([f"# {title}", about, made, *(part.strip("\n") for part in parts)]) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table. A cell is Markdown; what would end it is escaped."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(_cell, line)) + " |" for line in lines)


def items(lines: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"- {line}" for line in lines)


def code(text: str) -> str:
    """A word, a value or a line of the service."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}" if text else ""


def anchor(heading: str) -> str:
    """The end of a link to this heading of a page, as GitHub makes it."""
    kept = "".join(mark for mark in heading.lower() if mark.isalnum() or mark in " -_")
    return kept.replace(" ", "-")


def size(number: int) -> str:
    """Bytes, in the largest unit that shows them whole."""
    for unit, name in ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB")):
        if number >= unit and number % unit == 0:
            return f"{number // unit:,} {name}"
    return f"{number:,} bytes"


def span(seconds: float) -> str:
    """A time, in the largest unit that shows it whole."""
    for unit, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= unit and seconds % unit == 0:
            return f"{seconds / unit:g} {name}{'s' if seconds > unit else ''}"
    return f"{seconds:g} s"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
