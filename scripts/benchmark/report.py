"""Tables for people."""

from collections.abc import Iterable, Sequence
from statistics import median

from .results import Fanout, Results, percentile

_HEAD = ("operation", "conns", "req/s", "server µs", "Postgres µs", "cores", "p50 ms", "p99 ms")


def table(results: Results) -> str:
    """The figures of every operation, and the ratios where there is something to compare."""
    lines: list[Sequence[str]] = []
    for row in results.rows:
        for subject, figures in row.subjects.items():
            first = subject == "daemon"
            lines.append(
                (
                    row.title if first else f"  {subject}",
                    str(row.connections or "") if first else "",
                    f"{figures.rate:,.0f}",
                    f"{figures.server:,.0f}",
                    f"{figures.postgres:,.0f}",
                    f"{figures.busy:.2f}",
                    f"{figures.p50:,.1f}",
                    f"{figures.p99:,.1f}",
                )
            )
    parts = ["\n".join(_laid_out(_HEAD, lines)) if lines else ""]
    if any(len(row.subjects) > 1 for row in results.rows):
        parts.append(ratios(results))
    parts += [f"{name}: {fanout(each)}" for name, each in results.fanout.items()]
    parts.append("\n".join(_footer(results)))
    return "\n\n".join(part for part in parts if part)


def ratios(results: Results) -> str:
    """CPU per request, daemon's and Postgres's, over that of the others."""
    known = ("peer", "floor", "beside")
    others = [name for name in known if any(name in r.subjects for r in results.rows)]
    lines = []
    for row in results.rows:
        if len(row.subjects) > 1:
            daemon = row.subjects["daemon"].total
            quotients = (
                f"{daemon / row.subjects[name].total:.2f}" if name in row.subjects else ""
                for name in others
            )
            lines.append((row.title, *quotients))
    head = ("CPU per request, with Postgres", *(f"daemon/{name}" for name in others))
    return "\n".join(_laid_out(head, lines))


def fanout(measured: Fanout) -> str:
    """The latencies around fan-outs, and how long those took."""
    followers, rate = f"{measured.followers:,}", f"{measured.rate:,.0f}/s"
    rows = (
        ("publish, nobody follows", measured.unfollowed),
        (f"publish, {followers} follow", measured.followed),
        (f"others at {rate}, nothing beside", measured.quiet),
        (f"others at {rate}, beside a fan-out", measured.meanwhile),
        ("from the author's answer to a frame", measured.frames),
    )
    lines = [
        (title, f"{len(took):,}", *(f"{each:,.1f}" for each in _spread(took)))
        for title, took in rows
    ]
    head = (f"to {followers} followers", "number", "p50 ms", "p99 ms", "max ms")
    return "\n".join(
        (
            *_laid_out(head, lines),
            f"All are told after {median(measured.told):.1f} s, "
            f"beside others after {median(measured.told_beside):.1f} s.",
            f"CPU for each: {median(measured.server):.0f} µs of the server, "
            f"{median(measured.postgres):.0f} µs of Postgres.",
        )
    )


def _spread(took: Sequence[float]) -> tuple[float, float, float]:
    return percentile(took, 50), percentile(took, 99), max(took)


def than(results: Results, other: Results) -> str:
    """CPU per request over that of another run of the benchmark."""
    lines = []
    for row in results.rows:
        before = other.row(row.key)
        if before is not None:
            now, then = row.subjects["daemon"].total, before.subjects["daemon"].total
            lines.append((row.title, f"{then:,.0f}", f"{now:,.0f}", f"{now / then:.2f}"))
    scale = f"scale {other.options['scale']}"
    head = ("CPU per request, with Postgres", f"µs, {scale}", "µs, now", "now/then")
    return "\n".join(_laid_out(head, lines))


def _footer(results: Results) -> Iterable[str]:
    if results.ready is not None:
        yield f"Start to ready, the second time: {results.ready:.2f} s."
    if results.per_socket is not None:
        yield f"An idle socket: {results.per_socket / 1024:.1f} KB of the daemon's memory."


def _laid_out(head: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterable[str]:
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
    for line in (head, ["-" * width for width in widths], *lines):
        first, *rest = zip(line, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
        yield "  ".join(cells).rstrip()
