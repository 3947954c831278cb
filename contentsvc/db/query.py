"""SQL as text beside a typed signature.

A decorator says how many rows a statement gives::

    @maybe("select id, username from users where id = :user")
    async def info(db: Db, user: str) -> UserInfo | None: ...

`:name` is the function's own parameter. A connection PREPAREs a statement when it first runs it,
in the same message, and runs it by EXECUTE from then on.

A read that is asked for often says `together=True` and the type of each parameter
(`:user::uuid`): then there is a second form of it, which answers several calls at once. A write
says its second form itself, as `together`: the parameters are lists in it, and the first column
of what it gives, if it gives anything, is the number of the call, from 1.

Each statement is in a lane (see contentsvc.db.lanes): that of its module's reads, or of its
module's writes and locks, unless it says another.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Sequence
from types import UnionType
from typing import (
    Any,
    Concatenate,
    NamedTuple,
    ParamSpec,
    Protocol,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from msgspec import Struct, structs

Row = tuple[Any, ...]
P = ParamSpec("P")
T = TypeVar("T")

_PLACEHOLDER = re.compile(r"(?<![:\w]):([a-z_][a-z0-9_]*)")
_WRITES = re.compile(r"\b(insert|update|delete|share)\b", re.IGNORECASE)
_TYPED = re.compile(_PLACEHOLDER.pattern + r"::([a-z0-9]+)\b(?!\[)")


class Column(NamedTuple):
    """What is used of a cursor's description."""

    name: str


class Statement:
    """One prepared statement: its SQL, the PREPARE with it, and the EXECUTE that runs it.

    `together` is the one that answers several calls of this at once, if there is one: its
    arguments are lists, and the first column of a row is the number of its call, from 1. `writes`
    says whether it writes or takes locks.
    """

    together: "Statement | None" = None

    def __init__(
        self,
        name: str,
        sql: str,
        parameters: Sequence[str],
        lists: Sequence[bool],
        lane: str | None = None,
    ) -> None:
        numbers = {parameter: f"${n}" for n, parameter in enumerate(parameters, 1)}
        self.name = name
        self.sql = _PLACEHOLDER.sub(lambda match: numbers[match[1]], sql).strip()
        self.parameters = tuple(parameters)
        self.writes = _WRITES.search(sql) is not None
        family = name.partition("_")[0]
        self.lane = lane or f"{family} {'writes' if self.writes else 'reads'}"
        # The arguments of EXECUTE are put into both.
        self.prepare = f"PREPARE {name} AS {self.sql.replace('%', '%%')};"
        marks = ", ".join(["%s"] * len(parameters))
        self.execute = f"EXECUTE {name}({marks})" if parameters else f"EXECUTE {name}"
        self._lists = tuple(n for n, is_list in enumerate(lists) if is_list)
        self._fields: tuple[str, ...] | None = None
        unused = set(parameters) - set(_PLACEHOLDER.findall(sql))
        if unused:
            raise TypeError(f"{name} does not use {sorted(unused)}")

    def arguments(self, args: Row, kwargs: dict[str, Any]) -> Row:
        """The arguments in the order of the parameters, lists as array literals.

        A list that psycopg2 writes as ARRAY['…'] is a text[], which is no uuid[]; the
        literal takes the parameter's own type.
        """
        if kwargs:
            rest = self.parameters[len(args) :]
            args = (*args, *(kwargs[name] for name in rest))
        if self._lists:
            values = list(args)
            for n in self._lists:
                values[n] = array_literal(values[n])
            args = tuple(values)
        return args

    def expect(self, fields: tuple[str, ...]) -> None:
        """Have the first result's columns compared with the row type's fields."""
        self._fields = fields

    def check(self, description: Sequence[Column]) -> None:
        """Compare once what the statement gives with what its row type takes.

        Raises TypeError: the statement and its signature disagree.
        """
        if self._fields is not None:
            names = tuple(column.name for column in description)
            if names != self._fields:
                raise TypeError(f"{self.name} gives {names}, its row type has {self._fields}")
            self._fields = None


class Db(Protocol):
    """What a statement runs on: the Database (each commits by itself) or a Transaction."""

    async def run(self, statement: Statement, args: Row) -> list[Row]:
        """Run one statement and give all its rows."""

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call when what ran before has been committed; never if it was rolled back."""


STATEMENTS: dict[str, Statement] = {}


def array_literal(values: Sequence[object] | None) -> str | None:
    """A Postgres array literal of strings, numbers and None."""
    if values is None:
        return None
    parts = []
    for value in values:
        if value is None:
            parts.append("NULL")
        else:
            text = str(value).replace("\\", "\\\\").replace('"', '\\"')
            parts.append(f'"{text}"')
    return "{" + ",".join(parts) + "}"


Function = Callable[Concatenate[Db, P], Awaitable[T]]


def _several(statement: Statement, sql: str) -> str:
    """A read's second form. Raises TypeError: a parameter has no type."""
    types = dict(_TYPED.findall(sql))
    parameters = statement.parameters
    untyped = [parameter for parameter in parameters if parameter not in types]
    if untyped or not parameters:
        raise TypeError(f"{statement.name} does not say the types of {untyped}")
    # As (select …), since the planner then cannot see how long they are. It would make a plan for
    # each length, at each call, which often takes longer than to run it.
    lists = ", ".join(f"(select :{parameter}::{types[parameter]}[])" for parameter in parameters)
    columns = ", ".join(f'"{parameter}"' for parameter in parameters)
    one = _PLACEHOLDER.sub(r'call."\1"', sql)
    # The rows of a call come in the order that its own `order by` says.
    return f"""
        select call.n, answer.*
        from unnest({lists})
        with ordinality as call ({columns}, n)
        cross join lateral ({one}) answer
    """  # noqa: S608


