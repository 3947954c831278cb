"""Deletes what nobody needs any more of files: announcements that have lapsed, and bytes that
nobody claims (extensions §3). contentsvc.store.files.unused says how several
processes do it at once.
"""

from typing import NamedTuple

from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger

from contentsvc.bucket.bucket import Bucket
from contentsvc.bucket.deadlines import within
from contentsvc.core.timers import Bell
from contentsvc.db.database import Database
from contentsvc.db.query import Db
from contentsvc.store.files import unused
from contentsvc.store.files.unused import LEASE, Held
from contentsvc.tasks import blocked_files
from contentsvc.tasks.blocked_files import Clearing
from contentsvc.tasks.retention import EVERY, PAUSE
from contentsvc.tasks.runner import Job

SWEEP_EVERY = 600.0
"""Seconds between two looks for what broken uploads have left."""
DELETE_TIMEOUT = 60.0
"""Seconds that the store may take to delete a batch."""

log = Logger()


def collect(clock: IReactorTime, db: Database, bucket: Bucket, blocks: Bell) -> list[Job]:
    """The jobs that tidy up the files in a bucket. `blocks` is rung when a digest was blocked."""
    return [
        Job("delete announcements of files", EVERY, Lapses(db).run),
        Job("delete files that nobody needs", EVERY, Collection(clock, db, bucket).run),
        Job("delete blocked files", blocked_files.EVERY, Clearing(clock, db, bucket).run, blocks),
    ]


class Lapses:
    """Deletes announcements whose files nobody has published in time."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._total = 0

    async def run(self) -> float | None:
        """Do a batch of some users, one after the other."""
        again = False
        for user in await unused.lapsing(self._db):
            async with self._db.transaction() as tx:
                # The storage row first, as everybody who writes a user's announcements.
                if await unused.lock_storage(tx, user):
                    again = True
                    if paths := await unused.lapse(tx, user):
                        await unused.give_up(tx, paths)
                        self._total += len(paths)
        if again:
            return PAUSE
        if self._total:
            # Log: so many files were announced, and not published in 24 hours.
            log.info("Deleted announcements of files: {total}", total=self._total)
            self._total = 0
        return None


class _Batch(NamedTuple):
    """Files that this process holds, since this moment of its own clock."""

    paths: list[str]
    lease: str
    since: float


class Collection:
    """Deletes the files that nobody needs."""

    def __init__(self, clock: IReactorTime, db: Database, bucket: Bucket) -> None:
        self._clock = clock
        self._db = db
        self._bucket = bucket
        self._batch: _Batch | None = None
        self._total = 0

    async def run(self) -> float | None:
        """Collect a batch. One whose bytes could not be deleted is held until they are, and nothing
        more is marked meanwhile.

        Raises StorageUnavailable.
        """
        since = self._clock.seconds()
        async with self._db.transaction() as tx:
            looked, held = await self._hold(tx)
        self._batch = _of(held, since)
        if self._batch is not None:
            await self._collect(self._batch)
        elif not looked:
            self._report()
            return None
        return PAUSE

    async def _hold(self, tx: Db) -> tuple[int, list[Held]]:
        """How many files were due, and those of them that are now held: those from before, or what
        a process has left that died, or new ones."""
        if self._batch is None:
            marked = await unused.lock_abandoned(tx)
        else:
            marked = await unused.lock_held(tx, self._batch.paths, self._batch.lease)
        if marked:
            return len(marked), await unused.hold(tx, marked)
        due = await unused.lock_due(tx)
        # Who needs them is looked at in a statement of its own: it sees what was committed before
        # the locks were there.
        return len(due), await unused.mark(tx, due) if due else []

    async def _collect(self, batch: _Batch) -> None:
        if self._clock.seconds() - batch.since > LEASE - 2 * DELETE_TIMEOUT:
            return  # the process stood still meanwhile, and the lease ends too soon
        await within(DELETE_TIMEOUT, self._clock, self._bucket.delete(batch.paths))
        async with self._db.transaction() as tx:
            held = await unused.lock_held(tx, batch.paths, batch.lease)
            self._total += await unused.finish(tx, held)
        self._batch = None

    def _report(self) -> None:
        if self._total:
            # Log: so many files had no use any more.
            log.info("Deleted files that nobody needs: {total}", total=self._total)
            self._total = 0


def _of(held: list[Held], since: float) -> _Batch | None:
    return _Batch([each.path for each in held], held[0].lease, since) if held else None
