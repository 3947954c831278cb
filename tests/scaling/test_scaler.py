"""The scaling process, and what images can do to it."""

import os
import signal
from pathlib import Path
from typing import Any

from PIL import Image
from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.trial.unittest import TestCase

from contentsvc.bucket.images import MOST_PIXELS
from contentsvc.scaling import program
from contentsvc.scaling.scaler import Scaler, ScalingFailed, Stopped, Unscalable
from contentsvc.wire.files import WIDTHS
from tests.support import pictures
from tests.support.pictures import JPEG, PNG, WEBP, shown

SLOW = 300.0
"""Seconds that the processor may be busy with something else."""


class ScalerCase(TestCase):
    timeout = 600

    def scaler(self, **options: Any) -> Scaler:
        """One with a process of its own."""
        made = Scaler(reactor, WIDTHS, MOST_PIXELS, self.took.append, **{"wall": SLOW} | options)
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
            made = await scaler.scale(pictures.drawn(2560, 1600, media_type), media_type)
            self.assertEqual([shown(each).size for each in made], [(320, 200), (1280, 800)])
            pids.add(scaler.pid)
        self.assertEqual((len(pids), len(self.took)), (1, 3))

    async def test_none(self) -> None:
        """After an image that it cannot read the process goes on with others."""
        scaler = self.scaler()
        await scaler.scale(pictures.drawn(), PNG)
        before = scaler.pid
        with self.assertRaises(Unscalable) as caught:
            await scaler.scale(pictures.png(60_000, 60_000), PNG)
        self.assertEqual(str(caught.exception), "it has 60000 x 60000 pixels")
        await scaler.scale(pictures.drawn(), PNG)
        self.assertEqual(scaler.pid, before)

    async def test_in_turn(self) -> None:
        """Several that are asked for at once are made one after the other, by one process."""
        scaler = self.scaler()
        sizes = [(640, 400), (300, 10), (320, 320)]
        asked = [Deferred.fromCoroutine(scaler.scale(pictures.drawn(*size), PNG)) for size in sizes]
        made = [[shown(each).width for each in await images] for images in asked]
        self.assertEqual(made, [[320, 640], [300, 300], [320, 320]])

    def hurried(self, seconds: int) -> Path:
        """Our program, with so much time for an image instead of 10 s."""
        limit, text = "\nCPU: Final = 10\n", Path(program.__file__).read_text()
        self.assertIn(limit, text)
        path = Path(self.mktemp())
        path.write_text(text.replace(limit, f"\nCPU: Final = {seconds}\n"))
        return path

    async def test_time(self) -> None:
        """An image that takes more of the processor's time than it may is given up, and the next
        gets another process."""
        scaler = self.scaler(program=self.hurried(2))
        with self.assertRaises(Unscalable) as caught:
            await scaler.scale(pictures.many_scans(), JPEG)
        self.assertEqual(str(caught.exception), "it takes too much time")
        await scaler.scale(pictures.drawn(), PNG)

    async def test_memory(self) -> None:
        """An image that needs more memory than the process may have is given up."""
        scaler = self.scaler(memory=150 * 1024 * 1024)
        large = pictures.written(Image.new("RGBA", (6000, 5000), "red"))
        with self.assertRaises(Unscalable) as caught:
            await scaler.scale(large, PNG)
        self.assertEqual(str(caught.exception), "it needs too much memory")
        await scaler.scale(pictures.drawn(), PNG)

    async def test_largest(self) -> None:
        """The largest images that there may be need no more memory than the process has."""
        scaler = self.scaler()
        large = Image.new("RGB", (8192, 4028), "red")
        for data, media_type in (
            (pictures.written(large.convert("RGBA")), PNG),
            (pictures.written(large, JPEG, progressive=True, subsampling=0), JPEG),
            (pictures.written(large.convert("RGBA"), WEBP, lossless=True), WEBP),
        ):
            made = await scaler.scale(data, media_type)
            self.assertEqual([shown(each).width for each in made], list(WIDTHS))

    async def test_confined(self) -> None:
        """The process has no environment, no open file but its pipes, and can have no more; and it
        goes behind all others."""
        scaler = self.scaler()
        await scaler.scale(pictures.drawn(), PNG)
        proc = Path(f"/proc/{scaler.pid}")
        limits = {
            line[:26].strip(): line[26:].split()[:2]
            for line in (proc / "limits").read_text().splitlines()
        }
        self.assertEqual((proc / "environ").read_bytes(), b"")
        self.assertEqual(sorted(os.listdir(proc / "fd")), ["0", "1", "2"])
        self.assertEqual(limits["Max open files"], ["3", "3"])
        self.assertEqual(limits["Max address space"], [str(512 * 1024 * 1024)] * 2)
        for other in ("processes", "file size", "core file size"):
            self.assertEqual(limits[f"Max {other}"], ["0", "0"])
        assert scaler.pid is not None
        self.assertEqual(os.sched_getscheduler(scaler.pid), os.SCHED_IDLE)

    async def test_idle(self) -> None:
        """It ends when nobody has needed it for a while, and is started again."""
        scaler = self.scaler(idle=0.0)
        for _ in range(2):
            await scaler.scale(pictures.drawn(), PNG)
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
        await scaler.scale(pictures.drawn(), PNG)
        asked = Deferred.fromCoroutine(scaler.scale(pictures.many_scans(), JPEG))
        assert scaler.pid is not None
        os.kill(scaler.pid, signal.SIGKILL)
        with self.assertRaises(ScalingFailed) as caught:
            await asked
        self.assertIn("signal 9", str(caught.exception))
        await scaler.scale(pictures.drawn(), PNG)

    async def test_stop(self) -> None:
        """A daemon that ends does not wait for an image."""
        scaler = self.scaler()
        asked = Deferred.fromCoroutine(scaler.scale(pictures.many_scans(), JPEG))
        await scaler.stop()
        with self.assertRaises(Stopped):
            await asked
        with self.assertRaises(Stopped):
            await scaler.scale(pictures.drawn(), PNG)
        self.assertIsNone(scaler.pid)


class OtherProgramTests(ScalerCase):
    """What an image may do that has taken the process over, or a machine that is ill."""

    async def fails(self, kind: type[Exception], text: str, **options: Any) -> str:
        """What is said of an image, if this is what the process does with it."""
        scaler = self.scaler(program=self.program(text), **options)
        with self.assertRaises(kind) as caught:
            await scaler.scale(b"x", PNG)
        return str(caught.exception)

    async def test_hangs(self) -> None:
        """One that does nothing at all is killed."""
        said = await self.fails(ScalingFailed, "time.sleep(1000)", wall=0.2)
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
