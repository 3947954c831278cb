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

from . import idling, postgres, report, runner, scaling, wal
from .announcing import AnnouncementError
from .beside import BesideError
from .dataset import Inconsistent
from .fanout import FanoutError
from .helper import HelperError
from .postgres import ServerError
from .processes import ROOT, StartError
from .push import PushError
from .results import Results
from .runner import Different, Options
from .singly import SINGLES
from .subjects import PeerError
from .transfers import TransferError
from .wal import WalError
from .wrk import WrkError

_FAILURES = (
    WrkError,
    ServerError,
    StartError,
    PeerError,
    PushError,
    HelperError,
    FanoutError,
    Inconsistent,
    Different,
    BesideError,
    AnnouncementError,
    TransferError,
    WalError,
)


def main() -> int:
    """Measure and print; the exit status."""
    arguments = _parsed()
    # The servers have process groups of their own: they must be stopped by name.
    signal.signal(signal.SIGTERM, _interrupted)
    modes = {_idle: arguments.idle, _scaling: arguments.scaling, _wal: arguments.wal}
    act = next((mode for mode, chosen in modes.items() if chosen), _times)
    try:
        return act(arguments)
    except _FAILURES as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _scaling(arguments: argparse.Namespace) -> int:
    """Measure what NOTIFY and partitions cost."""
    kind = postgres.Debian if arguments.debian else postgres.Embedded
    print(scaling.run(arguments.data.absolute(), kind, _say))
    return 0


def _idle(arguments: argparse.Namespace) -> int:
    """Measure what a daemon with idle sockets asks of Postgres."""
    _raise_files()
    kind = postgres.Debian if arguments.debian else postgres.Embedded
    scale = arguments.scale or idling.SCALE
    print(idling.run(arguments.data.absolute(), scale, arguments.workers, kind, _say))
    return 0


def _wal(arguments: argparse.Namespace) -> int:
    """Measure what is written."""
    lines = wal.run(
        arguments.data.absolute(),
        arguments.scale or wal.SCALE,
        [single for single in SINGLES if not arguments.only or single.key in arguments.only],
        arguments.requests,
        postgres.Debian if arguments.debian else postgres.Embedded,
        dict(arguments.set),
        _say,
    )
    print(wal.table(lines))
    return 0


def _times(arguments: argparse.Namespace) -> int:
    """Measure what it takes."""
    _raise_files()
    options = Options(
        arguments.data.absolute(),
        arguments.scale or 1.0,
        arguments.contents,
        arguments.seconds,
        arguments.rounds,
        arguments.compare,
        arguments.tuned_peer,
        arguments.debian,
        arguments.workers,
        arguments.only,
        arguments.beside and arguments.beside.absolute(),
        arguments.followers or 0,
        dict(arguments.set),
    )
    results = runner.run(options, _say)
    print(report.table(results))
    if arguments.than is not None:
        other = msgspec.json.decode(arguments.than.read_bytes(), type=Results)
        print(f"\n{report.than(results, other)}")
    file = arguments.json or options.folder / "results.json"
    file.write_bytes(msgspec.json.format(msgspec.json.encode(results)) + b"\n")
    _say(f"results saved in {file}")
    return 0


def _raise_files() -> None:
    """Each socket is a file, here and in the daemon, which inherits this."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _parsed() -> argparse.Namespace:
    measured, written = runner.keys(), [single.key for single in SINGLES]
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="Measures the daemon. docs/performance.md explains the results.",
        epilog=f"operations: {', '.join(measured)}; with --wal: {', '.join(written)}",
    )
    add = parser.add_argument
    add("--compare", action="store_true", help="measure the floor and the peer beside it")
    add("--beside", type=Path, metavar="PATH", help="measure another checkout's daemon beside it")
    add("--tuned-peer", action="store_true", help="the peer's pool does not reset connections")
    add("--rounds", type=_positive, default=3, help="rounds; the results are their medians (3)")
    add("--seconds", type=_positive, default=5, help="seconds of each run (5)")
    add(
        "--only",
        default="",
        metavar="OPERATION,…",
        help="these operations; * stands for any characters",
    )
    add("--scale", type=_scale, help="size of the data set (1: 500,000 users; with --wal 2)")
    add("--wal", action="store_true", help="measure WAL and pages of single requests instead")
    add("--scaling", action="store_true", help="measure NOTIFY and partitions instead")
    add("--idle", action="store_true", help="measure an idle daemon's statements instead")
    add("--requests", type=_positive, default=300, help="of each operation, with --wal (300)")
    add(
        "--set",
        type=_setting,
        action="append",
        default=[],
        help="NAME=VALUE for Postgres, in timed runs and with --wal",
    )
    add("--contents", type=_positive, metavar="N", help="so many contents, with little to each")
    add(
        "--followers", type=_positive, metavar="N", help="so many more users, who follow one author"
    )
    add("--workers", type=_positive, metavar="N", help="the daemon's --workers")
    add("--debian", action="store_true", help="on Debian's Postgres, which has pg_trgm")
    add("--json", type=Path, metavar="FILE", help="file for the results (DIR/results.json)")
    add("--than", type=Path, metavar="FILE", help="compare with earlier results in this file")
    add("--data", type=Path, metavar="DIR", default=ROOT / "var/bench", help="data (var/bench)")
    arguments = parser.parse_args()
    try:
        arguments.only = _operations(arguments.only, written if arguments.wal else measured)
    except argparse.ArgumentTypeError as error:
        parser.error(str(error))
    return arguments


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _scale(text: str) -> float:
    number = float(text)
    if not 0.001 <= number <= 10:
        raise ValueError
    return number


def _setting(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError
    return name, value


def _operations(text: str, known: list[str]) -> list[str]:
    chosen: list[str] = []
    for pattern in text.split(",") if text else ():
        found = fnmatch.filter(known, pattern)
        if not found:
            raise argparse.ArgumentTypeError(f"{pattern} is none of {', '.join(known)}")
        chosen += found
    return chosen


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _interrupted(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
