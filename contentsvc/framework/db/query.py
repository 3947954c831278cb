"""SQL as text beside a typed signature.

A decorator says how many rows a statement gives: `one`, `maybe` one, `many`, `none`. `found` says
only whether a row came::

    @maybe("select id, username from users where id = :user")
    async def info(db: Db, user: str) -> UserInfo | None: ...

`:name` is a parameter of the function. A list is sent as an array, a Struct as the JSON of an
object, a list of Structs as that of an array of objects, for json_to_recordset. When a connection
first runs a statement, it sends PREPARE in the same message. After that it sends only EXECUTE.

A row is a scalar, a Struct, a NamedTuple, or a NamedTuple that ends in a Struct. The last columns
fill that Struct; if it may be None, it is None where its first column is NULL. The columns have the
names of the fields, in their order; a Struct in a Struct has its columns in the place of its name.

A read that is asked for often says `together=True` and the type of each parameter (`:user::uuid`).
It then has a second form, which answers several calls at once. A write that is asked for often has
a `batch` and one form, over arrays: each parameter of the SQL is the array of the calls' values.
The first column of each row is `n`, the number of the row's call, from 1. A lone call is an array
of one. Where calls often come alone and a function of the database does the same for one, `lone`
is the SQL that calls it, with the same columns; its parameters are the call's values.

A statement sees what was committed before it began, not what others commit while it waits for their
locks. If it must, `first` is SQL that takes the locks. It goes in the same message, and in the same
transaction. Beside a `batch` its parameters are arrays too.

A read that costs milliseconds says `replica=True`: it is made on the replica, if there is one that
is fresh enough (see framework.db.replica). It has no second form.

A read that may take long for some arguments says after how many `seconds` it ends: then it raises
Unavailable with the cause "time-out", and its caller answers by less.

A statement has the `name` of its function, or another. It belongs to a lane (see
framework.db.connection_bulkhead): the lane of its module's reads, or of its module's writes and
locks, unless it names another.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from functools import cache, partial
from operator import itemgetter
from types import UnionType
from typing import (
    Any,
    Concatenate,
    ParamSpec,
    Protocol,
    TypedDict,
    TypeVar,
    Unpack,
    get_args,
    get_origin,
    get_type_hints,
)

from msgspec import Meta, Struct, structs

from contentsvc.framework.db.statement import PLACEHOLDER, Batch, Row, Statement

P = ParamSpec("P")
T = TypeVar("T")

_TYPED = re.compile(PLACEHOLDER.pattern + r"::([a-z0-9]+)\b(?!\[)")


class Db(Protocol):
    """Runs statements: the Database, where each commits by itself, or a Transaction."""

    async def run(self, statement: Statement, args: Row) -> list[Row]:
        """Run one statement and give all its rows."""

    def after_commit(self, callback: Callable[[], None]) -> None:
        """Call `callback` when the statements before have been committed; never if they were rolled
        back."""


Function = Callable[Concatenate[Db, P], Awaitable[T]]
MakeResult = Callable[[list[Row]], Any]
"""Makes the function's result from the rows."""


class Options(TypedDict, total=False):
    """What a decorator may be told: see the module's docstring."""

    together: bool
    batch: Batch
    lone: str
    first: str
    lane: str
    replica: bool
    seconds: float
    name: str


class Decorator(Protocol):
    """Turns a function into the statement that it declares."""

    def __call__(
        self, sql: str, **options: Unpack[Options]
    ) -> Callable[[Function[P, T]], Function[P, T]]:
        """See the module's docstring. Raises TypeError if SQL and signature disagree."""


def _several(statement: Statement, sql: str) -> str:
    """A read's second form. Raises TypeError: a parameter has no type."""
    types = dict(_TYPED.findall(sql))
    parameters = statement.parameters
    untyped = [parameter for parameter in parameters if parameter not in types]
    if untyped or not parameters:
        raise TypeError(f"{statement.name} does not say the types of {untyped}")
    # As (select …), so that the planner cannot see how long they are. Otherwise it would make a
    # plan for each length at each call, and that often takes longer than to run it.
    lists = ", ".join(f"(select :{parameter}::{types[parameter]}[])" for parameter in parameters)
    columns = ", ".join(f'"{parameter}"' for parameter in parameters)
    one = PLACEHOLDER.sub(r'call."\1"', sql)
    # The rows of a call come in the order that its own `order by` says.
    return f"""
        select call.n, answer.*
        from unnest({lists})
        with ordinality as call ({columns}, n)
        cross join lateral ({one}) answer
    """  # noqa: S608


