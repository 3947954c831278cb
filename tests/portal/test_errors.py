"""What the portal says of each error that a page can meet."""

from __future__ import annotations

import re

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.portal.assets import FOLDER
from tests.portal.test_texts import FILES, texts
from tests.support.daemon import ROOT

_ROW = re.compile(r"^\| (\d{3}) \| `(\w+)` \| .* \| ([^|]*) \|$", re.MULTILINE)
_LINK = re.compile(r"\[(\w+)\]\(operations\.md")
_UNSEEN = {"before an operation is known, or at the socket"}
"""Where no page reads an answer. What a browser makes of it is a lost line."""

_CLIENT = {"createToken", "connectSession"}
"""Operations that the client calls by itself: to log in and to stay so."""

_MADE = {"client.js", "client-files.js", "client-shared.js", "limits.js"}
"""Modules that scripts make."""

_FAULTS = {
    "invalid_client",
    "invalid_host",
    "invalid_scope",
    "invalid_target",
    "length_required",
    "malformed_json",
    "range_not_satisfiable",
    "unsupported_grant_type",
    "unsupported_media_type",
}
"""What only a fault of the page itself, or of a proxy, can bring: the page says that something went
wrong."""


def used() -> set[str]:
    """The words of the portal's modules, among which are all operations that pages call."""
    found = set(_CLIENT)
    for path in FOLDER.rglob("*.js"):
        if "vendor" not in path.parts and path.name not in _MADE:
            found |= set(re.findall(r"\w+", path.read_text("utf-8")))
    return found


def met() -> set[str]:
    """The codes that a page can meet, of docs/reference/errors.md."""
    calls = used()
    page = (ROOT / "docs/reference/errors.md").read_text("utf-8")
    rows = _ROW.findall(page)
    assert len(rows) > 100, "the table has another form"
    found = set()
    for _, code, where in rows:
        operations = _LINK.findall(where)
        if where not in _UNSEEN and (not operations or calls.intersection(operations)):
            found.add(code)
    return found - _FAULTS


class ErrorsTests(SynchronousTestCase):
    def test_texts(self) -> None:
        """Each code that a page can meet has a text in each language, and no two of the languages
        the same."""
        english, german = texts("en"), texts("de")
        keys = {f"error.{code}" for code in met()}
        self.assertEqual([], sorted(keys - english.keys()), "English")
        self.assertEqual([], sorted(keys - german.keys()), "German")
        self.assertEqual([], sorted(key for key in keys if english[key] == german[key]))

    def test_outside(self) -> None:
        """What players meet has a text outside of the console too."""
        outside = texts("en", FILES[:-1])
        for code in ("username_taken", "quota_exceeded", "blocked", "content_not_found"):
            self.assertIn(f"error.{code}", outside)

    def test_limits(self) -> None:
        """No field has a limit of its own: those of the operations are in `limits.js`."""
        for path in FOLDER.rglob("*.js"):
            if "vendor" not in path.parts and path.name not in _MADE:
                self.assertNotRegex(path.read_text("utf-8"), r"(?i)\b(max|min)length=", path.name)
