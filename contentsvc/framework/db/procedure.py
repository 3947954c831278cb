"""What a procedure answers that runs several calls, each in a transaction of its own.

Its one result is the text of a JSON array. A row is an array, whose first member is the number of
its call. The error of a call is an object, and comes last: the procedure does not try the calls
after it, because they might wait for locks as long. Other errors than those of `_error` fail the
statement itself, so that a connection that cannot be used any more is still found by them.
"""

from collections.abc import Sequence

from msgspec import Struct, json

from contentsvc.framework.db.errors import BadValue, Refused, Unavailable
from contentsvc.framework.db.statement import Row, parted

Outcome = list[Row] | Exception
"""The rows of a call, or what it fails with."""


class _Fault(Struct):
    """The error of the `n`th call. `code` is its SQLSTATE, `name` the constraint's."""

    n: int
    code: str
    name: str
    reason: str


_decoder = json.Decoder(list[list[object] | _Fault])


def unpacked(rows: Sequence[Row]) -> list[Row]:
    """The rows in the JSON. An error is a row of the number of its call and the exception."""
    ((text,),) = rows
    return [
        (each.n, _error(each)) if isinstance(each, _Fault) else tuple(each)
        for each in _decoder.decode(text)
    ]


def outcomes(rows: Sequence[Row], calls: int) -> list[Outcome]:
    """The outcomes of a statement's calls, without those that were not tried."""
    if rows and isinstance(rows[-1][-1], Exception):
        n, error = rows[-1]
        return [*parted(rows[:-1], n - 1), error]
    return [*parted(rows, calls)]


def alone(rows: Sequence[Row]) -> list[Row]:
    """The rows of a statement's only call. Raises its error."""
    (outcome,) = outcomes(rows, 1)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _error(fault: _Fault) -> Exception:
    """As if the call had been a statement: integrity_constraint_violation, data_exception,
    lock_not_available or deadlock_detected."""
    match fault.code[:2]:
        case "23":
            return Refused(fault.name)
        case "22":
            return BadValue(fault.reason)
    return Unavailable(fault.reason, "lock")
