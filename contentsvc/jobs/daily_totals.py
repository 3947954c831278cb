"""Counts downloads of each day, and adds up what was counted (studio §5)."""

from contextlib import suppress

from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.runner import Job
from contentsvc.store import daily_totals, pending_work

EVERY = 10.0
"""Most seconds until it is tried again when it has failed."""
FLUSH = 1.0
"""Seconds between two writes of downloads: a process that is killed loses those since the last."""
PAUSE = 0.2
"""Seconds between two batches."""


class Downloads:
    """The downloads of this process that the database does not have yet. No transaction causes
    them, so they are written together."""

    def __init__(self, db: Db) -> None:
        self._db = db
        self._files = self._bytes = 0

    def count(self, files: int, bytes: int) -> None:
        """So many files were handed out, of so many bytes."""
        self._files += files
        self._bytes += bytes

    async def write(self) -> None:
        """Write what there is. What could not be written is written the next time."""
        files, bytes = self._files, self._bytes
        if not files and not bytes:
            return
        self._files = self._bytes = 0
        try:
            await daily_totals.add_downloads(self._db, files, bytes)
        except BaseException:
            self.count(files, bytes)
            raise


def jobs(clock: IReactorTime, db: Db, downloads: Downloads) -> list[Job]:
    """What keeps the numbers."""

    async def add_up() -> float | None:
        return PAUSE if daily_totals.is_more(await daily_totals.add_up(db)) else None

    async def write() -> None:
        await downloads.write()

    async def stop() -> None:
        # Those since the last write. A database that is away then has missed them.
        with suppress(Unavailable):
            await downloads.write()

    return [
        Job("add up statistics", EVERY, add_up, Bell(clock), queue=pending_work.STATISTICS),
        Job("count downloads", FLUSH, write, stop=stop),
    ]
