"""The sweep, on a clock of the test's, and what it says of a database that is away."""

from collections.abc import Callable
from typing import Any

from twisted.internet.task import Clock
from twisted.logger import capturedLogs, formatEvent
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.retries import REMINDER
from contentsvc.push.reconcile import AGAIN, APART, EVERY, HALF, LEARN, Reconciler


class Looked:
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


class SweepCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.looked = Clock(), Looked()
        self.begin()

    def begin(self, **options: Any) -> None:
        """A reconciler starts, with these options."""
        self.sweep = Reconciler(self.clock, self.looked, self.looked, **options)
        self.sweep.start()

    def everything(self, seconds: float) -> list[str]:
        """What was looked at in so many seconds, in the order in which it was."""
        self.looked.done.clear()
        self.clock.pump([0.5] * int(seconds * 2))
        return self.looked.done

    def pass_by(self, seconds: float) -> list[str]:
        """The same without the sessions."""
        return [each for each in self.everything(seconds) if each != "learn"]


class SweepTests(SweepCase):
    def test_every(self) -> None:
        """Sessions and all logs are looked at every four seconds, and not before, while the others
        are not heard."""
        self.clock.advance(EVERY - 1)
        self.assertEqual(self.looked.done, [])
        self.clock.advance(1)
        self.assertEqual(self.looked.done, ["learn", "check"])
        self.clock.advance(EVERY)
        self.assertEqual(self.looked.done, ["learn", "check"] * 2)

    def test_ask(self) -> None:
        """A look that is asked for happens at once."""
        self.sweep.ask()
        self.assertEqual(self.looked.done, ["learn", "check"])

    def test_healthy(self) -> None:
        """While the others are heard, each look is at a part of the logs."""
        self.sweep.hears(True)
        self.assertEqual(self.pass_by(3 * EVERY), ["part"] * 3)

    def test_beats(self) -> None:
        """Looks come half-way between two beats, and what comes first and then with each."""

        async def first() -> None:
            self.looked.done.append("first")

        self.sweep.stop()
        self.begin(first=first, then=lambda: self.looked.done.append("then"))
        self.sweep.hears(True)
        for _ in range(3):
            self.sweep.beat()
            self.assertEqual(self.everything(HALF - 0.5), [])
            self.assertEqual(self.everything(0.5), ["first", "part", "then"])
            self.assertEqual(self.everything(HALF), [])

    def test_first_doubt(self) -> None:
        """What comes first does not hold up a doubt."""

        async def first() -> None:
            self.looked.done.append("first")

        self.sweep.stop()
        self.begin(first=first)
        self.sweep.hears(True)
        self.assertEqual(self.looked.done, ["learn", "check"])

    def test_many_beats(self) -> None:
        """However many beats come, looks come in time."""
        self.sweep.hears(True)
        self.looked.done.clear()
        for _ in range(int(2 * EVERY)):
            self.sweep.beat()
            self.clock.advance(1)
        self.assertEqual(self.looked.done, ["part"] * 2)

    def test_lost(self) -> None:
        """When the others are not heard any more, and when they are again, all is looked at once
        more."""
        self.sweep.hears(True)
        self.looked.done.clear()
        self.sweep.hears(False)
        self.sweep.hears(True)
        self.assertEqual(self.looked.done, ["learn", "check"] * 2)

    def test_doubt(self) -> None:
        """After a doubt all is looked at, at once."""
        self.clock.advance(APART)
        self.sweep.hears(True)
        self.clock.advance(APART)
        self.looked.done.clear()
        self.sweep.doubt()
        self.assertEqual(self.looked.done, ["learn", "check"])

    def test_doubts(self) -> None:
        """However many there are, the looks at all begin nine seconds after each other."""
        self.sweep.hears(True)
        for _ in range(6):
            self.sweep.doubt()
            checks = self.pass_by(APART / 2)
            self.assertLessEqual(checks.count("check"), 1)
        self.assertEqual(self.sweep.looks, 4)

    def test_doubt_while_looking(self) -> None:
        """A doubt that comes during a look at all is not answered by that one."""
        self.sweep.hears(True)
        self.clock.advance(APART)
        self.looked.during = self.sweep.doubt
        self.sweep.doubt()
        self.assertEqual(self.pass_by(APART).count("check"), 1)

    def test_all_fail(self) -> None:
        """A look at all that fails is repeated soon, until one succeeds."""
        self.sweep.hears(True)
        self.looked.away = Unavailable("gone")
        self.sweep.ask()
        self.assertEqual(self.pass_by(2 * AGAIN), ["check"] * 2)
        self.looked.away = None
        self.assertEqual(self.pass_by(AGAIN + EVERY), ["check", "part"])

    def test_fails(self) -> None:
        """One that fails is not the last one: the next comes sooner."""
        self.looked.error = Unavailable("gone")
        self.clock.advance(EVERY)
        self.looked.error = None
        self.clock.advance(AGAIN)
        self.assertEqual(self.looked.done, ["learn", "learn", "check"])

    def test_lock(self) -> None:
        """While somebody holds a lock on the sessions, notifications are looked for."""
        self.looked.error = Unavailable("locked", "lock")
        self.sweep.ask()
        self.assertEqual(self.looked.done, ["learn", "check"])

    def test_then(self) -> None:
        """Each look that succeeds is followed by what comes with it."""
        self.sweep.stop()
        self.begin(then=lambda: self.looked.done.append("then"))
        self.sweep.hears(True)
        self.assertEqual(self.looked.done, ["learn", "check", "then"])
        self.looked.error = Unavailable("gone")
        self.sweep.ask()
        self.assertNotIn("then", self.everything(AGAIN))

    def test_sessions(self) -> None:
        """While the others are heard, the sessions are looked at once a minute."""
        self.sweep.hears(True)
        self.looked.done.clear()
        for _ in range(LEARN):
            self.sweep.beat()
            self.clock.pump([HALF, HALF])
        self.assertEqual(self.looked.done.count("learn"), 1)
        self.assertEqual(self.clock.seconds(), 60)

    def test_sessions_doubted(self) -> None:
        """After a doubt they are looked at with the next look, however short ago the last one at
        all was."""
        self.sweep.hears(True)
        self.sweep.doubt()
        self.assertEqual(self.everything(EVERY), ["learn", "part"])
        self.looked.done.clear()
        self.assertNotIn("learn", self.everything(EVERY))

    def test_sessions_fail(self) -> None:
        """Where they cannot be read, the next look tries again."""
        self.looked.error = Unavailable("locked", "lock")
        self.sweep.hears(True)
        self.assertEqual(self.everything(2 * AGAIN), ["learn", "part"] * 2)
        self.looked.error = None
        self.assertEqual(self.everything(AGAIN), ["learn", "part"])
        self.assertEqual(self.everything(EVERY), ["part"])

    def test_stop(self) -> None:
        """Once it is stopped, what is under way is the last look, and says nothing."""
        self.looked.error = Unavailable("closed")
        with capturedLogs() as events:
            self.sweep.stop()
        self.assertEqual((list(events), self.clock.getDelayedCalls()), ([], []))


class ReminderTests(SweepCase):
    """Sweeps that fail."""

    def setUp(self) -> None:
        super().setUp()
        self.looked.error = Unavailable("no such socket")

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
        self.looked.error = None
        self.said(EVERY)
        self.looked.error = Unavailable("gone")
        self.assertEqual(len(self.said(EVERY)), 1)

    def test_own_errors(self) -> None:
        """Errors of the service itself are said each time."""
        self.looked.error = ValueError("ours")
        self.said(EVERY)
        self.assertGreater(len(self.said(10)), 5)
        self.assertGreater(len(self.flushLoggedErrors(ValueError)), 5)
