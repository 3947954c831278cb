"""Smaller images get made, whatever happens to the process that makes them, and whenever their
image has come."""

from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
import treq
from PIL import Image
from twisted.internet import reactor
from twisted.internet.task import deferLater

from contentsvc.client import LocalFile
from contentsvc.framework.storage.paths import WIDTHS, smaller_of
from tests.faults.case import FaultCase, hold
from tests.faults.servers import run_sql
from tests.support import pictures
from tests.support.workers import children

SIZES = ((5000, 5000), (640, 400), (300, 200))
"""The first takes so long that it can be seen to be made."""
WITHIN = 180.0
"""Seconds until all are there."""
UNMADE = ("update files set scaled = null", "delete from tasks where queue = 'ScaleImage'")
"""Make the database one in which no smaller images were made."""


class ImageScalingTests(FaultCase):
    async def setUp(self) -> None:
        super().setUp()
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.service = await self.daemon("--files", "local")
        self.ann = await self.client(self.service)

    async def upload(self) -> list[str]:
        """Images of SIZES; their paths."""
        files = []
        for n, (width, height) in enumerate(SIZES):
            file = self.folder / f"{n}.png"
            file.write_bytes(pictures.drawn(width, height))
            files.append(LocalFile("screenshot", file))
        return [each.path for each in await self.ann.transfers.upload(files)]

    async def widths(self, path: str) -> list[int]:
        """The widths of an image's smaller ones, 0 for one that is not there."""
        media = (await self.ann.files.get_storage()).media_url
        found = []
        for smaller in smaller_of(path):
            answer = await treq.get(f"{media}/{smaller}", persistent=False)
            data = await answer.content()
            found.append(Image.open(BytesIO(data)).width if answer.code == 200 else 0)
        return found

    async def all_made(self, paths: list[str]) -> None:
        """Wait until each has its smaller ones."""
        deadline = reactor.seconds() + WITHIN
        for path, (width, _) in zip(paths, SIZES, strict=True):
            wanted = [min(width, most) for most in WIDTHS]
            while (got := await self.widths(path)) != wanted:
                self.assertLess(reactor.seconds(), deadline, f"{got}, not {wanted}")
                await deferLater(reactor, 0.1)
        await hold(lambda: not self.sql("select 1 from tasks"), "no task is left")
        self.assertEqual(self.sql("select count(*) from files where scaled"), [(len(paths),)])

    async def test_attack(self) -> None:
        """Images of twelve new accounts that take for ever hold up the image of an older account by
        the one that is tried just then, and not until they are all given up."""
        self.sql(f"update users set created = '2000-01-01' where id = '{self.ann.user}'")
        bomb, mine = self.folder / "bomb.jpg", self.folder / "mine.png"
        mine.write_bytes(pictures.drawn(640, 400))
        for number in range(12):
            # Each has bytes of its own: what follows the end of a JPEG is not read.
            bomb.write_bytes(pictures.many_scans(2000) + bytes([number]))
            other = await self.client(self.service, f"other{number}")
            await other.transfers.upload([LocalFile("screenshot", bomb)])
        (sent,) = await self.ann.transfers.upload([LocalFile("screenshot", mine)])
        made = f"select 1 from files where scaled and path = '{sent.path}'"
        await hold(lambda: bool(self.sql(made)), "it has its smaller images", WITHIN)
        self.assertEqual(self.sql("select path from files where scaled = false"), [])
        self.assertEqual(await self.widths(sent.path), [320, 640])
        self.no_failures()

    def sql(self, statement: str) -> list[tuple[object, ...]]:
        """The rows of a statement."""
        return run_sql(self.database, statement)

    def scalers(self) -> Iterator[psutil.Process]:
        """The processes of the daemon that make smaller images and are at work."""
        return children(self.service.pid, "images/program.py", recursive=True)

    async def test_killed(self) -> None:
        """What a killed process was about to make, it makes after its restart, once the lease is
        over; and nothing is left of the process that has done it."""
        paths = await self.upload()
        await hold(
            lambda: bool(self.sql("select 1 from tasks where lease is not null")), "it begins"
        )
        await hold(lambda: any(self.scalers()), "the process that does it is there")
        left = list(self.scalers())
        await self.service.kill()
        self.assertEqual(self.sql("select 1 from files where scaled is not null"), [])
        await hold(lambda: not any(each.is_running() for each in left), "it has ended too")
        # The lease ends: nobody waits for it here.
        self.sql("update tasks set due = clock_timestamp() where lease is not null")
        await self.service.start(self.service.port)
        await self.all_made(paths)
        self.no_failures()

    async def test_from_before(self) -> None:
        """Images of a time in which none were made get theirs, without anybody asking."""
        paths = await self.upload()
        await self.all_made(paths)
        await self.service.stop()
        for statement in UNMADE:
            self.sql(statement)
        for smaller in self.service.data_dir.rglob("*.webp"):
            smaller.unlink()
        await self.service.start(self.service.port)
        await self.all_made(paths)
        self.no_failures()
