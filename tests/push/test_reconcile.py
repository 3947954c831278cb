"""The reconciler, on a clock of the test's, and what it says of a database that is away."""

from collections.abc import Callable
from typing import Any

from twisted.internet.task import Clock
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.retries import REMINDER
from contentsvc.push.reconcile import EVERY, FULL_EVERY, HALF_WAY, LEARN_EVERY, RETRY, Reconciler


class Checked:
    """Stands for the hub and the revocation; `error` is what reading the sessions fails with,
    `away` what the check of all users does, `during` what happens during that."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.away: Exception | None = None
        self.during: Callable[[], None] | None = None
        self.done: list[str] = []

    async def learn(self) -> None:
        self.done.append("learn")
        if self.error is not None:
            raise self.error

    async def check(self) -> None:
        self.done.append("check")
        during, self.during = self.during, None
        if during is not None:
            during()
        if self.away is not None:
            raise self.away

    async def check_part(self) -> None:
        self.done.append("part")


class ReconcilerCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.checked = Clock(), Checked()
        self.begin()

    def begin(self, **options: Any) -> None:
        """A reconciler starts, with these options."""
        self.reconciler = Reconciler(self.clock, self.checked, self.checked, **options)
        self.reconciler.start()

    def everything(self, seconds: float) -> list[str]:
        """What was checked in so many seconds, in order."""
        self.checked.done.clear()
        self.clock.pump([0.5] * int(seconds * 2))
        return self.checked.done

    def pass_by(self, seconds: float) -> list[str]:
        """The same without the sessions."""
        return [each for each in self.everything(seconds) if each != "learn"]


class ReconcilerTests(ReconcilerCase):
    def test_every(self) -> None:
        """Sessions and all logs are checked every four seconds, and not before, while the others
        are not heard."""
        self.clock.advance(EVERY - 1)
        self.assertEqual(self.checked.done, [])
        self.clock.advance(1)
        self.assertEqual(self.checked.done, ["learn", "check"])
        self.clock.advance(EVERY)
        self.assertEqual(self.checked.done, ["learn", "check"] * 2)

    def test_ask(self) -> None:
        """A look that is asked for happens at once."""
        self.reconciler.ask()
        self.assertEqual(self.checked.done, ["learn", "check"])

    def test_healthy(self) -> None:
        """While the others are heard, each look is at a part of the logs."""
        self.reconciler.hears(True)
        self.assertEqual(self.pass_by(3 * EVERY), ["part"] * 3)

    def test_heartbeats(self) -> None:
        """Checks come half-way between two heartbeats, with `first` before and `then` after."""

        async def first() -> None:
            self.checked.done.append("first")

        self.reconciler.stop()
        self.begin(first=first, then=lambda: self.checked.done.append("then"))
        self.reconciler.hears(True)
        for _ in range(3):
            self.reconciler.heartbeat()
            self.assertEqual(self.everything(HALF_WAY - 0.5), [])
            self.assertEqual(self.everything(0.5), ["first", "part", "then"])
            self.assertEqual(self.everything(HALF_WAY), [])

    def test_first_suspicion(self) -> None:
        """`first` does not hold up a full check."""

        async def first() -> None:
            self.checked.done.append("first")

        self.reconciler.stop()
        self.begin(first=first)
        self.reconciler.hears(True)
        self.assertEqual(self.checked.done, ["learn", "check"])

    def test_many_heartbeats(self) -> None:
        """However many heartbeats come, checks come in time."""
        self.reconciler.hears(True)
        self.checked.done.clear()
        for _ in range(int(2 * EVERY)):
            self.reconciler.heartbeat()
            self.clock.advance(1)
        self.assertEqual(self.checked.done, ["part"] * 2)

    def test_lost(self) -> None:
        """When the others are not heard any more, and when they are again, all is checked once
        more."""
        self.reconciler.hears(True)
        self.checked.done.clear()
        self.reconciler.hears(False)
        self.reconciler.hears(True)
        self.assertEqual(self.checked.done, ["learn", "check"] * 2)

    def test_suspicion(self) -> None:
        """After a suspected loss a full check follows at once."""
        self.clock.advance(FULL_EVERY)
        self.reconciler.hears(True)
        self.clock.advance(FULL_EVERY)
        self.checked.done.clear()
        self.reconciler.suspect_loss()
        self.assertEqual(self.checked.done, ["learn", "check"])

    def test_suspicions(self) -> None:
        """However many there are, the looks at all begin nine seconds after each other."""
        self.reconciler.hears(True)
        for _ in range(6):
            self.reconciler.suspect_loss()
            checks = self.pass_by(FULL_EVERY / 2)
            self.assertLessEqual(checks.count("check"), 1)
        self.assertEqual(self.reconciler.full_checks, 4)

    def test_suspicion_while_checking(self) -> None:
        """A loss that is suspected during a full check has another one follow."""
        self.reconciler.hears(True)
        self.clock.advance(FULL_EVERY)
        self.checked.during = self.reconciler.suspect_loss
        self.reconciler.suspect_loss()
        self.assertEqual(self.pass_by(FULL_EVERY).count("check"), 1)

    def test_all_fail(self) -> None:
        """A look at all that fails is repeated soon, until one succeeds."""
        self.reconciler.hears(True)
        self.checked.away = Unavailable("gone")
        self.reconciler.ask()
        self.assertEqual(self.pass_by(2 * RETRY), ["check"] * 2)
        self.checked.away = None
        self.assertEqual(self.pass_by(RETRY + EVERY), ["check", "part"])

    def test_fails(self) -> None:
        """One that fails is not the last one: the next comes sooner."""
        self.checked.error = Unavailable("gone")
        self.clock.advance(EVERY)
        self.checked.error = None
        self.clock.advance(RETRY)
        self.assertEqual(self.checked.done, ["learn", "learn", "check"])

    def test_lock(self) -> None:
        """While somebody holds a lock on the sessions, notifications are checked."""
        self.checked.error = Unavailable("locked", "lock")
        self.reconciler.ask()
        self.assertEqual(self.checked.done, ["learn", "check"])

    def test_then(self) -> None:
        """Each look that succeeds is followed by what comes with it."""
        self.reconciler.stop()
        self.begin(then=lambda: self.checked.done.append("then"))
        self.reconciler.hears(True)
        self.assertEqual(self.checked.done, ["learn", "check", "then"])
        self.checked.error = Unavailable("gone")
        self.reconciler.ask()
        self.assertNotIn("then", self.everything(RETRY))

    def test_sessions(self) -> None:
        """While the others are heard, the sessions are read once a minute."""
        self.reconciler.hears(True)
        self.checked.done.clear()
        for _ in range(LEARN_EVERY):
            self.reconciler.heartbeat()
            self.clock.pump([HALF_WAY, HALF_WAY])
        self.assertEqual(self.checked.done.count("learn"), 1)
        self.assertEqual(self.clock.seconds(), 60)

    def test_sessions_after_suspicion(self) -> None:
        """After a suspected loss the next check reads them, however short ago the last read of
        all was."""
        self.reconciler.hears(True)
        self.reconciler.suspect_loss()
        self.assertEqual(self.everything(EVERY), ["learn", "part"])
        self.checked.done.clear()
        self.assertNotIn("learn", self.everything(EVERY))

    def test_sessions_fail(self) -> None:
        """Where they cannot be read, the next look tries again."""
        self.checked.error = Unavailable("locked", "lock")
        self.reconciler.hears(True)
        self.assertEqual(self.everything(2 * RETRY), ["learn", "part"] * 2)
        self.checked.error = None
        self.assertEqual(self.everything(RETRY), ["learn", "part"])
        self.assertEqual(self.everything(EVERY), ["part"])

    def test_stop(self) -> None:
        """Once it is stopped, what is under way is the last look, and says nothing."""
        self.checked.error = Unavailable("closed")
        with capturedLogs() as events:
            self.reconciler.stop()
        self.assertEqual((list(events), self.clock.getDelayedCalls()), ([], []))


class ReminderTests(ReconcilerCase):
    """Sweeps that fail."""

    def setUp(self) -> None:
        super().setUp()
        self.checked.error = Unavailable("no such socket")

    def said(self, seconds: float) -> list[str]:
        """The lines of so many seconds."""
        with capturedLogs() as events:
            self.clock.pump([0.5] * int(seconds * 2))
        return [formatEvent(event) for event in events]

    def test_minute(self) -> None:
        """It is said at once, and once a minute while it lasts."""
        (line,) = self.said(EVERY)
        self.assertIn("no such socket", line)
        self.assertEqual(self.said(REMINDER - 1), [])
        self.assertEqual(len(self.said(5 * REMINDER)), 5)

    def test_again(self) -> None:
        """Where it goes away again, it is said again."""
        self.said(EVERY)
        self.checked.error = None
        self.said(EVERY)
        self.checked.error = Unavailable("gone")
        self.assertEqual(len(self.said(EVERY)), 1)

    def test_own_errors(self) -> None:
        """Errors of the service itself are said each time."""
        self.checked.error = ValueError("ours")
        self.said(EVERY)
        self.assertGreater(len(self.said(10)), 5)
        self.assertGreater(len(self.flushLoggedErrors(ValueError)), 5)
