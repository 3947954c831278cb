"""Statements that answer several calls: the forms of reads and of writes."""

from contentsvc.framework.db.query import Db
from contentsvc.framework.db.statement import Batch, Column, parted
from tests.framework.db.test_query import Pair, QueryCase


class TogetherTests(QueryCase):
    def test_form(self) -> None:
        """The form for several calls takes lists, and numbers the rows by call."""

        @self.declared.many("select c from t where a = :a::uuid and b > :b::bigint", together=True)
        async def f(db: Db, a: str, b: int | None) -> list[int]: ...

        alone, several = self.declared.values()
        self.assertIs(alone.together, several)
        self.assertEqual(several.execute, "EXECUTE test_query_several_f_together(%s, %s)")
        expected = """
            select call.n, answer.*
            from unnest((select $1::uuid[]), (select $2::bigint[]))
            with ordinality as call ("a", "b", n)
            cross join lateral (select c from t where a = call."a"::uuid
            and b > call."b"::bigint) answer
        """
        self.assertEqual(" ".join(several.sql.split()), " ".join(expected.split()))

    def test_untyped(self) -> None:
        """It needs the type of each parameter, which is no list."""

        def declare() -> None:
            @self.declared.many("select :a::uuid, :b, :c::uuid[]", together=True)
            async def f(db: Db, a: str, b: int, c: list[str]) -> list[str]: ...

        self.assertIn("['b', 'c']", str(self.assertRaises(TypeError, declare)))


class BatchTests(QueryCase):
    def test_form(self) -> None:
        """A statement with a batch takes the arguments of its calls as arrays."""

        @self.declared.none("select unnest(:a::text[]), :b::int[]", batch=Batch(("b",)))
        async def f(db: Db, a: str | None, b: int) -> None: ...

        statement = self.only()
        self.assertEqual(statement.batch, Batch(("b",)))
        self.assertEqual(statement.several([("x", 1), (None, 2)]), ('{"x",NULL}', '{"1","2"}'))

    def test_columns(self) -> None:
        """Its rows begin with the number of their call."""

        @self.declared.many("select 1 from t where :a", batch=Batch(("a",)))
        async def f(db: Db, a: bool) -> list[Pair]: ...

        self.only().check([Column(name) for name in "nab"])

    def test_columns_without(self) -> None:
        """Rows without it are a TypeError."""

        @self.declared.many("select 1 from t where :a", batch=Batch(("a",)))
        async def f(db: Db, a: bool) -> list[Pair]: ...

        columns = [Column(name) for name in "ab"]
        self.assertRaises(TypeError, self.only().check, columns)

    def test_lone(self) -> None:
        """It may have another form for one call, which takes that call's arguments, has the same
        columns and belongs to the same lane."""

        @self.declared.many(
            "update t set b = :b where :a", batch=Batch(("a",)), lone="select f(:b, :a)"
        )
        async def f(db: Db, a: bool, b: str) -> list[Pair]: ...

        statement, lone = self.declared.values()
        self.assertEqual(statement.batched([(True, "x")]), (lone, (True, "x")))
        two = [(True, "x"), (False, "y")]
        self.assertEqual(statement.batched(two), (statement, statement.several(two)))
        self.assertEqual(lone.sql, "select f($2, $1)")
        self.assertEqual(lone.lane, statement.lane)
        lone.check([Column(name) for name in "nab"])

    def test_lone_columns(self) -> None:
        """Rows without the number of their call are a TypeError there, too."""

        @self.declared.many("select :a", batch=Batch(("a",)), lone="select :a")
        async def f(db: Db, a: bool) -> list[Pair]: ...

        _, lone = self.declared.values()
        self.assertRaises(TypeError, lone.check, [Column(name) for name in "ab"])

    def test_lone_without(self) -> None:
        """A form for one call needs a batch."""

        def declare() -> None:
            @self.declared.none("select :a", lone="select :a")
            async def f(db: Db, a: str) -> None: ...

        self.assertRaises(TypeError, declare)

    def test_first(self) -> None:
        """The statement before it takes arrays of the same calls."""

        @self.declared.none("select :a, :b", batch=Batch(("a",)), first="select :b")
        async def f(db: Db, a: str, b: int) -> None: ...

        _, statement = self.declared.values()
        calls = [statement.arguments(("x",), {"b": 1}), statement.arguments(("y", 2), {})]
        self.assertEqual(calls, [("x", 1), ("y", 2)])
        arrays = '{"1","2"}', '{"x","y"}', '{"1","2"}'
        self.assertEqual(statement.batched(calls), (statement, arrays))

    def test_first_alone(self) -> None:
        """A form for one call has no statement before it."""

        def declare() -> None:
            @self.declared.none(
                "select :a", batch=Batch(("a",)), lone="select :a", first="select :a"
            )
            async def f(db: Db, a: str) -> None: ...

        self.assertRaises(TypeError, declare)

    def test_unknown(self) -> None:
        """A batch by what is no parameter fails at import."""

        def declare() -> None:
            @self.declared.none("select :a", batch=Batch(("b",)))
            async def f(db: Db, a: str) -> None: ...

        self.assertRaises(TypeError, declare)

    def test_lists(self) -> None:
        """So does one of calls that have lists."""

        def declare() -> None:
            @self.declared.none("select :a", batch=Batch(("a",)))
            async def f(db: Db, a: list[str]) -> None: ...

        self.assertRaises(TypeError, declare)

    def test_parted(self) -> None:
        """Each call gets its own rows, without their number."""
        rows = [(3, "x"), (1, "y"), (3, "z")]
        self.assertEqual(parted(rows, 3), [[("y",)], [], [("x",), ("z",)]])
