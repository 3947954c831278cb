"""Checks that the database's engine does what no transaction here could do without.

Engines that speak Postgres's protocol may take locks and ignore them, and data would be corrupt in
silence. Two sessions show whether an advisory lock excludes, NOTIFY arrives after its commit, `skip
locked` skips, a wait for a row ends, and LSNs rise.

Everything here blocks: call it in a thread.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from typing import Final

import psycopg2
from psycopg2.errors import UndefinedTable

from contentsvc.framework.db.connection import one_line
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.pooler_check import CONNECT_TIMEOUT
from contentsvc.framework.db.session import BlockingSession

EARLY: Final = 0.01
"""Seconds in which a statement that must wait has to show that it does."""
_KEY: Final = 0x6C6F636B
"""The first half of the advisory lock's number: the letters "lock"."""
_LSN: Final = "select (pg_current_wal_insert_lsn() - '0/0')::bigint"


class EngineError(Exception):
    """The service's data is not safe on this database engine."""


def check_engine(
    dsn: str,
    *,
    patience: float = CONNECT_TIMEOUT,
    early: float = EARLY,
    session: Callable[[str, float], BlockingSession] = BlockingSession,
) -> None:
    """Check the engine of a database that has its schema. Each wait ends after `patience` seconds.

    Raises EngineError; psycopg2.OperationalError or Unavailable: it cannot be known now.
    """
    with closing(session(dsn, patience)) as holder, closing(session(dsn, patience)) as other:
        # A statement that nobody waits for any more ends too. A role may be read-only by default.
        limit = f"{2 * patience:f}s"
        for each in holder, other:
            each.run(f"set statement_timeout = '{limit}'")
            each.run(f"set lock_timeout = '{limit}'")
            each.run("set default_transaction_read_only = off")
        _check(holder, other, patience, early)


def _check(holder: BlockingSession, other: BlockingSession, patience: float, early: float) -> None:
    def require(fulfilled: bool, lack: str) -> None:
        if not fulfilled:
            holder.run("select 1")  # otherwise it is the server that does not answer
            raise EngineError(lack)

    with _refused(lsns := "LSNs do not rise"):
        before = holder.run(_LSN)
    try:
        # A standby cannot.
        holder.run("begin isolation level read committed read write")
    except psycopg2.NotSupportedError as error:
        raise Unavailable(one_line(error)) from error
    number = holder.run("select pg_backend_pid()")[0][0]

    with _refused(advisory := "an advisory lock does not exclude"):
        holder.run("select pg_advisory_xact_lock(%s, %s)", _KEY, number)
        taken = other.run("select pg_try_advisory_lock(%s, %s)", _KEY, number)[0][0]
        require(not taken, advisory)

    with _refused(skip := "skip locked does not skip"):
        row = holder.run("select name from schema_upgrades order by name limit 1 for update")[0]
        other.begin("select from schema_upgrades where name = %s for update skip locked", *row)
        require(other.ended(patience) and not other.rows, skip)

    with _refused(notify := "NOTIFY does not arrive after its commit"):
        other.run("listen contentsvc_check")
        holder.run("notify contentsvc_check")

    with _refused(wait := "a statement does not wait for a locked row"):
        other.begin("select from schema_upgrades where name = %s for update", *row)
        require(not other.ended(early), wait)
    require(not other.heard(0), "NOTIFY arrives before its commit")
    holder.run("commit")
    require(other.ended(patience), "a wait for a locked row does not end")
    require(other.heard(patience), notify)
    require(holder.run(_LSN) > before, lsns)


@contextmanager
def _refused(lack: str) -> Iterator[None]:
    """An engine that knows no such statement lacks the same."""
    try:
        yield
    except UndefinedTable as error:  # a restore has just dropped it
        raise Unavailable(one_line(error)) from error
    except psycopg2.OperationalError:
        raise
    except psycopg2.Error as error:
        raise EngineError(f"{lack}: {one_line(error)}") from error
