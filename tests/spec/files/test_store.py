"""An S3 store that is away, or bad, and what lies in it: files#sending."""

from __future__ import annotations

import itertools
import re

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from tests.spec.files.on_s3 import OnS3
from tests.spec.files.support import File, FilesCase, blob, picture
from tests.spec.harness import SpecCase
from tests.spec.shapes import STORAGE
from tests.support import stores
from tests.support.daemon import Daemon
from tests.support.deferreds import together

AGAIN_WITHIN = 10
"""Seconds after which a store that was away is tried again (files#sending)."""


class ObjectsTests(OnS3, FilesCase):
    """What lies in the store."""

    async def test_objects(self):
        """files#sending: objects lie under exactly `path`, with their Content-Type, media with its
        Cache-Control."""
        entity, shot = blob(), picture()
        await self.upload(await self.someone(), entity, shot)
        for file, kind in ((entity, "application/octet-stream"), (shot, "image/png")):
            found = self.store.ask("GET", self.store.path(file.path))
            self.assertEqual((200, file.data), (found.status, found.body))
            headers = {name.lower(): value for name, value in found.headers.items()}
            self.assertEqual(kind, headers["content-type"])
        self.assertEqual("public, max-age=31536000, immutable", headers["cache-control"])

    async def test_never_through_the_daemon(self):
        """files#sending: bytes never pass the daemon: all URLs are of the store, mediaUrl is
        endpoint/bucket."""
        author, entity, shot = await self.user(), blob(), picture()
        for upload in await self.announce(author, entity, shot):
            self.assertTrue((upload or {})["url"].startswith(self.store.endpoint + "/"))
        made = await self.holding(author, entity)
        self.assertTrue((await self.link(made, entity)).startswith(self.store.endpoint + "/"))
        found = await self.read("storage", STORAGE)
        self.assertEqual(f"{self.store.endpoint}/{self.store.media}", found["mediaUrl"])


class ApartTests(OnS3, FilesCase):
    """Two users who send the same file before either is told null."""

    def lying(self, file: File) -> list[str]:
        """The keys of what lies in the file's bucket with its digest. Beside an image its smaller
        ones may have come by now."""
        name = self.store.path(file.path).partition("/")[0]
        listed = self.store.ask("GET", name, query={"list-type": "2"}).body.decode()
        found = [key for key in re.findall("<Key>(.*?)</Key>", listed) if file.digest in key]
        smaller = [f"{file.path}.{width}.webp" for width in (320, 1280)]
        return [key for key in found if key not in smaller]

    async def test_either_order(self):
        """files#sending: both have sent it, so it is there for both at once, whoever sends or asks
        first. It lies under exactly `path`."""
        for make in (blob, picture):
            for sends, asks in itertools.product((0, 1), repeat=2):
                users, file = [await self.user(), await self.user()], make()
                uploads = [await self.place(user, file) for user in users]
                for number in (sends, 1 - sends):
                    await self.send(uploads[number], file.data)
                for number in (asks, 1 - asks):
                    await self.there(users[number], file)
                self.assertEqual([file.path], self.lying(file))

    async def test_at_once(self):
        """files#sending: also if they ask at the same moment, several times."""
        users, file = [await self.user() for _ in range(4)], blob(100_000)
        uploads = [await self.place(user, file) for user in users]
        await together(*(self.send(upload, file.data) for upload in uploads))
        await together(*(self.there(user, file) for user in users * 2))
        self.assertEqual([file.path], self.lying(file))

    async def test_second_alone(self):
        """files#sending: if the first sends nothing, the second has it, under exactly `path`. It is
        not there for the first, nor for a stranger who has announced it."""
        first, second, stranger, file = *[await self.user() for _ in range(3)], picture()
        early, late = [await self.place(user, file) for user in (first, second)]
        await self.missing(stranger, file)
        await self.send(late, file.data)
        await self.there(second, file)
        self.assertEqual([file.path], self.lying(file))
        for user in (first, stranger):
            await self.missing(user, file)
            await self.unusable(user, file)
        await self.send(early, file.data)
        await self.there(first, file)
        await self.missing(stranger, file)
        await self.usable(second, file)
        found = self.store.ask("GET", self.store.path(file.path))
        headers = {name.lower(): value for name, value in found.headers.items()}
        self.assertEqual((200, file.data), (found.status, found.body))
        self.assertEqual("image/png", headers["content-type"])
        self.assertEqual("public, max-age=31536000, immutable", headers["cache-control"])

    async def test_old_urls(self):
        """files#sending: an upload that is repeated at its old URL takes nothing from another, and
        gives nothing to a third; nobody can write to another's key."""
        first, second, third, file = *[await self.user() for _ in range(3)], blob()
        uploads = [await self.place(user, file) for user in (first, second, third)]
        for upload in (uploads[0], uploads[1], uploads[0], uploads[1], uploads[0]):
            await self.send(upload, file.data)
        stolen = uploads[0] | {"headers": uploads[2]["headers"]}
        await self.refused_bytes(await self.sending(stolen, file.data), "invalid_signature")
        await self.missing(third, file)
        for user in (first, second):
            await self.there(user, file)
        for upload in uploads[:2]:
            await self.send(upload, file.data)
            await self.missing(third, file)
            for user in (first, second):
                await self.there(user, file)

    async def test_other_size(self):
        """files#sending: the length is signed, for keys of one's own too."""
        first, second, file = await self.user(), await self.user(), blob()
        await self.missing(first, file)
        upload = await self.place(second, file)
        for data in (file.data[:-1], file.data + b".", b""):
            await self.refused_bytes(await self.sending(upload, data), "wrong_length")
        await self.missing(second, file)
        self.assertEqual([], self.lying(file))


