"""Counters that are written together."""

from collections import Counter

from twisted.internet.defer import Deferred, succeed
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.tasks.runner import WriteBehind


class WriteBehindTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.written: list[dict[str, int]] = []
        self.error: Exception | None = None
        self.answer: Deferred[None] = succeed(None)
        self.counts = WriteBehind(self.add, most=2)

    async def add(self, counts: Counter[str]) -> None:
        await self.answer
        if self.error is not None:
            raise self.error
        self.written.append(dict(counts))

    def write(self) -> Deferred[None]:
        return Deferred.fromCoroutine(self.counts.write())

    def test_together(self) -> None:
        """They are written together, once, and nothing is written where there is none."""
        self.counts.count("a")
        self.counts.count("a", 9)
        self.counts.count("b", 0)
        for _ in range(2):
            self.successResultOf(self.write())
        self.assertEqual(self.written, [{"a": 10}])

    def test_most(self) -> None:
        """One call writes only so many keys."""
        for key in "abc":
            self.counts.count(key)
        self.successResultOf(self.write())
        self.assertEqual(self.written, [{"a": 1, "b": 1}, {"c": 1}])

    def test_meanwhile(self) -> None:
        """What is counted during a write waits for the next."""
        self.answer = Deferred()
        self.counts.count("a")
        writing = self.write()
        self.counts.count("a")
        self.answer.callback(None)
        self.successResultOf(writing)
        self.assertEqual(self.written, [{"a": 1}])
        self.successResultOf(self.write())
        self.assertEqual(self.written, [{"a": 1}] * 2)

    def test_away(self) -> None:
        """What cannot be written is kept."""
        self.counts.count("a")
        self.error = Unavailable("away")
        self.failureResultOf(self.write(), Unavailable)
        self.error = None
        self.counts.count("a", 2)
        self.successResultOf(self.write())
        self.assertEqual(self.written, [{"a": 3}])

    def test_stop(self) -> None:
        """What is left when the process ends is written, and an end without a database is one."""
        stop = self.counts.job("count", 1.0).stop
        assert stop is not None
        self.counts.count("a")
        self.successResultOf(Deferred.fromCoroutine(stop()))
        self.assertEqual(self.written, [{"a": 1}])
        self.counts.count("a")
        self.error = Unavailable("away")
        self.successResultOf(Deferred.fromCoroutine(stop()))
