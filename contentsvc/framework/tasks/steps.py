"""Does the tasks that are steps in transactions, a batch at a time.

A batch is one transaction. It locks a row, has the row's step do the next part of the task, moves
the row's place, finishes the batch and commits. Whichever process dies at whatever point, each part
is done once: the place and what the step writes commit together.

Rows take turns, the newer first: a huge one holds up another for one batch and the rest after it,
which are less than a second. A row whose batch fails is postponed: it is tried again with growing
pauses, and holds up no other.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from msgspec import json
from twisted.internet.interfaces import IReactorTime
from twisted.logger import Logger
from twisted.python.failure import Failure

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks import task_queue
from contentsvc.framework.tasks.runner import plain
from contentsvc.framework.tasks.task import Task, kind_of
from contentsvc.framework.tasks.task_queue import TaskRow

MOST = 100
"""Recipients of a batch: some milliseconds of the database, and of the reactor where all of them
have sockets here. More would cost a little less in all."""
LONG = 0.1
"""Seconds that a batch should take at most. After one that took longer the next are smaller."""
LONGEST_REST = 0.5
"""Between batches are pauses as long as the batch took, up to so many seconds. So others have the
database and the reactor for half of the time."""

log = Logger()


class StepBatch(Protocol):
    """What a step says of the batch that it has done: how many recipients it has, and the place at
    which the next one begins. None is the end."""

    @property
    def size(self) -> int: ...
    @property
    def place(self) -> str | None: ...


B = TypeVar("B", bound=StepBatch)
Step = Callable[[Db, Any, str | None, int], Awaitable[B]]
"""Called with the transaction, the task, the place at which to begin (None at first), and the most
recipients that the batch may have. It may read and write; what it writes commits with the batch."""


class StepKind(NamedTuple, Generic[B]):
    """How one kind of task is done in steps."""

    task: type[Task]
    step: Step[B]


def kinds(*steps: tuple[type[Task], Step[B]]) -> dict[str, StepKind[B]]:
    """The kinds by their names."""
    return {kind_of(task): StepKind(task, step) for task, step in steps}


class StepRunner(Generic[B]):
    """Does the steps of these `kinds`; those of others stay. `finish` does with a batch what is the
    same for all kinds, in its transaction, as the last of it."""

    def __init__(
        self,
        clock: IReactorTime,
        db: Database,
        finish: Callable[[Db, B], Awaitable[None]],
        kinds: Mapping[str, StepKind[B]],
        *,
        most: int = MOST,
    ) -> None:
        self._clock = clock
        self._db = db
        self._finish = finish
        self._kinds = kinds
        self._names = list(kinds)
        self._most = self._size = most

    async def run(self) -> float | None:
        """Do one batch. Gives the pause until the next; None if no row has its turn.

        Raises what the database raises, unless it is the fault of one row.
        """
        began = self._clock.seconds()
        row = None
        try:
            async with self._db.transaction() as tx:
                row = await task_queue.take(tx, self._names)
                if row is not None:
                    await self._do(tx, row)
        except Exception as error:
            if row is None:
                raise
            await self._postpone(row, error)
        if row is None:
            return None
        took = self._clock.seconds() - began
        share = LONG / took if took > LONG else 2
        self._size = max(1, min(self._most, int(self._size * share)))
        return min(took, LONGEST_REST)

    async def _do(self, tx: Db, row: TaskRow) -> None:
        kind = self._kinds[row.kind]
        task = json.decode(row.task, type=kind.task)
        batch = await kind.step(tx, task, row.place, self._size)
        if batch.size > self._size:
            raise ValueError(f"{row.kind} gave {batch.size} recipients for {self._size}")
        if batch.place is None:
            await task_queue.finish(tx, row.id)
        else:
            await task_queue.move(tx, row.id, batch.place)
        await self._finish(tx, batch)

    async def _postpone(self, row: TaskRow, error: Exception) -> None:
        failure = plain(error)
        if not await task_queue.postpone(self._db, row.id, row.due, failure):
            return
        if failure == row.failure:
            return
        if isinstance(error, Unavailable):
            # Log: a task has failed, for example because somebody holds a lock. It is
            # tried again. Do: see docs/guides/monitoring.md#background-jobs.
            log.warn("Could not notify of {kind}: {error}", kind=row.kind, error=failure)
        else:
            log.failure("Could not notify of {kind}", Failure(error), kind=row.kind)
