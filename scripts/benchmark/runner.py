"""One run of the benchmark, from the data set to the results."""

import asyncio
import os
import platform
from collections.abc import Sequence
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from contentsvc.tokens import Keys

from . import BenchError, dataset, fanout, idle, push, report, wrk
from .beside import Checkout
from .browsing import BROWSES
from .context import Context
from .daemon import OURS, Daemon, Meter, Program
from .databases import Say, Server
from .ids import Sizes
from .operations import READS, WRITES, Operation
from .report import Fanout, Figures, Results, Row, Sample

OPERATIONS = (*READS, *BROWSES, *WRITES)
_UNKNOWN = (404, 405)
"""Statuses of an operation that another checkout does not have."""


class Options(msgspec.Struct):
    """The options. `contents` is a number of contents other than that of the scale. `only` has keys
    of operations; none means all of them. `beside` is another checkout, whose daemon is measured
    beside this one's."""

    folder: Path
    scale: float
    contents: int | None
    seconds: int
    rounds: int
    sockets: int
    only: list[str]
    beside: Path | None

    def wants(self, key: str) -> bool:
        """Whether the operation is asked for."""
        return not self.only or key in self.only


def keys() -> list[str]:
    """The keys that `only` may have."""
    pushes = (each.key for each in push.PUSHES)
    return [*(each.key for each in OPERATIONS), *pushes, idle.KEY, fanout.KEY]


def run(options: Options, say: Say) -> Results:
    """Measure. `say` gets lines about how far it has come. Raises BenchError."""
    options.folder.mkdir(parents=True, exist_ok=True)
    load = os.getloadavg()[0]
    if load > 0.5:
        say(f"this machine is busy, with a load of {load:.1f}: do not trust these results")
    results = Results(
        datetime.now(UTC).isoformat(timespec="seconds"),
        {"python": platform.python_version(), "twisted": version("twisted")},
        {key: str(value) for key, value in msgspec.structs.asdict(options).items()},
    )
    folder, sizes = options.folder, Sizes.at(options.scale, options.contents)
    with ExitStack() as stack:
        server = Server(folder)
        stack.callback(server.stop)
        contexts = {}
        for program, url in _databases(options, server, sizes, results, say).items():
            stack.callback(server.drop, urlsplit(url).path[1:])
            contexts[program] = Context(sizes, folder / "secret.keys", url)
        if options.wants(idle.KEY):
            for program, context in contexts.items():
                with closing(Daemon(program, folder, context.url)) as daemon:
                    say(f"idle sockets, {daemon.name}")
                    measured = asyncio.run(idle.measure(daemon, context, options.sockets))
                    results.idle[daemon.name] = measured
        if options.only == [idle.KEY]:
            return results
        daemons = []
        for program, context in contexts.items():
            daemon = stack.enter_context(closing(Daemon(program, folder, context.url)))
            daemons.append((daemon, context))
        rounds = _Rounds(options, Meter(server.postmaster()), results, say)
        for number in range(options.rounds):
            # Each time another one is first.
            first = number % len(daemons)
            rounds.run(number, daemons[first:] + daemons[:first])
    return results


def _databases(
    options: Options, server: Server, sizes: Sizes, results: Results, say: Say
) -> dict[Program, str]:
    """The programs that are measured, and for each a database with the data set."""
    size, keys = f"{options.scale:g}".replace(".", "_"), options.folder / "secret.keys"
    if options.contents is not None:
        size += f"_{options.contents}"
    Keys.load_or_generate(keys)
    made = dataset.version(OURS.folder)
    source = server.original(f"bench_{size}", made, lambda url: dataset.make(url, sizes, say), say)
    found = {OURS: server.copy(source, say)}
    if options.beside is not None:
        other = Checkout(options.beside)
        results.versions["beside"] = other.commit
        make = partial(other.make, keys=keys, source=source, say=say)
        made += dataset.version(options.beside)
        theirs = server.original(f"beside_{size}", made, make, say)
        found[other.program] = server.copy(theirs, say)
    return found


class _Rounds:
    """Measures into `results`, on one daemon after the other."""

    def __init__(self, options: Options, meter: Meter, results: Results, say: Say) -> None:
        self._options = options
        self._meter = meter
        self._results = results
        self._say = say

    def run(self, number: int, daemons: Sequence[tuple[Daemon, Context]]) -> None:
        """Measure everything that is asked for once."""
        seconds, meter, wants = self._options.seconds, self._meter, self._options.wants
        for operation in [each for each in OPERATIONS if wants(each.key)]:
            row = self._row(operation.key, operation.title, operation.connections)
            for daemon, context in daemons:
                sample = self._requests(operation, daemon, context)
                if sample is not None:
                    self._add(number, row, daemon, sample)
        for beside in [each for each in push.PUSHES if wants(each.key)]:
            row = self._row(beside.key, beside.title, None)
            for daemon, context in daemons:
                measuring = push.measure(beside, daemon, context, meter, seconds)
                self._add(number, row, daemon, asyncio.run(measuring))
        if wants(fanout.KEY) and number < fanout.ROUNDS:
            for daemon, context in daemons:
                empty = Fanout(context.sizes.followers, fanout.RATE)
                into = self._results.fanout.setdefault(daemon.name, empty)
                asyncio.run(fanout.measure(daemon, context, meter, seconds, into))
                self._say(report.fanout(daemon.name, into))

    def _row(self, key: str, title: str, connections: int | None) -> Row:
        rows = self._results.rows
        found = next((row for row in rows if row.key == key), None)
        if found is None:
            rows.append(found := Row(key, title, connections))
        return found

    def _add(self, number: int, row: Row, daemon: Daemon, sample: Sample) -> None:
        row.samples.setdefault(daemon.name, []).append(sample)
        it = Figures.of([sample])
        self._say(
            f"round {number + 1}/{self._options.rounds}  {row.title}  {daemon.name}: "
            f"{it.rate:,.0f}/s, {it.server:,.0f} + {it.postgres:,.0f} µs"
        )

    def _requests(self, operation: Operation, daemon: Daemon, context: Context) -> Sample | None:
        """None if the other checkout does not have the operation."""
        name = f"{daemon.name}, {operation.title}"
        script = operation.script(context, daemon.port)
        send = partial(wrk.run, daemon.url, script, operation.connections, self._options.folder)
        warm = send(1, expected=operation.status)
        if daemon.name != OURS.name and warm.wrong == warm.requests and warm.example in _UNKNOWN:
            return None
        if warm.wrong or warm.errors or not warm.requests:
            raise BenchError(
                f"{name}: {warm.wrong} of {warm.requests} answers are not {operation.status} but "
                f"{warm.example}; {warm.errors} errors"
            )
        with self._meter.cost(daemon) as cost:
            result = send(self._options.seconds)
        if result.errors:
            raise BenchError(f"{name}: {result.errors} errors")
        requests, seconds = result.requests, result.seconds
        return Sample(requests, seconds, cost[0], cost[1], result.p50, result.p99)
