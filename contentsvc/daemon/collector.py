"""The metrics of a process: read from its parts when somebody asks, and as plain values."""

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeVar, get_args

from prometheus_client import ProcessCollector

from contentsvc.daemon import metrics
from contentsvc.daemon.context import Parts
from contentsvc.daemon.metric_values import Family, Histogram, Kind, Labels, Metric, Row
from contentsvc.daemon.observations import Observed
from contentsvc.db.errors import Cause
from contentsvc.push.statistics import CLIENTS, OTHER
from contentsvc.store.accounts.mails import Queue
from contentsvc.store.outbox import Backlog
from contentsvc.tasks.mails import Counts
from contentsvc.wire.health import ready

UNKNOWN: Final = "unknown"
"""The route of requests that have none, whatever their path is."""
K = TypeVar("K")
_MORE = "other"
_NOT_READY = "not ready"
_CAUSES = (*get_args(Cause), "hashing", "limit", "storage_unavailable", _NOT_READY)
"""These are 0 from the start, so that their first one is an increase."""
_PROCESS = ProcessCollector(registry=None)


class Queues(NamedTuple):
    """What waits in the database."""

    outbox: list[Backlog]
    mails: Queue


def build(version: str, migration: str) -> Family:
    """Which build this is. `migration` is the newest that it knows."""
    labels = (version, migration, platform.python_version())
    return metrics.BUILD_INFO.of([Row(labels, (1,))])


def of_process() -> Iterator[Family]:
    """Processor time, memory and open files, by the names that all programs use."""
    for metric in _PROCESS.collect():
        kind: Kind = "counter" if metric.type == "counter" else "gauge"
        rows = [Row((), (sample.value,)) for sample in metric.samples]
        yield Family(name=metric.name, kind=kind, help=metric.documentation, rows=rows)


def of_readiness(missing: Iterable[str] | None, reasons: Iterable[str]) -> list[Family]:
    """Whether the process can serve. `missing` is None if it is not known."""
    found = [] if missing is None else [*missing]
    held = {reason: float(reason in found) for reason in (*reasons, *found)}
    return [
        metrics.READY.one(missing is not None and ready(found) is not None),
        metrics.NOT_READY.by(held),
    ]


def of_observed(observed: Observed) -> list[Family]:
    """What is only counted for operators."""
    return [
        _durations(
            metrics.REQUESTS,
            observed.requests,
            lambda key: (key[0], UNKNOWN if key[1] == "-" else key[1], f"{key[2]}xx"),
        ),
        _durations(metrics.PUSH_DELAY, observed.pushes, lambda key: (key,)),
        _durations(metrics.POOL_WAIT, observed.waits, _as_it_is),
        _durations(metrics.EVENT_LOOP_LAG, observed.lags, _as_it_is),
        metrics.FAILED_LOG_INS.by(observed.log_ins),
    ]


def of_parts(parts: Parts) -> Iterator[Family]:
    """What the parts know of themselves."""
    yield from _of_sockets(parts)
    yield from _of_relay(parts)
    yield from _of_database(parts)
    yield metrics.UNAVAILABLE.by(_by_cause(parts.unavailable.totals))
    yield metrics.PASSWORDS_WAITING.one(parts.passwords.waiting)
    yield metrics.PASSWORDS_HASHING.one(parts.passwords.running)
    counts = Counts() if parts.mailing is None else parts.mailing.counts
    yield metrics.MAILS.by(
        {"sent": counts.sent, "put off": counts.put_off, "refused": counts.refused}
    )
    failing = {job.name for job in parts.runner.failing}
    yield metrics.JOB_FAILING.by({name: float(name in failing) for name in parts.runner.names})


def _of_sockets(parts: Parts) -> Iterator[Family]:
    hub, counts = parts.hub, parts.hub.counts
    clients = (*CLIENTS, OTHER)
    live = {client: float(counts.live[client]) for client in clients}
    yield metrics.SOCKETS.by({**live, "none": len(hub.sockets) - sum(live.values())})
    yield metrics.SOCKETS_LIMIT.one(hub.limit)
    yield metrics.USERS_CONNECTED.one(len(hub.users()))
    yield metrics.SOCKET_SIGN_INS.by({client: counts.sign_ins[client] for client in clients})
    yield metrics.SOCKET_CLOSES.of(
        [
            Row((closer, str(code) if code else _MORE), (count,))
            for (closer, code), count in counts.closes.items()
        ]
    )


def _of_relay(parts: Parts) -> Iterator[Family]:
    yield metrics.RELAY_CONNECTED.one(parts.relay.alive)
    yield metrics.RELAY_RECONNECTS.one(max(0, parts.relay.listens - 1))
    yield metrics.SWEEP_FOUND.one(parts.hub.found)


def _of_database(parts: Parts) -> Iterator[Family]:
    db = parts.db
    yield metrics.POOL_SIZE.one(db.size)
    yield metrics.POOL_OPEN.one(db.opened)
    yield metrics.POOL_USED.one(db.used)
    yield metrics.POOL_WAITING.one(db.waiting)
    replica = parts.replica
    yield metrics.REPLICA_UP.one(replica is not None and replica.up)
    yield metrics.REPLICA_READS.by(
        {"replica": 0, "primary": 0}
        if replica is None
        else {"replica": replica.reads, "primary": replica.others}
    )


def of_site(parts: Parts, in_flight: int, connections: int) -> Iterator[Family]:
    """The requests and connections of the site."""
    yield metrics.REQUESTS_IN_FLIGHT.one(in_flight)
    yield metrics.HTTP_CONNECTIONS.one(connections)
    yield metrics.CONNECTIONS_LIMIT.one(parts.connections)


def of_queues(queues: Queues | None, kinds: Iterable[str]) -> Iterator[Family]:
    """The outbox and the mails, which all processes share. `queues` is None if they could not be
    read."""
    yield metrics.QUEUES_READ.one(queues is not None)
    if queues is None:
        return
    mails = queues.mails
    yield metrics.MAILS_WAITING.one(mails.mails)
    yield metrics.MAILS_FAILING.one(mails.failing)
    yield metrics.MAILS_OLDEST.one(mails.oldest)
    found = {waiting.kind: waiting for waiting in queues.outbox}
    none = dict.fromkeys(kinds, 0)
    yield metrics.OUTBOX_TASKS.by({**none, **{kind: each.tasks for kind, each in found.items()}})
    yield metrics.OUTBOX_FAILING.by(
        {**none, **{kind: each.failing for kind, each in found.items()}}
    )
    yield metrics.OUTBOX_OLDEST.by({**none, **{kind: each.oldest for kind, each in found.items()}})


def _durations(metric: Metric, histogram: Histogram[K], values: Callable[[K], Labels]) -> Family:
    """`values` gives the labels' values of a key."""
    rows = [Row(values(key), numbers) for key, numbers in histogram.rows.items()]
    return metric.of(rows, histogram.bounds)


def _as_it_is(key: Labels) -> Labels:
    return key


def _by_cause(totals: Mapping[str, int]) -> dict[str, float]:
    """One cause for all combinations of reasons not to be ready."""
    found: dict[str, float] = dict.fromkeys(_CAUSES, 0)
    for cause, count in totals.items():
        word = _NOT_READY if cause.startswith(_NOT_READY) else cause
        found[word] = found.get(word, 0) + count
    return found
