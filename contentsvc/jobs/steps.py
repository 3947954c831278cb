"""Does the tasks that are steps in transactions: tells many, a batch of recipients at a time
(spec §6).

A batch is one transaction. It locks a row, asks the row's step for the next recipients, moves the
row's place, stores the notifications and commits; then they are pushed. Whichever process dies at
whatever point, each recipient is told once: the place and the notifications commit together.

Rows take turns, the newer first: a huge one holds up another for one batch and the rest after it,
which are less than a second. A row whose batch fails goes apart, and is tried again with growing
pauses.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import json
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.error_text import plain
from contentsvc.push.notifier import Notifier
from contentsvc.store import task_queue
from contentsvc.store.notifications.notifications import Following
from contentsvc.store.task_queue import Row
from contentsvc.store.tasks import Task
from contentsvc.wire.base import tag_of
from contentsvc.wire.notifications import Notification

EVERY = 5.0
"""Most seconds until the database is tried again when it has failed."""
MOST = 100
"""Recipients of a batch: some milliseconds of the database, and of the reactor where all of them
have sockets here. More would cost a little less in all."""
LONG = 0.1
"""Seconds that a batch should take at most. After one that took longer the next are smaller."""
LONGEST_REST = 0.5
"""Between batches are pauses as long as the batch took, up to so many seconds. So others have the
database and the reactor for half of the time."""

log = Logger()


class Batch(NamedTuple):
    """The recipients of a batch, with what each is told, and the place at which the next batch
    begins. None is the end. A step that must know who has been told stores the notifications
    itself, and gives them as `stored`."""

    recipients: list[tuple[str, Notification]]
    place: str | None
    stored: Sequence[Following] = ()
    libraries: Sequence[str] = ()
    """Users whose sockets are told that what they keep may be another."""


Step = Callable[[Db, Any, str | None, int], Awaitable[Batch]]
"""Called with the transaction, the task, the place at which to begin (None at first), and the most
recipients that the batch may have. It may read and write; what it writes commits with the batch."""


class Kind(NamedTuple):
    """How one kind of task is done in steps."""

    task: type[Task]
    step: Step


def kinds(*steps: tuple[type[Task], Step]) -> dict[str, Kind]:
    """The kinds by their names."""
    return {tag_of(task): Kind(task, step) for task, step in steps}


class StepRunner:
    """Does the steps of these `kinds`; those of others stay."""

    def __init__(
        self,
        clock: IReactorTime,
        db: Database,
        notifier: Notifier,
        kinds: Mapping[str, Kind],
        *,
        most: int = MOST,
    ) -> None:
        self._clock = clock
        self._db = db
        self._notifier = notifier
        self._kinds = kinds
        self._names = list(kinds)
        self._most = self._size = most

    async def run(self) -> float | None:
        """Tell one batch. Gives the pause until the next; None if no row has its turn.

        Raises what the database raises, unless it is the fault of one row.
        """
        began = self._clock.seconds()
        row = None
        try:
            async with self._db.transaction() as tx:
                row = await task_queue.take(tx, self._names)
                if row is not None:
                    await self._tell(tx, row)
        except Exception as error:
            if row is None:
                raise
            await self._put_apart(row, error)
        if row is None:
            return None
        took = self._clock.seconds() - began
        share = LONG / took if took > LONG else 2
        self._size = max(1, min(self._most, int(self._size * share)))
        return min(took, LONGEST_REST)

    async def _tell(self, tx: Db, row: Row) -> None:
        kind = self._kinds[row.kind]
        task = json.decode(row.task, type=kind.task)
        batch, place, stored, libraries = await kind.step(tx, task, row.place, self._size)
        told = len(batch) + len(stored)
        if told > self._size:
            raise ValueError(f"{row.kind} gave {told} recipients for {self._size}")
        if place is None:
            await task_queue.finish(tx, row.id)
        else:
            await task_queue.move(tx, row.id, place)
        # The counters' locks are the last ones.
        await self._notifier.send_many(tx, batch)
        if stored:
            self._notifier.publish(tx, stored)
        if libraries:
            tx.after_commit(lambda: self._notifier.library_changed(libraries))

    async def _put_apart(self, row: Row, error: Exception) -> None:
        failure = plain(error)
        if not await task_queue.put_apart(self._db, row.id, row.due, failure):
            return
        if failure == row.failure:
            return
        if isinstance(error, Unavailable):
            # Log: a task has failed, for example because somebody holds a lock. It is
            # tried again. Do: see docs/guides/monitoring.md#background-jobs.
            log.warn("Could not notify of {kind}: {error}", kind=row.kind, error=failure)
        else:
            log.failure("Could not notify of {kind}", Failure(error), kind=row.kind)
