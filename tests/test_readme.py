"""README.md and docs/tutorial.md do what they say."""

import json
import os
import re
import shutil
from unittest import SkipTest

from twisted.internet.utils import getProcessOutputAndValue
from twisted.trial.unittest import SynchronousTestCase, TestCase

from contentsvc import config
from contentsvc.command.demo.world import WORLD
from tests.support import daemon

README = (daemon.ROOT / "README.md").read_text()
INSTALL = (daemon.ROOT / "docs/guides/install.md").read_text()
TUTORIAL = (daemon.ROOT / "docs/tutorial.md").read_text()
BASE = "BASE=http://127.0.0.1:8080\n"
ANSWERS = [
    *(201, 201, 201, 200, 204, 201, 204, 200, 200),
    # Found twice.
    *(200, 200),
    # Friends, who write.
    *(204, 200, 204, 201, 201, 200),
    # A comment, reported; its author blocked, and refused.
    *(201, 204, 204, 403),
    # A challenge begun, entered, closed and rewarded.
    *(201, 204, 204, 200),
    # A game server looks at the events, writes progress, tells of it, and hears of a publication.
    *(200, 204, 200, 202, 200),
    # The queue, the comment deleted, the report upheld, the record.
    *(200, 204, 204, 200),
    # Suspended, gone, told, restored.
    *(204, 404, 200, 204),
]


def transcript(page: str) -> str:
    """The marked blocks, one after the other, as a reader pastes them."""
    return "".join(re.findall(r"^```bash transcript\n(.*?)^```$", page, re.M | re.S))


class PasteCase(TestCase):
    """Blocks, run by bash with curl against a daemon."""

    timeout = 120.0

    async def paste(self, script: str, service: daemon.Daemon) -> str:
        """The output of bash, on either stream, as a terminal shows it."""
        kept = {name: v for name, v in os.environ.items() if not name.startswith("CONTENTSVC_")}
        environ = {**kept, "CONTENTSVC_DATA_DIR": str(service.data_dir)}
        out, _, status = await getProcessOutputAndValue(
            "/bin/bash", ["-c", f"exec 2>&1\n{script}"], env=environ, path=str(daemon.ROOT)
        )
        self.assertEqual(status, 0, out.decode())
        return str(out.decode())

    async def follow(self, page: str, service: daemon.Daemon) -> tuple[list[int], str]:
        """The statuses that the commands of a page show, and all that they say."""
        if shutil.which("curl") is None:
            raise SkipTest("needs curl")
        await service.start()
        try:
            pasted = transcript(page).replace(BASE, f"BASE={service.url}\n")
            said = await self.paste(pasted, service)
        finally:
            await service.stop()
        return [int(code) for code in re.findall(r" -> (\d+)\n", said)], said


class TranscriptTests(PasteCase):
    async def test_transcript(self):
        """Pasted from top to bottom, it goes from registration over published files, that a second
        user gets back, friends, a challenge and a game server to a report that is upheld, with
        notifications on the open socket, and every answer is the one it should be."""
        service = daemon.Daemon(first=True)
        answers, said = await self.follow(TUTORIAL, service)
        self.assertEqual(answers, ANSWERS, said)
        # What comes next on the page.
        self.assertIn("Password of each:", await service.command("demo", "--url", service.url))
        heard = [json.loads(line) for line in re.findall(r'^{"seq":.*$', said, re.M)]
        kinds = [message["notification"]["kind"] for message in heard]
        self.assertEqual(kinds, ["RevisionPublished", "Studio", "ReportResolved"])
        for shown in (
            *("Published Tilting Tower 1.0.", "Fetched and verified 1 file, 4.8 MiB"),
            *("The same, byte for byte.", "all were there already"),
            *("Published a new revision of Tilting Tower 1.1.", '"name":"Tilting Tower"'),
            *('"value":{"floors": 19}', '"kind":"RevisionPublished"'),
            *('"key":"winner"', '"It tilts too much."'),
        ):
            self.assertIn(shown, said)

    async def test_example(self):
        """The example of the README, pasted, registers a user, who logs in and asks."""
        answers, said = await self.follow(README, daemon.Daemon(first=True))
        self.assertEqual(answers, [200, 200], said)
        self.assertIn('"username":"zoe"', said)


class ReadmeTests(SynchronousTestCase):
    def test_length(self) -> None:
        """The README fits two screens."""
        self.assertLessEqual(len(README.splitlines()), 90)

    def test_product(self) -> None:
        """The README and the index of the documentation name what the service is for."""
        index = (daemon.ROOT / "docs/index.md").read_text()
        for word in ("subscri", "attributes", "plays", "collections", "webhooks", "console"):
            for page in (README, index):
                self.assertIn(word, page.lower())
        for page in (README, index):
            self.assertIn("`contentsvc sync`", page)

    def test_names(self) -> None:
        """Nobody whom a page has one add stands in the way of the demo."""
        taken = set(WORLD["people"])
        pages = [daemon.ROOT / "README.md", *(daemon.ROOT / "docs").rglob("*.md")]
        added = {
            name
            for page in pages
            for name in re.findall(r"user add ([a-z]+)|\bfor NAME in ([a-z ]+);", page.read_text())
            for name in " ".join(name).split()
        }
        self.assertLessEqual({"chief", "ada", "rex"}, added)
        self.assertEqual(added & taken, set())

    def test_base(self) -> None:
        """The transcripts begin with where the daemon is by default."""
        for page in (README, TUTORIAL):
            self.assertTrue(transcript(page).startswith(BASE))

    def test_links(self) -> None:
        """The targets of the README's links exist."""
        links = re.findall(r"\]\(([^)#]+)", README)
        missing = [link for link in links if not (daemon.ROOT / link).exists()]
        self.assertEqual(missing, [])
        self.assertIn("docs/index.md", links)

    def test_environments(self) -> None:
        """The environments that are made in a clone are not seen by Git, nor packed into the wheel,
        as all in the folder `build` would be."""
        made = set(re.findall(r"-m venv (\w\S*)", INSTALL))
        ignored = (daemon.ROOT / ".gitignore").read_text().split()
        self.assertEqual([name for name in made if f"{name}/" not in ignored], [])
        self.assertTrue(made)
        self.assertNotIn("build", made)


class ExampleTests(SynchronousTestCase):
    def test_listen(self):
        """The example of --listen is the default on another port: the same backlog, for one."""
        (example,) = re.findall(r"`--listen ([^`]+)`", README)
        (default,) = (s.default for s in config.SETTINGS if s.name == "listen")
        self.assertEqual(re.sub(r":\d+:", ":8080:", example), default)
