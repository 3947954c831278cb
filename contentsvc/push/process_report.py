"""What this process reports of itself with each heartbeat. `contentsvc status` shows it."""

import os
import socket
from collections.abc import Callable, Sequence
from uuid import uuid4

from contentsvc.framework.core import build
from contentsvc.framework.tasks.runner import Failing
from contentsvc.store.processes import Report


class ProcessReport:
    """This process. `sockets` and `users` give how many are connected, `failing` the jobs that
    fail."""

    def __init__(
        self,
        sockets: Callable[[], int] = lambda: 0,
        users: Callable[[], int] = lambda: 0,
        failing: Callable[[], Sequence[Failing]] = list,
    ) -> None:
        self.id = str(uuid4())
        self._sockets = sockets
        self._users = users
        self._failing = failing
        self._host = socket.gethostname()
        self._version = build.name()

    @property
    def prefix(self) -> str:
        """The beginning of its request ids: a part of its own id, by which an operator finds the
        process of an answer in the database."""
        return self.id[-12:]

    def report(self) -> Report:
        """How it is now."""
        return Report(
            self.id,
            self._host,
            os.getpid(),
            self._version,
            self._sockets(),
            self._users(),
            self._failing(),
        )
