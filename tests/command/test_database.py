"""The database of a command, where somebody else holds what a migration needs."""

from contextlib import redirect_stderr
from io import StringIO

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.command.database import PAUSE, migrated
from contentsvc.framework.db.errors import Unavailable


class LockTests(SynchronousTestCase):
    def test_tried_again(self) -> None:
        """It says so and tries again, until it can be done."""
        answers: list[Exception | list[str]] = [Unavailable("held", "lock")] * 2 + [["0001.users"]]
        slept: list[float] = []

        def migrate(dsn: str) -> list[str]:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        warned = StringIO()
        with redirect_stderr(warned):
            self.assertEqual(migrated("dbname=x", migrate, slept.append), ["0001.users"])
        self.assertEqual(warned.getvalue(), "held; trying again\n" * 2)
        self.assertEqual(slept, [PAUSE, PAUSE])
