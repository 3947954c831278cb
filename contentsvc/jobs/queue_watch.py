"""Looks for what other processes have put or left: one statement for all queues, where each job
would have one of its own."""

from collections.abc import Sequence

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.query import Db
from contentsvc.framework.tasks.runner import Job
from contentsvc.store import pending_work
from contentsvc.store.tasks import STEPS

EVERY = 4.5
"""Most seconds between two looks: sockets are told of announcements within 5. One follows each look
of the sweep."""
OFTEN = 1.0
"""The same while there are steps: less than the head start of connected followers."""
SOON = 0.1
"""Seconds until it looks after this process has put a task. Most are done by then."""


def watch(db: Db, jobs: Sequence[Job], bell: Bell) -> Job:
    """The job that rings the bells of those of `jobs` whose queues are not empty. It looks at once
    when `bell` is rung. If it cannot look, as while somebody has locked one of the tables, it rings
    all: each finds out by itself."""
    bells = [(job.queue, job.bell) for job in jobs if job.queue and job.bell]
    known = {job.queue: job.known for job in jobs if job.known}
    announcements = known.get(pending_work.ANNOUNCEMENTS, lambda: None)
    queues = sorted({queue for queue, _ in bells})

    async def run() -> float | None:
        filled = queues
        try:
            filled = await pending_work.filled(db, queues, announcements())
        finally:
            for queue, each in bells:
                if queue in filled:
                    each.ring()
        return OFTEN if STEPS in filled else None

    return Job("look for tasks", EVERY, run, bell)
