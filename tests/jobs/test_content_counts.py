"""Downloads of content that a process notes (content#counts)."""

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.jobs.content_counts import ContentDownloads
from contentsvc.store.content import content_counts


class DownloadsTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.written: list[tuple[str, str, str]] = []
        self.patch(content_counts, "add_downloads", self.add)
        none: Any = None
        self.clock = Clock()
        self.downloads = ContentDownloads(none, self.clock)

    async def add(self, db: Any, users: list[str], contents: list[str], days: list[str]) -> None:
        self.written += zip(users, contents, days, strict=True)

    def write(self) -> Deferred[None]:
        return Deferred.fromCoroutine(self.downloads.counts.write())

    def test_together(self) -> None:
        """Each user and content is written once on a day."""
        for user in ("ann", "ben", "ann"):
            self.downloads.note(user, "game")
        self.successResultOf(self.write())
        self.downloads.note("ben", "game")
        self.successResultOf(self.write())
        first = [("ann", "game", "1970-01-01"), ("ben", "game", "1970-01-01")]
        self.assertEqual(self.written, first)
        self.clock.advance(86_400)
        self.downloads.note("ben", "game")
        self.successResultOf(self.write())
        self.assertEqual(self.written, [*first, ("ben", "game", "1970-01-02")])
