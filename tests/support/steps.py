"""The tasks in steps, done by a test."""

from typing import Any

from twisted.internet.task import Clock

from contentsvc.framework.db.database import Database
from contentsvc.jobs.handlers import KINDS
from contentsvc.jobs.steps import StepRunner
from contentsvc.push.notifier import Notifier
from tests.push.fakes import delays


class Nobody:
    """Stands for the hub and the relay."""

    def deliver(self, row: Any) -> None: ...
    def changed(self, user: str) -> None: ...
    def announce(self, user: str, seq: int) -> None: ...
    def announce_changed(self, user: str) -> None: ...
    def library_changed(self, user: str) -> None: ...
    def announce_library(self, user: str) -> None: ...


async def work_off(db: Database) -> None:
    """Do all tasks."""
    worker = StepRunner(Clock(), db, Notifier(Nobody(), Nobody(), delays()), KINDS)
    while await worker.run() is not None:
        pass
