"""The studio's own programs: the families and jobs of events and webhooks. Where events are off,
there are hardly any."""

from collections.abc import Iterator

from prometheus_client import Metric

from contentsvc.api.events.events import Events
from contentsvc.api.events.webhooks import Webhooks
from contentsvc.app import metrics
from contentsvc.app.context import Context, Installed
from contentsvc.framework.core.timers import Bell, NextTurn
from contentsvc.framework.http.operations import Family
from contentsvc.framework.webhooks.addresses import Rules
from contentsvc.framework.webhooks.sender import Sender
from contentsvc.jobs import retention
from contentsvc.jobs.studio import GATHER, WebhookCounts, WebhookDeliverer, number_events
from contentsvc.push.event_feed import EventFeed

ABOUT = "What has happened, for the studio's own programs, and where it is sent."
FAMILIES = (Family("events", Events), Family("events", Webhooks))


def install(context: Context) -> Installed:
    """Install them."""
    settings, reactor, db, signals = context.settings, context.reactor, context.db, context.signals
    counts = WebhookCounts()

    def measure() -> Iterator[Metric]:
        yield metrics.WEBHOOK_REQUESTS.by({"delivered": counts.delivered, "failed": counts.failed})
        yield metrics.WEBHOOKS_TURNED_OFF.one(counts.turned_off)

    if not settings.events:
        return Installed([], retention.of_events(db, settings.event_retention), [measure])
    feed = EventFeed(reactor, db, announce=signals.events_numbered, due=signals.events_awaited)
    rules = Rules.of(settings.webhook_insecure, settings.webhook_networks)
    sender, deliveries, written = Sender(reactor, context.wall, rules), Bell(reactor), Bell(reactor)
    deliverer = WebhookDeliverer(db, sender, counts, signals.events_written)
    soon = NextTurn(reactor, written.ring, GATHER)

    signals.events_written.subscribe(soon.ask)
    signals.events_awaited.subscribe(written.ring)
    # Their webhooks have tasks now. This process begins with them.
    signals.events_numbered.subscribe(lambda newest: deliveries.ring())
    signals.events_announced.subscribe(feed.reached)
    signals.sessions_ended.subscribe(feed.recheck)
    return Installed(
        [
            Events(db, feed, reactor),
            Webhooks(db, context.queue, feed, sender, context.wall),
        ],
        [
            number_events(feed.number, written),
            deliverer.job(reactor, deliveries),
            *retention.of_events(db, settings.event_retention),
        ],
        [measure],
        drain=feed.stop,
        stop=soon.cancel,
    )
