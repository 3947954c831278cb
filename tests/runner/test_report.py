"""What a run says, and its status."""

from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.runner.report import AGAIN, report
from tests.runner.run import Outcome


class FakeRun:
    """A run of outcomes; those of `mended` pass when they are run again."""

    def __init__(self, outcomes: list[Outcome], mended: tuple[str, ...] = ()) -> None:
        self._outcomes, self._mended = outcomes, mended
        self.tried: list[str] = []

    def outcomes(self) -> Iterator[Outcome]:
        return iter(self._outcomes)

    def warnings(self) -> list[str]:
        return ["test_layers.py:1: UserWarning: a.py has 650 lines"]

    def again(self, tests: list[str]) -> Iterator[Outcome]:
        self.tried += tests
        return (passed(test) if test in self._mended else failed(test) for test in tests)


def passed(test: str, seconds: float = 0.1) -> Outcome:
    return Outcome(test, seconds, "", None)


def failed(test: str) -> Outcome:
    return Outcome(test, 0.1, f"Traceback of {test}\n", None)


class ReportTests(SynchronousTestCase):
    """The report of outcomes that are given."""

    def report(self, run: Any, size: str = "all", *, by_name: bool = True) -> tuple[int, list[str]]:
        """The status, and the lines."""
        with redirect_stdout(StringIO()) as said:
            status = report(run, size, by_name=by_name)
        return status, said.getvalue().splitlines()

    def test_passed(self) -> None:
        """All passed: the counts stand alone on a line, the last has the time and no retry."""
        skipped = Outcome("c", 0.1, "", "needs nginx")
        status, lines = self.report(FakeRun([passed("a"), passed("b"), skipped]))
        self.assertEqual(status, 0)
        self.assertIn("2 passed, 0 failed, 1 skipped", lines)
        self.assertIn("skipped 1: needs nginx", lines)
        self.assertRegex(lines[-1], r"^PASSED in \d+\.\d minutes, 0 retried$")

    def test_warned(self) -> None:
        """What a test has warned of is said."""
        _, lines = self.report(FakeRun([passed("a")]))
        self.assertIn("a.py has 650 lines", lines)

    def test_failed(self) -> None:
        """What fails again has failed: it is named, and its traceback is there."""
        status, lines = self.report(FakeRun([passed("a"), failed("b")]))
        self.assertEqual(status, 1)
        self.assertIn("Traceback of b", lines)
        self.assertIn("1 passed, 1 failed, 0 skipped", lines)
        self.assertRegex(lines[-1], "^FAILED in .*, 0 retried$")

    def test_retried(self) -> None:
        """What passes then is named on the last line, and the run has passed."""
        status, lines = self.report(FakeRun([passed("a"), failed("b")], mended=("b",)))
        self.assertEqual(status, 0)
        self.assertIn("Traceback of b", lines)
        self.assertRegex(lines[-1], "^PASSED in .*, 1 retried: b$")

    def test_many(self) -> None:
        """More than a few failures are no accident: none is tried again."""
        run = FakeRun([failed(f"t{n}") for n in range(AGAIN + 1)])
        self.assertEqual(self.report(run)[0], 1)
        self.assertEqual(run.tried, [])

    def test_none(self) -> None:
        """A run of no test has not passed."""
        self.assertEqual(self.report(FakeRun([]))[0], 1)

    def test_slowest(self) -> None:
        """The slowest tests come first in their list."""
        run = FakeRun([passed("quick", 0.1), passed("slow", 9.5)])
        _, lines = self.report(run)
        self.assertLess(lines.index("   9.5 s  slow"), lines.index("   0.1 s  quick"))

    def test_others(self) -> None:
        """A run of a size says what it leaves out, and how to run that."""
        for size, more in (("quick", "--all"), ("all", "--nightly")):
            _, lines = self.report(FakeRun([passed("a")]), size, by_name=False)
            self.assertTrue(any(f"scripts/test {more} runs more" in line for line in lines))
