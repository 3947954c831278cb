"""What a connection does with answers that come early, on a driver that does what the test says."""

from typing import Any

import psycopg2
from psycopg2.extensions import POLL_OK, POLL_READ, POLL_WRITE
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock, Cooperator
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.store.connection import Connection


class Reactor(Clock):
    """Remembers who wants to read and to write."""

    def __init__(self) -> None:
        super().__init__()
        self.writers: set[object] = set()
        self.readers: set[object] = set()

    def addWriter(self, writer: object) -> None:
        self.writers.add(writer)

    def removeWriter(self, writer: object) -> None:
        self.writers.discard(writer)

    def addReader(self, reader: object) -> None:
        self.readers.add(reader)

    def removeReader(self, reader: object) -> None:
        self.readers.discard(reader)


class Driver:
    """psycopg2's connection and cursor; `states` are what its polls give."""

    notifies: tuple[()] = ()
    closed = False

    def __init__(self, *states: int | Exception) -> None:
        self.states = list(states)
        self.sent: list[str] = []
        self.reactor = Reactor()

    def cursor(self) -> "Driver":
        return self

    def execute(self, sql: str, args: object) -> None:
        self.sent.append(sql)

    def poll(self) -> int:
        # libpq may close its descriptor now, which the reactor must not have then.
        assert not self.reactor.readers
        state = self.states.pop(0)
        if isinstance(state, Exception):
            raise state
        return state

    def close(self) -> None:
        self.closed = True

    def fileno(self) -> int:
        return -1


class StatementTests(SynchronousTestCase):
    def connected(self, *states: int | Exception) -> Connection:
        """A connection on a driver that says these things."""
        self.driver = Driver(*states)
        self.reactor = self.driver.reactor
        connection: Any = Connection(self.reactor, Cooperator(started=False))
        connection._connection = self.driver
        self.reactor.addReader(connection)
        return connection

    def test_answer(self) -> None:
        """The answer is given when the server has sent it."""
        connection = self.connected(POLL_READ, POLL_READ, POLL_OK)
        answer = connection.statement("select", None)
        connection.doRead()
        self.assertNoResult(answer)
        connection.doRead()
        self.assertIs(self.successResultOf(answer), self.driver)
        self.assertEqual(self.reactor.readers, {connection})

    def test_early(self) -> None:
        """One that is there at once is given in the next turn."""
        connection = self.connected(POLL_OK)
        answer = connection.statement("select", None)
        self.assertNoResult(answer)
        self.reactor.advance(0)
        self.assertIs(self.successResultOf(answer), self.driver)

    def test_early_failure(self) -> None:
        """So is an error."""
        connection = self.connected(psycopg2.ProgrammingError("no"))
        answer = connection.statement("select", None)
        self.assertNoResult(answer)
        self.reactor.advance(0)
        self.failureResultOf(answer, psycopg2.ProgrammingError)

    def test_early_and_read(self) -> None:
        """An answer is given once, and not to the statement that follows it."""
        connection = self.connected(POLL_OK, POLL_OK, POLL_READ)
        first = connection.statement("select 1", None)
        connection.doRead()
        self.successResultOf(first)
        second = connection.statement("select 2", None)
        self.reactor.advance(0)
        self.assertNoResult(second)
        self.assertEqual(self.driver.sent, ["select 1", "select 2"])

    def test_abandoned(self) -> None:
        """A connection that is closed fails its statement, even an answered one."""
        for state in (POLL_READ, POLL_OK):
            connection = self.connected(state)
            answer = connection.statement("select", None)
            connection.abandon()
            self.failureResultOf(answer, ConnectionDone)
            self.reactor.advance(0)
            self.assertTrue(self.driver.closed)

    def test_long(self) -> None:
        """A statement that does not fit is sent on when there is room."""
        connection = self.connected(POLL_WRITE, POLL_WRITE, POLL_READ)
        connection.statement("select", None)
        for writers in ({connection}, {connection}, set()):
            self.assertEqual(self.reactor.writers, writers)
            if writers:
                connection.doWrite()

    def test_end(self) -> None:
        """When the server closes an idle one, that is noticed, and said once."""
        connection = self.connected(psycopg2.OperationalError("gone"))
        said: list[bool] = []
        connection.lost = lambda: said.append(connection.broken)
        connection.doRead()
        connection.doRead()
        self.assertEqual(said, [True])
