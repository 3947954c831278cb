"""The measurements over sockets, with the load generator of sockets.py."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from .helper import Helper
from .processes import Process, memory
from .sockets import Outcome, Task
from .world import NOTIFIED, Sizes

_RATE = 300
"""Notifications a second."""
_RECEIVERS = 50
_WORKERS = 8
_SETTLE = 1.0
"""Seconds between the opening of the sockets and what is measured."""


class PushError(Exception):
    """The daemon did not send what it should have sent."""


class Drive(NamedTuple):
    """One operation over sockets."""

    key: str
    title: str
    idle: int
    rate: int
    workers: int
    resumes: bool = False


MANY = Drive("push-5000", "debug notify to frame, 5,000 idle", 5000, _RATE, 0)
IDLE = Drive("idle", "a minute of an idle socket", 5000, 0, 0)
IDLE_SECONDS = 60
"""At least: in less, what comes twice a minute is seen once or thrice."""
IDLE_SETTINGS = {"bgwriter_lru_maxpages": "0"}
"""Postgres's background writer goes on for two minutes after the sockets were opened, 5 times a
second. That is no cost of an idle socket, and it may be half of what is measured."""
IDLE_SETTLE = 20.0
"""Seconds from the opening of the sockets: what the start, or a pause of the daemon, has left is
done by then."""
DRIVES = (
    Drive("push", "debug notify to frame, 500 idle", 500, _RATE, 0),
    MANY,
    IDLE,
    Drive("connect", "session connect and handshake", 0, 0, _WORKERS),
    Drive("resume", f"return after {NOTIFIED} notifications", 0, 0, 4, resumes=True),
)


class Generator:
    """The load generator's process, ready to begin. `per_socket` is what the daemon's memory
    grew by for each socket that was opened, in bytes; it tells little of a daemon that has
    worked before, and has memory to spare."""

    def __init__(self, drive: Drive, daemon: Process, keys: Path, sizes: Sizes, seconds: int):
        # In a small data set the idle ones are of users that are not there, which costs the same.
        first = sizes.regulars + sizes.authors
        task = Task(daemon.port, str(keys), first, seconds, drive.idle)
        task.receivers = _RECEIVERS if drive.rate else 0
        task.rate, task.workers = drive.rate, drive.workers
        task.logs = sizes.regulars if drive.resumes else 0
        opened = task.idle + task.receivers
        before = memory(daemon.pid)
        self._helper = Helper("sockets")
        try:
            self._helper.ask(msgspec.json.encode(task))
            time.sleep(_SETTLE)
        except BaseException:
            self.stop()
            raise
        grown = memory(daemon.pid) - before
        self.per_socket = grown / opened if opened else 0.0

    def work(self) -> Outcome:
        """Let it work. Raises PushError, HelperError."""
        outcome = msgspec.json.decode(self._helper.ask(b"go"), type=Outcome)
        if outcome.missing or outcome.lost:
            lost = f"{len(outcome.lost)} sockets were lost {outcome.lost[:1]}"
            raise PushError(f"{outcome.missing} frames are missing, {lost}")
        return outcome

    def stop(self) -> None:
        """End it; its sockets are closed."""
        self._helper.stop()


@contextmanager
def generator(
    drive: Drive, daemon: Process, keys: Path, sizes: Sizes, seconds: int
) -> Iterator[Generator]:
    """A generator that is ended afterwards. Raises HelperError."""
    made = Generator(drive, daemon, keys, sizes, seconds)
    try:
        yield made
    finally:
        made.stop()
