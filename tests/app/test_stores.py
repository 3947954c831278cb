"""A daemon whose files lie in an S3 store: good, bad, and away."""

import os
import signal

from twisted.internet.utils import getProcessOutputAndValue

from tests.spec.files.support import FilesCase, blob
from tests.support import stores
from tests.support.daemon import ROOT, Daemon, script, until
from tests.support.stores import Seaweed, Store
from tests.support.workers import workers_of

PATIENCE = 90


class StoreCase(FilesCase):
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
        """Clients are sent there, by the daemon and by its workers, with URLs that it takes."""
        for options in ((), ("--workers", "2")):
            store = stores.new()
            service = await self.started(store, *options)
            user, file = await self.user(), blob()
            upload = await self.place(user, file)
            self.assertTrue(upload["url"].startswith(f"{store.endpoint}/{store.content}/"))
            await self.send(upload, file.data)
            await self.there(user, file)
            info = (await self.get("storage", expect=200)).json()
            self.assertEqual(info["files"], "s3")
            self.assertEqual(info["mediaUrl"], f"{store.endpoint}/{store.media}")
            self.assertNotIn(stores.SECRET_KEY, service.output())
            self.assertNotIn("factory", service.output())


class AwayTests(StoreCase):
    """A store that cannot be reached, or that has gone wrong."""

    async def connect(self) -> None:
        await super().connect()
        self.seaweed = Seaweed()
        self.addCleanup(self.seaweed.remove)
        self.seaweed.start()
        self.store = self.seaweed.new()

    async def unavailable(self) -> None:
        """Assert that uploads are 503, and nothing else is."""
        response = await self.announcing(await self.user(), blob())
        self.problem(response, 503, "storage_unavailable")
        self.assertEqual((await self.get("/health/ready")).status, 200)

    async def said(self, service: Daemon, line: str, times: int = 1) -> None:
        """Wait for this line of the log."""
        await until(lambda: service.output().count(line) >= times, PATIENCE, line)

    async def status(self, service: Daemon) -> tuple[int, str]:
        """What `contentsvc status` says."""
        out, _, status = await getProcessOutputAndValue(
            script("contentsvc"),
            ["status", "--data-dir", str(service.data_dir)],
            env=dict(os.environ),
            path=str(ROOT),
        )
        return status, out.decode()

    async def test_at_start(self):
        """The daemon and its workers start, and say that they cannot reach the store, until they
        can."""
        self.seaweed.stop()
        service = await self.started(self.store, "--workers", "2")
        await self.unavailable()
        await self.said(service, "Could not reach the file store: the store cannot be reached", 2)
        await self.reported(service, "cannot reach the file store since")
        self.seaweed.start()
        await self.said(service, "Recovered: reach the file store", 2)
        await self.uploaded(await self.user())

    async def reported(self, service: Daemon, line: str) -> None:
        """Wait until `contentsvc status` says this, and asks for the operator."""
        for _ in range(PATIENCE):
            status, out = await self.status(service)
            if line in out:
                self.assertEqual(status, 2)
                return
        self.fail(out)

    async def test_gone_wrong(self):
        """A store that has lost a bucket is an error in the log, and uploads are 503 until it has
        it again, in workers too: they go on."""
        service = await self.started(self.store, "--workers", "2")
        # Until then its bucket may have a file of their test, and cannot be deleted.
        await self.said(service, "is ready", 2)
        self.assertEqual(self.store.ask("DELETE", self.store.media).status, 204)
        lost = f"Could not reach the file store: S3 store {self.store.endpoint}, bucket "
        await self.said(service, f"{lost}{self.store.media}: the store answers a HEAD", 2)
        await self.unavailable()
        os.kill(service.pid, signal.SIGHUP)
        await self.said(service, f"No rolling restart: S3 store {self.store.endpoint}, bucket ")
        self.store.ask("PUT", self.store.media)
        await self.said(service, "Recovered: reach the file store", 2)
        await self.uploaded(await self.user())

    async def test_worker_restarted(self):
        """A worker that is started while the store is bad serves all the rest."""
        service = await self.started(self.store, "--workers", "2")
        await self.said(service, "is ready", 2)
        self.assertEqual(self.store.ask("DELETE", self.store.media).status, 204)
        os.kill(min(workers_of(service)), signal.SIGKILL)
        await self.said(service, "is ready", 3)
        self.assertNotIn("cannot start", service.output())
