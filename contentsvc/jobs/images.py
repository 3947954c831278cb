"""Smaller images beside each image (files#image-sizes).

contentsvc.store.files.scaling says why none outlives its image.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.images.scaler import (
    FIRST,
    LONG,
    Late,
    Scaler,
    ScalingFailed,
    Stopped,
    Time,
    TooLong,
    Unscalable,
)
from contentsvc.framework.storage import images
from contentsvc.framework.storage.bucket import Bucket, StorageUnavailable
from contentsvc.framework.storage.deadlines import delete_until, within
from contentsvc.framework.storage.paths import WIDTHS, media_type_of, smaller_of
from contentsvc.framework.tasks.runner import Job
from contentsvc.framework.tasks.task_runners import (
    Again,
    Done,
    EffectKind,
    EffectRunner,
    EffectSession,
    Outcome,
    PutLast,
    PutOff,
)
from contentsvc.store.files import scaling
from contentsvc.store.files.scaling import Image
from contentsvc.store.tasks import ScaleImage

EVERY: Final = 5.0
"""Most seconds until the store is tried again when it has failed."""
FIND: Final = 60.0
"""Seconds between two checks for images from before."""
PAUSE: Final = 1.0
"""Seconds after which those from before go on."""
LEASE: Final = 90.0
"""Seconds for which an image is a process's."""
MARGIN: Final = 5.0
"""Seconds before the end of the lease at which it writes and deletes no more."""
STORE: Final = 15.0
"""Seconds that the store may take to give an image, and to take a smaller one."""
GIVE_UP_AFTER: Final = 3600.0
"""Seconds after which an image is given up that the process could not make smaller ones of."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""Bytes of an image. They are in memory once, and once more in the other process."""

log = Logger()


@dataclass
class ImageCounts:
    """The images of this process: those that got their smaller ones, those that get none, and how
    often one was put off."""

    made: int = 0
    none: int = 0
    put_off: int = 0


class ImageScaling:
    """Sees to the smaller images in a bucket. `scaler` makes them; None if none are to be made."""

    def __init__(
        self,
        clock: IReactorTime,
        db: Database,
        bucket: Bucket,
        scaler: Scaler | None,
        counts: ImageCounts,
    ) -> None:
        self._clock = clock
        self._db = db
        self._bucket = bucket
        self._scaler = scaler
        self._counts = counts
        self.kind = EffectKind(
            ScaleImage,
            self._begin,
            lease=LEASE,
            first_pause=10.0,
            last_pause=300.0,
            sessions=1,
            most=1,
        )

    def jobs(self, bell: Bell) -> list[Job]:
        """What is to be run. `bell` is rung when images have come."""
        effects = EffectRunner(self._clock, self._db, self.kind)

        async def stop() -> None:
            if self._scaler is not None:
                await self._scaler.stop()
            await effects.stop()

        jobs = [Job("make smaller images", EVERY, effects.run, bell, stop, effects.queue)]
        if self._scaler is not None:
            find = partial(self.find, bell.ring)
            jobs.append(Job("find images from before", FIND, find, Bell(self._clock)))
        return jobs

    async def find(self, wake: Callable[[], None]) -> float | None:
        """Have smaller images made of some images that have none, and have no task. `wake` begins
        that."""
        async with self._db.transaction() as tx:
            paths = await scaling.lacking(tx) if await scaling.ours(tx) else []
            await scaling.ask(tx, paths)
            tx.after_commit(wake)
        return PAUSE if paths else None

    async def _begin(self) -> EffectSession:
        return EffectSession(self.see_to)

    async def see_to(self, task: ScaleImage, waited: float, until: float) -> Outcome:
        """Let there be the smaller images that there should be. Raises StorageUnavailable."""
        path, end = task.path, until - MARGIN
        image = await scaling.image(self._db, path)
        if image is None:
            await self._delete(path, end)
            return Done()
        if self._scaler is None or image.scaled is not None:
            return Done()
        try:
            made = await self._make(self._scaler, path, image.size, LONG if task.long else FIRST)
        except Stopped:
            return Again(0.0)
        except (Unscalable, ScalingFailed) as error:
            return self._failed(task, image, waited, error)
        return await self._keep(path, image, made, end)

    def _failed(
        self, task: ScaleImage, image: Image, waited: float, error: Unscalable | ScalingFailed
    ) -> Outcome:
        """What becomes of one of which nothing could be made."""
        first = isinstance(error, TooLong | Late) and not task.long
        if not first and (isinstance(error, Unscalable) or waited > GIVE_UP_AFTER):
            return self._none(task.path, image, str(error))
        self._counts.put_off += 1
        if first or isinstance(error, Late):
            # No pause: it has had its time, and now others have theirs.
            return PutLast(ScaleImage(path=task.path, long=True), scaling.SPACING)
        return PutOff(str(error))

    async def _keep(self, path: str, image: Image, made: list[bytes], end: float) -> Outcome:
        """Write them, if the image is as it was, and still is then. Raises StorageUnavailable."""
        now = await scaling.image(self._db, path)
        if now == image:
            for smaller, data in zip(smaller_of(path), made, strict=True):
                await self._in_time(end, self._bucket.write(smaller, data))
            now = await scaling.image(self._db, path)
        if now is None:
            # Whoever has taken the image away may have deleted before this wrote.
            await self._delete(path, end)
            return Done()
        if now != image:
            return Again(PAUSE)
        self._counts.made += 1
        return self._noted(path, image, scaled=True)

    async def _make(self, scaler: Scaler, path: str, size: int, time: Time) -> list[bytes]:
        """Raises Unscalable, ScalingFailed, Stopped, StorageUnavailable."""
        if size > MOST_BYTES:
            raise Unscalable(f"it has {size} bytes")
        data = await within(STORE, self._clock, self._bucket.read(path, size))
        if len(data) < size:
            raise Unscalable("its bytes are not there")
        made = await scaler.scale(data, media_type_of(path), time)
        if not all(_good(*each) for each in zip(made, WIDTHS, strict=True)):
            # The process is not trusted: an image may have taken it over.
            raise Unscalable("what was made of it is no image")
        return made

    async def _in_time(self, end: float, act: Any) -> None:
        left = min(STORE, end - self._clock.seconds())
        if left <= 0:
            act.close()
            raise StorageUnavailable("there was too little time to write all")
        await within(left, self._clock, act)

    async def _delete(self, path: str, end: float) -> None:
        await delete_until(end, self._clock, self._bucket, smaller_of(path), len(WIDTHS))

    def _none(self, path: str, image: Image, why: str) -> Outcome:
        self._counts.none += 1
        # Log: this image is damaged, or costs too much. It is served as it is, and has no smaller
        # ones.
        log.info("No smaller images of {path}: {reason}", path=path, reason=why)
        return self._noted(path, image, scaled=False)

    def _noted(self, path: str, image: Image, *, scaled: bool) -> Outcome:
        async def note(tx: Db) -> None:
            await scaling.note(tx, path, image.version, scaled)

        return Done(note)


def _good(data: bytes, width: int) -> bool:
    try:
        size = images.pixels("image/webp", data)
    except (images.NoImage, images.TooShort):
        return False
    return size.width <= width and images.fits(size)
