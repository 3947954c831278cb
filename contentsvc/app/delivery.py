"""The parts that bring notifications and ends of sessions to sockets, here and elsewhere."""

from collections.abc import Callable, Iterator, Sequence
from random import SystemRandom
from typing import Any, NamedTuple

from prometheus_client import Metric

from contentsvc.app import metrics
from contentsvc.app.maintenance_state import MaintenanceState
from contentsvc.app.observations import Observations
from contentsvc.app.restore_watch import RestoreWatch
from contentsvc.app.signals import Signals
from contentsvc.config import Settings
from contentsvc.framework.db.database import Database
from contentsvc.framework.tasks.runner import Failing
from contentsvc.push.bus import PostgresBus, ProcessReport
from contentsvc.push.hub import Hub
from contentsvc.push.notifier import Notifier
from contentsvc.push.reconcile import Reconciler
from contentsvc.push.relay import Relay
from contentsvc.push.restrictions import Restrictions
from contentsvc.push.revocation import Revocation
from contentsvc.push.statistics import CLIENTS, OTHER, Delays
from contentsvc.store.notifications import streams
from contentsvc.tokens import Revoked

_MORE = "other"


class Delivery(NamedTuple):
    """The parts."""

    hub: Hub
    relay: Relay
    reconciler: Reconciler
    revocation: Revocation
    notifier: Notifier
    restrictions: Restrictions
    report: ProcessReport

    def measure(self) -> Iterator[Metric]:
        """Metrics of sockets, of connected users, and of news from other processes."""
        hub, relay = self.hub, self.relay
        counts, clients = hub.counts, (*CLIENTS, OTHER)
        live = {client: float(counts.live[client]) for client in clients}
        yield metrics.SOCKETS.by({**live, "none": len(hub.sockets) - sum(live.values())})
        yield metrics.SOCKETS_LIMIT.one(hub.limit)
        yield metrics.USERS_CONNECTED.one(len(hub.users()))
        yield metrics.SOCKET_SIGN_INS.by({client: counts.sign_ins[client] for client in clients})
        yield metrics.SOCKET_CLOSES.of(
            {
                (closer, str(code) if code else _MORE): count
                for (closer, code), count in counts.closes.items()
            }
        )
        yield metrics.RELAY_CONNECTED.one(relay.alive)
        yield metrics.RELAY_RECONNECTS.one(max(0, relay.listens - 1))
        yield metrics.RELAY_NEWS.by({"sent": relay.sent.news, "heard": relay.heard.news})
        yield metrics.RELAY_IDS.by({"sent": relay.sent.ids, "heard": relay.heard.ids})
        yield metrics.RECONCILER_FULL_CHECKS.one(self.reconciler.full_checks)
        yield metrics.RECONCILER_FOUND.one(hub.found)


def make_delivery(
    reactor: Any,
    settings: Settings,
    dsn: str,
    db: Database,
    revoked: Revoked,
    signals: Signals,
    observed: Observations,
    restoring: RestoreWatch,
    maintenance: MaintenanceState,
    failing: Callable[[], Sequence[Failing]],
) -> Delivery:
    """Make the parts, none of which has started. `failing` gives the jobs that fail here."""
    delays = Delays(reactor, observed.pushed)
    hub = Hub(
        reactor,
        db,
        streams,
        delays,
        sockets=settings.sockets,
        sockets_per_user=settings.sockets_per_user,
        closed_for=maintenance.close,
    )
    report = ProcessReport(lambda: len(hub.sockets), lambda: len(hub.users()), failing)
    relay = Relay(
        reactor,
        PostgresBus(reactor, dsn),
        report.report,
        db,
        random=SystemRandom(),
        tasks=signals.shared_task_announced,
        events=signals.events_announced,
        maintenance=signals.maintenance_read,
        restricted=signals.users_restricted,
    )
    restrictions = Restrictions(db, relay)
    signals.users_restricted.subscribe(restrictions.heard)
    revocation = Revocation(reactor, db, revoked, hub, relay, ended=signals.sessions_ended)
    reconciler = Reconciler(
        *(reactor, hub, revocation),
        first=restoring.check,
        then=signals.reconciled,
        also=restrictions.learn,
    )
    notifier = Notifier(hub, relay, delays)
    signals.maintenance_read.subscribe(restoring.heard)
    signals.shared_task_put.subscribe(relay.announce_tasks)
    signals.events_numbered.subscribe(relay.announce_events)
    return Delivery(hub, relay, reconciler, revocation, notifier, restrictions, report)
