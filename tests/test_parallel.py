"""What the run of the whole suite does with tests that failed."""

from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.support.parallel import AGAIN, Part, Result, again

PASSES = "tests.core.test_clocks"
FAILS = "tests.core.no_such_module"


class AgainTests(SynchronousTestCase):
    """Tests that failed, run again."""

    def again(self, *tests: str) -> bool:
        """What comes of parts that each name one of these tests, or nothing, at their end."""
        temp = Path(self.mktemp())
        temp.mkdir()
        logs = (f"\n=====\n[FAIL]\n{test}\n-----\n" if test else "killed" for test in tests)
        return again([Result(Part("part", []), 1, 1.0, log) for log in logs], temp)

    def test_passes(self):
        """A test that passes alone counts as passed."""
        self.assertTrue(self.again(PASSES))

    def test_fails(self):
        """A test that fails alone too has failed, whatever passes beside it."""
        self.assertFalse(self.again(PASSES, FAILS))

    def test_unnamed(self):
        """A part that ended before it named a test has failed."""
        self.assertFalse(self.again(PASSES, ""))

    def test_many(self):
        """More than a few are no accident."""
        self.assertFalse(self.again(*(f"{PASSES}.Test{n}" for n in range(AGAIN + 1))))
