"""Files of TOML that settings name."""

import os
from pathlib import Path
from time import perf_counter

from msgspec import Struct
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.config.toml_files import (
    MOST_BYTES,
    FileError,
    Files,
    Label,
    LabelText,
    Line,
    labels,
    read_toml,
)


class _Group(Struct, forbid_unknown_fields=True):
    key: Line
    label: LabelText


class _Form(Struct, forbid_unknown_fields=True):
    name: Line = "none"
    groups: list[_Group] = []


class ReadTests(SynchronousTestCase):
    def setUp(self) -> None:
        folder = Path(self.mktemp())
        folder.mkdir()
        self.path = (folder / "file.toml").absolute()

    def read(self, text: str | bytes) -> _Form:
        """What a file with this content means."""
        self.path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_toml(Files(), self.path, _Form)

    def refused(self, text: str | bytes, reason: str) -> None:
        """Assert that this content is refused in one line, of which this is all behind the path."""
        with self.assertRaises(FileError) as raised:
            self.read(text)
        said = str(raised.exception)
        self.assertEqual(said.removeprefix(f"{self.path}: "), reason)
        self.assertEqual(len(said.splitlines()), 1)

    def test_read(self) -> None:
        """A file is read, with a byte order mark too."""
        found = self.read('\ufeffname = "Skyforge"\n[[groups]]\nkey = "a"\nlabel = {de = "Burg"}\n')
        self.assertEqual(found.name, "Skyforge")
        self.assertEqual(Label.of(found.groups[0].label), Label("Burg", "Burg"))

    def test_labels(self) -> None:
        """A label is a text for both languages, or one for each."""
        found = labels(self.path, "labels", {"a": "Tower", "b": {"en": "Tower", "de": "Turm"}})
        self.assertEqual(found, {"a": Label("Tower", "Tower"), "b": Label("Tower", "Turm")})

    def test_wrong_labels(self) -> None:
        """A label that is none is named, in a table whose keys are names too."""
        for value, reason in (
            (3, "x.a must be text or table, got int"),
            ({}, "x.a must have a text for `en` or `de`"),
            ({"fr": "Tour"}, "x.a.fr is no key of it"),
            ("y" * 65, "x.a must be a text of length <= 64"),
            ("", "x.a must be a text of length >= 1"),
        ):
            with self.assertRaises(FileError) as raised:
                labels(self.path, "x", {"a": value})
            self.assertEqual(str(raised.exception), f"{self.path}: {reason}")

    def test_unknown(self) -> None:
        """An unknown key is named, however deep it is."""
        self.refused("nam = 1", "nam is no key of it")
        self.refused('[[groups]]\nkey = "a"\nlabel = "b"\nx = 1', "groups[0].x is no key of it")

    def test_missing_key(self) -> None:
        """A key that must be there is named."""
        self.refused('[[groups]]\nkey = "a"', "groups[0].label is missing")

    def test_kind(self) -> None:
        """A value of the wrong kind is named."""
        self.refused("name = 3", "name must be text, got int")

    def test_one_line(self) -> None:
        """Texts are one line, without control and bidi characters, and show something."""
        reason = "name must be one line of text, without control and bidi characters"
        for text in (
            "\\n",
            "a\\nb",
            "a\\u0000",
            "a\\u202eb",
            "\\u2066a",
            "a\\u2028b",
            "\\u200f",
            " ",
        ):
            self.refused(f'name = "{text}"', reason)

    def test_length(self) -> None:
        """A text has at most 64 characters, and not 64 bytes."""
        self.assertEqual(self.read(f'name = "{"ß" * 64}"').name, "ß" * 64)
        self.refused(f'name = "{"ß" * 65}"', "name must be a text of length <= 64")

    def test_syntax(self) -> None:
        """What is no TOML is refused with its line."""
        self.refused("name = x", "Invalid value (at line 1, column 8)")

    def test_encoding(self) -> None:
        """What is not UTF-8 is refused."""
        self.refused(b'name = "\xff"', "is not UTF-8")

    def test_one_line_of_reason(self) -> None:
        """The reason stays one line of some length, whatever the keys are."""
        self.refused('"a\\nb\\u202e" = 1', "a b is no key of it")
        self.refused(f"{'x' * 100_000} = 1", f"{'x' * 199}… is no key of it")

    def test_size(self) -> None:
        """A file of 256 KiB is read, and one of a byte more is not."""
        self.assertEqual(self.read("#" * MOST_BYTES).name, "none")
        self.refused("#" * (MOST_BYTES + 1), "is larger than 256 KiB")

    def test_missing(self) -> None:
        """A missing file is refused."""
        with self.assertRaises(FileError) as raised:
            read_toml(Files(), self.path, _Form)
        self.assertEqual(str(raised.exception), f"{self.path}: No such file or directory")

    def test_no_file(self) -> None:
        """A folder, a pipe and a device are refused at once."""
        os.mkfifo(self.path)
        for path in (self.path, self.path.parent, Path("/dev/zero")):
            with self.assertRaises(FileError) as raised:
                read_toml(Files(), path, _Form)
            self.assertIn(str(raised.exception), (f"{path}: is not a regular file",))

    def test_bombs(self) -> None:
        """What would cost a parser minutes is refused within some seconds."""
        begun = perf_counter()
        long = "has a key of more than 16 parts"
        self.refused("a." * 100_000 + "a = 1", long)
        self.refused("[" + ".".join(['"a"'] * 60_000) + "]", long)
        self.refused("a = " + "[" * 130_000, "is nested too deeply")
        self.refused("a = " + "{a=" * 60_000, "is nested too deeply")
        for text in ("\n".join(["[[a]]"] * 40_000), "a = 0x" + "f" * 200_000):
            self.refused(text, "a is no key of it")
        for text in ("a" * MOST_BYTES, '"' * MOST_BYTES, "a " * 100_000, "a=1\n" + ". " * 100_000):
            self.assertRaises(FileError, self.read, text)
        self.assertLess(perf_counter() - begun, 20)


class FilesTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.path = Path(self.mktemp()).absolute()

    def test_once(self) -> None:
        """A file is read once, whatever is written to it then."""
        self.path.write_bytes(b"before")
        files = Files()
        self.assertEqual(files.read(self.path), b"before")
        self.path.write_bytes(b"after")
        self.assertEqual(files.read(self.path), b"before")

    def test_handed(self) -> None:
        """Another process gets what has been read, and reads the rest by itself."""
        self.path.write_bytes(b"before")
        files = Files()
        files.read(self.path)
        other = self.path.with_name("other")
        other.write_bytes(b"other")
        self.path.unlink()
        handed = Files(files.packed())
        self.assertEqual((handed.read(self.path), handed.read(other)), (b"before", b"other"))

    def test_nothing(self) -> None:
        """Where nothing has been read, nothing is handed over."""
        self.assertEqual(Files().packed(), b"")
