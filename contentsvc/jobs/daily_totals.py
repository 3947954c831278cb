"""Counts downloads of each day, and adds up what was counted (studio §5)."""

from collections import Counter

from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.runner import Job
from contentsvc.framework.tasks.write_behind import WriteBehind
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
        async def write(counts: Counter[str]) -> None:
            await daily_totals.add_downloads(db, counts["files"], counts["bytes"])

        self.counts = WriteBehind(write, most=2)

    def count(self, files: int, bytes: int) -> None:
        """So many files were handed out, of so many bytes."""
        self.counts.count("files", files)
        self.counts.count("bytes", bytes)


def jobs(clock: IReactorTime, db: Db, downloads: Downloads) -> list[Job]:
    """What keeps the numbers."""

    async def add_up() -> float | None:
        return PAUSE if daily_totals.is_more(await daily_totals.add_up(db)) else None

    return [
        Job("add up statistics", EVERY, add_up, Bell(clock), queue=pending_work.STATISTICS),
        downloads.counts.job("count downloads", FLUSH),
    ]
