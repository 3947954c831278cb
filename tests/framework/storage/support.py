"""A local bucket in a folder of its own."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

from twisted.internet import reactor
from twisted.internet.task import Clock
from twisted.trial.unittest import TestCase

from contentsvc.framework.storage.folder import Folder
from contentsvc.framework.storage.links import Links
from contentsvc.framework.storage.local import Choose, Local, Settle
from contentsvc.framework.storage.paths import path_of

KEYS = [("new", b"n" * 32), ("old", b"o" * 32)]
TOKEN = "00000000-0000-4000-8000-000000000001"
NOON = 1_800_000_000 // 3600 * 3600


def clock_at(seconds: float) -> Clock:
    """A wall clock."""
    clock = Clock()
    clock.rightNow = seconds
    return clock


def named(data: bytes, media_type: str = "application/octet-stream") -> str:
    """The path of a file with these bytes."""
    return path_of(sha256(data).hexdigest(), media_type)


def remembered(folder: Folder) -> Settle:
    """What a database knows that has had this folder from the start."""

    known: list[str] = []

    async def settle(choose: Choose) -> str:
        if not known:
            known.append(folder.id() or await choose(False))
        return known[0]

    return settle


def dead_name() -> str:
    """The name of an incoming file of a process that has died."""
    module = "contentsvc.framework.storage.lock_files"
    code = f"from {module} import LockFiles; print(LockFiles().name())"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


class LocalCase(TestCase):
    """Has a bucket that runs."""

    async def setUp(self) -> None:
        self.root = Path(self.mktemp())
        self.clock = clock_at(NOON)
        self.links = Links(KEYS, self.clock)
        self.folder = self.new_folder()
        self.running: list[Local] = []
        self.bucket = await self.started()

    async def tearDown(self) -> None:
        for bucket in list(self.running):
            await self.stopped(bucket)

    def new_folder(self) -> Folder:
        """The folder of the bucket."""
        return Folder(self.root, reserve=0, now=self.clock.seconds)

    async def started(self, **options: Any) -> Local:
        """One more bucket on the same folder."""
        bucket = Local(reactor, self.folder, self.links, remembered(self.folder), **options)
        await bucket.start()
        self.running.append(bucket)
        return bucket

    async def stopped(self, bucket: Local) -> None:
        """Stop one of them."""
        self.running.remove(bucket)
        await bucket.stop()

    async def put(self, data: bytes, media_type: str = "application/octet-stream") -> str:
        """Store these bytes; their path."""
        path = named(data, media_type)
        arriving = self.bucket.arrive(path, len(data))
        await arriving.write(data)
        await arriving.flush()
        await arriving.publish()
        return path

    def incoming(self) -> list[str]:
        """The names of files that are being written."""
        return sorted(file.name for file in (self.root / "incoming").iterdir())
