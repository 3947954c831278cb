"""`contentsvc files check`: what it finds wrong, and what it repairs."""

import hashlib
import io
from collections.abc import AsyncIterator, Callable

from twisted.internet import reactor
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from contentsvc.command.file_stores import Gone, More, Wrong
from contentsvc.command.files_check import BATCH, Check, Checked
from contentsvc.command.progress import Progress
from contentsvc.command.terminal import CommandError
from contentsvc.framework.db.database import Database
from contentsvc.framework.storage.bucket import ListedFile, StorageUnavailable
from contentsvc.framework.storage.paths import digest_of, path_of, smaller_of
from contentsvc.store.files import inventory, scaling, unused
from tests.jobs.files import LATER, FilesCase, file_jobs
from tests.support.buckets import MemoryBucket


class MemoryPlace:
    """A place in memory."""

    def __init__(self, bucket: MemoryBucket) -> None:
        self.bucket = bucket
        self.read: list[str] = []

    async def start(self, db: Database, *, new: bool) -> None:
        """It is ready."""

    async def stop(self) -> None:
        """It holds nothing."""

    async def check(self, path: str, more: More) -> None:
        self.read.append(path)
        if path not in self.bucket.kept:
            raise Gone
        data, _ = self.bucket.kept[path]
        more(len(data))
        if hashlib.sha256(data).hexdigest() != digest_of(path):
            raise Wrong


