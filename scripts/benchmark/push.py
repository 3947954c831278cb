"""The measurements over sockets, with the load generator of sockets.py."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from .processes import ROOT, Process, memory
from .sockets import Outcome, Task
from .world import Sizes

_RATE = 300
"""Notifications a second."""
_RECEIVERS = 50
_WORKERS = 8
_SETTLE = 1.0
"""Seconds between the opening of the sockets and what is measured."""


class PushError(Exception):
    """The load generator failed, or the daemon did."""


class Drive(NamedTuple):
    """One operation over sockets."""

    key: str
    title: str
    idle: int
    rate: int
    workers: int


MANY = Drive("push-5000", "debug notify to frame, 5,000 idle", 5000, _RATE, 0)
DRIVES = (
    Drive("push", "debug notify to frame, 500 idle", 500, _RATE, 0),
    MANY,
    Drive("connect", "session connect and handshake", 0, 0, _WORKERS),
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
        opened = task.idle + task.receivers
        before = memory(daemon.pid)
        self._process: Any = subprocess.Popen(
            [sys.executable, "-m", "scripts.benchmark.sockets"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            self._say(msgspec.json.encode(task))
            self._hear()
            time.sleep(_SETTLE)
        except BaseException:
            self.stop()
            raise
        grown = memory(daemon.pid) - before
        self.per_socket = grown / opened if opened else 0.0

    def work(self) -> Outcome:
        """Let it work. Raises PushError."""
        self._say(b"go")
        outcome = msgspec.json.decode(self._hear(), type=Outcome)
        if outcome.missing or outcome.lost:
            lost = f"{len(outcome.lost)} sockets were lost {outcome.lost[:1]}"
            raise PushError(f"{outcome.missing} frames are missing, {lost}")
        return outcome

    def _say(self, line: bytes) -> None:
        self._process.stdin.write(line + b"\n")
        self._process.stdin.flush()

    def _hear(self) -> bytes:
        line = self._process.stdout.readline()
        if not line:
            raise PushError("the load generator ended; what it said is above")
        return line

    def stop(self) -> None:
        """End it; its sockets are closed."""
        self._process.stdin.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


@contextmanager
def generator(
    drive: Drive, daemon: Process, keys: Path, sizes: Sizes, seconds: int
) -> Iterator[Generator]:
    """A generator that is ended afterwards. Raises PushError."""
    made = Generator(drive, daemon, keys, sizes, seconds)
    try:
        yield made
    finally:
        made.stop()
