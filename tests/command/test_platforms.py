"""`contentsvc publish`, `fetch` and the client with platforms of the studio's own."""

import json
from pathlib import Path

from contentsvc.command.manifest import MANIFEST
from contentsvc.wire.packages import paths_of
from tests.command.test_publish import FolderCase
from tests.support.daemon import Daemon, shared


class PlatformsTests(FolderCase):
    async def daemon(self) -> Daemon:
        """A service with platforms whose names mean something to Python."""
        given = "ps5,3ds,class,__init__"
        return await shared("own platforms", lambda: Daemon("--platforms", given))

    async def test_whole(self) -> None:
        """They are published, read by the client, and fetched: all, or those for one."""
        self.rewrite("win64 =", "3ds =")
        self.rewrite("linux64 =", "__init__ =")
        await self.publish()
        detail = await self.family.get(self.content)
        (package,) = detail.packages
        self.assertEqual(sorted(paths_of(package)), ["3ds", "__init__"])
        made = await self.family.get_revision(self.content, detail.revision_id)
        self.assertEqual(made.packages, detail.packages)
        await self.fetch()
        for name, file in (("3ds", "win.zip"), ("__init__", "linux.zip")):
            place = self.got / "packages" / package.id / name
            self.assertEqual(place.read_bytes(), self.files[file])
        self.got = Path(f"{self.got}-one")
        await self.fetch("--platform", "3ds")
        listed = json.loads((self.got / "content.json").read_text())["files"]
        self.assertEqual([one.get("platform") for one in listed if "packageId" in one], ["3ds"])

    async def test_unknown(self) -> None:
        """What the service does not have is one line, before anything is sent."""
        done = await self.publish(expect=1)
        self.assertIn(f"{MANIFEST} has the platform linux64", done.err)
        self.assertIn("ps5, 3ds, class, __init__", done.err)
