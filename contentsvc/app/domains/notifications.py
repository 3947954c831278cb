"""The families of notifications."""

from contentsvc.api.notifications.announcements import Announcements
from contentsvc.api.notifications.notifications import DebugTools, Notifications
from contentsvc.api.notifications.studio_notifications import StudioNotifications
from contentsvc.app.context import Context, Installed
from contentsvc.framework.core.timers import Bell
from contentsvc.framework.http.operations import Family
from contentsvc.framework.tasks.runner import Job
from contentsvc.jobs import retention
from contentsvc.jobs.notifications import ANNOUNCEMENTS_EVERY, AnnouncementWatch
from contentsvc.store.notifications import announcements

ABOUT = "What happened to a user, the log, its flags, and what is muted; what the studio tells."
FAMILIES = (
    Family("notifications", Notifications),
    Family("notifications", DebugTools),
    Family("notifications", Announcements),
    Family("notifications", StudioNotifications),
)


def install(context: Context) -> Installed:
    """Install them."""
    db, notifier = context.db, context.notifier
    debug = [DebugTools(db, notifier)] if context.settings.debug_notify else []
    families = [
        Notifications(db, notifier, context.settings.studio_unmutable),
        *debug,
        Announcements(db),
        StudioNotifications(db, context.queue),
    ]
    hub = context.hub
    announced = AnnouncementWatch(db, lambda: len(hub.sockets), hub.send_announcements)
    # With a bell, so that the first check comes before the first socket.
    watch = Job(
        "look for announcements",
        ANNOUNCEMENTS_EVERY,
        announced.run,
        Bell(context.reactor),
        queue="announcements",
        waits=announcements.WAITING,
        known=lambda: announced.state,
    )
    days = context.settings.notification_retention
    return Installed(families, [watch, *retention.of_notifications(db, days)])
