"""`scripts/bench`: the command line."""

import argparse
import fnmatch
import resource
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

import msgspec

from . import BenchError, report, runner
from .daemon import ROOT
from .runner import Options


def main() -> int:
    """Measure and print; the exit status."""
    options = _parsed()
    # The servers have process groups of their own: they must be stopped by name.
    signal.signal(signal.SIGTERM, _interrupted)
    # Each socket is a file, here and in the daemon, which inherits this.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    try:
        results = runner.run(options, _say)
    except BenchError as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print(report.table(results))
    file = options.folder / "results.json"
    file.write_bytes(msgspec.json.format(msgspec.json.encode(results)) + b"\n")
    _say(f"results saved in {file}")
    return 0


def _parsed() -> Options:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measures the daemon. docs/performance.md explains the results.",
        epilog=f"operations: {', '.join(runner.keys())}",
    )
    add = parser.add_argument
    add(
        "--only",
        type=_operations,
        default=[],
        metavar="OPERATION,…",
        help="these operations; * stands for any characters",
    )
    add("--beside", type=Path, metavar="PATH", help="measure another checkout's daemon beside it")
    add("--rounds", type=_positive, default=3, help="rounds; the results are their medians (3)")
    add("--seconds", type=_positive, default=5, help="seconds of each run (5)")
    add("--scale", type=float, default=1.0, help="size of the data set (1: 500,000 users)")
    add("--contents", type=_positive, help="contents, with little beside their own rows (20,000)")
    add("--sockets", type=_positive, default=10_000, help="idle sockets of idle (10,000)")
    add("--data", type=Path, metavar="DIR", default=ROOT / "var/bench", help="data (var/bench)")
    it = parser.parse_args()
    folder, beside = it.data.absolute(), it.beside and it.beside.absolute()
    return Options(
        folder, it.scale, it.contents, it.seconds, it.rounds, it.sockets, it.only, beside
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _operations(text: str) -> list[str]:
    chosen: list[str] = []
    for pattern in text.split(","):
        found = fnmatch.filter(runner.keys(), pattern)
        if not found:
            raise argparse.ArgumentTypeError(f"{pattern} is none of {', '.join(runner.keys())}")
        chosen += found
    return chosen


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _interrupted(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
