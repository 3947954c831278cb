"""How the embedded Postgres fails."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import psutil


class EmbeddedError(Exception):
    """The embedded Postgres did not start or stop. The message is one line with the reason."""

    def __init__(self, reason: object) -> None:
        super().__init__(" ".join(str(reason).split()))


@contextmanager
def one_line() -> Iterator[None]:
    """Raise what the system refuses as `EmbeddedError`."""
    try:
        yield
    except (OSError, KeyError, subprocess.SubprocessError, psutil.Error) as error:
        raise EmbeddedError(error) from error
