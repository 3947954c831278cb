"""Runs modules by several processes at a time: most of a test waits for other processes."""

import json
import os
import queue
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.runner.selection import ROOT
from tests.runner.servers import Servers

FIRST = (
    *("contract.test_fuzz", "proxies", "faults", "store.test_plans", "app", "command", "portal"),
    *("spec.accounts", "spec.portal", "spec.content", "spec.files", "client"),
)
"""What takes long is begun first: begun last, one process would still run when all others are
done."""
PART = 6
"""The most modules that one process gets at a time. They share the daemons that they start."""
SILENT = 600.0
"""Seconds without the end of a test after which a process is ended."""


class Outcome(NamedTuple):
    """How one test went."""

    test: str
    seconds: float
    fault: str
    """Tracebacks; empty if it passed."""
    skipped: str | None
    """The reason, if it cannot run here."""


def parts(modules: list[str]) -> list[list[str]]:
    """The modules in the order in which to begin them, those of a folder together."""
    groups: dict[tuple[int, str], list[str]] = {}
    for module in modules:
        short = f"{module.removeprefix('tests.')}."
        first = (n for n, name in enumerate(FIRST) if short.startswith(f"{name}."))
        group = next(first, len(FIRST)), module.rpartition(".")[0]
        groups.setdefault(group, []).append(module)
    found = []
    for _, group in sorted(groups.items()):
        count = -(-len(group) // PART)
        found += [group[n::count] for n in range(count)]
    return found


class Parts:
    """What is left to run. A process goes on with the folder that it is at, whose daemons it has
    started, and otherwise begins the first one that none is at."""

    def __init__(self, left: list[list[str]]) -> None:
        self._left = left
        self._at: dict[int, str] = {}
        self._turn = threading.Lock()

    def __len__(self) -> int:
        return len(self._left)

    def next(self, process: int) -> list[str] | None:
        """The part that this process runs next; None at the end."""
        with self._turn:
            own = self._at.pop(process, None)
            folders = [part[0].rpartition(".")[0] for part in self._left]
            if not folders:
                return None
            taken = {*self._at.values()}
            free = (folder for folder in folders if folder not in taken)
            self._at[process] = own if own in folders else next(free, folders[0])
            return self._left.pop(folders.index(self._at[process]))


class Run:
    """One run of these modules, by so many processes as TEST_PROCESSES says, or two for a core, and
    of these scripts after them."""

    def __init__(self, modules: list[str], scripts: tuple[str, ...] = ()) -> None:
        self.modules = modules
        self._scripts = scripts
        self.temp = ROOT / f"{os.environ.get('TRIAL_TEMP', '_trial_temp')}.run"
        self._processes = int(os.environ.get("TEST_PROCESSES") or 2 * (os.cpu_count() or 1))
        self._parts = Parts(parts(modules))
        self._told: queue.SimpleQueue[Outcome | None] = queue.SimpleQueue()

    def outcomes(self) -> Iterator[Outcome]:
        """Run all, and give each test's outcome as it comes. The file `times` has the seconds of
        all."""
        shutil.rmtree(self.temp, ignore_errors=True)
        self.temp.mkdir()
        servers = Servers()
        try:
            count = min(self._processes, len(self._parts))
            for number in range(count):
                threading.Thread(target=self._work, args=(number,), daemon=True).start()
            with (self.temp / "times").open("w") as times:
                while count:
                    outcome = self._told.get()
                    if outcome is None:
                        count -= 1
                    else:
                        times.write(f"{outcome.seconds:8.3f} {outcome.test}\n")
                        yield outcome
        finally:
            servers.stop()
        for script in self._scripts:
            yield self._ran(script)

    def warnings(self) -> list[str]:
        """What tests have warned of, such as a file that has become long."""
        logs = [path.read_text(errors="replace") for path in self.temp.glob("*/output.log")]
        return [line for log in logs for line in log.splitlines() if "UserWarning: " in line]

    def _ran(self, script: str) -> Outcome:
        """One script, with nothing beside it."""
        begun = time.monotonic()
        ended = subprocess.run(
            [ROOT / script], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        said = ended.stdout + ended.stderr
        fault = f"status {ended.returncode}\n{said[-8000:]}" if ended.returncode else ""
        return Outcome(script, time.monotonic() - begun, fault, None)

    def again(self, tests: list[str]) -> Iterator[Outcome]:
        """Run these once more, one after another in a new process, with nothing beside."""
        scripts = [test for test in tests if test in self._scripts]
        if others := [test for test in tests if test not in scripts]:
            worker = Worker(self.temp / "again")
            try:
                yield from worker.run(others)
            finally:
                worker.end()
        for script in scripts:
            yield self._ran(script)

    def _work(self, number: int) -> None:
        """Give parts to a process until there are none, and to another if it ends."""
        attempt = 0
        try:
            while self._parts:
                worker = Worker(self.temp / f"{number}.{attempt}")
                attempt += 1
                try:
                    while worker.alive and (part := self._parts.next(number)) is not None:
                        for outcome in worker.run(part):
                            self._told.put(outcome)
                finally:
                    worker.end()
        finally:
            self._told.put(None)


class Worker:
    """One process of tests.runner.worker, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.runner.worker", folder],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.alive = True

    def run(self, modules: list[str]) -> Iterator[Outcome]:
        """Run a part. A process that ends in it, or is silent for too long, has failed it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended, which the next line shows
            self._process.stdin.write(json.dumps(modules) + "\n")
            self._process.stdin.flush()
        while True:
            watch = threading.Timer(SILENT, self._process.kill)
            watch.start()
            line = self._process.stdout.readline()
            watch.cancel()
            if not line:
                break
            if (told := json.loads(line)) is None:
                return
            yield Outcome(*told)
        self.alive = False
        log = self._folder / "output.log"
        said = log.read_text(errors="replace")[-4000:] if log.exists() else ""
        fault = f"the process ended with {self._process.wait()} in {' '.join(modules)}\n{said}"
        yield Outcome(modules[0], 0.0, fault, None)

    def end(self) -> None:
        """Let it end, with the daemons that it has started."""
        if self._process.stdin is not None:
            with suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            self._process.wait(120)
        except subprocess.TimeoutExpired:
            self._process.kill()
