"""Several pieces of work at once."""

from typing import Any

from twisted.internet.defer import CancelledError, Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.core.concurrency import each


class EachTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.begun: dict[int, Deferred[str]] = {}
        self.cancelled: list[int] = []

    def work(self, items: list[int], most: int = 2) -> Deferred[list[str]]:
        async def act(item: int) -> str:
            self.begun[item] = Deferred(lambda _: self.cancelled.append(item))
            return await self.begun[item]

        return Deferred.fromCoroutine(each(most, items, act))

    def test_order(self) -> None:
        """The results are in the order of the items, however they end."""
        working = self.work([1, 2, 3])
        self.begun[2].callback("b")
        self.begun[3].callback("c")
        self.begun[1].callback("a")
        self.assertEqual(self.successResultOf(working), ["a", "b", "c"])

    def test_most(self) -> None:
        """One more begins when one has ended."""
        working = self.work([1, 2, 3, 4])
        self.assertEqual(list(self.begun), [1, 2])
        self.begun[2].callback("b")
        self.assertEqual(list(self.begun), [1, 2, 3])
        for number in (1, 3, 4):
            self.begun[number].callback("x")
        self.assertEqual(self.successResultOf(working), ["x", "b", "x", "x"])

    def test_nothing(self) -> None:
        """Of nothing there is nothing."""
        self.assertEqual(self.successResultOf(self.work([])), [])

    def test_failure(self) -> None:
        """The first failure ends the others, and nothing more begins."""
        working: Any = self.work([1, 2, 3])
        self.begun[2].errback(KeyError("b"))
        self.failureResultOf(working, KeyError)
        self.assertEqual((self.cancelled, list(self.begun)), ([1], [1, 2]))

    def test_cancelled(self) -> None:
        """Whoever cancels it cancels all."""
        working = self.work([1, 2, 3])
        working.cancel()
        self.failureResultOf(working, CancelledError)
        self.assertEqual((sorted(self.cancelled), list(self.begun)), ([1, 2], [1, 2]))
