"""Readers who wait for events (studio#events)."""

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.push.event_feed import EACH, MOST, NUMBER_EVERY, EventFeed
from contentsvc.store.events import events


class FeedTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.asked = Clock(), 0
        self.come: list[str] = []
        self.due: list[float] = []
        self.feed = EventFeed(
            self.clock,
            self,  # type: ignore[arg-type]
            due=lambda: self.due.append(self.clock.seconds()),
        )
        self.patch(events, "present", self.present)

    async def present(self, db: Any, kinds: list[str], after: int, upto: int) -> list[str]:
        self.asked += 1
        return [kind for kind in self.come if kind in kinds]

    def wait(self, after: int, kinds: list[str] | None = None, **more: Any) -> Deferred[None]:
        """A reader who waits 30 s."""
        return Deferred.fromCoroutine(self.feed.wait(after, kinds, 30, **more))

    def test_kinds(self) -> None:
        """Only those are woken whose kinds have come, and all are looked for once."""
        bans, whole = self.wait(5, ["UserBanned"]), self.wait(5)
        files = [self.wait(5, ["FileStored"]) for _ in range(10)]
        self.come = ["FileStored"]
        self.feed.reached(6)
        self.assertEqual(self.asked, 1)
        self.assertTrue(whole.called and all_of(files))
        self.assertFalse(bans.called)
        self.clock.advance(30)
        self.assertTrue(bans.called)
        self.assertEqual(self.feed.waiting, 0)

    def test_known(self) -> None:
        """Who asks for what has come since its read does not wait."""
        self.feed.reached(8)
        self.assertTrue(self.wait(7).called)
        self.assertFalse(self.wait(8).called)

    def test_restored(self) -> None:
        """After a restore, readers of the lower numbers wait as before."""
        self.feed.reached(8)
        self.feed.reached(3)
        self.assertFalse(self.wait(3).called)

    def test_gone(self) -> None:
        """A reader that goes takes no place."""
        gone: list[Any] = []
        self.wait(0, gone=gone.append)
        self.assertEqual(self.feed.waiting, 1)
        gone[0]()
        self.assertEqual(self.feed.waiting, 0)

    def test_full(self) -> None:
        """So many may wait, and of one account so many."""
        for n in range(MOST):
            account = str(n // EACH)
            self.assertFalse(self.feed.full(account), n)
            self.wait(0, account=account)
            self.assertEqual(self.feed.full(account), n % EACH == EACH - 1, n)
        self.assertTrue(self.feed.full("another"))

    def test_may_no_longer(self) -> None:
        """Who may not wait any longer is woken when that is looked at, as it is now and then."""
        may: set[str] = {"a", "b"}
        first, second = (self.wait(0, may=lambda name=name: name in may) for name in "ab")
        self.feed.recheck()
        may.remove("a")
        self.assertFalse(first.called)
        self.feed.recheck()
        self.assertEqual((first.called, second.called), (True, False))
        may.clear()
        self.clock.advance(NUMBER_EVERY)
        self.assertTrue(second.called)

    def test_unheard(self) -> None:
        """While a reader waits, numbers are to be given again now and then, and not before or
        after: this process may not hear that others have given some."""
        self.clock.advance(NUMBER_EVERY)
        self.wait(0)
        began = self.clock.seconds()
        self.clock.pump([NUMBER_EVERY] * 2)
        self.assertEqual(self.due, [began + NUMBER_EVERY, began + 2 * NUMBER_EVERY])
        self.feed.stop()
        self.clock.pump([NUMBER_EVERY] * 2)
        self.assertEqual(len(self.due), 2)

    def test_stop(self) -> None:
        """At the end of the process nobody waits any longer."""
        waiting = self.wait(0)
        self.feed.stop()
        self.assertTrue(waiting.called and self.wait(0).called)

    def test_unavailable(self) -> None:
        """If the database does not answer, readers go on waiting, and the next number wakes
        them."""
        waiting, working = self.wait(0), self.present

        async def failing(*_: Any) -> list[str]:
            raise OSError

        self.patch(events, "present", failing)
        self.feed.reached(1)
        self.assertFalse(waiting.called)
        self.patch(events, "present", working)
        self.come = ["FileStored"]
        self.feed.reached(2)
        self.assertTrue(waiting.called)


def all_of(readers: list[Deferred[None]]) -> bool:
    """Whether all of these go on."""
    return all(each.called for each in readers)
