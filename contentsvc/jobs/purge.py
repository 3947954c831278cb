"""Content that its author deleted long ago gives up its files (extensions §3)."""

from contentsvc.db.query import Db
from contentsvc.jobs.retention import EVERY, PAUSE
from contentsvc.jobs.runner import Job
from contentsvc.store import claims


def purge(db: Db) -> Job:
    """The job."""

    async def run() -> float | None:
        return PAUSE if await claims.purge(db) else None

    return Job("release files of deleted content", EVERY, run)
