"""The metrics of a process: read from its parts when somebody asks, and as plain values."""

import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple, TypeVar, get_args

from prometheus_client import ProcessCollector

from contentsvc.daemon.context import Parts
from contentsvc.daemon.metric_values import (
    Family,
    Histogram,
    Kind,
    Labels,
    Row,
    counter,
    counters,
    gauge,
    gauges,
)
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
    return Family(
        name="contentsvc_build_info",
        kind="gauge",
        help="1. The labels have the version, its newest migration, and the version of Python.",
        labels=("version", "migration", "python"),
        rows=[Row(labels, (1,))],
    )


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
        gauge(
            "contentsvc_ready",
            "1 if the process can serve, as /health/ready says. 0 if it cannot.",
            missing is not None and ready(found) is not None,
        ),
        gauges(
            "contentsvc_not_ready",
            "1 if this reason keeps the process from serving, or from writing.",
            "reason",
            held,
        ),
    ]


def of_observed(observed: Observed) -> list[Family]:
    """What is only counted for operators."""
    return [
        _durations(
            "contentsvc_http_request_duration_seconds",
            "Time from the head of a request to its answer, by method, route and class of status.",
            observed.requests,
            ("method", "route", "status"),
            lambda key: (key[0], UNKNOWN if key[1] == "-" else key[1], f"{key[2]}xx"),
        ),
        _durations(
            "contentsvc_push_delay_seconds",
            "Time from storing a notification to the sockets, by which process has stored it.",
            observed.pushes,
            ("stored_by",),
            lambda key: (key,),
        ),
        _durations(
            "contentsvc_pool_wait_seconds",
            "Time that work has waited for a database connection, if none was free.",
            observed.waits,
            (),
            _as_it_is,
        ),
        _durations(
            "contentsvc_event_loop_lag_seconds",
            "How late the event loop runs what is due. Everybody waits so long.",
            observed.lags,
            (),
            _as_it_is,
        ),
        counters(
            "contentsvc_failed_log_ins",
            "Failed log-ins: a wrong password or token, or refused because of a limit.",
            "reason",
            observed.log_ins,
        ),
    ]


def of_parts(parts: Parts) -> Iterator[Family]:
    """What the parts know of themselves."""
    yield from _of_sockets(parts)
    yield from _of_relay(parts)
    yield from _of_database(parts)
    yield counters(
        "contentsvc_unavailable",
        "Answers with 503, by cause.",
        "cause",
        _by_cause(parts.unavailable.totals),
    )
    yield gauge(
        "contentsvc_passwords_waiting",
        "Passwords that wait to be hashed.",
        parts.passwords.waiting,
    )
    yield gauge(
        "contentsvc_passwords_hashing",
        "Passwords that are being hashed.",
        parts.passwords.running,
    )
    counts = Counts() if parts.mailing is None else parts.mailing.counts
    yield counters(
        "contentsvc_mails",
        "Mails that the mail server took, put off, or refused for good.",
        "outcome",
        {"sent": counts.sent, "put off": counts.put_off, "refused": counts.refused},
    )
    failing = {job.name for job in parts.runner.failing}
    yield gauges(
        "contentsvc_job_failing",
        "1 if this background job fails at present.",
        "name",
        {name: float(name in failing) for name in parts.runner.names},
    )


def _of_sockets(parts: Parts) -> Iterator[Family]:
    hub, counts = parts.hub, parts.hub.counts
    clients = (*CLIENTS, OTHER)
    live = {client: float(counts.live[client]) for client in clients}
    yield gauges(
        "contentsvc_sockets",
        "Open sockets, by type of client. Those that have not signed in are none.",
        "client",
        {**live, "none": len(hub.sockets) - sum(live.values())},
    )
    yield gauge("contentsvc_sockets_limit", "Sockets that this process may have.", hub.limit)
    yield gauge("contentsvc_users_connected", "Users with a socket here.", len(hub.users()))
    yield counters(
        "contentsvc_socket_sign_ins",
        "Sockets that have signed in, by type of client.",
        "client",
        {client: counts.sign_ins[client] for client in clients},
    )
    yield Family(
        name="contentsvc_socket_closes",
        kind="counter",
        help="Sockets that have ended, by who closed them, and by code.",
        labels=("by", "code"),
        rows=[
            Row((closer, str(code) if code else _MORE), (count,))
            for (closer, code), count in counts.closes.items()
        ],
    )


