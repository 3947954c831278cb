"""`contentsvc publish` and `contentsvc fetch` against the real service."""

import hashlib
import json
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.protocol import ProcessProtocol
from twisted.internet.utils import getProcessOutputAndValue

from contentsvc.client.content import Content
from contentsvc.command.fetch import NAMES, RESULT
from contentsvc.command.manifest import IDS, MANIFEST
from tests.client.fakes import BOB
from tests.client.files import store
from tests.client.test_service import PASSWORD, WAIT, Case
from tests.command.here import Done, run_here
from tests.support import pictures
from tests.support.daemon import script

TOWER = """
name = "Tilting Tower"
description = "Stack it high."
type = "game"
tags = ["physics"]
version = "1.0"
changes = "First published."
screenshots = ["shots/tower.png"]
entity = "tower.bin"
originating = ["parts/wall.bin"]
packages.textures = {win64 = "win.zip", linux64 = "linux.zip"}
"""


class FolderCase(Case):
    """A folder with content, and another for what is fetched."""

    timeout = 180
    environ: Mapping[str, str] = {}

    async def setUp(self) -> None:
        await super().setUp()
        home = TemporaryDirectory(prefix="contentsvc-")
        self.addCleanup(home.cleanup)
        self.folder, self.got = Path(home.name) / "tower", Path(home.name) / "got"
        self.files = {
            "tower.bin": os.urandom(3_000_000),
            "parts/wall.bin": os.urandom(20),
            "win.zip": os.urandom(70_000),
            "linux.zip": os.urandom(60_000),
            "shots/tower.png": pictures.png(),
        }
        for name, data in self.files.items():
            self.write(name, data)
        self.write(MANIFEST, TOWER.encode())

    def write(self, name: str, data: bytes) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def rewrite(self, old: str, new: str) -> None:
        """Change the manifest."""
        text = (self.folder / MANIFEST).read_text()
        assert old in text
        self.write(MANIFEST, text.replace(old, new).encode())

    async def command(self, *words: str, given: str = "") -> Done:
        if not self.environ:
            return await run_here(self, *words, given=f"{given}\n")
        out, err, status = await getProcessOutputAndValue(
            script("contentsvc"),
            words,
            env={**os.environ, **self.environ},
            stdinBytes=given.encode() + b"\n",
        )
        return Done(status, out.decode(), err.decode())

    async def publish(self, *, password: str = PASSWORD, expect: int = 0) -> Done:
        """As the user."""
        words = ("publish", str(self.folder), "--url", self.service.url)
        done = await self.command(*words, "--user", self.name, "--password-stdin", given=password)
        self.assertEqual(done.status, expect, done)
        return done

    async def fetch(self, *words: str, expect: int = 0) -> Done:
        """As anybody."""
        whole = ("fetch", self.content, str(self.got), "--url", self.service.url, *words)
        done = await self.command(*whole)
        self.assertEqual(done.status, expect, done)
        return done

    @property
    def content(self) -> str:
        """Its id."""
        return json.loads((self.folder / IDS).read_text())["content"]

    @property
    def family(self) -> Content:
        return self.client.content


