"""What becomes of an image: contentsvc.framework.images.program, without its process."""

import struct
import zlib
from io import BytesIO

from PIL import Image, ImageCms
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.images.program import Unreadable, scaled
from contentsvc.framework.storage.images import MOST_PIXELS
from contentsvc.framework.storage.paths import WIDTHS
from tests.support import pictures
from tests.support.pictures import AS_DRAWN, JPEG, KINDS, PNG, WEBP, quarters, shown


def smaller(data: bytes, media_type: str = PNG) -> list[Image.Image]:
    """The smaller images of a file."""
    return [shown(made) for made in scaled(data, KINDS[media_type], WIDTHS, MOST_PIXELS)]


class ScaledTests(SynchronousTestCase):
    def test_sizes(self) -> None:
        """Each is as wide as it may be, and keeps its proportions."""
        for media_type in KINDS:
            data = pictures.drawn(2560, 1600, media_type)
            made = smaller(data, media_type)
            self.assertEqual([each.size for each in made], [(320, 200), (1280, 800)])
            self.assertEqual([each.format for each in made], ["WEBP"] * 2)
            self.assertEqual([quarters(each) for each in made], [AS_DRAWN] * 2)

    def test_never_enlarged(self) -> None:
        """What is less wide keeps its size, however high it is."""
        for size, wanted in (
            ((640, 400), [(320, 200), (640, 400)]),
            ((300, 5000), [(300, 5000)] * 2),
            ((1, 1), [(1, 1)] * 2),
        ):
            made = smaller(pictures.drawn(*size))
            self.assertEqual([each.size for each in made], wanted)

    def test_flat(self) -> None:
        """One that is very wide stays at least one pixel high."""
        made = smaller(pictures.drawn(8192, 1))
        self.assertEqual([each.size for each in made], [(320, 1), (1280, 1)])

    def test_turned(self) -> None:
        """Each orientation of EXIF is undone, in all formats."""
        for media_type in KINDS:
            for orientation in range(1, 9):
                made = smaller(pictures.turned(orientation, media_type), media_type)
                self.assertEqual([each.size for each in made], [(320, 200), (640, 400)])
                self.assertEqual(quarters(made[0]), AS_DRAWN, (media_type, orientation))

    def test_bad_orientation(self) -> None:
        """EXIF that is damaged, or says nonsense, turns nothing."""
        for exif in (b"Exif\0\0MM\0*\0\0", b"Exif\0\0" + b"\xff" * 40):
            made = smaller(pictures.written(pictures.corners(), JPEG, exif=exif), JPEG)
            self.assertEqual(quarters(made[0]), AS_DRAWN)
        made = smaller(pictures.turned(99), JPEG)
        self.assertEqual(quarters(made[0]), AS_DRAWN)

    def test_no_metadata(self) -> None:
        """Nothing is taken over but the pixels: no place, no camera, no comment."""
        for media_type in KINDS:
            for made in smaller(pictures.turned(6, media_type), media_type):
                self.assertFalse(made.getexif())
                self.assertFalse({"exif", "icc_profile", "xmp", "comment"} & made.info.keys())

    def test_same(self) -> None:
        """The same image gives the same bytes."""
        data = pictures.drawn(2000, 1000)
        first, again = (scaled(data, "PNG", WIDTHS, MOST_PIXELS) for _ in range(2))
        self.assertEqual(first, again)

    def test_alpha(self) -> None:
        """What can be seen through stays so: in colours, in grey, and by a colour of a palette."""
        clear = Image.new("RGBA", (640, 400), (0, 0, 0, 0))
        clear.paste((220, 20, 20, 255), (0, 0, 320, 400))
        grey = clear.convert("LA")
        palette = Image.new("P", (640, 400), 0)
        palette.putpalette([0, 0, 0, 220, 20, 20])
        palette.paste(1, (0, 0, 320, 400))
        for picture, options in ((clear, {}), (grey, {}), (palette, {"transparency": 0})):
            for made in smaller(pictures.written(picture, **options)):
                self.assertEqual(made.mode, "RGBA", picture.mode)
                at = [(made.width // 4, 100), (3 * made.width // 4, 100)]
                seen = [made.getchannel("A").getpixel(place) for place in at]
                self.assertEqual(seen, [255, 0], picture.mode)

    def test_opaque(self) -> None:
        """What has no alpha gets none."""
        for mode in ("RGB", "L", "1", "P"):
            for made in smaller(pictures.written(pictures.corners().convert(mode))):
                self.assertEqual(made.mode, "RGB", mode)

    def test_16_bit_grey(self) -> None:
        """Grey with 16 bits keeps its shades."""
        picture = Image.frombytes("I;16", (64, 64), b"\0\x80" * 64 * 64)
        for made in smaller(pictures.written(picture)):
            shade = made.convert("L").getpixel((32, 32))
            self.assertTrue(isinstance(shade, int) and abs(shade - 0x80) < 3, shade)

    def test_16_bit_colours(self) -> None:
        """So do colours with 16 bits."""
        row = b"\0" + struct.pack(">HHH", 0xDC00, 0x1400, 0x1400) * 8
        header = struct.pack(">IIBBBBB", 8, 8, 16, 2, 0, 0, 0)
        data = b"\x89PNG\r\n\x1a\n" + b"".join(
            [
                pictures.chunk(b"IHDR", header),
                pictures.chunk(b"IDAT", zlib.compress(row * 8)),
                pictures.chunk(b"IEND", b""),
            ]
        )
        for made in smaller(data):
            self.assertEqual(quarters(made), ["red"] * 4)

    def test_cmyk(self) -> None:
        """A JPEG for printers is shown in its colours."""
        data = pictures.written(pictures.corners().convert("CMYK"), JPEG, quality=95)
        for made in smaller(data, JPEG):
            self.assertEqual((made.mode, quarters(made)), ("RGB", AS_DRAWN))

    def test_profile(self) -> None:
        """Colours that a profile explains are those that it means: here all are shades of grey
        of another kind. A profile that is damaged, or for another mode, explains nothing."""
        flat = Image.new("RGB", (64, 64), (128, 128, 128))
        lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
        xyz = ImageCms.ImageCmsProfile(ImageCms.createProfile("XYZ")).tobytes()
        for profile in (lab, xyz, b"nonsense", lab[:200]):
            for media_type in KINDS:
                made = smaller(pictures.written(flat, media_type, icc_profile=profile), media_type)
                self.assertEqual(made[0].size, (64, 64))

    def test_animated(self) -> None:
        """Of an animation there is the first picture."""
        first, others = pictures.corners(), [Image.new("RGB", (640, 400), "white")] * 2
        for media_type in (WEBP, PNG):
            out = BytesIO()
            first.save(out, KINDS[media_type], save_all=True, append_images=others, duration=50)
            for made in smaller(out.getvalue(), media_type):
                self.assertEqual(quarters(made), AS_DRAWN)
                self.assertEqual(getattr(made, "n_frames", 1), 1)

    def test_cut_off(self) -> None:
        """Nothing is made of an image that ends too early."""
        for media_type in KINDS:
            data = pictures.drawn(640, 400, media_type)
            for length in (0, 10, 60, len(data) // 2):
                with self.assertRaises(Unreadable):
                    smaller(data[:length], media_type)

    def test_another_format(self) -> None:
        """An image is read as what its path says, and as nothing else."""
        out = BytesIO()
        pictures.corners().save(out, "GIF")
        for data in (pictures.drawn(), out.getvalue(), b"%!PS-Adobe-3.0 EPSF-3.0\n"):
            with self.assertRaises(Unreadable):
                smaller(data, JPEG)

    def test_bombs(self) -> None:
        """One with too many pixels is not decoded, however few bytes it has."""
        for width, height in ((9000, 9000), (60_000, 60_000), (33_000_001, 1)):
            with self.assertRaises(Unreadable) as caught:
                smaller(pictures.png(width, height))
            self.assertIn(f"{width} x {height}", str(caught.exception))

    def test_says_more_than_it_has(self) -> None:
        """One whose header promises more than comes is unreadable."""
        for data, media_type in (
            (pictures.png(4000, 4000), PNG),
            (pictures.webp(4000, 4000), WEBP),
        ):
            with self.assertRaises(Unreadable):
                smaller(data, media_type)
