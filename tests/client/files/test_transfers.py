"""Files to the real service and back, with each place where they can lie."""

import hashlib
import os
import tracemalloc
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred

from contentsvc.client import ApiError, Client
from contentsvc.client.errors import FilesRefused
from contentsvc.client.files.local import LocalFile, Measured, Progress
from contentsvc.wire.content import ContentCreate, EntityDefinition, RevisionCreate
from contentsvc.wire.files import BlockBody
from contentsvc.wire.packages import PackageDefinition
from tests.client import test_service
from tests.support import daemon, pictures, stores

MIB = 1024 * 1024


class Case(test_service.Case):
    """With files in the daemon's own folder."""

    timeout = 300

    async def setUp(self) -> None:
        await super().setUp()
        home = TemporaryDirectory(prefix="contentsvc-")
        self.addCleanup(home.cleanup)
        self.home = Path(home.name)

    def file(self, data: bytes) -> Path:
        path = self.home / hashlib.sha256(data).hexdigest()[:16]
        path.write_bytes(data)
        return path

    async def upload(self, *data: bytes, use: str = "entity") -> list[Measured]:
        return await self.client.transfers.upload([LocalFile(use, self.file(d)) for d in data])

    async def publish(self, core: bytes, wall: bytes = b"", **packages: bytes) -> str:
        """A content of these. Its id."""
        entities = await self.upload(core, *([wall] if wall else []))
        (shot,) = await self.upload(pictures.png(), use="screenshot")
        sent = await self.upload(*packages.values(), use="package") if packages else []
        paths = {platform: file.path for platform, file in zip(packages, sent, strict=True)}
        first, *others = [
            EntityDefinition(entity_id=str(uuid4()), revision_id=str(uuid4()), path=file.path)
            for file in entities
        ]
        content = str(uuid4())
        await self.client.content.put(
            content,
            ContentCreate(
                name="Tower",
                description="",
                type="game",
                screenshot_uris=[shot.path],
                revision_id=str(uuid4()),
                revision_description="",
                version="1",
                entity=first,
                originating=others,
                using=[],
                packages_originating=[PackageDefinition(id=str(uuid4()), **paths)] if paths else [],
            ),
        )
        return content

    async def fetched(self, content: str, *, by: Client | None = None, **more) -> dict[str, bytes]:
        """The files of a content, as another user gets them."""
        folder = self.home / str(uuid4())
        reader = by or await self.signed_in()
        done = await reader.transfers.download(content, folder, **more)
        return {each.file.path: path.read_bytes() for each in done for path in each.names}