class PublishTests(FolderCase):
    async def test_first(self) -> None:
        """The first time it is new content, with all that the manifest says."""
        done = await self.publish()
        detail = await self.family.get(self.content)
        self.assertEqual(
            (detail.name, detail.type, detail.tags), ("Tilting Tower", "game", ["physics"])
        )
        self.assertEqual(
            (detail.revision.version, detail.revision.description), ("1.0", "First published.")
        )
        self.assertEqual((len(detail.originating), len(detail.packages)), (1, 1))
        self.assertIn(f"content  {detail.id}\nrevision {detail.revision_id}\n", done.out)
        self.assertIn("Pre-check: nothing stands in the way. 3 of 3 parts new.", done.out)
        self.assertIn("Uploaded 5 files, 3.0 MiB. Verified 5 files.", done.out)
        self.assertEqual(done.err, "")

    async def test_unchanged(self) -> None:
        """The second time it says that nothing has changed, and nothing is told to anybody."""
        await self.publish()
        before = await self.family.get(self.content)
        done = await self.publish()
        self.assertIn("Nothing has changed", done.out)
        self.assertEqual(await self.family.get(self.content), before)

    async def test_revision(self) -> None:
        """A file that has changed makes a new revision of the same content; what has not keeps its
        ids."""
        await self.publish()
        before = await self.family.get(self.content)
        self.write("tower.bin", os.urandom(8))
        self.rewrite('"1.0"', '"1.1"')
        done = await self.publish()
        after = await self.family.get(self.content)
        self.assertIn("Published a new revision of Tilting Tower 1.1.", done.out)
        self.assertIn("1 of 3 parts new.", done.out)
        self.assertIn("Uploaded 1 file, 8 B. Verified 5 files.", done.out)
        self.assertEqual(after.entity.entity_id, before.entity.entity_id)
        self.assertNotEqual(after.entity.revision_id, before.entity.revision_id)
        self.assertEqual((after.originating, after.packages), (before.originating, before.packages))
        self.assertEqual(len((await self.client.revisions.list(self.content)).items), 2)

    async def test_damaged_ids(self) -> None:
        """Damaged ids publish nothing. Who does as the refusal says has a new revision of the same
        content, and no second one; a byte order mark before them changes nothing."""
        await self.publish()
        content, path = self.content, self.folder / IDS
        path.write_bytes(path.read_bytes()[:50])
        done = await self.publish(expect=1)
        self.assertIn('make it {"content": "ID"}', done.err)
        path.write_bytes(b'\xef\xbb\xbf{"content": "%s"}' % content.encode())
        done = await self.publish()
        self.assertIn("Published a new revision", done.out)
        self.assertEqual(self.content, content)
        self.assertEqual(len((await self.client.revisions.list(content)).items), 2)

    async def test_lost(self) -> None:
        """What the service has lost meanwhile is sent again, though nothing has changed."""
        await self.publish()
        sha256 = hashlib.sha256(self.files["tower.bin"]).hexdigest()
        (lost,) = (self.service.data_dir / "files/content").rglob(sha256)
        lost.unlink()
        done = await self.publish()
        self.assertIn("Uploaded 1 file, 2.9 MiB. Verified 5 files.", done.out)
        self.assertIn("Nothing has changed", done.out)
        await self.fetch()

    async def test_description(self) -> None:
        """Another description and screenshot are no new revision."""
        await self.publish()
        before = await self.family.get(self.content)
        self.rewrite("Stack it high.", "Higher!")
        self.write("shots/tower.png", pictures.png())
        done = await self.publish()
        after = await self.family.get(self.content)
        self.assertIn("Updated the description", done.out)
        self.assertEqual((after.description, after.revision_id), ("Higher!", before.revision_id))
        self.assertNotEqual(after.screenshot_uris, before.screenshot_uris)

    async def test_renamed(self) -> None:
        """Another name in the manifest renames the content, which is no new revision."""
        await self.publish()
        before = await self.family.get(self.content)
        self.rewrite(before.name, "Leaning Tower")
        done = await self.publish()
        after = await self.family.get(self.content)
        self.assertIn(f"Renamed {before.name} to Leaning Tower.", done.out)
        self.assertEqual((after.name, after.revision_id), ("Leaning Tower", before.revision_id))

    async def test_gone(self) -> None:
        """A revision whose files have been released is published again as another one."""
        await self.publish()
        first = (await self.family.get(self.content)).revision_id
        old = self.files["tower.bin"]
        self.write("tower.bin", b"straight")
        await self.publish()
        await self.client.revisions.delete(self.content, first)
        self.write("tower.bin", old)
        await self.publish()
        await self.fetch()
        self.assertIn(old, [path.read_bytes() for path in self.got.glob("entities/*/*")])

    async def test_precheck(self) -> None:
        """What would fail is said before anything is uploaded."""
        self.rewrite(
            "originating", f'using = [{{entity = "{BOB}", revision = "{BOB}"}}]\noriginating'
        )
        done = await self.publish(expect=1)
        self.assertIn(f"does not have the part {BOB}", done.err)
        self.assertEqual(done.err.count("\n"), 1)
        self.assertEqual((await self.client.files.get_user_storage()).used, 0)

    async def test_no_image(self) -> None:
        """A screenshot that is no image is refused, with its name."""
        self.write("shots/tower.png", b"no image at all")
        done = await self.publish(expect=1)
        self.assertIn("tower.png: it is no image", done.err)
        self.write("shots/tower.png", b"\x89PNG\r\n\x1a\nand no more")
        done = await self.publish(expect=1)
        self.assertIn("file_invalid", done.err)
        self.assertIn("shots/tower.png", done.err)

    async def test_wrong_password(self) -> None:
        """A wrong password is one line, and status 1."""
        done = await self.publish(password="not this one", expect=1)
        self.assertIn("invalid_grant", done.err)
        self.assertEqual(done.err.count("\n"), 1)

    async def test_no_manifest(self) -> None:
        """So is a folder without a manifest, before a password is asked for."""
        (self.folder / MANIFEST).unlink()
        words = ("publish", str(self.folder), "--url", self.service.url, "--user", self.name)
        done = await self.command(*words)
        self.assertEqual(done.status, 1)
        self.assertIn("content.toml is not there", done.err)
        self.assertEqual(done.err.count("\n"), 1)

    async def test_somebody_elses(self) -> None:
        """The folder of another author's content does not become a revision of it."""
        await self.publish()
        self.write("tower.bin", b"mine now")
        self.client = await self.signed_in()
        done = await self.publish(expect=1)
        self.assertIn("forbidden", done.err)
        self.assertIn(f"{self.folder / IDS} has the ids of somebody else's content", done.err)


