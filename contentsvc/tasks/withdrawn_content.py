"""Content that its author deleted long ago gives up its files (extensions §3)."""

from contentsvc.framework.db.query import Db
from contentsvc.store.files import references
from contentsvc.tasks.retention import PAUSE, RARELY
from contentsvc.tasks.runner import Job


def purge(db: Db) -> Job:
    """The job."""

    async def run() -> float | None:
        return PAUSE if await references.purge(db) else None

    return Job("release files of deleted content", RARELY, run)
