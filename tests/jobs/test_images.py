"""The tasks that see to smaller images: what there is in the end, whatever happens when."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from twisted.internet import reactor
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.images.scaler import (
    FIRST,
    LONG,
    Late,
    ScalingFailed,
    Stopped,
    Time,
    TooLong,
    Unscalable,
)
from contentsvc.framework.storage.bucket import StorageUnavailable
from contentsvc.framework.storage.paths import digest_of, path_of, smaller_of
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.task_runners import EffectRunner
from contentsvc.jobs import images
from contentsvc.jobs.files import BLOCKED_AGAIN, blocked_kind
from contentsvc.jobs.images import GIVE_UP_AFTER, LEASE, STORE, ImageCounts, ImageScaling
from contentsvc.store import task_turns
from contentsvc.store.files import blocks, files, inventory, scaling, unused
from contentsvc.store.tasks import ScaleImage
from tests.jobs.files import DUE, LATER, FilesCase, file_jobs
from tests.support import pictures
from tests.support.databases import guid

SMALL = [pictures.written(pictures.corners(width, 4), pictures.WEBP) for width in (320, 1280)]
"""What a scaler makes of all images."""


class FakeScaler:
    """Makes the same of all images, or fails with `error`. `meanwhile` is waited for first."""

    def __init__(self) -> None:
        self.made: list[bytes] = SMALL
        self.error: Exception | None = None
        self.meanwhile: Callable[[], Awaitable[object]] | None = None
        self.given: list[tuple[bytes, str]] = []
        self.times: list[Time] = []
        self.stopped = False

    async def scale(self, data: bytes, media_type: str, time: Time) -> list[bytes]:
        self.given.append((data, media_type))
        self.times.append(time)
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        if self.error is not None:
            raise self.error
        return self.made

    async def stop(self) -> None:
        self.stopped = True


class ScalingCase(FilesCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.clock = Clock()
        self.scaler = FakeScaler()
        self.counts = ImageCounts()
        self.tasks = self.scaling()
        self.ann, self.bob = guid(), guid()

    def scaling(self, *, off: bool = False) -> ImageScaling:
        """What one more process does."""
        scaler: Any = None if off else self.scaler
        return ImageScaling(self.clock, self.db, self.bucket, scaler, self.counts)

    def runner(self, tasks: ImageScaling | None = None) -> EffectRunner:
        """What does its tasks."""
        return EffectRunner(self.clock, self.db, (tasks or self.tasks).kind)

    def image(self, due: str = LATER) -> str:
        """The path of a new image, whose bytes are there, without a task."""
        return self.file(due, "image/png")

    async def asked(self, due: str = LATER) -> str:
        """The same, with its task."""
        path = self.image(due)
        await scaling.ask(self.db, [path])
        return path

    async def work(self, tasks: ImageScaling | None = None) -> None:
        """All tasks that are due."""
        runner = self.runner(tasks)
        while await runner.run() is not None:
            pass

    async def find(self, tasks: ImageScaling | None = None) -> float | None:
        """Look for images from before."""
        return await (tasks or self.tasks).find(lambda: None)

    def waiting(self) -> list[tuple[Any, ...]]:
        """The tasks that are there: topic, tries and failure."""
        return self.sql(
            "select topic, tries, failure from tasks where queue = 'ScaleImage' order by id"
        )

    def scaled(self, path: str) -> bool | None:
        """What is noted of an image."""
        ((scaled,),) = self.sql("select scaled from files where path = %s", path)
        return scaled  # type: ignore[no-any-return]

    def whole(self, *paths: str) -> list[str]:
        """The files of images with their smaller ones."""
        return sorted(each for path in paths for each in (path, *smaller_of(path)))


class MakingTests(ScalingCase):
    async def test_made(self) -> None:
        """The smaller images are there under their paths, and that is noted."""
        path = await self.asked()
        await self.work()
        self.assertEqual(self.bucket.files, self.whole(path))
        self.assertEqual([self.bucket.kept[each][0] for each in smaller_of(path)], SMALL)
        self.assertEqual((self.scaled(path), self.waiting()), (True, []))
        self.assertEqual(self.scaler.given, [(self.bucket.kept[path][0], "image/png")])
        self.assertEqual(self.counts, ImageCounts(made=1))

    async def test_once(self) -> None:
        """Of an image that has them, none are made again."""
        path = await self.asked()
        await scaling.ask(self.db, [path])
        await self.work()
        self.assertEqual(len(self.scaler.given), 1)

    async def test_unscalable(self) -> None:
        """An image that cannot be read gets none. The log says which, and why; it is not tried
        again."""
        path = await self.asked()
        self.scaler.error = Unscalable("it needs too much memory")
        await self.work()
        self.assertEqual((self.bucket.files, self.scaled(path)), ([path], False))
        self.assertIsNone(await self.find())
        self.assertEqual((self.waiting(), self.counts), ([], ImageCounts(none=1)))

    async def test_log(self) -> None:
        """The line names the path and the reason."""
        lines: list[dict[str, Any]] = []
        self.patch(images.log, "info", lambda text, **values: lines.append(values))
        path = await self.asked()
        self.scaler.error = Unscalable("it is none")
        await self.work()
        self.assertEqual(lines, [{"path": path, "reason": "it is none"}])

    async def test_long(self) -> None:
        """What a first try is not enough for is tried once more with more time, when no other image
        waits; also if it had no processor."""
        for error in (TooLong("it takes too much time"), Late("it was not done in 5 s")):
            self.scaler.times = []
            path, other = await self.asked(), await self.asked()
            self.scaler.error = error
            await self.runner().run()
            self.scaler.error = None
            await self.work()
            self.assertEqual(self.scaler.times, [FIRST, FIRST, LONG])
            self.assertEqual(self.scaler.given[-1][0], self.bucket.kept[path][0])
            self.assertEqual((self.scaled(path), self.scaled(other)), (True, True))

    async def test_too_long(self) -> None:
        """One that is too long for that too gets none. One that had no processor waits behind
        others again, for an hour."""
        path = await self.asked()
        self.scaler.error = TooLong("it takes too much time")
        await self.work()
        self.assertEqual((self.scaler.times, self.scaled(path)), ([FIRST, LONG], False))
        path = await self.asked()
        self.scaler.error = Late("it was not done in 25 s")
        for _ in range(3):
            await self.runner().run()
        self.assertEqual((self.scaler.times[2:], self.scaled(path)), ([FIRST, LONG, LONG], None))
        self.sql(f"update tasks set created = created - interval '{GIVE_UP_AFTER + 1} seconds'")
        await self.runner().run()
        self.assertEqual((self.scaled(path), self.waiting()), (False, []))

    async def test_not_there(self) -> None:
        """One whose bytes are not there, or are fewer than they were, gets none."""
        path = await self.asked()
        self.bucket.kept[path] = b"x", None
        await self.work()
        self.assertEqual((self.scaler.given, self.scaled(path)), ([], False))

    async def test_nonsense(self) -> None:
        """What the scaler makes is not believed: it must be a WebP, and not too wide."""
        wide = pictures.written(pictures.corners(1281, 4), pictures.WEBP)
        for second in (b"<svg/>", wide, pictures.drawn()):
            path = await self.asked()
            self.scaler.made = [SMALL[0], second]
            await self.work()
            self.assertEqual(self.scaled(path), False)
            self.bucket.kept.pop(path)
            self.assertEqual(self.bucket.files, [])

    async def test_put_off(self) -> None:
        """If the scaler fails, an image is tried again later, and given up in the end."""
        path = await self.asked()
        self.scaler.error = ScalingFailed("the process has ended with signal 9")
        await self.work()
        self.assertEqual(self.waiting(), [(path, 1, "the process has ended with signal 9")])
        self.assertEqual((self.scaled(path), self.counts), (None, ImageCounts(put_off=1)))
        self.sql(
            "update tasks set due = now() - interval '1 second',"
            f" created = now() - interval '{GIVE_UP_AFTER + 1} seconds'"
        )
        await self.work()
        self.assertEqual((self.waiting(), self.scaled(path)), ([], False))

    async def test_later(self) -> None:
        """What has failed once can succeed the next time."""
        path = await self.asked()
        self.scaler.error = ScalingFailed("it was not done in 25 s")
        await self.work()
        self.scaler.error = None
        self.pass_time(10)
        await self.work()
        self.assertEqual((self.bucket.files, self.scaled(path)), (self.whole(path), True))

    async def test_stopped(self) -> None:
        """A process that ends leaves its image to the others, at once."""
        path = await self.asked()
        self.scaler.error = Stopped()
        await self.runner().run()
        self.assertEqual(self.waiting(), [(path, 0, None)])
        self.scaler.error = None
        await self.work(self.scaling())
        self.assertEqual(self.bucket.files, self.whole(path))

    async def test_away(self) -> None:
        """While the store is away, an image waits, and nothing counts against it."""
        path = await self.asked()
        self.bucket.away = True
        with self.assertRaises(StorageUnavailable):
            await self.runner().run()
        self.assertEqual((self.waiting(), self.scaled(path)), ([(path, 0, None)], None))
        self.bucket.away = False
        await self.work()
        self.assertEqual(self.bucket.files, self.whole(path))

    async def test_store_hangs(self) -> None:
        """A store that does not answer is given up in time."""
        await self.asked()
        hanging: Deferred[None] = Deferred()
        asked: Deferred[None] = Deferred()

        def before() -> Deferred[None]:
            reactor.callLater(0, asked.callback, None)  # type: ignore[attr-defined]
            return hanging

        self.bucket.before = before
        run = Deferred.fromCoroutine(self.runner().run())
        await asked
        self.clock.advance(STORE)
        with self.assertRaises(StorageUnavailable):
            await run

    async def test_stood_still(self) -> None:
        """A process whose lease may be over writes nothing."""
        path = await self.asked()

        async def freeze() -> None:
            self.clock.advance(LEASE)

        self.scaler.meanwhile = freeze
        with self.assertRaises(StorageUnavailable):
            await self.runner().run()
        self.assertEqual(self.bucket.files, [path])

    async def test_dies(self) -> None:
        """If a process dies after half of its work, another does all of it once the lease is
        over, with the same result."""
        path = await self.asked()
        write, half, dead = self.bucket.write, Deferred[None](), Deferred[None]()

        async def die(smaller: str, data: bytes) -> None:
            await write(smaller, data)
            half.callback(None)
            await dead

        self.bucket.write = die  # type: ignore[method-assign]
        run = Deferred.fromCoroutine(self.runner().run())
        await half
        self.bucket.write = write  # type: ignore[method-assign]
        await self.work()
        self.assertIsNone(self.scaled(path))
        self.pass_time(LEASE)
        await self.work(self.scaling())
        self.assertEqual((self.bucket.files, self.scaled(path)), (self.whole(path), True))
        self.assertEqual([self.bucket.kept[each][0] for each in smaller_of(path)], SMALL)
        dead.cancel()
        with self.assertRaises(CancelledError):
            await run

    async def test_off(self) -> None:
        """A service that makes none forgets the tasks, and deletes what belongs to no image."""
        path, gone = await self.asked(), path_of("ab" * 32, "image/png")
        for each in smaller_of(gone):
            self.bucket.put(each, b"x")
        await scaling.ask(self.db, [gone])
        await self.work(self.scaling(off=True))
        self.assertEqual((self.bucket.files, self.waiting()), ([path], []))
        self.assertIsNone(self.scaled(path))

    async def test_stop(self) -> None:
        """The job ends the scaler with it."""
        job, _ = self.tasks.jobs(Bell(self.clock))
        assert job.stop is not None
        await job.stop()
        self.assertTrue(self.scaler.stopped)


class TakenAwayTests(ScalingCase):
    """Images that are blocked, lost or collected meanwhile."""

    async def block_now(self, path: str) -> None:
        """Block its digest as the API does, and do all that follows from that."""
        async with self.db.transaction() as tx:
            await blocks.put(tx, digest_of(path), "bad")
            await blocks.hide(tx, [path])
            await blocks.delete_bytes(tx, digest_of(path))
        await self.delete_blocked()

    async def delete_blocked(self) -> None:
        """What the job does that is due."""
        kind = blocked_kind(self.clock, self.db, self.bucket)
        runner = EffectRunner(self.clock, self.db, kind)
        while await runner.run() is not None:
            pass

    async def collect_now(self, path: str) -> None:
        """Have the collector take it."""
        self.sql(f"update files set due = {DUE} where path = %s", path)
        while await file_jobs(self.clock, self.db, self.bucket).collection.run() is not None:
            pass

    async def test_blocked(self) -> None:
        """A block deletes the smaller images with their image."""
        path = await self.asked()
        await self.work()
        await self.block_now(path)
        self.assertEqual((self.bucket.files, self.scaled(path)), ([], None))

    async def test_collected(self) -> None:
        """The collector deletes them with their image."""
        path = await self.asked()
        await self.work()
        await self.collect_now(path)
        self.assertEqual((self.bucket.files, self.row(path)), ([], None))

    async def test_blocked_while_made(self) -> None:
        """Of an image that is blocked while they are made, nothing is written."""
        path = await self.asked()
        self.scaler.meanwhile = lambda: self.block_now(path)
        await self.work()
        self.assertEqual((self.bucket.files, self.waiting()), ([], []))

    async def test_collected_while_made(self) -> None:
        """Nor of one that is collected."""
        path = await self.asked()
        self.scaler.meanwhile = lambda: self.collect_now(path)
        await self.work()
        self.assertEqual((self.bucket.files, self.waiting()), ([], []))

    async def meanwhile_writing(self, act: Callable[[str], Awaitable[object]]) -> None:
        """Make smaller images; before the first is written, this happens to the image."""
        path = await self.asked()
        write = self.bucket.write

        async def late(smaller: str, data: bytes) -> None:
            self.bucket.write = write  # type: ignore[method-assign]
            await act(path)
            await write(smaller, data)

        self.bucket.write = late  # type: ignore[method-assign]
        await self.work()

    async def test_blocked_while_written(self) -> None:
        """What is written after a block has deleted them is deleted by the writer."""
        await self.meanwhile_writing(self.block_now)
        self.assertEqual((self.bucket.files, self.waiting()), ([], []))

    async def test_collected_while_written(self) -> None:
        """So is what is written after the collector was there."""
        await self.meanwhile_writing(self.collect_now)
        self.assertEqual((self.bucket.files, self.waiting()), ([], []))

    async def test_writer_dies(self) -> None:
        """A block goes on for as long as a task may write, so that not even a writer that dies
        leaves anything. The task itself deletes it too."""
        path = await self.asked()
        self.sql("update files set due = now() + interval '1 hour'")
        await self.block_now(path)
        ((blocking,),) = self.sql("select count(*) from tasks where queue = 'DeleteBlockedFile'")
        self.assertEqual(blocking, 1)
        for each in smaller_of(path):
            self.bucket.put(each, b"late")
        self.pass_time(BLOCKED_AGAIN)
        await self.delete_blocked()
        self.assertEqual(self.bucket.files, [])
        for each in smaller_of(path):
            self.bucket.put(each, b"later")
        await self.work()
        self.pass_time(BLOCKED_AGAIN)
        await self.delete_blocked()
        self.assertEqual((self.bucket.files, self.sql("select 1 from tasks")), ([], []))

    async def test_back_while_made(self) -> None:
        """If an image is blocked, unblocked and sent again while they are made, they are made once
        more: what was written for the first may be gone."""

        async def back(path: str) -> None:
            data = self.bucket.kept[path]
            await self.block_now(path)
            self.sql("delete from blocked_files; delete from tasks where queue <> 'ScaleImage'")
            self.bucket.kept[path] = data
            async with self.db.transaction() as tx:
                await files.lock(tx, [path])
                await files.settle(tx, self.ann, [path], [True], [16], [False], ["avatar"])

        await self.meanwhile_writing(back)
        self.pass_time(images.PAUSE)
        await self.work()
        (path,) = [each for each in self.bucket.files if each.count(".") == 1]
        self.assertEqual((self.bucket.files, self.scaled(path)), (self.whole(path), True))
        self.assertEqual((len(self.scaler.given), self.waiting()), (2, []))

    async def test_touched(self) -> None:
        """An image whose row has changed in another way gets them with the next try."""
        path = await self.asked()

        async def touch() -> None:
            self.sql("update files set due = now()")

        self.scaler.meanwhile = touch
        await self.work()
        self.assertEqual((self.bucket.files, self.scaled(path)), ([path], None))
        self.pass_time(images.PAUSE)
        await self.work()
        self.assertEqual((self.bucket.files, self.scaled(path)), (self.whole(path), True))

    async def test_lost(self) -> None:
        """Whose bytes are found to be lost may get other bytes: then they are made anew."""
        path = await self.asked()
        await self.work()
        async with self.db.transaction() as tx:
            await inventory.lose(tx, [path])
        self.assertIsNone(self.scaled(path))

    async def test_needed_after_all(self) -> None:
        """What the collector has deleted, and somebody has claimed meanwhile, has none."""
        path = await self.asked()
        await self.work()
        self.sql("update files set collecting = true")
        self.claim(path)
        async with self.db.transaction() as tx:
            await unused.remove(tx, [path])
        self.assertIsNone(self.scaled(path))


class SettleTests(ScalingCase):
    """When an image gets its task."""

    async def settle(self, path: str, *, size: int = 16, invalid: bool = False) -> list[str]:
        """Note that bytes have come. Gives the topics of the tasks."""
        async with self.db.transaction() as tx:
            await files.settle(tx, self.ann, [path], [True], [size], [invalid], ["avatar"])
        return [topic for topic, _, _ in self.waiting()]

    async def test_image(self) -> None:
        """An image gets a task with the transaction that says that its bytes are there."""
        path = self.image()
        self.sql("update files set stored = false")
        self.assertEqual(await self.settle(path), [path])

    async def test_no_image(self) -> None:
        """What is no good image, or no image at all, gets none."""
        path, blob = self.image(), self.file(LATER)
        self.sql("update files set stored = false")
        self.assertEqual(await self.settle(path, invalid=True), [])
        self.assertEqual(await self.settle(blob), [])

    async def test_has_them(self) -> None:
        """One that has them gets no more, unless its bytes were gone, or had another length."""
        path = self.image()
        self.sql("update files set scaled = true")
        self.assertEqual(await self.settle(path), [])
        self.assertEqual(await self.settle(path, size=17), [path])
        self.sql("update files set scaled = true, stored = false")
        self.assertEqual(await self.settle(path, size=17), [path, path])

    async def test_rolled_back(self) -> None:
        """A transaction that fails leaves no task."""
        path = self.image()
        self.sql("update files set stored = false")
        with self.assertRaises(ZeroDivisionError):
            async with self.db.transaction() as tx:
                await files.settle(tx, self.ann, [path], [True], [16], [False], ["avatar"])
                raise ZeroDivisionError
        self.assertEqual(self.waiting(), [])


class TurnTests(ScalingCase):
    """Whose image is next."""

    async def send(self, user: str, count: int) -> list[str]:
        """So many images of a user's, sent in two requests."""
        paths = [self.image() for _ in range(count)]
        for part in (paths[: count // 2], paths[count // 2 :]):
            await scaling.ask(self.db, part, user)
        return paths

    async def order(self, paths: Sequence[str]) -> list[int]:
        """Work off all tasks. Gives the places of these images in the order in which they were
        made."""
        await self.work()
        data = [data for data, _ in self.scaler.given]
        return [data.index(self.bucket.kept[path][0]) for path in paths]

    async def test_many(self) -> None:
        """The many images of one user are made at once, in their order, if there are no others."""
        paths = await self.send(self.ann, 20)
        self.assertEqual(await self.order(paths), list(range(20)))
        self.assertEqual(self.waiting(), [])

    async def test_between(self) -> None:
        """The one image of another user is made after at most one of them, also when some of them
        are made, and those of two users alternate."""
        await self.send(self.ann, 20)
        for _ in range(5):
            self.assertEqual(await self.runner().run(), 0)
        (late,) = await self.send(self.bob, 1)
        self.assertIn((await self.order([late]))[0], (5, 6))
        self.scaler.given = []
        anns, bobs = await self.send(self.ann, 6), await self.send(self.bob, 6)
        self.assertEqual(sorted(await self.order(anns + bobs)), list(range(12)))
        places = await self.order(bobs)
        self.assertEqual(places, [1, 3, 5, 7, 9, 11])

    def young(self, count: int) -> list[str]:
        """So many accounts that were just made."""
        made = [guid() for _ in range(count)]
        for id in made:
            self.sql("insert into users (id, username) values (%s, %s)", id, f"y{id[:8]}")
        return made

    async def old(self) -> str:
        """An account that is not so new any more."""
        id = guid()
        self.sql(
            "insert into users (id, username, created)"
            f" values (%s, %s, now() - interval '{task_turns.YOUNG}')",
            *(id, f"o{id[:8]}"),
        )
        return id

    async def test_young(self) -> None:
        """New accounts have one turn together: an older one's images alternate with theirs."""
        fresh = [(await self.send(each, 1))[0] for each in self.young(12)]
        olds = await self.send(await self.old(), 6)
        places = await self.order(olds + fresh)
        self.assertEqual(places[:6], [1, 3, 5, 7, 9, 11])
        self.assertEqual(places[6:], [0, 2, 4, 6, 8, 10, *range(12, 18)])

    async def test_young_flood(self) -> None:
        """The many images of some new accounts hold up neither the one of another new account nor
        those of an older one for long."""
        for each in self.young(6):
            await self.send(each, 20)
        late = [(await self.send(each, 1))[0] for each in self.young(1)]
        olds = await self.send(await self.old(), 6)
        places = await self.order(olds + late)
        # By turns of accounts the sixth of the older one would be the 42nd, and in the order of
        # their coming the other one would be the 121st.
        self.assertLess(max(places), 24, places)

    async def test_attack(self) -> None:
        """Twelve new accounts with images that take for ever hold up another user's by one try,
        and an older user's large image by one long one."""
        sent = [(await self.send(each, 1))[0] for each in self.young(12)]
        slow = {self.bucket.kept[path][0] for path in sent}
        began: dict[bytes, float] = {}
        ready: dict[bytes, float] = {}

        async def scale(data: bytes, media_type: str, time: Time) -> list[bytes]:
            began.setdefault(data, self.clock.seconds())
            cost = 1e9 if data in slow else 4.0 if data in large else 0.5
            self.clock.advance(min(cost, time.cpu))
            if cost > time.cpu:
                raise TooLong("it takes too much time")
            ready[data] = self.clock.seconds()
            return SMALL

        large: set[bytes] = set()
        ann, bob = await self.old(), await self.old()
        self.patch(self.scaler, "scale", scale)
        runner = self.runner()
        await runner.run()
        early = self.clock.seconds()
        (usual,) = await self.send(ann, 1)
        (costly,) = await self.send(bob, 1)
        large.add(self.bucket.kept[costly][0])
        while await runner.run() is not None:
            pass
        waits = [ready[self.bucket.kept[path][0]] - early for path in (usual, costly)]
        firsts = 13 * FIRST.cpu + 0.5
        self.assertLessEqual(waits[0], FIRST.cpu + 0.5)
        self.assertLessEqual(waits[1], firsts + LONG.cpu + 4.0)
        self.assertEqual(self.counts, ImageCounts(made=2, none=12, put_off=13))

    async def test_put_off(self) -> None:
        """One that has failed waits for its pause, and keeps nobody's turn."""
        first, second = await self.send(self.ann, 2)
        self.scaler.error = ScalingFailed("it was not done in 25 s")
        await self.runner().run()
        self.scaler.error = None
        await self.work()
        self.assertEqual((self.scaled(first), self.scaled(second)), (None, True))
        self.assertEqual([tries for _, tries, _ in self.waiting()], [1])

    async def test_leased(self) -> None:
        """One that a process makes is nobody else's."""
        await self.send(self.ann, 2)
        asked = (self.db, scaling.QUEUE, LEASE, 300.0)
        self.assertEqual(len({(await task_queue.claim(*asked)).id for _ in range(2)}), 2)
        self.assertIsNone(await task_queue.claim(*asked))
        self.assertEqual(await task_queue.due(self.db, scaling.QUEUE, 9, LEASE + 300), 0)


class FromBeforeTests(ScalingCase):
    """Images that have no smaller ones yet."""

    async def test_found(self) -> None:
        """They get a few tasks at a time, in the order of their paths, and all in the end."""
        paths = sorted(self.image() for _ in range(2 * scaling.MOST + 1))
        self.file(LATER)
        rounds = []
        while await self.find() is not None:
            rounds.append([topic for topic, _, _ in self.waiting()])
            self.assertIsNone(await self.find(self.scaling()))
            await self.work()
        most = scaling.MOST
        self.assertEqual(rounds, [paths[:most], paths[most : 2 * most], paths[2 * most :]])
        media = [path for path in self.bucket.files if "." in path]
        self.assertEqual(media, self.whole(*paths))
        self.assertTrue(all(self.scaled(path) for path in paths))

    async def test_not_ours(self) -> None:
        """While one process looks, others do not."""
        self.image()
        async with self.db.transaction() as tx:
            self.assertTrue(await scaling.ours(tx))
            self.assertIsNone(await self.find())
        self.assertIsNotNone(await self.find())

    async def test_not_good(self) -> None:
        """None are looked for of images that are gone, bad or being deleted."""
        for column in ("stored = false", "invalid = true", "collecting = true", "scaled = false"):
            self.sql(f"update files set {column} where path = %s", self.image())
        self.assertIsNone(await self.find())

    async def test_new_ones_first(self) -> None:
        """What has come since waits for at most a few of them."""
        for _ in range(3 * scaling.MOST):
            self.image()
        await self.find()
        await scaling.ask(self.db, [path := self.image()])
        topics = [topic for topic, _, _ in self.waiting()]
        self.assertEqual(topics.index(path), scaling.MOST)


class TaskTests(ScalingCase):
    async def test_row(self) -> None:
        """The row of a task is what other releases read."""
        path = await self.asked()
        rows = self.sql("select queue, kind, task::json, topic from tasks")
        kind = "ScaleImage"
        self.assertEqual(rows, [(kind, kind, {"kind": kind, "path": path, "long": False}, path)])
        self.assertEqual(ScaleImage(path=path).topic, path)
