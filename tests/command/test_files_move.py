"""Files that move from the daemon's folder to an S3 store and back, with real daemons before and
after; and a block in one of them."""

import os
from hashlib import sha256
from pathlib import Path

from contentsvc.framework.storage.paths import digest_of
from contentsvc.wire.files import AnnouncedFile, BlockBody, UploadsBody
from tests.client.files import test_transfers
from tests.client.test_service import PASSWORD
from tests.support import postgres, stores
from tests.support.daemon import Daemon, until
from tests.support.databases import fresh

BLOCKED = 15.0
"""Seconds after a block in which the bytes are gone (files#blocking)."""


class MoveTests(test_transfers.Case):
    async def daemon(self) -> Daemon:
        """One with a folder. Its `contentsvc` command knows the store too."""
        self.database = fresh(postgres.embedded())
        self.addCleanup(postgres.drop, self.database)
        self.store = stores.new()
        local = Daemon(database=self.database, environ={**self.store.environ, "FILES": "local"})
        self.addCleanup(local.stop)
        await local.start()
        return local

    async def moved(self, to: str) -> list[str]:
        """The lines of an import, from the other place."""
        source = {"s3": "local", "local": "s3"}[to]
        out = await self.local.command("files", "import", "--from", source, "--to", to)
        return out.splitlines()

    async def serve(self, service: Daemon) -> None:
        """Let this one serve from now on, and log in there."""
        self.service = service
        await service.start()
        self.client = await self.signed_in()

    async def there(self, *data: bytes) -> list[bool]:
        """Of which entities POST /uploads says that they are there for the user."""
        body = UploadsBody(
            [
                AnnouncedFile(use="entity", sha256=sha256(each).hexdigest(), size=len(each))
                for each in data
            ]
        )
        return [each.upload is None for each in (await self.client.files.announce(body)).files]

    async def test_there_and_back(self) -> None:
        """What was published is there after the move, byte for byte, and who has sent a file need
        not send it again. What came during the copy comes with the second one."""
        self.local = self.service
        ann = self.name
        first, second, third = (os.urandom(100_000) for _ in range(3))
        content = await self.publish(first)
        lines = await self.moved("s3")
        self.assertIn("0 were there already. 0 could not be copied.", lines[0])
        sent = await self.upload(second)
        await self.local.stop()
        lines = await self.moved("s3")
        self.assertIn("Copied 1 file, 97.7 KiB. 2 were there already.", lines[0])

        remote = Daemon(
            database=self.database,
            secret_file=self.local.secret_file,
            environ=self.store.environ,
        )
        self.addCleanup(remote.stop)
        await self.serve(remote)
        self.assertEqual(list((await self.fetched(content)).values()), [first])
        self.assertEqual(await self.there(first, second), [True, False])
        await self.client.log_in(ann, PASSWORD)
        self.assertEqual(await self.there(first, second), [True, True])
        (again,) = await self.upload(third)
        self.assertNotEqual(again.path, sent[0].path)
        self.assertIn("problems: 0", await remote.command("files", "check", "--sums"))
        await remote.stop()

        lines = await self.moved("local")
        self.assertIn("Copied 1 file, 97.7 KiB. 3 were there already.", lines[0])
        await self.serve(self.local)
        await self.client.log_in(ann, PASSWORD)
        self.assertEqual(await self.there(first, second, third), [True, True, True])
        self.assertEqual(list((await self.fetched(content)).values()), [first])
        self.assertIn("problems: 0", await self.local.command("files", "check", "--sums"))

    async def test_block(self) -> None:
        """The bytes of a blocked file are gone within seconds of the block, and so are those that
        come later."""
        (file,) = await self.upload(os.urandom(1000))
        lies = self.service.data_dir / "files" / "content" / file.path
        data = lies.read_bytes()
        email = await self.service.add_user("warden", PASSWORD, admin=True)
        await self.client.log_in(email, PASSWORD)
        await self.client.files.block(digest_of(file.path), BlockBody(reason="bad"))
        await self.gone(lies)
        lies.write_bytes(data)
        await self.gone(lies)

    async def gone(self, file: Path) -> None:
        """Wait until it is not there any more."""
        await until(lambda: not file.exists(), BLOCKED, "the deletion")
