"""A process reports how it is."""

import os
from typing import Any

from msgspec import json
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.db.errors import Unavailable
from contentsvc.store.processes import Failing
from contentsvc.tasks.process_reports import FAREWELL, Connected, Heartbeat


class FakeDb:
    """Remembers what it was asked, and answers as it was told to."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, Any]] = []
        self.answer: Deferred[list[Any]] | None = None

    async def run(self, statement: Any, args: Any) -> list[Any]:
        self.ran.append((statement.name, dict(zip(statement.parameters, args, strict=True))))
        return [] if self.answer is None else await self.answer


class HeartbeatTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.db = Clock(), FakeDb()
        self.failing: list[Failing] = []
        self.heartbeat = Heartbeat(
            self.clock,
            self.db,  # type: ignore[arg-type]
            connected=lambda: Connected(5, 4),
            failing=lambda: self.failing,
        )

    def report(self) -> dict[str, Any]:
        """What it reports."""
        self.successResultOf(Deferred.fromCoroutine(self.heartbeat.run()))
        name, args = self.db.ran.pop()
        self.assertEqual(name, "processes__report")
        return args

    def test_report(self) -> None:
        """It has the process, what is connected, and the jobs that fail."""
        self.failing = [Failing("sweep", 12, "away")]
        report = self.report()
        self.assertEqual(report["pid"], os.getpid())
        self.assertEqual((report["sockets"], report["users"]), (5, 4))
        self.assertEqual(
            json.decode(report["failing"]), [{"name": "sweep", "since": 12, "error": "away"}]
        )

    def test_same(self) -> None:
        """Each report is of the same process."""
        self.assertEqual(self.report()["id"], self.report()["id"])

    def test_stop(self) -> None:
        """At the stop it says that the process ends."""
        id = self.report()["id"]
        self.successResultOf(Deferred.fromCoroutine(self.heartbeat.stop()))
        self.assertEqual(self.db.ran, [("processes_leave", {"id": id})])

    def test_stop_without_database(self) -> None:
        """The stop does not wait long for a database that does not answer, and does not fail."""
        self.db.answer = Deferred()
        stopped = Deferred.fromCoroutine(self.heartbeat.stop())
        self.assertNoResult(stopped)
        self.clock.advance(FAREWELL)
        self.successResultOf(stopped)
        self.db.answer = Deferred()
        stopped = Deferred.fromCoroutine(self.heartbeat.stop())
        self.db.answer.errback(Unavailable("away"))
        self.successResultOf(stopped)
        self.assertEqual(self.clock.getDelayedCalls(), [])
