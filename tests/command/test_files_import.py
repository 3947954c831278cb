"""`contentsvc files import`: from the folder to a real S3 store, and back."""

import hashlib
import io
import json
import os
import secrets
from pathlib import Path
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import Factory, ProcessProtocol, Protocol
from twisted.internet.utils import getProcessOutputAndValue
from twisted.python.failure import Failure

from contentsvc import config
from contentsvc.command.file_stores import BucketStore, FolderStore, Gone, Wrong, place
from contentsvc.command.files_check import Check, Problem
from contentsvc.command.files_import import Import, Imported
from contentsvc.command.progress import Progress
from contentsvc.framework.storage.bucket import StorageUnavailable
from contentsvc.framework.storage.paths import BINARY, path_of, smaller_of
from tests.jobs.files import FilesCase
from tests.support import stores
from tests.support.daemon import Daemon, script, until
from tests.support.postgres import new_folder

PNG = "image/png"
SMALL, LARGE = 1000, 3 * 1024 * 1024 + 7


class PlacesCase(FilesCase):
    """A folder and two buckets of a store, each made ready."""

    async def setUp(self) -> None:
        await super().setUp()
        self.store = stores.new()
        self.data_dir = new_folder()
        environ = {
            name if name.startswith("AWS") else f"CONTENTSVC_{name}": value
            for name, value in self.store.environ.items()
        }
        settings = config.read({"data-dir": str(self.data_dir)}, environ)
        self.local, self.s3 = place(reactor, settings, "local"), place(reactor, settings, "s3")
        for each in (self.local, self.s3):
            self.addCleanup(each.stop)
            await each.start(self.db, new=True)
        self.out = io.StringIO()

    def content(self, *sizes: int, media_type: str = BINARY) -> dict[str, bytes]:
        """New files of these sizes, which the database knows."""
        made = {}
        for size in sizes:
            data = secrets.token_bytes(size)
            path = path_of(hashlib.sha256(data).hexdigest(), media_type)
            self.sql("insert into files (path, size, stored) values (%s, %s, true)", path, size)
            made[path] = data
        return made

    def lay(self, files: dict[str, bytes]) -> None:
        """Put these files into the folder."""
        for path, data in files.items():
            file = self.folder(path)
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(data)

    def folder(self, path: str) -> Path:
        """Where a file lies in the folder."""
        return self.data_dir / "files" / ("media" if "." in path else "content") / path

    async def run_import(
        self, source: Any, target: Any, *, sums: bool = False
    ) -> tuple[Imported, list[tuple[str, str]]]:
        """What was copied, and what could not be."""
        found: list[Problem] = []
        progress = Progress(self.out, reactor.seconds)
        run = Import(reactor, self.db, source, target, found.append, progress, sums=sums)
        done = await run.run()
        return done, [(problem.kind, problem.path) for problem in found]

    async def sound(self, where: FolderStore | BucketStore) -> None:
        """Assert that all files are there, byte for byte, and no others."""
        found: list[Problem] = []
        progress = Progress(self.out, reactor.seconds)
        check = Check(reactor, self.db, where, found.append, progress, sums=True, repair=False)
        checked = await check.run()
        self.assertEqual(found, [])
        self.assertEqual(checked.lying, checked.known)


