"""Pictures are sent without their metadata: clients/pictures.json has the cases of all clients."""

import json
import random
from base64 import b64decode
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client.errors import BadFile
from contentsvc.client.files.local import LocalFile, Measured, Parts, Stop, measure
from contentsvc.framework.images.metadata import MOST_PARTS, PIECE, Found, find, of_bytes, type_of
from contentsvc.framework.storage.paths import path_of
from tests.support.pictures import (
    AS_DRAWN,
    JPEG,
    PNG,
    WEBP,
    chunk,
    quarters,
    segment,
    turned,
    without_metadata,
)

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent.parent.parent.parent / "clients/pictures.json").read_text()
)


class NameTests(SynchronousTestCase):
    def test_name(self) -> None:
        """A measured file has its name in a form that the service takes."""
        for name, expected in (
            ("tower.zip", "tower.zip"),
            ("a\\b\u202e\n.zip", "a_b__.zip"),
            ("\udcff.zip", "_.zip"),
            ("\u200b", "_"),
            ("x" * 300, "x" * 255),
        ):
            file = Measured("entity", Path("folder", name), "", "", 1, "", (1, 1))
            self.assertEqual(file.name, expected)


class PicturesTests(SynchronousTestCase):
    def file(self, data: bytes) -> Path:
        """A file with these bytes."""
        path = Path(self.mktemp())
        path.write_bytes(data)
        return path

    def measured(self, data: bytes, media_type: str | None = None) -> Measured:
        """What becomes of a screenshot with these bytes."""
        return measure(LocalFile("screenshot", self.file(data), media_type), Stop())

    def sent(self, measured: Measured, at_once: int = 7) -> bytes:
        """The bytes that are sent."""
        file = measured.file.open("rb")
        reader = Parts(file, measured.parts or ((0, measured.size),))
        self.addCleanup(reader.close)
        return b"".join(iter(lambda: reader.read(at_once), b""))

    def test_cases(self) -> None:
        """Each picture is sent with the digest that it has without its metadata."""
        self.assertGreater(len(CASES), 40)
        for case in CASES:
            data = b64decode(case["data"])
            if case["mediaType"] is None:
                self.assertRaises(BadFile, self.measured, data)
                continue
            found = self.measured(data)
            self.assertEqual(found.sha256, case["sha256"], case["rule"])
            self.assertEqual(found.path, path_of(case["sha256"], case["mediaType"]))
            sent = self.sent(found)
            self.assertEqual(sha256(sent).hexdigest(), case["sha256"], case["rule"])
            self.assertEqual(found.size, len(sent))
            self.assertEqual(of_bytes(case["mediaType"], data).metadata, case["metadata"])

    def test_file_stays(self) -> None:
        """The file itself stays as it is, and what is no picture is sent as it is."""
        data = b64decode(CASES[1]["data"])
        measured = self.measured(data)
        self.assertEqual(measured.file.read_bytes(), data)
        for use in ("entity", "package"):
            file = measure(LocalFile(use, self.file(data)), Stop())  # type: ignore[arg-type]
            self.assertEqual(file.sha256, sha256(data).hexdigest())

    def test_type(self) -> None:
        """The first bytes of a picture say its type, whatever it is said to be."""
        for media_type in (PNG, JPEG, WEBP):
            for said in (PNG, JPEG, WEBP, "image/gif", None):
                found = self.measured(turned(6, media_type), said)
                self.assertEqual(found.media_type, media_type)

    def test_other_types(self) -> None:
        """What other files begin with is no picture, whatever it is said to be."""
        for begin in (b"GIF89a", b"\0\0\0\x18ftypheic", b"BM6\0", b"<svg>", b"RIFF\0\0\0\0WAVE"):
            with self.assertRaises(BadFile):
                self.measured(begin, PNG)
        self.assertEqual(self.measured(b"what is this?", PNG).media_type, PNG)

    def test_pixels(self) -> None:
        """A camera's picture is shown as before, turned as before, and says nothing else."""
        for media_type in (PNG, JPEG, WEBP):
            for orientation in range(1, 9):
                data = turned(orientation, media_type)
                made = without_metadata(data, media_type)
                self.assertNotIn(b"taken at home", made)
                before, after = Image.open(BytesIO(data)), Image.open(BytesIO(made))
                self.assertEqual(before.tobytes(), after.tobytes())
                self.assertEqual(after.getexif().get(0x0112, 1), orientation)
                self.assertEqual(of_bytes(media_type, made), Found(False, None))
        picture = Image.open(BytesIO(without_metadata(turned(1), JPEG)))
        self.assertEqual(quarters(picture), AS_DRAWN)

    def test_damage(self) -> None:
        """However a picture is damaged, what is sent has no metadata that is found in it again."""
        dice = random.Random(40)
        pictures = [(case["mediaType"], b64decode(case["data"])) for case in CASES]
        pictures = [(kind, data) for kind, data in pictures if kind]
        for _ in range(2000):
            kind, data = dice.choice(pictures)
            damaged = bytearray(data)
            for _ in range(dice.randint(1, 4)):
                place = dice.randrange(len(damaged))
                damaged[place] = dice.choice([0, 0xFF, 0xD9, 0xDA, 0xE1, dice.randrange(256)])
            if dice.random() < 0.3:
                del damaged[dice.randrange(1, len(damaged)) :]
            found = of_bytes(kind, bytes(damaged))
            if found.parts is not None:
                made = without_metadata(bytes(damaged), kind)
                self.assertEqual(of_bytes(kind, made), Found(False, None), damaged.hex())

    def test_cost(self) -> None:
        """A picture that was made to be slow is asked for once, in pieces, and given up."""
        jpeg = b64decode(CASES[0]["data"])[:-2]
        many = 8 * PIECE
        for kind, data in (
            (JPEG, b"\xff\xd8" + b"\xff" * many),
            (JPEG, b"\xff\xd8" + segment(0xFE, b"") * (many // 4)),
            (JPEG, jpeg + b"\xff\0" * (many // 2)),
            (JPEG, jpeg + b"\xff" * many),
            (JPEG, jpeg + segment(0xDA, b"x" * 60) * (many // 64)),
            (PNG, b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", b"x" * 13) + chunk(b"tEXt", b"") * 99999),
            (WEBP, b"RIFF\xff\xff\xff\0WEBPVP8X\x0a" + b"\0" * 13 + b"note\0\0\0\0" * 99999),
        ):
            search = find(kind, len(data))
            asked = 0
            try:
                at, length = next(search)
                while True:
                    self.assertLessEqual(length, PIECE)
                    asked += length
                    at, length = search.send(data[at : at + length])
            except StopIteration:
                self.assertLess(asked, len(data) * 1.1 + 12 * PIECE)

    def test_too_many(self) -> None:
        """A picture of more parts than are looked at stays, and counts as one with metadata."""
        data = b"\xff\xd8" + segment(0xFE, b"") * (MOST_PARTS + 1)
        self.assertEqual(of_bytes(JPEG, data), Found(True, None))

    def test_head(self) -> None:
        """Bytes that are too few say nothing."""
        for data in (b"", b"\x89PNG", b"\xff\xd8", b"RIF"):
            self.assertIsNone(type_of(data))
