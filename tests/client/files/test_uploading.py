"""Uploads, against a store that fails as the test wants."""

import hashlib
import os
from collections import deque
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import TestCase
from twisted.web.client import Agent, HTTPConnectionPool

from contentsvc.client.errors import (
    ApiError,
    BadFile,
    FileChanged,
    FilesRefused,
    TransferError,
    Unreachable,
)
from contentsvc.client.files.local import LocalFile, Progress
from contentsvc.client.files.sending import SILENCE
from contentsvc.client.files.transfers import Transfers
from tests.client.files import store

PNG = b"\x89PNG\r\n\x1a\n" + b"." * 40
BIG = bytes(range(256)) * 4096 * 8
"""8 MiB: more than a connection takes unread."""


class AtOnce:
    """Random numbers that make every pause nothing."""

    def uniform(self, low: float, high: float) -> float:
        return 0.0


class Timed:
    """The reactor with a clock of its own for what is to happen later."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.seconds = clock.seconds
        self.connecting = 0

    def connectTCP(self, *given: Any, **named: Any) -> Any:
        self.connecting += 1
        return reactor.connectTCP(*given, **named)

    def callLater(self, delay: float, act: Any, *given: Any, **named: Any) -> Any:
        timed = self._clock if delay else reactor
        return timed.callLater(delay, act, *given, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(reactor, name)


class Case(TestCase):
    timeout = 60

    def setUp(self) -> None:
        self.store = store.Store()
        self.store.start()
        self.addCleanup(self.store.stop)
        self.service = store.Service(self.store)
        folder = TemporaryDirectory(prefix="contentsvc-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.steps: list[Progress] = []
        self.clock = Clock()
        self.timed = Timed(self.clock)
        self.transfers = self.made()

    def made(self, **more: Any) -> Transfers:
        pool = HTTPConnectionPool(reactor)
        self.addCleanup(pool.closeCachedConnections)
        return Transfers(
            self.timed,
            self.service,
            self.service,
            Agent(reactor, pool=pool),
            AtOnce(),  # type: ignore[arg-type]
            **more,
        )

    def file(self, data: bytes, name: str = "a") -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path

    async def upload(self, *data: bytes, **more: Any) -> list[str]:
        """Upload entities. Their paths."""
        files = [LocalFile("entity", self.file(d, f"f{n}")) for n, d in enumerate(data)]
        done = await self.transfers.upload(files, progress=self.steps.append, **more)
        return [each.path for each in done]

    async def fails(self, kind: type[Exception], working: Any) -> Any:
        return await self.assertFailure(Deferred.fromCoroutine(working), kind)


class UploadTests(Case):
    async def test_sent(self) -> None:
        """Files are announced, sent and announced again, which verifies them; their paths come
        back in their order."""
        paths = await self.upload(b"one", BIG, b"three")
        self.assertEqual([self.store.kept[path] for path in paths], [b"one", BIG, b"three"])
        self.assertEqual(len(self.service.announced), 2)
        self.assertEqual(self.service.announced[0], self.service.announced[1])

    async def test_headers(self) -> None:
        """A PUT has exactly the headers that were given, and no token."""
        await self.upload(b"one")
        (put,) = self.store.asked
        sha256 = hashlib.sha256(b"one").hexdigest()
        self.assertEqual(
            put.headers,
            {
                "host": self.store.url.removeprefix("http://"),
                "content-length": "3",
                "connection": "close",
                "x-sum": sha256,
            },
        )

    async def test_there(self) -> None:
        """What is there is not sent."""
        path = self.store.keep(b"one")
        self.assertEqual(await self.upload(b"one"), [path])
        self.assertEqual((len(self.service.announced), self.store.asked), (1, []))
        self.assertEqual([step[1:] for step in self.steps], [(3, 3)])

    async def test_twice(self) -> None:
        """The same bytes under two names are sent once."""
        first, second = await self.upload(b"one", b"one")
        self.assertEqual((first, len(self.store.asked)), (second, 1))

    async def test_many(self) -> None:
        """A call announces at most 1,000 files."""
        for number in range(1001):
            self.store.keep(b"%d" % number)
        await self.upload(*(b"%d" % number for number in range(1001)))
        self.assertEqual([len(body.files) for body in self.service.announced], [1000, 1])

    async def test_most_pending(self) -> None:
        """Where so many may not be announced at once, some are sent first."""
        self.service.most_pending = 1_050
        data = [b"%d" % number for number in range(1_100)]
        await self.upload(*data)
        self.assertEqual(set(self.store.kept.values()), set(data))

    async def test_at_once(self) -> None:
        """No more files are on their way at once than allowed."""
        self.store.acts.extend([store.deaf] * 2)
        uploading = Deferred.fromCoroutine(self.upload(b"1", b"2", b"3", b"4", at_once=2))
        await store.until(lambda: len(self.store.asked) == 2)
        uploading.cancel()
        await self.assertFailure(uploading, CancelledError)
        self.assertEqual(len(self.store.asked), 2)

    async def test_progress(self) -> None:
        """Each file says how much of it has been sent, and is whole only when the store says so."""
        await self.upload(BIG)
        self.assertTrue(all(step.total == len(BIG) for step in self.steps))
        done = [step.done for step in self.steps]
        self.assertGreater(len(done), 8)
        self.assertEqual(done, sorted(done))
        self.assertLess(max(done[:-2]), len(BIG))
        self.assertEqual(done[-1], len(BIG))

    async def test_image(self) -> None:
        """An image's type is found by its first bytes, and goes with the announcement."""
        done = await self.transfers.upload([LocalFile("screenshot", self.file(PNG))])
        self.assertEqual(done[0].path[-4:], ".png")
        self.assertEqual(self.service.announced[0].files[0].media_type, "image/png")

    async def test_no_image(self) -> None:
        """What is no image, and what is empty, is refused before anything is sent."""
        await self.fails(
            BadFile, self.transfers.upload([LocalFile("avatar", self.file(b"GIF89a"))])
        )
        await self.fails(BadFile, self.upload(b""))
        self.assertEqual(self.service.announced, [])


