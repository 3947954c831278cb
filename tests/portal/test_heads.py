"""The heads of the pages."""

from __future__ import annotations

import re
from html import unescape

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.config.brand import Brand, Picture
from contentsvc.portal.heads import Heads
from contentsvc.portal.previews import Preview

SITE, MEDIA, FILES = "https://play.example", "https://media.example", "https://play.example/p"
SVG, PNG = Picture("svg", "image/svg+xml", b""), Picture("png", "image/png", b"")
PATH = "/content/12345678-9abc-def0-1234-56789abcdef0"


def heads(**pictures: Picture) -> Heads:
    """Those of a brand with these pictures."""
    return Heads(Brand("Kitea", pictures=pictures), SITE, MEDIA, FILES)


def values(head: str) -> dict[str, str]:
    """What the members of a head say, by their names."""
    found = re.findall(r'<meta (?:property|name)="([\w:]+)" content="([^"]*)">', head)
    return {name: unescape(value) for name, value in found}


class PictureTests(SynchronousTestCase):
    def test_brand(self) -> None:
        """A place shows the brand's picture for links, large; else its icon or logo, small, but no
        SVG."""
        for pictures, shown, card in (
            ({"share": PNG, "icon": PNG}, "share.png", "summary_large_image"),
            ({"icon": PNG, "logo": PNG}, "icon.png", "summary"),
            ({"icon": SVG, "logo": PNG}, "logo.png", "summary"),
        ):
            found = values(heads(**pictures).of_place("/browse", "en")[1])
            self.assertEqual(found["og:image"], f"{FILES}/brand/{shown}")
            self.assertEqual(found["twitter:card"], card)
        self.assertNotIn("og:image", values(heads(icon=SVG).of_place("/", "en")[1]))

    def test_own(self) -> None:
        """A page with a picture of its own shows that one: a screenshot large, an avatar small."""
        for path, card in ((PATH, "summary_large_image"), ("/user/7", "summary")):
            head = heads(share=PNG).of_thing(Preview("Ada", "", "a b.png"), path, "en")[1]
            self.assertEqual(values(head)["og:image"], f"{MEDIA}/a%20b.png")
            self.assertEqual(values(head)["twitter:card"], card)
