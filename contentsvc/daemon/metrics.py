"""All metrics of our own, each declared once. docs/reference/metrics.md comes from this table;
`scripts/reference` writes it. The collector and the fleet give them their values.

A metric is the same for all processes of a database, or of a daemon, if it is `shared`.
"""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client import Metric as Collected
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

WORKER: Final = "worker"
"""The label that says which process a sample is from. A lone process has none."""

Kind = Literal["counter", "gauge", "histogram"]
Labels = tuple[str, ...]


class Metric(NamedTuple):
    """The declaration of a metric. A counter's name is without its `_total`."""

    name: str
    kind: Kind
    help: str
    labels: Labels = ()
    shared: bool = False

    def counter(self, registry: CollectorRegistry) -> Counter:
        """What counts it."""
        return Counter(self.name, self.help, self.labels, registry=registry)

    def histogram(self, registry: CollectorRegistry | None, bounds: tuple[float, ...]) -> Histogram:
        """What counts it, in buckets with these bounds."""
        return Histogram(self.name, self.help, self.labels, registry=registry, buckets=bounds)

    # What a part knows anyway is read when somebody asks, and not counted once more.

    def one(self, value: float) -> Collected:
        """Its value, if it has no labels."""
        return self.of({(): value})

    def by(self, values: Mapping[str, float]) -> Collected:
        """Its values by its only label."""
        return self.of({(key,): value for key, value in values.items()})

    def of(self, values: Mapping[Labels, float]) -> Collected:
        """Its values by those of all its labels."""
        family = CounterMetricFamily if self.kind == "counter" else GaugeMetricFamily
        metric = family(self.name, self.help, labels=self.labels)
        for labels, value in values.items():
            metric.add_metric(labels, float(value))
        return metric


BUILD_INFO: Final = Metric(
    "contentsvc_build_info",
    "gauge",
    "1. The labels say which build runs: its version, the newest migration that it knows, and the "
    "version of Python.",
    ("version", "migration", "python"),
)
READY: Final = Metric(
    "contentsvc_ready",
    "gauge",
    "1 if the process can serve, as /health/ready says; also where it can only read.",
)
NOT_READY: Final = Metric(
    "contentsvc_not_ready",
    "gauge",
    "1 if this reason keeps the process from serving, or with disk and read_only from writing.",
    ("reason",),
)

REQUESTS: Final = Metric(
    "contentsvc_http_request_duration_seconds",
    "histogram",
    "Time from the head of a request to its answer. The route is the rule and not the path, and "
    "unknown for paths that do not exist. The status is 2xx, 4xx and so on; 1xx is a handshake of "
    "a socket.",
    ("method", "route", "status"),
)
REQUESTS_IN_FLIGHT: Final = Metric(
    "contentsvc_http_requests_in_flight", "gauge", "Requests that have no answer yet."
)
HTTP_CONNECTIONS: Final = Metric(
    "contentsvc_http_connections", "gauge", "Open connections that are no sockets."
)
CONNECTIONS_LIMIT: Final = Metric(
    "contentsvc_connections_limit",
    "gauge",
    "Connections that the process may have, with sockets.",
)
UNAVAILABLE: Final = Metric(
    "contentsvc_unavailable", "counter", "Answers with 503, by cause.", ("cause",)
)
FAILED_LOG_INS: Final = Metric(
    "contentsvc_failed_log_ins",
    "counter",
    "Failed log-ins: a wrong password, a wrong token of another service, or refused because of a "
    "limit.",
    ("reason",),
)

SOCKETS: Final = Metric(
    "contentsvc_sockets",
    "gauge",
    "Open sockets, by type of client: none has not signed in.",
    ("client",),
)
SOCKETS_LIMIT: Final = Metric(
    "contentsvc_sockets_limit", "gauge", "Sockets that the process may have."
)
USERS_CONNECTED: Final = Metric(
    "contentsvc_users_connected", "gauge", "Users with a socket in the process."
)
SOCKET_SIGN_INS: Final = Metric(
    "contentsvc_socket_sign_ins",
    "counter",
    "Sockets that have signed in, by type of client.",
    ("client",),
)
SOCKET_CLOSES: Final = Metric(
    "contentsvc_socket_closes",
    "counter",
    "Sockets that have ended, by who closed them (server, client, or nobody if the connection was "
    "lost) and by code. Codes that clients make up are other.",
    ("by", "code"),
)
PUSH_DELAY: Final = Metric(
    "contentsvc_push_delay_seconds",
    "histogram",
    "Time from storing a notification to the sockets of the process, by which process has stored "
    "it: own or others. Each notification counts once, whatever number of sockets it reaches.",
    ("stored_by",),
)
RELAY_CONNECTED: Final = Metric(
    "contentsvc_relay_connected",
    "gauge",
    "1 while the process hears what other processes announce.",
)
RELAY_RECONNECTS: Final = Metric(
    "contentsvc_relay_reconnects",
    "counter",
    "How often the connection to the other processes was made again.",
)
SWEEP_FOUND: Final = Metric(
    "contentsvc_sweep_found_notifications",
    "counter",
    "Notifications that the sweep has found before anybody had announced them. A few are normal: "
    "they were on their way.",
)

