"""`contentsvc sync` against the real service."""

import hashlib
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from twisted.internet.utils import getProcessOutputAndValue

from contentsvc.client import LocalFile
from contentsvc.command.synced_folder import NAMES, STATE
from contentsvc.wire.content import (
    ContentCreate,
    EntityDefinition,
    RevisionCreate,
    VisibilityChange,
)
from contentsvc.wire.library import SubscriptionBody
from contentsvc.wire.packages import PackageDefinition
from tests.client.test_service import PASSWORD, Case, guid
from tests.command.here import Done, run_here
from tests.support import pictures
from tests.support.daemon import script


class SyncCase(Case):
    """A user, who keeps what an author publishes, and a folder."""

    timeout = 240

    async def setUp(self) -> None:
        await super().setUp()
        home = TemporaryDirectory(prefix="contentsvc-")
        self.addCleanup(home.cleanup)
        self.home = Path(home.name)
        self.root = self.home / "library"
        name, self.user = self.name, self.client
        self.author = await self.signed_in()
        self.name, self.client = name, self.user
        self.expected: dict[str, dict[str, bytes]] = {}
        """The bytes of each content that the user keeps, by names in its folder."""

    async def upload(self, *data: bytes) -> list[str]:
        """The paths of these entities."""
        files = []
        for each in data:
            file = self.home / f"upload-{hashlib.sha256(each).hexdigest()}"
            file.write_bytes(each)
            files.append(LocalFile("entity", file))
        return [each.path for each in await self.author.transfers.upload(files)]

    async def publish(
        self, *data: bytes, content: str | None = None, name: str = "Tower", **more: Any
    ) -> str:
        """Publish content of these files, or a revision; the user's folder is to have it."""
        core, *others = await self.upload(*data)
        new = content or guid()
        revision, parts = guid(), [(guid(), guid(), path) for path in others]
        entity = EntityDefinition(entity_id=new, revision_id=revision, path=core)
        originating = [
            EntityDefinition(entity_id=entity, revision_id=of, path=path)
            for entity, of, path in parts
        ]
        about = {
            "revision_id": revision,
            "revision_description": "",
            "version": "1",
            "entity": entity,
            "originating": originating,
            "using": [],
        } | more
        if content is None:
            picture = self.home / "shot.png"
            picture.write_bytes(pictures.png())
            (shot,) = await self.author.transfers.upload([LocalFile("screenshot", picture)])
            await self.author.content.put(
                new,
                ContentCreate(
                    name=name, description="", type="game", screenshot_uris=[shot.path], **about
                ),
            )
        else:
            await self.author.revisions.publish(content, RevisionCreate(**about))
        names = [f"entities/{new}/{revision}", *(f"entities/{e}/{r}" for e, r, _ in parts)]
        self.expected[new] = dict(zip(names, data, strict=True))
        return new

    async def keep(self, *data: bytes, **more: Any) -> str:
        """Publish content, and have the user keep it."""
        content = await self.publish(*data, **more)
        await self.user.subscriptions.put(content, SubscriptionBody())
        return content

    async def sync(self, *words: str, expect: int = 0, root: Path | None = None) -> Done:
        done = await run_here(self, *self.words(*words, root=root), given=f"{PASSWORD}\n")
        self.assertEqual(done.status, expect, done)
        return done

    def words(self, *words: str, root: Path | None = None) -> list[str]:
        who = ("--user", self.name, "--password-stdin")
        return ["sync", str(root or self.root), "--url", self.service.url, *who, *words]

    def there(self) -> dict[str, dict[str, bytes]]:
        """The bytes of what the folder has of each content, without what says so."""
        found: dict[str, dict[str, bytes]] = {}
        for path in sorted(self.root.rglob("*")):
            first, *rest = path.relative_to(self.root).parts
            if first != STATE and path.is_file() and rest != ["content.json"]:
                found.setdefault(first, {})["/".join(rest)] = path.read_bytes()
        return found

    def assert_library(self) -> None:
        """The folder has exactly the library."""
        self.assertEqual(self.there(), self.expected)

    def place(self, content: str) -> Path:
        """The core entity of a content."""
        return self.root / content / next(iter(self.expected[content]))


