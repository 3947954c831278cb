"""What the portal says."""

from __future__ import annotations

import re

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.portal.assets import FOLDER
from contentsvc.portal.heads import LEAD, TITLES
from tests.support import lists

_KEY = re.compile(r'^  "([^"]+)":\s+({\n(?:    .*\n)+  }|.*),$', re.MULTILINE)
_USED = re.compile(r'\bt\("([a-z][\w.-]*)"')
_VALUE = re.compile(r"{(\w+)}")


FILES = ("{}.js", "{}.errors.js", "{}.console.js")
"""The texts of a language: those of every page, of what was refused, and of the console."""


def texts(language: str, files: tuple[str, ...] = FILES) -> dict[str, str]:
    """The texts of a language by their keys, as the files have them."""
    found: dict[str, str] = {}
    for file in files:
        found |= _KEY.findall((FOLDER / "texts" / file.format(language)).read_text())
    return found


class TextsTests(SynchronousTestCase):
    def test_complete(self) -> None:
        """Each language has the same texts, with the same values in them, in the order of keys."""
        for file in FILES:
            english, german = texts("en", (file,)), texts("de", (file,))
            place = f"contentsvc/portal/texts/{file.format('de')}, in the order of keys"
            lists.same(self, place, german, english, '  "{}": "…",'.format)
            for found in (english, german):
                self.assertEqual(sorted(found), list(found), f"{file}: in the order of keys")
        english, german = texts("en"), texts("de")
        for key, text in english.items():
            self.assertEqual(set(_VALUE.findall(text)), set(_VALUE.findall(german[key])), key)
            self.assertEqual(text.startswith("{"), german[key].startswith("{"), key)

    def test_used(self) -> None:
        """Each text that a module names is there: outside of the console without its texts."""
        every, outside = texts("en"), texts("en", FILES[:-1])
        for path in FOLDER.rglob("*.js"):
            known = every if path.parent.name == "console" else outside
            for key in _USED.findall(path.read_text()):
                place = f"{path.name} says it: add it to contentsvc/portal/texts"
                self.assertIn(key, known, place)

    def test_heads(self) -> None:
        """The head of a page says the same as the page."""
        keys = {path: f"place.{path[1:]}" for path in TITLES} | {"/": "place.discover"}
        keys |= {"/legal": "legal.title", "/notice": "notice.title"}
        for language in LEAD._fields:
            said = {key: text.strip('\n "') for key, text in texts(language).items()}
            self.assertEqual(said["discover.lead"], getattr(LEAD, language))
            for path, title in TITLES.items():
                self.assertEqual(said[keys[path]], getattr(title, language), path)

    def test_no_markup(self) -> None:
        """No module writes markup: what players have written is text."""
        for path in FOLDER.rglob("*.js"):
            if "vendor" not in path.parts:
                self.assertNotRegex(
                    path.read_text(), r"innerHTML|insertAdjacentHTML|document\.write"
                )
