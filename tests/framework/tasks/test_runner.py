"""When jobs run, and what happens where one fails."""

from collections import deque
from random import Random
from typing import Any

from psycopg2.errors import UndefinedTable
from twisted.internet.defer import CancelledError, Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core.request_timing import CURRENT
from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.storage.bucket import StorageUnavailable
from contentsvc.framework.tasks import runner as module
from contentsvc.framework.tasks.runner import (
    FIRST_PAUSE,
    LENGTH,
    REMINDER,
    UNRUNG,
    Failing,
    Job,
    Runner,
    plain,
)
from tests.support.lines import logged_by
from tests.support.pauses import Even
from tests.support.timing import ran

EVERY = 30.0
WALL = Clock()
WALL.advance(1_000_000.5)


class Work:
    """A job's function: remembers when it ran, and answers as it was told to."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.ran: list[float] = []
        self.answers: deque[Any] = deque()

    async def __call__(self) -> float | None:
        self.ran.append(self._clock.seconds())
        answer = self.answers.popleft() if self.answers else None
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Deferred):
            return await answer
        return answer


class RunnerCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.clock = Clock()
        self.work, self.other = Work(self.clock), Work(self.clock)
        self.logged = logged_by(module, self)

    def begin(self, *jobs: Job) -> Runner:
        made = Runner(self.clock, WALL, Even())
        made.start(jobs or [Job("sweep", EVERY, self.work)])
        return made

    def pass_seconds(self, seconds: int) -> None:
        self.clock.pump([1.0] * seconds)


class TimeTests(RunnerCase):
    def test_again_and_again(self) -> None:
        """A job runs from time to time, not at once."""
        self.begin()
        self.assertEqual(self.work.ran, [])
        self.pass_seconds(65)
        self.assertEqual(self.work.ran, [30, 60])

    def test_apart(self) -> None:
        """Jobs that run as often do not run at the same moments."""
        made = Runner(self.clock, WALL, Random(1))
        made.start([Job("sweep", EVERY, self.work), Job("dust", EVERY, self.other)])
        self.pass_seconds(200)
        self.assertGreater(len(self.work.ran), 3)
        self.assertEqual(set(self.work.ran) & set(self.other.ran), set())

    def test_queue(self) -> None:
        """One with a queue waits for its bell, which is rung while there are tasks, and does not
        rely on it."""
        bell = Bell(self.clock)
        self.begin(Job("tell", 5.0, self.work, bell, queue="steps"))
        self.pass_seconds(10)
        bell.ring()
        self.pass_seconds(int(UNRUNG) + 1)
        self.assertEqual(self.work.ran, [0, 10, 10 + UNRUNG])

    def test_going_on(self) -> None:
        """One that is not done goes on after the pause that it asks for."""
        self.begin()
        self.work.answers.extend([2.0, 3.0])
        self.pass_seconds(70)
        self.assertEqual(self.work.ran, [30, 32, 35, 65])

    def test_bell(self) -> None:
        """One with a bell runs at the start, and when it is rung."""
        bell = Bell(self.clock)
        self.begin(Job("tell", EVERY, self.work, bell))
        self.pass_seconds(5)
        bell.ring()
        self.pass_seconds(31)
        self.assertEqual(self.work.ran, [0, 5, 35])

    def test_rung_meanwhile(self) -> None:
        """A bell shortens no pause; it is heard when the job is done for now."""
        bell = Bell(self.clock)
        self.begin(Job("tell", EVERY, self.work, bell))
        self.pass_seconds(1)
        self.work.answers.append(4.0)
        bell.ring()
        self.pass_seconds(1)
        bell.ring()
        self.pass_seconds(10)
        self.assertEqual(self.work.ran, [0, 1, 5, 5])

    def test_long(self) -> None:
        """A job that takes long does not run twice at once, and holds up no other."""
        answer: Deferred[None] = Deferred()
        self.work.answers.append(answer)
        self.begin(Job("sweep", EVERY, self.work), Job("dust", EVERY, self.other))
        self.pass_seconds(100)
        self.assertEqual((self.work.ran, self.other.ran), ([30], [30, 60, 90]))
        answer.callback(None)
        self.pass_seconds(30)
        self.assertEqual(self.work.ran, [30, 130])

    def test_slow(self) -> None:
        """A run that takes over half a minute is in the log, with what it asked of the database."""
        for seconds in (30, 31):
            answer: Deferred[None] = Deferred()

            async def wait(answer: Deferred[None] = answer) -> None:
                timing = CURRENT.get()
                await answer
                ran(timing, "x", 20.0)

            made = self.begin(Job("sweep", EVERY, wait))
            self.pass_seconds(30 + seconds)
            answer.callback(None)
            made.stop()
        line = "Slow job: it took 31.0 s to sweep, of this 20.0 s in 1 statements of the database"
        self.assertEqual(self.logged, [line])

    def test_stop(self) -> None:
        """Once stopped it begins nothing more, and leaves no timer behind."""
        for answers in [], [5.0], [ZeroDivisionError()]:
            made = self.begin(Job("tell", EVERY, self.work, Bell(self.clock)))
            made.stop()
            ran = len(self.work.ran)
            self.assertEqual(self.clock.getDelayedCalls(), [], answers)
            self.pass_seconds(60)
            self.assertEqual(len(self.work.ran), ran)

    def test_stop_amid(self) -> None:
        """So it is where a job runs, which the closing of the database ends: no line says so."""
        answer: Deferred[None] = Deferred()
        self.work.answers.append(answer)
        made = self.begin()
        self.pass_seconds(30)
        made.stop()
        answer.errback(Unavailable("the service is stopping"))
        self.assertEqual((self.clock.getDelayedCalls(), self.logged), ([], []))


class FailingTests(RunnerCase):
    def fail(self, *errors: Exception) -> Runner:  # type: ignore[override]
        """A runner whose job fails like this from its first run on."""
        self.work.answers.extend(errors)
        made = self.begin()
        self.pass_seconds(30)
        return made

    def test_pauses(self) -> None:
        """It is tried again with pauses that grow up to its own, and begin anew after a success."""
        self.fail(*[Unavailable("away")] * 7)
        self.pass_seconds(150)
        self.assertEqual(self.work.ran, [30, 31, 33, 37, 45, 61, 91, 121, 151])
        self.work.answers.append(Unavailable("away"))
        self.pass_seconds(5)
        self.assertEqual(self.work.ran[-2:], [181, 181 + FIRST_PAUSE])

    def test_others(self) -> None:
        """The other jobs run as before."""
        self.work.answers.extend([ZeroDivisionError()] * 9)
        self.begin(Job("sweep", EVERY, self.work), Job("dust", EVERY, self.other))
        self.pass_seconds(95)
        self.assertEqual(self.other.ran, [30, 60, 90])
        self.flushLoggedErrors(ZeroDivisionError)

    def test_line(self) -> None:
        """One line says that it fails and why, one that it works again."""
        self.fail(*[Unavailable("away")] * 3)
        self.pass_seconds(20)
        self.assertEqual(self.logged, ["Could not sweep: away", "Recovered: sweep"])

    def test_store(self) -> None:
        """A file store that is away is such a line too."""
        self.fail(StorageUnavailable("the store is away"))
        self.pass_seconds(20)
        self.assertEqual(self.logged[0], "Could not sweep: the store is away")

    def test_fault(self) -> None:
        """A fault of ours is logged with its traceback, once."""
        self.fail(*[ZeroDivisionError("zero")] * 3)
        self.pass_seconds(20)
        self.assertEqual(len(self.flushLoggedErrors(ZeroDivisionError)), 1)
        self.assertEqual(self.logged, ["Recovered: sweep"])

    def test_other_reason(self) -> None:
        """Another reason is logged too, but not at each try."""
        self.fail(*[Unavailable(f"reason {n}") for n in range(8)])
        self.pass_seconds(int(REMINDER) + 40)
        self.assertEqual(self.logged, ["Could not sweep: reason 0", "Could not sweep: reason 6"])

    def test_cancelled(self) -> None:
        """A job whose work somebody has cancelled is one that failed, too."""
        self.fail(CancelledError())
        self.pass_seconds(1)
        self.assertEqual(self.work.ran, [30, 31])
        self.assertEqual(len(self.flushLoggedErrors(CancelledError)), 1)

    def test_restoring(self) -> None:
        """While the database is being restored, nothing is said of jobs: one line says it all."""
        made = self.fail(*[Unavailable("being restored", "restoring")] * 3)
        self.assertEqual(made.failing, [])

    def test_failing(self) -> None:
        """Who asks is told which jobs fail, since when, and why the last time."""
        made = self.fail(Unavailable("away"), KeyError("x"))
        self.assertEqual(made.failing, [Failing("sweep", 1_000_000, "away")])
        self.pass_seconds(1)
        self.assertEqual(made.failing, [Failing("sweep", 1_000_000, "KeyError: 'x'")])
        self.pass_seconds(10)
        self.assertEqual(made.failing, [])
        self.flushLoggedErrors(KeyError)


class PlainTests(SynchronousTestCase):
    def test_one_line(self) -> None:
        """The text is one line, with the error's type unless the database is away."""
        self.assertEqual(plain(Unavailable("could not\n  connect")), "could not connect")
        self.assertEqual(plain(ValueError()), "ValueError")

    def test_first_line(self) -> None:
        """Of any other error only the first line is there: the driver's next ones have values."""
        error = UndefinedTable("relation \"x\" does not exist\nLINE 1: EXECUTE y('hush')")
        self.assertEqual(plain(error), 'UndefinedTable: relation "x" does not exist')

    def test_secrets(self) -> None:
        """It has no password."""
        for text in (
            "no route to postgresql://ann:hush@db/contents",
            "bad DSN host=db password=hush user=ann",
            "bad DSN host=db password='hush hush' user=ann",
        ):
            self.assertNotIn("hush", plain(RuntimeError(text)))

    def test_length(self) -> None:
        """It is not long."""
        self.assertEqual(len(plain(ValueError("x" * 5000))), LENGTH)