class SyncTests(SyncCase):
    async def test_changes(self) -> None:
        """The folder has what the user keeps, and after each change that alone is done."""
        shared = os.urandom(2000)
        tower = await self.keep(os.urandom(5000), shared)
        castle = await self.keep(os.urandom(5000), name="Castle")
        done = await self.sync()
        self.assert_library()
        self.assertIn(f"Fetched Tower 1 ({tower}): 2 files", done.out)
        self.assertIn(f"{self.root.resolve()} has the library: 2 contents.", done.out)

        done = await self.sync()
        self.assertNotIn("Fetched", done.out)
        await self.publish(os.urandom(4000), content=tower)
        await self.user.subscriptions.delete(castle)
        del self.expected[castle]
        done = await self.sync()
        self.assert_library()
        self.assertFalse((self.root / castle).exists())
        self.assertIn(f"Removed {castle}.", done.out)
        self.assertIn(f"({tower}): 1 file, 3.9 KiB", done.out)
        self.assertEqual(done.err, "")

    async def test_names(self) -> None:
        """The names of the files of all contents are in one list, by their places; it is mended,
        and what goes leaves it."""
        data, kept = os.urandom(2000), {}
        (path,) = await self.upload(data)
        for name in ("tower.zip", "tür.zip"):
            new, revision = guid(), guid()
            core = EntityDefinition(entity_id=new, revision_id=revision, path=path, name=name)
            content = await self.keep(data, entity=core)
            self.expected.pop(content)
            kept[content] = {f"{content}/entities/{new}/{revision}": name}
        first, second = kept
        await self.sync()
        names = self.root / NAMES
        self.assertEqual(json.loads(names.read_text()), kept[first] | kept[second])
        for place in kept[first] | kept[second]:
            self.assertEqual((self.root / place).read_bytes(), data)
        names.unlink()
        await self.sync()
        self.assertEqual(json.loads(names.read_text()), kept[first] | kept[second])
        await self.user.subscriptions.delete(first)
        await self.sync()
        self.assertEqual(json.loads(names.read_text()), kept[second])

    async def test_same_bytes(self) -> None:
        """What another content has already is not downloaded again."""
        data = os.urandom(3000)
        await self.keep(data)
        await self.sync()
        await self.keep(data, name="Copy")
        done = await self.sync()
        self.assertIn(": 0 files, 0 B.", done.out)
        self.assert_library()

    def on_disk(self) -> int:
        """The bytes that the folder takes on the disk, but for what sync itself needs."""
        there = [path for path in self.root.rglob("*") if path.is_file()]
        ours = [path.stat() for path in there if STATE not in path.parts]
        return sum({(each.st_dev, each.st_ino): each.st_size for each in ours}.values())

    async def test_many_names(self) -> None:
        """A file that a content names a hundred times lies there once, also when it is worked on,
        and once more for another content that has it."""
        data = os.urandom(100_000)
        content = await self.keep(*[data] * 100)
        await self.sync("--most-bytes", "100000")
        self.assert_library()
        self.assertLess(self.on_disk(), 2 * len(data))
        await self.keep(data, data, name="Copy")
        await self.sync()
        self.assert_library()
        self.assertLess(self.on_disk(), 3 * len(data))
        self.assertNotIn("Fetched", (await self.sync()).out)
        await self.publish(*[data] * 5, content=content)
        await self.sync()
        self.assert_library()
        self.assertLess(self.on_disk(), 3 * len(data))

    async def test_most_bytes(self) -> None:
        """A content that needs more than it may is left out, with its size; the others come."""
        large = await self.keep(os.urandom(200_000), name="Castle")
        small = await self.keep(os.urandom(2000))
        castle = self.expected.pop(large)
        done = await self.sync("--most-bytes", "100KiB", expect=1)
        self.assertIn(f"{large}: Castle needs 195.3 KiB, and --most-bytes is 100.0 KiB", done.err)
        self.assert_library()
        self.assertTrue(self.place(small).exists())
        self.expected[large] = castle
        await self.sync("--most-bytes", "200000")
        self.assert_library()

    async def test_hidden(self) -> None:
        """What is unavailable stays, and is not fetched again when it is back."""
        content = await self.keep(os.urandom(300))
        await self.sync()
        await self.author.visibility.set(content, VisibilityChange(visibility="private"))
        await self.sync()
        self.assert_library()
        await self.author.visibility.set(content, VisibilityChange(visibility="public"))
        self.assertNotIn("Fetched", (await self.sync()).out)

    async def test_fitting(self) -> None:
        """With `--game` it has the revisions that fit."""
        content = await self.keep(b"old")
        before = self.expected[content]
        await self.publish(b"new", content=content, requires={"game": {"min": "2.0"}})
        after, self.expected[content] = self.expected[content], before
        await self.sync("--game", "1.4.2")
        self.assert_library()
        self.expected[content] = after
        await self.sync("--game", "2.0")
        self.assert_library()

    async def test_platform(self) -> None:
        """With `--platform` packages have that platform's files alone, also when it is another than
        before."""
        paths = dict(zip(("win64", "linux64"), await self.upload(b"win", b"linux"), strict=True))
        package = guid()
        content = await self.keep(
            b"tower", packages_originating=[PackageDefinition(id=package, **paths)]
        )
        for platform, other, data in (("win64", "linux64", b"win"), ("linux64", "win64", b"linux")):
            self.expected[content][f"packages/{package}/{platform}"] = data
            self.expected[content].pop(f"packages/{package}/{other}", None)
            await self.sync("--platform", platform)
            self.assert_library()

    async def test_token(self) -> None:
        """A token says whose library it is."""
        await self.keep(b"tower")
        _, err, status = await getProcessOutputAndValue(
            script("contentsvc"),
            ["sync", str(self.root), "--url", self.service.url, "--token-stdin"],
            env=os.environ,
            stdinBytes=self.user.tokens.access_token.encode(),
        )
        self.assertEqual(status, 0, err)
        self.assert_library()

    async def test_other_user(self) -> None:
        """Another user's folder is refused, and nothing of it is deleted."""
        await self.keep(b"tower")
        await self.sync()
        self.name = (await self.author.users.get_info(self.author.user)).username
        done = await self.sync(expect=1)
        self.assertIn("the library of another user", done.err)
        self.assert_library()

    async def test_password(self) -> None:
        """A wrong password is one line, and no folder is changed."""
        self.name = "nobody-at-all"
        done = await self.sync(expect=1)
        self.assertEqual(done.err.count("\n"), 1, done.err)