class LocalTests(Case):
    async def test_loop(self) -> None:
        """What one user uploads and publishes, another gets back, byte for byte."""
        data = [os.urandom(3 * MIB), os.urandom(10), os.urandom(MIB), os.urandom(MIB)]
        content = await self.publish(*data[:2], win64=data[2], linux64=data[3])
        found = await self.fetched(content)
        self.assertEqual(set(found.values()), set(data))
        found = await self.fetched(content, platform="win64")
        self.assertEqual(set(found.values()), set(data[:3]))

    async def test_again(self) -> None:
        """What has been sent is not sent again."""
        data = os.urandom(100)
        steps = []
        (first,) = await self.upload(data)
        (second,) = await self.client.transfers.upload([first], progress=steps.append)
        self.assertEqual((second, [step.done for step in steps]), (first, [100]))

    async def test_possession(self) -> None:
        """What another user has sent is sent again: who knows a digest need not have the bytes."""
        data = os.urandom(100)
        await self.upload(data)
        steps = []
        self.client = await self.signed_in()
        file = LocalFile("entity", self.file(data))
        await self.client.transfers.upload([file], progress=steps.append)
        self.assertEqual(steps[0].done, 0)
        await self.publish(data)

    async def test_many(self) -> None:
        """Many small files go and are verified."""
        sent = await self.upload(*(os.urandom(50) for _ in range(60)))
        self.assertEqual(len({file.path for file in sent}), 60)
        self.assertEqual((await self.client.files.get_user_storage()).pending, 0)

    async def test_memory(self) -> None:
        """A large file takes no more memory than a small one, both ways."""
        path = self.home / "large"
        with path.open("wb") as opened:
            for _ in range(64):
                opened.write(os.urandom(MIB))
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        (sent,) = await self.client.transfers.upload([LocalFile("entity", path)])
        self.assertLess(tracemalloc.get_traced_memory()[1], 16 * MIB)
        content = await self.publish_sent(sent)
        tracemalloc.reset_peak()
        (got,) = await self.client.transfers.download(content, self.home / "got")
        self.assertLess(tracemalloc.get_traced_memory()[1], 16 * MIB)
        self.assertEqual(got.names[0].stat().st_size, 64 * MIB)

    async def publish_sent(self, sent: Measured) -> str:
        content = await self.publish(b"core")
        found = await self.client.content.get(content)
        core = EntityDefinition(
            entity_id=found.entity.entity_id, revision_id=str(uuid4()), path=sent.path
        )
        await self.client.revisions.publish(
            content,
            RevisionCreate(
                revision_id=str(uuid4()),
                revision_description="",
                version="2",
                entity=core,
                originating=[],
                using=[],
            ),
        )
        return content

    async def test_resume(self) -> None:
        """The rest of a file is got from the place where an earlier attempt ended."""
        data = os.urandom(5 * MIB)
        content = await self.publish(data)
        folder = self.home / "got"
        steps = []

        def interrupt(step) -> None:
            steps.append(step.done)
            if step.done > MIB and not getting.called:
                getting.cancel()

        getting = Deferred.fromCoroutine(
            self.client.transfers.download(content, folder, progress=interrupt)
        )
        await self.assertFailure(getting, CancelledError)
        steps.clear()
        (got,) = await self.client.transfers.download(
            content, folder, progress=lambda step: steps.append(step.done)
        )
        self.assertEqual(got.names[0].read_bytes(), data)
        self.assertGreater(steps[1], MIB)

    async def test_blocked(self) -> None:
        """A blocked file is refused with its code and its name, and is not given out."""
        data = os.urandom(100)
        content = await self.publish(data)
        (file,) = await self.upload(data)
        await self.block(file.sha256)
        error = await self.assertFailure(Deferred.fromCoroutine(self.upload(data)), FilesRefused)
        self.assertEqual((error.status, error.code), (403, "file_blocked"))
        self.assertEqual(error.files, [file.file])
        self.assertEqual(await self.fetched(content), {})

    async def block(self, sha256: str) -> None:
        name = f"w{uuid4()}"[:20]
        await self.service.add_user(name, test_service.PASSWORD, admin=True)
        async with Client(reactor, self.service.url) as admin:
            await admin.log_in(name, test_service.PASSWORD)
            await admin.files.block(sha256, BlockBody(reason="no"))

    async def test_hidden(self) -> None:
        """The files of content that another user cannot see are not to be had."""
        content = await self.publish(os.urandom(100))
        await self.client.withdrawal.delete(content)
        error = await self.assertFailure(Deferred.fromCoroutine(self.fetched(content)), ApiError)
        self.assertEqual(error.code, "content_not_found")
        self.assertEqual(await self.fetched(content, by=self.client), {})


class S3Tests(LocalTests):
    """The same, with files in an S3 store."""

    async def daemon(self) -> daemon.Daemon:
        service, _ = await stores.served()
        return service


class RestartTests(Case):
    async def daemon(self) -> daemon.Daemon:
        service = daemon.Daemon()
        await service.start()
        self.addCleanup(service.stop)
        return service

    async def test_restart(self) -> None:
        """An upload goes on where the service is killed half-way and comes back."""
        data = [os.urandom(8 * MIB) for _ in range(3)]
        killed: list[Deferred[None]] = []

        async def restart() -> None:
            await self.service.kill()
            await self.service.start(port=self.service.port)

        def kill(step: Progress) -> None:
            if step.done > 4 * MIB and not killed:
                killed.append(Deferred.fromCoroutine(restart()))

        files = [LocalFile("entity", self.file(d)) for d in data]
        sent = await self.client.transfers.upload(files, progress=kill)
        await killed[0]
        content = await self.publish(data[0], data[1])
        self.assertEqual(set((await self.fetched(content)).values()), set(data[:2]))
        self.assertEqual(len(sent), 3)
