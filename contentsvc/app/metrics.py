"""All metrics of our own, each declared once. docs/reference/metrics.md comes from this table;
`scripts/reference` writes it. The collector and the fleet give them their values.

A metric is the same for all processes of a database, or of a daemon, if it is `shared`.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import accumulate
from typing import Final, Literal, NamedTuple

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client import Metric as Collected
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

WORKER: Final = "worker"
"""The label that says which process a sample is from. A lone process has none."""

MetricKind = Literal["counter", "gauge", "histogram"]
Labels = tuple[str, ...]


class Metric(NamedTuple):
    """The declaration of a metric. A counter's name is without its `_total`."""

    name: str
    help: str
    labels: Labels = ()
    shared: bool = False
    kind: MetricKind = "gauge"

    def counter(self, registry: CollectorRegistry) -> Counter:
        """What counts it."""
        return Counter(self.name, self.help, self.labels, registry=registry)

    def histogram(self, registry: CollectorRegistry, bounds: tuple[float, ...]) -> Histogram:
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

    def distribution(
        self, bounds: tuple[float, ...], values: Mapping[Labels, Sequence[float]]
    ) -> Collected:
        """A histogram by the values of all its labels: how many are in each bucket with these
        bounds and beyond the last, and then their sum."""
        metric = HistogramMetricFamily(self.name, self.help, labels=self.labels)
        names = [*map(str, bounds), "+Inf"]
        for labels, (*counts, total) in values.items():
            metric.add_metric(labels, list(zip(names, accumulate(counts), strict=True)), total)
        return metric


counter = partial(Metric, kind="counter")
gauge = partial(Metric, kind="gauge")
histogram = partial(Metric, kind="histogram")

BUILD_INFO = gauge(
    "contentsvc_build_info",
    "1. The labels say which build runs: its version, its commit where that is known, the newest "
    "migration that it knows, and the version of Python.",
    ("version", "commit", "migration", "python"),
)
READY = gauge(
    "contentsvc_ready",
    "1 if the process can serve, as /health/ready says; also where it can only read.",
)
NOT_READY = gauge(
    "contentsvc_not_ready",
    "1 if this reason keeps the process from serving, or with disk and read_only from writing.",
    ("reason",),
)
MAINTENANCE = gauge(
    "contentsvc_maintenance",
    "1 while the process refuses requests because the service is closed for maintenance.",
)

REQUESTS = histogram(
    "contentsvc_http_request_duration_seconds",
    "Time from the head of a request to its answer. The route is the rule and not the path, and "
    "unknown for paths that do not exist. The status is 2xx, 4xx and so on; 1xx is a handshake of "
    "a socket.",
    ("method", "route", "status"),
)
REQUESTS_IN_FLIGHT = gauge(
    "contentsvc_http_requests_in_flight", "Requests that have no answer yet."
)
HTTP_CONNECTIONS = gauge("contentsvc_http_connections", "Open connections that are no sockets.")
CONNECTIONS_LIMIT = gauge(
    "contentsvc_connections_limit",
    "Connections that the process may have, with sockets.",
)
UNAVAILABLE = counter("contentsvc_unavailable", "Answers with 503, by cause.", ("cause",))
FAILED_LOG_INS = counter(
    "contentsvc_failed_log_ins",
    "Failed log-ins: a wrong password, a wrong token of another service, or refused because of a "
    "limit.",
    ("reason",),
)

SOCKETS = gauge(
    "contentsvc_sockets",
    "Open sockets, by type of client: none has not signed in.",
    ("client",),
)
SOCKETS_LIMIT = gauge("contentsvc_sockets_limit", "Sockets that the process may have.")
USERS_CONNECTED = gauge("contentsvc_users_connected", "Users with a socket in the process.")
SOCKET_SIGN_INS = counter(
    "contentsvc_socket_sign_ins",
    "Sockets that have signed in, by type of client.",
    ("client",),
)
SOCKET_CLOSES = counter(
    "contentsvc_socket_closes",
    "Sockets that have ended, by who closed them (server, client, or nobody if the connection was "
    "lost) and by code. Codes that clients make up are other.",
    ("by", "code"),
)
PUSH_DELAY = histogram(
    "contentsvc_push_delay_seconds",
    "Time from storing a notification to the sockets of the process, by which process has stored "
    "it: own or others. Each notification counts once, whatever number of sockets it reaches.",
    ("stored_by",),
)
RELAY_CONNECTED = gauge(
    "contentsvc_relay_connected",
    "1 while the process hears what other processes announce.",
)
RELAY_RECONNECTS = counter(
    "contentsvc_relay_reconnects",
    "How often the connection to the other processes was made again.",
)
RELAY_NEWS = counter(
    "contentsvc_relay_news",
    "Pieces of news that the process has told the others (sent) or heard of them (heard).",
    ("direction",),
)
RELAY_IDS = counter(
    "contentsvc_relay_ids",
    "Ids of users and sessions in that news.",
    ("direction",),
)
RECONCILER_FULL_CHECKS = counter(
    "contentsvc_sweep_full_looks",
    "How often all connected users were looked at for notifications that nobody announced: at the "
    "start, and when a process died or a connection broke.",
)
RECONCILER_FOUND = counter(
    "contentsvc_sweep_found_notifications",
    "Notifications that the sweep has found before anybody had announced them. A few are normal: "
    "they were on their way.",
)

