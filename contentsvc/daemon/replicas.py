"""The replica of the database, as the settings name it."""

from typing import Any

from contentsvc.config import Settings
from contentsvc.core.clocks import WallClock
from contentsvc.db.database import Database
from contentsvc.db.replica import Replica
from contentsvc.store.processes import Failing

LONG = 5.0
"""Seconds without the replica after which that is reported."""


def open_replica(settings: Settings, reactor: Any, db: Database) -> Replica | None:
    """Give `db` its replica, if it is to have one. Nobody waits until it can be used."""
    if settings.database_read is None:
        return None
    db.replica = replica = Replica(
        reactor,
        settings.database_read,
        db,
        size=settings.pool_size,
        statement_timeout=settings.statement_timeout,
    )
    replica.start()
    return replica


def failing(replica: Replica | None, reactor: Any, wall: WallClock) -> list[Failing]:
    """What is to be reported of it."""
    if replica is None or replica.up:
        return []
    away = reactor.seconds() - replica.since
    if away < LONG:
        return []
    return [Failing("read from the replica", int(wall.seconds() - away), replica.reason)]
