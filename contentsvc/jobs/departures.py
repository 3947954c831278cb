"""Deletes what users have left behind who have deleted their accounts (extensions §8), if the
request that did so has not come to the end."""

from contentsvc.db.query import Db
from contentsvc.jobs.outbox import Batch
from contentsvc.store import leaving, tasks


async def departure(tx: Db, task: tasks.Departure, place: str | None, most: int) -> Batch:
    """The next batch. Nobody is told anything here."""
    return Batch([], await leaving.step(tx, task, place))