POOL_SIZE: Final = Metric(
    "contentsvc_pool_size", "gauge", "Database connections that the process may have."
)
POOL_OPEN: Final = Metric("contentsvc_pool_open", "gauge", "Database connections that are open.")
POOL_USED: Final = Metric("contentsvc_pool_used", "gauge", "Database connections that are in use.")
POOL_WAITING: Final = Metric(
    "contentsvc_pool_waiting", "gauge", "Pieces of work that wait for a database connection."
)
POOL_WAIT: Final = Metric(
    "contentsvc_pool_wait_seconds",
    "histogram",
    "Time that work has waited for a database connection. Work that need not wait is not counted.",
)
REPLICA_UP: Final = Metric(
    "contentsvc_replica_up",
    "gauge",
    "1 while reads go to the replica. Without a replica it is 0.",
)
REPLICA_READS: Final = Metric(
    "contentsvc_replica_reads",
    "counter",
    "Reads that were to go to the replica, by where they were made: replica or primary.",
    ("place",),
)

PASSWORDS_WAITING: Final = Metric(
    "contentsvc_passwords_waiting", "gauge", "Passwords that wait to be hashed."
)
PASSWORDS_HASHING: Final = Metric(
    "contentsvc_passwords_hashing", "gauge", "Passwords that are being hashed."
)
EVENT_LOOP_LAG: Final = Metric(
    "contentsvc_event_loop_lag_seconds",
    "histogram",
    "How late the process does what is due, measured four times a second. Everybody waits so long.",
)

JOB_FAILING: Final = Metric(
    "contentsvc_job_failing", "gauge", "1 if this background job fails at present.", ("name",)
)
MAILS: Final = Metric(
    "contentsvc_mails",
    "counter",
    "Mails that the mail server took, put off, or refused for good.",
    ("outcome",),
)
QUEUES_READ: Final = Metric(
    "contentsvc_queues_read",
    "gauge",
    "1 if the outbox and the mails could be read in the last minute. If not, their metrics are "
    "missing.",
    shared=True,
)
MAILS_WAITING: Final = Metric(
    "contentsvc_mails_waiting",
    "gauge",
    "Mails that are to be sent. At most 10,000 are counted.",
    shared=True,
)
MAILS_FAILING: Final = Metric(
    "contentsvc_mails_failing", "gauge", "Mails that are tried again.", shared=True
)
MAILS_OLDEST: Final = Metric(
    "contentsvc_mails_oldest_seconds",
    "gauge",
    "Age of the oldest mail that waits.",
    shared=True,
)
OUTBOX_TASKS: Final = Metric(
    "contentsvc_outbox_tasks",
    "gauge",
    "Tasks that wait in the outbox, by kind. Only the oldest 10,000 are counted.",
    ("kind",),
    shared=True,
)
OUTBOX_FAILING: Final = Metric(
    "contentsvc_outbox_failing_tasks",
    "gauge",
    "Tasks in the outbox that have failed and are tried again, by kind.",
    ("kind",),
    shared=True,
)
OUTBOX_OLDEST: Final = Metric(
    "contentsvc_outbox_oldest_seconds",
    "gauge",
    "Age of the oldest task in the outbox, by kind.",
    ("kind",),
    shared=True,
)

# Of a daemon with workers. Those by worker have that label already.
WORKERS: Final = Metric("contentsvc_workers", "gauge", "Workers that there should be.", shared=True)
WORKERS_SERVING: Final = Metric(
    "contentsvc_workers_serving", "gauge", "Workers that serve.", shared=True
)
WORKER_UP: Final = Metric(
    "contentsvc_worker_up",
    "gauge",
    "1 if this worker has answered the scrape in time. If not, its metrics are missing.",
    (WORKER,),
    shared=True,
)
WORKER_STARTS: Final = Metric(
    "contentsvc_worker_starts",
    "counter",
    "How often a process was started for this worker.",
    (WORKER,),
    shared=True,
)

METRICS: Final = tuple(value for value in globals().values() if isinstance(value, Metric))
"""All of them."""
