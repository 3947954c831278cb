"""Files and publishing with the JavaScript client: its tests are in clients/javascript/tests."""

from __future__ import annotations

from tests.javascript.harness import NodeCase, NpmCase, OwnServiceCase
from tests.support import stores


class UnitTests(NpmCase):
    async def test_digest(self) -> None:
        """SHA-256 in plain JavaScript is that of Node."""
        await self.run_tests("digest")

    async def test_uploads(self) -> None:
        """What an upload asks of the service and the store."""
        await self.run_tests("uploads")

    async def test_pictures(self) -> None:
        """Pictures are sent without their metadata, with the type that their bytes say."""
        await self.run_tests("pictures")


class LocalTests(NodeCase):
    """With files in the daemon's own folder."""

    async def test_files(self) -> None:
        """Uploads and downloads go on through losses, and what comes is verified."""
        await self.run_tests("files")

    async def test_publish(self) -> None:
        """Publishing makes content and revisions, and goes on after failures."""
        await self.run_tests("publish")

    async def test_memory(self) -> None:
        """Memory does not depend on the size of a file."""
        await self.run_tests("memory")


class S3Tests(NodeCase):
    """With files in an S3 store."""

    async def connect(self) -> None:
        self.own_daemon()
        service, _ = await stores.served()
        self.use(service)

    async def test_store(self) -> None:
        """Files go to the store and come from it, resumed."""
        await self.run_tests("store")


class KillTests(OwnServiceCase):
    async def test_kills(self) -> None:
        """Files go on to the end though the daemon is killed in the middle."""
        await self.run_tests("kills")
