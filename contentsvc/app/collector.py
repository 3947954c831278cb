"""The metrics that are read from the parts of a process when they are asked for."""

import platform
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple, get_args

from prometheus_client import Metric, ProcessCollector

from contentsvc.app import metrics
from contentsvc.app.maintenance_state import MaintenanceState
from contentsvc.framework.core import build
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.errors import Cause
from contentsvc.framework.db.replica import Replica
from contentsvc.framework.http.throttled_log import ThrottledLog
from contentsvc.framework.http.traffic import Traffic
from contentsvc.framework.tasks.runner import Runner
from contentsvc.framework.tasks.task_queue import Backlog
from contentsvc.store.status import Disputed, Due
from contentsvc.store.tasks import SendMail
from contentsvc.wire.base import ready, tag_of

_NOT_READY = "not ready"
_CAUSES = (*get_args(Cause), "hashing", "limit", "storage_unavailable", _NOT_READY)
"""These are 0 from the start, so that their first one is an increase."""
_MAILS = tag_of(SendMail)
_PROCESS = ProcessCollector(registry=None)


def build_info(migration: str) -> Metric:
    """Which build this is. `migration` is the newest that it knows."""
    labels = (build.release(), build.commit() or "", migration, platform.python_version())
    return metrics.BUILD_INFO.of({labels: 1})


def of_process() -> Iterable[Metric]:
    """Processor time, memory and open files, by the names that all programs use."""
    return _PROCESS.collect()


def of_readiness(missing: Iterable[str] | None, reasons: Iterable[str]) -> list[Metric]:
    """Whether the process can serve. `missing` is None if it is not known."""
    found = [] if missing is None else [*missing]
    held = {reason: float(reason in found) for reason in (*reasons, *found)}
    return [
        metrics.READY.one(missing is not None and ready(found) is not None),
        metrics.NOT_READY.by(held),
    ]


def of_unavailable(answers: ThrottledLog) -> Iterator[Metric]:
    """The answers that were 503."""
    yield metrics.UNAVAILABLE.by(_by_cause(answers.totals))


def of_jobs(runner: Runner) -> Iterator[Metric]:
    """The background jobs."""
    failing = {job.name for job in runner.failing}
    yield metrics.JOB_FAILING.by({name: float(name in failing) for name in runner.names})


def of_maintenance(closing: MaintenanceState) -> Iterator[Metric]:
    """Whether the service is closed."""
    yield metrics.MAINTENANCE.one(closing.state.on)


def of_database(db: Database, replica: Replica | None) -> Iterator[Metric]:
    """The connections to the database and to its replica."""
    yield metrics.POOL_SIZE.one(db.size)
    yield metrics.POOL_OPEN.one(db.opened)
    yield metrics.POOL_USED.one(db.used)
    yield metrics.POOL_WAITING.one(db.waiting)
    yield metrics.REPLICA_UP.one(replica is not None and replica.up)
    yield metrics.REPLICA_READS.by(
        {"replica": 0, "primary": 0}
        if replica is None
        else {"replica": replica.reads, "primary": replica.others}
    )


def of_site(traffic: Traffic, limit: int) -> Iterator[Metric]:
    """The requests and connections of the site, which has `limit` connections at most."""
    yield metrics.REQUESTS_IN_FLIGHT.one(len(traffic.active))
    yield metrics.HTTP_CONNECTIONS.one(len(traffic.channels))
    yield metrics.CONNECTIONS_LIMIT.one(limit)


class Queues(NamedTuple):
    """The tasks that wait, what is due of reports, and what is disputed."""

    waiting: list[Backlog]
    due: Due
    disputed: Disputed


def of_queues(queues: Queues | None, kinds: Iterable[str]) -> Iterator[Metric]:
    """The tasks of these kinds and others that wait, what is due of reports, and what is disputed,
    which all processes share. Mails have metrics of their own. `queues` is None if they could not
    be read."""
    yield metrics.QUEUES_READ.one(queues is not None)
    if queues is None:
        return
    waiting, due, disputed = queues
    states = {"open": due.open, "overdue": due.overdue, "child": due.child}
    yield metrics.REPORTED_SUBJECTS.by(states)
    waited = {"0.5": due.half, "0.9": due.most}
    decided = {quantile: seconds for quantile, seconds in waited.items() if seconds is not None}
    yield metrics.DECISION_SECONDS.by(decided)
    answers = {"confirmed": disputed.confirmed, "reversed": disputed.reversed}
    yield metrics.APPEALS.by({"open": disputed.open, **answers})
    yield metrics.REVERSALS.one(disputed.reversals)
    found = {kind: Backlog(kind, 0, 0, 0) for kind in (_MAILS, *kinds)}
    found |= {each.kind: each for each in waiting}
    mails = found.pop(_MAILS)
    yield metrics.MAILS_WAITING.one(mails.tasks)
    yield metrics.MAILS_FAILING.one(mails.failing)
    yield metrics.MAILS_OLDEST.one(mails.oldest)
    yield metrics.OUTBOX_TASKS.by({kind: each.tasks for kind, each in found.items()})
    yield metrics.OUTBOX_FAILING.by({kind: each.failing for kind, each in found.items()})
    yield metrics.OUTBOX_OLDEST.by({kind: each.oldest for kind, each in found.items()})


def _by_cause(totals: Mapping[str, int]) -> dict[str, float]:
    """One cause for all combinations of reasons not to be ready."""
    found: dict[str, float] = dict.fromkeys(_CAUSES, 0)
    for cause, count in totals.items():
        word = _NOT_READY if cause.startswith(_NOT_READY) else cause
        found[word] = found.get(word, 0) + count
    return found
