"""The families of moderation."""

from contentsvc.api.moderation.accounts import AccountActs
from contentsvc.api.moderation.audit_log import AuditLog
from contentsvc.api.moderation.bans import Bans
from contentsvc.api.moderation.reports import Reports
from contentsvc.api.moderation.roles import Roles
from contentsvc.api.moderation.statistics import Statistics
from contentsvc.api.moderation.users import ModeratedUsers
from contentsvc.app.context import Context, Installed
from contentsvc.framework.http.operations import Family
from contentsvc.jobs.studio import Downloads, totals

ABOUT = "Reports, bans, warnings, roles, what moderators did, and users as they see them."
FAMILIES = (
    Family("moderation", Bans),
    Family("moderation", AuditLog),
    Family("moderation", Reports),
    Family("moderation", ModeratedUsers),
    Family("moderation", AccountActs),
    Family("moderation", Roles),
    Family("moderation", Statistics),
)


def install(context: Context) -> Installed:
    """Install them."""
    db = context.db
    downloads = Downloads(db)
    context.signals.files_downloaded.subscribe(downloads.count)
    families = [
        Bans(db, context.revocation),
        AuditLog(db, context.notifier),
        Reports(db, context.queue, per_day=context.settings.reports_per_day),
        ModeratedUsers(db),
        AccountActs(db, context.queue, context.revocation, context.mails, context.guests),
        Roles(db, context.revocation, context.guests),
        Statistics(db, context.wall),
    ]
    return Installed(families, totals(context.reactor, db, downloads))
