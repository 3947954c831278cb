"""The canvas for the demo's pictures, and what is drawn on it."""

import hashlib
import zlib

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.bucket.images import Pixels, pixels
from contentsvc.command.demo import lettering, pictures, world
from contentsvc.command.demo.canvas import Canvas, Color, box, color, mix

RED, WHITE = (200, 20, 30), (255, 255, 255)


def shown(png: bytes) -> list[list[Color]]:
    """The pixels of a picture, row by row."""
    wide, tall = pixels("image/png", png)
    length = int.from_bytes(png[33:37], "big")
    assert png[37:41] == b"IDAT"
    data = zlib.decompress(png[41 : 41 + length])
    row = 1 + 3 * wide
    lines = [data[n * row + 1 : (n + 1) * row] for n in range(tall)]
    return [[(line[n], line[n + 1], line[n + 2]) for n in range(0, 3 * wide, 3)] for line in lines]


class CanvasTests(SynchronousTestCase):
    def test_png(self) -> None:
        """Each chunk of a picture has its length and its sum, and the picture its size."""
        png = Canvas(8, 6, 0.5).png()
        self.assertEqual(pixels("image/png", png), Pixels(4, 3))
        at, kinds = 8, []
        while at < len(png):
            length = int.from_bytes(png[at : at + 4], "big")
            body, end = png[at + 4 : at + 8 + length], at + 12 + length
            self.assertEqual(zlib.crc32(body).to_bytes(4, "big"), png[end - 4 : end])
            kinds.append(body[:4])
            at = end
        self.assertEqual(kinds, [b"IHDR", b"IDAT", b"IEND"])

    def test_whole(self) -> None:
        """A shape on whole pixels covers these, and no others."""
        canvas = Canvas(6, 6)
        canvas.polygon(box(3, 3, 2, 4), RED)
        rows = shown(canvas.png())
        covered = [(x, y) for y in range(6) for x in range(6) if rows[y][x] == RED]
        self.assertEqual(covered, [(x, y) for y in range(1, 5) for x in (2, 3)])
        self.assertEqual(sum(pixel == (0, 0, 0) for row in rows for pixel in row), 28)

    def test_parts(self) -> None:
        """A pixel that a shape covers in part has that part of its color."""
        canvas = Canvas(4, 4)
        canvas.polygon(box(2, 2, 1, 1), WHITE)
        rows = shown(canvas.png())
        for y, x in ((1, 1), (1, 2), (2, 1), (2, 2)):
            self.assertIn(rows[y][x][0], range(62, 67))

    def test_alpha(self) -> None:
        """A faint shape lets what is under it through, on long runs and on short ones alike."""
        for wide in (4, 40):
            canvas = Canvas(wide, 2)
            canvas.backdrop(WHITE)
            canvas.polygon(box(wide / 2, 1, wide, 2), RED, 0.25)
            for got, wanted in zip(shown(canvas.png())[0][0], mix(WHITE, RED, 0.25), strict=True):
                self.assertIn(got, range(wanted - 1, wanted + 2))

    def test_outside(self) -> None:
        """Shapes may go beyond the canvas on every side."""
        canvas = Canvas(8, 8)
        canvas.disc(4, 4, 40, RED)
        canvas.stroke([(-50, -50), (90, 70), (4, -20)], 30, WHITE)
        canvas.polygon([(-9, -9), (-5, -7), (-8, 30)], WHITE)
        canvas.polygon([(0, 0), (10, 0), (5, 0)], WHITE)
        self.assertEqual(len(shown(canvas.png())), 8)

    def test_color(self) -> None:
        """A color is written as on the web."""
        self.assertEqual(color("#0a10ff"), (10, 16, 255))
        self.assertEqual(mix((0, 0, 0), (10, 20, 30), 0.5), (5, 10, 15))


class PictureTests(SynchronousTestCase):
    def test_different(self) -> None:
        """Each avatar and emblem is a picture of its own, and the same each time."""
        made = [pictures.avatar(person.name) for person in world.PEOPLE]
        for each in world.CHALLENGES:
            for won in (True, False):
                made.append(pictures.emblem(each.emblem, each.color, won=won))
        self.assertEqual(len(set(made)), len(made))
        self.assertEqual(made[0], pictures.avatar(world.PEOPLE[0].name))

    def test_screenshots(self) -> None:
        """Each item has screenshots of its own, the first with its title, and they are the same
        each time."""
        sums = set()
        for item in world.ITEMS:
            for n in range(1, pictures.SHOTS + 1):
                sums.add(hashlib.sha256(pictures.screenshot(item.name, item.title, n)).digest())
        self.assertEqual(len(sums), len(world.ITEMS) * pictures.SHOTS)
        first = world.ITEMS[0]
        for n, changes in ((1, True), (2, False)):
            one = pictures.screenshot(first.name, first.title, n)
            self.assertEqual(one, pictures.screenshot(first.name, first.title, n))
            self.assertEqual(one != pictures.screenshot(first.name, "Other", n), changes)

    def test_letters(self) -> None:
        """There is a letter for each that the titles need, and each fits into its width."""
        for item in world.ITEMS:
            for letter in item.title.upper().replace(" ", ""):
                canvas = Canvas(60, 60)
                lettering.write(canvas, letter, 10, 10, 40, WHITE)
                rows = shown(canvas.png())
                covered = [x for row in rows for x, pixel in enumerate(row) if pixel[0] > 128]
                self.assertTrue(covered, letter)
                self.assertLessEqual(max(covered), 10 + lettering.width(letter, 40) + 4)
