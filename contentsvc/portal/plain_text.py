"""What a text with marks says without them."""

from collections.abc import Sequence
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

_READ: Final = 1_000
"""Characters of a text that are read: what is shown of it is shorter, and no text holds up the
process for longer than some milliseconds."""
_SPACES: Final = {"softbreak": " ", "hardbreak": " "}
_parser = MarkdownIt("commonmark", {"html": False}).disable(["html_block", "html_inline"])
# Whatever it leads to, what a link says is text.
_parser.validateLink = lambda url: True  # type: ignore[method-assign]
_parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
_parser.normalizeLinkText = lambda link: link  # type: ignore[method-assign]


def plain(text: str) -> str:
    """The beginning of a text in Markdown, without its marks."""
    return _said(_parser.parse(text[:_READ]))


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
