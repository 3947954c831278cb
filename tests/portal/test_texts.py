"""What the portal says."""

from __future__ import annotations

import re

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.portal.assets import FOLDER

_KEY = re.compile(r'^  "([^"]+)": (.*),$', re.MULTILINE)
_USED = re.compile(r'\bt\("([a-z][\w.-]*)"')
_VALUE = re.compile(r"{(\w+)}")


def texts(language: str) -> dict[str, str]:
    """The texts of a language by their keys, as the file has them."""
    found = _KEY.findall((FOLDER / f"texts/{language}.js").read_text())
    return dict(found)


class TextsTests(SynchronousTestCase):
    def test_complete(self) -> None:
        """Each language has the same texts, with the same values in them, in the order of keys."""
        english, german = texts("en"), texts("de")
        self.assertEqual(list(english), list(german))
        self.assertEqual(sorted(english), list(english))
        for key, text in english.items():
            self.assertEqual(set(_VALUE.findall(text)), set(_VALUE.findall(german[key])), key)
            self.assertEqual(text.startswith("{"), german[key].startswith("{"), key)

    def test_used(self) -> None:
        """Each text that a module names is there."""
        known = texts("en")
        for path in FOLDER.rglob("*.js"):
            for key in _USED.findall(path.read_text()):
                self.assertIn(key, known, path.name)

    def test_no_markup(self) -> None:
        """No module writes markup: what players have written is text."""
        for path in FOLDER.rglob("*.js"):
            if "vendor" not in path.parts:
                self.assertNotRegex(
                    path.read_text(), r"innerHTML|insertAdjacentHTML|document\.write"
                )
