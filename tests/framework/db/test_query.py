"""Statements: text beside a typed signature."""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct
from twisted.internet.defer import Deferred
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.framework.db.query import Db, Statements
from contentsvc.framework.db.statement import Column, Statement


class Pair(NamedTuple):
    a: int
    b: str


class Box(Struct):
    a: int


class Point(Struct):
    x: int | None
    y: int | None


class Placed(NamedTuple):
    place: int
    point: Point


class Segment(Struct):
    name: str
    begin: Point
    end: Point


class Marker(Struct):
    point: Point


T = TypeVar("T")


class Ranked(NamedTuple, Generic[T]):
    rank: int
    item: T


class Perhaps(NamedTuple):
    total: int
    point: Point | None


class FakeDb:
    """Gives the rows it is told to, with their columns, as the database does."""

    def __init__(self, columns: Sequence[str], rows: list[tuple[Any, ...]]) -> None:
        self._columns = [Column(name) for name in columns]
        self._rows = rows
        self.ran: list[tuple[str, tuple[object, ...]]] = []

    async def run(self, statement: Statement, args: tuple[object, ...]) -> list[tuple[Any, ...]]:
        self.ran.append((statement.execute, args))
        statement.check(self._columns)
        return self._rows

    def after_commit(self, callback: Callable[[], None]) -> None:
        callback()


class QueryCase(SynchronousTestCase):
    def setUp(self) -> None:
        self.declared = Statements()

    def only(self) -> Statement:
        """The one statement that was declared."""
        (statement,) = self.declared.values()
        return statement


class DeclarationTests(QueryCase):
    def test_twice(self) -> None:
        """Two statements of one name are an error."""

        def declare() -> None:
            @self.declared.none("select 1")
            async def f(db: Db) -> None: ...

        declare()
        self.assertIn("test_query_f", str(self.assertRaises(TypeError, declare)))

    def test_default(self) -> None:
        """A parameter with a default is an error: only what a call gives is sent."""

        def declare() -> None:
            @self.declared.none("select :n")
            async def f(db: Db, n: int = 0) -> None: ...

        self.assertIn("test_query_f", str(self.assertRaises(TypeError, declare)))

    def test_lane(self) -> None:
        """Its lane is that of the module's reads, or of its writes and locks, or its own."""

        @self.declared.none("select updated, :a::int from deleted", together=True)
        async def read(db: Db, a: int) -> None: ...

        @self.declared.none("with x as (insert into t values (1)) select 1")
        async def write(db: Db) -> None: ...

        @self.declared.none("select 1 from t for share")
        async def lock(db: Db) -> None: ...

        @self.declared.none("select 1", lane="searches")
        async def search(db: Db) -> None: ...

        found = {name: statement.lane for name, statement in self.declared.items()}
        self.assertEqual(
            found,
            {
                "test_query_read": "test reads",
                "test_query_read_together": "test reads",
                "test_query_write": "test writes",
                "test_query_lock": "test writes",
                "test_query_search": "searches",
            },
        )

    def test_lists(self) -> None:
        """A list is sent as an array, a list of Structs as JSON."""

        @self.declared.none("select :a, :b, :boxes")
        async def f(db: Db, a: int, b: list[str] | None, boxes: Sequence[Box]) -> None: ...

        db = FakeDb([], [])
        self.successResultOf(Deferred.fromCoroutine(f(db, 1, ["x"], [Box(1), Box(2)])))
        self.successResultOf(Deferred.fromCoroutine(f(db, 2, boxes=[], b=None)))
        expected = [(1, '{"x"}', '[{"a":1},{"a":2}]'), (2, None, "[]")]
        self.assertEqual([args for _, args in db.ran], expected)


