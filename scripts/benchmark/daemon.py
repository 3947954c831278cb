"""The daemons that are measured, each a process of its own, and what they cost."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import NamedTuple

import psutil

from . import BenchError

ROOT = Path(__file__).resolve().parent.parent.parent
_START = 60.0
"""Seconds that a process may take to answer."""
_STOP = 30.0
_SETTINGS = {
    "CONTENTSVC_COMMENTS_PER_MINUTE": "0",
    "CONTENTSVC_PLAYS_PER_MINUTE": "0",
    "CONTENTSVC_MESSAGES_PER_MINUTE": "0",
    "CONTENTSVC_FOLLOWS_PER_DAY": "0",
    "CONTENTSVC_FRIEND_REQUESTS_PER_DAY": "0",
    "CONTENTSVC_PUBLICATIONS_PER_DAY": "0",
    "CONTENTSVC_CHANGES_PER_HOUR": "0",
    "CONTENTSVC_DEBUG_NOTIFY": "true",
    "CONTENTSVC_NOTIFICATION_RETENTION": "0",  # the data set's are old
    "CONTENTSVC_FILES": "local",
    "CONTENTSVC_USER_BYTES": "0",
}
"""No limits. These are variables and not options, because another checkout may not know them."""


class Program(NamedTuple):
    """What starts a daemon: a checkout, and the twistd that has it."""

    name: str
    folder: Path
    twistd: Path


OURS = Program("daemon", ROOT, Path(sys.executable).with_name("twistd"))


class Daemon:
    """A daemon as an operator runs it, with a line for each request, into a file; on a port of
    127.0.0.1, with its files in `data`. Raises BenchError."""

    def __init__(self, program: Program, data: Path, url: str) -> None:
        self.name = program.name
        self.port = _free_port()
        # The data set has stored files: without a folder for them, each daemon would look for it
        # again and again.
        for bucket in ("content", "media"):
            (data / "files" / bucket).mkdir(parents=True, exist_ok=True)
        words = ["-n", "--pidfile=", "contentsvc", "--data-dir", str(data), "--database", url]
        words += ["--secret-file", str(data / "secret.keys")]
        words += ["--listen", f"tcp:{self.port}:interface=127.0.0.1"]
        # The caller's shell may have settings of another service. They must not reach this one.
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("CONTENTSVC_")}
        self._log = data / f"{program.name}.log"
        with self._log.open("wb") as output:
            self._process = subprocess.Popen(  # noqa: S603
                [str(program.twistd), *words],
                cwd=program.folder,
                env={**inherited, **_SETTINGS},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                # An interrupt from the keyboard is for the benchmark, which stops all in order.
                start_new_session=True,
            )
        try:
            self._wait(time.monotonic() + _START)
        except BaseException:
            self.close()
            raise

    def _wait(self, deadline: float) -> None:
        while self._process.poll() is None and time.monotonic() < deadline:
            with suppress(OSError, HTTPException):
                with closing(HTTPConnection("127.0.0.1", self.port, timeout=5)) as connection:
                    connection.request("GET", "/health/ready")
                    if connection.getresponse().status == 200:
                        return
            time.sleep(0.05)
        said = self._log.read_text(errors="replace")[-2000:]
        raise BenchError(f"{self.name} did not start:\n{said}")

    @property
    def pid(self) -> int:
        """The number of the process, which may have children."""
        return self._process.pid

    @property
    def url(self) -> str:
        """Without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def memory(self) -> int:
        """The resident bytes of the process and its descendants that are no file's."""
        root = psutil.Process(self.pid)
        infos = [each.memory_info() for each in (root, *root.children(recursive=True))]
        return sum(info.rss - info.shared for info in infos)

    def close(self) -> None:
        """End it."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


class Meter:
    """Reads the CPU time of daemons, and of the Postgres whose first process is `postmaster`."""

    def __init__(self, postmaster: int) -> None:
        self._postmaster = postmaster

    @contextmanager
    def cost(self, daemon: Daemon) -> Iterator[list[float]]:
        """The CPU seconds of the daemon and of Postgres, once the block has ended."""
        spent: list[float] = []
        pids = (daemon.pid, self._postmaster)
        before = [_cpu_seconds(pid) for pid in pids]
        yield spent
        spent.extend(_cpu_seconds(pid) - then for pid, then in zip(pids, before, strict=True))


def _cpu_seconds(pid: int) -> float:
    """The CPU time of a process, its descendants, and those children of it that have ended:
    from /proc/PID/stat, in steps of 10 ms for each process."""
    root = psutil.Process(pid)
    times = root.cpu_times()
    total = times.user + times.system + times.children_user + times.children_system
    for process in root.children(recursive=True):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return float(total)


def _free_port() -> int:
    """A TCP port that nothing listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
