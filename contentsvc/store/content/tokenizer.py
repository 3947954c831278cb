"""The terms by which content is found: its words, its tags and its filters (extensions §1).

Words are made here and not in Postgres, whose parser depends on the server's locale. The tables
of schema/tables/content.sql describe terms. Here `~` stands for the shelf, which SQL puts in.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from hashlib import md5
from itertools import filterfalse, islice
from typing import Final

LONGEST: Final = 64
"""Characters of a word that count. So longer words are the same if they begin alike."""
MOST: Final = 2000
"""Different words of one text that count: the first ones. Each costs an entry of the index, with
each change. Their terms have at most 600 KiB together, and a tsvector holds 1 MiB."""
_GAPS: Final = str.maketrans({n: " " for n in range(128) if not chr(n).isalnum()})
"""What parts the words of a text in ASCII."""


def _marks() -> str:
    """The combining marks, for a class of a pattern. They belong to the letter before them."""
    # A mark is printable, and neither a letter nor a number: this asks little of most characters.
    printable = filter(str.isprintable, map(chr, range(0x300, 0x20000)))
    runs: list[tuple[int, int]] = []
    for number in map(ord, filterfalse(str.isalnum, printable)):
        if unicodedata.category(chr(number)) in {"Mn", "Mc"}:
            first, last = runs[-1] if runs else (0, 0)
            if number == last + 1:
                runs[-1] = first, number
            else:
                runs.append((number, number))
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in runs)


_WORD = re.compile(rf"[^\W_](?:[^\W_]|[{_marks()}])*")
_MOST_MARKS: Final = 30
"""Marks on a letter that count: Unicode's Stream-Safe Text Format has as many. To put marks in
order takes the square of their number."""
_RUN = re.compile(rf"[^\w\s]{{{_MOST_MARKS + 1},}}")


def folded(text: str) -> str:
    """A text whose case and width do not matter any more."""
    text = unicodedata.normalize("NFKC", text).casefold()
    # The capital of the Turkish i keeps its dot as a mark, which no other i has.
    return unicodedata.normalize("NFKC", text).replace("i\u0307", "i")


def _all(text: str) -> list[str]:
    """The words of a text, in their order."""
    if text.isascii():
        # The same, in a tenth of the time.
        return text.lower().translate(_GAPS).split()
    # These two are letters for `re`, and marks once they are folded.
    text = text.replace("\uff9e", "\u3099").replace("\uff9f", "\u309a")
    text = _RUN.sub(lambda run: run[0][:_MOST_MARKS], text)
    return _WORD.findall(folded(text))


def words(text: str) -> list[str]:
    """The words of a text: runs of letters and digits, the first MOST that differ, in their
    order."""
    different = dict.fromkeys(word[:LONGEST] for word in dict.fromkeys(_all(text)))
    return list(islice(different, MOST))


def _word(word: str) -> str:
    return f"'~.{word}'"


def _tag(tag: str) -> str:
    # Its digest: a tag can have any characters, and the folding can make it long.
    return f"'~#{md5(folded(tag).strip().encode(), usedforsecurity=False).hexdigest()}'"


def _attribute(text: str) -> str:
    return f"'~={md5(text.encode(), usedforsecurity=False).hexdigest()}'"


def document(
    name: str, tags: Sequence[str], description: str, attributes: Sequence[str] = ()
) -> str:
    """The words, tags and attributes of a content, as the text of a tsvector."""
    terms = dict.fromkeys([*map(_tag, tags), *map(_attribute, attributes)], "")
    for text, weight in ((name, ":1A"), ("\n".join(tags), ":1B"), (description, "")):
        for word in words(text):
            terms.setdefault(_word(word), weight)
    return " ".join(map("".join, terms.items()))


def filters(
    *,
    tags: Iterable[str] = (),
    attributes: Iterable[str] = (),
    author: str | None = None,
    featured: bool | None = None,
    types: Sequence[str] = (),
    statuses: Sequence[str] = (),
) -> list[str]:
    """The terms of the content that has all `tags` and `attributes`, and one of the `types` and of
    the `statuses`; none of these are any."""
    found = list(dict.fromkeys([*map(_tag, tags), *map(_attribute, attributes)]))
    if author is not None:
        found.append(f"'~@{author}'")
    if featured is not None:
        found.append("'~!featured'" if featured else "!'~!featured'")
    for any_of in (types, statuses):
        if any_of:
            found.append("(" + " | ".join(f"'~!{each}'" for each in any_of) + ")")
    return found


class Question:
    """The words of a search, the last of which may be the beginning of one."""

    def __init__(self, q: str) -> None:
        found = _all(q)
        last = found.pop()[:LONGEST] if found else ""
        whole = list(dict.fromkeys(word[:LONGEST] for word in found))
        self.empty = not last
        """Whether there is no word."""
        self.beginning = f"{_word(last)}:*"
        """Content that has a word with the beginning."""
        self.terms = [*map(_word, whole), self.beginning]
        """The terms of the content that has all of the words."""
        self.exact = " | ".join(map(_word, dict.fromkeys([*whole, last])))
        """Content that has one of the words, the last one not as a beginning."""


def all_of(terms: Iterable[str]) -> str:
    """The text of a tsquery that asks for all of these terms."""
    return " & ".join(terms)