class ResultTests(QueryCase):
    def rows(self, columns: Sequence[str], *rows: tuple[Any, ...]) -> FakeDb:
        """A database with these rows."""
        return FakeDb(columns, list(rows))

    def test_one(self) -> None:
        """`one` gives the row; more or fewer are an error that names the statement."""

        @self.declared.one("select 1")
        async def f(db: Db) -> Pair: ...

        found = f(self.rows("ab", (1, "x")))
        self.assertEqual(self.successResultOf(Deferred.fromCoroutine(found)), Pair(1, "x"))
        for rows in ([], [(1, "x"), (2, "y")]):
            act = Deferred.fromCoroutine(f(self.rows("ab", *rows)))
            error = self.failureResultOf(act, ValueError).getErrorMessage()
            self.assertEqual(error, f"test_query_f gives one row; {len(rows)} came")

    def test_maybe(self) -> None:
        """`maybe` gives the row or None; more are an error that names the statement."""

        @self.declared.maybe("select 1")
        async def f(db: Db) -> Box | None: ...

        found = f(self.rows("a", (1,)))
        self.assertEqual(self.successResultOf(Deferred.fromCoroutine(found)), Box(1))
        self.assertIsNone(self.successResultOf(Deferred.fromCoroutine(f(self.rows("a")))))
        surplus = Deferred.fromCoroutine(f(self.rows("a", (1,), (2,))))
        error = self.failureResultOf(surplus, ValueError).getErrorMessage()
        self.assertEqual(error, "test_query_f gives one row or none; 2 came")

    def test_many(self) -> None:
        """`many` gives a list of any length."""

        @self.declared.many("select 1")
        async def f(db: Db) -> list[Pair]: ...

        found = f(self.rows("ab", (1, "x"), (2, "y")))
        expected = [Pair(1, "x"), Pair(2, "y")]
        self.assertEqual(self.successResultOf(Deferred.fromCoroutine(found)), expected)
        self.assertEqual(self.successResultOf(Deferred.fromCoroutine(f(self.rows("ab")))), [])

    def test_scalar(self) -> None:
        """A scalar is the first column, whatever it is called."""

        @self.declared.many("select 1")
        async def f(db: Db) -> list[int]: ...

        found = f(self.rows("x", (1,), (2,)))
        self.assertEqual(self.successResultOf(Deferred.fromCoroutine(found)), [1, 2])

    def test_none(self) -> None:
        """`none` gives nothing."""

        @self.declared.none("select 1")
        async def f(db: Db) -> None: ...

        self.assertIsNone(self.successResultOf(Deferred.fromCoroutine(f(self.rows("")))))

    def test_found(self) -> None:
        """`found` is whether a row came, whatever is in it."""

        @self.declared.found("select 1")
        async def f(db: Db) -> bool: ...

        for rows, expected in (([], False), ([()], True), ([(None,)], True), ([(1,), (2,)], True)):
            found = Deferred.fromCoroutine(f(self.rows("", *rows)))
            self.assertIs(self.successResultOf(found), expected)

    def test_wrong_answer(self) -> None:
        """The signature must say the result of `none` and `found`, or the import fails."""

        def nothing() -> None:
            @self.declared.none("select 1")
            async def f(db: Db) -> int: ...

        def flag() -> None:
            @self.declared.found("select 1")
            async def g(db: Db) -> bool | None: ...

        for declare in (nothing, flag):
            self.assertRaises(TypeError, declare)

    def test_struct_at_the_end(self) -> None:
        """The last columns fill the Struct that a NamedTuple ends in."""

        @self.declared.many("select 1")
        async def f(db: Db) -> list[Placed]: ...

        found = f(self.rows(("place", "x", "y"), (7, 1, 2), (8, None, 3)))
        self.assertEqual(
            self.successResultOf(Deferred.fromCoroutine(found)),
            [Placed(7, Point(1, 2)), Placed(8, Point(None, 3))],
        )

    def test_no_struct_at_the_end(self) -> None:
        """One that may be None is, where its first column is NULL."""

        @self.declared.maybe("select 1")
        async def f(db: Db) -> Perhaps | None: ...

        for row, expected in (((3, 1, 2), Point(1, 2)), ((3, None, None), None)):
            found = f(self.rows(("total", "x", "y"), row))
            answer = self.successResultOf(Deferred.fromCoroutine(found))
            self.assertEqual(answer, Perhaps(3, expected))

    def test_structs_in_struct(self) -> None:
        """Structs in a Struct have their columns in their place; a generic row has its parameter at
        its end."""

        @self.declared.many("select 1")
        async def f(db: Db) -> list[Ranked[Segment]]: ...

        found = f(self.rows(("rank", "name", "x", "y", "x", "y"), (7, "a", 1, 2, 3, None)))
        self.assertEqual(
            self.successResultOf(Deferred.fromCoroutine(found)),
            [Ranked(7, Segment("a", Point(1, 2), Point(3, None)))],
        )

    def test_struct_alone_in_struct(self) -> None:
        """It may be the only field."""

        @self.declared.one("select 1")
        async def f(db: Db) -> Marker: ...

        found = Deferred.fromCoroutine(f(self.rows(("x", "y"), (1, 2))))
        self.assertEqual(self.successResultOf(found), Marker(Point(1, 2)))

    def test_columns_of_struct_at_the_end(self) -> None:
        """Its columns are compared with its fields, too."""
        for columns in (("place", "y", "x"), ("place", "x"), ("place", "point")):

            @Statements().many("select 1")
            async def f(db: Db) -> list[Placed]: ...

            found = Deferred.fromCoroutine(f(self.rows(columns, tuple(range(len(columns))))))
            self.failureResultOf(found, TypeError)

    def test_columns(self) -> None:
        """Columns of other names, number or order than the row type's are a TypeError."""
        for n, columns in enumerate(("ba", "a", "abc", "ax")):

            @Statements().many("select 1")
            async def f(db: Db) -> list[Pair]: ...

            row = tuple(range(len(columns)))
            found = Deferred.fromCoroutine(f(self.rows(columns, row)))
            self.assertIn(
                "test_query_f", self.failureResultOf(found, TypeError).getErrorMessage(), n
            )

    def test_function(self) -> None:
        """The decorated function keeps its name and its words."""

        @self.declared.one("select 1")
        async def f(db: Db) -> int:
            """Gives one."""

        self.assertEqual((f.__name__, f.__doc__), ("f", "Gives one."))
