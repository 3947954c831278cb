"""The families of notifications."""

from contentsvc.api.context import Context
from contentsvc.api.notifications.debug import DebugTools
from contentsvc.api.notifications.notifications import Notifications


def install(context: Context) -> list[object]:
    """Make the families."""
    db, notifier = context.db, context.notifier
    debug = [DebugTools(db, notifier)] if context.settings.debug_notify else []
    return [Notifications(db, notifier), *debug]
