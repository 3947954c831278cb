"""Deletes what nobody needs any more of files: announcements that have lapsed, bytes that nobody
claims or that are blocked, and those of content that its author deleted long ago (files#files).
Also checks whether the file store works.

contentsvc.store.files.unused says how several processes do it at once.
"""

from collections.abc import Awaitable, Callable
from functools import partial

from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.storage.deadlines import delete_until
from contentsvc.framework.storage.paths import paths_of, smaller_of, with_smaller
from contentsvc.framework.tasks.runner import Job
from contentsvc.framework.tasks.task_runners import (
    Again,
    Done,
    EffectKind,
    EffectRunner,
    EffectSession,
    Outcome,
)
from contentsvc.jobs.holds import keep
from contentsvc.jobs.retention import EVERY, PAUSE, RARELY, Deleted, Deletion
from contentsvc.store.files import blocks, files, held, references, scaling, unused
from contentsvc.store.tasks import DeleteBlockedFile, DeleteUnusedFiles

BROKEN_UPLOADS_EVERY = 600.0
"""Seconds between two checks for the remains of broken uploads."""
DELETE_TIMEOUT = 60.0
"""Seconds that the store may take to delete a batch."""

BLOCKED_EVERY = 5.0
"""Most seconds until the store is tried again when it has failed."""
BLOCKED_AGAIN = 5.0
"""Seconds until a digest is scheduled again while its bytes may still come."""
BLOCKED_LEASE = 9.0
"""Seconds of a process's lease of a digest. Meanwhile its block cannot be lifted. If the process
dies, another begins with its next check: the bytes are gone within 15 s."""
BLOCKED_MARGIN = 2.0
"""Seconds before the end of the lease at which a deletion has ended: a late one would take bytes
that were sent again."""
_BLOCKED_AT_ONCE, _KEYS = 4, 4
"""Digests at once, and keys of each: half of the requests that a process may have under way."""

STORE_EVERY = 10.0
"""Seconds between two checks of a store that works."""
STORE_AGAIN = 2.0
"""Most seconds, but for chance, until a store that does not work is tried again. A try takes at
most 6 s, so that there is one every 10 s."""


def collect(clock: IReactorTime, db: Database, bucket: Bucket, bell: Bell) -> list[Job]:
    """The jobs that tidy up the files in a bucket. `bell` is rung when a digest was blocked."""
    expiry = Deletion("announcements of files", partial(expire_announcements, db))
    collector = UnusedFileCollector(clock, db, bucket)
    collection = Deletion("files that nobody needs", collector.collect)
    blocked = EffectRunner(clock, db, blocked_kind(clock, db, bucket))
    return [
        Job("delete announcements of files", RARELY, expiry.run),
        Job("delete files that nobody needs", EVERY, collection.run, stop=collector.effects.stop),
        Job(
            "delete blocked files",
            BLOCKED_EVERY,
            blocked.run,
            bell,
            blocked.stop,
            blocked.queue,
        ),
    ]


async def expire_announcements(db: Database) -> Deleted:
    """Delete announcements whose files nobody has published in time: those of some users, one after
    the other."""
    total, again = 0, False
    for user in await unused.lapsing(db):
        async with db.transaction() as tx:
            # The storage row first, as everybody who writes a user's announcements.
            if await unused.lock_storage(tx, user):
                again = True
                if paths := await unused.lapse(tx, user):
                    await unused.give_up(tx, paths)
                    total += len(paths)
    return Deleted(total, again)


