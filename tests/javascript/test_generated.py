"""What the JavaScript client has of docs/openapi.json."""

from __future__ import annotations

from twisted.trial.unittest import TestCase

from scripts.javascript.files import files


class GeneratedTests(TestCase):
    def test_files(self) -> None:
        """Each file is as `scripts/openapi` makes it."""
        old = [path.name for path, text in files().items() if path.read_text("utf-8") != text]
        if old:
            self.fail(f"run scripts/openapi: it makes {', '.join(old)}")
