"""When retention works, and what it does where the database is away."""

from collections import deque
from typing import Any

from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock
from twisted.logger import LogEvent, formatEvent, globalLogPublisher
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.db.errors import Unavailable
from contentsvc.jobs import retention as module
from contentsvc.jobs.retention import EVERY, PAUSE, Retention
from contentsvc.store.retention import FIRST, TOKENS

NOTHING = (True, None, False, 0)
NOTIFICATIONS, SESSIONS = "retention_trim_notifications", "retention_trim_sessions"


class FakeDb:
    """Stands for the database: keeps what it was asked, and answers as it was told to."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, Any]] = []
        self.batches: deque[Any] = deque()

    def run(self, statement: Any, args: Any) -> Deferred[Any]:
        self.ran.append((statement.name, *args))
        nothing: tuple[Any, ...] = (0, 0) if statement.name == SESSIONS else NOTHING
        answer = self.batches.popleft() if self.batches else nothing
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Deferred) else succeed([answer])

    def names(self) -> list[str]:
        return [name for name, *_ in self.ran]


class RetentionTests(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock, self.db = Clock(), FakeDb()
        self.logged: list[str] = []
        globalLogPublisher.addObserver(self.observe)
        self.addCleanup(globalLogPublisher.removeObserver, self.observe)

    def observe(self, event: LogEvent) -> None:
        """A line of the log, unless it has a traceback: that is in flushLoggedErrors."""
        if event["log_namespace"] == module.__name__ and "log_failure" not in event:
            self.logged.append(formatEvent(event))

    def begin(self, days: int = 90) -> Retention:
        made = Retention(self.clock, self.db, days)  # type: ignore[arg-type]
        made.start()
        return made

    def test_again_and_again(self) -> None:
        """It looks for both kinds from time to time, not at once."""
        self.begin()
        self.assertEqual(self.db.ran, [])
        self.clock.advance(EVERY)
        self.assertEqual(self.db.ran, [(NOTIFICATIONS, 90, FIRST), (SESSIONS, module.MARGIN)])
        self.clock.advance(EVERY)
        self.assertEqual(len(self.db.ran), 4)
        self.assertEqual(self.logged, [])

    def test_batches(self) -> None:
        """After a full batch the next follows, when others have had the database."""
        self.begin()
        steps = (True, "b", True, 70), (True, "b", True, 60), (True, "c", False, 5)
        self.db.batches.extend([*steps, (TOKENS, 1), (3, 2)])
        self.clock.advance(EVERY)
        self.assertEqual(self.db.names(), [NOTIFICATIONS])
        self.clock.pump([PAUSE] * 4)
        self.assertEqual(self.db.names(), [NOTIFICATIONS] * 3 + [SESSIONS] * 2)
        self.assertEqual(
            self.logged, ["Deleted old notifications: 135", "Deleted expired sessions: 3"]
        )

    def test_walk(self) -> None:
        """Each look goes on with the users after those of the last, and begins anew at the end;
        where another process is at it, it stays where it was."""
        self.begin()
        steps = (True, "b", False, 0), (False, None, False, 0), (True, "c", False, 0), NOTHING
        for step in steps:
            self.db.batches.extend([step, (0, 0)])
        self.clock.pump([EVERY] * 5)
        starts = [args[1] for name, *args in self.db.ran if name == NOTIFICATIONS]
        self.assertEqual(starts, [FIRST, "b", "b", "c", FIRST])

    def test_for_ever(self) -> None:
        """With 0 days no notification is deleted; sessions are."""
        self.begin(0)
        self.clock.advance(EVERY)
        self.assertEqual(self.db.names(), [SESSIONS])

    def test_database_away(self) -> None:
        """Where the database is away a line says so, and the next look is as any other."""
        self.begin()
        self.db.batches.extend([Unavailable("away"), Unavailable("away")])
        self.clock.advance(EVERY)
        self.assertEqual(len(self.logged), 2)
        self.assertIn("Could not delete old notifications: away", self.logged)
        self.clock.advance(EVERY)
        self.assertEqual(self.db.names(), [NOTIFICATIONS, SESSIONS] * 2)

    def test_fault(self) -> None:
        """So is it after a fault of ours, which is logged as one."""
        self.begin()
        self.db.batches.append(ZeroDivisionError())
        self.clock.advance(EVERY)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.clock.advance(EVERY)
        self.assertEqual(self.db.names(), [NOTIFICATIONS, SESSIONS] * 2)

    def test_stop(self) -> None:
        """Once stopped it begins nothing more, and leaves no timer behind."""
        for batches in 0, 1:
            made = self.begin()
            self.db.batches.extend([(True, "b", True, 1)] * batches)
            self.clock.advance(EVERY * batches)
            ran = len(self.db.ran)
            made.stop()
            self.assertEqual(self.clock.getDelayedCalls(), [])
            self.assertEqual(len(self.db.ran), ran)

    def test_stop_amid(self) -> None:
        """So where a statement is under way, which the closing of the database ends."""
        made = self.begin()
        answer: Deferred[Any] = Deferred()
        self.db.batches.append(answer)
        self.clock.advance(EVERY)
        made.stop()
        answer.errback(Unavailable("the service is stopping"))
        self.assertEqual((self.db.names(), self.logged), ([NOTIFICATIONS], []))
        self.assertEqual(self.clock.getDelayedCalls(), [])
