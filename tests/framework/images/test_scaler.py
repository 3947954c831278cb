"""The scaling process, and what images can do to it."""

import os
import re
import signal
from pathlib import Path
from typing import Any

from PIL import Image, ImageCms
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.trial.unittest import TestCase

from contentsvc.framework.images import program, sandbox
from contentsvc.framework.images.scaler import (
    Late,
    Scaler,
    ScalingFailed,
    Stopped,
    Time,
    TooLong,
    Unscalable,
)
from contentsvc.framework.storage.images import MOST_PIXELS
from contentsvc.framework.storage.paths import WIDTHS
from tests.support import pictures
from tests.support.pictures import JPEG, KINDS, PNG, WEBP, shown

SLOW = Time(10.0, 300.0)
"""The processor may be busy with something else."""


class ScalerCase(TestCase):
    timeout = 600

    def scaler(self, **options: Any) -> Scaler:
        """One with a process of its own."""
        made = Scaler(reactor, WIDTHS, MOST_PIXELS, self.took.append, **options)
        self.addCleanup(lambda: Deferred.fromCoroutine(made.stop()))
        return made

    def setUp(self) -> None:
        self.took: list[float] = []

    def program(self, text: str) -> Path:
        """Another program than ours, which says first that it is ready."""
        path = Path(self.mktemp())
        path.write_text(
            "import os, sys, time\n"
            "def say(*parts):\n"
            "    for part in parts:\n"
            "        os.write(1, len(part).to_bytes(4, 'big') + part)\n"
            "say(b'ready')\n"
            f"{text}\n"
        )
        return path


class ScalerTests(ScalerCase):
    async def test_made(self) -> None:
        """One process makes the smaller images of many, of each type."""
        scaler, pids = self.scaler(), set()
        for media_type in (PNG, JPEG, WEBP):
            made = await scaler.scale(pictures.drawn(2560, 1600, media_type), media_type, SLOW)
            self.assertEqual([shown(each).size for each in made], [(320, 200), (1280, 800)])
            pids.add(scaler.pid)
        self.assertEqual((len(pids), len(self.took)), (1, 3))

    async def test_none(self) -> None:
        """After an image that it cannot read the process goes on with others."""
        scaler = self.scaler()
        await scaler.scale(pictures.drawn(), PNG, SLOW)
        before = scaler.pid
        with self.assertRaises(Unscalable) as caught:
            await scaler.scale(pictures.png(60_000, 60_000), PNG, SLOW)
        self.assertEqual(str(caught.exception), "it has 60000 x 60000 pixels")
        await scaler.scale(pictures.drawn(), PNG, SLOW)
        self.assertEqual(scaler.pid, before)

    async def test_in_turn(self) -> None:
        """Several that are asked for at once are made one after the other, by one process."""
        scaler = self.scaler()
        sizes = [(640, 400), (300, 10), (320, 320)]
        asked = [
            Deferred.fromCoroutine(scaler.scale(pictures.drawn(*size), PNG, SLOW)) for size in sizes
        ]
        made = [[shown(each).width for each in await images] for images in asked]
        self.assertEqual(made, [[320, 640], [300, 300], [320, 320]])

    async def test_time(self) -> None:
        """An image that takes more of the processor's time than it may is given up, and the next
        gets another process."""
        scaler = self.scaler()
        with self.assertRaises(TooLong) as caught:
            await scaler.scale(pictures.many_scans(), JPEG, Time(0.5, 300.0))
        self.assertEqual(str(caught.exception), "it takes too much time")
        await scaler.scale(pictures.drawn(), PNG, SLOW)

    async def test_time_each(self) -> None:
        """The time is each image's: what others have taken before does not count."""
        scaler = self.scaler()
        data, pids = pictures.drawn(1500, 1500), set()
        for _ in range(8):
            await scaler.scale(data, PNG, Time(1.5, 300.0))
            pids.add(scaler.pid)
        self.assertEqual(len(pids), 1)

    async def test_memory(self) -> None:
        """An image that needs more memory than the process may have is given up."""
        scaler = self.scaler(memory=150 * 1024 * 1024)
        large = pictures.written(Image.new("RGBA", (6000, 5000), "red"))
        with self.assertRaises(Unscalable) as caught:
            await scaler.scale(large, PNG, SLOW)
        self.assertEqual(str(caught.exception), "it needs too much memory")
        await scaler.scale(pictures.drawn(), PNG, SLOW)

    async def test_largest(self) -> None:
        """The largest images that there may be need no more memory than the process has."""
        scaler = self.scaler()
        large = Image.new("RGB", (8192, 4028), "red")
        for data, media_type in (
            (pictures.written(large.convert("RGBA")), PNG),
            (pictures.written(large, JPEG, progressive=True, subsampling=0), JPEG),
            (pictures.written(large.convert("RGBA"), WEBP, lossless=True), WEBP),
        ):
            made = await scaler.scale(data, media_type, SLOW)
            self.assertEqual([shown(each).width for each in made], list(WIDTHS))

    async def test_confined(self) -> None:
        """The process has no file beyond its pipes, little memory and no rights, and it goes behind
        all others. `test_sandbox` tries what that is worth."""
        scaler = self.scaler()
        await scaler.scale(pictures.drawn(), PNG, SLOW)
        proc = Path(f"/proc/{scaler.pid}")
        limits = {
            line[:26].strip(): line[26:].split()[:2]
            for line in (proc / "limits").read_text().splitlines()
        }
        self.assertEqual(limits["Max address space"], [str(512 * 1024 * 1024)] * 2)
        for other in ("open files", "processes", "file size", "core file size"):
            self.assertEqual(limits[f"Max {other}"], ["0", "0"])
        status = dict(re.findall(r"^(\w+):\s(\w+)", (proc / "status").read_text(), re.M))
        self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual(status["Seccomp"], "0" if sandbox.lacking() else "2")
        assert scaler.pid is not None
        self.assertEqual(os.sched_getscheduler(scaler.pid), os.SCHED_IDLE)

    async def test_same(self) -> None:
        """Closed in, it makes of each kind of image what it makes elsewhere."""
        scaler, wide = self.scaler(), pictures.drawn
        cases = [
            (data, kind) for kind in KINDS for data in (wide(1280, 9, kind), wide(900, 9, kind))
        ]
        cases += [(pictures.turned(n, kind), kind) for kind in KINDS for n in (1, 6)]
        for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16"):
            plain = pictures.corners().convert("L") if mode == "I;16" else pictures.corners()
            cases.append((pictures.written(plain.convert(mode)), PNG))
        cases.append((pictures.written(pictures.corners().convert("CMYK"), JPEG), JPEG))
        profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
        for kind in KINDS:
            cases.append((pictures.written(pictures.corners(), kind, icc_profile=profile), kind))
        cases.append((pictures.written(pictures.corners(), WEBP, lossless=True), WEBP))
        for data, kind in cases:
            here = program.scaled(data, KINDS[kind], WIDTHS, MOST_PIXELS)
            self.assertEqual(await scaler.scale(data, kind, SLOW), here, kind)

    async def test_idle(self) -> None:
        """It ends when nobody has needed it for a while, and is started again."""
        scaler = self.scaler(idle=0.0)
        for _ in range(2):
            await scaler.scale(pictures.drawn(), PNG, SLOW)
            await self.ended(scaler)

    async def ended(self, scaler: Scaler) -> None:
        """Wait until its process has ended."""
        while scaler.pid is not None:
            turn: Deferred[None] = Deferred()
            reactor.callLater(0.01, turn.callback, None)  # type: ignore[attr-defined]
            await turn

    async def test_killed(self) -> None:
        """If somebody kills it, the image is not why; the next one gets another process."""
        scaler = self.scaler()
        await scaler.scale(pictures.drawn(), PNG, SLOW)
        asked = Deferred.fromCoroutine(scaler.scale(pictures.many_scans(), JPEG, SLOW))
        assert scaler.pid is not None
        os.kill(scaler.pid, signal.SIGKILL)
        with self.assertRaises(ScalingFailed) as caught:
            await asked
        self.assertIn("signal 9", str(caught.exception))
        await scaler.scale(pictures.drawn(), PNG, SLOW)

    async def test_stop(self) -> None:
        """A daemon that ends does not wait for an image."""
        scaler = self.scaler()
        asked = Deferred.fromCoroutine(scaler.scale(pictures.many_scans(), JPEG, SLOW))
        await scaler.stop()
        with self.assertRaises(Stopped):
            await asked
        with self.assertRaises(Stopped):
            await scaler.scale(pictures.drawn(), PNG, SLOW)
        self.assertIsNone(scaler.pid)


