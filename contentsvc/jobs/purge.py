"""Content that its author deleted long ago gives up its files (extensions §3)."""

from contentsvc.db.query import Db
from contentsvc.jobs.runner import Job
from contentsvc.store import claims

EVERY = 30.0
"""Seconds between two rounds."""
PAUSE = 0.2
"""Seconds between two batches of a round, in which others can use the database."""


def purge(db: Db) -> Job:
    """The job."""

    async def run() -> float | None:
        return PAUSE if await claims.purge(db) else None

    return Job("release files of deleted content", EVERY, run)
