"""The pictures of the demo."""

import io

from PIL import Image, ImageChops, ImageStat
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.command.demo.files import DemoFiles, screenshots
from contentsvc.command.demo.world import FOLDER, WORLD
from contentsvc.framework.storage.images import Pixels, fits, pixels

PICTURES = FOLDER / "pictures"
SIZE = Pixels(192, 192)
"""That of avatars and emblems."""


def opened(png: bytes) -> Image.Image:
    """A picture that can be compared: small, so that details count for little."""
    return Image.open(io.BytesIO(png)).convert("RGB").resize((48, 48))


def apart(one: Image.Image, other: Image.Image) -> float:
    """How much two pictures differ on average, 0 to 255 for each color."""
    return max(ImageStat.Stat(ImageChops.difference(one, other)).mean)


class PictureTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.made = DemoFiles(make=True)
        self.names = [
            str(path.relative_to(PICTURES).with_suffix(".png")) for path in PICTURES.rglob("*.webp")
        ]

    def picture(self, name: str) -> bytes:
        """The bytes of a picture that the demo has made."""
        return self.made.bytes[self.made.path(name)]

    def test_all(self) -> None:
        """Each picture in the folder is of somebody or something, and has the size of its kind."""
        made = [path for path in self.made.bytes if path.endswith(".png")]
        self.assertEqual(len(made), len(self.names))
        for name in self.names:
            found = pixels("image/png", self.picture(name))
            if name.startswith("screenshots"):
                self.assertTrue(found is not None and fits(found), name)
            else:
                self.assertEqual(found, SIZE, name)

    def test_shapes(self) -> None:
        """A content's first screenshot is as wide as a screen; among the others some are upright,
        some square and some very wide, those of the star too."""
        shapes = {}
        for name in self.names:
            found = pixels("image/png", self.picture(name))
            assert found is not None
            shapes[name] = found.width / found.height
        for content in WORLD["contents"]:
            first, *others = screenshots(content)
            self.assertAlmostEqual(shapes[first], 16 / 9, 2, content)
            if content == WORLD["featured"][0]:
                self.assertTrue(any(shapes[name] < 1 for name in others))
        shown = [shape for name, shape in shapes.items() if name.startswith("screenshots")]
        self.assertIn(1, shown)
        self.assertGreater(max(shown), 2)

    def test_different(self) -> None:
        """Each screenshot looks like no other where it is seen, and so do avatars and emblems."""
        for folders in (("screenshots",), ("avatars", "emblems")):
            names = [name for name in self.names if name.startswith(folders)]
            shown = [opened(self.picture(name)) for name in names]
            for n, one in enumerate(shown):
                for other in shown[:n]:
                    self.assertGreater(apart(one, other), 5)

    def test_same(self) -> None:
        """They are the same each time."""
        self.assertEqual(DemoFiles(make=True).bytes, self.made.bytes)
