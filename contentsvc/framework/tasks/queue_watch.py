"""Looks for what other processes have put or left: one statement for all queues, where each job
would have one of its own."""

from collections.abc import Awaitable, Callable, Sequence

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.tasks.runner import Job
from contentsvc.framework.tasks.task import STEPS


def watch(
    jobs: Sequence[Job],
    bell: Bell,
    filled: Callable[[Sequence[str]], Awaitable[list[str]]],
    *,
    every: float,
    often: float,
) -> Job:
    """The job that rings the bells of those of `jobs` whose queues are not empty: `filled` says
    which of these are not. If it cannot look, as while somebody has locked one of the tables, it
    rings all: each finds out by itself.

    It looks every so many seconds, `often` while there are steps, and at once when `bell` is rung.
    """
    bells = [(job.queue, job.bell) for job in jobs if job.queue and job.bell]
    queues = sorted({queue for queue, _ in bells})

    async def run() -> float | None:
        found: Sequence[str] = queues
        try:
            found = await filled(queues)
        finally:
            for queue, each in bells:
                if queue in found:
                    each.ring()
        return often if STEPS in found else None

    return Job("look for tasks", every, run, bell)
