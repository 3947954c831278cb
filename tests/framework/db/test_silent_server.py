"""Servers that are gone without a word."""

import socket

from psycopg2.extensions import make_dsn, parse_dsn
from twisted.internet import reactor
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase, TestCase

from contentsvc.framework.db.connection import connect
from contentsvc.framework.db.silent_server import GRACE, Overdue, Where
from tests.support import postgres

HERE, THERE, ELSEWHERE = ("here", 1), ("there", 2), ("elsewhere", 3)


class Connection:
    """A connection, as it is watched."""

    def __init__(self, where: Where, since: float = 0.0) -> None:
        self.where = where
        self.since = since
        self.abandoned = False

    def abandon(self) -> None:
        self.abandoned = True


class OverdueTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.clock.advance(1000)
        self.where: Where | None = HERE
        self.probes = 0
        self.busy = Connection(HERE, since=1000)
        self.idle = Connection(HERE)
        self.connections = {self.busy, self.idle}
        self.answer: Deferred[None] = succeed(None)
        self.overdue = Overdue(self.clock, self.connections, 15, self.probe)
        self.overdue.start()
        self.addCleanup(self.overdue.stop)

    async def probe(self) -> Where | None:
        self.probes += 1
        await self.answer
        return self.where

    def wait(self, seconds: float) -> None:
        self.clock.pump([1.0] * int(seconds))

    def test_in_time(self) -> None:
        """As long as a statement may take nothing is asked."""
        self.wait(15 + GRACE)
        self.assertEqual(self.probes, 0)

    def test_idle(self) -> None:
        """Connections without a statement are not waited for."""
        self.busy.since = 0.0
        self.wait(3600)
        self.assertEqual(self.probes, 0)

    def test_gone(self) -> None:
        """Where no connection can be made, all are left."""
        self.where = None
        self.wait(15 + GRACE + 1)
        self.assertTrue(self.busy.abandoned and self.idle.abandoned)

    def test_elsewhere(self) -> None:
        """Where new connections go to another server, those to the silent one are left; those to
        others, whose statements are answered, stay."""
        self.where = THERE
        others = [Connection(THERE), Connection(ELSEWHERE)]
        self.connections.update(others)
        self.wait(15 + GRACE + 1)
        self.assertTrue(self.busy.abandoned and self.idle.abandoned)
        self.assertFalse(any(other.abandoned for other in others))

    def test_alive(self) -> None:
        """Where the server takes connections, it is waited for, and asked again later."""
        self.wait(15 + GRACE + 10)
        self.assertFalse(self.busy.abandoned)
        self.assertEqual(self.probes, 1)
        self.wait(15 + GRACE)
        self.assertEqual(self.probes, 2)

    def test_slow_probe(self) -> None:
        """One probe is made at a time."""
        self.answer = Deferred()
        self.wait(60)
        self.assertEqual(self.probes, 1)
        self.answer.callback(None)


class SilentHostTests(TestCase):
    async def test_next(self) -> None:
        """A host that takes the connection and says nothing has its share of the time; then the
        next has its turn."""
        with socket.create_server(("127.0.0.1", 0)) as silent:
            given = parse_dsn(postgres.embedded())
            dsn = make_dsn(
                **given
                | {
                    "host": f"127.0.0.1,{given['host']}",
                    "port": f"{silent.getsockname()[1]},{given['port']}",
                }
            )
            connection = await connect(reactor, dsn, timeout=4.0, statement_timeout=4.0)
        self.addCleanup(connection.abandon)
        self.assertEqual(connection.where, (given["host"], int(given["port"])))
