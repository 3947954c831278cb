"""Tables for people."""

from collections.abc import Iterable, Sequence
from statistics import median

from .operations import OURS, STUDIOS
from .results import Announcement, Fanout, Moves, Results, percentile

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
    parts = ["\n".join(laid_out(_HEAD, lines)) if lines else ""]
    if any(len(row.subjects) > 1 for row in results.rows):
        parts.append(ratios(results))
    parts += [f"{name}: {fanout(each)}" for name, each in results.fanout.items()]
    if results.moves:
        parts.append(moves(results.moves))
    if results.announcements:
        parts.append(announcements(results.announcements))
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
    return "\n".join(laid_out(head, lines))


def fanout(measured: Fanout) -> str:
    """The latencies around fan-outs, and how long those took."""
    followers, rate = f"{measured.followers:,}", f"{measured.rate:,.0f}/s"
    rows = (
        ("publish, nobody follows", measured.unfollowed),
        (f"publish, {followers} follow", measured.followed),
        (f"others at {rate}, nothing beside", measured.quiet),
        (f"others at {rate}, beside a fan-out", measured.meanwhile),
        ("from the author's answer to a frame", measured.frames),
        ("the same, of another author meanwhile", measured.overtaking),
    )
    lines = [
        (title, f"{len(took):,}", *(f"{each:,.1f}" for each in _spread(took)))
        for title, took in rows
        if took
    ]
    head = (f"to {followers} followers", "number", "p50 ms", "p99 ms", "max ms")
    beside = f"beside others after {median(measured.told_beside):.1f} s."
    if not measured.told:
        return "\n".join((*laid_out(head, lines), f"All are told {beside}"))
    return "\n".join(
        (
            *laid_out(head, lines),
            f"All are told after {median(measured.told):.1f} s, {beside}",
            f"CPU for each: {median(measured.server):.0f} µs of the server, "
            f"{median(measured.postgres):.0f} µs of Postgres.",
        )
    )


def moves(measured: Sequence[Moves]) -> str:
    """What transfers of files cost, and the daemon's rate over nginx's."""
    lines = []
    for each in measured:
        for subject, runs in each.subjects.items():
            first = subject == "daemon"
            waits = [wait for run in runs for wait in run.waits]
            peaks = [run.peak - each.start for run in runs if run.peak is not None]
            rates = each.rate("daemon"), each.rate(subject)
            lines.append(
                (
                    f"{each.direction}, {each.at_once} at once" if first else f"  {subject}",
                    f"{each.rate(subject):,.0f}",
                    "" if first else f"{rates[0] / rates[1]:.2f}",
                    f"{each.cpu(subject):.2f}",
                    f"{max(peaks) / 2**20:,.0f}" if first and peaks else "",
                    *(f"{wait:,.1f}" for wait in (_spread(waits) if waits else ())),
                    *([] if waits else [""] * 3),
                )
            )
    size = f"{measured[0].size / 2**20:,.0f} MiB"
    wait = ("lag p50", "p99", "worst ms")
    return "\n".join(laid_out((size, "MB/s", "daemon/it", "CPU s/GiB", "MiB more", *wait), lines))


def announcements(measured: Sequence[Announcement]) -> str:
    """What POST /uploads costs."""
    lines = [
        (
            f"{each.place}: {name}",
            *(
                f"{median(values):,.0f}"
                for values in zip(*((c.took, c.server, c.postgres) for c in calls), strict=True)
            ),
        )
        for each in measured
        for name, calls in each.calls.items()
    ]
    head = ("POST /uploads, 1,000 files", "ms", "server ms", "Postgres ms")
    return "\n".join(laid_out(head, lines))


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
    return "\n".join(laid_out(head, lines))


def _footer(results: Results) -> Iterable[str]:
    ours, studios = results.row(OURS), results.row(STUDIOS)
    if ours is not None and studios is not None:
        ratio = ours.subjects["daemon"].total / studios.subjects["daemon"].total
        yield f"PUT content with 20 paths of ours costs {ratio:.2f} of one with the studio's."
    if results.ready is not None:
        yield f"Start to ready, the second time: {results.ready:.2f} s."
    if results.per_socket is not None:
        yield f"An idle socket: {results.per_socket / 1024:.1f} KB of the daemon's memory."


def laid_out(head: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterable[str]:
    """The lines of a table, with columns as wide as they must be."""
    widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
    for line in (head, ["-" * width for width in widths], *lines):
        first, *rest = zip(line, widths, strict=True)
        cells = [first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in rest)]
        yield "  ".join(cells).rstrip()