class ImportTests(PlacesCase):
    async def test_there_and_back(self) -> None:
        """All files of both buckets go to the store, and come back byte for byte."""
        files = self.content(1, SMALL, LARGE) | self.content(SMALL, LARGE, media_type=PNG)
        self.lay(files)
        size = sum(map(len, files.values()))
        done, wrong = await self.run_import(self.local, self.s3)
        self.assertEqual((done, wrong), (Imported(5, size, 0), []))
        await self.sound(self.s3)
        for path in files:
            self.folder(path).unlink()
        done, wrong = await self.run_import(self.s3, self.local)
        self.assertEqual((done, wrong), (Imported(5, size, 0), []))
        self.assertEqual({path: self.folder(path).read_bytes() for path in files}, files)
        await self.sound(self.local)

    async def test_headers(self) -> None:
        """In the store, a file has the headers of an upload, and the token of nobody."""
        (path,) = files = self.content(SMALL, media_type=PNG)
        self.lay(files)
        await self.run_import(self.local, self.s3)
        headers = self.store.ask("HEAD", self.store.path(path)).headers
        headers = {name.lower(): value for name, value in headers.items()}
        self.assertEqual(headers["content-type"], PNG)
        self.assertEqual(headers["cache-control"], "public, max-age=31536000, immutable")
        self.assertRegex(headers["x-amz-meta-upload"], r"\A[0-9a-f-]{36}\Z")

    async def test_smaller(self) -> None:
        """Smaller images go with their image, there and back, also where that is there already; and
        the check takes them for the service's own."""
        (path,) = files = self.content(SMALL, media_type=PNG)
        self.lay(files)
        await self.run_import(self.local, self.s3)
        self.sql("update files set scaled = true")
        smaller = dict(zip(smaller_of(path), (b"320", b"1280"), strict=True))
        self.lay(smaller)
        await self.run_import(self.local, self.s3)
        for each, data in smaller.items():
            found = self.store.ask("GET", self.store.path(each))
            self.assertEqual((found.status, found.body), (200, data))
            self.assertEqual(found.headers["Content-Type"], "image/webp")
            self.folder(each).unlink()
        await self.run_import(self.s3, self.local)
        self.assertEqual({each: self.folder(each).read_bytes() for each in smaller}, smaller)
        progress = Progress(self.out, reactor.seconds)
        check = Check(reactor, self.db, self.local, self.fail, progress, sums=True, repair=False)
        self.assertEqual((await check.run()).foreign, 0)

    async def test_again(self) -> None:
        """A second run copies only what is new, or has another size there."""
        files = self.content(SMALL, SMALL)
        self.lay(files)
        await self.run_import(self.local, self.s3)
        new = self.content(10)
        self.lay(new)
        done, _ = await self.run_import(self.local, self.s3)
        self.assertEqual(done, Imported(1, 10, 2))
        first, *_ = files
        self.folder(first).write_bytes(b"short")
        done, _ = await self.run_import(self.s3, self.local)
        self.assertEqual(done, Imported(1, SMALL, 2))
        await self.sound(self.local)

    async def test_sums(self) -> None:
        """If asked to, it reads what is there, and copies it again if it is wrong."""
        (path, other) = files = self.content(SMALL, SMALL)
        self.lay(files)
        await self.run_import(self.local, self.s3)
        self.folder(path).write_bytes(b"x" * SMALL)
        done, _ = await self.run_import(self.s3, self.local)
        self.assertEqual(done, Imported(0, 0, 2))
        done, _ = await self.run_import(self.s3, self.local, sums=True)
        self.assertEqual(done, Imported(1, SMALL, 1), other)
        await self.sound(self.local)

    async def test_wrong_source(self) -> None:
        """A file that is wrong or missing at its source is told, and never gets there; the others
        do."""
        lost, rotten, short, good = files = self.content(SMALL, LARGE, SMALL, SMALL)
        self.lay(files)
        self.folder(lost).unlink()
        self.folder(rotten).write_bytes(b"x" * LARGE)
        self.folder(short).write_bytes(b"x")
        done, wrong = await self.run_import(self.local, self.s3)
        self.assertEqual(done, Imported(1, SMALL, 0))
        self.assertEqual(set(wrong), {("missing", lost), ("sum", rotten), ("sum", short)})
        found = await self.s3.bucket.stat(files)
        self.assertEqual(list(found), [good])

    async def test_wrong_store(self) -> None:
        """The same holds for a store that has lost a file, or has other bytes."""
        lost, rotten, good = files = self.content(SMALL, LARGE, SMALL)
        self.store.ask("PUT", self.store.path(rotten), b"x" * LARGE)
        self.store.ask("PUT", self.store.path(good), files[good])
        done, wrong = await self.run_import(self.s3, self.local)
        self.assertEqual(done, Imported(1, SMALL, 0))
        self.assertEqual(set(wrong), {("missing", lost), ("sum", rotten)})
        self.assertFalse(self.folder(rotten).exists())
        self.assertEqual(os.listdir(self.data_dir / "files" / "incoming"), [])

    async def test_not_counted(self) -> None:
        """What is only announced, blocked or being collected is not copied."""
        announced, blocked, collected = files = self.content(10, 10, 10)
        self.lay(files)
        self.sql("update files set stored = false where path = %s", announced)
        self.sql("insert into blocked_files (sha256, reason) values (%s, 'bad')", blocked[3:])
        self.sql("update files set collecting = true where path = %s", collected)
        done, wrong = await self.run_import(self.local, self.s3)
        self.assertEqual((done, wrong), (Imported(0, 0, 0), []))
        self.assertEqual(await self.s3.bucket.stat(files), {})

    async def test_collected_meanwhile(self) -> None:
        """A file that is collected during the run is not missed."""
        (path,) = self.content(10)
        copy = self.s3.write

        async def gone(*args: Any) -> None:
            self.sql("delete from files where path = %s", path)
            await copy(*args)

        self.s3.write = gone
        done, wrong = await self.run_import(self.local, self.s3)
        self.assertEqual((done, wrong), (Imported(0, 0, 0), []))


