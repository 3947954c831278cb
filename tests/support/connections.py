"""Connections to Postgres that the tests of a process use one after another. A new one costs more
than most tests: the server reads its catalogue again, and prepares and plans each statement."""

import select
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from psycopg2.extensions import TRANSACTION_STATUS_IDLE
from twisted.internet.task import deferLater

from contentsvc.framework.db.connection import Connection, connect
from contentsvc.framework.db.database import Database

_kept: dict[tuple[object, ...], list[Connection]] = defaultdict(list)
_MOST = 8
"""Connections that are kept open at once: others are of databases whose tests are over."""


async def reopen(
    reactor: Any,
    dsn: str,
    *,
    timeout: float,
    statement_timeout: float,
    session: Mapping[str, str] | None = None,
) -> Connection:
    """Do as `connect`, with a connection that an earlier test has left in order if there is one."""
    key = (dsn, statement_timeout, *sorted((session or {}).items()))
    while kept := _kept[key]:
        connection = kept.pop()
        if _in_order(connection):
            connection._watch()
            return connection
        connection.abandon()
    opened = await connect(
        reactor, dsn, timeout=timeout, statement_timeout=statement_timeout, session=session
    )
    opened.key = key  # type: ignore[attr-defined]
    return opened


async def keep(reactor: Any, pool: Database) -> None:
    """Stop a pool that has opened its connections by `reopen`. Those that are in order stay open
    for the next test."""
    # The one that brought the last answer is watched again once the test has returned.
    await deferLater(reactor, 0)
    good = [connection for connection in pool.connections if _in_order(connection)]
    for connection in good:
        # Neither the pool closes it, nor does trial find that the reactor watches it.
        connection._unwatch()
        connection.broken = True
    pool.stop()
    for connection in good:
        connection.broken = False
        connection.lost = connection.lacks = connection.lane = None
        _kept[connection.key].append(connection)  # type: ignore[attr-defined]
    while sum(map(len, _kept.values())) > _MOST:
        oldest = next(key for key, kept in _kept.items() if kept)
        _kept[oldest].pop(0).abandon()
    for key in [key for key, kept in _kept.items() if not kept]:
        del _kept[key]


def _in_order(connection: Connection) -> bool:
    """Whether nothing runs on it, no transaction is open, and the server has said nothing more."""
    if connection.broken or connection.since:
        return False
    raw = connection.raw
    if raw.closed or raw.get_transaction_status() != TRANSACTION_STATUS_IDLE:
        return False
    (heard, _, _) = select.select([raw.fileno()], [], [], 0)
    return not heard and not raw.notifies
