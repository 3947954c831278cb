"""A daemon whose files lie in an S3 store: good, bad, and away."""

from tests.spec.harness import SpecCase
from tests.support import stores
from tests.support.daemon import Daemon, until
from tests.support.stores import Seaweed, Store

FILE = {"use": "entity", "sha256": "a" * 64, "size": 5}
PATIENCE = 90


class StoreCase(SpecCase):
    """A daemon of its own, which a test starts."""

    async def connect(self) -> None:
        self.own_daemon()

    def made(self, store: Store, *options: str, **environ: str) -> Daemon:
        """A daemon with its files in this store."""
        service = Daemon(*options, environ=store.environ | environ)
        self.addCleanup(service.stop)
        return service

    async def started(self, store: Store, *options: str) -> Daemon:
        """Likewise, which serves."""
        service = self.made(store, *options)
        await service.start()
        self.use(service)
        return service

    async def refused(self, reason: str, store: Store, *options: str, **environ: str) -> str:
        """Assert that it ends with status 1 and one line with this reason; its output."""
        service = self.made(store, *options, **environ)
        service.spawn()
        self.assertEqual(await service.ended(), 1)
        said = service.output()
        (line,) = [line for line in said.splitlines() if "contentsvc cannot start" in line]
        self.assertIn(reason, line)
        self.assertNotIn("Traceback", said)
        self.assertNotIn(stores.SECRET_KEY, said)
        return said


class BadStoreTests(StoreCase):
    """A store that answers, and not as it must: one line, and exit status 1."""

    async def test_wrong_bytes(self):
        """A store that takes wrong bytes."""
        await self.refused("takes wrong bytes under a signed digest", stores.rclone())

    async def test_with_workers(self):
        """Likewise with workers: no worker starts."""
        said = await self.refused(
            "takes wrong bytes under a signed digest", stores.rclone(), "--workers", "2"
        )
        self.assertNotIn("Worker", said)

    async def test_missing_bucket(self):
        """A bucket that is not there."""
        missing = stores.new()._replace(media="nowhere")
        await self.refused("bucket nowhere: the store answers a GET of a list with 404", missing)

    async def test_keys(self):
        """Keys that the store does not know, or that do not match."""
        store = stores.new()
        await self.refused("403 SignatureDoesNotMatch", store, AWS_SECRET_ACCESS_KEY="wrong")
        await self.refused("403 InvalidAccessKeyId", store, AWS_ACCESS_KEY_ID="unknown")


class GoodStoreTests(StoreCase):
    """A store that is as it must be."""

    async def test_uploads(self):
        """Clients are sent there, with URLs that the store takes."""
        store = stores.new()
        await self.started(store)
        user = await self.user()
        answer = await self.post("uploads", {"files": [FILE]}, by=user, expect=200)
        (file,) = answer.json()["files"]
        self.assertTrue(file["upload"]["url"].startswith(f"{store.endpoint}/{store.content}/aa/"))
        info = await self.get("storage", expect=200)
        self.assertEqual(info.json()["files"], "s3")
        self.assertEqual(info.json()["mediaUrl"], f"{store.endpoint}/{store.media}")


class AwayTests(StoreCase):
    """A store that cannot be reached."""

    async def uploads(self) -> tuple[int, str]:
        """The status and the code of an announcement."""
        answer = await self.post("uploads", {"files": [FILE]}, by=await self.user())
        return answer.status, answer.json().get("code", "")

    async def test_away_at_start(self):
        """The daemon starts, uploads are 503, readiness is not, and status says why, until the
        store is there."""
        seaweed = Seaweed()
        self.addCleanup(seaweed.remove)
        seaweed.start()
        store = seaweed.new()
        seaweed.stop()
        service = await self.started(store)
        self.assertEqual(await self.uploads(), (503, "storage_unavailable"))
        self.assertEqual((await self.get("/health/ready")).status, 200)
        await self.said(service, "Could not reach the file store: the store cannot be reached")
        seaweed.start()
        await self.said(service, "It works again to reach the file store")
        self.assertEqual((await self.uploads())[0], 200)

    async def said(self, service: Daemon, line: str) -> None:
        await until(lambda: line in service.output(), PATIENCE, line)
