"""`contentsvc publish` and `contentsvc fetch` where the service, or what it keeps, is not there."""

import hashlib

from contentsvc.wire.files import BlockBody
from tests.client.fakes import BOB
from tests.client.test_service import PASSWORD
from tests.command.test_publish import FolderCase
from tests.support import daemon


class TroubleTests(FolderCase):
    async def test_no_service(self) -> None:
        """A URL at which there is something else, or nothing, is one line that says so."""
        url = f"{self.service.url}/elsewhere"
        words = ("--url", url, "--user", self.name, "--password-stdin")
        done = await self.command("publish", str(self.folder), *words, given=PASSWORD)
        self.assertEqual(done.err, f"contentsvc: there is no contentsvc at {url}\n")
        done = await self.command("fetch", BOB, str(self.got), "--url", url)
        self.assertEqual(done.err, f"contentsvc: there is no contentsvc at {url}\n")

    async def test_blocked(self) -> None:
        """A blocked file is named, and the description can be changed all the same."""
        await self.publish()
        promote = ("--data-dir", str(self.service.data_dir), "user", "promote", self.name)
        self.assertEqual((await self.command(*promote)).status, 0)
        await self.client.log_in(self.name, PASSWORD)
        sha256 = hashlib.sha256(self.files["tower.bin"]).hexdigest()
        await self.client.files.block(sha256, BlockBody(reason="A claim."))
        self.rewrite("Stack it high.", "Higher!")
        done = await self.publish(expect=1)
        self.assertIn("file_blocked", done.err)
        self.assertIn("tower.bin", done.err)
        self.assertEqual((await self.family.get(self.content)).description, "Higher!")

    async def test_bytes_gone(self) -> None:
        """A file whose bytes the service does not find is named."""
        await self.publish()
        (core, *_) = await self.client.downloads.list_content_files(self.content)
        (self.service.data_dir / "files/content" / core.path).unlink()
        done = await self.fetch(expect=1)
        self.assertIn("contentsvc: 404", done.err)
        self.assertIn(str(self.got / "entities"), done.err)
        self.assertEqual(done.err.count("\n"), 1)


class ExternalTests(FolderCase):
    async def daemon(self) -> daemon.Daemon:
        return await daemon.shared("external", lambda: daemon.Daemon("--files", "external"))

    async def test_no_files(self) -> None:
        """Where the operator keeps the files elsewhere, the command says so."""
        done = await self.publish(expect=1)
        self.assertIn("does not keep files", done.err)
        self.assertEqual(done.err.count("\n"), 1)