POOL_SIZE = gauge("contentsvc_pool_size", "Database connections that the process may have.")
POOL_OPEN = gauge("contentsvc_pool_open", "Database connections that are open.")
POOL_USED = gauge("contentsvc_pool_used", "Database connections that are in use.")
POOL_WAITING = gauge(
    "contentsvc_pool_waiting", "Pieces of work that wait for a database connection."
)
POOL_WAIT = histogram(
    "contentsvc_pool_wait_seconds",
    "Time that work has waited for a database connection. Work that need not wait is not counted.",
)
REPLICA_UP = gauge(
    "contentsvc_replica_up",
    "1 while reads go to the replica. Without a replica it is 0.",
)
REPLICA_READS = counter(
    "contentsvc_replica_reads",
    "Reads that were to go to the replica, by where they were made: replica or primary.",
    ("place",),
)

PASSWORDS_WAITING = gauge("contentsvc_passwords_waiting", "Passwords that wait to be hashed.")
PASSWORDS_HASHING = gauge("contentsvc_passwords_hashing", "Passwords that are being hashed.")
EVENT_LOOP_LAG = histogram(
    "contentsvc_event_loop_lag_seconds",
    "How late the process does what is due, measured four times a second. Everybody waits so long.",
)

JOB_FAILING = gauge(
    "contentsvc_job_failing", "1 if this background job fails at present.", ("name",)
)
MAILS = counter(
    "contentsvc_mails",
    "Mails that the mail server took, put off, or refused for good.",
    ("outcome",),
)
WEBHOOK_REQUESTS = counter(
    "contentsvc_webhook_requests",
    "Requests to webhooks that were delivered, or have failed.",
    ("outcome",),
)
WEBHOOKS_TURNED_OFF = counter(
    "contentsvc_webhooks_turned_off",
    "Webhooks that this process has turned off: they had failed for 72 hours, or had answered 410.",
)
SCALED_IMAGES = counter(
    "contentsvc_scaled_images",
    "Images that got their smaller ones (made), that get none because they are damaged or cost too "
    "much (none), or that are tried again (put off).",
    ("outcome",),
)
SCALING = histogram(
    "contentsvc_image_scaling_seconds",
    "Time that the scaling process has taken for an image.",
)
QUEUES_READ = gauge(
    "contentsvc_queues_read",
    "1 if the outbox, the mails, the queue of reports and the appeals could be read in the last "
    "minute. If not, their metrics are missing.",
    shared=True,
)
MAILS_WAITING = gauge(
    "contentsvc_mails_waiting",
    "Mails that are to be sent. At most 10,000 are counted.",
    shared=True,
)
MAILS_FAILING = gauge("contentsvc_mails_failing", "Mails that are tried again.", shared=True)
MAILS_OLDEST = gauge(
    "contentsvc_mails_oldest_seconds",
    "Age of the oldest mail that waits.",
    shared=True,
)
OUTBOX_TASKS = gauge(
    "contentsvc_outbox_tasks",
    "Tasks that wait in the outbox, by kind. Only the oldest 10,000 are counted.",
    ("kind",),
    shared=True,
)
OUTBOX_FAILING = gauge(
    "contentsvc_outbox_failing_tasks",
    "Tasks in the outbox that have failed and are tried again, by kind.",
    ("kind",),
    shared=True,
)
OUTBOX_OLDEST = gauge(
    "contentsvc_outbox_oldest_seconds",
    "Age of the oldest task in the outbox, by kind.",
    ("kind",),
    shared=True,
)

REPORTED_SUBJECTS = gauge(
    "contentsvc_reported_subjects",
    "Subjects with open reports or notices (open), those of them that should have been decided by "
    "now (overdue), and those with a notice of the abuse of children (child). At most 10,000 of "
    "each are counted.",
    ("state",),
    shared=True,
)

APPEALS = gauge(
    "contentsvc_appeals",
    "Appeals that nobody has answered (open), and those that were answered in the last 24 hours "
    "(confirmed, reversed). At most 10,000 of each are counted.",
    ("state",),
    shared=True,
)
REVERSALS = gauge(
    "contentsvc_reversals",
    "Decisions that were reversed in the last 24 hours, on appeal or without. At most 10,000 are "
    "counted.",
    shared=True,
)
DECISION_SECONDS = gauge(
    "contentsvc_decision_seconds",
    "Within how many seconds after the first report or notice a subject had its outcome, of those "
    "of the last 24 hours: half of them (0.5), nine tenths (0.9). Missing if there was none. The "
    "newest 1,000 are looked at.",
    ("quantile",),
    shared=True,
)

# Of a daemon with workers. Those by worker have that label already.
WORKERS = gauge("contentsvc_workers", "Workers that there should be.", shared=True)
WORKERS_SERVING = gauge("contentsvc_workers_serving", "Workers that serve.", shared=True)
WORKER_UP = gauge(
    "contentsvc_worker_up",
    "1 if this worker has answered the scrape in time. If not, its metrics are missing.",
    (WORKER,),
    shared=True,
)
WORKER_STARTS = counter(
    "contentsvc_worker_starts",
    "How often a process was started for this worker.",
    (WORKER,),
    shared=True,
)

METRICS: Final = tuple(value for value in globals().values() if isinstance(value, Metric))
"""All of them."""
