"""Looser forms of words (content#words), and how many there may be."""

# ruff: noqa: RUF001 (letters that look alike are what this is about)

import sys
from itertools import chain
from unicodedata import normalize

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core.folding import folded
from contentsvc.store.content import spellings
from contentsvc.store.content.tokenizer import MOST, MOST_FORMS, Question, document


def terms(name: str = "", tags: tuple[str, ...] = (), description: str = "") -> dict[str, str]:
    """The words of a document, with their weights."""
    found = document(name, tags, description).split()
    split = [term.rpartition("'") for term in found if term.startswith("'~.")]
    return {word.removeprefix("'~."): weight for word, _, weight in split}


class PlainTests(SynchronousTestCase):
    def test_letters(self) -> None:
        """What is left of any letter of the alphabets that have accents is letters, and the same
        whether it comes whole or apart."""
        ranges = range(0xC0, 0x250), range(0x370, 0x530), range(0x1E00, 0x2000)
        for number in chain.from_iterable(ranges):
            letter = folded(chr(number))
            if letter.isalnum():
                bare = spellings.plain(letter)
                self.assertTrue(bare.isalnum(), hex(number))
                self.assertEqual(spellings.plain(normalize("NFD", letter)), bare, hex(number))

    def test_again(self) -> None:
        """It has no other letters to take away."""
        for number in range(sys.maxunicode + 1):
            bare = spellings.plain(chr(number))
            self.assertEqual(spellings.plain(bare), bare, hex(number))

    def test_vowels(self) -> None:
        """Marks that are vowels stay, and letters that others are made of."""
        for word in ("हिन्दी", "เมือง", "が", "지도", "ကမ္ဘာ"):
            self.assertEqual(spellings.plain(word), word)


class FormTests(SynchronousTestCase):
    def test_english(self) -> None:
        """A plain English description has no others than its words."""
        text = "Stack it as HIGH as it goes, with (some) friends; 3 of them: 3D, 4k and 9c1f3ab!"
        words = {word.strip(",.;:!()") for word in text.lower().split()}
        self.assertEqual(terms(description=text), dict.fromkeys(words, ""))

    def test_weights(self) -> None:
        """A form in a name or a tag has a weight of its own, below the words, and in a description
        the description's."""
        found = terms("Pokémon pokemon", ("Café", "au-lait"), "Łódź aulait")
        expected = {"pokémon": ":1A", "pokemon": ":1A", "café": ":1B", "cafe": ":1C"}
        expected |= {"aulait": ":1C", "łódź": "", "lodz": ""}
        self.assertEqual({word: found[word] for word in expected}, expected)

    def test_parts(self) -> None:
        """Capitals part words, and digits what has three letters or more beside them alone."""
        for word, parts in (
            ("TowerDefense2", ["tower", "defense", "2"]),
            ("HTTPServer", ["http", "server"]),
            ("tower2", ["tower", "2"]),
            ("2towers", ["2", "towers"]),
            ("TOWER", []),
            ("Tower", []),
            ("3D", []),
            ("mp3", []),
            ("ab12cd34", []),
            ("ЗамокДракона", ["замок", "дракона"]),
        ):
            self.assertEqual(list(spellings.forms(word, folded)), parts, word)

    def test_most(self) -> None:
        """A text of many has the first MOST_FORMS, however long its words are."""
        for text in (
            "é" * 60_000,
            " ".join(f"é{n}" for n in range(5000)),
            "".join(map(chr, range(0x4E00, 0x9FFF))),
            "-".join(f"a{n}" for n in range(9000)),
            "aB" * 30_000,
            "กำ" * 30_000,
        ):
            plain = len(terms(description=text))
            self.assertLessEqual(plain, MOST + MOST_FORMS)
            self.assertLessEqual(
                len(terms("", tuple(text[n * 64 :][:64] for n in range(64)))), 3000
            )


class QuestionTests(SynchronousTestCase):
    def test_plain(self) -> None:
        """A plain word is asked for as it is, and two as one too."""
        self.assertEqual(Question("Tower").terms, ["'~.tower':*"])
        both = Question("tower Defense").terms
        self.assertEqual(both, ["(('~.tower' & '~.defense':*) | '~.towerdefense':*)"])

    def test_most(self) -> None:
        """However long a search is, it asks for little more than it has words."""
        for q in ("é " * 128, "aB" * 128, "世界地図" * 64, "世 " * 128, "a-" * 128, "ü" * 256):
            question = Question(q)
            asked = " ".join([*question.terms, question.beginning, question.whole])
            self.assertLess(asked.count("'~"), 3 * 130, q[:8])

    def test_same(self) -> None:
        """A search has the same words, however its letters are put together."""
        for q in ("Élan İstanbul", "ǅ ŉ ﬁx", "ᾳ ͺ x", "ﾄﾞﾗｺﾞﾝ"):
            for form in ("NFC", "NFD"):
                self.assertEqual(Question(normalize(form, q)).exact, Question(q).exact)
