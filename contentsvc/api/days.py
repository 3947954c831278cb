"""Days of UTC in queries."""

from datetime import date
from typing import Final

from contentsvc.framework.http.errors import at_parameter

MOST: Final = 366
"""Days in one answer."""


def asked_day(parameter: str, text: str) -> date:
    """Raises InvalidQuery: there is no such day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise at_parameter(parameter, "There is no such day.") from None


def check_days(first: date, last: date) -> None:
    """Raises InvalidQuery unless the first of the days is not after the last, and they are not too
    many."""
    if first > last:
        raise at_parameter("from", "This must not be after `to`.")
    if (last - first).days >= MOST:
        raise at_parameter("from", f"There may be at most {MOST} days.")


def asked_days(first: str, last: str) -> tuple[date, date]:
    """The first and the last day. Raises InvalidQuery."""
    days = asked_day("from", first), asked_day("to", last)
    check_days(*days)
    return days
