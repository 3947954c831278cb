"""What a statement fails with, whatever the driver calls it."""


class Unavailable(Exception):
    """The database does not answer, or every connection is busy. Trying again may help."""


class Refused(Exception):
    """A constraint refused a write; `constraint` is its name."""

    def __init__(self, constraint: str) -> None:
        super().__init__(constraint)
        self.constraint = constraint


class BadValue(Exception):
    """A value that Postgres cannot hold."""
