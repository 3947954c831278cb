"""The store's functions on a blocking connection, for a program without a reactor."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeVar

import psycopg2

from contentsvc.framework.db.connection import unavailable
from contentsvc.framework.db.errors import BadValue, Refused
from contentsvc.framework.db.query import Db
from contentsvc.framework.db.statement import Row, Statement, parted

T = TypeVar("T")

_CONNECT_TIMEOUT = 5
"""Seconds."""


def in_transaction(dsn: str, act: Callable[[Db], Awaitable[T]]) -> T:
    """Run `act` in one transaction on a connection of its own, and commit.

    `act` may await only store functions. Raises Unavailable, Refused or BadValue. Nothing has been
    committed then, unless the answer to COMMIT was lost.
    """
    with _translated():
        connection = psycopg2.connect(
            dsn,
            application_name="contentsvc command",
            client_encoding="UTF8",
            connect_timeout=_CONNECT_TIMEOUT,
        )
    with closing(connection):
        db = _Direct(connection)
        result = _driven(act(db))
        with _translated():
            connection.commit()
    for callback in db.callbacks:
        callback()
    return result


class _Direct:
    """A Db whose statements block. Each is prepared when it is first used."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._prepared: set[str] = set()
        self.callbacks: list[Callable[[], None]] = []

    async def run(self, statement: Statement, args: Row) -> list[Row]:
        several = statement.batch is not None
        if several:
            statement, args = statement.batched([args])
        with self._connection.cursor() as cursor, _translated():
            if statement.name not in self._prepared:
                cursor.execute(statement.prepare.replace("%%", "%"))
                self._prepared.add(statement.name)
            cursor.execute(statement.execute, args)
            if cursor.description is None:
                return []
            statement.check(cursor.description)
            rows: list[Row] = cursor.fetchall()
            return parted(rows, 1)[0] if several else rows

    def after_commit(self, callback: Callable[[], None]) -> None:
        self.callbacks.append(callback)


def _driven(work: Awaitable[T]) -> T:
    """The result of a coroutine that never waits, because everything in it blocks."""
    try:
        next(work.__await__())
    except StopIteration as stop:
        result: T = stop.value
        return result
    raise RuntimeError("a reactor is needed for this")


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except psycopg2.IntegrityError as error:
        raise Refused(error.diag.constraint_name or "") from error
    except (psycopg2.DataError, UnicodeEncodeError) as error:
        raise BadValue(" ".join(str(error).split())) from error
    except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
        raise unavailable(error) from error
