"""The files of the portal as they are sent."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.portal.assets import FOLDER, Assets


class AssetsTests(SynchronousTestCase):
    def test_comments(self) -> None:
        """A module is sent without the comments that have lines of their own; the others stay where
        they were."""
        lines = (FOLDER / "places/challenges.js").read_text().splitlines()
        sent = Assets().text("places/challenges.js").splitlines()
        self.assertEqual(len(lines), len(sent))
        self.assertTrue(lines[0].startswith("/**"))
        for line, now in zip(lines, sent, strict=True):
            self.assertEqual("" if line.startswith("/**") else line, now)

    def test_vendor(self) -> None:
        """What others have written keeps its comments: their licence may be in them."""
        name = "vendor/preact.js"
        self.assertEqual((FOLDER / name).read_text(), Assets().text(name))
