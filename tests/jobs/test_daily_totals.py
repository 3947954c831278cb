"""Downloads that a process counts."""

from typing import Any

from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.jobs.daily_totals import Downloads
from contentsvc.store import daily_totals


class DownloadsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.written: list[tuple[int, int]] = []
        self.patch(daily_totals, "add_downloads", self.add)
        none: Any = None
        self.downloads = Downloads(none)

    async def add(self, db: Any, files: int, bytes: int) -> None:
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