class FetchTests(FolderCase):
    def fetched(self) -> dict[str, bytes]:
        """What is in the folder, but for the list and the names."""
        beside = {RESULT, NAMES}
        paths = (path for path in self.got.rglob("*") if path.is_file() and path.name not in beside)
        return {str(path.relative_to(self.got)): path.read_bytes() for path in paths}

    async def test_all(self) -> None:
        """Anybody gets the files back, byte for byte, under names that say what they are, with a
        list beside them."""
        await self.publish()
        done = await self.fetch()
        detail = await self.family.get(self.content)
        wall, textures = detail.originating[0], detail.packages[0].id
        core = f"entities/{detail.entity.entity_id}/{detail.entity.revision_id}"
        self.assertEqual(
            self.fetched(),
            {
                core: self.files["tower.bin"],
                f"entities/{wall.entity_id}/{wall.revision_id}": self.files["parts/wall.bin"],
                f"packages/{textures}/win64": self.files["win.zip"],
                f"packages/{textures}/linux64": self.files["linux.zip"],
            },
        )
        self.assertIn("Fetched and verified 4 files, 3.0 MiB", done.out)
        listed = json.loads((self.got / RESULT).read_text())
        self.assertEqual((listed["content"], listed["version"]), (self.content, "1.0"))
        self.assertEqual(listed["files"][0]["file"], core)
        self.assertEqual({file["file"] for file in listed["files"]}, self.fetched().keys())

    async def test_names(self) -> None:
        """What the author calls the files is in a list by their places, and where they are
        downloaded."""
        await self.publish()
        await self.fetch()
        names = json.loads((self.got / NAMES).read_text())
        files = {name: (self.got / place).read_bytes() for place, name in names.items()}
        self.assertEqual(names.keys(), self.fetched().keys())
        self.assertEqual(files["tower.bin"], self.files["tower.bin"])
        self.assertEqual(files["wall.bin"], self.files["parts/wall.bin"])
        self.assertEqual(sorted(names.values()).count("textures.zip"), 2)
        await self.fetch("--platform", "win64")
        self.assertEqual(len(json.loads((self.got / NAMES).read_text())), 3)

    async def test_again(self) -> None:
        """What is there is verified and not got again; what is damaged is mended."""
        await self.publish()
        await self.fetch()
        whole = self.fetched()
        self.assertIn("4 files verified", (await self.fetch()).out)
        name = max(whole, key=lambda name: len(whole[name]))
        (self.got / name).write_bytes(b"x" * len(whole[name]))
        self.assertIn("Fetched and verified 1 file,", (await self.fetch()).out)
        self.assertEqual(self.fetched(), whole)

    async def test_platform(self) -> None:
        """Only the packages of the platform come."""
        await self.publish()
        await self.fetch("--platform", "win64")
        names = sorted(Path(name).name for name in self.fetched())
        self.assertEqual([name for name in names if len(name) < 36], ["win64"])

    async def test_revision(self) -> None:
        """An older revision is still to be had."""
        await self.publish()
        old = (await self.family.get(self.content)).revision_id
        self.write("tower.bin", b"straight")
        await self.publish()
        await self.fetch("--revision", old)
        self.assertIn(self.files["tower.bin"], self.fetched().values())
        self.assertNotIn(b"straight", self.fetched().values())

    async def test_several_names(self) -> None:
        """A file with several names lies there once, and counts once for what may come."""
        same = self.files["win.zip"]
        self.write("linux.zip", same)
        await self.publish()
        counted = {*self.files.values()} - {self.files["linux.zip"], self.files["shots/tower.png"]}
        most = sum(map(len, counted))
        done = await self.fetch("--most-bytes", str(most - 1), expect=1)
        self.assertIn("contentsvc: Tilting Tower needs 2.9 MiB, and --most-bytes is", done.err)
        self.assertEqual((self.fetched(), done.err.count("\n")), ({}, 1))
        await self.fetch("--most-bytes", str(most))
        names = [name for name, data in self.fetched().items() if data == same]
        self.assertEqual(len(names), 2)
        self.assertEqual(len({(self.got / name).stat().st_ino for name in names}), 1)

    async def test_no_room(self) -> None:
        """Where a file does not fit, that is one line, and no file is there in part; with room the
        same command goes on."""
        await self.publish()
        words = ("fetch", self.content, str(self.got), "--url", self.service.url)
        limited = ("-c", 'ulimit -f 1000; exec "$0" "$@"', script("contentsvc"), *words)
        out, err, status = await getProcessOutputAndValue("/bin/bash", limited, env=os.environ)
        self.assertEqual((status, out, err.count(b"\n")), (1, b"", 1), err)
        self.assertIn(b"File too large", err)
        whole = set(self.files.values())
        there = {data for name, data in self.fetched().items() if not name.startswith(".parts")}
        self.assertLessEqual(there, whole)
        await self.fetch()
        self.assertIn(self.files["tower.bin"], self.fetched().values())

    async def test_nothing(self) -> None:
        """Content that is not there is one line, and status 1."""
        self.folder.joinpath(IDS).write_text(f'{{"content": "{BOB}"}}')
        done = await self.fetch(expect=1)
        self.assertIn("content_not_found", done.err)
        self.assertEqual(done.err.count("\n"), 1)

    async def test_withdrawn(self) -> None:
        """To its author, withdrawn content has parts that are not given out: status 1."""
        await self.publish()
        await self.client.withdrawal.delete(self.content)
        words = ("fetch", self.content, str(self.got), "--url", self.service.url, "--token-stdin")
        done = await self.command(*words, given=self.client.tokens.access_token)
        self.assertEqual((done.status, self.fetched()), (1, {}))
        self.assertEqual(done.err.count("is not given out"), 4)

    async def test_arguments(self) -> None:
        """An id that is none, no platform, no number of bytes and a password for nobody are
        one line."""
        for words in (
            *(("x",), (BOB, "--platform", "Amiga"), (BOB, "--password-stdin")),
            *((BOB, "--most-bytes", "10 GB"), (BOB, "--most-bytes", "-1")),
        ):
            url = ("--url", "http://127.0.0.1:1")
            done = await self.command("fetch", words[0], str(self.got), *url, *words[1:])
            self.assertEqual((done.status, done.err.count("\n")), (1, 1), done)


