"""One run of the benchmark, from the data set to the results."""

import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import msgspec

from contentsvc.tokens import Keys

from . import announcing, fanout, postgres, report, subjects, transfers, world, wrk
from .beside import Checkout
from .browsing import BROWSES
from .operations import BUSY, READS, WRITES, Context, Operation, answer, unchanged
from .players import PLAYERS
from .processes import Process, cpu_seconds, each_nanoseconds, spent
from .push import (
    DRIVES,
    IDLE,
    IDLE_SECONDS,
    IDLE_SETTINGS,
    IDLE_SETTLE,
    MANY,
    Drive,
    generator,
)
from .results import (
    Announcement,
    Fanout,
    Moves,
    Results,
    Row,
    Sample,
    figures,
    percentile,
)
from .warm_memory import warm
from .world import Sizes

_OURS = ("twisted", "klein", "autobahn", "txpostgres", "msgspec", "psycopg2-binary")
_SEED = 4
OPERATIONS = (*READS, *map(unchanged, READS), *BROWSES, *WRITES, *PLAYERS)
_BESIDE, _UNKNOWN = "beside", (404, 405)
"""Name of another checkout's daemon, and the statuses of operations that it does not have."""
START = "start"
"""The key of what is no operation: the time from start to ready."""
MEMORY = "memory"
"""The same, of an idle socket's memory."""


class Different(Exception):
    """Servers that are compared give different answers, or an operation answers wrongly."""


class Options(msgspec.Struct):
    """The options. `only` has keys of operations; none means all of them."""

    folder: Path
    scale: float
    contents: int | None
    seconds: int
    rounds: int
    compare: bool
    tuned: bool
    debian: bool
    workers: int | None
    only: list[str]
    beside: Path | None = None
    """Another checkout, whose daemon is measured beside this one's."""
    fans: int = 0
    """Further users, who follow one author."""
    settings: dict[str, str] = {}
    """Of Postgres, beside those that it has in a measurement anyway."""

    @property
    def sizes(self) -> Sizes:
        """Of the data set."""
        return Sizes.at(self.scale, self.contents)

    def named(self, prefix: str) -> str:
        """The name of a database with it."""
        contents = "" if self.contents is None else f"_contents_{self.contents}"
        return f"{prefix}_{self.scale:g}{contents}".replace(".", "_")

    def wants(self, key: str) -> bool:
        """Whether the operation is asked for."""
        return not self.only or key in self.only


def keys() -> list[str]:
    """The keys that `only` may have."""
    names = (each.key for each in (*OPERATIONS, *DRIVES))
    told = fanout.KEY, fanout.BROADCAST
    return [START, MEMORY, *names, *told, transfers.KEY, announcing.KEY, announcing.KEY_S3]


def run(options: Options, say: Callable[[str], None]) -> Results:
    """Measure. `say` gets lines about how far it has come.

    Raises WrkError, ServerError, StartError, PeerError, PushError, Inconsistent, Different,
    BesideError.
    """
    options.folder.mkdir(parents=True, exist_ok=True)
    wrk.ensure()
    load = os.getloadavg()[0]
    if load > 0.5:
        say(f"this machine is busy, with a load of {load:.1f}: do not trust these results")
    ready = per_socket = None
    if options.wants(START) and not options.debian:
        ready = _ready(options, say)
    with ExitStack() as stack:
        kind = postgres.Debian if options.debian else postgres.Embedded
        server = kind(options.folder, options.settings)
        stack.callback(server.stop)
        ours = postgres.Ours(options.named("bench"), options.sizes)
        source = postgres.original(server, say, ours)
        other = None
        if options.beside is not None:
            keys = options.folder / "secret.keys"
            Keys.load_or_generate(keys)
            name = options.named("beside")
            other = Checkout(options.beside, name, keys, source, ours.version)
        url = postgres.copy(server, source, say)
        stack.callback(postgres.dropped, server, url)
        if options.fans:
            fanout.crowd(url, options.sizes, options.fans, say)
        if options.wants(MEMORY):
            per_socket = _per_socket(options, url, say)
        bench = _Bench(options, server, url, other, say, stack)
        rows = bench.rounds()
    return Results(
        datetime.now(UTC).isoformat(timespec="seconds"),
        _machine(load),
        {**_versions(server), **bench.versions},
        {name: str(value) for name, value in msgspec.structs.asdict(options).items()},
        ready,
        per_socket,
        rows,
        bench.fanouts,
        list(bench.moves.values()),
        list(bench.announcements.values()),
    )


