"""The servers that are measured, each a process of its own, and what they cost."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import IO

import psutil

ROOT = Path(__file__).resolve().parent.parent.parent
_START = 60.0
"""Seconds that a process may take to answer."""
_STOP = 30.0


class StartError(Exception):
    """A process did not come up; `str()` has the end of what it said."""


class Process:
    """A server on a port of 127.0.0.1; what it prints goes to a file.

    It runs in `folder`. It counts as up as soon as a GET of `ready` is answered with 200; `seconds`
    is how long that took. Raises StartError.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        *,
        port: int,
        ready: str,
        log: Path,
        environ: Mapping[str, str] | None = None,
        folder: Path = ROOT,
    ) -> None:
        self.name = name
        self.port = port
        self._log = log
        self._folder = folder
        # The caller's shell may have settings of another service. They must not reach this one.
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("CONTENTSVC_")}
        begun = time.monotonic()
        with log.open("wb") as output:
            self._process = self._spawn(command, {**inherited, **(environ or {})}, output)
        try:
            self._wait(ready, begun + _START)
        except BaseException:
            self.stop()
            raise
        self.seconds = time.monotonic() - begun

    def _spawn(
        self, command: Sequence[str], environ: Mapping[str, str], output: IO[bytes]
    ) -> subprocess.Popen[bytes]:
        return subprocess.Popen(  # noqa: S603
            command,
            cwd=self._folder,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            # An interrupt from the keyboard is for the benchmark, which stops the rest in order.
            start_new_session=True,
        )

    def _wait(self, ready: str, deadline: float) -> None:
        while self._process.poll() is None and time.monotonic() < deadline:
            if status(self.port, ready) == 200:
                return
            time.sleep(0.02)
        said = self._log.read_text(errors="replace")[-2000:]
        raise StartError(f"{self.name} did not start:\n{said}")

    @property
    def pid(self) -> int:
        """The number of the process, which may have children."""
        return self._process.pid

    @property
    def url(self) -> str:
        """Without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def alive(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    @contextmanager
    def paused(self) -> Iterator[None]:
        """It stands still during the block."""
        everything = [psutil.Process(number) for number in family(self.pid)]
        for each in everything:
            each.suspend()
        try:
            yield
        finally:
            for each in everything:
                each.resume()

    def stop(self) -> None:
        """End it."""
        if self.alive():
            self._process.terminate()
            try:
                self._process.wait(_STOP)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()


def status(port: int, path: str) -> int | None:
    """The status of a GET; None if there is no answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status
    except (OSError, HTTPException):
        return None
    finally:
        connection.close()


def free_port() -> int:
    """A TCP port that nothing listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def script(name: str) -> str:
    """The path of a console script beside the running interpreter."""
    return str(Path(sys.executable).with_name(name))


def cpu_seconds(pid: int) -> float:
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


def cpu_nanoseconds(pid: int) -> int:
    """The CPU time of a process and its present descendants, from /proc/PID/schedstat."""
    return sum(each_nanoseconds(pid).values())


def each_nanoseconds(pid: int) -> dict[int, int]:
    """The same, process by process. Of each its first thread: Postgres has no others."""
    found = {}
    for each in family(pid):
        with suppress(OSError):  # it has just ended
            found[each] = int(Path(f"/proc/{each}/schedstat").read_text().split()[0])
    return found


def spent(before: dict[int, int], after: dict[int, int]) -> float:
    """The CPU seconds between two of these, but those of processes that have ended."""
    return sum(now - before.get(pid, 0) for pid, now in after.items()) / 1e9


def memory(pid: int) -> int:
    """The resident bytes of a process and its descendants that are no file's."""
    root = psutil.Process(pid)
    total = 0
    for process in [root, *root.children(recursive=True)]:
        info = process.memory_info()
        total += info.rss - info.shared
    return total


def reset_peak(pid: int) -> None:
    """Let peak() begin again with the present memory of a process and its descendants."""
    for number in family(pid):
        Path(f"/proc/{number}/clear_refs").write_text("5")


def peak(pid: int) -> int:
    """The most resident bytes of a process and its descendants, each for itself, since
    reset_peak()."""
    return sum(_kilobytes(number, "VmHWM") for number in family(pid)) * 1024


def resident(pid: int) -> int:
    """The resident bytes of a process and its descendants."""
    return sum(_kilobytes(number, "VmRSS") for number in family(pid)) * 1024


def family(pid: int) -> list[int]:
    """A process and its present descendants. Raises psutil.NoSuchProcess."""
    return [pid, *(process.pid for process in psutil.Process(pid).children(recursive=True))]


def _kilobytes(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        key, _, value = line.partition(":")
        if key == name:
            return int(value.split()[0])
    return 0
