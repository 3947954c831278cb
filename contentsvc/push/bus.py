"""The bus by which processes send news to each other: LISTEN and NOTIFY, on a connection of its
own. Each heartbeat has a report of its process.

Postgres replays nothing. So whenever LISTEN is in force again, the reconciler reads what may have
been missed.
"""

import os
import socket
from collections.abc import Callable, Sequence
from typing import Any, Protocol
from uuid import uuid4

import psycopg2

from contentsvc.framework.core import build
from contentsvc.framework.core.timers import timer
from contentsvc.framework.db.connection import Connection, connect, execute, one_line
from contentsvc.framework.db.database import Alone
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.tasks.runner import Failing
from contentsvc.store import processes
from contentsvc.store.processes import Others, Report

ANSWER = 5.0
"""Seconds that the opening may take, and each answer. With the 3 s between heartbeats these are the
8 s after which others suspect a process: by then it knows that it is cut off."""


class Bus(Protocol):
    """One process's end of the bus. Only one call runs at a time.

    A payload that is sent while all hear reaches each process once, its sender too, in the order of
    its sender.
    """

    async def open(self, heard: Callable[[str], None], lost: Callable[[], None]) -> None:
        """Have `heard` called with each payload from now on, and `lost` when no more can come.
        Raises Unavailable."""

    async def send(self, payloads: list[str]) -> None:
        """Send these. Raises Unavailable, after `lost` if they may not have been heard."""

    async def heartbeat(self, report: Report) -> Others:
        """Send a heartbeat with this report. Raises Unavailable, after `lost` if there was no
        answer."""

    async def leave(self, id: str) -> None:
        """Say that this process has ended. Raises Unavailable."""

    def close(self) -> None:
        """Hear nothing more. What is under way fails."""


class PostgresBus:
    """LISTEN, NOTIFY, and the table `processes`. It opens its own connection to `dsn`."""

    def __init__(self, reactor: Any, dsn: str, *, answer: float = ANSWER) -> None:
        self._reactor = reactor
        self._dsn = dsn
        self._answer = answer
        self._connection: Connection | None = None

    async def open(self, heard: Callable[[str], None], lost: Callable[[], None]) -> None:
        connection = await connect(
            self._reactor, self._dsn, timeout=self._answer, statement_timeout=self._answer
        )
        connection.addNotifyObserver(lambda notify: heard(notify.payload))
        connection.lost = lost
        self._connection = connection
        await self._run("LISTEN contentsvc")

    async def send(self, payloads: list[str]) -> None:
        await self._run("select pg_notify('contentsvc', p) from unnest(%s::text[]) p", payloads)

    async def heartbeat(self, report: Report) -> Others:
        connection = self._open()
        with timer(self._reactor, self._answer, connection.abandon):
            try:
                return await processes.beat(Alone(connection), report)
            except psycopg2.Error as error:
                # The table is not there, while the database is being restored.
                raise Unavailable(one_line(error)) from error

    async def leave(self, id: str) -> None:
        connection = self._open()
        with timer(self._reactor, self._answer, connection.abandon):
            await processes.leave(Alone(connection), id)

    def close(self) -> None:
        if self._connection is not None:
            connection, self._connection = self._connection, None
            connection.abandon()

    def _open(self) -> Connection:
        if self._connection is None:
            raise Unavailable("the connection is closed")
        return self._connection

    async def _run(self, sql: str, *args: object) -> None:
        """Raises Unavailable if there is no answer in time. Nothing else shows that the server's
        machine is gone."""
        connection = self._open()
        with timer(self._reactor, self._answer, connection.abandon):
            await execute(connection, sql, args or None)


class ProcessReport:
    """This process, as `contentsvc status` shows it. `sockets` and `users` give how many are
    connected, `failing` the jobs that fail."""

    def __init__(
        self,
        sockets: Callable[[], int] = lambda: 0,
        users: Callable[[], int] = lambda: 0,
        failing: Callable[[], Sequence[Failing]] = list,
    ) -> None:
        self.id = str(uuid4())
        self._sockets = sockets
        self._users = users
        self._failing = failing
        self._host = socket.gethostname()
        self._version = build.name()

    @property
    def prefix(self) -> str:
        """The beginning of its request ids: a part of its own id, by which an operator finds the
        process of an answer in the database."""
        return self.id[-12:]

    def report(self) -> Report:
        """The present state of this process."""
        return Report(
            self.id,
            self._host,
            os.getpid(),
            self._version,
            self._sockets(),
            self._users(),
            self._failing(),
        )