class OtherProgramTests(ScalerCase):
    """What an image may do that has taken the process over, or a machine that is ill."""

    async def fails(self, kind: type[Exception], text: str, wall: float = 300.0) -> str:
        """What is said of an image, if this is what the process does with it."""
        scaler = self.scaler(program=self.program(text))
        with self.assertRaises(kind) as caught:
            await scaler.scale(b"x", PNG, Time(10.0, wall))
        return str(caught.exception)

    async def test_hangs(self) -> None:
        """One that does nothing at all is killed."""
        said = await self.fails(Late, "time.sleep(1000)", wall=0.2)
        self.assertEqual(said, "it was not done in 0.2 s")

    async def test_crash(self) -> None:
        """A crash is the image's fault."""
        said = await self.fails(Unscalable, "os.kill(os.getpid(), 11)")
        self.assertEqual(said, "its reader has crashed with signal 11")

    async def test_error(self) -> None:
        """Another end is not. The last line that it has written says why."""
        said = await self.fails(ScalingFailed, "sys.exit('no\\nPillow')")
        self.assertEqual(said, "the process has ended with status 1: Pillow")

    async def test_nonsense(self) -> None:
        """It is not believed: an unknown word, more words than were asked for, or no end of
        bytes."""
        for text in (
            "say(b'root'); time.sleep(1000)",
            "say(b'ready'); say(b'ready'); time.sleep(1000)",
            "os.write(1, b'\\xff' * 4)\nwhile True: os.write(1, b'x' * 65536)",
        ):
            self.assertEqual(await self.fails(Unscalable, text), "its reader writes nonsense", text)
