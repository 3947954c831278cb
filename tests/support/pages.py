"""Tables and headings of the documentation."""

import re
from pathlib import Path


def rows(text: str, heading: str) -> list[list[str]]:
    """The cells of the table whose heading begins like this, without the backquotes."""
    lines = text[text.index(f"\n{heading}") + 1 :].partition("\n\n")[0].splitlines()
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines[2:]]


def sections(page: Path) -> set[str]:
    """The anchors of this page's sections."""
    return {anchor(title) for title, _ in parts(page.read_text())}


def anchor(title: str) -> str:
    """The anchor of a heading."""
    return re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")


def parts(text: str) -> list[tuple[str, str]]:
    """The headings of a page, each with the text up to the next."""
    found = re.split(r"^#{1,4} (.*)$", text, flags=re.M)[1:]
    return list(zip(found[::2], found[1::2], strict=True))