def _statement(
    sql: str,
    function: Callable[..., Any],
    together: str | bool = False,
    lane: str | None = None,
) -> tuple[Statement, Any]:
    module = function.__module__.rpartition(".")[2]
    name = f"{module}_{function.__name__}"
    hints = get_type_hints(function)
    parameters = list(inspect.signature(function).parameters)[1:]
    lists = [_is_list(hints[parameter]) for parameter in parameters]
    if name in STATEMENTS:
        raise TypeError(f"there are two statements {name}")
    statement = STATEMENTS[name] = Statement(name, sql, parameters, lists, lane)
    if together:
        several = _several(statement, sql) if together is True else str(together)
        statement.together = STATEMENTS[f"{name}_together"] = Statement(
            f"{name}_together", several, parameters, [True] * len(parameters), statement.lane
        )
    return statement, hints["return"]


def _is_list(hint: Any) -> bool:
    if isinstance(hint, UnionType):
        return any(_is_list(part) for part in get_args(hint))
    return get_origin(hint) in {list, Sequence}


def _builder(statement: Statement, row_type: Any) -> Callable[[Row], Any]:
    if isinstance(row_type, type) and issubclass(row_type, Struct):
        statement.expect(tuple(field.name for field in structs.fields(row_type)))
        return lambda row: row_type(*row)
    if hasattr(row_type, "_make"):
        statement.expect(row_type._fields)
        make: Callable[[Row], Any] = row_type._make
        return make
    return lambda row: row[0]


def _without_none(hint: Any) -> Any:
    parts = [part for part in get_args(hint) if part is not type(None)]
    return parts[0] if isinstance(hint, UnionType) and len(parts) == 1 else hint


def one(
    sql: str, *, together: str | bool = False, lane: str | None = None
) -> Callable[[Function[P, T]], Function[P, T]]:
    """The statement gives exactly one row, in every case."""

    def decorate(function: Function[P, T]) -> Function[P, T]:
        statement, returns = _statement(sql, function, together, lane)
        build = _builder(statement, returns)

        async def run(db: Db, *args: Any, **kwargs: Any) -> Any:
            (row,) = await db.run(statement, statement.arguments(args, kwargs))
            return build(row)

        return _dressed(run, function)

    return decorate


def maybe(
    sql: str, *, together: str | bool = False, lane: str | None = None
) -> Callable[[Function[P, T]], Function[P, T]]:
    """The statement gives one row or none; none is None."""

    def decorate(function: Function[P, T]) -> Function[P, T]:
        statement, returns = _statement(sql, function, together, lane)
        build = _builder(statement, _without_none(returns))

        async def run(db: Db, *args: Any, **kwargs: Any) -> Any:
            rows = await db.run(statement, statement.arguments(args, kwargs))
            return build(rows[0]) if rows else None

        return _dressed(run, function)

    return decorate


def many(
    sql: str, *, together: str | bool = False, lane: str | None = None
) -> Callable[[Function[P, T]], Function[P, T]]:
    """The statement gives any number of rows."""

    def decorate(function: Function[P, T]) -> Function[P, T]:
        statement, returns = _statement(sql, function, together, lane)
        build = _builder(statement, get_args(returns)[0])

        async def run(db: Db, *args: Any, **kwargs: Any) -> Any:
            rows = await db.run(statement, statement.arguments(args, kwargs))
            return [build(row) for row in rows]

        return _dressed(run, function)

    return decorate


def none(
    sql: str, *, together: str | bool = False, lane: str | None = None
) -> Callable[[Function[P, None]], Function[P, None]]:
    """The statement gives no rows."""

    def decorate(function: Function[P, None]) -> Function[P, None]:
        statement, _ = _statement(sql, function, together, lane)

        async def run(db: Db, *args: Any, **kwargs: Any) -> None:
            await db.run(statement, statement.arguments(args, kwargs))

        return _dressed(run, function)

    return decorate


def _dressed(run: Any, function: Function[P, T]) -> Function[P, T]:
    for attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(run, attribute, getattr(function, attribute))
    dressed: Function[P, T] = run
    return dressed
