"""The examples of docs/guides/client.md are true. tests.client.test_distribution has its
game."""

import re
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import Any

from twisted.internet import reactor
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.client import Client
from tests.client.test_service import PASSWORD, Case, guid
from tests.support import pictures

PAGE = (Path(__file__).parent.parent.parent / "docs/guides/client.md").read_text()


class StepTests(Case):
    async def test_steps(self) -> None:
        """The blocks of Python, one after the other, work against the service."""
        name = f"u{guid()[:12]}"
        blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
        steps = "".join(blocks).replace('"ada', f'"{name}')
        said: list[tuple[Any, ...]] = []
        names = {"reactor": reactor, "url": self.service.url, "print": lambda *it: said.append(it)}
        names["moderator"] = moderator = Client(reactor, self.service.url)
        self.addCleanup(moderator.close)
        await self.service.add_user(f"{name}a", PASSWORD, admin=True)
        await moderator.log_in(f"{name}a", PASSWORD)
        names["folder"] = folder = Path(self.enterContext(TemporaryDirectory()))
        (folder / "tower.bin").write_bytes(b"floor" * 100_000)
        (folder / "tower.png").write_bytes(pictures.png())
        body = indent(f"{steps}\nreturn client", "    ")
        exec(f"async def act():\n{body}", names)
        client: Client = await names["act"]()
        self.assertIn((name,), said)
        self.assertIn(("I am", client.user), said)
        self.assertIn((1, ["Nineteen floors."]), said)
        self.assertIn(("friends:", [f"{name}m"]), said)
        self.assertIn(("thread:", ["Tower at nine?"]), said)
        self.assertIn(("taken away:", True, True), said)
        clause, why = "Terms of service, 4: Conduct", "They do nothing but quarrel here."
        self.assertIn(("decided:", "lock_comments", clause, why), said)
        self.assertIn((1, "spam", "Nineteen floors."), said)
        self.assertIn(("unread:", 0), said)
        self.assertIn(("event:", "ContentStatus", True), said)
        self.assertEqual([it[:2] for it in said if it[0] == "fetch"], [("fetch", True)])
        path = next(it[0] for it in said if len(it) == 3 and it[2] == 500_000)
        self.assertEqual((folder / "got" / path).stat().st_size, 500_000)
        lists = [it[0] for it in said if isinstance(it[0], list)]
        self.assertTrue(any("Tilting Tower" in names for names in lists))


class TimeTests(SynchronousTestCase):
    def test_defaults(self) -> None:
        """The seconds for an attempt, and for all, are those that the page names."""
        options = signature(Client).parameters
        named = re.findall(r"`Client\(reactor, url, timeout=(\d+), patience=(\d+)\)`", PAGE)
        self.assertEqual(
            [(str(int(options["timeout"].default)), str(int(options["patience"].default)))], named
        )
