"""The file of the option `legal`."""

from pathlib import Path

from contentsvc.config.legal import Legal, Terms, read
from contentsvc.framework.config.toml_files import Files
from tests.config.support import FileCase

ROOT = Path(__file__).parents[2]


class LegalTests(FileCase):
    name = "legal.toml"
    reader = staticmethod(read)

    def test_all(self) -> None:
        """A file has contacts by their names, and the terms."""
        found = self.read(
            '[contacts]\n"points of contact" = "a\\nb"\n[terms]\nversion = "2"\nurl = "/terms"\n'
        )
        self.assertEqual(found, Legal({"points of contact": "a\nb"}, Terms("2", "/terms")))

    def test_empty(self) -> None:
        """All may be left out."""
        self.assertEqual(self.read(""), Legal({}, None))

    def test_refused(self) -> None:
        """What is no text, no key or no link is refused with its place."""
        self.refused("[contacts]\na = 1\n", "contacts[...] must be text, got int")
        self.refused("[contact]\n", "contact is no key of it")
        self.refused('[terms]\nversion = "1"\n', "terms.url is missing")
        self.refused(
            '[terms]\nversion = "1"\nurl = "http://a.example"\n',
            "terms.url 'http://a.example' must be an https URL, or a path with one / at its start",
        )

    def test_sample(self) -> None:
        """The sample can be read."""
        self.assertIsNotNone(read(Files(), ROOT / "etc/legal.toml.sample").terms)
