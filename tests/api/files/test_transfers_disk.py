"""Uploads to a disk that is full, fails or is stuck, and at the end of the daemon."""

import os
import resource
from threading import Event

from twisted.internet.defer import Deferred, fail, gatherResults

from contentsvc.framework.storage.bucket import StorageUnavailable
from contentsvc.framework.storage.local import UploadStream
from tests.api.files.transferring import TransferCase, fresh

MIB = 1024 * 1024


class FullDiskTests(TransferCase):
    async def test_full(self) -> None:
        """A disk that cannot take a file is 507 amid the body, and nothing is left."""
        data = fresh(24 * MIB)
        target = await self.announce(data)
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20 * MIB, before[1]))
        try:
            answer = await self.put(target, data)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        self.problem(answer, 507, "insufficient_storage")
        await self.nothing_left(data)
        self.assertEqual((await self.put(target, data)).status, 204)

    async def test_reserve(self) -> None:
        """A file that would need the reserve of the disk is refused as soon as its first bytes
        come."""
        self.folder.reserve = 2**60
        data = fresh(2 * MIB)
        self.problem(await self.put(await self.announce(data), data), 507, "insufficient_storage")
        await self.nothing_left(data)

    async def test_fails(self) -> None:
        """A disk that fails otherwise is 503, which says to try again."""
        (self.root / "incoming").rename(self.root / "away")
        data = fresh()
        answer = await self.put(await self.announce(data), data)
        self.problem(answer, 503, "storage_unavailable")
        self.assertEqual(answer.headers["Retry-After"], "10")
        self.assertEqual(self.causes, ["storage_unavailable"])

    async def test_fails_at_end(self) -> None:
        """Where it fails as the file gets its name, nothing says that the file is there."""
        data = fresh()
        target = await self.announce(data)
        self.patch(UploadStream, "publish", lambda _: fail(StorageUnavailable("no")))
        self.problem(await self.put(target, data), 503, "storage_unavailable")
        await self.nothing_left(data)


class StuckDiskTests(TransferCase):
    async def test_stuck(self) -> None:
        """A disk that does not answer holds up the uploads, and nothing else."""
        stored = await self.stored(fresh())
        real, go = self.folder.statvfs, Event()

        def stuck(descriptor: int) -> os.statvfs_result:
            go.wait()
            return real(descriptor)

        self.folder.statvfs = stuck
        given = [fresh(2 * MIB) for _ in range(12)]
        puts = []
        for data in given:
            target = await self.announce(data)
            puts.append(Deferred.fromCoroutine(self.put(target, data)))
        try:
            while len(self.incoming()) < 4:
                await self.turn()
            self.assertEqual((await self.ask("GET", "/small")).status, 200)
            self.assertEqual((await self.ask("GET", stored)).status, 200)
            more = await self.announce(fresh())
            self.problem(await self.put(more + "x", b"x"), 403, "invalid_signature")
            self.assertEqual([put.called for put in puts], [False] * 12)
        finally:
            go.set()
        answers = await gatherResults(puts)
        self.assertEqual({answer.status for answer in answers}, {204})


class StopTests(TransferCase):
    async def test_drain(self) -> None:
        """An upload that is under way at the stop is finished, and its answer ends the
        connection."""
        data = fresh(2 * MIB)
        wire = await self.arriving(data)
        drained = Deferred.fromCoroutine(self.site.traffic.drain(30.0))
        wire.send(data[-1:])
        answer = await wire.answer()
        self.assertEqual((answer.status, answer.headers["Connection"]), (204, "close"))
        await drained

    async def test_cut_off(self) -> None:
        """One that takes longer is cut off, and nothing of it is left."""
        data = fresh(2 * MIB)
        await self.arriving(data)
        await self.site.traffic.drain(0.01)
        await self.stop()
        self.assertEqual(self.incoming(), [])
