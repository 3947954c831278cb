"""The pages for writers of clients and for moderators name what there is."""

import re
from typing import ClassVar

from msgspec import inspect
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.app.families import OPERATIONS
from contentsvc.wire.notifications import AnyNotification
from tests.support.daemon import ROOT
from tests.support.pages import rows
from tests.test_readme import BASE, transcript

VARIABLE = r"\{\w+\}"


class PageTests(SynchronousTestCase):
    pages: ClassVar = {
        name: (ROOT / f"docs/guides/{name}.md").read_text()
        for name in ("accounts", "files", "players", "moderation")
    }

    def test_base(self) -> None:
        """The transcripts begin with where the daemon is by default."""
        for name, page in self.pages.items():
            self.assertTrue(transcript(page).startswith(BASE), name)

    def test_codes(self) -> None:
        """The codes in tables of errors are those that operations can answer, with their status."""
        there = {(e.status, e.code) for operation in OPERATIONS for e in operation.errors}
        for name, page in self.pages.items():
            for cell, *_ in rows(page, "| `code` |"):
                status = int(cell[:3])
                shown = {(status, code) for code in re.findall(r"`(\w+)", cell)}
                self.assertNotEqual(shown, set(), name)
                self.assertEqual(shown - there, set(), f"docs/guides/{name}.md")

    def test_operations(self) -> None:
        """The operations that the pages name exist."""
        there = {
            (o.route.method, re.sub(VARIABLE, "{}", o.url.removeprefix("/api/v1")))
            for o in OPERATIONS
        }
        for name, page in self.pages.items():
            named = re.findall(r"`(GET|PUT|POST|PATCH|DELETE) (/[^`? ]+)", page)
            shown = {(method, re.sub(VARIABLE, "{}", path)) for method, path in named}
            self.assertNotEqual(shown, set(), name)
            self.assertEqual(shown - there, set(), f"docs/guides/{name}.md")

    def test_kinds(self) -> None:
        """The kinds of notifications that the pages name in tables exist."""
        there = {kind.cls.__name__ for kind in inspect.type_info(AnyNotification).types}
        for name, page in self.pages.items():
            lines = re.findall(r"^\|.*$", page, re.M)
            shown = set(re.findall(r"\b(?:[A-Z][a-z]+){2,}\b", "\n".join(lines)))
            self.assertEqual(shown - there, set(), f"docs/guides/{name}.md")
