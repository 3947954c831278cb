"""How a command fails."""


class CommandError(Exception):
    """The command failed. `str()` is one line with the reason."""