class CheckCase(FilesCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.place = MemoryPlace(self.bucket)

    async def check(self, *, sums: bool = False, repair: bool = False) -> Checked:
        """Compare, and keep what was found in `self.found`."""
        self.found: list[tuple[str, str]] = []
        progress = Progress(io.StringIO(), reactor.seconds)
        check = Check(
            *(reactor, self.db, self.place),
            found=lambda problem: self.found.append((problem.kind, problem.path)),
            progress=progress,
            sums=sums,
            repair=repair,
        )
        return await check.run()

    def orphan(self, data: bytes = b"nobody's", media_type: str = "image/png") -> str:
        """The path of bytes that nobody knows."""
        path = path_of(hashlib.sha256(data).hexdigest(), media_type)
        self.bucket.put(path, data)
        return path

    def lost(self) -> str:
        """The path of a file without its bytes."""
        path = self.file(LATER)
        del self.bucket.kept[path]
        return path

    def rotten(self) -> str:
        """The path of a file with other bytes, as many as its own."""
        path = self.file(LATER)
        self.bucket.put(path, b"0123456789abcdef")
        return path

    def scaled(self) -> str:
        """The path of an image with its smaller ones."""
        path = self.file(LATER, "image/png")
        self.sql("update files set scaled = true where path = %s", path)
        for smaller in smaller_of(path):
            self.bucket.put(smaller, b"smaller")
        return path

    def cleared(self, path: str) -> None:
        """Block a file, whose bytes were deleted since."""
        self.sql("insert into blocked_files (sha256, reason) values (%s, 'bad')", digest_of(path))
        self.sql("update files set stored = false where path = %s", path)


class FindTests(CheckCase):
    async def test_sound(self) -> None:
        """Where all is in order, nothing is found."""
        for media_type in ("application/octet-stream", "image/png"):
            for _ in range(3):
                self.file(LATER, media_type)
        self.assertEqual(await self.check(), Checked(6, 6, 0))
        self.assertEqual(self.found, [])

    async def test_empty(self) -> None:
        """Nothing is in order, too."""
        self.assertEqual(await self.check(), Checked(0, 0, 0))

    async def test_missing(self) -> None:
        """A file without its bytes is found."""
        self.file(LATER)
        path = self.lost()
        self.assertEqual(await self.check(), Checked(2, 1, 0))
        self.assertEqual(self.found, [("missing", path)])

    async def test_smaller(self) -> None:
        """A smaller image that is not there is found, wherever its image is among the others; none
        of an image that has none, is lost itself, or is gone."""
        paths = sorted(self.scaled() for _ in range(6))
        wanted = []
        for path, gone in zip(paths, ((), (0,), (1,), (0, 1), (), (0, 1)), strict=True):
            for smaller in [smaller_of(path)[n] for n in gone]:
                del self.bucket.kept[smaller]
                wanted.append(("smaller", smaller))
        self.file(LATER, "image/png")
        lost = self.scaled()
        for each in (lost, *smaller_of(lost)):
            del self.bucket.kept[each]
        await self.check()
        self.assertEqual(sorted(self.found), sorted([*wanted, ("missing", lost)]))

    async def test_smaller_just_gone(self) -> None:
        """While an image is being taken away, the loss of its smaller ones is none."""
        path = self.scaled()
        del self.bucket.kept[smaller_of(path)[0]]
        self.sql("update files set collecting = true")
        await self.check()
        self.assertEqual(self.found, [])

    async def test_unknown(self) -> None:
        """Bytes that the database does not know are found."""
        self.file(LATER)
        path = self.orphan()
        self.assertEqual(await self.check(), Checked(1, 2, 0))
        self.assertEqual(self.found, [("unknown", path)])

    async def test_foreign(self) -> None:
        """What the service cannot have made is counted, and is no problem."""
        for path in ("", "!", "index.html", "zz/other", "~"):
            if path:
                self.bucket.put(path, b"other")
        self.file(LATER)
        self.assertEqual(await self.check(), Checked(1, 5, 4))
        self.assertEqual(self.found, [])

    async def test_size(self) -> None:
        """A file with fewer or more bytes is found without being read."""
        path = self.file(LATER)
        self.bucket.put(path, b"short")
        await self.check()
        self.assertEqual((self.found, self.place.read), ([("size", path)], []))

    async def test_sum(self) -> None:
        """A file with other bytes is found if all are read; once more, as reading may fail."""
        sound, path = self.file(LATER), self.rotten()
        await self.check()
        self.assertEqual((self.found, self.place.read), ([], []))
        await self.check(sums=True)
        self.assertEqual(self.found, [("sum", path)])
        self.assertEqual(sorted(self.place.read), sorted([sound, path, path]))

    async def test_blocked(self) -> None:
        """Bytes that are there again after their block was done are found."""
        path, waiting = self.file(LATER), self.file(LATER)
        self.cleared(path)
        await self.block(digest_of(waiting))
        await self.check()
        self.assertEqual(self.found, [("blocked", path)])

    async def test_no_bytes_yet(self) -> None:
        """A file that is only announced need not have bytes, and one being collected may have
        them or not."""
        self.sql("update files set stored = false where path = %s", self.lost())
        self.sql("update files set collecting = true where path = %s", self.lost())
        self.sql("update files set collecting = true where path = %s", self.file())
        await self.check(sums=True)
        self.assertEqual((self.found, self.place.read), ([], []))

    async def test_many(self) -> None:
        """It goes on through all pages, and finds every problem once."""
        expected = {("missing", self.lost()) for _ in range(5)}
        expected |= {("unknown", self.orphan(b"%d" % n)) for n in range(BATCH + 5)}
        self.sql(
            "insert into files (path, size, stored) select substr(d, 1, 2) || '/' || d, 1, true"
            " from (select encode(sha256(('x' || n)::bytea), 'hex') as d"
            f" from generate_series(1, {inventory.PAGE + 50}) n) named"
        )
        for (path,) in self.sql("select path from files where size = 1"):
            self.bucket.put(path, b"x")
        checked = await self.check()
        self.assertEqual(set(self.found), expected)
        self.assertEqual(len(self.found), len(expected))
        self.assertEqual(checked.known, inventory.PAGE + 55)

    async def test_order(self) -> None:
        """A store that does not list its files in order cannot be compared."""
        paths = sorted([self.orphan(b"a"), self.orphan(b"b")])

        async def backwards() -> AsyncIterator[ListedFile]:
            for path in reversed(paths):
                yield ListedFile(path, 1)

        self.bucket.list = backwards  # type: ignore[method-assign]
        with self.assertRaises(CommandError):
            await self.check()

    async def test_away(self) -> None:
        """Without the store there is no result."""
        self.lost()
        self.bucket.away = True
        with self.assertRaises(StorageUnavailable):
            await self.check()


class MeanwhileTests(CheckCase):
    def on_look(self, act: Callable[[], object]) -> None:
        """Let this happen between the first look and the second."""

        def before() -> Deferred[None] | None:
            self.bucket.before = lambda: None
            act()
            return None

        listed = self.bucket.list

        async def listing() -> AsyncIterator[ListedFile]:
            files = [file async for file in listed()]
            for file in files:
                yield file
            self.bucket.before = before

        self.bucket.list = listing  # type: ignore[method-assign]

    async def test_arrived(self) -> None:
        """A file that arrives meanwhile is no problem."""
        path = self.lost()
        self.on_look(lambda: self.bucket.put(path, b"0123456789abcdef"))
        await self.check()
        self.assertEqual(self.found, [])

    async def test_announced(self) -> None:
        """Nor is one whose row came after its place was passed."""
        path = self.orphan()
        self.on_look(lambda: self.sql("insert into files (path) values (%s)", path))
        await self.check()
        self.assertEqual(self.found, [])

    async def test_collected(self) -> None:
        """Nor is one that is collected meanwhile."""
        path, other = self.lost(), self.orphan()

        def collect() -> None:
            self.sql("delete from files where path = %s", path)
            del self.bucket.kept[other]

        self.on_look(collect)
        await self.check()
        self.assertEqual(self.found, [])

    async def test_collected_while_read(self) -> None:
        """Nor is one that is collected while it is read."""
        path = self.file(LATER)
        self.place.check = self.gone(path)  # type: ignore[method-assign]
        await self.check(sums=True)
        self.assertEqual(self.found, [])

    def gone(self, path: str) -> Callable[..., object]:
        """Stands for a read of a file that goes."""

        async def check(path: str, more: More) -> None:
            del self.bucket.kept[path]
            self.sql("delete from files where path = %s", path)
            raise Gone

        return check


class RepairTests(CheckCase):
    async def repaired(self, kind: str, path: str, *, sums: bool = False) -> None:
        """Assert that this is found and repaired: then nothing is found any more."""
        await self.check(sums=sums, repair=True)
        self.assertEqual(self.found, [(kind, path)])
        await self.check(sums=sums)
        self.assertEqual(self.found, [])

    async def test_missing(self) -> None:
        """A file without bytes is not there any more: it can be sent again."""
        path = self.lost()
        await self.repaired("missing", path)
        self.assertEqual(self.row(path), {"stored": False, "collecting": False, "timed": True})

    async def test_smaller(self) -> None:
        """An image that has lost a smaller one counts as an image that has none, so that a daemon
        makes both again."""
        path = self.scaled()
        lost = smaller_of(path)[1]
        del self.bucket.kept[lost]
        await self.repaired("smaller", lost)
        async with self.db.transaction() as tx:
            self.assertEqual(await scaling.lacking(tx), [path])

    async def test_arrives(self) -> None:
        """One whose bytes come during the repair is there."""
        path = self.lost()
        looks = []

        def arrive() -> None:
            looks.append(path)
            if len(looks) == 1:
                self.bucket.put(path, b"0123456789abcdef")

        self.bucket.after = arrive
        await self.check(repair=True)
        self.assertEqual(self.row(path), {"stored": True, "collecting": False, "timed": True})

    async def test_unknown(self) -> None:
        """Bytes that nobody knows are deleted, others stay."""
        sound, path = self.file(LATER), self.orphan()
        await self.repaired("unknown", path)
        self.assertEqual(self.bucket.files, [sound])
        self.assertIsNone(self.row(path))

    async def test_wrong(self) -> None:
        """Wrong bytes are deleted. The file keeps its row for who needs it, to be sent again."""
        path, unneeded = self.rotten(), self.file(LATER)
        self.claim(path)
        self.bucket.put(unneeded, b"short")
        await self.check(sums=True, repair=True)
        self.assertEqual(set(self.found), {("sum", path), ("size", unneeded)})
        self.assertEqual(self.row(path), {"stored": False, "collecting": False, "timed": False})
        self.assertIsNone(self.row(unneeded))
        self.assertEqual(self.bucket.files, [])

    async def test_blocked(self) -> None:
        """The bytes of a blocked file are left to the daemons, which delete them once more."""
        path = self.file(LATER)
        self.cleared(path)
        await self.repaired("blocked", path)
        self.assertEqual(self.uncleared(), {digest_of(path)})

    async def test_away(self) -> None:
        """If the store goes away, what was begun is finished by a daemon, once the command's time
        is over."""
        path = self.orphan()
        deleted = self.bucket.delete

        async def delete(paths: list[str]) -> None:
            self.bucket.away = True
            await deleted(paths)

        self.bucket.delete = delete  # type: ignore[method-assign,assignment]
        with self.assertRaises(StorageUnavailable):
            await self.check(repair=True)
        self.assertEqual(self.row(path), {"stored": False, "collecting": True, "timed": False})
        self.bucket.away = False
        self.bucket.delete = deleted  # type: ignore[method-assign]
        daemon = file_jobs(Clock(), self.db, self.bucket).collection
        self.assertIsNone(await daemon.run())
        self.pass_time(unused.LEASE)
        await daemon.run()
        self.assertEqual((self.bucket.files, self.row(path)), ([], None))
