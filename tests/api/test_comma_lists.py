"""Query parameters that are comma lists."""

from twisted.trial.unittest import SynchronousTestCase

from contentsvc.api.paging import choice, ids
from contentsvc.framework.http.errors import InvalidQuery
from tests.support.databases import guid


class ChoiceTests(SynchronousTestCase):
    def test_words(self) -> None:
        """A list has each of its words once, without blanks, and `all` is all that are allowed."""
        for text, expected in (
            ("a", ["a"]),
            (" b, a,b", ["b", "a"]),
            ("all", ["a", "b", "c"]),
        ):
            self.assertEqual(choice("x", text, ("a", "b", "c")), expected)

    def test_unknown(self) -> None:
        """Another word is refused, an empty one too."""
        for text in ("d", "a,d", "", "a,", "A", "all,a"):
            self.assertRaises(InvalidQuery, choice, "x", text, ("a", "b"))


class IdsTests(SynchronousTestCase):
    def test_ids(self) -> None:
        """Ids keep their order, each once, whatever their case."""
        first, second = guid(), guid()
        self.assertEqual(ids("ids", second), [second])
        text = f"{second}, {first.upper()},{second.upper()}"
        self.assertEqual(ids("ids", text), [second, first])

    def test_most(self) -> None:
        """There are at most 100, counted as they were sent."""
        some = [guid() for _ in range(100)]
        self.assertEqual(ids("ids", ",".join(some)), some)
        for more in ([*some, guid()], [*some, some[0]]):
            self.assertRaises(InvalidQuery, ids, "ids", ",".join(more))

    def test_refused(self) -> None:
        """What is no GUID is refused."""
        for text in ("", ",", "x", f"{guid()},", f"{guid()};{guid()}", guid().replace("-", "")):
            error = self.assertRaises(InvalidQuery, ids, "who", text)
            self.assertEqual(error.members["errors"][0]["parameter"], "who")