def _of_relay(parts: Parts) -> Iterator[Family]:
    yield gauge(
        "contentsvc_relay_connected",
        "1 while the process hears what other processes announce.",
        parts.relay.alive,
    )
    yield counter(
        "contentsvc_relay_reconnects",
        "How often the connection to the other processes was made again.",
        max(0, parts.relay.listens - 1),
    )
    yield counter(
        "contentsvc_sweep_found_notifications",
        "Notifications that the sweep has found before anybody had announced them.",
        parts.hub.found,
    )


def _of_database(parts: Parts) -> Iterator[Family]:
    db = parts.db
    yield gauge("contentsvc_pool_size", "Database connections that this process may have.", db.size)
    yield gauge("contentsvc_pool_open", "Database connections that are open.", db.opened)
    yield gauge("contentsvc_pool_used", "Database connections that are in use.", db.used)
    yield gauge("contentsvc_pool_waiting", "Pieces of work that wait for a connection.", db.waiting)
    replica = parts.replica
    yield gauge(
        "contentsvc_replica_up",
        "1 while reads go to the replica. Without a replica it is 0.",
        replica is not None and replica.up,
    )
    yield counters(
        "contentsvc_replica_reads",
        "Reads that were to go to the replica, by where they were made.",
        "place",
        {"replica": 0, "primary": 0}
        if replica is None
        else {"replica": replica.reads, "primary": replica.others},
    )


def of_site(parts: Parts, in_flight: int, connections: int) -> Iterator[Family]:
    """The requests and connections of the site."""
    yield gauge(
        "contentsvc_http_requests_in_flight", "Requests that have no answer yet.", in_flight
    )
    yield gauge("contentsvc_http_connections", "Open connections that are no sockets.", connections)
    yield gauge(
        "contentsvc_connections_limit",
        "Connections that this process may have, with sockets.",
        parts.connections,
    )


def of_queues(queues: Queues | None, kinds: Iterable[str]) -> Iterator[Family]:
    """The outbox and the mails, which all processes share. `queues` is None if they could not be
    read."""
    yield gauge(
        "contentsvc_queues_read",
        "1 if the outbox and the mails could be read. If not, their metrics are missing.",
        queues is not None,
        shared=True,
    )
    if queues is None:
        return
    mails = queues.mails
    for name, help, number in (
        (
            "contentsvc_mails_waiting",
            "Mails that are to be sent. Beyond 10,000 are not counted.",
            mails.mails,
        ),
        ("contentsvc_mails_failing", "Mails that are tried again.", mails.failing),
        ("contentsvc_mails_oldest_seconds", "Age of the oldest mail that waits.", mails.oldest),
    ):
        yield gauge(name, help, number, shared=True)
    found = {waiting.kind: waiting for waiting in queues.outbox}
    for name, help, numbers in (
        (
            "contentsvc_outbox_tasks",
            "Tasks that wait in the outbox, by kind. Beyond 10,000 are not counted.",
            {kind: waiting.tasks for kind, waiting in found.items()},
        ),
        (
            "contentsvc_outbox_failing_tasks",
            "Tasks in the outbox that have failed and are tried again, by kind.",
            {kind: waiting.failing for kind, waiting in found.items()},
        ),
        (
            "contentsvc_outbox_oldest_seconds",
            "Age of the oldest task in the outbox, by kind.",
            {kind: waiting.oldest for kind, waiting in found.items()},
        ),
    ):
        values: Mapping[str, float] = {**dict.fromkeys(kinds, 0), **numbers}
        yield gauges(name, help, "kind", values, shared=True)


def _durations(
    name: str,
    help: str,
    histogram: Histogram[K],
    labels: Labels,
    values: Callable[[K], Labels],
) -> Family:
    """`values` gives the labels' values of a key."""
    rows = [Row(values(key), numbers) for key, numbers in histogram.rows.items()]
    return Family(
        name=name, kind="histogram", help=help, labels=labels, rows=rows, bounds=histogram.bounds
    )


def _as_it_is(key: Labels) -> Labels:
    return key


def _by_cause(totals: Mapping[str, int]) -> dict[str, float]:
    """One cause for all combinations of reasons not to be ready."""
    found: dict[str, float] = dict.fromkeys(_CAUSES, 0)
    for cause, count in totals.items():
        word = _NOT_READY if cause.startswith(_NOT_READY) else cause
        found[word] = found.get(word, 0) + count
    return found