def _is_list(hint: Any) -> bool:
    if isinstance(hint, UnionType):
        return any(_is_list(part) for part in get_args(hint))
    return get_origin(hint) in {list, Sequence}


def _is_records(hint: Any) -> bool:
    return _is_struct(hint) or (_is_list(hint) and any(map(_is_struct, get_args(hint))))


def _row_of(statement: Statement, row_type: Any) -> Callable[[Row], Any]:
    """The function that makes a row from a tuple. A scalar is the first column."""
    columns, make = _maker(row_type)
    if columns:
        statement.expect(columns)
    return make


@cache
def _maker(row_type: Any) -> tuple[tuple[str, ...], Callable[[Row], Any]]:
    """The columns of a type of rows, none of a scalar, and what makes a row."""
    # A generic one, such as Numbered[Message], has its parameter at its end.
    of = get_origin(row_type) or row_type
    if not (_is_struct(row_type) or hasattr(of, "_make")):
        return (), itemgetter(0)
    columns: list[str] = []
    if _is_struct(row_type):
        made = _struct_maker(row_type, columns)
        return tuple(columns), made
    own: tuple[str, ...] = of._fields
    last = get_args(row_type)[0] if get_args(row_type) else get_type_hints(of)[own[-1]]
    end = _without_none(last)
    # The columns have been checked, so nothing needs to count them again.
    make = partial(tuple.__new__, of)
    if not _is_struct(end):
        return own, make
    columns += own[:-1]
    place, optional = len(columns), end is not last
    rest = _struct_maker(end, columns)

    def make_row(row: Row) -> Any:
        return make((*row[:place], None if optional and row[place] is None else rest(row)))

    return tuple(columns), make_row


def _is_struct(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, Struct)


def _struct_maker(struct: type[Struct], columns: list[str]) -> Callable[[Row], Any]:
    """What makes a Struct of the next columns of a row, which are added to the `columns`."""
    begin = len(columns)
    places: list[int] = []
    inner: list[Callable[[Row], Any]] = []
    hints, marked = get_type_hints(struct), get_type_hints(struct, include_extras=True)
    for field in structs.fields(struct):
        if _is_added(marked[field.name]):
            continue
        if _is_struct(hints[field.name]):
            inner.append(_struct_maker(hints[field.name], columns))
            places.append(-len(inner))
        else:
            places.append(len(columns))
            columns.append(field.name)
    end = len(columns)
    if not inner:
        return lambda row: struct(*row[begin:end])
    if len(places) == 1:
        only = inner[0]
        return lambda row: struct(only(row))
    # The Structs in it stand behind the columns, the last first.
    inner.reverse()
    pick = itemgetter(*places)
    return lambda row: struct(*pick((*row, *[make(row) for make in inner])))


def _is_added(hint: Any) -> bool:
    marks = getattr(hint, "__metadata__", ())
    return any(isinstance(mark, Meta) and "added" in (mark.extra or {}) for mark in marks)


def _without_none(hint: Any) -> Any:
    parts = [part for part in get_args(hint) if part is not type(None)]
    return parts[0] if isinstance(hint, UnionType) and len(parts) == 1 else hint


def _one(statement: Statement, returns: Any) -> MakeResult:
    build = _row_of(statement, returns)

    def answer(rows: list[Row]) -> Any:
        if len(rows) != 1:
            raise ValueError(f"{statement.name} gives one row; {len(rows)} came")
        return build(rows[0])

    return answer


def _maybe(statement: Statement, returns: Any) -> MakeResult:
    build = _row_of(statement, _without_none(returns))

    def answer(rows: list[Row]) -> Any:
        if not rows:
            return None
        if len(rows) > 1:
            raise ValueError(f"{statement.name} gives one row or none; {len(rows)} came")
        return build(rows[0])

    return answer


def _many(statement: Statement, returns: Any) -> MakeResult:
    build = _row_of(statement, get_args(returns)[0])
    return lambda rows: list(map(build, rows))


