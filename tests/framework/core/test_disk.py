"""Flushing files and folders, and errors that name them."""

import errno
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from twisted.logger import LogEvent, globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core import disk
from contentsvc.framework.core.disk import naming, sync_file, sync_folder
from tests.support.disks import refuse_flush


class DiskCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(TemporaryDirectory()))
        self.file = self.folder / "file"
        self.file.write_bytes(b"x")
        self.lines: list[LogEvent] = []
        self.patch(disk, "_warned", set())
        globalLogPublisher.addObserver(self.lines.append)
        self.addCleanup(globalLogPublisher.removeObserver, self.lines.append)

    def warned(self) -> list[Any]:
        """The folders of the warnings."""
        levels = [event["log_level"].name for event in self.lines]
        self.assertEqual(levels, ["warn"] * len(levels))
        return [event["folder"] for event in self.lines]


class SyncTests(DiskCase):
    def test_good(self) -> None:
        """Where all is flushed nothing is said."""
        sync_file(self.file)
        sync_folder(self.folder)
        self.assertEqual(self.warned(), [])

    def test_refused(self) -> None:
        """A file system that flushes no folder is a warning with the folder's path, once."""
        for code in (errno.EINVAL, errno.ENOTSUP):
            patched = self.patch(os, "fsync", refuse_flush(code))
            sync_folder(self.folder)
            sync_folder(self.folder)
            sync_file(self.file)
            patched.restore()
        self.assertEqual(self.warned(), [str(self.folder)])

    def test_broken(self) -> None:
        """Any other error, and one of a file, is an error that names the path."""
        for code, path, act, files in (
            (errno.EIO, self.folder, sync_folder, False),
            (errno.ENOSPC, self.folder, sync_folder, False),
            (errno.EINVAL, self.file, sync_file, True),
        ):
            patched = self.patch(os, "fsync", refuse_flush(code, files=files))
            with self.assertRaises(OSError) as raised:
                act(path)
            patched.restore()
            self.assertEqual((raised.exception.errno, raised.exception.filename), (code, str(path)))
        self.assertEqual(self.warned(), [])


class NamingTests(DiskCase):
    def test_unnamed(self) -> None:
        """An error of a descriptor gets the path; one that has a path keeps it."""
        with self.assertRaises(OSError) as raised, naming(self.file):
            os.write(99_999, b"x")
        self.assertEqual(raised.exception.filename, str(self.file))
        self.assertIn(str(self.file), str(raised.exception))
        with self.assertRaises(OSError) as raised, naming(self.file):
            os.stat(self.folder / "other")
        self.assertEqual(raised.exception.filename, str(self.folder / "other"))

    def test_others(self) -> None:
        """Other errors stay as they are."""
        with self.assertRaises(KeyError), naming(self.file):
            raise KeyError
