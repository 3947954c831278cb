"""A statement of the database in the account of a request, where a test has no connection."""

from contentsvc.framework.core.request_timing import RequestTiming


def ran(timing: RequestTiming | None, sql: str, seconds: float) -> None:
    """Note a statement, as a connection does."""
    assert timing is not None
    timing.database += seconds
    timing.statements += 1
    if seconds > timing.slowest:
        timing.slowest, timing.sql = seconds, sql
