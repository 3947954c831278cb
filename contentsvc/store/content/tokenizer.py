"""The terms by which content is found: its words, its tags and its filters (content#words).

Words are made here and not in Postgres, whose parser depends on the server's locale. The tables of
schema/tables/content.sql describe terms. Here `~` is the place of the shelf, which SQL puts in.

Beside the words themselves a text has looser forms of them, as people type them
(contentsvc.store.content.spellings). They are words as others are, of a weight of their own, so
that a search which asks for a word finds them without asking for more. It asks for looser forms of
its own words too: so both sides may be typed either way.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from hashlib import md5
from itertools import chain, filterfalse, islice
from typing import Final, NamedTuple

from contentsvc.framework.core.folding import compared, folded
from contentsvc.store.content import spellings

LONGEST: Final = 64
"""Characters of a word that count. So longer words are the same if they begin alike."""
MOST: Final = 2000
"""Different words of one text that count: the first ones. Each costs an entry of the index, with
each change. Their terms have at most 600 KiB together, and a tsvector holds 1 MiB."""
MOST_FORMS: Final = 500
"""Looser forms of a name, of all tags, and of a description that count: the first ones, of the
first MOST words. So they have at most 130 KiB each."""
_EDGES: Final = "".join(chr(n) for n in range(33, 128) if not chr(n).isalnum())
"""Characters around a word in a text."""
_MOST_JOINED: Final = 8
"""Words without a blank between them that are also one: S.T.A.L.K.E.R. has seven."""
_MOST_NEIGHBOURS: Final = 4
"""Words of a search that may also be parts of one."""
_MOST_LOOSE: Final = 16
"""Words of a search that are asked for in looser forms too. It may have 128."""
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


def _all(text: str) -> list[str]:
    """The words of a text, in their order."""
    if text.isascii():
        # The same, in a tenth of the time.
        return text.lower().translate(_GAPS).split()
    return _WORD.findall(folded(_settled(text)))


def _settled(text: str) -> str:
    """A text of which each mark belongs to a letter, and none has too many."""
    # These two are letters for `re`, and marks once they are folded.
    text = text.replace("\uff9e", "\u3099").replace("\uff9f", "\u309a")
    return _RUN.sub(lambda run: run[0][:_MOST_MARKS], text)


def _cased(text: str) -> list[str]:
    """The same in the case that they are written in."""
    if text.isascii():
        return text.translate(_GAPS).split()
    return _WORD.findall(unicodedata.normalize("NFKC", _settled(text)))


def words(text: str) -> list[str]:
    """The words of a text: runs of letters and digits, the first MOST that differ, in their
    order."""
    different = dict.fromkeys(word[:LONGEST] for word in dict.fromkeys(_all(text)))
    return list(islice(different, MOST))


class Placed(NamedTuple):
    """A word of a text, folded, and where it begins and ends there."""

    word: str
    begin: int
    end: int


def placed(text: str) -> tuple[str, list[Placed]]:
    """The words of a text in their order, each of LONGEST characters at most, with their places in
    it. The text comes back as Unicode composes it."""
    settled = text if text.isascii() else unicodedata.normalize("NFKC", _settled(text))
    found = [Placed(folded(m[0]), m.start(), m.end()) for m in _WORD.finditer(settled)]
    if [each.word for each in found] != _all(text):
        # What a letter is depends on its case.
        settled = folded(_settled(text))
        found = [Placed(m[0], m.start(), m.end()) for m in _WORD.finditer(settled)]
    return settled, [each._replace(word=each.word[:LONGEST]) for each in found]


def _word(word: str) -> str:
    return f"'~.{word}'"


def _tag(tag: str) -> str:
    # Its digest: a tag can have any characters, and the folding can make it long.
    return f"'~#{md5(compared(tag).encode(), usedforsecurity=False).hexdigest()}'"


def _attribute(text: str) -> str:
    return f"'~={md5(text.encode(), usedforsecurity=False).hexdigest()}'"


def _joined(words: Sequence[str]) -> str:
    return "".join(map(spellings.plain, words))[:LONGEST]


def _forms(text: str) -> list[str]:
    """The looser forms of the words of a text, the first MOST_FORMS that differ, in their order."""
    different = dict.fromkeys(form[:LONGEST] for form in _all_forms(text))
    return list(islice(different, MOST_FORMS))


def _all_forms(text: str) -> Iterator[str]:
    for piece in dict.fromkeys(text.split(None, MOST)[:MOST]):
        # Nearly all of an English text is out with this.
        bare = piece if piece.isalnum() else piece.strip(_EDGES)
        if bare.isascii() and bare.isalnum() and spellings.is_one(bare):
            continue
        cased = _cased(piece)
        if 1 < len(cased) <= _MOST_JOINED:
            yield _joined([folded(word) for word in cased])
        for word in cased:
            yield from spellings.forms(word[:MOST], folded)


def _neighbours(words: Sequence[str]) -> list[str]:
    """Each two neighbours as one word, and all of them."""
    if len(words) < 2:
        return []
    return [*(_joined(words[n : n + 2]) for n in range(len(words) - 1)), _joined(words)]


def _name(words: Sequence[str]) -> str:
    # Its digest: so whoever has this as a whole name is found, and nobody who has it in it.
    whole = "".join(map(spellings.plain, words))
    return f"'~${md5(whole.encode(), usedforsecurity=False).hexdigest()}'"


def document(
    name: str, tags: Sequence[str], description: str, attributes: Sequence[str] = ()
) -> str:
    """The words, tags and attributes of a content, as the text of a tsvector."""
    terms = dict.fromkeys([*map(_tag, tags), *map(_attribute, attributes)], "")
    named = _all(name)
    if named:
        terms[_name(named)] = ""
    for text, weight in ((name, ":1A"), ("\n".join(tags), ":1B")):
        for word in words(text):
            terms.setdefault(_word(word), weight)
    of_tags = chain.from_iterable([*_forms(tag), *_neighbours(_all(tag))] for tag in tags)
    for form in (*_forms(name), *_neighbours(named), *islice(of_tags, MOST_FORMS)):
        terms.setdefault(_word(form), ":1C")
    for word in words(description):
        terms.setdefault(_word(word), "")
    for form in _forms(description):
        terms.setdefault(_word(form), "")
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


def _either(texts: Iterable[str]) -> str:
    different = list(dict.fromkeys(texts))
    return different[0] if len(different) == 1 else f"({' | '.join(different)})"


def _both(texts: Iterable[str]) -> str:
    different = list(dict.fromkeys(texts))
    return different[0] if len(different) == 1 else f"({' & '.join(different)})"


def _asked(word: str, end: str = "") -> str:
    return f"{_word(word[:LONGEST])}{end}"


def _spelt(word: str, end: str = "") -> list[str]:
    """The ways to ask for a word: as it is, and as it may be spelt; with an `end`, they are
    beginnings."""
    return [_asked(each, end) for each in (word, *spellings.spelt(word))]


def _in_parts(cased: str, end: str) -> list[str]:
    """The ways to ask for the parts of a word, one or none."""
    parts = spellings.parts_asked(cased[:LONGEST], folded)
    if not parts:
        return []
    last = parts.pop()
    asked: list[str] = []
    for part in parts:
        asked.append(_either(_spelt(part.text, ":*" if part.open else "")))
    asked.append(_either(_spelt(last.text, ":*" if last.open else end)))
    return [_both(asked)]


class Question:
    """The words of a search, the last of which may be the beginning of one."""

    def __init__(self, q: str) -> None:
        found = _all(q)
        self.empty = not found
        """Whether there is no word."""
        last = found[-1][:LONGEST] if found else ""
        whole = list(dict.fromkeys(word[:LONGEST] for word in found[:-1]))
        self.exact = " | ".join(map(_word, dict.fromkeys([*whole, last])))
        """Content that has one of the words, the last one not as a beginning."""
        self.name = _name(found)
        """Content whose name this is, in whatever spelling."""
        self.whole = _both(_either(_spelt(word)) for word in [*whole, last])
        """Content that has all of the words, the last one not as a beginning."""
        pieces = [cased for piece in q.split() if (cased := _cased(piece))]
        if [folded(word) for cased in pieces for word in cased] != found:
            # What a letter is depends on its case: the words are asked for as they are.
            pieces = [[word] for word in found]
        loose = sum(map(len, pieces)) <= _MOST_LOOSE
        ends = ["" for _ in pieces[:-1]] + [":*"]
        asked = [
            self._piece(cased, end, loose=loose) for cased, end in zip(pieces, ends, strict=False)
        ]
        joined = [_joined([folded(word) for word in cased]) for cased in pieces]
        self.beginning = asked[-1].last if asked else _asked(last, ":*")
        """Content that has a word with the beginning."""
        self.terms = list(dict.fromkeys(text for piece in asked for text in piece.all))
        """The terms of the content that has all of the words."""
        if 1 < len(joined) <= _MOST_NEIGHBOURS:
            self._join(joined, [_both(piece.all) for piece in asked])

    def _piece(self, cased: Sequence[str], end: str, *, loose: bool) -> "_Piece":
        """What is asked for by words without a blank between them."""
        ways = []
        for n, written in enumerate(cased):
            ending = end if n == len(cased) - 1 else ""
            word = folded(written)
            if loose:
                ways.append(_either([*_spelt(word, ending), *_in_parts(written, ending)]))
            else:
                ways.append(_asked(word, ending))
        if not loose or not 1 < len(cased) <= _MOST_JOINED:
            return _Piece(ways, ways[-1])
        joined = _asked(_joined([folded(word) for word in cased]), end)
        return _Piece([_either([_both(ways), joined])], _either([ways[-1], joined]))

    def _join(self, joined: Sequence[str], asked: Sequence[str]) -> None:
        """Have two neighbours, or all of the words, asked for as one word too."""
        last, ways, ends = len(joined) - 1, [_both(asked)], [self.beginning]
        for n in range(last):
            two = _asked("".join(joined[n : n + 2]), ":*" if n + 1 == last else "")
            ways.append(_both([*asked[:n], two, *asked[n + 2 :]]))
            ends += [two] if n + 1 == last else []
        if last > 1:
            ways.append(_asked("".join(joined), ":*"))
            ends.append(ways[-1])
        self.terms = [_either(ways)]
        self.beginning = _either(ends)


_TERM: Final = re.compile("('~[^']*')(:\\*)?")


def weighted(terms: str, weight: str) -> str:
    """These terms, of this weight only."""
    return _TERM.sub(lambda term: f"{term[1]}{term[2] or ':'}{weight}", terms)


class _Piece(NamedTuple):
    """What is asked for by words without a blank between them: `all` of these, and how the `last`
    word is."""

    all: list[str]
    last: str


def all_of(terms: Iterable[str]) -> str:
    """The text of a tsquery that asks for all of these terms."""
    return " & ".join(terms)
