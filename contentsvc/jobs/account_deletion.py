"""Deletes what users have left behind who have deleted their accounts (extensions §8)."""

from contentsvc.framework.db.query import Db
from contentsvc.jobs.steps import Batch
from contentsvc.store import tasks
from contentsvc.store.accounts import deletion


async def departure(tx: Db, task: tasks.Departure, place: str | None, most: int) -> Batch:
    """The next batch. Nobody is told anything here."""
    return Batch([], await deletion.step(tx, task, place))
