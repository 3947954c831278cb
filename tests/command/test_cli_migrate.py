"""The command line tool, where somebody else holds what a migration needs."""

from contextlib import nullcontext, redirect_stderr, redirect_stdout
from io import StringIO

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.command import cli
from contentsvc.db.errors import Unavailable


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

        self.patch(cli, "migrate", migrate)
        self.patch(cli.time, "sleep", slept.append)
        self.patch(cli, "_server", lambda settings: nullcontext("dbname=x"))
        said, warned = StringIO(), StringIO()
        with redirect_stdout(said), redirect_stderr(warned):
            self.assertEqual(cli.main(["migrate"]), 0)
        self.assertEqual(said.getvalue(), "Applied 0001.users.\n")
        self.assertEqual(warned.getvalue(), "held; trying again\n" * 2)
        self.assertEqual(slept, [1.0, 1.0])
