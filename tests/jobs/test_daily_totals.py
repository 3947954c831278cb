"""Downloads that a process counts."""

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.jobs.daily_totals import Downloads, jobs
from contentsvc.store import daily_totals


class DownloadsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.written: list[tuple[int, int]] = []
        self.error: Exception | None = None
        self.patch(daily_totals, "add_downloads", self.add)
        none: Any = None
        self.downloads = Downloads(none)

    async def add(self, db: Any, files: int, bytes: int) -> None:
        if self.error is not None:
            raise self.error
        self.written.append((files, bytes))

    def write(self) -> Deferred[None]:
        return Deferred.fromCoroutine(self.downloads.counts.write())

    def test_together(self) -> None:
        """They are written together, once, and nothing is written where there were none."""
        self.downloads.count(1, 10)
        self.downloads.count(0, 5)
        for _ in range(2):
            self.successResultOf(self.write())
        self.assertEqual(self.written, [(1, 15)])

    def test_away(self) -> None:
        """What cannot be written is kept."""
        self.downloads.count(1, 10)
        self.error = Unavailable("away")
        self.failureResultOf(self.write(), Unavailable)
        self.error = None
        self.downloads.count(1, 1)
        self.successResultOf(self.write())
        self.assertEqual(self.written, [(2, 11)])

    def test_stop(self) -> None:
        """What is left when the process ends is written, and an end without a database is one."""
        none: Any = None
        stop = jobs(Clock(), none, self.downloads)[-1].stop
        assert stop is not None
        self.downloads.count(1, 10)
        self.successResultOf(Deferred.fromCoroutine(stop()))
        self.assertEqual(self.written, [(1, 10)])
        self.downloads.count(1, 10)
        self.error = Unavailable("away")
        self.successResultOf(Deferred.fromCoroutine(stop()))
