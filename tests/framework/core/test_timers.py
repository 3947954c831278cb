"""Timers that are given up, pauses that double, calls in the next turn, sleeps and bells."""

from random import Random

from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core.timers import Backoff, Bell, NextTurn, Sleeps, cancel, timer


class TimerTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.fired: list[str] = []

    def test_cancel(self) -> None:
        """A timer that is given up does not fire."""
        cancel(self.clock.callLater(1, self.fired.append, "late"))
        self.clock.advance(1)
        self.assertEqual(self.fired, [])

    def test_cancel_over(self) -> None:
        """Nothing happens where there is none, or it has fired, or was given up."""
        call = self.clock.callLater(1, self.fired.append, "in time")
        self.clock.advance(1)
        given_up = self.clock.callLater(1, self.fired.append, "late")
        for each in (None, call, given_up, given_up):
            cancel(each)
        self.assertEqual(self.fired, ["in time"])

    def test_block(self) -> None:
        """A timer around a block fires while that lasts, and not after it."""
        with timer(self.clock, 1, self.fired.append, "in time"):
            self.clock.advance(1)
        with timer(self.clock, 1, self.fired.append, "late"):
            pass
        self.clock.advance(1)
        self.assertEqual(self.fired, ["in time"])

    def test_error(self) -> None:
        """Nor does it after a block that has failed."""
        with self.assertRaises(ZeroDivisionError), timer(self.clock, 1, self.fired.append, "late"):
            raise ZeroDivisionError
        self.assertEqual(self.clock.getDelayedCalls(), [])


class BackoffTests(SynchronousTestCase):
    def test_doubles(self) -> None:
        """Pauses double up to the last one, and begin anew after a success."""
        pauses = Backoff(0.5, 3.0)
        self.assertEqual([pauses.next() for _ in range(5)], [0.5, 1.0, 2.0, 3.0, 3.0])
        pauses.reset()
        self.assertEqual(pauses.next(), 0.5)

    def test_random(self) -> None:
        """With a source of chance they differ, by half of each at most."""
        random = Random(1)
        firsts = {Backoff(1.0, 8.0, random).next() for _ in range(50)}
        self.assertEqual(len(firsts), 50)
        self.assertTrue(all(0.5 <= each <= 1.5 for each in firsts), firsts)

    def test_least(self) -> None:
        """None is shorter than what the other side has asked for."""
        self.assertEqual(Backoff(0.5, 8.0).next(4.0), 4.0)
        self.assertGreaterEqual(Backoff(0.5, 8.0, Random(1)).next(4.0), 4.0)

    def test_least_doubled(self) -> None:
        """What the other side has asked for is doubled where that is wanted, and else not."""
        for doubled, then in ((True, [8.0, 16.0, 20.0]), (False, [1.0, 2.0, 4.0])):
            pauses = Backoff(0.5, 20.0)
            self.assertEqual(pauses.next(4.0, doubled=doubled), 4.0)
            self.assertEqual([pauses.next() for _ in then], then)


class NextTurnTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.turns: list[float] = []
        self.turn = NextTurn(self.clock, lambda: self.turns.append(self.clock.seconds()))

    def test_once(self) -> None:
        """However often it is asked for, the call comes once, and not in the same turn."""
        for _ in range(3):
            self.turn.ask()
        self.assertEqual((self.turn.asked, self.turns), (True, []))
        self.clock.advance(0)
        self.assertEqual((self.turn.asked, self.turns), (False, [0.0]))

    def test_again(self) -> None:
        """A turn that is asked for during a turn is another one."""
        asked = [True, False]
        turn = NextTurn(self.clock, lambda: asked.pop(0) and turn.ask())
        turn.ask()
        self.clock.advance(0)
        self.assertEqual((asked, turn.asked), ([], False))

    def test_cancel(self) -> None:
        """One that is not wanted any more does not come, and may be asked for again."""
        self.turn.ask()
        for _ in range(2):
            self.turn.cancel()
        self.clock.advance(0)
        self.assertEqual(self.turns, [])
        self.turn.ask()
        self.clock.advance(0)
        self.assertEqual(len(self.turns), 1)


class SleepTests(SynchronousTestCase):
    def test_sleep(self) -> None:
        """A sleep ends when its time has passed."""
        clock = Clock()
        sleep = Deferred.fromCoroutine(Sleeps(clock).sleep(2))
        clock.advance(1)
        self.assertNoResult(sleep)
        clock.advance(1)
        self.assertIsNone(self.successResultOf(sleep))

    def test_stop(self) -> None:
        """All sleeps end with CancelledError where their part is stopped."""
        clock = Clock()
        sleeps = Sleeps(clock)
        under_way = [Deferred.fromCoroutine(sleeps.sleep(2)) for _ in range(2)]
        sleeps.stop()
        for sleep in under_way:
            self.failureResultOf(sleep, CancelledError)
        self.assertEqual(clock.getDelayedCalls(), [])


class BellTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.bell = Bell(self.clock)

    def wait(self) -> "Deferred[bool]":
        """Up to a minute."""
        return Deferred.fromCoroutine(self.bell.wait(60))

    def test_ring(self) -> None:
        """The sleeper is woken, and hears that it was rung, and no timer is left."""
        waiting = self.wait()
        self.assertNoResult(waiting)
        self.bell.ring()
        self.assertTrue(self.successResultOf(waiting))
        self.assertEqual(self.clock.getDelayedCalls(), [])

    def test_time(self) -> None:
        """Or the time passes, and it hears that it was not."""
        waiting = self.wait()
        self.clock.advance(60)
        self.assertFalse(self.successResultOf(waiting))

    def test_before(self) -> None:
        """Rung beforehand, nobody waits, once."""
        self.bell.ring()
        self.successResultOf(self.wait())
        self.assertNoResult(self.wait())

    def test_silence(self) -> None:
        """Unless that was taken back."""
        self.bell.ring()
        self.bell.silence()
        self.assertNoResult(self.wait())
