"""docs/guides/files.md does what it says."""

import re
import tomllib

from msgspec import convert
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.command.manifest import Manifest
from tests.support import daemon, stores
from tests.test_readme import PasteCase

PAGE = (daemon.ROOT / "docs/guides/files.md").read_text()
SAID = {
    "local": [201, 200, 200, 204, 204, 200, 204, 200, 200, 200, 206],
    "s3": [201, 200, 200, 200, 200, 200, 204, 200, 200, 200, 206],
}
"""The statuses: registered; limits; announced, sent twice, verified; published; listed, downloaded,
shown; resumed."""


class LocalTests(PasteCase):
    """With files in the daemon's own folder."""

    store = "local"

    def service(self) -> daemon.Daemon:
        return daemon.Daemon()

    async def test_transcript(self) -> None:
        """Pasted from top to bottom, the commands go from a digest to published content and a
        verified download, that is then resumed."""
        answers, said = await self.follow(PAGE, self.service())
        self.assertEqual(answers, SAID[self.store], said)
        self.assertEqual(said.count('"upload":null'), 2, said)
        for shown in ("The same, byte for byte.", "The same image.", "again.part: OK"):
            self.assertIn(shown, said)


class S3Tests(LocalTests):
    """With files in an S3 store."""

    store = "s3"

    def service(self) -> daemon.Daemon:
        return daemon.Daemon(environ=stores.new().environ)


class PageTests(SynchronousTestCase):
    def test_manifest(self) -> None:
        """The example of content.toml is one, and has every member."""
        (example,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.M | re.S)
        found = tomllib.loads(example)
        convert(found, Manifest)
        self.assertEqual(found.keys(), set(Manifest.__struct_fields__))