class HandTests(SyncCase):
    """What was done in the folder by hand."""

    def local(self) -> list[bytes]:
        return [path.read_bytes() for path in self.root.rglob("*.local-*") if path.is_file()]

    async def test_changed(self) -> None:
        """A changed file is kept beside the right one, and said, without any change of the
        library."""
        content = await self.keep(os.urandom(100))
        await self.sync()
        self.place(content).write_bytes(b"mine")
        done = await self.sync()
        self.assertIn("was changed by hand: it is kept as", done.err)
        self.assertEqual(self.local(), [b"mine"])
        self.assertEqual(self.place(content).read_bytes(), *self.expected[content].values())
        self.assertEqual((await self.sync()).err, "")

    async def test_same_size(self) -> None:
        """Also one of the same size, and with the time that it had."""
        content = await self.keep(b"12345")
        await self.sync()
        place = self.place(content)
        before = place.stat()
        place.write_bytes(b"54321")
        os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
        await self.sync()
        self.assertEqual((self.local(), place.read_bytes()), ([b"54321"], b"12345"))

    async def test_replaced(self) -> None:
        """A changed file is not deleted with its revision, nor with its content."""
        content = await self.keep(b"one")
        await self.sync()
        self.place(content).write_bytes(b"mine")
        await self.publish(b"two", content=content)
        await self.sync()
        self.assertEqual(self.local(), [b"mine"])
        self.place(content).write_bytes(b"mine too")
        (self.root / content / "notes.txt").write_text("mine")
        await self.user.subscriptions.delete(content)
        done = await self.sync()
        self.assertCountEqual(self.local(), [b"mine", b"mine too"])
        self.assertTrue((self.root / content / "notes.txt").exists())
        self.assertIn("stays: what is in it is not of the library", done.err)

    async def test_in_the_way(self) -> None:
        """What lies where a file is to come is kept, also a folder, and one in place of ours."""
        content = await self.keep(b"tower")
        place = self.place(content)
        place.mkdir(parents=True)
        (place / "notes").write_text("mine")
        await self.sync()
        self.assertEqual(place.read_bytes(), b"tower")
        self.assertEqual([p.read_text() for p in self.root.rglob("notes")], ["mine"])
        other = await self.keep(b"castle")
        (self.root / other).write_text("a file")
        await self.sync()
        self.assertEqual(self.place(other).read_bytes(), b"castle")
        self.assertEqual(self.local(), [b"a file"])

    async def test_deleted(self) -> None:
        """A deleted file, or folder, comes again."""
        content = await self.keep(b"tower", b"wall")
        await self.sync()
        self.place(content).unlink()
        await self.sync()
        self.assert_library()
        (self.root / content).rename(self.home / "elsewhere")
        await self.sync()
        self.assert_library()

    async def test_touched(self) -> None:
        """One that was only touched is not fetched again."""
        content = await self.keep(b"tower")
        await self.sync()
        os.utime(self.place(content))
        self.assertNotIn("Fetched", (await self.sync()).out)

    async def test_state_lost(self) -> None:
        """Without what sync has noted, it finds what is there, and downloads none of it."""
        content = await self.keep(os.urandom(3000))
        await self.sync()
        for path in (self.root / STATE).rglob("*.json"):
            path.unlink()
        done = await self.sync()
        self.assertIn(f"({content}): 0 files, 0 B.", done.out)
        self.assertEqual(done.err, "")
        self.assert_library()


