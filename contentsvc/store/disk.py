"""Whether the database has room to write."""

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from attrs import define, field
from twisted.internet.interfaces import IReactorTime

from contentsvc.framework.core.concurrency import Cached
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
    _failed: float = field(default=-HOLD, init=False)
    _full: Cached[bool] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._full = Cached(
            self._reactor,
            lambda full: SOON if full else LATER,
            self._check,
            default=False,
            patience=CHECK_TIMEOUT,
        )

    def failed(self) -> None:
        """Note that a write has found no room."""
        self._failed = self._reactor.seconds()
        self._full.put(True)

    async def has_room(self) -> bool:
        """Whether the disk has room. True if that is unknown, for example if the database does not
        answer."""
        return not await self._full.get() and not self._nearly_full()

    async def _check(self) -> bool:
        try:
            await self._fill(self._db)
        except Unavailable as error:
            if error.cause != "disk":
                return self._full.known
            self._failed = self._reactor.seconds()
        return self._reactor.seconds() - self._failed < HOLD

    def _nearly_full(self) -> bool:
        if self._folder is None:
            return False
        try:
            room = self._statvfs(self._folder)
        except OSError:
            return False  # it has gone, which is another matter
        return room.f_bavail * room.f_frsize < SEGMENT
