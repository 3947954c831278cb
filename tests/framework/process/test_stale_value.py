"""A value that takes a while to read."""

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.process.stale_value import StaleValue

KEEP, PATIENCE, OLD = 5.0, 0.5, 60.0


class ReadingTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.reads: list[Deferred[str]] = []
        self.reading = StaleValue(self.clock, self.read, keep=KEEP, patience=PATIENCE, old=OLD)

    async def read(self) -> str:
        read: Deferred[str] = Deferred()
        self.reads.append(read)
        return await read

    def latest(self) -> Deferred[Any]:
        return Deferred.fromCoroutine(self.reading.latest())

    def test_kept(self) -> None:
        """A value is kept for a while, and then read again."""
        first = self.latest()
        self.reads[0].callback("one")
        self.assertEqual(self.successResultOf(first), "one")
        self.clock.advance(KEEP - 0.1)
        self.assertEqual(self.successResultOf(self.latest()), "one")
        self.clock.advance(0.1)
        second = self.latest()
        self.reads[1].callback("two")
        self.assertEqual(self.successResultOf(second), "two")

    def test_shared(self) -> None:
        """Two who ask at once cause one reading."""
        both = [self.latest(), self.latest()]
        (read,) = self.reads
        read.callback("one")
        self.assertEqual([self.successResultOf(each) for each in both], ["one"] * 2)

    def test_slow(self) -> None:
        """Nobody waits longer than the patience; meanwhile the value of before counts."""
        first = self.latest()
        self.clock.advance(PATIENCE)
        self.assertIsNone(self.successResultOf(first))
        self.reads[0].callback("one")
        self.clock.advance(KEEP)
        second = self.latest()
        self.assertNoResult(second)
        self.clock.advance(PATIENCE)
        self.assertEqual(self.successResultOf(second), "one")
        self.assertEqual(len(self.reads), 2)

    def test_stalled(self) -> None:
        """While a reading gets no answer, no other begins, and the old value stops to count."""
        first = self.latest()
        self.reads[0].callback("one")
        self.successResultOf(first)
        self.clock.advance(OLD)
        for _ in range(3):
            waiting = self.latest()
            self.clock.advance(PATIENCE)
            self.assertIsNone(self.successResultOf(waiting))
        self.assertEqual(len(self.reads), 2)

    def test_failed(self) -> None:
        """A reading that fails gives no value, and the next one counts again."""
        first = self.latest()
        self.reads[0].errback(RuntimeError("no"))
        self.assertIsNone(self.successResultOf(first))
        self.clock.advance(KEEP)
        second = self.latest()
        self.reads[1].callback("two")
        self.assertEqual(self.successResultOf(second), "two")
