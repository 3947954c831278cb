"""Tables and headings of the documentation."""

import re
from pathlib import Path


def rows(text: str, heading: str) -> list[list[str]]:
    """The cells of the table whose heading begins like this, without the backquotes."""
    lines = text[text.index(f"\n{heading}") + 1 :].partition("\n\n")[0].splitlines()
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines[2:]]


def sections(page: Path) -> set[str]:
    """The anchors of this page's sections."""
    titles = re.findall(r"^#{1,4} (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles}


def headings(text: str) -> list[tuple[str, str]]:
    """The headings of a page, each with its number, such as `4.2 `, if it has one."""
    titles = re.findall(r"^#{1,4} (.*)$", text, re.M)
    return [(re.match(r"(?:[\d.]*\d\.? )?", title)[0], title) for title in titles]  # type: ignore[index]
