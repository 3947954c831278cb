"""When content that was deleted long ago gives up its files."""

from typing import Any

from twisted.internet.task import Clock
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.tasks.runner import Runner
from contentsvc.jobs.retention import PAUSE, RARELY
from contentsvc.jobs.withdrawn_content import purge
from tests.jobs.pauses import Even


class FakeDb:
    """Has so many batches to do."""

    def __init__(self, batches: int) -> None:
        self.batches = batches
        self.ran = 0

    async def run(self, statement: Any, args: Any) -> list[Any]:
        self.ran += 1
        self.batches -= 1
        return [(self.batches >= 0,)]


class PurgeTests(SynchronousTestCase):
    def test_batches(self) -> None:
        """A round goes on batch by batch, with pauses, and the next one comes later."""
        clock, db = Clock(), FakeDb(2)
        job = purge(db)  # type: ignore[arg-type]
        Runner(clock, Clock(), Even()).start([job])
        self.assertEqual(db.ran, 0)
        clock.advance(RARELY)
        self.assertEqual(db.ran, 1)
        clock.pump([PAUSE] * 2)
        self.assertEqual(db.ran, 3)
        clock.advance(RARELY)
        self.assertEqual(db.ran, 4)
