"""What workers have of the file of a brand."""

import os
import re
import signal

import treq

from tests.support import daemon, postgres
from tests.support.daemon import Daemon, until
from tests.support.workers import PATIENCE, WorkersCase, gone

FILE = postgres.new_folder() / "brand.toml"
REPLACED = "Rolling restart done: all workers are new"


class BrandTests(WorkersCase):
    """One daemon of two workers; what it says before a test is not looked at."""

    async def connect(self) -> None:
        self.own_daemon()
        FILE.write_text('name = "First"')
        self.service = await daemon.shared(
            "brand-workers", lambda: Daemon("--workers", "2", environ={"BRAND": str(FILE)})
        )
        await self.both()

    async def names(self) -> set[str]:
        """What the workers call the service, and the files of their portals."""
        found = set()
        for _ in range(20):
            asked = {"Accept": "text/html"}
            page = await treq.get(f"{self.url}/", headers=asked, persistent=False, timeout=20)
            text = (await page.content()).decode()
            (title,), (start,) = (
                re.findall("<title>(.*?)</title>", text),
                re.findall(r'src="/portal/(\w+)/main\.js"', text),
            )
            found.add(f"{title} {start}")
        return found

    async def test_restart(self) -> None:
        """A rolling restart reads the file anew; a wrong one changes nothing, whatever becomes of
        the workers."""
        os.kill(self.service.pid, signal.SIGHUP)
        await self.said(1, REPLACED)
        (first,) = await self.names()
        self.assertRegex(first, r"\bFirst \w+$")
        FILE.write_text('name = "Second"')
        killed = min(self.workers())
        os.kill(killed, signal.SIGKILL)
        await until(gone(killed), PATIENCE, "the end of a worker")
        await self.serving(2)
        self.assertEqual(await self.names(), {first})
        os.kill(self.service.pid, signal.SIGHUP)
        await self.said(2, REPLACED)
        (second,) = await self.names()
        self.assertRegex(second, r"\bSecond \w+$")
        self.assertNotEqual(first.split()[-1], second.split()[-1])
        FILE.write_text("name = 5")
        os.kill(self.service.pid, signal.SIGHUP)
        await self.said(1, "No rolling restart: .*brand .*brand.toml: name must be text, got int")
        killed = min(self.workers())
        os.kill(killed, signal.SIGKILL)
        await until(gone(killed), PATIENCE, "the end of a worker")
        await self.serving(2)
        self.assertEqual(await self.names(), {second})
