"""The pictures of the demo."""

import io

from PIL import Image, ImageChops, ImageStat
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.command.demo import pictures, world
from contentsvc.command.demo.canvas import SCALE, Canvas, mix
from contentsvc.command.demo.pictures import HEIGHT, WIDTH
from contentsvc.framework.storage.images import Pixels, pixels

RED = (200, 20, 30)


def opened(png: bytes) -> Image.Image:
    """A picture that can be compared: small, so that details count for little."""
    return Image.open(io.BytesIO(png)).convert("RGB").resize((48, 48))


def apart(one: Image.Image, other: Image.Image) -> float:
    """How much two pictures differ on average, 0 to 255 for each color."""
    return max(ImageStat.Stat(ImageChops.difference(one, other)).mean)


class CanvasTests(SynchronousTestCase):
    def test_alpha(self) -> None:
        """A faint shape lets what is under it through, and touches nothing beside it."""
        canvas = Canvas(80, 40, "#ffffff")
        canvas.polygon([(40, -10), (90, -10), (90, 50), (40, 50)], RED, 0.25)
        shown = Image.open(io.BytesIO(canvas.png()))
        self.assertEqual(shown.size, (60, 30))
        self.assertEqual(shown.getpixel((10, 15)), (255, 255, 255))
        found, wanted = shown.getpixel((50, 15)), mix("#ffffff", RED, 0.25)
        assert isinstance(found, tuple)
        for got, most in zip(found, wanted, strict=True):
            self.assertApproximates(got, most, 2)

    def test_gradient(self) -> None:
        """A picture in several colors begins with the first and ends with the last."""
        shown = Image.open(io.BytesIO(Canvas(8, 400, ["#000000", "#ff0000", "#ffffff"]).png()))
        column = [shown.getpixel((2, y)) for y in (0, 150, 299)]
        for found, wanted in zip(column, ((0, 0, 0), (255, 0, 0), (255, 255, 255)), strict=True):
            assert isinstance(found, tuple)
            for got, most in zip(found, wanted, strict=True):
                self.assertApproximates(got, most, 4)

    def test_outside(self) -> None:
        """Shapes may go beyond the canvas on every side."""
        canvas = Canvas(8, 8, "#000000")
        canvas.disc(4, 4, 40, RED)
        canvas.stroke([(-50, -50), (90, 70), (4, -20)], 30, "#ffffff")
        canvas.polygon([(-9, -9), (-5, -7), (-8, 30)], "#ffffff")
        canvas.glow(-20, 9, 30, RED)
        self.assertEqual(pixels("image/png", canvas.png()), Pixels(6, 6))


class PictureTests(SynchronousTestCase):
    def test_different(self) -> None:
        """Each avatar and emblem looks like no other, and is the same each time."""
        made = [pictures.avatar(person.name) for person in world.PEOPLE]
        for each in world.CHALLENGES:
            for won in (True, False):
                made.append(pictures.emblem(each.emblem, each.color, won=won))
        self.assertEqual(made[0], pictures.avatar(world.PEOPLE[0].name))
        self.apart(made)

    def test_screenshots(self) -> None:
        """Each item has screenshots that look like no other, the first with its title, and they
        are the same each time."""
        numbers = range(1, pictures.SHOTS + 1)
        made = {
            (item.name, n): pictures.screenshot(item.name, item.title, n)
            for item in world.ITEMS
            for n in numbers
        }
        self.apart(list(made.values()))
        for png in made.values():
            size = Pixels(round(WIDTH * SCALE), round(HEIGHT * SCALE))
            self.assertEqual(pixels("image/png", png), size)
        first = world.ITEMS[0]
        for n in numbers:
            self.assertEqual(made[first.name, n], pictures.screenshot(first.name, first.title, n))
            other = pictures.screenshot(first.name, "Other", n)
            self.assertEqual(made[first.name, n] != other, n == 1)

    def apart(self, made: list[bytes]) -> None:
        """Check that pictures differ from each other where they are seen."""
        shown = [opened(png) for png in made]
        for n, one in enumerate(shown):
            for other in shown[:n]:
                self.assertGreater(apart(one, other), 5)
