"""Deletes what nobody needs any more of files: announcements that have lapsed, and bytes that
nobody claims (extensions §3). contentsvc.store.files.unused says how several
processes do it at once.
"""

from functools import partial

from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.storage.deadlines import delete_until
from contentsvc.framework.storage.paths import with_smaller
from contentsvc.framework.tasks.runner import Job
from contentsvc.jobs import blocked_files
from contentsvc.jobs.effects import Done, EffectRunner, Kind, Outcome, Session
from contentsvc.jobs.retention import EVERY, RARELY, Deleted, Deletion
from contentsvc.store.files import unused
from contentsvc.store.tasks import DeleteUnusedFiles

DELETE_TIMEOUT = 60.0
"""Seconds that the store may take to delete a batch."""


def collect(clock: IReactorTime, db: Database, bucket: Bucket, blocks: Bell) -> list[Job]:
    """The jobs that tidy up the files in a bucket. `blocks` is rung when a digest was blocked."""
    expiry = Deletion("announcements of files", partial(expire_announcements, db))
    collector = UnusedFileCollector(clock, db, bucket)
    collection = Deletion("files that nobody needs", collector.collect)
    blocked = EffectRunner(clock, db, blocked_files.kind(clock, db, bucket))
    return [
        Job("delete announcements of files", RARELY, expiry.run),
        Job("delete files that nobody needs", EVERY, collection.run, stop=collector.effects.stop),
        Job(
            "delete blocked files",
            blocked_files.EVERY,
            blocked.run,
            blocks,
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
        kind = Kind(
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
                due = await unused.lock_due(tx)
                # Who needs them is looked at in a statement of its own: it sees what was committed
                # before the locks were there.
                marked = await unused.mark(tx, due) if due else []
            if marked:
                await self.effects.run()
            again = bool(due)
        return Deleted(self._removed, again)

    async def _begin(self) -> Session:
        return Session(self._delete)

    async def _delete(self, task: DeleteUnusedFiles, waited: float, until: float) -> Outcome:
        end = min(self._clock.seconds() + DELETE_TIMEOUT, until - unused.MARGIN)
        paths = with_smaller(task.paths)
        await delete_until(end, self._clock, self._bucket, paths, unused.DELETE_AT_ONCE)
        return Done(partial(self._remove, task.paths))

    async def _remove(self, paths: list[str], tx: Db) -> None:
        self._removed += await unused.remove(tx, paths)
