"""What a text with marks says without them."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

_READ: Final = 500
"""Characters of a text that are read: what is shown of it is shorter. The worst of so many,
brackets in brackets, hold up the process for some 10 milliseconds."""
_REMEMBERED: Final = 1_024
"""Beginnings whose meaning is remembered: nobody has the worst read again and again."""
_SPACES: Final = {"softbreak": " ", "hardbreak": " "}
_parser = MarkdownIt("commonmark", {"html": False}).disable(["html_block", "html_inline"])
# Whatever it leads to, what a link says is text.
_parser.validateLink = lambda url: True  # type: ignore[method-assign]
_parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
_parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]


def plain(text: str) -> str:
    """The beginning of a text in Markdown, without its marks."""
    return _plain(text[:_READ])


@lru_cache(_REMEMBERED)
def _plain(beginning: str) -> str:
    return _said(_parser.parse(beginning))


def _said(tokens: Sequence[Token]) -> str:
    parts: list[str] = []
    for token in tokens:
        if token.children is not None:
            parts.append(_said(token.children))
        else:
            parts.append(_SPACES.get(token.type, token.content))
        if token.block:
            parts.append(" ")
    return "".join(parts)
