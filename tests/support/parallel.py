"""The whole suite, by several processes of trial at a time: most of it waits for other processes.

A process takes some modules of one layer, which share its servers and daemons. It ends them, for
an idle daemon takes time too.
"""

import os
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

from tests.support.daemon import PREPARED, ROOT, script
from tests.support.databases import prepared

LONG = (
    *("contract.test_fuzz", "proxies", "faults", "spec.accounts", "daemon", "spec.content"),
    *("spec.players", "spec.files", "command", "client", "db.test_replica"),
)
"""What takes long, because it starts daemons, is begun first: begun last, one of them would still
run when all others are done."""
MODULES, LONG_MODULES = 12, 6
"""The most modules of a process, and of one that takes long."""
TIMED = "faults"
"""What has to happen within seconds while daemons are killed and upgraded: beside more processes
than cores it would wait for the processor."""
SLOWEST = 20
AGAIN = 3
"""The most tests that are run again, each alone, after they failed beside the others."""
_TIME = re.compile(r"^(tests\.\S+) \.\.\. .*?^\((\d+\.\d+) secs\)$", re.MULTILINE | re.DOTALL)
_FAILED = re.compile(r"^tests\.\S+$", re.MULTILINE)
_OUTCOME = re.compile(r"^(?:PASSED|FAILED) \((.+)\)$", re.MULTILINE)


class Part(NamedTuple):
    """What one process runs: `modules`, as trial names them."""

    name: str
    modules: list[str]


class Result(NamedTuple):
    """How it went. `seconds` is its time, `log` what trial wrote."""

    part: Part
    status: int
    seconds: float
    log: str

    @property
    def faults(self) -> str:
        """What trial tells at the end of each test that failed, if it came so far."""
        return self.log[max(0, self.log.find("\n=====")) :]

    @property
    def counts(self) -> Counter[str]:
        """Trial's own: successes, failures, errors, skips."""
        (*_, last) = _OUTCOME.findall(self.log) or [""]
        return Counter({k: int(n) for k, n in re.findall(r"(\w+)=(\d+)", last)})

    @property
    def times(self) -> list[tuple[float, str]]:
        """The seconds of each test."""
        return [(float(seconds), test) for test, seconds in _TIME.findall(self.log)]


def parts() -> list[Part]:
    """Everything, in the order in which to begin it."""
    groups: dict[str, list[str]] = {}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        module = ".".join(path.relative_to(ROOT / "tests").with_suffix("").parts)
        layer = module.partition(".")[0] if "." in module else "tests"
        group = next((name for name in LONG if f"{module}.".startswith(f"{name}.")), layer)
        groups.setdefault(group, []).append(f"tests.{module}")
    found = []
    for group in [*(name for name in LONG if name in groups), *sorted(groups.keys() - set(LONG))]:
        modules, most = groups[group], LONG_MODULES if group in LONG else MODULES
        count = -(-len(modules) // most)
        ends = [len(modules) * n // count for n in range(count + 1)]
        found += [
            Part(f"{group}-{n}", modules[begin:end])
            for n, (begin, end) in enumerate(pairwise(ends), 1)
        ]
    return found


def run(part: Part, temp: Path) -> Result:
    """Run one part to its end."""
    log = temp / f"{part.name}.log"
    trial = [script("trial"), "--reporter=timing", "--temp-directory", str(temp / part.name)]
    begun = time.monotonic()
    with log.open("wb") as out:
        ended = subprocess.run(
            [*trial, *part.modules],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            check=False,
        )
    seconds = time.monotonic() - begun
    return Result(part, ended.returncode, seconds, log.read_text(errors="replace"))


def results(temp: Path, at_once: int) -> Iterator[Result]:
    """Run all parts, so many `at_once`: of those that are TIMED half as many, before all others."""
    timed, others = [], []
    for part in parts():
        (timed if part.name.startswith(TIMED) else others).append(part)
    for group, most in (timed, max(1, at_once // 2)), (others, at_once):
        pool = ThreadPoolExecutor(most)
        try:
            for future in as_completed([pool.submit(run, part, temp) for part in group]):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def again(failed: list[Result], temp: Path) -> bool:
    """Run the failed tests again, each alone, and print a line for each. True if all pass.

    This tells a fault from a machine that stood still for a moment. More than AGAIN are not run
    again, nor is a part that ended before it named what failed.
    """
    names = [_FAILED.findall(result.faults) for result in failed]
    tests = list(dict.fromkeys(chain.from_iterable(names)))
    if not all(names) or len(tests) > AGAIN:
        return False
    ran = [run(Part(f"again-{n}", [test]), temp) for n, test in enumerate(tests, 1)]
    for test, result in zip(tests, ran, strict=True):
        word = "FAILED again" if result.status else "passed alone"
        print(f"{word} {result.seconds:5.0f} s  {test}", flush=True)
    return not any(result.status for result in ran)


def main() -> int:
    """Run all, so many at a time as TEST_PROCESSES says, and print a line for each, the slowest
    tests, and what failed. The status is 0 if nothing did, or if it passed alone."""
    temp = ROOT / f"{os.environ.get('TRIAL_TEMP', '_trial_temp')}.parts"
    shutil.rmtree(temp, ignore_errors=True)
    temp.mkdir()
    os.environ[PREPARED] = str(prepared())
    at_once = int(os.environ.get("TEST_PROCESSES") or 2 * (os.cpu_count() or 1))
    begun, total, failed = time.monotonic(), Counter[str](), list[Result]()
    times: list[tuple[float, str]] = []
    for result in results(temp, at_once):
        total += result.counts
        times += result.times
        word, tests = "ok", ""
        if result.status:
            failed.append(result)
            word, tests = "FAILED", "  ".join(["", *_FAILED.findall(result.faults)])
        print(f"{word:6} {result.seconds:5.0f} s  {result.part.name}{tests}", flush=True)
    print(f"\nThe {SLOWEST} slowest tests:")
    for seconds, test in sorted(times, reverse=True)[:SLOWEST]:
        print(f"{seconds:6.1f} s  {test}")
    for result in failed:
        print(f"\n{result.part.name}: scripts/test {' '.join(result.part.modules)}")
        print(result.faults)
    counts = ", ".join(f"{name}={number}" for name, number in sorted(total.items()))
    minutes = (time.monotonic() - begun) / 60
    passed = not failed or again(failed, temp)
    print(f"\n{'PASSED' if passed else 'FAILED'} ({counts}) in {minutes:.1f} minutes")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
