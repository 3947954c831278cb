"""The families of notifications."""

from contentsvc.api.context import Context
from contentsvc.api.notifications.announcements import Announcements
from contentsvc.api.notifications.notifications import DebugTools, Notifications
from contentsvc.api.notifications.studio_notifications import StudioNotifications
from contentsvc.framework.http.operations import Family

ABOUT = "What happened to a user, the log, its flags, and what is muted; what the studio tells."
FAMILIES = (
    Family("notifications", Notifications),
    Family("notifications", DebugTools),
    Family("notifications", Announcements),
    Family("notifications", StudioNotifications),
)


def install(context: Context) -> list[object]:
    """Make the families."""
    db, notifier = context.db, context.notifier
    debug = [DebugTools(db, notifier)] if context.settings.debug_notify else []
    return [
        Notifications(db, notifier, context.settings.studio_unmutable),
        *debug,
        Announcements(db),
        StudioNotifications(db, context.queue),
    ]