class Interrupted(ProcessProtocol):
    """A command that is interrupted."""

    def __init__(self, *command: str) -> None:
        self.err = b""
        self.ended: Deferred[int] = Deferred()
        reactor.spawnProcess(self, command[0], command, env=os.environ)

    def connectionMade(self) -> None:
        self.transport.write(b"password\n")

    def errReceived(self, data: bytes) -> None:
        self.err += data

    def processEnded(self, reason) -> None:
        self.ended.callback(reason.value.exitCode)


class InterruptTests(FolderCase):
    async def test_interrupted(self) -> None:
        """An interrupt is one line, and status 130."""
        deaf = store.Store()
        deaf.acts.append(store.deaf)
        deaf.start()
        self.addCleanup(deaf.stop)
        process = Interrupted(
            *(script("contentsvc"), "publish", str(self.folder), "--url", deaf.url),
            *("--user", "ada", "--password-stdin"),
        )
        await store.until(lambda: bool(deaf.asked) or process.ended.called)
        process.transport.signalProcess(signal.SIGINT.name.removeprefix("SIG"))
        status = await process.ended.addTimeout(WAIT, reactor)
        self.assertEqual(status, 130, process.err)
        self.assertIn(b"interrupted", process.err)
        self.assertEqual(process.err.count(b"\n"), 1)
