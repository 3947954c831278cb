"""`contentsvc sync` that is killed, has no room, or has company; and `--watch`."""

import errno
import os
import subprocess
from random import Random
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred, fail
from twisted.internet.error import ProcessDone, ProcessTerminated
from twisted.internet.protocol import ProcessProtocol
from twisted.internet.task import deferLater
from twisted.python.failure import Failure
from twisted.trial.unittest import SkipTest
from twisted.web.client import Agent
from twisted.web.iweb import IAgent
from zope.interface import implementer

from contentsvc.client import Client
from contentsvc.client.files.receiving import Incoming
from contentsvc.command import sync
from contentsvc.command.sync import Has, _Syncing
from contentsvc.command.synced_folder import STATE, SyncedFolder
from contentsvc.command.terminal import CommandError
from contentsvc.wire.library import SubscriptionBody
from tests.client.test_service import PASSWORD, WAIT
from tests.command.test_sync import SyncCase
from tests.support.daemon import Daemon, script
from tests.support.walks import walks

KILLS = 12


class Process(ProcessProtocol):
    """The command, and what it prints."""

    def __init__(self, words: list[str]) -> None:
        self.out = self.err = b""
        self.ended: Deferred[int | None] = Deferred()
        self._waiting: list[tuple[bytes, Deferred[None]]] = []
        command = [script("contentsvc"), *words]
        reactor.spawnProcess(self, command[0], command, env=os.environ)

    def connectionMade(self) -> None:
        self.transport.write(PASSWORD.encode() + b"\n")

    def outReceived(self, data: bytes) -> None:
        self.out += data
        self._look()

    def errReceived(self, data: bytes) -> None:
        self.err += data
        self._look()

    def _look(self) -> None:
        for pair in [pair for pair in self._waiting if pair[0] in self.out + self.err]:
            self._waiting.remove(pair)
            pair[1].callback(None)

    def processEnded(self, reason: Failure) -> None:
        reason.trap(ProcessDone, ProcessTerminated)
        self.ended.callback(reason.value.exitCode)

    async def until(self, text: str) -> None:
        """It has printed this."""
        said: Deferred[None] = Deferred()
        self._waiting.append((text.encode(), said))
        self._look()
        await said.addTimeout(WAIT, reactor)

    async def end(self) -> int | None:
        return await self.ended.addTimeout(WAIT, reactor)

    def signal(self, name: str) -> None:
        if not self.ended.called:
            self.transport.signalProcess(name)


class KillTests(SyncCase):
    async def test_kills(self) -> None:
        """Killed at any moment, again and again while the library changes, the next run has exactly
        the library; and all that has its name is whole."""
        with walks(1)[0] as walk:
            random = walk.random
            contents = [await self.keep(random.randbytes(400_000), b"wall") for _ in range(3)]
            whole = {data for files in self.expected.values() for data in files.values()}
            for _ in range(KILLS):
                await self.change(random, contents)
                whole |= {data for files in self.expected.values() for data in files.values()}
                process = Process(self.words())
                await deferLater(reactor, random.uniform(0.5, 1.6))
                process.signal("KILL")
                await process.end()
                for files in self.there().values():
                    self.assertLessEqual(set(files.values()), whole)
            done = await self.sync()
            self.assertEqual(done.err, "")
            self.assert_library()
            self.assertEqual(list((self.root / STATE).rglob("*.new")), [])
            self.assertFalse((self.root / STATE / "incoming").exists())

    async def change(self, random: Random, contents: list[str]) -> None:
        """Something else is in the library."""
        content = random.choice(contents)
        if random.random() < 0.3 and content in self.expected:
            await self.user.subscriptions.delete(content)
            del self.expected[content]
        else:
            await self.publish(random.randbytes(400_000), b"wall", content=content)
            await self.user.subscriptions.put(content, SubscriptionBody())

    async def test_interrupted(self) -> None:
        """Ctrl-C ends --watch well, and the same command goes on."""
        await self.keep(os.urandom(1000))
        process = Process(self.words("--watch"))
        await process.until("Waiting for changes")
        process.signal("INT")
        self.assertEqual(await process.end(), 0)
        await self.sync()
        self.assert_library()


class TogetherTests(SyncCase):
    async def test_two(self) -> None:
        """Two at once: the second is refused in one line, and the first goes on."""
        process = Process(self.words("--watch"))
        await process.until("Waiting for changes")
        done = await self.sync(expect=1)
        self.assertIn("another contentsvc sync works on", done.err)
        self.assertEqual(done.err.count("\n"), 1)
        await self.keep(b"tower")
        await process.until("Fetched Tower")
        self.assert_library()
        process.signal("INT")
        await process.end()

    async def test_evil_name(self) -> None:
        """A content's name is not that of a file."""
        await self.keep(b"tower", name="../../evil")
        await self.sync()
        self.assert_library()
        found = {path.name for path in self.home.iterdir()} - {"library"}
        self.assertTrue(all(name.startswith(("upload-", "shot.")) for name in found), found)


