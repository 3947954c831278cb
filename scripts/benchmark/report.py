"""The results, as they are saved, and tables of them for people."""

from collections.abc import Iterable, Sequence
from statistics import median
from typing import NamedTuple

import msgspec


class Sample(msgspec.Struct):
    """One run of one operation against one daemon. CPU in seconds, latencies in milliseconds."""

    requests: int
    seconds: float
    server_cpu: float
    postgres_cpu: float
    p50: float
    p99: float


class Row(msgspec.Struct):
    """An operation, with the samples of each daemon that has it."""

    key: str
    title: str
    connections: int | None
    samples: dict[str, list[Sample]] = {}


class Idle(msgspec.Struct):
    """So many idle sockets: bytes of the daemon's memory for each, and for each of the second half.
    The first ones use memory that the process took for its start, and freed."""

    number: int
    each: float
    second_half: float


class Fanout(msgspec.Struct):
    """Fan-outs to so many followers. Milliseconds of each answer to the author (`unfollowed` is
    another author), of each read of others (`quiet`: without a fan-out), and from an answer to each
    frame; seconds until all were notified, `notified_beside` with the others' reads; microseconds
    of CPU for each follower, of fan-outs with nothing beside."""

    followers: int
    rate: int
    unfollowed: list[float] = []
    followed: list[float] = []
    quiet: list[float] = []
    meanwhile: list[float] = []
    frames: list[float] = []
    notified: list[float] = []
    notified_beside: list[float] = []
    server: list[float] = []
    postgres: list[float] = []


class Results(msgspec.Struct):
    """Everything of one run of the benchmark; `idle` and `fanout` by the names of the daemons."""

    when: str
    versions: dict[str, str]
    options: dict[str, str]
    rows: list[Row] = []
    idle: dict[str, Idle] = {}
    fanout: dict[str, Fanout] = {}


class Figures(NamedTuple):
    """The medians of samples; CPU in microseconds for each request. `cores` is how many of them the
    daemon kept busy."""

    rate: float
    server: float
    postgres: float
    cores: float
    p50: float
    p99: float

    @classmethod
    def of(cls, samples: Sequence[Sample]) -> "Figures":
        """The medians of these."""
        return cls(
            median(s.requests / s.seconds for s in samples),
            median(s.server_cpu / s.requests * 1e6 for s in samples),
            median(s.postgres_cpu / s.requests * 1e6 for s in samples),
            median(s.server_cpu / s.seconds for s in samples),
            median(s.p50 for s in samples),
            median(s.p99 for s in samples),
        )


def spread(values: Sequence[float]) -> tuple[float, float, float]:
    """The median, the smallest value that 99 % do not exceed, and the highest."""
    ordered = sorted(values)
    last = len(ordered) - 1
    return median(ordered), ordered[min(last, len(ordered) * 99 // 100)], ordered[last]


def table(results: Results) -> str:
    """All tables, and the ratios where another checkout was measured beside this one."""
    parts = [_operations(results.rows)] if results.rows else []
    if any(len(row.samples) > 1 for row in results.rows):
        parts.append(_ratios(results.rows))
    if results.idle:
        parts.append(_idle(results.idle))
    parts += [fanout(name, each) for name, each in results.fanout.items()]
    return "\n\n".join(parts)


def _operations(rows: Sequence[Row]) -> str:
    head = ("operation", "conns", "req/s", "server µs", "Postgres µs", "cores", "p50 ms", "p99 ms")
    lines = []
    for row in rows:
        for name, samples in row.samples.items():
            title, connections = row.title, str(row.connections or "")
            if name != "daemon":
                title, connections = f"  {name}", ""
            forms = ("{:,.0f}", "{:,.0f}", "{:,.0f}", "{:.2f}", "{:,.1f}", "{:,.1f}")
            figures = zip(forms, Figures.of(samples), strict=True)
            lines.append((title, connections, *(form.format(value) for form, value in figures)))
    return _laid_out(head, lines)


def _ratios(rows: Sequence[Row]) -> str:
    """CPU per request, the daemon's and Postgres's, over that of the other checkout: the quotient
    of the medians, and the lowest and the highest of single rounds."""
    lines = []
    for row in rows:
        if len(row.samples) > 1:
            ours, theirs = row.samples["daemon"], row.samples["beside"]
            rounds = [_cpu([a]) / _cpu([b]) for a, b in zip(ours, theirs, strict=True)]
            least_and_most = f"{min(rounds):.2f} to {max(rounds):.2f}"
            lines.append((row.title, f"{_cpu(ours) / _cpu(theirs):.2f}", least_and_most))
    return _laid_out(("CPU per request, with Postgres", "daemon/beside", "of rounds"), lines)


def _cpu(samples: Sequence[Sample]) -> float:
    it = Figures.of(samples)
    return it.server + it.postgres


def _idle(measured: dict[str, Idle]) -> str:
    lines = [
        (name, f"{it.number:,}", f"{it.each / 1024:.2f}", f"{it.second_half / 1024:.2f}")
        for name, it in measured.items()
    ]
    return _laid_out(("idle sockets", "number", "KiB each", "of the second half"), lines)


def fanout(name: str, measured: Fanout) -> str:
    """The latencies around fan-outs, and how long those took."""
    followers, rate = f"{measured.followers:,}", f"{measured.rate:,}/s"
    rows = (
        ("publish, nobody follows", measured.unfollowed),
        (f"publish, {followers} follow", measured.followed),
        (f"others at {rate}, nothing beside", measured.quiet),
        (f"others at {rate}, beside a fan-out", measured.meanwhile),
        ("from the author's answer to a frame", measured.frames),
    )
    lines = []
    for title, took in rows:
        lines.append((title, f"{len(took):,}", *(f"{each:,.1f}" for each in spread(took))))
    head = (f"{name}, to {followers} followers", "number", "p50 ms", "p99 ms", "max ms")
    return (
        f"{_laid_out(head, lines)}\n"
        f"All are notified after {median(measured.notified):.1f} s, "
        f"beside others after {median(measured.notified_beside):.1f} s.\n"
        f"CPU for each: {median(measured.server):.0f} µs of the server, "
        f"{median(measured.postgres):.0f} µs of Postgres."
    )


def _laid_out(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table, with columns as wide as they must be."""
    lines = list(lines)
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
    text = []
    for line in (head, ["-" * width for width in widths], *lines):
        first, *rest = zip(line, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
        text.append("  ".join(cells).rstrip())
    return "\n".join(text)
