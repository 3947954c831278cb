"""Files in a folder."""

import errno
import os
import shutil
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, cast

from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.threads import deferToThread

from contentsvc.framework.core import disk
from contentsvc.framework.storage.bucket import ListedFile, StorageUnavailable, StoredFile
from contentsvc.framework.storage.folder import (
    MARK,
    Astray,
    Folder,
    OutOfSpace,
    PartialFile,
    WrongBytes,
)
from contentsvc.framework.storage.local import Local
from contentsvc.framework.storage.lock_files import LockFiles
from contentsvc.framework.storage.paths import held_path_of
from tests.framework.storage.support import NOON, TOKEN, LocalCase, dead_name, named, remembered
from tests.support.disks import refuse_flush

WAIT = 10.0
"""Seconds after which a test that hangs goes on, and fails."""


class SlowFolder(Folder):
    """Has `begun` to use the disk, and waits until that `goes_on`."""

    def __init__(self, root: Path) -> None:
        super().__init__(root, reserve=0)
        self.begun, self.goes_on = Event(), Event()

    def file(self, path: str) -> Path:
        self.begun.set()
        self.goes_on.wait(WAIT)
        return super().file(path)


class BucketTests(LocalCase):
    async def test_there(self) -> None:
        """What was stored is found, read and deleted."""
        path = await self.put(b"some bytes")
        image = await self.put(b"image", "image/webp")
        missing = named(b"missing")
        found = await self.bucket.stat([path, image, missing])
        self.assertEqual(found, {path: StoredFile(10, None), image: StoredFile(5, None)})
        self.assertEqual(await self.bucket.read(path, 4), b"some")
        self.assertEqual(await self.bucket.read(image, 100), b"image")
        self.assertEqual(await self.bucket.read(missing, 4), b"")
        await self.bucket.delete([path, missing])
        self.assertEqual(list(await self.bucket.stat([path, image])), [image])

    async def test_no_file(self) -> None:
        """A folder in the place of a file is no file."""
        path = named(b"x")
        (self.root / "content" / path).mkdir(parents=True)
        self.assertEqual(await self.bucket.stat([path]), {})

    async def test_hold(self) -> None:
        """What is kept apart outlives its file, and lies in no place that is public."""
        for path in (await self.put(b"some bytes"), await self.put(b"image", "image/webp")):
            self.assertTrue(await self.bucket.hold(path))
            self.assertTrue(await self.bucket.hold(path))
            size = (await self.bucket.stat([path]))[path].size
            await self.bucket.delete([path])
            held = held_path_of(path)
            found = await self.bucket.stat([path, held])
            self.assertEqual(found, {held: StoredFile(size, None)})
            self.assertTrue((self.root / "content" / held).is_file())

    async def test_hold_nothing(self) -> None:
        """What is not there is not kept apart."""
        self.assertFalse(await self.bucket.hold(named(b"missing")))

    async def test_hold_replaces(self) -> None:
        """What lies in the place is replaced."""
        path = await self.put(b"some bytes")
        target = self.root / "content" / held_path_of(path)
        target.parent.mkdir(parents=True)
        target.write_bytes(b"other")
        self.assertTrue(await self.bucket.hold(path))
        self.assertEqual(target.read_bytes(), b"some bytes")

    async def test_hold_copies(self) -> None:
        """Where the disk gives a file no second name, the bytes are copied; others than those
        of the path are not."""
        path = await self.put(b"some bytes")

        def refuse(*_: object) -> None:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))

        self.patch(os, "link", refuse)
        self.assertTrue(await self.bucket.hold(path))
        target = self.root / "content" / held_path_of(path)
        self.assertEqual(target.read_bytes(), b"some bytes")
        self.assertFalse(target.samefile(self.root / "content" / path))
        target.unlink()
        (self.root / "content" / path).write_bytes(b"evil bytes")
        with self.assertRaises(StorageUnavailable):
            await self.bucket.hold(path)
        self.assertFalse(target.exists())

    async def test_delete_cancelled(self) -> None:
        """A deletion that is cancelled while the disk holds it up deletes no other file later."""
        folder = SlowFolder(self.root)
        bucket = Local(reactor, folder, self.links, remembered(folder))
        await bucket.start()
        paths = [await self.put(b"1"), await self.put(b"2")]
        deleting = Deferred.fromCoroutine(bucket.delete(paths))
        await deferToThread(folder.begun.wait, WAIT)
        deleting.cancel()
        await self.assertFailure(deleting, CancelledError)
        folder.goes_on.set()
        await bucket.stop()
        self.assertIn(paths[1], await self.bucket.stat(paths))

    async def test_list(self) -> None:
        """A list has the files of both buckets, and whatever else lies there, in the order of their
        paths."""
        paths = [await self.put(b"%d" % n) for n in range(5)]
        paths += [await self.put(b"%d" % n, "image/png") for n in range(5)]
        (self.root / "content" / "ab-").write_bytes(b"1")
        (self.root / "media" / "ab").mkdir()
        (self.root / "media" / "ab" / "y").write_bytes(b"12")
        (self.root / "content" / "ab").mkdir(exist_ok=True)
        (self.root / "content" / "ab" / "x").write_bytes(b"123")
        (self.root / "content" / os.fsdecode(b"\xff")).touch()
        listed = [each async for each in self.bucket.list()]
        expected = sorted([*paths, "ab-", "ab/x", "ab/y", "\ufffd"])
        self.assertEqual([each.path for each in listed], expected)
        self.assertIn(ListedFile("ab/x", 3), listed)

    async def test_signs(self) -> None:
        """Uploads need a Content-Type and are below the service's own URL; so is mediaUrl, unless
        the operator says otherwise."""
        path = named(b"x", "image/png")
        url, headers, expires = self.bucket.sign_upload("https://a.example/x", path, 1, TOKEN)
        self.assertTrue(url.startswith(f"https://a.example/x/files/media/{path}?"), url)
        self.assertEqual((headers, expires), ({"Content-Type": "image/png"}, NOON + 3600))
        url, expires = self.bucket.sign_download("https://a.example", named(b"x"))
        self.assertTrue(url.startswith(f"https://a.example/files/content/{named(b'x')}?"), url)
        self.assertEqual(self.bucket.media_url("http://b"), "http://b/files/media")
        other = await self.started(media_url="https://cdn.example")
        self.assertEqual(other.media_url("http://b"), "https://cdn.example")

    async def test_other_paths(self) -> None:
        """A path that is not the service's own is never looked at."""
        for path in ("../secret.keys", "/etc/passwd", "ab/../../x", "incoming/x"):
            with self.assertRaises(ValueError):
                await self.bucket.delete([path])

    async def test_away(self) -> None:
        """A folder that cannot be read is a store that is away."""
        path = await self.put(b"x")
        (self.root / "content").rename(self.root / "away")
        (self.root / "content").write_bytes(b"")
        with self.assertRaisesRegex(StorageUnavailable, "Not a directory"):
            await self.bucket.stat([path])

    async def test_no_flush_of_folders(self) -> None:
        """Where the file system flushes no folder, files come all the same."""
        self.patch(disk, "_warned", set())
        for code in (errno.EINVAL, errno.ENOTSUP):
            patched = self.patch(os, "fsync", refuse_flush(code))
            path = await self.put(b"%d" % code)
            patched.restore()
            self.assertIn(path, await self.bucket.stat([path]))

    async def test_names_the_file(self) -> None:
        """An error of the disk names the file, also where the system does not."""
        there = await self.put(b"old")

        def broken(*given: object) -> int:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        patched = self.patch(os, "pread", broken)
        with self.assertRaisesRegex(StorageUnavailable, f"/content/{there}: Input/output"):
            await self.bucket.read(there, 1)
        patched.restore()
        self.patch(os, "fsync", refuse_flush(errno.EIO, files=True))
        with self.assertRaisesRegex(StorageUnavailable, "/incoming/upload-6-.*: Input/output"):
            await self.put(b"second")

    async def test_not_mounted(self) -> None:
        """If the folder itself is not there, no file counts as missing."""
        path = await self.put(b"x")
        await self.bucket.reach()
        (self.root / "content").rename(self.root / "away")
        for act in (
            self.bucket.stat([path]),
            self.bucket.read(path, 1),
            self.bucket.delete([path]),
            self.bucket.reach(),
        ):
            with self.assertRaisesRegex(StorageUnavailable, "it lacks content or media"):
                await act

    async def test_empty_in_its_place(self) -> None:
        """What lies in its place and has another id, or none, is not the folder: no file counts as
        missing, nothing is made or written there, and nothing becomes visible, until it is back."""
        path, coming = await self.put(b"x"), named(b"coming")
        arriving = self.bucket.arrive(coming, 6)
        self.root.rename(away := self.root.with_name("away"))
        self.root.mkdir()
        for id in (None, "another"):
            if id is not None:
                Folder(self.root).prepare(id)
            for act in (
                self.bucket.stat([path]),
                self.bucket.read(path, 1),
                self.bucket.delete([path]),
                self.bucket.reach(),
            ):
                with self.assertRaisesRegex(StorageUnavailable, "not the folder of this"):
                    await act
        await arriving.write(b"coming")
        await arriving.flush()
        with self.assertRaisesRegex(StorageUnavailable, "another id"):
            await arriving.publish()
        shutil.rmtree(self.root)
        away.rename(self.root)
        await self.bucket.reach()
        self.assertEqual(list(await self.bucket.stat([path, coming])), [path])

    async def test_chosen(self) -> None:
        """The first folder of a database is made, or taken with the id that it has. Where there
        ought to be files, an empty one is refused, and one that has buckets is taken."""
        new = Folder(Path(self.mktemp()))
        with self.assertRaisesRegex(Astray, "its disk"):
            new.choose(stored=True)
        self.assertFalse(new.root.exists())
        id = new.choose(stored=False)
        self.assertEqual((new.id(), new.whole()), (id, True))
        self.assertEqual(new.choose(stored=True), id)
        (new.root / MARK).unlink()
        self.assertNotEqual(new.choose(stored=True), id)
        (new.root / MARK).write_text("no id")
        with self.assertRaisesRegex(Astray, "no id"):
            new.choose(stored=False)

    async def test_reach(self) -> None:
        """A folder is good if it can be written to, and has room."""
        await self.bucket.reach()
        self.folder.reserve = 2**62
        with self.assertRaisesRegex(StorageUnavailable, "No space left"):
            await self.bucket.reach()
        self.assertEqual(self.incoming(), [])

    async def test_room(self) -> None:
        """Uploads leave 64 MiB of a disk free. Of one that the database is on too they leave a
        tenth, 64 MiB at least and 2 GiB at most. The setting comes before both."""
        mib, gib = 1024**2, 1024**3

        def left(size: int, *, shared: bool, reserve: int | None = None) -> int:
            """What uploads leave of a disk of this size, of which all is free."""
            disk = SimpleNamespace(f_blocks=size, f_bavail=size, f_frsize=1)
            database = self.root if shared else Path("/proc")
            folder = Folder(
                self.root, reserve=reserve, database=database, statvfs=lambda _: cast(Any, disk)
            )
            with (self.root / MARK).open() as file:
                return size - folder.room(file.fileno())

        self.assertEqual(left(100 * gib, shared=False), 64 * mib)
        self.assertEqual(left(100 * gib, shared=True), 2 * gib)
        self.assertEqual(left(10 * gib, shared=True), gib)
        self.assertEqual(left(100 * mib, shared=True), 64 * mib)
        for shared in (True, False):
            self.assertEqual(left(10 * gib, shared=shared, reserve=5), 5)

    async def test_arriving(self) -> None:
        """An upload that begins leaves room for all that others are still going to write, those of
        another process too. Those that came first come whole."""
        taken = 0

        def disk(descriptor: int) -> Any:
            written = sum(file.stat().st_size for file in (self.root / "incoming").iterdir())
            return SimpleNamespace(f_blocks=100, f_bavail=100 - written - taken, f_frsize=1)

        self.folder.statvfs = disk
        other = Folder(self.root, reserve=0, statvfs=disk)
        first = PartialFile(other, named(b"a" * 60), 60)
        first.write(b"a" * 10)
        second = PartialFile(self.folder, named(b"b" * 41), 41)
        with self.assertRaises(OutOfSpace):
            second.write(b"b")
        second.discard()
        third = PartialFile(self.folder, named(b"c" * 40), 40)
        third.write(b"c" * 20)
        first.write(b"a" * 50)
        third.write(b"c" * 20)
        for incoming in (first, third):
            incoming.discard()
        self.assertEqual(self.incoming(), [])

    async def test_full(self) -> None:
        """What a full disk has can still be looked at."""
        path = await self.put(b"x")
        self.folder.reserve = 2**62
        with self.assertRaises(StorageUnavailable):
            await self.bucket.reach()
        self.assertEqual(await self.bucket.stat([path]), {path: StoredFile(1, None)})

    async def test_not_written(self) -> None:
        """While nothing can be written, no file is looked at, so that none is announced."""
        path = await self.put(b"x")
        (self.root / "incoming").rename(self.root / "away")
        with self.assertRaises(StorageUnavailable):
            await self.bucket.reach()
        with self.assertRaisesRegex(StorageUnavailable, "No such file"):
            await self.bucket.stat([path])
        (self.root / "away").rename(self.root / "incoming")
        await self.bucket.reach()
        self.assertEqual(await self.bucket.stat([path]), {path: StoredFile(1, None)})


