"""`scripts/bench --wal`: what each operation writes and reads in Postgres.

Requests come one by one, each about other rows, from the real daemon. The first turn follows a
checkpoint: each page that it changes goes to the log as a whole. The second turn changes the same
pages again.
"""

import re
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import psycopg2

from contentsvc.tokens import Keys

from . import fanout, postgres, report, subjects, world
from .operations import API, Context
from .processes import Process
from .singly import Single
from .world import Sizes
from .wrk import Request

SCALE = 2.0
"""1,000,000 users."""
SETTINGS = {
    "autovacuum": "off",
    "bgwriter_lru_maxpages": "0",
    "checkpoint_timeout": "1d",
    "max_wal_size": "100GB",
}
"""Nothing but the requests writes."""
_TOLD = 5
"""Notifications for each user."""
_REPORT = 1.1
"""Seconds after which a connection of Postgres reports what it has read, with its next statement.
It reports once a second."""
_ALIGNED = 8
"""Bytes: a record begins at a multiple of them."""
_SHOWN = 0.05
"""Full pages of a table or index for a request, at least, to be shown."""
_SEED = 5
_RECORD = re.compile(r"^rmgr: (\w+) +len \(rec/tot\): *(\d+)/ *(\d+), tx: *(\d+)")
_BLOCK = re.compile(r"blkref #\d+: rel \d+/\d+/(\d+)(?: fork (\w+))? blk (\d+)( FPW)?")
_OF_THE_SERVER = {"XLOG", "Standby"}
"""Kinds of records that no request makes."""
_OF_THE_DAEMON = "processes"
"""The table in which a daemon reports every few seconds. Its indexes begin with its name."""


class WalError(Exception):
    """The log cannot be read, or an answer is wrong; `str()` says which."""


class Record(NamedTuple):
    """A record of the log: the bytes of all of it, and of its full pages; the pages that it
    changes, each as file number, fork and number; and the file numbers of the full ones."""

    transaction: int
    size: int
    full: int
    blocks: list[tuple[int, str, int]]
    images: list[int]


class Written(NamedTuple):
    """What the log has between two places: its bytes, and those of full pages."""

    size: int
    full: int
    images: Counter[int]
    """How many full pages there are of the table or index with this file number."""
    blocks: frozenset[tuple[int, str, int]]
    """All pages that are changed: file number, fork, and number."""


class Turn(NamedTuple):
    """The figures of one request: bytes of the log, those of full pages, how many full pages, pages
    that were clean before, pages found in Postgres's memory, and pages read into it."""

    wal: float
    full: float
    images: float
    dirtied: float
    hits: float
    reads: float


class Line(NamedTuple):
    """An operation's figures. `pages` has the full pages of the cold turn by table or index."""

    single: Single
    cold: Turn
    warm: Turn
    pages: dict[str, float]


