"""What a statement fails with, whatever the driver calls it."""

from typing import Literal

Cause = Literal["pool", "lock", "time-out", "outage", "disk", "searches", "memory"]
"""Why the database cannot serve, in the word that the log has for it.

pool: no connection is free, here or at the server. lock: somebody else has held a lock for too
long. time-out: the statement took too long. outage: there is no answer, or none that a server in
order gives. disk, memory: the server has none left. searches: too many search at once."""


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
    """A value that Postgres cannot hold."""
