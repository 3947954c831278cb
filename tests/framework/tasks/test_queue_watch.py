"""The look at all queues: whose bells are rung, and when the next look is."""

from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.db.errors import Unavailable
from contentsvc.framework.db.statement import Row, Statement
from contentsvc.framework.tasks.runner import Job, watch
from contentsvc.framework.tasks.task_queue import STEPS

OFTEN = 1.0


class Counted(Bell):
    """Counts how often it is rung."""

    def __init__(self) -> None:
        super().__init__(Clock())
        self.rung = 0

    def ring(self) -> None:
        self.rung += 1
        super().ring()


async def nothing() -> None:
    """There is none."""


class FakeDb:
    """A database that finds what a test has found."""

    def __init__(self, test: "WatchTests") -> None:
        self._test = test

    async def run(self, statement: Statement, args: Row) -> list[Row]:
        self._test.asked.append(args)
        if isinstance(self._test.found, Exception):
            raise self._test.found
        return [(queue,) for queue in self._test.found]


class WatchTests(SynchronousTestCase):
    """Jobs of two queues, one of which two jobs work on. `found` is what the look finds."""

    def setUp(self) -> None:
        self.steps, self.first, self.mails = Counted(), Counted(), Counted()
        self.numbers = Counted()
        self.asked: list[Row] = []
        self.found: list[str] | Exception = []
        jobs = [
            Job("notify", 5.0, nothing, self.steps, queue=STEPS),
            Job("notify first", 1.0, nothing, self.first, queue=STEPS),
            Job("send", 10.0, nothing, self.mails, queue="SendMail"),
            Job(
                "number",
                5.0,
                nothing,
                self.numbers,
                queue="numbers",
                waits="4 > {known}::integer",
                known=lambda: "3",
            ),
            Job("sweep", 30.0, nothing, Counted()),
        ]
        db: Any = FakeDb(self)
        self.job = watch(db, jobs, Bell(Clock()), every=4.5, often=OFTEN)

    async def run_once(self) -> float | None:
        """Look once."""
        return await self.job.run()

    def look(self) -> tuple[float | None, tuple[int, int, int]]:
        """Look once: the pause until the next look, and how often each bell was rung so far."""
        pause = self.successResultOf(Deferred.fromCoroutine(self.run_once()))
        return pause, (self.steps.rung, self.first.rung, self.mails.rung)

    def test_asked(self) -> None:
        """Each queue is asked for once, in one look, with what is known of what else waits."""
        self.look()
        self.assertEqual(self.asked, [('{"SendMail","steps"}', '{"3"}')])

    def test_condition(self) -> None:
        """What waits for something else is woken by the name of that."""
        self.found = ["numbers"]
        self.assertEqual(self.look(), (None, (0, 0, 0)))
        self.assertEqual(self.numbers.rung, 1)

    def test_empty(self) -> None:
        """Nobody is woken without a task."""
        self.assertEqual(self.look(), (None, (0, 0, 0)))

    def test_steps(self) -> None:
        """All who do steps are woken, and the next look is soon."""
        self.found = [STEPS]
        self.assertEqual(self.look(), (OFTEN, (1, 1, 0)))

    def test_others(self) -> None:
        """A task of another queue wakes those who do it, and hurries nobody."""
        self.found = ["SendMail"]
        self.assertEqual(self.look(), (None, (0, 0, 1)))

    def test_failing(self) -> None:
        """If the look fails, all are woken: what is in its way may be in nobody else's."""
        self.found = Unavailable("locked", "lock")
        self.failureResultOf(Deferred.fromCoroutine(self.run_once()), Unavailable)
        self.assertEqual((self.steps.rung, self.first.rung, self.mails.rung), (1, 1, 1))
