"""What is done for accounts (accounts#accounts). Their mails are in contentsvc.jobs.mails."""

from collections.abc import Callable

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.runner import Job
from contentsvc.framework.tasks.task_queue import TaskQueue
from contentsvc.jobs.retention import Deleted, rarely
from contentsvc.jobs.steps import Batch
from contentsvc.store import tasks
from contentsvc.store.accounts import deletion, guests


async def departure(tx: Db, task: tasks.Departure, place: str | None, most: int) -> Batch:
    """The next batch of what a user has left behind who has deleted the account. Nobody is
    notified."""
    return Batch([], await deletion.step(tx, task, place))


def of_guests(
    db: Database, queue: TaskQueue, end: Callable[[Db, list[str]], object], days: int
) -> list[Job]:
    """The deletion of guests who were not seen for so many days; 0: none. One account goes at a
    time, as if its user deleted it. `end` ends sessions once their transaction has committed."""
    # Those who stay for what they have published are looked at once in a round.
    since = guests.FIRST

    async def delete() -> Deleted:
        nonlocal since
        begun, since = since, guests.FIRST
        try:
            async with db.transaction() as tx:
                idle = await guests.idle(tx, days, begun)
                if idle is None:
                    return Deleted(0, False)
                departed = await deletion.leave(tx, idle.user, None, guest=True, idle=days)
                if departed is None:
                    raise Unavailable("the guest has just come back", "lock")
                await queue.put(tx, tasks.Departure(user=idle.user))
                end(tx, departed.sessions)
        except Unavailable as error:
            if error.cause != "lock":
                raise
            # Somebody does something with the guest. The next round comes back to it.
            return Deleted(0, False)
        since = idle.seen
        return Deleted(1, True)

    return [rarely("guests who have not come back", delete)] if days else []
