"""The look at the file store that goes on for as long as a process runs. Its failure is what an
operator reads in the log and in `contentsvc status`."""

from collections.abc import Awaitable, Callable

from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.storage.bucket import Bucket
from contentsvc.framework.tasks.runner import Job

EVERY = 10.0
"""Seconds between two looks at a store that works."""
SWEEP_EVERY = 600.0
"""Seconds between two looks for what broken uploads have left."""
AGAIN = 2.0
"""Most seconds, but for chance, until a store that does not work is tried again. A try takes at
most 6 s, so that there is one every 10 s."""


class StoreCheck:
    """`reach` fails if the store does not work."""

    def __init__(self, reach: Callable[[], Awaitable[None]]) -> None:
        self._reach = reach

    async def run(self) -> float:
        """Look once."""
        await self._reach()
        return EVERY


def jobs(bucket: Bucket, reactor: IReactorTime) -> list[Job]:
    """The jobs that keep an eye on the place of the files, and tidy it up."""
    run = StoreCheck(bucket.reach).run
    return [
        Job("reach the file store", AGAIN, run, Bell(reactor)),
        Job("delete broken uploads", SWEEP_EVERY, bucket.sweep),
    ]