def run(
    folder: Path,
    scale: float,
    singles: list[Single],
    number: int,
    kind: Callable[[Path, dict[str, str]], postgres.Server],
    settings: dict[str, str],
    say: Callable[[str], None],
) -> list[Line]:
    """Measure with `number` requests each. `settings` are more of Postgres's, by name.

    Raises WalError, ServerError, StartError, Inconsistent, FanoutError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sizes = Sizes.at(scale)._replace(told=_TOLD)
    with ExitStack() as stack:
        server = kind(folder, SETTINGS | settings)
        stack.callback(server.stop)
        name = f"bench_wal_{scale:g}".replace(".", "_")
        source = postgres.original(server, say, postgres.Ours(name, sizes))
        url = postgres.copy(server, source, say)
        stack.callback(postgres.dropped, server, url)
        keys = folder / "secret.keys"
        context = Context(sizes, Keys.load_or_generate(keys), url, _SEED)
        storage = ["--data-dir", str(folder), "--database", url, "--secret-file", str(keys)]
        # All requests use one connection, so that one statement has it report.
        daemon = subjects.daemon(folder, [*storage, "--pool-size", "1"], None)
        stack.callback(daemon.stop)
        log = stack.enter_context(closing(_Log(server, url)))
        return [_measured(each, context, number, daemon, log, say) for each in singles]


def _records(text: str) -> Iterator[Record]:
    """What pg_waldump has said."""
    for line in text.splitlines():
        found = _RECORD.match(line)
        if found is None or found[1] in _OF_THE_SERVER:
            continue
        own, whole, transaction = (int(number) for number in found.groups()[1:])
        pages = _BLOCK.findall(line)
        yield Record(
            transaction,
            -(-whole // _ALIGNED) * _ALIGNED,
            whole - own,
            [(int(node), fork, int(block)) for node, fork, block, _ in pages],
            [int(node) for node, _, _, image in pages if image],
        )


class _Log:
    """Looks at the log and at the counts of a database, from outside of it."""

    def __init__(self, server: postgres.Server, url: str) -> None:
        self._server = server
        self._url = url
        self._name = urlsplit(url).path[1:]
        self._connection = psycopg2.connect(server.url)
        self._connection.autocommit = True

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def checkpoint(self) -> None:
        """Write all pages, so that the next change of each is its first."""
        self._query("checkpoint")

    def place(self) -> str:
        """The end of the log."""
        (place,) = self._query("select pg_current_wal_flush_lsn()")
        return str(place)

    def pages(self) -> tuple[int, int]:
        """Pages that were found in memory, and pages that were read, as far as it is reported."""
        hits, reads = self._query(
            "select blks_hit, blks_read from pg_stat_database where datname = %s", self._name
        )
        return hits, reads

    def names(self) -> dict[int, str]:
        """Tables and indexes by file number."""
        with closing(psycopg2.connect(self._url)) as connection, connection.cursor() as cursor:
            cursor.execute("select pg_relation_filenode(oid), relname from pg_class")
            return dict(cursor.fetchall())

    def written(self, begin: str, end: str) -> Written:
        """What lies between two places. Raises WalError."""
        done = subprocess.run(  # noqa: S603
            [
                *(self._server.programs / "pg_waldump", "-p", self._server.data / "pg_wal"),
                *("-s", begin, "-e", end),
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode and "could not find a valid record" not in done.stderr:
            raise WalError(f"pg_waldump: {done.stderr}")
        records = list(_records(done.stdout))
        reports = {node for node, name in self.names().items() if name.startswith(_OF_THE_DAEMON)}
        told = [r for r in records if any(node in reports for node, _, _ in r.blocks)]
        # What belongs to no transaction stands for itself.
        apart = {record.transaction for record in told} - {0}
        records = [r for r in records if r.transaction not in apart and r not in told]
        return Written(
            sum(record.size for record in records),
            sum(record.full for record in records),
            Counter(node for record in records for node in record.images),
            frozenset(block for record in records for block in record.blocks),
        )

    def _query(self, query: str, *values: object) -> Any:
        with self._connection.cursor() as cursor:
            cursor.execute(query, values)
            return cursor.fetchone() if cursor.description else None


def _measured(
    single: Single,
    context: Context,
    number: int,
    daemon: Process,
    log: _Log,
    say: Callable[[str], None],
) -> Line:
    pairs = single.make(context, number)
    with closing(HTTPConnection("127.0.0.1", daemon.port, timeout=60)) as connection:

        def settled() -> tuple[int, int]:
            fanout.settle(context.url)
            time.sleep(_REPORT)
            # Whatever runs a statement.
            _answered(connection, Request("GET", f"{API}/user/{world.user(0)}/info"), 200)
            return log.pages()

        def turn(requests: Iterable[Request], known: Written | None) -> tuple[Turn, Written]:
            found, begin = settled(), log.place()
            for request in requests:
                _answered(connection, request, single.status)
            pages = settled()
            written = log.written(begin, log.place())
            dirtied = written.blocks - (known.blocks if known else frozenset())
            hits, reads = (now - then for now, then in zip(pages, found, strict=True))
            sums = (written.size, written.full, written.images.total(), len(dirtied), hits, reads)
            return Turn(*(each / len(pairs) for each in sums)), written

        settled()
        log.checkpoint()
        cold, written = turn((one for one, _ in pairs), None)
        warm, _ = turn((two for _, two in pairs), written)
    names = log.names()
    images = {names.get(n, str(n)): count / len(pairs) for n, count in written.images.items()}
    say(f"{single.title}: {cold.wal:,.0f} bytes, warm {warm.wal:,.0f}")
    return Line(single, cold, warm, images)


def _answered(connection: HTTPConnection, request: Request, expected: int) -> None:
    connection.request(request.method, request.path, request.body, request.headers)
    answer = connection.getresponse()
    body = answer.read()
    if answer.status != expected:
        raise WalError(f"{request.method} {request.path}: {answer.status} {body[:500]!r}")


def table(lines: Sequence[Line]) -> str:
    """The figures of each request, cold and warm; then the full pages of each cold one."""
    cold = ("WAL", "of full pages", "full pages", "dirtied", "hits", "reads")
    head = ("bytes of one", *cold, "warm: WAL", "full pages", "dirtied", "hits")
    rows = []
    for line in lines:
        first, again = line.cold, line.warm
        share = f"{first.full / first.wal:.0%}" if first.wal else ""
        rows.append(
            (
                line.single.title,
                *(f"{first.wal:,.0f}", share, f"{first.images:.2f}", f"{first.dirtied:.2f}"),
                *(f"{first.hits:,.1f}", f"{first.reads:,.2f}"),
                *(f"{again.wal:,.0f}", f"{again.images:.2f}", f"{again.dirtied:.2f}"),
                f"{again.hits:,.1f}",
            )
        )
    parts = ["\n".join(report.laid_out(head, rows))]
    for line in lines:
        most = sorted(line.pages.items(), key=lambda item: (-item[1], item[0]))
        named = ", ".join(f"{name} {count:.2f}" for name, count in most if count >= _SHOWN)
        if named:
            parts.append(f"{line.single.title}: {named}")
    return "\n\n".join(parts)
