"""The families of events. Where events are off, there are none."""

from contentsvc.api.context import Context
from contentsvc.api.events.events import Events
from contentsvc.api.events.webhooks import Webhooks
from contentsvc.framework.core.clocks import WallClock
from contentsvc.framework.http.operations import Family

ABOUT = "What has happened, for the studio's own programs, and where it is sent."
FAMILIES = (Family("events", Events), Family("events", Webhooks))


def install(context: Context) -> list[object]:
    """Make the families."""
    feed, sender = context.events, context.webhooks
    if feed is None or sender is None:
        return []
    return [
        Events(context.db, feed, context.clock),
        Webhooks(context.db, context.queue, feed, sender, WallClock()),
    ]
