"""A prepared statement: its SQL, its parameters, and the texts that its arguments are sent as."""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, json

Row = tuple[Any, ...]

# Both begin with a character, which `re` finds ten times as fast as what stands before it: each
# start looks through 800 statements.
PLACEHOLDER = re.compile(r":(?<![\w:]:)([a-z_][a-z0-9_]*)")
_WRITES = re.compile(r"[iuds](?<!\w[iuds])(?:nsert|pdate|elete|hare)\b")


class Column(NamedTuple):
    """The part of a cursor's description that is used here."""

    name: str


class Batch(NamedTuple):
    """How calls of a write share a statement.

    `row` names the parameters that identify the row for which a call contends. A process runs at
    most one statement with the same values at a time. One statement has at most one call with the
    same values of the parameters `once`; no parameters are no limit.
    """

    row: tuple[str, ...]
    once: tuple[str, ...] = ()


class Statement:
    """One prepared statement: its SQL, the PREPARE with it, and the EXECUTE that runs it.

    `together` is the statement that answers several calls of this one at once, if there is one. It
    has the form of a statement with a `batch`: its arguments are arrays, and the first column of a
    row is the number of its call. `writes` says whether the statement writes or takes locks.

    `lone` is the statement that serves one call of a write with a `batch`, if it is another one.
    Its arguments are the call's, and its rows are the same.

    A read with `replica` may be made on a replica (see framework.db.replica). One that may take
    only so many `seconds` ends after them, if it is in no transaction.

    `first` is a statement that runs before it, in the same message and the same transaction. Its
    parameters are some of these.
    """

    together: "Statement | None" = None
    batch: Batch | None = None
    lone: "Statement | None" = None

    def __init__(
        self,
        name: str,
        sql: str,
        parameters: Sequence[str] = (),
        lists: Sequence[bool] = (),
        lane: str | None = None,
        *,
        records: Sequence[bool] = (),
        replica: bool = False,
        seconds: float | None = None,
        first: "Statement | None" = None,
    ) -> None:
        numbers = {parameter: f"${n}" for n, parameter in enumerate(parameters, 1)}
        self.name = name
        self.sql = PLACEHOLDER.sub(lambda match: numbers[match[1]], sql).strip()
        self.parameters = tuple(parameters)
        self.writes = _WRITES.search(sql.lower()) is not None
        self.replica = replica
        self.seconds = seconds
        family = name.partition("_")[0]
        self.lane = lane or f"{family} {'writes' if self.writes else 'reads'}"
        # The arguments of EXECUTE are put into both.
        self.prepare = f"PREPARE {name} AS {self.sql.replace('%', '%%')};"
        marks = ", ".join(["%s"] * len(parameters))
        self.execute = f"EXECUTE {name}({marks})" if parameters else f"EXECUTE {name}"
        self._first: list[int] = []
        if first is not None:
            self._first = [self.parameters.index(parameter) for parameter in first.parameters]
            self.prepare += first.prepare
            self.execute = f"{first.execute};{self.execute}"
        self._texts: list[tuple[int, Callable[[Any], str | None]]] = []
        self._texts += [(n, array_literal) for n, is_list in enumerate(lists) if is_list]
        self._texts += [(n, json_text) for n, is_records in enumerate(records) if is_records]
        self._fields: tuple[str, ...] | None = None
        unused = set(parameters) - set(PLACEHOLDER.findall(sql))
        if unused:
            raise TypeError(f"{name} does not use {sorted(unused)}")
        if replica and self.writes:
            raise TypeError(f"{name} writes, which a replica cannot")

    def arguments(self, args: Row, kwargs: dict[str, Any]) -> Row:
        """The arguments in the order of the parameters, lists as array literals or JSON.

        A list that psycopg2 writes as ARRAY['…'] is a text[], which is no uuid[]; the
        literal takes the parameter's own type.
        """
        if kwargs:
            rest = self.parameters[len(args) :]
            args = (*args, *(kwargs[name] for name in rest))
        if self._texts:
            values = list(args)
            for n, text in self._texts:
                values[n] = text(values[n])
            args = tuple(values)
        return args if self.batch is not None else self._with_first(args)

    def several(self, calls: Sequence[Row]) -> Row:
        """The arguments of one run that answers all these calls."""
        return self._with_first(tuple(map(array_literal, zip(*calls, strict=True))))

    def _with_first(self, args: Row) -> Row:
        return (*(args[n] for n in self._first), *args) if self._first else args

    def batched(self, calls: Sequence[Row]) -> "tuple[Statement, Row]":
        """The statement that these calls of a write with a `batch` go as, and its arguments."""
        if self.lone is not None and len(calls) == 1:
            return self.lone, calls[0]
        return self, self.several(calls)

    def expect(self, fields: tuple[str, ...]) -> None:
        """Note that the columns of the first result must be compared with the fields of the row
        type."""
        self._fields = fields if self.batch is None else ("n", *fields)
        if self.lone is not None:
            self.lone._fields = self._fields

    def check(self, description: Sequence[Column]) -> None:
        """Compare the columns of the statement with the fields of its row type, once.

        Raises TypeError: the statement and its signature disagree.
        """
        if self._fields is not None:
            names = tuple(column.name for column in description)
            if names != self._fields:
                raise TypeError(f"{self.name} gives {names}, its row type has {self._fields}")
            self._fields = None


def parted(rows: Sequence[Row], calls: int) -> list[list[Row]]:
    """The rows of each call, without its number."""
    found: list[list[Row]] = [[] for _ in range(calls)]
    for row in rows:
        found[row[0] - 1].append(row[1:])
    return found


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


def json_text(records: Struct | Sequence[Struct]) -> str:
    """The JSON of a Struct, or of several."""
    return json.encode(records).decode()