class TransferTests(PlacesCase):
    async def test_check(self) -> None:
        """Either place knows a good file, a wrong one, and one that is not there."""
        good, wrong, gone = files = self.content(LARGE, SMALL, SMALL)
        self.lay({good: files[good], wrong: b"other"})
        for path in (good, wrong):
            data = self.folder(path).read_bytes()
            self.store.ask("PUT", self.store.path(path), data)
        for where in (self.local, self.s3):
            counted: list[int] = []
            await where.check(good, counted.append)
            self.assertEqual(sum(counted), LARGE)
            with self.assertRaises(Wrong):
                await where.check(wrong, counted.append)
            with self.assertRaises(Gone):
                await where.check(gone, counted.append)


class AwayTests(PlacesCase):
    async def test_away(self) -> None:
        """A store that goes away ends the run with its reason, after some attempts. What was copied
        stays, and the next run goes on."""
        seaweed = stores.Seaweed()
        self.addCleanup(seaweed.remove)
        seaweed.start()
        store = seaweed.new()
        settings = config.read(
            {"data-dir": str(self.data_dir)},
            {
                name if name.startswith("AWS") else f"CONTENTSVC_{name}": value
                for name, value in store.environ.items()
            },
        )
        other = place(reactor, settings, "s3")
        self.addCleanup(other.stop)
        await other.start(self.db, new=True)
        files = self.content(*[SMALL] * 20)
        self.lay(files)
        write, written = other.write, 0

        async def dying(*args: Any) -> None:
            nonlocal written
            written += 1
            if written == 10:
                seaweed.stop()
            await write(*args)

        other.write = dying
        with self.assertRaises(StorageUnavailable):
            await self.run_import(self.local, other)
        other.write = write
        seaweed.start()
        done, _ = await self.run_import(self.local, other)
        self.assertEqual(done.files + done.there, 20)
        self.assertGreater(done.there, 0)
        # After its death this store may give a file a moment before it lists it.
        while len(await self.listed(other)) < 20:
            pass
        await self.sound(other)

    async def listed(self, where: BucketStore) -> list[str]:
        """The paths of the files that a place lists."""
        return [file.path async for file in where.bucket.list()]


