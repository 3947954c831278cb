"""Checks that a pooler in front of Postgres gives each client its own session.

pgbouncer does so in session mode. In transaction mode, the next statement may run in another
session. Prepared statements and LISTEN are then lost, and an advisory lock stays with another
client.
"""

from contextlib import ExitStack, closing
from typing import Any, Final

import psycopg2

from contentsvc.framework.db.session import BlockingSession

_TRIES = 3
"""The number of transactions held open at once to compare their sessions. A pooler reuses either
the session used last, so the first transaction shows it, or the one unused for longest, so the
second does."""
CONNECT_TIMEOUT: Final = 5.0
"""Seconds that each transaction may take to connect and to begin."""
_POOLED = (
    "the pooler in front of the database is in transaction mode, where prepared statements and "
    "LISTEN do not work: use session mode (pgbouncer: pool_mode = session), or connect directly"
)


class PoolerError(Exception):
    """The database is behind a pooler with which the service cannot work."""


def require_session(connection: Any, dsn: str, patience: float) -> None:
    """Check `connection`, which goes to `dsn` and is in autocommit. Other connections may take
    `patience` seconds each to connect and to begin.

    Raises PoolerError, or psycopg2.OperationalError: the pooler gives no second connection.
    """
    session = _session(connection)
    if session == connection.info.backend_pid:
        return  # a pooler gives its clients numbers of its own
    with ExitStack() as held:
        for tried in range(_TRIES):
            try:
                begun = _begun(held.enter_context(closing(BlockingSession(dsn, patience))))
            except psycopg2.OperationalError as error:
                if tried == 0:
                    raise psycopg2.OperationalError(
                        f"the pooler gives no second connection: {error}"
                    ) from error
                return  # it has no more, and has given two that were not one
            if begun == session or _session(connection) != session:
                raise PoolerError(_POOLED)


def _session(connection: Any) -> int:
    with connection.cursor() as cursor:
        cursor.execute("select pg_backend_pid()")
        number: int = cursor.fetchone()[0]
        return number


def _begun(session: BlockingSession) -> int:
    """Begin a transaction, and give the number of its session."""
    try:
        number: int = session.run("begin; select pg_backend_pid()")[0][0]
    except psycopg2.Error as error:
        if "pooling mode" in str(error):  # pgbouncer's statement mode knows no transactions
            raise PoolerError(_POOLED) from error
        raise
    return number
