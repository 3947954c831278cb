"""A connection that blocks, and on which every wait is bounded."""

import select
import time
from typing import Any

import psycopg2
from psycopg2.extensions import POLL_OK, POLL_WRITE

from contentsvc.framework.db.hosts import each_try


class BlockingSession:
    """Opening it, and each statement on it, may take `patience` seconds. Several addresses share
    those of the opening."""

    def __init__(self, dsn: str, patience: float) -> None:
        self._cursor: Any = None
        tries = list(each_try(dsn))
        self._patience = patience / len(tries)
        for left, one in enumerate(tries, 1 - len(tries)):
            try:
                self._open(one)
                break
            except psycopg2.Error:
                if not left:
                    raise
        self._patience = patience

    def _open(self, dsn: str) -> None:
        self._connection = psycopg2.connect(dsn, application_name="contentsvc migrate", async_=1)
        try:
            self._answered()
        except psycopg2.Error:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def run(self, sql: str, *args: object) -> list[Any]:
        """Give the rows of a statement. Raises psycopg2.Error."""
        self.begin(sql, *args)
        self._answered()
        return self.rows

    def begin(self, sql: str, *args: object) -> None:
        """Send a statement, and do not wait for it."""
        self._cursor = self._connection.cursor()
        self._cursor.execute(sql, args or None)

    def ended(self, seconds: float) -> bool:
        """Whether the statement ends within so many seconds. Raises psycopg2.Error."""
        deadline = time.monotonic() + seconds
        while (state := self._connection.poll()) != POLL_OK:
            event = select.POLLOUT if state == POLL_WRITE else select.POLLIN
            if not self._ready(event, deadline):
                return False
        return True

    @property
    def rows(self) -> list[Any]:
        """The rows of the statement that has ended."""
        return [] if self._cursor.description is None else list(self._cursor.fetchall())

    def heard(self, seconds: float) -> bool:
        """Whether a notification comes within so many seconds."""
        deadline = time.monotonic() + seconds
        # One may have come in one piece with the end of a statement: then nothing is left to read.
        self._connection.poll()
        while not self._connection.notifies:
            if not self._ready(select.POLLIN, deadline):
                return False
            self._connection.poll()
        return True

    def _answered(self) -> None:
        if not self.ended(self._patience):
            raise psycopg2.OperationalError("the database does not answer")

    def _ready(self, event: int, deadline: float) -> bool:
        ready = select.poll()
        ready.register(self._connection.fileno(), event)
        return bool(ready.poll(max(0.0, deadline - time.monotonic()) * 1000))
