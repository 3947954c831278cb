"""Tasks in steps, and what their recipients were notified of."""

from typing import Any

from msgspec import json
from twisted.internet import reactor

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.task_queue import Task, TaskQueue
from contentsvc.framework.tasks.task_runners import kinds
from contentsvc.jobs.steps import Batch, StepRunner
from contentsvc.push.notifier import Notifier
from contentsvc.wire.notifications import Debug
from tests.push.fakes import Listener, delays
from tests.support.databases import StoreCase

MOST = 4
"""Recipients of a batch."""


class Call(Task, frozen=True, tag="Call"):
    """Tells these users this text, in this order."""

    text: str
    users: list[str]


async def call(tx: Db, task: Call, place: str | None, most: int) -> Batch:
    """The place is how many have been notified."""
    notified = int(place or 0)
    users = task.users[notified : notified + most]
    end = notified + most >= len(task.users)
    batch = [(user, Debug(text=task.text)) for user in users]
    return Batch(batch, None if end else str(notified + most))  # type: ignore[arg-type]


class StepCase(StoreCase):
    """A runner with a database of its own, whose rows are `Call`s."""

    anew = True

    async def setUp(self) -> None:
        await super().setUp()
        self.listener = Listener()
        self.queue = TaskQueue(lambda: None)
        self.runner = self.another(self.db)

    def another(self, db: Database, **options: Any) -> StepRunner:
        """One more process's."""
        notifier = Notifier(self.listener, self.listener, delays())
        options = {"clock": reactor, "kinds": kinds((Call, call)), "most": MOST} | options
        return StepRunner(db=db, notifier=notifier, **options)

    async def put(self, text: str, users: list[str]) -> None:
        """One more row."""
        await self.queue.put(self.db, Call(text=text, users=users))

    async def work(self, runner: StepRunner | None = None, batches: int = 100) -> int:
        """Until no row has its turn; how many batches that were."""
        for batch in range(batches):
            if await (runner or self.runner).run() is None:
                return batch
        return batches

    def notified(self, user: str) -> list[str]:
        """The texts that a user was notified of, in order."""
        rows = self.sql("select data from notifications where user_id = %s order by seq", user)
        return [json.decode(data)["text"] for (data,) in rows]

    def left(self) -> list[tuple[Any, ...]]:
        """Those that wait: place, tries and failure."""
        return self.sql("select place, tries, failure from tasks order by id")