class UnusedFileCollector:
    """Deletes the files that nobody needs. `effects` deletes those that are marked."""

    def __init__(self, clock: IReactorTime, db: Database, bucket: Bucket) -> None:
        self._clock = clock
        self._db = db
        self._bucket = bucket
        self._removed = 0
        kind = EffectKind(
            DeleteUnusedFiles,
            self._begin,
            lease=unused.LEASE,
            first_pause=1.0,
            last_pause=60.0,
            sessions=1,
            most=1,
        )
        self.effects = EffectRunner(clock, db, kind)

    async def collect(self) -> Deleted:
        """Delete a batch that is marked, or mark one and delete it. While a marked one cannot be
        deleted, nothing more is marked.

        Raises StorageUnavailable.
        """
        self._removed, again = 0, True
        if await self.effects.run() is None:
            async with self._db.transaction() as tx:
                expired = await unused.lock_expired(tx)
                # A separate statement checks who needs them: it sees what was committed
                # before the locks were there.
                marked = await unused.mark(tx, expired) if expired else []
            if marked:
                await self.effects.run()
            again = bool(expired)
        return Deleted(self._removed, again)

    async def _begin(self) -> EffectSession:
        return EffectSession(self._delete)

    async def _delete(self, task: DeleteUnusedFiles, waited: float, until: float) -> Outcome:
        end = min(self._clock.seconds() + DELETE_TIMEOUT, until - unused.MARGIN)
        paths = with_smaller(task.paths)
        await delete_until(end, self._clock, self._bucket, paths, unused.DELETE_AT_ONCE)
        return Done(partial(self._remove, task.paths))

    async def _remove(self, paths: list[str], tx: Db) -> None:
        self._removed += await unused.remove(tx, paths)


def blocked_kind(clock: IReactorTime, db: Database, bucket: Bucket) -> EffectKind:
    """How the bytes of blocked digests are deleted: once, and again and again while an upload URL
    from before the block can bring them."""

    async def delete(task: DeleteBlockedFile, waited: float, until: float) -> Outcome:
        paths = paths_of(task.sha256)
        # After this check, a URL that is no longer good brings nothing.
        reachable = await blocks.reachable(db, task.sha256, paths)
        if reachable is None:
            return Done()
        # What is held comes first: it has nothing but these bytes.
        if waiting := await held.waiting_of(db, paths):
            await keep(db, clock, bucket, waiting, until - BLOCKED_MARGIN)
            if any(file.collecting for file in waiting):
                return Again(BLOCKED_AGAIN)
        images = await scaling.some(db, paths)
        incoming = [bucket.staging_key(*each) for each in await files.separate_uploads(db, paths)]
        smaller = [each for image in images for each in smaller_of(image.path)]
        keys = [*paths, *smaller, *filter(None, incoming)]
        await delete_until(until - BLOCKED_MARGIN, clock, bucket, keys, _KEYS)
        awaited = reachable or any(image.awaited for image in images)
        return Again(BLOCKED_AGAIN) if awaited else Done()

    async def begin() -> EffectSession:
        return EffectSession(delete)

    return EffectKind(
        DeleteBlockedFile,
        begin,
        BLOCKED_LEASE,
        first_pause=2.0,
        last_pause=60.0,
        sessions=_BLOCKED_AT_ONCE,
    )


def purge(db: Db) -> Job:
    """The job that lets content give up its files which its author deleted long ago."""

    async def run() -> float | None:
        return PAUSE if await references.purge(db) else None

    return Job("release files of deleted content", RARELY, run)


class StoreCheck:
    """Checks whether the file store works, for as long as a process runs. An operator reads its
    failure in the log and in `contentsvc status`. `reach` fails if the store does not work."""

    def __init__(self, reach: Callable[[], Awaitable[None]]) -> None:
        self._reach = reach

    async def run(self) -> float:
        """Check once."""
        await self._reach()
        return STORE_EVERY


def store_jobs(bucket: Bucket, reactor: IReactorTime) -> list[Job]:
    """The jobs that check the file store, and tidy it up."""
    return [
        Job("reach the file store", STORE_AGAIN, StoreCheck(bucket.reach).run, Bell(reactor)),
        Job("delete broken uploads", BROKEN_UPLOADS_EVERY, bucket.delete_broken_uploads),
    ]
