"""Texts whose case and width do not matter."""

import unicodedata


def folded(text: str) -> str:
    """A text whose case and width do not matter any more."""
    text = unicodedata.normalize("NFKC", text).casefold()
    # The capital of the Turkish i keeps its dot as a mark, which no other i has.
    return unicodedata.normalize("NFKC", text).replace("i\u0307", "i")


def compared(text: str) -> str:
    """The same without blanks at its ends: two tags are equal if theirs is."""
    return folded(text).strip()
