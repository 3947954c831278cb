"""What a failure says of a list that is kept by hand."""

from twisted.trial.unittest import SynchronousTestCase

from tests.support import lists


class SameTests(SynchronousTestCase):
    def said(self, listed: list[str], there: list[str]) -> str:
        """What the failure says."""
        place = "tests/x.py, NAMES"
        error = self.assertRaises(
            self.failureException,
            *(lists.same, self, place, listed, there, '    "{}",'.format),
        )
        return str(error)

    def test_missing(self) -> None:
        """It names the file and the list, and has the line of what is missing."""
        self.assertEqual(self.said(["a"], ["a", "b"]), 'tests/x.py, NAMES: add\n    "b",')

    def test_needless(self) -> None:
        """It says what is to be taken out."""
        self.assertEqual(self.said(["a", "b"], ["a"]), "tests/x.py, NAMES: take out b")

    def test_same(self) -> None:
        """Nothing is said of a list that has what is there, in whatever order."""
        lists.same(self, "tests/x.py, NAMES", ["b", "a"], ["a", "b"])