class AwayTests(FilesCase):
    """A store of its own, which stops and starts."""

    backend = "s3"

    async def connect(self) -> None:
        self.own_daemon()
        self.seaweed = stores.Seaweed()
        self.addCleanup(self.seaweed.remove)
        self.seaweed.start()
        store = self.seaweed.new()
        self.seaweed.stop()
        service = Daemon(environ=store.environ)
        self.addCleanup(lambda: Deferred.fromCoroutine(service.stop()))
        await service.start()
        self.use(service)

    async def test_away(self):
        """files#sending: a store that cannot be reached lets the daemon start, makes /uploads 503
        storage_unavailable, which registers nothing, and is tried again at least every 10 s; when
        it goes away later, everything else works on."""
        author, file, other = await self.user(), blob(), blob()
        await self.get("/health/ready", expect=200)
        response = await self.announcing(author, file)
        self.problem(response, 503, "storage_unavailable")
        found = await self.storage(author)
        self.assertEqual((0, 0), (found["used"], found["pending"]))
        self.seaweed.start()
        deadline = reactor.seconds() + AGAIN_WITHIN + 2
        while (response := await self.announcing(author, file)).status == 503:
            self.assertLess(reactor.seconds(), deadline, "not tried again")
            await deferLater(reactor, 0.25)
        await self.upload(author, file, other)
        self.seaweed.stop()
        self.problem(await self.announcing(author, file), 503, "storage_unavailable")
        made = await self.content(author, **self.in_use(file))
        await self.link(made, file)
        await self.block(other)
        await self.get("/health/ready", expect=200)


class RefusedTests(SpecCase):
    """Stores with which the daemon does not start."""

    async def connect(self) -> None:
        self.own_daemon()

    async def refused(self, store: stores.Store, **changes: str) -> None:
        """Assert that the daemon says so in one line, and exits with 1."""
        service = Daemon(environ=store.environ | changes)
        service.spawn()
        self.addCleanup(service.kill)
        self.assertEqual(1, await service.ended())
        lines = [line for line in service.output().splitlines() if "S3" in line]
        self.assertEqual(1, len(lines), service.output())
        self.assertNotIn("Traceback", service.output())
        self.assertNotIn("Usage:", service.output())

    async def test_bad_store(self):
        """files#sending: one that takes wrong bytes under a signed digest is refused at the
        start."""
        await self.refused(stores.rclone())

    async def test_refused_keys(self):
        """files#sending: so are keys that the store refuses."""
        await self.refused(stores.new(), AWS_SECRET_ACCESS_KEY="wrong")

    async def test_no_bucket(self):
        """files#sending: so is a bucket that is none."""
        await self.refused(stores.new(), S3_CONTENT_BUCKET="none-of-this-name")

    async def test_nothing_said(self):
        """S3 without an endpoint is refused with a line that names the setting."""
        await self.refused(stores.Store("", "", ""))
