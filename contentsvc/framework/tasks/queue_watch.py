"""Checks for tasks that other processes have put or left, in one statement for all jobs: nearly all
of a check's cost is to wake a process of Postgres."""

from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from zlib import crc32

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.query import Db, Statements
from contentsvc.framework.tasks.runner import Job
from contentsvc.framework.tasks.task import STEPS

_TASKS = """
    select queue from unnest(:queues::text[]) as named (queue)
    where exists (select from tasks t where t.queue = named.queue)
"""
_Find = Callable[[Db, Sequence[str], Sequence[str | None]], Awaitable[list[str]]]


@cache
def _declared(sql: str) -> _Find:
    """The statement that finds which of these queues have tasks, due or not, and what else
    waits."""

    @Statements().many(sql, name=f"pending_work_{crc32(sql.encode())}")
    async def filled(db: Db, queues: Sequence[str], known: Sequence[str | None]) -> list[str]: ...

    return filled


class PendingWork:
    """What waits for these jobs."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        conditions = {job.queue: job for job in jobs if job.queue and job.waits}
        self._conditions = list(conditions.values())
        self.queues = sorted({job.queue for job in jobs if job.queue} - conditions.keys())
        """The queues of tasks."""
        parts = [_TASKS]
        for number, job in enumerate(self._conditions, 1):
            condition = (job.waits or "").replace("{known}", f"(:known::text[])[{number}]")
            parts.append(f"select '{job.queue}' where {condition}")
        self._filled = _declared(" union all ".join(parts))

    async def find(self, db: Db) -> list[str]:
        """The queues in which something waits."""
        known = [None if job.known is None else job.known() for job in self._conditions]
        return await self._filled(db, self.queues, known)


def watch(db: Db, jobs: Sequence[Job], bell: Bell, *, every: float, often: float) -> Job:
    """The job that rings the bells of those of `jobs` for which something waits. If it cannot read,
    as while somebody has locked one of the tables, it rings all bells: each job then checks itself.

    It checks every so many seconds, `often` while there are steps, and at once when `bell` is rung.
    """
    bells = [(job.queue, job.bell) for job in jobs if job.queue and job.bell]
    pending = PendingWork(jobs)

    async def run() -> float | None:
        found: Sequence[str | None] = [queue for queue, _ in bells]
        try:
            found = await pending.find(db)
        finally:
            for queue, each in bells:
                if queue in found:
                    each.ring()
        return often if STEPS in found else None

    return Job("look for tasks", every, run, bell)
