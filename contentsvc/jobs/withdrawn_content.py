"""Content that its author deleted long ago gives up its files (extensions §3)."""

from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.runner import Job
from contentsvc.jobs.retention import PAUSE, RARELY
from contentsvc.store.files import references


def purge(db: Db) -> Job:
    """The job."""

    async def run() -> float | None:
        return PAUSE if await references.purge(db) else None

    return Job("release files of deleted content", RARELY, run)
