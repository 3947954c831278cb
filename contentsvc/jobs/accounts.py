"""What is done for accounts (accounts#accounts). Their mails are in contentsvc.jobs.mails."""

from contentsvc.framework.db.query import Db
from contentsvc.jobs.steps import Batch
from contentsvc.store import tasks
from contentsvc.store.accounts import deletion


async def departure(tx: Db, task: tasks.Departure, place: str | None, most: int) -> Batch:
    """The next batch of what a user has left behind who has deleted the account. Nobody is
    notified."""
    return Batch([], await deletion.step(tx, task, place))