@implementer(IAgent)
class Asking:
    """An agent that notes which parts of files are asked for."""

    def __init__(self) -> None:
        self._agent = Agent(reactor)
        self.ranges: list[str] = []

    def request(self, method: bytes, uri: bytes, headers: Any = None, body: Any = None) -> Any:
        self.ranges += headers.getRawHeaders("Range", [])
        return self._agent.request(method, uri, headers, body)


class RoomTests(SyncCase):
    """A disk that is full, or fails."""

    async def run_here(self, client: Client | None = None) -> int:
        """The command in this process: its exit status."""
        self.patch(sync, "say", lambda *lines: None)
        self.patch(sync, "say_error", lambda *lines: None)
        folder = SyncedFolder(self.root)
        with folder.locked():
            return await _Syncing(reactor, client or self.user, folder, Has()).run(watch=False)

    def small(self) -> None:
        """The folder is on a disk of 4 MB."""
        self.root.mkdir()
        words = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(self.root)]
        if os.geteuid() or subprocess.run(words, capture_output=True, check=False).returncode:
            raise SkipTest("needs the right to mount a file system")
        self.addCleanup(subprocess.run, ["umount", "--lazy", str(self.root)], check=True)

    def enlarge(self) -> None:
        words = ["mount", "-o", "remount,size=40m", str(self.root)]
        subprocess.run(words, check=True, capture_output=True)

    async def test_no_room(self) -> None:
        """What does not fit is said before it comes; what was there stays; with room it goes on."""
        self.small()
        await self.keep(b"tower")
        await self.sync()
        before = dict(self.expected)
        await self.keep(os.urandom(5_000_000), name="Castle")
        done = await self.sync(expect=1)
        self.assertIn("the disk is full", done.err)
        self.assertEqual(done.err.count("\n"), 1)
        self.assertEqual(self.there(), before)
        self.enlarge()
        await self.sync()
        self.assert_library()

    async def test_full(self) -> None:
        """So is a disk that is full in the middle; what had come is not fetched again."""
        self.small()
        self.patch(SyncedFolder, "has_room", lambda folder, files, wanted: None)
        await self.keep(os.urandom(3_000_000), os.urandom(3_000_000))
        refused = await self.assertFailure(Deferred.fromCoroutine(self.run_here()), CommandError)
        self.assertIn("the disk is full", str(refused))
        self.assertEqual(self.there(), {})
        self.enlarge()
        self.assertEqual(await self.run_here(), 0)
        self.assert_library()

    async def test_room_by_removal(self) -> None:
        """What goes makes room for what comes."""
        self.small()
        old = await self.keep(os.urandom(2_000_000))
        await self.sync()
        await self.user.subscriptions.delete(old)
        del self.expected[old]
        await self.keep(os.urandom(2_000_000), name="Castle")
        await self.sync()
        self.assert_library()

    async def test_resumed(self) -> None:
        """What was cut goes on where it was."""
        asking = Asking()
        client = Client(reactor, self.service.url, agent=asking)
        self.addCleanup(client.close)
        await client.log_in(self.name, PASSWORD)
        await self.keep(os.urandom(3_000_000))
        write = Incoming.write

        def failing(incoming: Incoming, data: bytes) -> Any:
            if incoming.there > 1_000_000:
                return fail(OSError(errno.EIO, os.strerror(errno.EIO)))
            return write(incoming, data)

        patch = self.patch(Incoming, "write", failing)
        self.assertEqual(await self.run_here(client), 1)
        patch.restore()
        self.assertEqual(asking.ranges, [])
        self.assertEqual(await self.run_here(client), 0)
        (range,) = asking.ranges
        self.assertRegex(range, "bytes=1[0-9]{6}-")
        self.assert_library()

    async def test_denied(self) -> None:
        """What is in the way of one content is not in the way of the others."""
        first, second = await self.keep(b"tower"), await self.keep(b"castle")
        put = SyncedFolder.put

        def failing(folder: SyncedFolder, content: str, *rest: Any) -> None:
            if content == first:
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), content)
            put(folder, content, *rest)

        patch = self.patch(SyncedFolder, "put", failing)
        self.assertEqual(await self.run_here(), 1)
        self.assertEqual(list(self.there()), [second])
        patch.restore()
        self.assertEqual(await self.run_here(), 0)
        self.assert_library()


class WatchTests(SyncCase):
    async def daemon(self) -> Daemon:
        own = Daemon()
        self.addCleanup(own.stop)
        await own.start()
        return own

    async def test_watch(self) -> None:
        """It follows each change, through kills of the daemon, until it is interrupted."""
        tower = await self.keep(b"tower")
        process = Process(self.words("--watch"))
        self.addCleanup(process.signal, "KILL")
        await process.until("Waiting for changes")
        self.assert_library()
        castle = await self.keep(b"castle", name="Castle")
        await process.until("Fetched Castle")
        await self.user.subscriptions.delete(tower)
        del self.expected[tower]
        await process.until(f"Removed {tower}.")
        self.assert_library()

        await self.service.kill()
        await self.service.start(self.service.port)
        await self.publish(b"castle, higher", content=castle, version="2")
        await process.until("Fetched Castle 2")
        self.assert_library()
        process.signal("TERM")
        self.assertEqual(await process.end(), 0)