class ArrivalTests(LocalCase):
    async def test_visible_at_the_end(self) -> None:
        """A file is there when it is whole, and not before."""
        path = named(b"onetwo")
        arriving = self.bucket.arrive(path, 6)
        await arriving.write(b"one")
        await arriving.write(b"two")
        self.assertEqual((await self.bucket.stat([path]), len(self.incoming())), ({}, 1))
        await arriving.flush()
        await arriving.publish()
        self.assertEqual(await self.bucket.stat([path]), {path: StoredFile(6, None)})
        self.assertEqual(self.incoming(), [])

    async def test_wrong(self) -> None:
        """Other bytes, fewer, or more are refused, and nothing is left when they are discarded."""
        path = named(b"onetwo")
        for data in (b"twoone", b"onetw", b"onetwo!"):
            arriving = self.bucket.arrive(path, 6)
            await arriving.write(data)
            with self.assertRaises(WrongBytes):
                await arriving.flush()
            arriving.discard()
        await self.stopped(self.bucket)
        self.assertEqual((await self.left(), self.incoming()), ([], []))

    async def left(self) -> list[str]:
        """The files in both buckets."""
        return [name for shelf in self.folder.shelves() for name, _ in self.folder.on(shelf)]

    async def test_stop(self) -> None:
        """What has arrived in part is gone after the end."""
        await self.bucket.arrive(named(b"onetwo"), 6).write(b"one")
        await self.stopped(self.bucket)
        self.assertEqual(self.incoming(), [])

    async def test_broken_uploads(self) -> None:
        """A start deletes what is old, and leaves what may still arrive elsewhere."""
        for name, age in ("old", 3601), ("young", 3599):
            self.touch(name, age)
        await self.started()
        self.assertEqual(self.incoming(), ["young"])

    def touch(self, name: str, age: float = 0) -> None:
        """Let an incoming file be so many seconds old."""
        file = self.root / "incoming" / name
        file.touch()
        os.utime(file, times=(NOON - age, NOON - age))

    async def test_uploads_of_the_dead(self) -> None:
        """What a process that has died was writing, a start and the next sweep delete at once; what
        arrives in living ones they leave."""
        alive = self.bucket.arrive(named(b"twothree"), 8)
        await alive.write(b"two")
        (kept,) = self.incoming()
        self.touch(kept)
        for act in (self.started, self.bucket.delete_broken_uploads):
            for kind in ("", "probe-"):
                self.touch(f"{kind}{dead_name()}")
            await act()
            self.assertEqual(self.incoming(), [kept])
        await alive.write(b"three")
        await alive.flush()
        await alive.publish()

    async def test_renamed_meanwhile(self) -> None:
        """What becomes visible while broken uploads are deleted stays, and the deletion goes on."""
        arriving = self.bucket.arrive(path := named(b"one"), 3)
        await arriving.write(b"one")
        (draft,) = (self.root / "incoming").iterdir()
        for name in (draft.name, dead_name()):
            self.touch(name)
        file = self.folder.file(path)

        class Renaming(LockFiles):
            def gone(self, name: str) -> bool:
                if draft.name.endswith(f"-{name}"):
                    file.parent.mkdir()
                    draft.rename(file)
                    return True
                return super().gone(name)

        Folder(self.root, now=self.clock.seconds, owners=Renaming()).delete_broken_uploads()
        self.assertEqual(self.incoming(), [])
        self.assertEqual(await self.bucket.stat([path]), {path: StoredFile(3, None)})
