"""The results, as they are saved."""

from collections.abc import Iterable, Sequence
from statistics import median

import msgspec


class Sample(msgspec.Struct):
    """One run of one operation against one server. CPU in seconds, latencies in milliseconds."""

    requests: int
    seconds: float
    server_cpu: float
    postgres_cpu: float
    p50: float
    p99: float


class Figures(msgspec.Struct):
    """The medians of an operation's runs; CPU in microseconds for each request. `busy` is how
    many cores the server kept busy."""

    rate: float
    server: float
    postgres: float
    p50: float
    p99: float
    busy: float
    samples: list[Sample]

    @property
    def total(self) -> float:
        """Server and Postgres."""
        return self.server + self.postgres


class Row(msgspec.Struct):
    """An operation. `subjects` has the daemon's figures, and the floor's and the peer's where
    they have it too."""

    key: str
    title: str
    connections: int | None
    subjects: dict[str, Figures]


class Fanout(msgspec.Struct):
    """What was measured of fan-outs to so many followers. Milliseconds of each answer to the author
    (`unfollowed` is another author), of each request of others (`quiet`: without a fan-out), and
    from the answer to each frame (`overtaking`: from that to another author, who publishes
    meanwhile for one follower); seconds until all were told, `told_beside` with the others'
    requests; microseconds of CPU for each follower, of fan-outs with nothing beside."""

    followers: int
    rate: float
    unfollowed: list[float] = []
    followed: list[float] = []
    quiet: list[float] = []
    meanwhile: list[float] = []
    frames: list[float] = []
    overtaking: list[float] = []
    told: list[float] = []
    told_beside: list[float] = []
    server: list[float] = []
    postgres: list[float] = []


class Move(msgspec.Struct):
    """Some transfers at once. Seconds of time and of the server's CPU; milliseconds of each answer
    of the daemon to /health/live meanwhile, whoever transfers; the server's highest memory, in
    bytes."""

    seconds: float
    cpu: float
    waits: list[float]
    peak: int | None = None


class Moves(msgspec.Struct):
    """Transfers of files of so many bytes, `at_once` of them. `subjects` are the daemon, nginx, and
    `plain`: a program that hashes, writes and fsyncs the same bytes."""

    direction: str
    at_once: int
    size: int
    subjects: dict[str, list[Move]] = {}
    start: int = 0
    """The daemon's memory after its start, in bytes."""

    def rate(self, subject: str) -> float:
        """Megabytes (10^6) each second, all together."""
        return median(self.size * self.at_once / m.seconds for m in self.subjects[subject]) / 1e6

    def cpu(self, subject: str) -> float:
        """Seconds of CPU for each gibibyte."""
        each = (m.cpu / (self.size * self.at_once) for m in self.subjects[subject])
        return median(each) * 2**30


class Call(msgspec.Struct):
    """One call: milliseconds until its answer, and those of CPU of the server and of Postgres."""

    took: float
    server: float
    postgres: float


class Announcement(msgspec.Struct):
    """POST /uploads with files that lie at this place, by the calls' names."""

    place: str
    calls: dict[str, list[Call]] = {}


class Results(msgspec.Struct):
    """Everything of one run of the benchmark."""

    when: str
    machine: dict[str, str]
    versions: dict[str, str]
    options: dict[str, str]
    ready: float | None
    """Seconds from the daemon's second start to ready, its Postgres included."""
    per_socket: float | None
    """Bytes of an idle socket, in the daemon."""
    rows: list[Row]
    fanout: dict[str, Fanout] = {}
    """By the names of the daemons."""
    moves: list[Moves] = []
    announcements: list[Announcement] = []

    def row(self, key: str) -> Row | None:
        """The operation of this key."""
        return next((row for row in self.rows if row.key == key), None)


def figures(samples: Sequence[Sample]) -> Figures:
    """The medians."""

    def middle(values: Iterable[float]) -> float:
        return median(values)

    return Figures(
        middle(s.requests / s.seconds for s in samples),
        middle(s.server_cpu / s.requests * 1e6 for s in samples),
        middle(s.postgres_cpu / s.requests * 1e6 for s in samples),
        middle(s.p50 for s in samples),
        middle(s.p99 for s in samples),
        middle(s.server_cpu / s.seconds for s in samples),
        list(samples),
    )


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of them do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
