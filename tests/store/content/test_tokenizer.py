"""The words of a text (content#words)."""

import sys
import unicodedata

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.store.content.tokenizer import MOST, Question, document, words

ACUTE, CEDILLA = "\u0301", "\u0327"


class MarkTests(SynchronousTestCase):
    """Many marks on one letter: to put them in order must not take the square of their number."""

    def test_few(self) -> None:
        """Marks belong to their letter, in whatever order they come."""
        self.assertEqual(words(f"z{ACUTE}{CEDILLA}"), words(f"z{CEDILLA}{ACUTE}"))
        self.assertNotEqual(words(f"z{CEDILLA}{CEDILLA}"), words(f"z{CEDILLA}"))

    def test_many(self) -> None:
        """Beyond 30 they do not count, whether or not a letter follows."""
        for end in ("", "y", " y"):
            for mark in (CEDILLA, "\uff9e", "\uff9f"):
                thirty = words("x" + 30 * mark + end)
                self.assertEqual(words("x" + 31 * mark + end), thirty)
                self.assertEqual(words("x" + 60_000 * mark + end), thirty)
                self.assertNotEqual(words("x" + 29 * mark + end), thirty)

    def test_mixed(self) -> None:
        """So it is where marks come in turns that no order leaves as they are."""
        for pair in (ACUTE + CEDILLA, f"{ACUTE}\uff9e"):
            self.assertEqual(words("x" + 30_000 * pair), words("x" + 15 * pair))

    def test_question(self) -> None:
        """A search counts marks in the same way."""
        long, short = (Question("x" + count * CEDILLA) for count in (200, 30))
        self.assertEqual(long.terms, short.terms)

    def test_signs(self) -> None:
        """A long row of other signs still parts two words."""
        self.assertEqual(words("one" + 100 * "\u2550" + "two"), ["one", "two"])

    def test_all(self) -> None:
        """No other character is a letter that folding makes a mark."""
        letters = [
            letter
            for letter in map(chr, range(sys.maxunicode + 1))
            if letter.isalnum() and unicodedata.combining(unicodedata.normalize("NFKD", letter)[0])
        ]
        self.assertEqual(letters, ["\uff9e", "\uff9f"])


class MostTests(SynchronousTestCase):
    """How many words of a text count."""

    def test_different(self) -> None:
        """The first 2,000 that differ count, however often each is there."""
        text = " ".join(f"w{n} W{n}" for n in range(MOST + 500))
        self.assertEqual(words(text), [f"w{n}" for n in range(2000)])

    def test_each_text(self) -> None:
        """A long description takes no place from the name and the tags."""
        description = " ".join(f"w{n}" for n in range(MOST + 1))
        terms = document("castle", ["co-op"], description).split()
        self.assertTrue({"'~.castle':1A", "'~.co':1B", "'~.w1999'"} <= set(terms))
        # The name, the tag, what is in them, and the tag as one word.
        self.assertEqual(len(terms), 1 + 1 + 1 + 2 + 1 + MOST)

    def test_begins_alike(self) -> None:
        """Long words that begin alike are one of them."""
        text = " ".join("x" * 64 + f"{n}" for n in range(MOST)) + " other"
        self.assertEqual(words(text), ["x" * 64, "other"])

    def test_ascii(self) -> None:
        """The words of a text in ASCII are the same beside a letter that is none."""
        text = "".join(map(chr, range(128))) + "It's_a 2nd\tCASTLE\x1ftower."
        self.assertEqual([*words(text), "ä"], words(f"{text} ä"))
