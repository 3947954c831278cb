"""content.toml, and the ids beside it."""

from codecs import BOM_UTF8
from pathlib import Path
from tempfile import TemporaryDirectory

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.command import manifest
from contentsvc.command.manifest import IDS, MANIFEST, Ids
from contentsvc.command.terminal import CommandError
from contentsvc.wire.content import RevisionCreate
from tests.client.fakes import ANN, BOB

SHORT = """
name = "Tower"
type = "game"
entity = "tower.bin"
screenshots = ["tower.png"]
"""
LONG = f"""{SHORT}
description = "Stack it high."
tags = ["physics"]
version = "1.1"
changes = "It tilts less."
originating = ["wall.bin"]
using = [{{entity = "{ANN.upper()}", revision = "{BOB}"}}]
packages_using = ["{BOB}"]
packages.textures = {{win64 = "win.zip", linux64 = "linux.zip"}}
"""
FILES = ["tower.bin", "wall.bin", "win.zip", "linux.zip"]


class Case(SynchronousTestCase):
    def setUp(self) -> None:
        folder = TemporaryDirectory(prefix="contentsvc-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "tower"
        self.folder.mkdir()

    def written(self, text: str) -> manifest.Manifest:
        (self.folder / MANIFEST).write_text(text)
        return manifest.read(self.folder)

    def refused(self, text: str) -> str:
        return str(self.assertRaises(CommandError, self.written, text))


class ManifestTests(Case):
    def test_short(self) -> None:
        """Four lines are enough."""
        found = self.written(SHORT)
        self.assertEqual(
            list(found.parts()), [("entity", "tower.bin"), ("screenshot", "tower.png")]
        )

    def test_long(self) -> None:
        """All files are named with their uses."""
        found = self.written(LONG)
        binary = [name for use, name in found.parts() if use != "screenshot"]
        self.assertEqual(binary, FILES)
        self.assertEqual([used.entity for used in found.using], [ANN.upper()])

    def test_missing(self) -> None:
        """A folder without a manifest is refused in words."""
        self.assertIn(
            "content.toml is not there",
            str(self.assertRaises(CommandError, manifest.read, self.folder)),
        )

    def test_wrong(self) -> None:
        """What is wrong is named, with its place."""
        self.assertIn("unknown field nam", self.refused(SHORT + 'nam = "x"'))
        self.assertIn("missing required field name", self.refused("type = 'game'"))
        self.assertIn("one of game, ass", self.refused(SHORT.replace('"game"', '""')))
        self.assertIn("not blank - at name", self.refused(SHORT.replace("Tower", " ")))
        using = f'using = [{{entity = "x", revision = "{BOB}"}}]'
        self.assertIn("a GUID with dashes - at using[0].entity", self.refused(SHORT + using))
        self.assertIn("no platform", self.refused(SHORT + 'packages.a = {Win32 = "a"}'))
        self.assertIn("content.toml", self.refused("name = "))
        self.assertIn("has no file", self.refused(SHORT + "packages.a = {}"))
        self.assertIn("named twice", self.refused(SHORT + 'originating = ["tower.bin"]'))

    def test_located(self) -> None:
        """A file that is not in the folder, by its name or by a link, is not read."""
        outside = self.folder.parent / "secret"
        outside.write_text("s")
        (self.folder / "link").symlink_to(outside)
        (self.folder / "sub").mkdir()
        for name in ("../secret", str(outside), "link", "sub", "nowhere"):
            self.assertRaises(CommandError, manifest.located, self.folder, name)
        (self.folder / "sub/a").write_text("a")
        self.assertEqual(manifest.located(self.folder, "sub/a"), self.folder / "sub/a")

    def test_no_name(self) -> None:
        """A name with a NUL, and a link that leads to itself, are none of a file."""
        (self.folder / "loop").symlink_to("loop")
        for name in ("a\0b", "loop"):
            self.assertRaises(CommandError, manifest.located, self.folder, name)


class PlanTests(Case):
    def planned(self, ids: Ids, text: str = LONG, **digests: str) -> tuple[Ids, RevisionCreate]:
        """With digests that are the names of the files, unless they are given."""
        given = {name: digests.get(name.partition(".")[0], name) for name in FILES}
        paths = {name: f"p/{digest}" for name, digest in given.items()}
        return manifest.planned(self.written(text), ids, paths, given)

    def test_first(self) -> None:
        """The first time all gets ids."""
        ids, revision = self.planned(Ids(ANN))
        self.assertEqual(revision.revision_id, ids.revision)
        self.assertEqual(revision.entity.path, "p/tower.bin")
        (wall,) = revision.originating
        (textures,) = revision.packages_originating
        self.assertEqual((wall.path, textures.win64), ("p/wall.bin", "p/win.zip"))
        self.assertEqual(revision.using[0].entity_id, ANN)
        self.assertEqual(
            (revision.version, revision.revision_description), ("1.1", "It tilts less.")
        )

    def test_names(self) -> None:
        """Each file is called as in the folder; those of a package that differ as the package, with
        the ending that all have; and what a name may not have is `_`."""
        _, revision = self.planned(Ids(ANN))
        (wall,) = revision.originating
        (textures,) = revision.packages_originating
        self.assertEqual(
            [revision.entity.name, wall.name, textures.name],
            ["tower.bin", "wall.bin", "textures.zip"],
        )
        for package, files, name in (
            ("a", {"win64": "x/same.pak", "linux64": "y/same.pak"}, "same.pak"),
            ("a", {"win64": "one.zip"}, "one.zip"),
            ("a", {"win64": "one.zip", "linux64": "two.tar"}, "a"),
            ("a/b", {"win64": "one.zip", "linux64": "two.zip"}, "a_b.zip"),
            ("a", {"win64": "b\\c\u202e.zip"}, "b_c_.zip"),
        ):
            found = manifest.name_of(package, manifest.PackageFiles(**files))
            self.assertEqual(found, name)

    def test_same(self) -> None:
        """The same files again are the same revision, also under other change notes."""
        first, _ = self.planned(Ids(ANN))
        self.assertEqual(self.planned(first)[0], first)
        again, revision = self.planned(first, LONG.replace("less", "more"))
        self.assertEqual((again, revision.revision_id), (first, first.revision))

    def test_changed(self) -> None:
        """A file that has changed gets a new revision, and all else stays what it was."""
        first, before = self.planned(Ids(ANN))
        second, after = self.planned(first, tower="x")
        self.assertEqual(second.content, first.content)
        self.assertEqual(after.entity.entity_id, before.entity.entity_id)
        self.assertNotEqual(after.entity.revision_id, before.entity.revision_id)
        self.assertNotEqual(after.revision_id, before.revision_id)
        self.assertEqual(after.originating, before.originating)
        self.assertEqual(after.packages_originating, before.packages_originating)

    def test_changed_package(self) -> None:
        """A package that has changed gets a new id, since it has no revisions."""
        first, before = self.planned(Ids(ANN))
        _, after = self.planned(first, win="x")
        self.assertNotEqual(after.packages_originating[0].id, before.packages_originating[0].id)

    def test_version(self) -> None:
        """Another version is another revision of the same files."""
        first, before = self.planned(Ids(ANN))
        _, after = self.planned(first, LONG.replace("1.1", "1.2"))
        self.assertEqual(after.entity, before.entity)
        self.assertNotEqual(after.revision_id, before.revision_id)

    def test_kept(self) -> None:
        """The ids are kept in the folder."""
        ids, _ = self.planned(manifest.load_ids(self.folder))
        manifest.save(self.folder / IDS, ids)
        self.assertEqual(manifest.load_ids(self.folder), ids)

    def test_link(self) -> None:
        """A link in the way of the ids is not followed: the folder may be somebody else's."""
        other = self.folder / "other"
        other.write_text("mine")
        (self.folder / f"{IDS}.new").symlink_to(other)
        manifest.save(self.folder / IDS, Ids(ANN))
        self.assertEqual(other.read_text(), "mine")
        self.assertFalse((self.folder / IDS).is_symlink())

    def test_damaged(self) -> None:
        """Damaged ids are refused, and it is said what to do: new ones would be new content."""
        for text in (b"{", b'{"content": 1}', b'{"content": "x"}', b'{"content": "\xff"}'):
            (self.folder / IDS).write_bytes(text)
            error = self.assertRaises(CommandError, manifest.load_ids, self.folder)
            self.assertIn("Put back a copy", str(error))
            self.assertIn('{"content": "ID"}', str(error))
            self.assertNotRegex(str(error), "delete|remove|new content")

    def test_no_content(self) -> None:
        """Ids that do not say of which content they are, are damaged too, and make no new one."""
        for text in (b"", b"{}", b"null", b'{"revision": "x"}'):
            (self.folder / IDS).write_bytes(text)
            error = self.assertRaises(CommandError, manifest.load_ids, self.folder)
            self.assertIn("is damaged", str(error))

    def test_byte_order_mark(self) -> None:
        """Both files may begin with a byte order mark."""
        for name, text in ((MANIFEST, SHORT), (IDS, f'{{"content": "{ANN}"}}')):
            (self.folder / name).write_bytes(BOM_UTF8 + text.encode())
        self.assertEqual(manifest.read(self.folder).name, "Tower")
        self.assertEqual(manifest.load_ids(self.folder).content, ANN)