class CommandTests(PlacesCase):
    timeout = 120.0

    def environ(self) -> dict[str, str]:
        """The environment of a command."""
        environ = {name: v for name, v in os.environ.items() if not name.startswith("CONTENTSVC")}
        secret = Daemon.new_secret(self.data_dir / "keys")
        environ |= {
            "CONTENTSVC_DATABASE": self.url,
            "CONTENTSVC_SECRET_FILE": str(secret),
            "CONTENTSVC_DATA_DIR": str(self.data_dir),
        }
        environ |= {
            name if name.startswith("AWS") else f"CONTENTSVC_{name}": value
            for name, value in self.store.environ.items()
        }
        return environ

    async def command(self, *words: str, status: int = 0) -> tuple[str, str]:
        """What it prints on standard output and standard error."""
        out, err, code = await getProcessOutputAndValue(
            script("contentsvc"), ["files", *words], env=self.environ()
        )
        self.assertEqual(code, status, (out, err))
        return out.decode(), err.decode()

    async def test_import_and_check(self) -> None:
        """The commands say what they did, and what to do next."""
        files = self.content(SMALL, SMALL)
        self.lay(files)
        out, err = await self.command("import", "--from", "local", "--to", "s3")
        expected = "Copied 2 files, 2.0 KiB. 0 were there already. 0 could not be copied.\n"
        self.assertIn(expected, out)
        self.assertIn('3. Set files = "s3", and start the daemons.', out)
        self.assertEqual(err, "")
        out, _ = await self.command("check", "--sums")
        self.assertEqual(out, "Files: 2, in the store: 2, problems: 0\n")
        (path, _) = files
        self.store.ask("DELETE", self.store.path(path))
        out, _ = await self.command("check", status=2)
        expected = f"missing: {path}\nFiles: 2, in the store: 1, problems: 1\n"
        self.assertEqual(out, expected)
        out, _ = await self.command("check", "--json", status=2)
        problem = {"kind": "missing", "path": path, "lying": None, "known": SMALL}
        totals = {"known": 2, "lying": 1, "foreign": 0, "count": 1, "repaired": False}
        self.assertEqual(json.loads(out), {"problems": [problem], **totals})
        out, _ = await self.command("check", "--json", "--files", "local")
        self.assertEqual(json.loads(out)["problems"], [])
        out, _ = await self.command("check", "--files", "local")
        self.assertEqual(out, "Files: 2, in the store: 2, problems: 0\n")
        self.folder(path).unlink()
        _, err = await self.command("import", "--from", "local", "--to", "s3", status=2)
        self.assertEqual(err, f"not copied, missing: {path}\n")
        out, _ = await self.command("check", "--repair")
        self.assertIn(f"missing: {path} (repaired)\n", out)
        await self.command("check")

    async def test_refused(self) -> None:
        """What is missing to begin with is one line, and exit status 1."""
        self.store = self.store._replace(content=f"{self.store.content}-none")
        _, err = await self.command("check", status=1)
        self.assertRegex(err, r"\Acontentsvc: .*\bNoSuchBucket\b.*\n\Z")
        self.data_dir = new_folder()
        _, err = await self.command("check", "--files", "local", status=1)
        folder = self.data_dir / "files"
        self.assertRegex(err, rf"\Acontentsvc: {folder}: .* it is not there. .*\n\Z")
        self.assertFalse(folder.exists())
        self.store = self.store._replace(endpoint="http://127.0.0.1:1")
        _, err = await self.command("check", status=1)
        self.assertRegex(err, r"\Acontentsvc: the store cannot be reached: .*\n\Z")

    async def test_interrupted(self) -> None:
        """A signal ends it at once."""
        folder = new_folder()
        marker = folder / "begun"
        # The store never answers: it only accepts.
        port = reactor.listenTCP(0, Silent(marker), interface="127.0.0.1")
        self.addCleanup(port.stopListening)
        self.store = self.store._replace(endpoint=f"http://127.0.0.1:{port.getHost().port}")
        ended: Deferred[int] = Deferred()
        command = [script("contentsvc"), "files", "check"]
        process = reactor.spawnProcess(Ending(ended), command[0], command, env=self.environ())
        await until(marker.exists, 30, "the store is asked")
        process.signalProcess("INT")
        self.assertEqual(await ended.addTimeout(30, reactor), 130)


class Ending(ProcessProtocol):
    """Tells the exit status."""

    def __init__(self, ended: Deferred[int]) -> None:
        self._ended = ended

    def processEnded(self, reason: Failure) -> None:
        self._ended.callback(reason.value.exitCode)


class Silent(Factory):
    """Accepts connections, and makes a file at the first."""

    noisy = False

    def __init__(self, marker: Path) -> None:
        self._marker = marker

    def buildProtocol(self, address: object) -> Protocol:
        self._marker.touch()
        return Protocol()
