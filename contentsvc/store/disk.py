"""Whether the database has room to write."""

import os
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path

from attrs import define, field
from twisted.internet.defer import Deferred, TimeoutError
from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.query import Db, one

LATER, SOON = 5.0, 1.0
"""Seconds between two checks: while there is room, and while there is none."""
HOLD = 3.0
"""Seconds for which a failed write counts, whatever a check finds: the write may have needed more
room."""
CHECK_TIMEOUT = 1.0
"""Seconds that a caller waits for a check. A later result counts for later callers."""
SEGMENT = 16 * 1024 * 1024
"""Bytes that Postgres needs to continue. Its log grows by this much at a time, and the server stops
if it cannot."""


@one("select set_config('work_mem', '64kB', true)")
async def little_memory(db: Db) -> str:
    """Make the rest of a transaction use files early."""


@one("""
    with wide as materialized (
        select repeat(n::text, 1000) as text from generate_series(1, 1500) n
    )
    select count(*) from wide
""")
async def spill(db: Db) -> int:
    """Write some 5 MB to a file on the database's disk. The file goes with the statement."""


async def fill(db: Database) -> None:
    """Use room on the disk for a moment. Raises Unavailable."""
    async with db.transaction() as tx:
        await little_memory(tx)
        await spill(tx)


@define(eq=False)
class Disk:
    """Checks the disk when it is asked, but not often. `folder` is the database's folder, if it is
    on this machine. `fill` makes the database write, `statvfs` is that of os."""

    _reactor: IReactorTime
    _db: Database
    _folder: Path | None
    _fill: Callable[[Database], Awaitable[None]] = field(default=fill, kw_only=True)
    _statvfs: Callable[[Path], os.statvfs_result] = field(default=os.statvfs, kw_only=True)
    _full: bool = field(default=False, init=False)
    _failed: float = field(default=-HOLD, init=False)
    _looked: float = field(default=-LATER, init=False)
    _looking: bool = field(default=False, init=False)

    def failed(self) -> None:
        """Note that a write has found no room."""
        self._full = True
        self._failed = self._reactor.seconds()

    async def has_room(self) -> bool:
        """Whether the disk has room. True if that is unknown, for example if the database does not
        answer."""
        now = self._reactor.seconds()
        if not self._looking and now - self._looked >= (SOON if self._full else LATER):
            self._looked, self._looking = now, True
            found: Deferred[None] = Deferred()
            Deferred.fromCoroutine(self._look()).addCallbacks(found.callback, found.errback)
            found.addTimeout(CHECK_TIMEOUT, self._reactor)
            with suppress(TimeoutError):
                await found
        return not self._full and not self._nearly_full()

    async def _look(self) -> None:
        try:
            await self._fill(self._db)
        except Unavailable as error:
            if error.cause == "disk":
                self.failed()
        else:
            self._full = self._reactor.seconds() - self._failed < HOLD
        finally:
            self._looking = False

    def _nearly_full(self) -> bool:
        if self._folder is None:
            return False
        try:
            room = self._statvfs(self._folder)
        except OSError:
            return False  # it has gone, which is another matter
        return room.f_bavail * room.f_frsize < SEGMENT
