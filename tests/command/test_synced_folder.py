"""A folder that is kept equal to a library, with a death at each step."""

import json
import os
import shutil
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from twisted.python.monkey import MonkeyPatcher
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client.files import local
from contentsvc.command import synced_folder, synced_names
from contentsvc.command.synced_folder import NAMES, STATE, SyncedFolder
from contentsvc.command.terminal import CommandError
from contentsvc.framework.storage.paths import path_of
from contentsvc.wire.files import ContentFile

STEPS = ("rename", "replace", "unlink", "rmdir", "mkdir")
CONTENT, OTHER = (f"00000000-0000-4000-8000-00000000000{n}" for n in "12")


class Died(BaseException):
    """The process is no more."""


def sha256(data: bytes) -> str:
    return synced_folder.sha256(data).hexdigest()


class FolderCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.root = Path(self.enterContext(TemporaryDirectory())) / "library"

    @contextmanager
    def folder(self) -> Iterator[SyncedFolder]:
        """As a process has it."""
        folder = SyncedFolder(self.root)
        with folder.locked():
            yield folder
        self.notes = folder.notes

    def put(self, revision: str, **files: bytes) -> None:
        """A process that has this revision, of files that have come."""
        with self.folder() as folder:
            for data in files.values():
                path = folder.incoming / path_of(sha256(data))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            wanted = {name.replace("_", "/"): sha256(data) for name, data in files.items()}
            folder.put(CONTENT, revision, wanted, revision.encode())
            folder.tidy()

    def remove(self) -> None:
        with self.folder() as folder:
            folder.remove(CONTENT)

    def there(self) -> dict[str, bytes]:
        """What lies in the folder, but for what sync itself needs."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in self.root.rglob("*")
            if path.is_file() and path.relative_to(self.root).parts[0] != STATE
        }

    def assert_there(self, revision: str, **files: bytes) -> None:
        expected = {f"{CONTENT}/{name.replace('_', '/')}": data for name, data in files.items()}
        self.assertEqual(self.there(), {**expected, f"{CONTENT}/content.json": revision.encode()})
        self.assertEqual(self.notes, [])


class CalledTests(FolderCase):
    """What files are called."""

    def named(self, content: str, **names: str) -> None:
        """A process that has a content of files with these names."""
        with self.folder() as folder:
            folder.broken({})
            folder.write_names()
            wanted = {}
            for at in names:
                path = folder.incoming / path_of(sha256(at.encode()))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(at.encode())
                wanted[at] = sha256(at.encode())
            folder.put(content, "1", wanted, b"1", names)

    def names(self) -> Any:
        """What is written."""
        return json.loads((self.root / NAMES).read_bytes())

    def test_several(self) -> None:
        """The names of all contents are there, by the places of the files, until they go."""
        self.named(CONTENT, a="tower.bin", b="tür.zip")
        self.named(OTHER, a="other.bin")
        there = {f"{CONTENT}/a": "tower.bin", f"{CONTENT}/b": "tür.zip", f"{OTHER}/a": "other.bin"}
        self.assertEqual(self.names(), there)
        self.named(CONTENT, a="new.bin")
        self.assertEqual(self.names(), {f"{CONTENT}/a": "new.bin", f"{OTHER}/a": "other.bin"})
        with self.folder() as folder:
            folder.broken({})
            folder.remove(CONTENT)
            folder.remove(OTHER)
        self.assertEqual(self.names(), {})

    def test_lost(self) -> None:
        """A process that was killed, or a hand, may have left another file: the next one mends
        it, and follows no link."""
        self.named(CONTENT, a="tower.bin")
        outside = self.root.parent / "outside"
        outside.write_text("theirs")
        for spoil in (
            lambda path: path.unlink(),
            lambda path: path.write_bytes(b"{"),
            lambda path: (path.unlink(), path.symlink_to(outside)),
        ):
            spoil(self.root / NAMES)
            with self.folder() as folder:
                folder.broken({})
                folder.write_names()
            self.assertEqual(self.names(), {f"{CONTENT}/a": "tower.bin"})
        self.assertEqual(outside.read_text(), "theirs")

    def test_without(self) -> None:
        """Where no file has a name, there is no such file."""
        self.named(CONTENT)
        self.assertFalse((self.root / NAMES).exists())


class DeathTests(FolderCase):
    """A process dies before each of its steps in turn, and another one goes on."""

    def dies(self, at: int, act: Callable[[], None]) -> bool:
        """Whether it came so far."""
        steps = 0

        def step(original: Any) -> Any:
            def stepped(*arguments: Any, **named: Any) -> Any:
                nonlocal steps
                steps += 1
                if steps > at:
                    raise Died()
                return original(*arguments, **named)

            return stepped

        patches = MonkeyPatcher(*((Path, name, step(getattr(Path, name))) for name in STEPS))
        try:
            patches.runWithPatches(act)
        except Died:
            return True
        return False

    def each_death(self, first: Any, second: Any, then: Callable[[], None]) -> None:
        """After `first`, `second` dies at each step, and `then` looks at what the next does."""
        deaths = 0
        while True:
            first()
            if not self.dies(deaths, second):
                break
            then()
            self.remove()
            self.assertEqual(self.there(), {})
            deaths += 1
        self.assertGreater(deaths, 5)

    def one(self) -> None:
        self.put("r1", core=b"one", parts_wall=b"wall", parts_roof=b"roof")

    def two(self) -> None:
        self.put("r2", core=b"two", parts_wall=b"wall", extra_door=b"door", extra_copy=b"door")

    def test_go_on(self) -> None:
        """The next one has exactly the revision, and nothing was changed by hand."""

        def then() -> None:
            self.two()
            self.assert_there(
                "r2", core=b"two", parts_wall=b"wall", extra_door=b"door", extra_copy=b"door"
            )

        self.each_death(self.one, self.two, then)

    def test_go_back(self) -> None:
        """Or exactly the revision of before, if the library has that again."""

        def then() -> None:
            self.one()
            self.assert_there("r1", core=b"one", parts_wall=b"wall", parts_roof=b"roof")

        self.each_death(self.one, self.two, then)

    def test_remove(self) -> None:
        """Or nothing of it, if the library has it no more."""

        def then() -> None:
            self.remove()
            self.assertEqual((self.there(), self.notes), ({}, []))

        self.each_death(self.one, self.two, then)

    def test_removal(self) -> None:
        """A removal that died is gone on with, or undone."""

        def then() -> None:
            self.one()
            self.assert_there("r1", core=b"one", parts_wall=b"wall", parts_roof=b"roof")

        self.each_death(self.one, self.remove, then)


class NamesTests(FolderCase):
    """A file that has several names."""

    def inodes(self, *names: str) -> int:
        """How many files these are on the disk."""
        return len({(self.root / CONTENT / name).stat().st_ino for name in names})

    def test_once(self) -> None:
        """It lies there once, and so it does when a next revision has it under one more."""
        self.patch(local, "_cloned", lambda old, new: False)
        self.put("r1", a=b"one", b_c=b"one", d=b"two")
        self.assert_there("r1", **{"a": b"one", "b/c": b"one", "d": b"two"})
        self.assertEqual(self.inodes("a", "b/c"), 1)
        digest = sha256(b"one")
        with self.folder() as folder:
            folder.spare(CONTENT, folder.missing(CONTENT, {"a": digest, "e": digest}))
            folder.put(CONTENT, "r2", {"a": digest, "e": digest}, b"r2")
            folder.tidy()
        self.assert_there("r2", a=b"one", e=b"one")
        self.assertEqual(self.inodes("a", "e"), 1)

    def test_apart(self) -> None:
        """Who writes into a file of one content changes no other, also where the fetch of one came
        to no end."""
        self.patch(local, "_cloned", lambda old, new: False)
        digest = sha256(b"one")
        for unfinished in (False, True):
            self.put("r1", a=b"one")
            with self.folder() as folder:
                if unfinished:
                    folder.spare(CONTENT, {digest})
                folder.spare(OTHER, {digest})
                folder.put(OTHER, "r1", {"a": digest}, b"r1")
            with (self.root / OTHER / "a").open("r+b") as opened:
                opened.write(b"won")
            self.assertEqual((self.root / CONTENT / "a").read_bytes(), b"one")

    def test_read_once(self) -> None:
        """When it was touched, it is read once for all of its names."""
        self.patch(local, "_cloned", lambda old, new: False)
        self.put("r1", a=b"one", b=b"one", c=b"one")
        os.utime(self.root / CONTENT / "a")
        read: list[object] = []
        digest = local.digest

        def counted(*given: Any) -> tuple[str, int]:
            read.append(given)
            return digest(*given)

        self.patch(local, "digest", counted)
        with self.folder() as folder:
            self.assertEqual(folder.broken({CONTENT: "r1"}), [])
        self.assertEqual(len(read), 1)

    def test_changed(self) -> None:
        """One that somebody has changed is kept under each name, and all come anew."""
        self.put("r1", a=b"one", b=b"one")
        (self.root / CONTENT / "a").write_bytes(b"mine")
        self.put("r1", a=b"one", b=b"one")
        there = self.there()
        self.assertEqual((there[f"{CONTENT}/a"], there[f"{CONTENT}/b"]), (b"one", b"one"))
        self.assertIn(b"mine", there.values())
        self.assertIn("a was changed by hand: it is kept as a.local-", self.notes[0])

    def test_room(self) -> None:
        """Where there are no links, room is needed for each name, and else for one."""
        free = shutil.disk_usage(self.root.parent).free
        path = path_of(sha256(b"x"))
        file = ContentFile(
            path=path,
            use="entity",
            sha256=sha256(b"x"),
            size=free // 3,
            media_type="application/octet-stream",
            url=None,
            expires=None,
        )
        with self.folder() as folder:
            folder.has_room([file], [file.sha256] * 9)
            folder._shares = False
            folder.has_room([file], [file.sha256])
            self.assertRaises(OSError, folder.has_room, [file], [file.sha256] * 9)


class LockTests(FolderCase):
    def test_two(self) -> None:
        """Two at once: the second is refused, and says why."""
        with self.folder():
            refused = self.assertRaises(CommandError, SyncedFolder(self.root).locked().__enter__)
        self.assertIn("another contentsvc sync works on", str(refused))
        with self.folder():
            pass


class StateTests(FolderCase):
    """What sync has noted, changed by somebody else."""

    def note(self, name: str, text: str) -> None:
        with self.folder():
            (self.root / STATE / "contents" / name).write_text(text)

    def test_names(self) -> None:
        """Names in it that lead out of the folder are not followed."""
        outside = self.root.parent / "mine"
        outside.write_bytes(b"mine")
        for name in ("../../mine", str(outside), "a/../../../mine"):
            text = f'{{"revision":"r","files":{{"{name}":[["{sha256(b"mine")}"],null]}}}}'
            self.note(f"{CONTENT}.json", text)
            self.remove()
            self.assertIn("is damaged", self.notes[0])
            self.assertEqual(outside.read_bytes(), b"mine")

    def test_no_id(self) -> None:
        """What is named like no id is not a content's."""
        self.note("..json", "{}")
        self.note("etc.json", "{}")
        with self.folder() as folder:
            self.assertEqual(folder.contents(), [])

    def test_damaged(self) -> None:
        """What is no JSON is said, and what lies there is found by its digests."""
        self.put("r1", core=b"one")
        self.note(f"{CONTENT}.json", "{torn")
        self.put("r1", core=b"one")
        self.assertIn("is damaged", self.notes[0])
        self.assertEqual(self.there()[f"{CONTENT}/core"], b"one")

    def test_owner(self) -> None:
        """The folder stays that of its user."""
        with self.folder() as folder:
            folder.belongs_to(CONTENT)
            folder.belongs_to(CONTENT)
            self.assertRaises(CommandError, folder.belongs_to, OTHER)

    def test_owner_marked(self) -> None:
        """A byte order mark before what is kept changes nothing; what is damaged is refused with
        how to mend it, and nothing is given to whoever comes next."""
        with self.folder() as folder:
            folder.belongs_to(CONTENT)
            path = self.root / STATE / "user.json"
            path.write_bytes(BOM_UTF8 + path.read_bytes())
            folder.belongs_to(CONTENT)
            self.assertRaises(CommandError, folder.belongs_to, OTHER)
            path.write_bytes(b"{torn")
            error = self.assertRaises(CommandError, folder.belongs_to, OTHER)
            self.assertIn('{"user": "ID"}', str(error))
            self.assertNotIn("delete", str(error))


class NameTests(SynchronousTestCase):
    def test_good(self) -> None:
        """Those that the command makes."""
        synced_names.check([CONTENT, f"entities/{CONTENT}/{OTHER}", "packages/x/win64", "a.json"])

    def test_bad(self) -> None:
        """Names that lead elsewhere, or do on some system."""
        for name in (
            *("", "/etc/passwd", "..", "a/../b", "../a", "a//b", "./a", "a/", "C:", "C:/x", "a:b"),
            *("a\\b", "..\\x", "\\\\host\\share", "a\0b", "a\nb", "con", "NUL", "Com1.txt", "lpt9"),
            *(
                "aux .x",
                "a.",
                "a ",
                "a/nul/b",
                "a*",
                "a?",
                "a<b",
                'a"b',
                "a|b",
                "\ud800",
                "x" * 256,
            ),
        ):
            refused = self.assertRaises(CommandError, synced_names.check, [name])
            self.assertIn("refused", str(refused), name)

    def test_case(self) -> None:
        """Two that differ in upper and lower case alone, also in a folder."""
        for names in (["a", "A"], ["x/a", "X/b"], ["straße", "STRASSE"]):
            self.assertRaises(CommandError, synced_names.check, names)
