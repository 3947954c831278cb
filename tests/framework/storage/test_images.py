"""The headers of images (files#announcing): their type and size, without decoding."""

import contextlib
import struct
from collections.abc import Awaitable, Callable

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.storage import images
from contentsvc.framework.storage.images import MOST_SIDE, STEPS, NoImage, Pixels, TooShort, pixels
from tests.support.pictures import chunk, jpeg, png, segment, webp, webp_extended, webp_lossless

PNG, JPEG, WEBP = "image/png", "image/jpeg", "image/webp"
PATH = f"ab/ab{62 * '0'}"
MAKERS: dict[str, list[Callable[[int, int], bytes]]] = {
    PNG: [png],
    JPEG: [jpeg],
    WEBP: [webp, webp_lossless, webp_extended],
}
MAKES = [(media, make) for media, makes in MAKERS.items() for make in makes]
ENDINGS = {PNG: ".png", JPEG: ".jpg", WEBP: ".webp"}


class PixelsTests(SynchronousTestCase):
    def test_size(self) -> None:
        """The size of each form is read, the least and the most that fit into it."""
        for media, make in MAKES:
            for size in ((1, 1), (3, 2), (8192, 4028), (16383, 1)):
                self.assertEqual(pixels(media, make(*size)), Pixels(*size), make)

    def test_larger(self) -> None:
        """Sizes of more than 14 bits are read where there are such."""
        self.assertEqual(pixels(PNG, png(2**31 - 1, 70_000)), Pixels(2**31 - 1, 70_000))
        self.assertEqual(pixels(JPEG, jpeg(65_535, 65_535)), Pixels(65_535, 65_535))
        self.assertEqual(pixels(WEBP, webp_extended(2**24, 2)), Pixels(2**24, 2))

    def test_head(self) -> None:
        """Of each form, every shorter part is too short, until the size is there; from then on it
        is the same. No part is refused or raises anything else."""
        for media, make in MAKES:
            whole, sizes = make(300, 200), []
            for length in range(1, len(whole) + 1):
                try:
                    sizes.append(pixels(media, whole[:length]))
                except TooShort:
                    self.assertEqual(sizes, [], make)
            self.assertEqual(set(sizes), {Pixels(300, 200)}, make)

    def test_other_type(self) -> None:
        """An image of another type is none, whatever it is said to be."""
        for media, make in MAKES:
            for other in MAKERS.keys() - {media}:
                self.assertRaises(NoImage, pixels, other, make(3, 2))

    def test_none(self) -> None:
        """Other bytes are no image of any type."""
        for media in MAKERS:
            for data in (b"GIF89a" + bytes(40), b"<svg xmlns=''/>" + bytes(40), bytes(99), b"x"):
                self.assertRaises(NoImage, pixels, media, data)

    def test_zero(self) -> None:
        """An image without width or height is none."""
        for media, make in ((PNG, png), (JPEG, jpeg), (WEBP, webp)):
            for size in ((0, 1), (1, 0)):
                self.assertRaises(NoImage, pixels, media, make(*size))

    def test_broken_bytes(self) -> None:
        """Whatever single byte of a header is wrong, the answer is a size or a named error."""
        for media, make in MAKES:
            whole = make(300, 200)
            for place in range(len(whole)):
                for value in (0, 0x7F, 0xFF):
                    data = bytearray(whole)
                    data[place] = value
                    with contextlib.suppress(NoImage, TooShort):
                        pixels(media, bytes(data))


class JpegTests(SynchronousTestCase):
    def refused(self, data: bytes) -> None:
        self.assertRaises(NoImage, pixels, JPEG, data)

    def test_segments(self) -> None:
        """Segments before the size are skipped, also with fill bytes before their markers, and
        with markers that have no length."""
        before = segment(0xE1, bytes(5000)) + b"\xff\xff\xff" + segment(0xDB, bytes(64))
        data = jpeg(30, 20, before=before + b"\xff\x01" + segment(0xC4, b"t"))
        self.assertEqual(pixels(JPEG, data), Pixels(30, 20))

    def test_many_segments(self) -> None:
        """Some hundred segments may come before the size. Thousands of tiny ones, which would take
        long to walk through, are no image."""
        tiny = segment(0xE1, b"")
        self.assertEqual(pixels(JPEG, jpeg(30, 20, before=900 * tiny)), Pixels(30, 20))
        self.refused(jpeg(30, 20, before=100_000 * tiny))

    def test_frames(self) -> None:
        """All kinds of frames have the size; tables between their codes are none."""
        for code in {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}:
            self.assertEqual(pixels(JPEG, jpeg(30, 20, frame=code)), Pixels(30, 20))
        for code in (0xC4, 0xC8, 0xCC):
            self.refused(jpeg(30, 20, frame=code))

    def test_picture_inside(self) -> None:
        """A smaller picture in the metadata is not taken for the whole."""
        data = jpeg(3000, 2000, before=segment(0xE1, b"Exif\0\0" + jpeg(160, 120)))
        self.assertEqual(pixels(JPEG, data), Pixels(3000, 2000))

    def test_no_frame(self) -> None:
        """Data, the end or another start before the size: that is no image. Neither is a length
        below 2, nor anything but a marker after a segment."""
        for code in (0xDA, 0xD9, 0xD8, 0x00):
            self.refused(jpeg(30, 20, before=segment(code, b"12")))
        self.refused(jpeg(30, 20, before=b"\xff\xe0\x00\x01"))
        self.refused(jpeg(30, 20, before=b"\x00\x00"))


