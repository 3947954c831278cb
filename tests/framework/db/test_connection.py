"""A connection with answers that come early, on a driver that the test controls."""

import os
import socket
from typing import Any

import psycopg2
from psycopg2.extensions import POLL_OK, POLL_READ, POLL_WRITE
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.epollreactor import EPollReactor
from twisted.internet.error import ConnectionDone
from twisted.internet.task import Clock, Cooperator
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.connection import Connection, execute


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
    """psycopg2's connection and cursor; `states` are what its polls give, or do before that."""

    closed = False

    def __init__(self, *states: Any) -> None:
        self.states = list(states)
        self.sent: list[str] = []
        self.notifies: list[str] = []
        self.reactor: Any = Reactor()
        self.socket, self.server = socket.socketpair()

    def cursor(self) -> "Driver":
        return self

    def execute(self, sql: str, args: object) -> None:
        self.is_ours()
        if args == ("bad",):
            raise ValueError("NUL")
        self.sent.append(sql)

    def poll(self) -> int:
        self.is_ours()
        state = self.states.pop(0)
        if callable(state):
            state()
            return self.poll()
        if isinstance(state, Exception):
            raise state
        return state

    def is_ours(self) -> None:
        """libpq may close its descriptor now, which the reactor must not have then."""
        assert not self.reactor.readers
        assert not self.reactor.writers

    def close(self) -> None:
        self.closed = True

    def fileno(self) -> int:
        return self.socket.fileno()


