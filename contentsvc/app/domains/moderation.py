"""The families of moderation."""

from contentsvc.api.moderation.accounts import AccountActs
from contentsvc.api.moderation.appeals import Appeals
from contentsvc.api.moderation.audit_log import AuditLog
from contentsvc.api.moderation.bans import Bans
from contentsvc.api.moderation.decisions import AppealAccess, Decisions, UserDecisions
from contentsvc.api.moderation.holds import Holds
from contentsvc.api.moderation.notices import Notices
from contentsvc.api.moderation.reports import Reports
from contentsvc.api.moderation.roles import Roles
from contentsvc.api.moderation.statistics import Statistics
from contentsvc.api.moderation.users import ModeratedUsers
from contentsvc.app.context import Context, Installed
from contentsvc.framework.http.operations import Family
from contentsvc.jobs import holds, retention
from contentsvc.jobs.studio import Downloads, totals

ABOUT = (
    "Reports, decisions, appeals, bans, warnings, holds, roles, what moderators did, and users as "
    "they see them."
)
FAMILIES = (
    Family("moderation", Bans),
    Family("moderation", AuditLog),
    Family("moderation", Decisions),
    Family("moderation", UserDecisions),
    Family("moderation", Appeals),
    Family("moderation", Reports),
    Family("moderation", Notices),
    Family("moderation", ModeratedUsers),
    Family("moderation", AccountActs),
    Family("moderation", Holds),
    Family("moderation", Roles),
    Family("moderation", Statistics),
)


def install(context: Context) -> Installed:
    """Install them."""
    db, settings = context.db, context.settings
    downloads = Downloads(db)
    context.signals.files_downloaded.subscribe(downloads.count)
    access = AppealAccess(db, context.credentials.mail_tokens)
    families = [
        Bans(db, context.acts),
        AuditLog(db, context.acts),
        Decisions(db, context.acts, context.blocks, settings.redress),
        UserDecisions(db, settings.redress, access),
        Appeals(db, context.acts, context.blocks, access),
        Reports(db, context.queue, per_day=settings.reports_per_day),
        ModeratedUsers(db),
        AccountActs(
            *(db, context.queue, context.revocation, context.mails, context.acts),
            guests=context.guests,
        ),
        Holds(db, context.queue, context.bucket, context.wall, settings.public_url),
        Roles(db, context.revocation, context.guests),
        Statistics(db, context.wall),
        Notices(
            db,
            context.credentials.tokens,
            context.credentials.mail_tokens,
            context.mails,
            per_address=settings.notices_per_address,
            redress=settings.redress,
        ),
    ]
    jobs = [
        *totals(context.reactor, db, downloads),
        *retention.of_reports(db, settings.report_retention, settings.notice_retention),
        *retention.of_moderation(db),
        holds.expired(db),
    ]
    return Installed(families, jobs)