class TroubleTests(Case):
    async def test_again(self) -> None:
        """Lost connections and 503 are tried again."""
        self.store.acts.extend([store.lost, store.says(503), store.lost])
        (path,) = await self.upload(b"one")
        self.assertEqual(self.store.kept[path], b"one")
        self.assertEqual(len(self.store.asked), 4)

    async def test_gives_up(self) -> None:
        """Not for ever: the last failure is raised."""
        self.transfers = self.made(tries=3)
        self.store.acts.extend([store.lost] * 3)
        await self.fails(Unreachable, self.upload(b"one"))
        self.store.acts.extend([store.says(503, b'{"code": "overloaded"}')] * 3)
        error = await self.fails(FilesRefused, self.upload(b"one"))
        self.assertEqual((error.code, len(self.store.asked)), ("overloaded", 6))

    async def test_silence(self) -> None:
        """A store that neither reads nor answers is given up, and asked again."""
        self.store.acts.append(store.deaf)
        uploading = Deferred.fromCoroutine(self.upload(BIG))
        await store.until(lambda: bool(self.store.asked))
        self.clock.advance(SILENCE)
        await uploading
        self.assertEqual(len(self.store.asked), 2)

    async def test_resumed(self) -> None:
        """A call after a failure sends only what is missing."""
        self.transfers = self.made(tries=1)
        self.store.acts.extend([store.served, store.lost])
        await self.fails(Unreachable, self.upload(b"one", b"two", at_once=1))
        await self.upload(b"one", b"two")
        self.assertEqual([put.body for put in self.store.asked], [b"one", b"two", b"two"])

    async def test_expired(self) -> None:
        """A URL that has expired is asked for again."""
        self.store.acts.extend([store.says(403), store.served])
        await self.upload(b"one", b"two", at_once=1)
        self.assertEqual([put.query for put in self.store.asked], ["n=1", "n=1", "n=2"])

    async def test_refused(self) -> None:
        """A store that refuses all new URLs too is an error."""
        for status in (400, 403):
            self.store.acts.extend([store.says(status, b"<Error/>")] * 4)
            error = await self.fails(FilesRefused, self.upload(b"one", b"two"))
            self.assertEqual((error.code, self.store.acts), (f"http_{status}", deque()))

    async def test_replaced(self) -> None:
        """An upload that another of the same file has replaced is tried again."""
        self.store.acts.append(store.says(409, b'{"code": "upload_replaced", "detail": "No."}'))
        (path,) = await self.upload(b"one")
        self.assertEqual(self.store.kept[path], b"one")

    async def test_early(self) -> None:
        """A refusal that comes before the file is read is heard, and ends the sending."""
        self.store.acts.append(store.early)
        error = await self.fails(FilesRefused, self.upload(BIG))
        self.assertEqual((error.code, error.files), ("file_blocked", [self.folder / "f0"]))

    async def test_redirect(self) -> None:
        """A redirect is not followed."""
        self.store.acts.append(store.says(307, Location=f"{self.store.url}/x"))
        error = await self.fails(FilesRefused, self.upload(b"one"))
        self.assertEqual((error.code, len(self.store.asked)), ("http_307", 1))

    async def test_full(self) -> None:
        """A disk that is full is an error at once."""
        self.store.acts.append(store.says(507, b'{"code": "disk_full", "detail": "Full."}'))
        error = await self.fails(FilesRefused, self.upload(b"one"))
        self.assertEqual((error.status, error.code), (507, "disk_full"))
        self.assertEqual(len(self.store.asked), 1)

    async def test_announcement_refused(self) -> None:
        """A refused announcement names the files at which it points."""
        errors = [{"pointer": "/files/1/size", "detail": "too large"}]
        problem = {"limit": 5, "errors": errors}
        self.service.refusal = ApiError(422, "file_too_large", "No.", problem)
        error = await self.fails(FilesRefused, self.upload(b"one", b"two"))
        self.assertEqual((error.code, error.problem["limit"]), ("file_too_large", 5))
        self.assertEqual(error.files, [self.folder / "f1"])
        self.assertIn("f1", str(error))

    async def test_changed(self) -> None:
        """A file that changes after it was measured is not sent."""
        (measured,) = await self.transfers.measure([LocalFile("entity", self.file(b"one"))])
        self.file(b"other")
        await self.fails(FileChanged, self.transfers.upload([measured]))
        self.assertEqual(self.store.asked, [])

    async def test_shorter(self) -> None:
        """A file that becomes shorter while it is sent is an error."""
        (measured,) = await self.transfers.measure([LocalFile("entity", self.file(BIG))])

        def cut(step: Progress) -> None:
            os.truncate(measured.file, 1000)

        await self.fails(FileChanged, self.transfers.upload([measured], progress=cut))
        self.assertEqual(self.store.kept, {})

    async def test_mistake(self) -> None:
        """An error of the caller's own function ends the upload, and is raised."""

        def mistaken(step: Progress) -> None:
            if step.done:
                raise ConnectionResetError("of my own")

        files = [LocalFile("entity", self.file(BIG))]
        error = await self.fails(
            ConnectionResetError, self.transfers.upload(files, progress=mistaken)
        )
        self.assertEqual((str(error), len(self.service.announced)), ("of my own", 1))
        self.assertLessEqual(len(self.store.asked), 1)

    async def test_hesitant(self) -> None:
        """An answer that promises another one, and comes in pieces, is waited for."""
        self.store.acts.append(store.hesitant)
        (path,) = await self.upload(BIG)
        self.assertEqual((len(self.store.asked), self.store.kept[path]), (1, BIG))

    async def test_no_url(self) -> None:
        """An upload to anything but HTTP is refused."""
        self.service.scheme = "ftp"
        error = await self.fails(ApiError, self.upload(b"one"))
        self.assertEqual(error.code, "malformed_answer")

    async def test_not_there(self) -> None:
        """A file that the store takes and the service does not find is sent three times."""
        self.store.acts.extend([store.says(200)] * 3)
        await self.fails(TransferError, self.upload(b"one"))
        self.assertEqual(len(self.store.asked), 3)

    async def test_first_failure(self) -> None:
        """A failure ends what else is on its way."""
        self.store.acts.extend([store.deaf, store.says(507)])
        await self.fails(FilesRefused, self.upload(BIG, b"two"))

    async def test_cancelled_early(self) -> None:
        """So can one that has no connection yet."""
        with store.unreachable() as self.service.at:
            uploading = Deferred.fromCoroutine(self.upload(b"one"))
            await store.until(lambda: self.timed.connecting > 0)
            uploading.cancel()
            await self.assertFailure(uploading, CancelledError)

    async def test_cancelled(self) -> None:
        """An upload can be cancelled, and goes on with the next call."""
        self.store.acts.append(store.deaf)
        uploading = Deferred.fromCoroutine(self.upload(BIG))
        await store.until(lambda: bool(self.store.asked))
        uploading.cancel()
        await self.assertFailure(uploading, CancelledError)
        (path,) = await self.upload(BIG)
        self.assertEqual(self.store.kept[path], BIG)
