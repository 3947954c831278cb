"""What the JavaScript client has of docs/openapi.json."""

from __future__ import annotations

from twisted.trial.unittest import TestCase

from scripts.javascript.files import files


class GeneratedTests(TestCase):
    def test_files(self) -> None:
        """Each file is as `scripts/openapi` makes it."""
        for path, text in files().items():
            there = path.read_text("utf-8")
            self.assertTrue(there == text, f"run scripts/openapi: {path.name}")
