"""One look at all that waits begins the jobs that have something to do."""

from twisted.internet import reactor

from contentsvc.framework.core.timers import Bell
from contentsvc.framework.tasks.runner import Job
from contentsvc.framework.tasks.task_queue import STEPS
from contentsvc.jobs.handlers import CHECK_OFTEN, watch
from contentsvc.store.notifications import announcements
from tests.jobs.support import StepCase

QUIET = "SendMail"


class Counted(Bell):
    """Counts how often it is rung."""

    def __init__(self) -> None:
        super().__init__(reactor)
        self.rung = 0

    def ring(self) -> None:
        self.rung += 1
        super().ring()


async def nothing() -> None:
    """There is none."""


class WatchTests(StepCase):
    async def setUp(self) -> None:
        await super().setUp()
        self.known = await announcements.state_of_all(self.db)
        self.steps, self.connected, self.mails = Counted(), Counted(), Counted()
        jobs = [
            Job("notify", 5.0, nothing, self.steps, queue=STEPS),
            Job("notify first", 1.0, nothing, self.connected, queue=STEPS),
            Job("send", 10.0, nothing, self.mails, queue=QUIET),
            Job("sweep", 30.0, nothing),
            Job(
                "look",
                5.0,
                nothing,
                queue="announcements",
                waits=announcements.WAITING,
                known=lambda: self.known,
            ),
        ]
        self.watch = watch(self.db, jobs, Bell(reactor))

    def rung(self) -> tuple[int, int, int]:
        """How often each bell was rung."""
        return self.steps.rung, self.connected.rung, self.mails.rung

    async def test_empty(self) -> None:
        """Nobody is woken without a task."""
        self.assertIsNone(await self.watch.run())
        self.assertEqual(self.rung(), (0, 0, 0))

    async def test_steps(self) -> None:
        """All who do steps are woken, and the next look is soon: the head start of connected
        followers is short."""
        await self.put("hi", [await self.user()])
        self.assertEqual(await self.watch.run(), CHECK_OFTEN)
        self.assertEqual(self.rung(), (1, 1, 0))

    async def test_effects(self) -> None:
        """A task of another queue wakes those who do it, and hurries nobody."""
        self.sql("insert into tasks (queue, kind, task) values (%s, %s, '{}')", QUIET, QUIET)
        self.assertIsNone(await self.watch.run())
        self.assertEqual(self.rung(), (0, 0, 1))
