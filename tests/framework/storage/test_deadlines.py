"""Places of files that take too long."""

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.storage.bucket import BadStore, StorageUnavailable
from contentsvc.framework.storage.deadlines import TIDY, tidy, within
from tests.support.buckets import MemoryBucket

PATH = f"ab/ab{'0' * 62}"


class PatienceCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.waiting: Deferred[None] = Deferred()


class WithinTests(PatienceCase):
    """Something that may take three seconds."""

    def begin(self) -> "Deferred[str]":
        """Begin to ask; it goes on when `waiting` has fired."""

        async def act() -> str:
            await self.waiting
            return "found"

        return Deferred.fromCoroutine(within(3, self.clock, act(), "too late"))

    def test_in_time(self) -> None:
        """It gives what it gives, and leaves no timer."""
        asking = self.begin()
        self.clock.advance(2.9)
        self.waiting.callback(None)
        self.assertEqual(self.successResultOf(asking), "found")
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_fails(self) -> None:
        """It fails with its own error."""
        asking = self.begin()
        self.waiting.errback(BadStore("of another kind"))
        self.assertEqual(str(self.failureResultOf(asking, BadStore).value), "of another kind")

    def test_late(self) -> None:
        """It is cancelled, and the place counts as away."""
        asking = self.begin()
        self.clock.advance(2.9)
        self.assertNoResult(asking)
        self.clock.advance(0.1)
        error = self.failureResultOf(asking, StorageUnavailable).value
        self.assertEqual(str(error), "too late in 3 s")
        self.assertTrue(self.waiting.called)


class TidyTests(PatienceCase):
    """A deletion that need not succeed."""

    def setUp(self) -> None:
        super().setUp()
        self.bucket = MemoryBucket()
        self.bucket.put(PATH, b"bytes")

    def begin(self) -> "Deferred[None]":
        """Begin it."""
        return Deferred.fromCoroutine(tidy(self.clock, self.bucket, [PATH]))

    def test_deleted(self) -> None:
        """It deletes the files."""
        self.successResultOf(self.begin())
        self.assertEqual(self.bucket.files, [])

    def test_away(self) -> None:
        """If the place is away, they stay, and that is no error."""
        self.bucket.away = True
        self.successResultOf(self.begin())
        self.assertEqual(self.bucket.files, [PATH])

    def test_late(self) -> None:
        """Nobody waits for it for long."""
        self.bucket.before = lambda: self.waiting
        tidying = self.begin()
        self.clock.advance(TIDY - 0.1)
        self.assertNoResult(tidying)
        self.clock.advance(0.1)
        self.successResultOf(tidying)
        self.assertEqual(self.bucket.files, [PATH])
