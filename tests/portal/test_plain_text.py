"""What a link to content shows of a text with a shape."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.portal import plain_text
from contentsvc.portal.plain_text import plain

SAID = {
    "a *b* __c__\nd": "a b c d",
    "# a\n\nb\n=\n\n- c\n- d\n\n1. e\n\n> f": "a b c d e f",
    "`a *b*`\n\n```\nc\n```\n\n---\nd": "a *b* c d",
    "[a *b*](https://c.example 'd') <https://e.example> [f](javascript:g) [h][i]\n\n[i]: /j": (
        "a b https://e.example f h"
    ),
    "![a *b*](screenshot:1) ![c](https://d.example/e.png)": "a b c",
    "<b>a</b> &lt; \\*b\\*": "<b>a</b> < *b*",
}
"""Texts, and what is said of them."""


class PlainTests(SynchronousTestCase):
    def test_plain(self) -> None:
        """Marks are left out, and what they are around stays; HTML is as it is written."""
        for text, said in SAID.items():
            self.assertEqual(said, " ".join(plain(text).split()), text)

    def test_long(self) -> None:
        """Of a long text the beginning is read."""
        self.assertLess(len(plain("a " * 32_768)), 600)

    def test_remembered(self) -> None:
        """What is read is parsed once: the worst of it takes long."""
        parsed, parse = [], plain_text._parser.parse

        def noted(text):
            parsed.append(text)
            return parse(text)

        self.patch(plain_text._parser, "parse", noted)
        text = "![[](" * 1_000
        self.assertEqual(plain(text), plain(text + "a"))
        self.assertEqual([text[:500]], parsed)