class WebpTests(SynchronousTestCase):
    def test_scale(self) -> None:
        """The two bits above each side are a scale, which is no part of the size."""
        data = bytearray(webp(300, 200))
        struct.pack_into("<HH", data, 26, 300 | 0xC000, 200 | 0x4000)
        self.assertEqual(pixels(WEBP, bytes(data)), Pixels(300, 200))

    def test_later_frame(self) -> None:
        """A frame that needs another before it is no image; nor is one without its start code."""
        for place in (20, 23):
            data = bytearray(webp(300, 200))
            data[place] ^= 1
            self.assertRaises(NoImage, pixels, WEBP, bytes(data))

    def test_version(self) -> None:
        """Of the lossless form there is one version."""
        data = bytearray(webp_lossless(300, 200))
        data[24] |= 0x20
        self.assertRaises(NoImage, pixels, WEBP, bytes(data))

    def test_unknown(self) -> None:
        """Another chunk first, or another RIFF, is none."""
        self.assertRaises(NoImage, pixels, WEBP, webp(3, 2).replace(b"VP8 ", b"VP8Y"))
        self.assertRaises(NoImage, pixels, WEBP, b"RIFF\x40\0\0\0WAVEfmt " + bytes(40))


class GoodTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.asked: list[int] = []

    def reading(self, data: bytes) -> Callable[[str, int], Awaitable[bytes]]:
        async def read(path: str, length: int) -> bytes:
            self.asked.append(length)
            return data[:length]

        return read

    def good(self, media: str, data: bytes) -> bool | None:
        found = images.good(PATH + ENDINGS[media], self.reading(data))
        try:
            found.send(None)
        except StopIteration as done:
            return done.value
        self.fail("it waits")

    def test_good(self) -> None:
        """An image of its type and of a size that is allowed is good. Its first bytes say so."""
        for media, make in MAKES:
            self.assertIs(self.good(media, make(640, 480) + bytes(100_000)), True)
        self.assertEqual(set(self.asked), {STEPS[0]})

    def test_side(self) -> None:
        """A side has at most 8,192 pixels."""
        for media, make in MAKES:
            for size in ((MOST_SIDE, 1), (1, MOST_SIDE)):
                self.assertIs(self.good(media, make(*size)), True, make)
            for size in ((MOST_SIDE + 1, 1), (1, MOST_SIDE + 1)):
                self.assertIs(self.good(media, make(*size)), False, make)

    def test_area(self) -> None:
        """There are at most 33 million pixels in all."""
        for media, make in MAKES:
            self.assertIs(self.good(media, make(6000, 5500)), True, make)
            self.assertIs(self.good(media, make(6000, 5501)), False, make)

    def test_none(self) -> None:
        """What is no image of the type is not good, nor is one that ends in its header."""
        for media, make in MAKES:
            self.assertIs(self.good(media, b"no image"), False)
            self.assertIs(self.good(media, make(3, 2)[:15]), False)
        self.assertEqual(set(self.asked), {STEPS[0]})

    def test_missing(self) -> None:
        """Of a file that is not there, nothing is said."""
        self.assertIsNone(self.good(PNG, b""))

    def test_metadata(self) -> None:
        """If a JPEG has much metadata, more is read, but not the whole."""
        for amount, steps in ((1, STEPS[:1]), (7, STEPS[:2]), (60, STEPS)):
            self.asked.clear()
            data = jpeg(640, 480, before=amount * segment(0xE1, bytes(60_000)))
            self.assertIs(self.good(JPEG, data + bytes(8 * 1024 * 1024)), True)
            self.assertEqual(self.asked, list(steps))

    def test_too_much_metadata(self) -> None:
        """With more than 4 MiB of it before the size, it is not good."""
        data = jpeg(640, 480, before=80 * segment(0xE1, bytes(60_000)))
        self.assertIs(self.good(JPEG, data), False)
        self.assertEqual(self.asked, list(STEPS))

    def test_chunk(self) -> None:
        """A PNG whose first chunk is another is none."""
        data = b"\x89PNG\r\n\x1a\n" + chunk(b"tEXt", bytes(13)) + png(3, 2)[8:]
        self.assertIs(self.good(PNG, data), False)
