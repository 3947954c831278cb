"""What this process says of itself with each beat. `contentsvc status` shows it."""

import os
import socket
from collections.abc import Callable, Sequence
from uuid import uuid4

from contentsvc.framework.core import build
from contentsvc.framework.tasks.runner import Failing
from contentsvc.store.processes import Report


class ProcessReport:
    """This process. `sockets` and `users` give those connected, `failing` the jobs that fail: who
    has them sets them."""

    def __init__(self) -> None:
        self.id = str(uuid4())
        self.sockets: Callable[[], int] = lambda: 0
        self.users: Callable[[], int] = lambda: 0
        self.failing: Callable[[], Sequence[Failing]] = list
        self._host = socket.gethostname()
        self._version = build.name()

    @property
    def prefix(self) -> str:
        """What its requests are numbered with: a part of its id, by which who has an answer finds
        the process in the database."""
        return self.id[-12:]

    def report(self) -> Report:
        """How it is now."""
        return Report(
            self.id,
            self._host,
            os.getpid(),
            self._version,
            self.sockets(),
            self.users(),
            self.failing(),
        )
