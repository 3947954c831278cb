"""The files of the portal as they are sent."""

from __future__ import annotations

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.config.brand import Brand, Link, Picture
from contentsvc.framework.config.toml_files import Label
from contentsvc.portal.assets import FOLDER, Assets


class AssetsTests(SynchronousTestCase):
    def test_comments(self) -> None:
        """A module is sent without the comments that have lines of their own, and without what
        lines begin with; the lines stay where they were."""
        lines = (FOLDER / "places/challenges.js").read_text().splitlines()
        sent = Assets().text("places/challenges.js").splitlines()
        self.assertEqual(len(lines), len(sent))
        self.assertTrue(lines[0].startswith("/**"))
        for line, now in zip(lines, sent, strict=True):
            self.assertEqual("" if line.startswith("/**") else line.lstrip(), now)

    def test_vendor(self) -> None:
        """What others have written keeps its comments: their licence may be in them."""
        name = "vendor/preact.js"
        self.assertEqual((FOLDER / name).read_text(), Assets().text(name))


class BrandTests(SynchronousTestCase):
    def test_digest(self) -> None:
        """The digest changes with each thing that a brand says."""
        label, picture = Label("x", "y"), Picture("svg", "image/svg+xml", b"<svg/>")
        brands = [
            None,
            Brand("a"),
            Brand("b"),
            Brand("a", "tagline"),
            Brand("a", pictures={"logo": picture}),
            Brand("a", pictures={"icon": picture}),
            Brand("a", pictures={"icon": picture._replace(data=b"<svg />")}),
            Brand("a", colours={"light": {"line": "#000000"}, "dark": {}}),
            Brand("a", links=(Link(label, "/"),)),
            Brand("a", types={"game": label}),
            Brand("a", platforms={"win64": label}),
        ]
        self.assertEqual(len({Assets(brand=brand).digest for brand in brands}), len(brands))
        self.assertEqual(Assets(brand=Brand("a")).digest, Assets(brand=Brand("a")).digest)

    def test_same(self) -> None:
        """A brand without colours leaves the style sheet as it is."""
        brand = Brand("a", colours={"light": {}, "dark": {}})
        self.assertEqual(Assets(brand=brand).text("style.css"), Assets().text("style.css"))
