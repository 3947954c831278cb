"""Waits until no daemon of a release before 1.0.0 uses the database.

The upgrade to 1.0.0 needs that. Daemons report themselves in the table `processes` every few
seconds, and take their row away when they stop. Later upgrades work while daemons serve.

Everything here blocks.
"""

import time
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from contentsvc.framework.db.errors import Unavailable
from contentsvc.store.processes import DEAD

PATIENCE: Final = 60.0
"""Seconds to wait for them. One that was killed counts as dead by then."""
_PAUSE: Final = 0.25
"""Seconds between two looks."""
_RUNNING: Final = f"""
    select format('%s (process %s)', host, pid) from processes
    where abs(extract(epoch from clock_timestamp() - seen)) <= {DEAD}
    order by host, pid
"""


class StillRunning(Exception):
    """Daemons of before still run. The text names them."""


def _go_on() -> bool:
    return True


def _silent(line: str) -> None:
    pass


class Wait(NamedTuple):
    """How to wait: with `force` not at all; up to `patience` seconds; as long as `goes_on`.
    `report` is called with a line about whom."""

    force: bool = False
    patience: float = PATIENCE
    goes_on: Callable[[], bool] = _go_on
    report: Callable[[str], object] = _silent


AT_MOST: Final = Wait()
"""As long as the upgrade may wait."""


def quiesce(cursor: Any, wait: Wait) -> None:
    """Wait until they have stopped. The connection is in autocommit, and holds the lock that keeps
    others from starting.

    Raises StillRunning; Unavailable: it was told not to go on.
    """
    deadline = time.monotonic() + wait.patience
    said = ""
    while running := _running(cursor):
        if wait.force:
            wait.report(f"daemons of a release before 1.0.0 still run: {running}; going on")
            return
        if time.monotonic() > deadline:
            raise StillRunning(
                f"daemons of a release before 1.0.0 still run: {running}. Stop them first, or say"
                " contentsvc migrate --force"
            )
        if not wait.goes_on():
            raise Unavailable("the upgrade has to wait for other daemons", "lock")
        if running != said:
            wait.report(f"daemons of a release before 1.0.0 still run: {running}")
            said = running
        time.sleep(_PAUSE)


def _running(cursor: Any) -> str:
    cursor.execute(_RUNNING)
    return ", ".join(row[0] for row in cursor.fetchall())
