"""Cases about the files that options name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.config.toml_files import FileError, Files


class FileCase(SynchronousTestCase):
    """One file, which the service reads by `reader`."""

    name: ClassVar[str]
    reader: ClassVar[Callable[[Files, Path], Any]]

    def setUp(self) -> None:
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        self.path = self.folder / self.name

    def read(self, text: str) -> Any:
        """What a file with this text means."""
        self.path.write_text(text)
        return self.reader(Files(), self.path)

    def refused(self, text: str, reason: str) -> None:
        """Assert that the text is refused in one line, of which this is all behind the path."""
        with self.assertRaises(FileError) as raised:
            self.read(text)
        self.assertEqual(str(raised.exception), f"{self.path}: {reason}")
