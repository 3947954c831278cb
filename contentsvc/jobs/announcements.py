"""Tells all sockets that the announcements are others now (studio §4).

Each process looks by itself whether they are. So nothing is lost with a process or with the bus,
and what begins or is over by the clock needs no further mechanism.
"""

from collections.abc import Awaitable, Callable
from math import ceil

from attrs import define, field

from contentsvc.framework.db.query import Db
from contentsvc.store.notifications import announcements

EVERY = 3.0
"""Seconds between two looks while one fails. Otherwise contentsvc.jobs.queue_watch looks."""
READS = 200
"""Clients of a process that read the announcements in one second, all in all."""


def within(sockets: int) -> int:
    """The seconds within which the clients of so many sockets shall read, each at random."""
    return max(1, ceil(sockets / READS))


@define(eq=False)
class AnnouncementWatch:
    """Looks for changes. `tell` sends the seconds to all sockets, of which there are `sockets`."""

    _db: Db
    _sockets: Callable[[], int]
    _tell: Callable[[int], Awaitable[None]]
    state: str | None = field(default=None, init=False)
    """What the last look has found."""

    async def run(self) -> None:
        """Look. The first look tells nobody: who has connected reads after that. Raises what the
        database raises."""
        before, self.state = self.state, await announcements.state_of_all(self._db)
        if before is not None and before != self.state:
            await self._tell(within(self._sockets()))
