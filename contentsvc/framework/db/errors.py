"""The errors of a statement, whatever the driver calls them."""

from typing import Literal

Cause = Literal["pool", "lock", "time-out", "outage", "disk", "searches", "memory", "restoring"]
"""Why the database cannot serve, in the word that the log uses.

pool: no connection is free, here or at the server. lock: somebody else has held a lock for too
long. time-out: the statement took too long. outage: the database gives no answer, or a broken one.
disk, memory: the server has none left. searches: too many searches run at once. restoring: the
database is being restored, or lacks what a restore has not made yet.
"""


class Unavailable(Exception):
    """The database does not answer, or every connection is busy. Trying again may help."""

    def __init__(self, reason: str, cause: Cause = "outage") -> None:
        super().__init__(reason)
        self.cause: Cause = cause


class Refused(Exception):
    """A constraint refused a write; `constraint` is its name."""

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        self.constraint = constraint


class BadValue(Exception):
    """A value that Postgres cannot store."""
