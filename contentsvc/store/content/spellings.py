"""How people type a word that a text spells otherwise (content#words): without its accents, without
the article, in its parts, or in the middle of a script that has no blanks.

These are looser forms: a word is found by them too, after what is found by the word itself.
"""

# ruff: noqa: RUF001 (letters that look alike are what this is about)

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, pairwise
from typing import Final, NamedTuple

_MOST_PAIRS: Final = 8
"""Pairs of neighbours that a search uses: the first ones. They find more than the word, and each is
one more read of an index."""

_UNSPACED: Final = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u1950-\u1a1f\u3005-\u3007\u3040-\u312f\u31a0-\u31bf"
    "\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Scripts in which words follow each other without blanks: Thai, Lao, Burmese, Khmer and their
neighbours, Japanese, Chinese. In Korean particles follow a noun in this way, and nouns each
other."""
_IS_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")

_OTHER_LETTERS: Final = {
    **{"ł": "l", "đ": "d", "ð": "d", "ø": "o", "æ": "ae", "œ": "oe", "þ": "th", "ı": "i"},
    **{"ħ": "h", "ŧ": "t", "ŋ": "n", "ĸ": "k", "ə": "e", "ɓ": "b", "ɗ": "d", "ƙ": "k", "ƴ": "y"},
    **{"ɛ": "e", "ɔ": "o", "ɨ": "i", "ʉ": "u", "ɣ": "g", "ƶ": "z", "ǥ": "g", "ɖ": "d", "ȼ": "c"},
    **{"ґ": "г", "ѓ": "г", "ќ": "к", "ғ": "г", "қ": "к", "ң": "н", "ү": "у", "ұ": "у", "һ": "х"},
    **{"ҳ": "х", "ө": "о", "ә": "а", "җ": "ж", "ӏ": "", "ة": "ه", "ى": "ي", "ی": "ي", "ې": "ي"},
    **{"ک": "ك", "ہ": "ه", "ھ": "ه", "ٱ": "ا", "ۀ": "ه", "ە": "ه", "ـ": ""},
    **dict.fromkeys("ʻʼʽʾʿˈʹʺ\u05f3\u05f4", ""),
}
"""Letters that people type as others, and that Unicode does not decompose."""
_IN_TWO: Final = {"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"}
"""Letters that some people type as two."""
_RANGES: Final = ((0xC0, 0x250), (0x300, 0x530), (0x590, 0x700), (0x1E00, 0x2000))
"""The alphabets whose letters are known without their marks. Elsewhere marks are vowels."""
_ARTICLE: Final = re.compile("(?:[وبكف]?ال|لل)(?=\\w{3})|ה(?=[א-ת]{3})")


@cache
def _without_marks() -> dict[int, str]:
    letters = {ord(letter): bare for letter, bare in _OTHER_LETTERS.items()}
    for number in chain.from_iterable(range(*each) for each in _RANGES):
        whole = unicodedata.normalize("NFKD", chr(number))
        bare = "".join(letter for letter in whole if unicodedata.category(letter) != "Mn")
        if bare != chr(number) and (bare.isalnum() or not bare):
            letters.setdefault(number, bare.translate(letters))
    return letters


def plain(word: str) -> str:
    """A folded word in the letters that people type who have no others: without accents, points and
    dots. Whatever is only that stays as it is."""
    return word if word.isascii() else word.translate(_without_marks()) or word


@cache
def _two() -> dict[int, str]:
    return {ord(letter): two for letter, two in _IN_TWO.items()}


def spelt(word: str) -> list[str]:
    """The other spellings of a folded word."""
    if word.isascii():
        return []
    bare = plain(word)
    found = [bare, plain(word.translate(_two())), _ARTICLE.sub("", bare, count=1)]
    if not _ARTICLE.match(bare):
        found.pop()
    return [each for each in dict.fromkeys(found) if each != word]


# Capitals part a word: LikeThis, HTTPServer. So do digits, in such a word or at an end of some
# letters: TowerDefense2, tower2. What else has digits in it, such as 3D or 9c1f3ab, stays whole.
_ASCII_CASES: Final = re.compile("[a-z][A-Z]|[A-Z][A-Z][a-z]")
_ASCII_NUMBERED: Final = re.compile("([A-Za-z]{3,})([0-9]+)|([0-9]+)([A-Za-z]{3,})")
_ASCII_SEAM: Final = re.compile(
    "(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
    "|(?<=[A-Za-z]{3})(?=[0-9])|(?<=[0-9])(?=[A-Za-z]{3})"
)


def is_one(word: str) -> bool:
    """Whether a word of ASCII letters and digits has no parts."""
    if word.islower():
        return word.isalpha() or _ASCII_NUMBERED.fullmatch(word) is None
    return _ASCII_CASES.search(word) is None and _ASCII_NUMBERED.fullmatch(word) is None


def _kind(letter: str) -> str:
    if _IS_UNSPACED.match(letter):
        return "n"
    if letter.isdigit():
        return "d"
    if letter.isupper():
        return "u"
    return "l" if letter.islower() else "o" if letter.isalnum() else "m"


# The same by the kinds of letters, and where a script without blanks meets another.
_CASES: Final = re.compile("lu|uul|n[^n]|[^n]n")
_NUMBERED: Final = re.compile("[luo]{3,}d+|d+[luo]{3,}")
_SEAM: Final = re.compile(
    "(?<=l)(?=u)|(?<=u)(?=ul)|(?<=[luo]{3})(?=d)|(?<=d)(?=[luo]{3})|(?<=n)(?=[^n])|(?<=[^n])(?=n)"
)


def _parts(word: str) -> list[str]:
    """The parts of a word in its own case."""
    if word.isascii():
        if is_one(word):
            return [word]
        seams = _ASCII_SEAM.finditer(word)
    else:
        kinds = ""
        for letter in word:
            kind = _kind(letter)
            # A mark is of the kind of its letter.
            kinds += kinds[-1:] or "o" if kind == "m" else kind
        if not _CASES.search(kinds) and not _NUMBERED.fullmatch(kinds):
            return [word]
        seams = _SEAM.finditer(kinds)
    places = [0, *(seam.start() for seam in seams), len(word)]
    return [word[begin:end] for begin, end in pairwise(places)]


def _units(run: str) -> list[str]:
    """The letters of a script without blanks, each with its marks."""
    units: list[str] = []
    for letter in run:
        if units and unicodedata.category(letter)[0] == "M":
            units[-1] += letter
        else:
            units.append(letter)
    return units


def _counts(part: str) -> bool:
    """Whether a search uses a part: single letters are left out."""
    return len(part) > 1 or part.isdigit()


def forms(word: str, folded: Callable[[str], str]) -> Iterator[str]:
    """The looser forms of a word of a text, in its own case. `folded` takes the case away."""
    parts = _parts(word)
    if word.isascii():
        # The same, in a third of the time.
        yield from (part.lower() for part in parts if len(parts) > 1 and _counts(part))
        return
    yield from spelt(folded(word))
    for part in map(folded, parts):
        if _IS_UNSPACED.match(part):
            units = _units(part)
            yield from map("".join, pairwise(units))
            yield units[-1]
        elif len(parts) > 1 and _counts(part):
            yield part
            yield from spelt(part)


class Asked(NamedTuple):
    """A part of a word that a search uses. If it is `open`, a beginning is enough."""

    text: str
    open: bool


def parts_asked(word: str, folded: Callable[[str], str]) -> list[Asked]:
    """The parts of a word of a search, in its own case, which together mean the word; none if it is
    one part."""
    parts = list(map(folded, _parts(word)))
    asked: list[Asked] = []
    for part in parts:
        if _IS_UNSPACED.match(part):
            units = _units(part)
            if len(units) == 1:
                asked.append(Asked(units[0], open=True))
            pairs = pairwise(units)
            asked += [Asked(one + other, open=False) for one, other in pairs][:_MOST_PAIRS]
        elif len(parts) == 1 or not _counts(part):
            return []
        else:
            asked.append(Asked(part, open=False))
    return asked