def _ready(options: Options, say: Callable[[str], None]) -> float:
    """Start the daemon twice as `scripts/run` does, Postgres included: the second time."""
    storage = ["--data-dir", str(options.folder)]
    for _ in range(2):
        daemon = subjects.daemon(options.folder, storage, options.workers)
        daemon.stop()
    say(f"start to ready, the second time: {daemon.seconds:.2f} s")
    return daemon.seconds


def _per_socket(options: Options, url: str, say: Callable[[str], None]) -> float:
    """Open many sockets to a daemon that has done nothing else."""
    keys = options.folder / "secret.keys"
    Keys.load_or_generate(keys)
    daemon = subjects.daemon(options.folder, _storage(options, url), options.workers)
    try:
        with generator(MANY, daemon, keys, options.sizes, 0) as made:
            say(f"memory of an idle socket: {made.per_socket / 1024:.1f} KB")
            return made.per_socket
    finally:
        daemon.stop()


def _storage(options: Options, url: str) -> list[str]:
    secret = ["--secret-file", str(options.folder / "secret.keys")]
    return ["--data-dir", str(options.folder), "--database", url, *secret]


class _Bench:
    """The servers of a run, and what is measured on them. They stop with `stack`."""

    def __init__(
        self,
        options: Options,
        server: postgres.Server,
        url: str,
        other: Checkout | None,
        say: Callable[[str], None],
        stack: ExitStack,
    ) -> None:
        self._options = options
        self._say = say
        self._sizes = options.sizes._replace(fans=options.fans)
        self._keys = options.folder / "secret.keys"
        self._postmaster = postgres.postmaster(server)
        self._context = Context(self._sizes, Keys.load_or_generate(self._keys), url, _SEED)
        self.versions: dict[str, str] = {}
        self.fanouts: dict[str, Fanout] = {}
        self.moves: dict[str, Moves] = {}
        self.announcements: dict[str, Announcement] = {}
        self._urls = {"daemon": url}

        self._daemon = subjects.daemon(options.folder, _storage(options, url), options.workers)
        stack.callback(self._daemon.stop)
        self._others: list[Process] = []
        if options.compare:
            self._say("the peer's venv")
            subjects.install_peer(options.folder)
            self.versions = subjects.peer_versions(options.folder)
            probe = world.user(0)
            self._others.append(subjects.floor(options.folder, url, probe))
            stack.callback(self._others[-1].stop)
            peer = subjects.peer(options.folder, url, self._keys, probe, tuned=options.tuned)
            self._others.append(peer)
            stack.callback(peer.stop)
            self._same_answers()
        self._daemons = [self._daemon]
        if other is not None:
            self._daemons.append(self._beside(other, server, stack))

    def _beside(self, checkout: Checkout, server: postgres.Server, stack: ExitStack) -> Process:
        """Another checkout's daemon, with the same data set."""
        options = self._options
        url = postgres.copy(server, postgres.original(server, self._say, checkout), self._say)
        stack.callback(postgres.dropped, server, url)
        storage = _storage(options, url)
        daemon = subjects.daemon(options.folder, storage, options.workers, checkout)
        stack.callback(daemon.stop)
        self._urls[daemon.name] = url
        self.versions["beside"] = checkout.commit
        return daemon

    def _same_answers(self) -> None:
        """Check that all subjects give the same answers."""
        for operation in READS:
            if operation.compared:
                for request in operation.reads(self._context)[:5]:
                    ours = answer(self._daemon.port, request)
                    for other in self._others:
                        if answer(other.port, request) != ours:
                            raise Different(f"{other.name} answers {request.path} differently")

    def rounds(self) -> list[Row]:
        """All rounds of all operations."""
        options = self._options
        chosen = [each for each in OPERATIONS if options.wants(each.key)]
        drives = [drive for drive in DRIVES if options.wants(drive.key)]
        samples: dict[tuple[str, str], list[Sample]] = {}

        def add(title: str, key: str, subject: Process, sample: Sample) -> None:
            samples.setdefault((key, subject.name), []).append(sample)
            of_server = sample.server_cpu / sample.requests * 1e6
            of_postgres = sample.postgres_cpu / sample.requests * 1e6
            self._say(
                f"round {number + 1}/{options.rounds}  {title}  {subject.name}: "
                f"{sample.requests / sample.seconds:,.0f}/s, "
                f"{of_server:,.0f} + {of_postgres:,.0f} µs"
            )

        for number in range(options.rounds):
            for each in chosen:
                for subject in self._turns(each, number):
                    sample = self._requests(each, subject)
                    if sample is not None:
                        add(each.title, each.key, subject, sample)
            for drive in drives:
                for daemon in _turned(self._daemons, number):
                    add(drive.title, drive.key, daemon, self._sockets(drive, daemon))
            for key in (fanout.KEY, fanout.BROADCAST):
                if options.wants(key) and number < fanout.ROUNDS:
                    for daemon in _turned(self._daemons, number):
                        self._fan_out(daemon, studio=key == fanout.BROADCAST)
        self._of_files()
        return [
            Row(
                each.key,
                each.title,
                self._connections(each) if isinstance(each, Operation) else None,
                {
                    subject.name: figures(samples[each.key, subject.name])
                    for subject in (*self._daemons, *self._others)
                    if (each.key, subject.name) in samples
                },
            )
            for each in (*chosen, *drives)
        ]

    def _turns(self, operation: Operation, number: int) -> Sequence[Process]:
        """The subjects of each round, each time with another one first."""
        others = self._others if operation.compared else []
        return _turned([*self._daemons, *others], number)

    def _connections(self, operation: Operation) -> int:
        """The number of connections: as many for each worker as keep one process busy."""
        each = operation.connections
        return each * (self._options.workers or 1) if each == BUSY else each

    def _requests(self, operation: Operation, subject: Process) -> Sample | None:
        """None if the other checkout does not have the operation."""
        file = self._options.folder / "wrk.lua"
        script = operation.script(self._context, subject.port)
        warm = wrk.run(
            subject.url,
            script,
            connections=self._connections(operation),
            seconds=1,
            file=file,
            expected=operation.status,
        )
        if warm.wrong == warm.requests and subject.name == _BESIDE and warm.example in _UNKNOWN:
            return None
        if warm.wrong or warm.errors or not warm.requests:
            raise Different(
                f"{subject.name}, {operation.title}: {warm.wrong} of {warm.requests} answers are "
                f"not {operation.status} but {warm.example}; {warm.errors} errors"
            )
        with self._cost(subject) as cost:
            result = wrk.run(
                subject.url,
                script,
                connections=self._connections(operation),
                seconds=self._options.seconds,
                file=file,
            )
        if result.errors:
            raise Different(f"{subject.name}, {operation.title}: {result.errors} errors")
        return Sample(result.requests, result.seconds, *cost, result.p50, result.p99)

    def _sockets(self, drive: Drive, daemon: Process) -> Sample:
        if drive is IDLE:
            return self._idle(daemon)
        seconds = self._options.seconds
        with generator(drive, daemon, self._keys, self._sizes, seconds) as made:
            with self._cost(daemon) as cost:
                outcome = made.work()
        return Sample(
            len(outcome.latencies),
            outcome.seconds,
            *cost,
            percentile(outcome.latencies, 50),
            percentile(outcome.latencies, 99),
        )

    def _idle(self, daemon: Process) -> Sample:
        seconds = max(self._options.seconds, IDLE_SECONDS)
        with ExitStack() as stack:
            made = stack.enter_context(generator(IDLE, daemon, self._keys, self._sizes, seconds))
            for other in (*self._daemons, *self._others):
                if other is not daemon:
                    # What it does by itself would count as this one's.
                    stack.enter_context(other.paused())
            settings = postgres.settings(self._urls[daemon.name], IDLE_SETTINGS)
            stack.enter_context(settings)
            stack.enter_context(warm([self._postmaster, daemon.pid]))
            time.sleep(IDLE_SETTLE)
            # Each process of Postgres does so little that the steps of _cost would be too coarse.
            before = cpu_seconds(daemon.pid), each_nanoseconds(self._postmaster)
            outcome = made.work()
            cost = (
                cpu_seconds(daemon.pid) - before[0],
                spent(before[1], each_nanoseconds(self._postmaster)),
            )
        return Sample(round(IDLE.idle * outcome.seconds / 60), outcome.seconds, *cost, 0, 0)

    def _fan_out(self, daemon: Process, *, studio: bool) -> None:
        url = self._urls[daemon.name]
        if not (fanout.tells if studio else fanout.known)(url):
            return
        empty = Fanout(self._sizes.followers, fanout.RATE)
        name = f"{daemon.name} {fanout.BROADCAST}" if studio else daemon.name
        into = self.fanouts.setdefault(name, empty)
        keys, sizes = self._keys, self._sizes
        run = fanout.Run(daemon, url, keys, sizes, self._cost, into, studio=studio)
        try:
            run.round(self._options.seconds)
        finally:
            run.stop()
        self._say(f"{name}: {report.fanout(into)}")

    def _of_files(self) -> None:
        """All rounds of what is measured of files."""
        options = self._options
        if options.wants(announcing.KEY):
            for number in range(options.rounds):
                self._announce("local", self._daemon, number)
        if options.wants(announcing.KEY_S3) and announcing.has_store():
            storage = _storage(options, self._urls["daemon"])
            with announcing.on_s3(options.folder, storage) as daemon:
                for number in range(options.rounds):
                    self._announce("s3", daemon, number)
        elif options.wants(announcing.KEY_S3):
            self._say("uploads-s3 is left out: it needs SeaweedFS (scripts/venv test)")
        if options.wants(transfers.KEY):
            self._transfer()

    def _announce(self, place: str, daemon: Process, number: int) -> None:
        into = self.announcements.setdefault(place, Announcement(place))
        writer = self._context.writers[number]
        announcing.measure(daemon, self._context, writer, self._cost, into)
        self._say(report.announcements([into]))

    def _transfer(self) -> None:
        size = transfers.size(self._options.scale)
        run = transfers.Run(self._daemon, self._context, self._options.folder, self._cost, size)
        try:
            for number in range(self._options.rounds):
                run.round(number, self.moves)
                self._say(report.moves(list(self.moves.values())))
        finally:
            run.stop()

    @contextmanager
    def _cost(self, subject: Process) -> Iterator[list[float]]:
        """The CPU seconds of the server and of Postgres, once the block has ended."""
        cost: list[float] = []
        pids = (subject.pid, self._postmaster)
        before = [cpu_seconds(pid) for pid in pids]
        yield cost
        cost.extend(cpu_seconds(pid) - then for pid, then in zip(pids, before, strict=True))


def _turned(everyone: list[Process], number: int) -> list[Process]:
    first = number % len(everyone)
    return everyone[first:] + everyone[:first]


def _machine(load: float) -> dict[str, str]:
    model = platform.processor()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return {
        "processor": model,
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.release()}",
        "load before": f"{load:.2f}",
    }


def _versions(server: postgres.Server) -> dict[str, str]:
    ours = {name: version(name) for name in _OURS}
    number = (server.data / "PG_VERSION").read_text().strip()
    return {"python": platform.python_version(), "postgres": number, **ours}
