"""`scripts/bench --idle`: what a daemon with 5,000 idle sockets asks of Postgres by itself, process
by process and statement by statement.

The processes are measured as they are. Then the server notes what each statement takes, which costs
more than the statements; and once more while a task waits that is told to many.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

import psycopg2

from contentsvc.framework.tasks.task import encoded
from contentsvc.jobs.handlers import LOOK_EVERY
from contentsvc.store.tasks import ContentPublished
from contentsvc.tokens import Keys

from . import postgres, subjects, world
from .processes import each_nanoseconds
from .push import IDLE, IDLE_SETTINGS, IDLE_SETTLE, generator
from .report import laid_out
from .warm_memory import warm
from .world import Sizes

SCALE = 0.02
"""Of the data set: what idles does not depend on it."""
SECONDS = 60
"""Seconds of each of the first two measurements."""
WAITING = 40
"""Seconds of the last, less than the task waits."""
_NAME = "bench_idle"
_NOTED = {
    "log_statement_stats": "on",
    "log_min_error_statement": "log",
    "log_error_verbosity": "verbose",
}
_USED = re.compile(r"!\t([0-9.]+) s user, ([0-9.]+) s system")
_STATEMENT = re.compile(r"STATEMENT:\s+(.+)")
_NAMED = re.compile(r"^(?:BEGIN;)?(?:PREPARE|EXECUTE) (\w+)")
_NUMBERS = re.compile(r"\d+")
_OURS = ("alter system", "select pg_reload_conf")


class Cost(NamedTuple):
    """So many runs of a statement, and the seconds of CPU that they took."""

    runs: int
    seconds: float


def run(
    folder: Path,
    scale: float,
    workers: int | None,
    kind: Callable[..., postgres.Server],
    say: Callable[[str], None],
) -> str:
    """Measure, and give the tables. Raises ServerError, StartError, HelperError."""
    folder.mkdir(parents=True, exist_ok=True)
    keys, sizes = folder / "secret.keys", Sizes.at(scale, None)
    Keys.load_or_generate(keys)
    with ExitStack() as stack:
        server = kind(folder, {})
        stack.callback(server.stop)
        name = f"{_NAME}_{scale:g}".replace(".", "_")
        source = postgres.original(server, say, postgres.Ours(name, sizes))
        url = postgres.copy(server, source, say)
        stack.callback(postgres.dropped, server, url)
        storage = ["--data-dir", str(folder), "--database", url, "--secret-file", str(keys)]
        daemon = subjects.daemon(folder, storage, workers)
        stack.callback(daemon.stop)
        stack.enter_context(postgres.settings(url, IDLE_SETTINGS))
        stack.enter_context(generator(IDLE, daemon, keys, sizes, SECONDS))
        stack.enter_context(warm([postgres.postmaster(server), daemon.pid]))
        time.sleep(IDLE_SETTLE)
        say(f"processes of Postgres, {SECONDS} s")
        processes = _processes(url, postgres.postmaster(server))
        say(f"statements, {SECONDS} s")
        statements = _statements(url, server.data, SECONDS)
        say(f"statements while a task waits, {WAITING} s")
        _put(url, sizes)
        beside = _statements(url, server.data, WAITING)
    return "\n".join([*processes, "", *statements, "", "while a task waits:", *beside])


def _processes(url: str, postmaster: int) -> list[str]:
    def read() -> dict[int, int]:
        return {pid: ns for pid, ns in each_nanoseconds(postmaster).items() if pid != postmaster}

    names = _names(url)
    started, before = time.monotonic(), read()
    time.sleep(SECONDS)
    after, minute = read(), 60 / (time.monotonic() - started)
    spent: dict[str, list[float]] = {}
    for pid, now in after.items():
        # One that came meanwhile is a worker of autovacuum, or a connection of the pool.
        name = names.get(pid, "came meanwhile")
        spent.setdefault(name, []).append((now - before.get(pid, 0)) / 1e6 * minute)
    rows = sorted(spent.items(), key=lambda item: -sum(item[1]))
    total = sum(sum(each) for each in spent.values())
    lines = [(name, str(len(each)), f"{sum(each):.1f}") for name, each in rows]
    head = ("", "processes", "ms a minute")
    return [*laid_out(head, [*lines, ("all", "", f"{total:.1f}")])]


def _names(url: str) -> dict[int, str]:
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute(
            "select pid, coalesce(nullif(application_name, ''), backend_type)"
            " from pg_stat_activity where pid <> pg_backend_pid()"
        )
        return dict(cursor.fetchall())


def _put(url: str, sizes: Sizes) -> None:
    """Add a step that has failed, and is to be tried again in a minute."""
    author = world.user(sizes.star)
    task = encoded(ContentPublished(author=author, content=str(uuid4()), upto=0))
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        connection.autocommit = True
        cursor.execute(
            "insert into tasks (queue, kind, task, topic, tries, due)"
            " values (%s, %s, %s, %s, 1, now() + interval '59 s')",
            (task.queue, task.kind, task.task, task.topic),
        )
    time.sleep(2 * LOOK_EVERY)


def _statements(url: str, data: Path, seconds: int) -> list[str]:
    with postgres.settings(url, _NOTED):
        places = {log: log.stat().st_size for log in _logs(data)}
        started = time.monotonic()
        time.sleep(seconds)
        minute = 60 / (time.monotonic() - started)
    costs: dict[str, Cost] = {}
    for log in _logs(data):
        text = log.read_bytes()[places.get(log, 0) :].decode(errors="replace")
        for name, took in _noted(text.splitlines()):
            before = costs.get(name, Cost(0, 0.0))
            costs[name] = Cost(before.runs + 1, before.seconds + took)
    rows = sorted(costs.items(), key=lambda item: -item[1].seconds)
    table = [
        (
            name,
            f"{cost.runs * minute:.0f}",
            f"{cost.seconds / cost.runs * 1e6:.0f}",
            f"{cost.seconds * 1e3 * minute:.1f}",
        )
        for name, cost in rows
    ]
    runs, spent = sum(cost.runs for _, cost in rows), sum(cost.seconds for _, cost in rows)
    table.append(("all", f"{runs * minute:.0f}", "", f"{spent * 1e3 * minute:.1f}"))
    return [*laid_out(("", "times a minute", "µs", "ms a minute"), table)]


def _noted(lines: Sequence[str]) -> Iterator[tuple[str, float]]:
    """The statements of a log, and the CPU that each took. Two processes may write at a time, but
    each writes a statement's lines at once."""
    seconds: float | None = None
    for line in lines:
        if used := _USED.search(line):
            seconds = float(used[1]) + float(used[2])
        elif (said := _STATEMENT.search(line)) and seconds is not None:
            if not said[1].startswith(_OURS):
                yield _short(said[1]), seconds
            seconds = None


def _short(statement: str) -> str:
    """What is the same in each run of it: its name, if it has one."""
    named = _NAMED.search(statement)
    return named[1] if named else _NUMBERS.sub("n", " ".join(statement.split()))[:60]


def _logs(data: Path) -> list[Path]:
    return [*(data / "log").glob("*.log"), *(path for path in [data / "log"] if path.is_file())]