def _none(statement: Statement, returns: Any) -> MakeResult:
    if returns is not None:
        raise TypeError(f"{statement.name} gives nothing, not {returns}")
    return lambda rows: None


def _found(statement: Statement, returns: Any) -> MakeResult:
    if returns is not bool:
        raise TypeError(f"{statement.name} gives a bool, not {returns}")
    return bool


class Statements(dict[str, Statement]):
    """Statements by name, and the decorators that declare one more."""

    def __init__(self) -> None:
        super().__init__()
        self.one = self._decorator(_one)
        """Exactly one row comes, in every case."""
        self.maybe = self._decorator(_maybe)
        """One row comes, or none, which is None."""
        self.many = self._decorator(_many)
        """Any number of rows comes."""
        self.none = self._decorator(_none)
        """The rows, if any, do not matter."""
        self.found = self._decorator(_found)
        """Whether any row comes."""

    def _decorator(self, cardinality: Callable[[Statement, Any], MakeResult]) -> Decorator:
        def declare(
            sql: str, **options: Unpack[Options]
        ) -> Callable[[Function[P, T]], Function[P, T]]:
            def decorate(function: Function[P, T]) -> Function[P, T]:
                statement, returns = self._declared(sql, function, **options)
                answer = cardinality(statement, returns)

                async def run(db: Db, *args: Any, **kwargs: Any) -> Any:
                    return answer(await db.run(statement, statement.arguments(args, kwargs)))

                return _dressed(run, function)

            return decorate

        return declare

    def _declared(
        self,
        sql: str,
        function: Callable[..., Any],
        *,
        together: bool = False,
        batch: Batch | None = None,
        lone: str | None = None,
        first: str | None = None,
        lane: str | None = None,
        replica: bool = False,
        seconds: float | None = None,
        name: str = "",
    ) -> tuple[Statement, Any]:
        module = function.__module__.rpartition(".")[2]
        name = f"{module}_{name or function.__name__}"
        # What get_type_hints and inspect.signature do would be half of this work, for which the
        # start waits.
        hints = function.__annotations__
        code = function.__code__
        parameters = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
        records = [_is_records(hints[parameter]) for parameter in parameters]
        lists = [
            _is_list(hints[parameter]) and not is_records
            for parameter, is_records in zip(parameters, records, strict=True)
        ]
        if name in self:
            raise TypeError(f"there are two statements {name}")
        if function.__defaults__ or function.__kwdefaults__:
            raise TypeError(f"{name} cannot have defaults")
        if (replica or seconds) and (together or batch is not None):
            raise TypeError(
                f"{name} cannot go with others, and to a replica or for so many seconds"
            )
        if first is not None and (together or replica or seconds or lone is not None):
            raise TypeError(f"{name} cannot have a statement before it")
        statement = self[name] = Statement(
            *(name, sql, parameters, lists, lane),
            records=records,
            replica=replica,
            seconds=seconds,
            first=None if first is None else self._first(f"{name}_first", first, parameters),
        )
        if batch is not None:
            if any(lists) or any(records) or not {*batch.row, *batch.once} <= set(parameters):
                raise TypeError(f"{name} cannot have this batch")
            statement.batch = batch
        if lone is not None:
            if batch is None:
                raise TypeError(f"{name} cannot have a form for one call")
            statement.lone = self[f"{name}_lone"] = Statement(
                f"{name}_lone", lone, parameters, lists, statement.lane
            )
        if together:
            several = _several(statement, sql)
            statement.together = self[f"{name}_together"] = Statement(
                f"{name}_together", several, parameters, [True] * len(parameters), statement.lane
            )
        return statement, hints["return"]

    def _first(self, name: str, sql: str, parameters: Sequence[str]) -> Statement:
        named = [name for name in parameters if name in PLACEHOLDER.findall(sql)]
        first = self[name] = Statement(name, sql, named)
        return first


def _dressed(run: Any, function: Function[P, T]) -> Function[P, T]:
    for attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(run, attribute, getattr(function, attribute))
    dressed: Function[P, T] = run
    return dressed


STATEMENTS = Statements()
"""The statements of the service."""
one, maybe, many = STATEMENTS.one, STATEMENTS.maybe, STATEMENTS.many
none, found = STATEMENTS.none, STATEMENTS.found
