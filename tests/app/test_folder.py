"""A daemon whose files lie in a folder: killed, stopped and started again while they come and
go."""

import hashlib
import os
import signal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from twisted.internet.defer import Deferred

from contentsvc.framework.storage.paths import BINARY
from tests.spec.client import Wire
from tests.spec.data import User, guid
from tests.spec.harness import SpecCase
from tests.support.daemon import Daemon, until

SIZE = 8 * 1024 * 1024
PATIENCE = 60


class FolderCase(SpecCase):
    """A daemon of its own, and a file that a user has announced."""

    options: tuple[str, ...] = ()

    async def connect(self) -> None:
        self.own_daemon()
        service = Daemon(*self.options)
        self.addCleanup(service.stop)
        await service.start()
        self.use(service)
        self.service = service
        self.data = (guid().encode() * (SIZE // 36 + 1))[:SIZE]
        self.incoming = service.data_dir / "files" / "incoming"

    async def announced(self, by: User) -> dict[str, Any]:
        """The file, as /uploads has it."""
        digest = hashlib.sha256(self.data).hexdigest()
        file = {"use": "entity", "sha256": digest, "size": SIZE}
        response = await self.post("uploads", {"files": [file]}, by=by, expect=200)
        (found,) = response.json()["files"]
        return dict(found)

    async def half_sent(self, by: User) -> tuple[Wire, str]:
        """An upload of which half has been sent and the beginning written, and its URL."""
        before = len(self.files())
        url = (await self.announced(by))["upload"]["url"]
        parts = urlsplit(url)
        wire = await Wire.open(self.url)
        target = f"{parts.path}?{parts.query}"
        fields = f"Host: {parts.netloc}\r\nContent-Type: {BINARY}\r\nContent-Length: {SIZE}"
        fields += "\r\nConnection: close"
        wire.send(f"PUT {target} HTTP/1.1\r\n{fields}\r\n\r\n".encode())
        wire.send(self.data[: SIZE // 2])
        await until(lambda: len(self.files()) > before, PATIENCE, "the upload")
        return wire, target

    def files(self) -> list[Path]:
        """The incoming files, without those by which the daemon tries the disk."""
        found = list(self.incoming.iterdir()) if self.incoming.exists() else []
        return [file for file in found if not file.name.startswith("probe")]

    async def sent(self, target: str) -> None:
        """Send the whole file by this URL."""
        wire = await Wire.open(self.url)
        fields = f"Host: x\r\nContent-Type: {BINARY}\r\nContent-Length: {SIZE}"
        fields += "\r\nConnection: close"
        wire.send(f"PUT {target} HTTP/1.1\r\n{fields}\r\n\r\n".encode() + self.data)
        self.assertEqual((await wire.answer()).status, 204)


class KilledTests(FolderCase):
    async def test_killed(self) -> None:
        """An upload that is cut off by the death of the daemon counts for nothing. The next daemon
        has deleted the rest when it is ready, and the same URL is good for it."""
        user = await self.user()
        wire, target = await self.half_sent(user)
        await self.service.kill()
        await wire.ended()
        self.assertEqual(len(self.files()), 1)
        await self.service.start(self.service.port)
        self.assertEqual(self.files(), [])
        self.assertIsNotNone((await self.announced(user))["upload"])
        await self.sent(target)
        self.assertIsNone((await self.announced(user))["upload"])


class KilledWorkerTests(FolderCase):
    options = ("--workers", "2")

    async def test_killed(self) -> None:
        """The worker that replaces a killed one deletes what that was receiving, and nothing that
        the other still receives."""
        wires: dict[Path, Wire] = {}
        while len(self.owners()) < 2:
            self.assertLess(len(wires), 30, "one worker gets all")
            before = set(self.files())
            wire, _ = await self.half_sent(await self.user())
            (file,) = set(self.files()) - before
            wires[file] = wire
        killed = self.owner(next(iter(wires)))
        os.kill(killed, signal.SIGKILL)
        await until(lambda: killed not in self.owners(), PATIENCE, "the sweep")
        for file, wire in wires.items():
            if self.owner(file) == killed:
                await wire.ended()
            else:
                wire.send(self.data[SIZE // 2 :])
                self.assertEqual((await wire.answer()).status, 204)
        self.assertEqual(self.files(), [])

    def owner(self, file: Path) -> int:
        """The process that writes an incoming file."""
        return int(file.name.split(".")[2])

    def owners(self) -> set[int]:
        """The processes that write incoming files."""
        return {self.owner(file) for file in self.files()}


class StoppedTests(FolderCase):
    options = ("--drain-timeout", "60")

    async def test_drained(self) -> None:
        """A stop waits for an upload that is under way."""
        user = await self.user()
        wire, _ = await self.half_sent(user)
        stopping = Deferred.fromCoroutine(self.service.stop())
        await until(self.refuses, PATIENCE, "the stop")
        wire.send(self.data[SIZE // 2 :])
        self.assertEqual((await wire.answer()).status, 204)
        await stopping
        await self.service.start(self.service.port)
        self.assertIsNone((await self.announced(user))["upload"])

    def refuses(self) -> bool:
        """Whether the daemon has begun to stop."""
        return "shutting down" in self.service.output()


class ImpatientTests(FolderCase):
    options = ("--drain-timeout", "0.1")

    async def test_cut_off(self) -> None:
        """One that takes longer than drain_timeout is cut off, the log says so, and nothing of it
        is left."""
        wire, _ = await self.half_sent(await self.user())
        await self.service.stop()
        await wire.ended()
        self.assertEqual(self.files(), [])
        self.assertIn("Requests cut off at the stop", self.service.output())


class NoFolderTests(SpecCase):
    """A folder that cannot be made: one line, and exit status 1."""

    async def connect(self) -> None:
        self.own_daemon()

    async def test_refused(self):
        """The daemon ends, alone and with workers: no worker starts again and again."""
        for options in ((), ("--workers", "2")):
            service = Daemon(*options)
            self.addCleanup(service.stop)
            service.data_dir.mkdir()
            (service.data_dir / "files").write_text("in the way")
            service.spawn()
            self.assertEqual(await service.ended(), 1)
            said = service.output()
            (line,) = [line for line in said.splitlines() if "contentsvc cannot start" in line]
            self.assertIn(str(service.data_dir / "files"), line)
            self.assertNotIn("Worker", said)
