"""A daemon whose folder of files is away: the mount point is there, and the disk is not."""

import os
import shutil
import signal
from pathlib import Path

import psycopg2
from twisted.internet.utils import getProcessOutputAndValue

from contentsvc.framework.storage.folder import MARK
from tests.spec.files.support import FilesCase, blob
from tests.support.daemon import ROOT, Daemon, script, until
from tests.support.databases import guid
from tests.support.workers import workers_of

PATIENCE = 90
LOST = "Could not reach the file store: "
FOUND = "Recovered: reach the file store"


class AwayCase(FilesCase):
    """A daemon of its own, which a test starts, with one file that a user has sent."""

    options: tuple[str, ...] = ()

    async def connect(self) -> None:
        self.own_daemon()
        self.service = Daemon(*self.options)
        self.addCleanup(self.service.stop)
        await self.service.start()
        self.use(self.service)
        self.folder = self.service.data_dir / "files"
        self.disk = self.folder.with_name("disk")

    def unmount(self) -> None:
        """The disk goes, and its mount point stays."""
        self.folder.rename(self.disk)
        self.folder.mkdir(mode=0o700)

    def mount(self) -> None:
        """The disk comes back, over what is in the mount point."""
        shutil.rmtree(self.folder)
        self.disk.rename(self.folder)

    async def said(self, line: str, times: int = 1) -> None:
        """Wait for this line of the log."""
        output = self.service.output
        await until(lambda: output().count(line) >= times, PATIENCE, line)

    async def unavailable(self) -> None:
        """Assert that uploads are 503, and nothing else is."""
        response = await self.announcing(await self.user(), blob())
        self.problem(response, 503, "storage_unavailable")
        self.assertEqual((await self.get("/health/ready")).status, 200)

    async def command(self, *words: str) -> tuple[int, str, str]:
        """Exit status and output of a `contentsvc files` command."""
        out, err, status = await getProcessOutputAndValue(
            script("contentsvc"),
            ["files", *words, "--data-dir", str(self.service.data_dir)],
            env=dict(os.environ),
            path=str(ROOT),
        )
        return status, out.decode(), err.decode()

    def made(self) -> list[Path]:
        """All that is in the mount point."""
        return list(self.folder.rglob("*"))

    def sql(self, statement: str) -> None:
        """Run this in the embedded database."""
        host = self.service.socket_folder()
        with psycopg2.connect(f"host={host} user=postgres dbname=contentsvc") as connection:
            with connection.cursor() as cursor:
                cursor.execute(statement)
        connection.close()


class MountTests(AwayCase):
    options = ("--workers", "2")

    async def test_lost(self) -> None:
        """While the disk is away uploads are 503, and nobody makes folders in its mount point: not
        the workers, nor one that replaces another, nor all at a rolling restart, nor
        `contentsvc files check`, which fails instead of missing all files. When the disk is back,
        all goes on without a restart."""
        user, file = await self.user(), blob()
        await self.upload(user, file)
        await self.said("is ready", 2)
        self.unmount()
        await self.said(LOST, 2)
        await self.unavailable()
        os.kill(min(workers_of(self.service)), signal.SIGKILL)
        await self.said("is ready", 3)
        os.kill(self.service.pid, signal.SIGHUP)
        await self.said("Rolling restart done")
        await self.unavailable()
        for words in (("check",), ("check", "--repair"), ("check", "--sums")):
            status, out, err = await self.command(*words)
            self.assertEqual((status, out), (1, ""), words)
            self.assertEqual(err.count("\n"), 1)
        status, _, err = await self.command("check")
        self.assertIn(f"{self.folder}: not the folder of this service's files", err)
        self.assertEqual(self.made(), [])
        self.mount()
        await self.said(FOUND, 2)
        await self.there(user, file)
        await self.upload(user, blob())
        status, out, _ = await self.command("check")
        self.assertEqual((status, out), (0, "Files: 2, in the store: 2, problems: 0\n"))

    async def test_lost_at_start(self) -> None:
        """A start without the disk serves all the rest, and makes nothing either."""
        user, file = await self.user(), blob()
        await self.upload(user, file)
        await self.service.stop()
        self.unmount()
        await self.service.start(self.service.port)
        await self.unavailable()
        await self.said(f"{LOST}{self.folder}: not the folder of this service's files", 2)
        self.assertEqual(self.made(), [])
        self.mount()
        await self.said(FOUND, 2)
        await self.there(user, file)


class ChoiceTests(AwayCase):
    async def test_other_disk(self) -> None:
        """The disk of another service is not taken. `contentsvc files adopt` takes it, and then the
        first one is not."""
        user, file = await self.user(), blob()
        await self.upload(user, file)
        self.unmount()
        for bucket in ("content", "media"):
            (self.folder / bucket).mkdir()
        (self.folder / MARK).write_text(f"{guid()}\n")
        await self.said(LOST)
        await self.unavailable()
        status, out, _ = await self.command("adopt")
        self.assertEqual(status, 0)
        self.assertIn(f"{self.folder} is the folder of this service's files from now on", out)
        await self.said(FOUND)
        (found,) = (await self.announcing(user, file)).json()["files"]
        self.assertIsNotNone(found["upload"])
        status, out, _ = await self.command("adopt")
        self.assertIn("already", out)
        self.mount()
        await self.said(f"{LOST}{self.folder}: not the folder", 2)

    async def test_older_release(self) -> None:
        """What a release prepared that gave folders no ids is taken with its files. Not so an empty
        folder, if there are files."""
        user, file = await self.user(), blob()
        await self.upload(user, file)
        self.sql("delete from file_folder")
        await self.service.stop()
        (self.folder / MARK).unlink()
        self.unmount()
        await self.service.start(self.service.port)
        await self.unavailable()
        self.assertEqual(self.made(), [])
        self.mount()
        await self.said(FOUND)
        await self.there(user, file)
        self.assertTrue((self.folder / MARK).exists())
