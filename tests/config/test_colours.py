"""Whether the colours of a brand can be read."""

import re

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.config import colours
from contentsvc.config.colours import GROUNDS, INKS, OWN, READABLE, SEEN, THEMES, contrast
from contentsvc.portal.assets import FOLDER


class ContrastTests(SynchronousTestCase):
    def test_known(self) -> None:
        """The contrast is that of WCAG 2."""
        for one, other, expected in (
            ("#ffffff", "#000000", 21),
            ("#777777", "#ffffff", 4.478),
            ("#767676", "#ffffff", 4.542),
            ("#0000ff", "#ffffff", 8.592),
            ("#123456", "#123456", 1),
        ):
            self.assertAlmostEqual(contrast(one, other), expected, 3)
            self.assertEqual(contrast(one, other), contrast(other, one))

    def test_on(self) -> None:
        """Black or white stands on a colour, whichever has more contrast."""
        for ground, ink in (("#ffcc00", "#000000"), ("#4338ca", "#ffffff"), ("#757575", "#ffffff")):
            self.assertEqual(colours.on(ground), ink)


class OwnTests(SynchronousTestCase):
    def test_style(self) -> None:
        """The portal's own colours are those of its style sheet."""
        style = (FOLDER / "style.css").read_text()
        for name in OWN["light"]:
            found = re.search(rf"--{name}: light-dark\((.+?), (.+?)\);", style)
            shown = [
                re.sub("^#(.)(.)(.)$", r"#\1\1\2\2\3\3", each) for each in found.groups() if found
            ]
            self.assertEqual(shown, [OWN[theme][name] for theme in THEMES], name)

    def test_readable(self) -> None:
        """They can be read."""
        self.assertIsNone(colours.unreadable({}))


class UnreadableTests(SynchronousTestCase):
    def refused(self, **given: dict[str, str]) -> tuple[str, str]:
        """What is said of colours that cannot be read."""
        found = colours.unreadable(given)
        assert found is not None
        return found

    def test_ink(self) -> None:
        """Both colours are named, and one that would do."""
        key, reason = self.refused(light={"accent": "#ffcc00"})
        self.assertEqual(key, "accent.light")
        self.assertIn("#ffcc00 has a contrast of 1.38 with back #f6f5f2, and needs 4.5", reason)
        better = reason.rpartition("accent ")[2].removesuffix(" would do")
        self.assertIsNone(colours.unreadable({"light": {"accent": better}}))

    def test_advice(self) -> None:
        """What is advised does for each colour that is too pale, or too dark, in each theme."""
        for theme, given in (("light", "#dddddd"), ("dark", "#222222")):
            for ink in INKS:
                _, reason = self.refused(**{theme: {ink: given}})
                better = reason.rpartition(f"{ink} ")[2].removesuffix(" would do")
                self.assertIsNone(colours.unreadable({theme: {ink: better}}), reason)

    def test_ground(self) -> None:
        """A ground on which the portal's own colours cannot be read is named, and one that does."""
        for ground in GROUNDS:
            key, reason = self.refused(dark={ground: "#888888"})
            self.assertEqual(key, f"{ground}.dark")
            better = reason.rpartition(f"{ground} ")[2].removesuffix(" would do")
            self.assertIsNone(colours.unreadable({"dark": {ground: better}}), reason)

    def test_none(self) -> None:
        """Where no colour would do, none is advised."""
        grounds = {"back": "#000000", "surface": "#ffffff", "raised": "#777777", "text": "#ff0000"}
        _, reason = self.refused(light=grounds)
        self.assertTrue(reason.endswith("and needs 4.5"), reason)

    def test_between(self) -> None:
        """A colour that can be read on both black and white is found."""
        inks = dict.fromkeys(INKS, "#ff0000")
        grounds = {"back": "#000000", "surface": "#ffffff", "raised": "#ffffff"}
        _, reason = self.refused(light={**inks, **grounds})
        better = reason.rpartition("accent ")[2].removesuffix(" would do")
        self.assertIsNone(colours.unreadable({"light": {**grounds, **dict.fromkeys(INKS, better)}}))


class DerivedTests(SynchronousTestCase):
    def test_readable(self) -> None:
        """What follows from colours that can be read just so can be read and seen, too."""
        barely = {
            **OWN["light"],
            **dict.fromkeys(GROUNDS, "#ffffff"),
            **dict.fromkeys(INKS, "#767676"),
        }
        for theme in (OWN["light"], OWN["dark"], barely):
            found = colours.derived(theme)
            for ground in GROUNDS:
                self.assertGreaterEqual(contrast(found["edge"], theme[ground]), SEEN)
            for ground in ("tint", "soft"):
                for ink in INKS:
                    self.assertGreaterEqual(contrast(theme[ink], found[ground]), READABLE)
            self.assertGreaterEqual(contrast(found["on-accent"], theme["accent"]), READABLE)