class StatementTests(SynchronousTestCase):
    def connected(self, *states: int | Exception) -> Connection:
        """A connection on a driver that says these things."""
        self.driver = Driver(POLL_OK, *states)
        self.addCleanup(self.driver.socket.close)
        self.addCleanup(self.driver.server.close)
        self.reactor = self.driver.reactor
        turns = Cooperator(scheduler=lambda turn: self.reactor.callLater(0, turn))
        connection: Any = Connection(self.reactor, turns)
        connection.connectionFactory = lambda *args, **kwargs: self.driver
        connecting = connection.connect()
        self.reactor.advance(0)
        self.successResultOf(connecting)
        connection.opened()
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
        """So is an error, whatever the reactor still tells of the connection meanwhile."""
        connection = self.connected(psycopg2.ProgrammingError("no"))
        answer = connection.statement("select", None)
        connection.doRead()
        connection.doWrite()
        self.assertNoResult(answer)
        self.reactor.advance(0)
        self.failureResultOf(answer, psycopg2.ProgrammingError)
        self.assertEqual(self.reactor.readers, {connection})

    def test_one_event(self) -> None:
        """That there is room to write is not taken for news of the statement that follows."""
        connection = self.connected(POLL_WRITE, POLL_OK, psycopg2.ProgrammingError("no"))
        following: list[Any] = []
        first = connection.statement("select 1", None)
        first.addCallback(lambda _: following.append(connection.statement("select 2", None)))
        connection.doRead()
        connection.doWrite()
        self.assertNoResult(following[0])
        self.reactor.advance(0)
        self.failureResultOf(following[0], psycopg2.ProgrammingError)

    def test_next(self) -> None:
        """A statement may be sent as soon as there is an answer."""
        connection = self.connected(POLL_READ, POLL_OK, POLL_READ, POLL_OK)
        answers = [connection.statement("select 1", None)]
        answers[0].addCallback(lambda _: answers.append(connection.statement("select 2", None)))
        connection.doRead()
        self.assertNoResult(answers[1])
        connection.doRead()
        self.assertIs(self.successResultOf(answers[1]), self.driver)
        self.assertEqual(self.driver.sent, ["select 1", "select 2"])

    def test_not_sent(self) -> None:
        """A statement that cannot be sent raises, and the connection is watched as before."""
        connection = self.connected()
        self.assertRaises(ValueError, connection.statement, "select %s", ("bad",))
        self.assertEqual(self.reactor.readers, {connection})

    def test_notifications(self) -> None:
        """Notifications that come with an answer are heard, be it an early one."""
        for states, reads in (((POLL_READ, POLL_OK), 1), ((POLL_OK,), 0)):
            connection = self.connected(*states)
            heard: list[str] = []
            connection.addNotifyObserver(heard.append)
            self.driver.notifies.append("news")
            connection.statement("select", None)
            for _ in range(reads):
                connection.doRead()
            self.reactor.pump([0, 0, 0])
            self.assertEqual(heard, ["news"])

    def test_cancelled(self) -> None:
        """A connection whose statement is cancelled is used no more."""
        connection = self.connected(POLL_READ)
        running = Deferred.fromCoroutine(execute(connection, "select"))
        running.cancel()
        self.failureResultOf(running, CancelledError)
        self.assertTrue(connection.broken)

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
            self.assertEqual(self.reactor.readers, {connection})
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

    def test_bad_end(self) -> None:
        """That it has ended is said even where closing it goes wrong."""
        connection = self.connected()
        said: list[bool] = []
        connection.lost = lambda: said.append(connection.broken)
        self.patch(self.driver, "close", lambda: 1 // 0)
        self.assertRaises(ZeroDivisionError, connection.abandon)
        self.assertEqual(said, [True])


class Stranger:
    """Somebody else's end of a socket, which the reactor watches."""

    def __init__(self, end: socket.socket) -> None:
        self.end = end
        self.heard = b""

    def fileno(self) -> int:
        return self.end.fileno()

    def doRead(self) -> None:
        self.heard += self.end.recv(100)

    def connectionLost(self, reason: object) -> None:
        pass

    def logPrefix(self) -> str:
        return "stranger"


class DescriptorTests(SynchronousTestCase):
    """On the reactor that serves, with a driver that closes its descriptor by itself, as libpq
    does."""

    def setUp(self) -> None:
        self.reactor = EPollReactor()
        self.addCleanup(self.reactor.disconnectAll)
        self.driver = Driver(POLL_READ, POLL_OK)
        turns = Cooperator(scheduler=lambda turn: self.reactor.callLater(0, turn))
        self.connection: Any = Connection(self.reactor, turns)
        self.connection.connectionFactory = lambda *args, **kwargs: self.driver

    def server(self) -> None:
        """The server says something."""
        self.driver.server.send(b"x")
        self.turn()

    def turn(self) -> None:
        self.reactor.runUntilCurrent()
        self.reactor.doIteration(0)
        self.reactor.runUntilCurrent()

    def in_its_place(self) -> Stranger:
        """Somebody who has got the number of the descriptor that libpq has closed."""
        number = self.driver.socket.detach()
        ours, self.theirs = socket.socketpair()
        os.dup2(ours.fileno(), number)
        ours.close()
        stranger = Stranger(socket.socket(fileno=number))
        self.addCleanup(stranger.end.close)
        self.addCleanup(self.theirs.close)
        self.reactor.addReader(stranger)
        self.addCleanup(self.reactor.removeReader, stranger)
        return stranger

    def heard(self, stranger: Stranger) -> bytes:
        """What arrives when something is sent to it."""
        self.theirs.send(b"hello")
        self.turn()
        return stranger.heard

    def test_open(self) -> None:
        """Whoever gets the number of an open connection that has ended is read."""
        self.connection.connect()
        self.server()
        self.connection.opened()
        stranger = self.in_its_place()
        self.connection.abandon()
        self.assertEqual(self.heard(stranger), b"hello")

    def test_opening(self) -> None:
        """So is whoever gets that of one which ends as it opens."""
        self.driver.states = [POLL_READ, psycopg2.OperationalError("gone")]
        opening = self.connection.connect()
        stranger = self.in_its_place()
        self.server()
        self.failureResultOf(opening, psycopg2.OperationalError)
        self.connection.abandon()
        self.assertEqual(self.heard(stranger), b"hello")

    def test_anew(self) -> None:
        """A connection that begins anew on another socket, under the same number, goes on."""

        def anew() -> None:
            other, server = socket.socketpair()
            os.dup2(other.fileno(), self.driver.socket.fileno())
            other.close()
            self.driver.server.close()
            self.driver.server = server

        self.driver.states = [POLL_READ, anew, POLL_READ, POLL_OK]
        opening = self.connection.connect()
        self.server()
        self.assertNoResult(opening)
        self.server()
        self.assertIs(self.successResultOf(opening), self.connection)
        self.connection.abandon()

    def test_nothing_left(self) -> None:
        """The reactor's descriptor is closed with the connection."""
        self.connection.connect()
        self.server()
        self.connection.opened()
        number = self.connection.fileno()
        self.connection.abandon()
        self.assertRaises(OSError, os.fstat, number)
        self.assertEqual(self.connection.fileno(), -1)
