"""A statement: its SQL, its parameters, and the texts of its arguments."""

from typing import Any

from msgspec import Struct
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.statement import Statement, array_literal, parted


class Box(Struct):
    a: int


def statement(sql: str, *parameters: str) -> Statement:
    """One whose parameters are no lists."""
    return Statement("family_name", sql, parameters, [False] * len(parameters))


class PlaceholderTests(SynchronousTestCase):
    def test_numbered(self) -> None:
        """Each `:name` becomes the number of the parameter."""
        found = statement("select :b, :a, :b", "a", "b")
        self.assertEqual(found.sql, "select $2, $1, $2")
        self.assertEqual(found.execute, "EXECUTE family_name(%s, %s)")

    def test_casts(self) -> None:
        """Casts, times and array slices are left alone."""
        sql = "select :a::uuid[], 'x'::text, '12:30', a[1:2], b::c from d where e=:a"
        expected = "select $1::uuid[], 'x'::text, '12:30', a[1:2], b::c from d where e=$1"
        self.assertEqual(statement(sql, "a").sql, expected)

    def test_named_argument(self) -> None:
        """SQL's own named arguments take parameters."""
        found = statement("select make_interval(secs => :window)", "window")
        self.assertEqual(found.sql, "select make_interval(secs => $1)")

    def test_no_parameters(self) -> None:
        """A statement without parameters has no parentheses."""
        self.assertEqual(statement("select 1").execute, "EXECUTE family_name")

    def test_unknown(self) -> None:
        """A name that is no parameter is an error."""
        self.assertRaises(KeyError, statement, "select :b", "a")

    def test_unused(self) -> None:
        """So is a parameter that the SQL does not use."""
        error = self.assertRaises(TypeError, statement, "select :a", "a", "b")
        self.assertIn("'b'", str(error))

    def test_prepare(self) -> None:
        """It is prepared under its name, by what takes the arguments of the EXECUTE after it."""
        found = statement("select 7 % :a", "a")
        self.assertEqual(found.prepare, "PREPARE family_name AS select 7 %% $1;")


class FirstTests(SynchronousTestCase):
    def test_before(self) -> None:
        """What comes first goes in the same message, with those of the arguments that it takes."""
        first = Statement("f_first", "select :b", ["b"])
        found = Statement("f", "select :a, :b", ["a", "b"], first=first)
        self.assertEqual(found.prepare, "PREPARE f AS select $1, $2;PREPARE f_first AS select $1;")
        self.assertEqual(found.execute, "EXECUTE f_first(%s);EXECUTE f(%s, %s)")
        self.assertEqual(found.arguments(("x",), {"b": "y"}), ("y", "x", "y"))


class ArgumentTests(SynchronousTestCase):
    def arguments(self, *args: Any, **kwargs: Any) -> tuple[object, ...]:
        """The arguments of a statement of a number, a list and an optional list."""
        found = Statement("f", "select :a, :b, :c", "abc", [False, True, True])
        return found.arguments(args, kwargs)

    def test_positional(self) -> None:
        """Arguments come in the order of the parameters; lists are array literals."""
        self.assertEqual(self.arguments(1, ["x"], [2]), (1, '{"x"}', '{"2"}'))

    def test_keywords(self) -> None:
        """Keywords may stand in any order."""
        self.assertEqual(self.arguments(1, c=None, b=[]), (1, "{}", None))

    def test_missing(self) -> None:
        """A missing one is an error before the database is asked."""
        self.assertRaises(KeyError, self.arguments, 1, c=None)

    def test_records(self) -> None:
        """A list of Structs is the JSON of an array of objects."""
        found = Statement("f", "select :a, :b", "ab", [False, False], records=[False, True])
        for boxes, expected in (([Box(1), Box(2)], '[{"a":1},{"a":2}]'), ([], "[]")):
            self.assertEqual(found.arguments((1, boxes), {}), (1, expected))

    def test_literal(self) -> None:
        """In a literal, quotes and backslashes are escaped, and None is NULL."""
        self.assertEqual(
            array_literal(['a"b', "c\\d", "", "{,}", None, 7]),
            '{"a\\"b","c\\\\d","","{,}",NULL,"7"}',
        )
        self.assertEqual(array_literal(["NULL", "ä\n"]), '{"NULL","ä\n"}')
        self.assertEqual(array_literal([True, False]), '{"True","False"}')
        self.assertIsNone(array_literal(None))


class SeveralTests(SynchronousTestCase):
    def test_arguments(self) -> None:
        """Several calls are an array for each parameter."""
        found = statement("select :a, :b", "a", "b")
        self.assertEqual(found.several([(1, "x"), (2, None)]), ('{"1","2"}', '{"x",NULL}'))

    def test_rows(self) -> None:
        """Each call gets its own rows, without the number before them."""
        found = parted([(2, "x"), (1, "y"), (2, "z")], 3)
        self.assertEqual(found, [[("y",)], [("x",), ("z",)], []])
