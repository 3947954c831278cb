"""The families of moderation."""

from contentsvc.api.context import Context
from contentsvc.api.moderation.audit_log import AuditLog
from contentsvc.api.moderation.bans import Bans
from contentsvc.api.moderation.reports import Reports
from contentsvc.web.operations import Family

ABOUT = "Reports, bans, warnings, and what admins did."
FAMILIES = (
    Family("moderation", Bans),
    Family("moderation", AuditLog),
    Family("moderation", Reports),
)


def install(context: Context) -> list[object]:
    """Make the families."""
    db = context.db
    return [
        Bans(db, context.revocation),
        AuditLog(db, context.notifier),
        Reports(db, context.queue, per_day=context.settings.reports_per_day),
    ]