class LinkTests(SyncCase):
    """Links that lead out of the folder."""

    async def asserts_refused(self, link: Path) -> None:
        """With this link to a folder elsewhere, nothing is written there, and nothing deleted."""
        content = await self.keep(b"tower")
        await self.keep(b"castle")
        outside = self.home / "outside"
        outside.mkdir()
        (outside / "mine").write_text("mine")
        there = self.root / str(link).replace("CONTENT", content)
        there.parent.mkdir(parents=True, exist_ok=True)
        there.symlink_to(outside)
        done = await self.sync(expect=1)
        self.assertIn("link", done.err)
        self.assertEqual([path.name for path in outside.iterdir()], ["mine"])

    async def test_content(self) -> None:
        """In place of a content's folder; another content is fetched all the same."""
        await self.asserts_refused(Path("CONTENT"))
        self.assertIn([b"castle"], [list(found.values()) for found in self.there().values()])

    async def test_entities(self) -> None:
        """In place of a folder in it."""
        await self.asserts_refused(Path("CONTENT/entities"))

    async def test_state(self) -> None:
        """In place of the folder for what sync needs."""
        await self.asserts_refused(Path(STATE))

    async def test_incoming(self) -> None:
        """In place of the folder for what comes."""
        await self.asserts_refused(Path(STATE, "incoming"))

    async def test_removed(self) -> None:
        """What was moved elsewhere, with a link in its place, is not deleted there."""
        content = await self.keep(b"tower")
        await self.sync()
        (self.root / content).rename(self.home / "moved")
        (self.root / content).symlink_to(self.home / "moved")
        await self.user.subscriptions.delete(content)
        done = await self.sync()
        self.assertIn("lies behind a link, and stays", done.err)
        self.assertTrue(any((self.home / "moved").rglob("*")))

    async def test_file(self) -> None:
        """A link in place of a file is kept aside, and what it leads to stays as it was."""
        content = await self.keep(b"tower")
        await self.sync()
        other = self.home / "other"
        other.write_text("mine")
        self.place(content).unlink()
        self.place(content).symlink_to(other)
        done = await self.sync()
        self.assertIn("was changed by hand", done.err)
        self.assertEqual(other.read_text(), "mine")
        self.assertEqual(self.place(content).read_bytes(), b"tower")
        self.assertFalse(self.place(content).is_symlink())
